#include "cli/kernel_install.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/environment.h"
#include "core/error.h"

namespace lutra {
namespace {

namespace fs = std::filesystem;

// The folder of Jupyter's data, by its own rules
// (https://docs.jupyter.org/en/latest/use/jupyter-directories.html#data-files).
fs::path data_folder(const std::string& prefix) {
  if (!prefix.empty()) return fs::absolute(prefix) / "share" / "jupyter";
  if (std::string given(environment_variable("JUPYTER_DATA_DIR")); !given.empty()) return given;
  if (std::string given(environment_variable("XDG_DATA_HOME")); !given.empty()) return fs::path(given) / "jupyter";
  const std::string home(environment_variable("HOME"));
  if (home.empty()) fail(ErrorCode::NotFound, "kernel install: HOME is not set; write --prefix=P");
  return fs::path(home) / ".local" / "share" / "jupyter";
}

fs::path kernel_program() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const fs::path found = own.parent_path() / "lutra-kernel";
  if (error || access(found.c_str(), X_OK) != 0) {
    fail(ErrorCode::NotFound, "kernel install: ", found.string(),
         " is not there: Lutra was built without xeus. On Debian install xeus-dev, and build again");
  }
  return found;
}

}  // namespace

std::string install_kernel(const std::string& prefix) {
  const fs::path program = kernel_program(), folder = data_folder(prefix) / "kernels" / "lutra";
  const nlohmann::ordered_json spec = {
      {"argv", {program.string(), "-f", "{connection_file}"}},
      {"display_name", "Lutra"},
      {"language", "lua"},
      {"interrupt_mode", "signal"},
      {"metadata", nlohmann::json::object()},
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    fail(ErrorCode::FailedPrecondition, "kernel install: cannot make ", folder.string(), ": ", error.message());
  const fs::path file = folder / "kernel.json", draft = folder / "kernel.json.new";
  errno = 0;
  std::ofstream out(draft);
  out << spec.dump(1) << "\n";
  out.close();
  if (!out)
    fail(ErrorCode::FailedPrecondition, "kernel install: cannot write ", draft.string(), ": ", std::strerror(errno));
  fs::rename(draft, file, error);
  if (error) fail(ErrorCode::FailedPrecondition, "kernel install: cannot write ", file.string(), ": ", error.message());
  return text("Jupyter finds Lutra by ", file.string(), "\n");
}

}  // namespace lutra
