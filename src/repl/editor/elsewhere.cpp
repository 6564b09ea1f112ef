#include "repl/editor/elsewhere.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lutra::editor {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string program() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (const char* value = variable(name)) return value;
  }
  return "vi";
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> edited_elsewhere(std::string_view text) {
  const char* folder = variable("TMPDIR");
  std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/lutra-XXXXXX.lua";  // editors colour by name
  const int file = mkstemps(path.data(), 4);
  if (file < 0) {
    std::fprintf(stderr, "lutra: cannot write %s: %m\n", path.c_str());
    return std::nullopt;
  }
  bool ok = write_all(file, text) && write_all(file, "\n");
  close(file);
  // The path is an argument of sh, which may hold any character.
  setenv("lutra_edited_file", path.c_str(), 1);
  ok = ok && std::system((program() + " \"$lutra_edited_file\"").c_str()) == 0;
  unsetenv("lutra_edited_file");
  std::ostringstream edited;
  if (ok) edited << std::ifstream(path, std::ios::binary).rdbuf();
  unlink(path.c_str());
  if (!ok) return std::nullopt;
  std::string result = edited.str();
  result.erase(result.find_last_not_of(" \t\r\n") + 1);
  return result;
}

}  // namespace lutra::editor
