// Folders, for lutra.data and files that are numbered: make_folder(path), list_folder(path). In a sandbox only paths
// that its scripts may use (io/allowed_paths.h).

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "io/allowed_paths.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

namespace fs = std::filesystem;

// make_folder(path, who): makes a folder, and those that it is in, unless it exists.
int make_folder(Args& args) {
  const std::string path(args.string(1, "folder")), who(args.string(2, "who"));
  require(!path.empty(), who, ": the folder has an empty name");
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    std::error_code error;
    if (!fs::is_directory(part, error)) {
      AllowedFile file =
          allowed_file(args.state.allowed_paths.get(), who + ": " + part, part, AllowedPaths::Access::Write);
      if (!fs::create_directory(file.path, error) && error) {
        fail(ErrorCode::FailedPrecondition, who, ": ", part, ": cannot make the folder: ", error.message());
      }
    }
    if (end == std::string::npos) break;
  }
  return 0;
}

// list_folder(path, who): the names in a folder, sorted; folders' names end with "/".
int list_folder(Args& args) {
  const std::string path(args.string(1, "folder")), who(args.string(2, "who"));
  AllowedFile file = allowed_file(args.state.allowed_paths.get(), who + ": " + path, path, AllowedPaths::Access::Read);
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(file.path, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    names.push_back(at->path().filename().string() + (at->is_directory(ignored) ? "/" : ""));
  }
  if (error) fail(ErrorCode::NotFound, who, ": ", path, ": cannot read the folder: ", error.message());
  std::sort(names.begin(), names.end());
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(names.size()), 0);
    for (std::size_t i = 0; i < names.size(); ++i) {
      lua_pushlstring(L, names[i].data(), names[i].size());
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    return 1;
  });
  return 1;
}

}  // namespace

void open_folders(lua_State* L, State& state) {
  set_function<make_folder>(L, state, "make_folder", "lutra");
  set_function<list_folder>(L, state, "list_folder", "lutra");
}

}  // namespace lutra
