// lutra.h on top of Interpreter. No C++ exception gets past `attempt`.
#include "embed/lutra.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "lua/border/interpreter.h"

using lutra::ErrorCode;
using lutra::fail;
using lutra::Interpreter;
using lutra::InterpreterOptions;
using lutra::require;

struct lutra_t {
  explicit lutra_t(const InterpreterOptions& options) : interpreter(options) {}

  Interpreter interpreter;
  std::string error;
  void (*print)(void* user, const char* text, size_t size) = nullptr;
  void* print_user = nullptr;
  void (*log)(void* user, const char* line, size_t size) = nullptr;
  void* log_user = nullptr;
  bool busy = false;  // inside a call: another one comes from a callback
};

namespace {

constexpr int kMostSimGpus = 64;

// The last failure without a lutra_t. Plain bytes, so that the end of a thread has nothing to destroy.
thread_local char error_here[1024];

void remember(lutra_t* lutra, const char* message) noexcept {
  if (lutra == nullptr) {
    std::snprintf(error_here, sizeof error_here, "%s", message);
    return;
  }
  try {
    lutra->error = message;
  } catch (...) {
    lutra->error = "out of memory";  // short enough not to allocate
  }
}

// Runs body(), which throws on errors. Returns 0 on success.
template <class Body> int attempt(lutra_t* lutra, const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    remember(lutra, error.what());
  } catch (...) {
    remember(lutra, "an unknown exception; please report this");
  }
  return 1;
}

// The same for function `who`, whose first argument must be a lutra_t that is not in use.
template <class Body> int attempt_on(lutra_t* lutra, const char* who, const Body& body) noexcept {
  if (lutra != nullptr && lutra->busy) return 1;  // lutra->error belongs to the outer call
  return attempt(lutra, [&] {
    require(lutra != nullptr, who, ": the lutra_t is NULL");
    struct Busy {
      bool& busy;
      explicit Busy(bool& flag) : busy(flag) { busy = true; }
      ~Busy() { busy = false; }
    } busy(lutra->busy);
    body();
  });
}

// Reads the caller's options, which may be of an older or newer version of the header.
InterpreterOptions read_options(const lutra_options* given) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  if (given != nullptr) {
    constexpr size_t kFirstField = offsetof(lutra_options, sim_gpus);
    require(given->size > kFirstField && given->size <= 4096, "lutra_open: options->size is ", given->size,
            "; start from LUTRA_OPTIONS_INIT");
    const char* bytes = reinterpret_cast<const char*>(given);
    for (size_t i = sizeof options; i < given->size; ++i) {
      require(bytes[i] == 0, "lutra_open: options has a field set that this version of Lutra does not know");
    }
    std::memcpy(&options, given, std::min(given->size, sizeof options));
  }
  require(options.sim_gpus >= 0 && options.sim_gpus <= kMostSimGpus, "lutra_open: sim_gpus is ", options.sim_gpus,
          ", expected 0 to ", kMostSimGpus);
  require(std::isfinite(options.sim_gpu_mb) && options.sim_gpu_mb >= 0, "lutra_open: sim_gpu_mb is ",
          options.sim_gpu_mb, ", expected a number of MB, or 0 for the default");
  InterpreterOptions read;
  if (options.sim_gpus > 0) read.sim_gpus = options.sim_gpus;
  if (options.sim_gpu_mb > 0) read.sim_gpu_mb = options.sim_gpu_mb;
  read.log_placement = options.log_placement != 0;
  read.soft_placement = options.soft_placement != 0;
  if (options.device != nullptr) read.device = options.device;
  return read;
}

void fail_with(const std::optional<std::string>& error) {
  if (error) fail(ErrorCode::Internal, *error);
}

// Scripts may keep this print, so it must stay valid when the host removes its function.
void print_text(void* user, const char* text, size_t size) {
  const lutra_t& lutra = *static_cast<const lutra_t*>(user);
  if (lutra.print != nullptr) lutra.print(lutra.print_user, text, size);
  else std::fwrite(text, 1, size, stdout);
}

void log_line(void* user, std::string_view line) {
  const lutra_t& lutra = *static_cast<const lutra_t*>(user);
  lutra.log(lutra.log_user, line.data(), line.size());
}

}  // namespace

extern "C" {

lutra_t* lutra_open(const lutra_options* options) {
  lutra_t* lutra = nullptr;
  attempt(nullptr, [&] { lutra = new lutra_t(read_options(options)); });
  return lutra;
}

int lutra_run_string(lutra_t* lutra, const char* text, const char* chunk_name) {
  return attempt_on(lutra, "lutra_run_string", [&] {
    require(text != nullptr, "lutra_run_string: text is NULL");
    std::string name = chunk_name != nullptr ? chunk_name : "host";
    if (name.empty() || (name[0] != '=' && name[0] != '@')) name = "=" + name;  // so that Lua shows it unchanged
    fail_with(lutra->interpreter.run_string(text, name.c_str()));
  });
}

int lutra_run_file(lutra_t* lutra, const char* path) {
  return attempt_on(lutra, "lutra_run_file", [&] {
    require(path != nullptr, "lutra_run_file: path is NULL");
    fail_with(lutra->interpreter.run_file(path));
  });
}

int lutra_set_print(lutra_t* lutra, void (*print)(void* user, const char* text, size_t size), void* user) {
  return attempt_on(lutra, "lutra_set_print", [&] {
    if (print != nullptr) lutra->interpreter.set_print(print_text, lutra);
    lutra->print = print;
    lutra->print_user = user;
  });
}

int lutra_set_log(lutra_t* lutra, void (*log)(void* user, const char* line, size_t size), void* user) {
  return attempt_on(lutra, "lutra_set_log", [&] {
    lutra->log = log;
    lutra->log_user = user;
    lutra->interpreter.set_log(log != nullptr ? log_line : nullptr, lutra);
  });
}

const char* lutra_error(const lutra_t* lutra) { return lutra != nullptr ? lutra->error.c_str() : error_here; }

void lutra_close(lutra_t* lutra) {
  if (lutra == nullptr || lutra->busy) return;
  lutra->busy = true;  // finalizers may print
  delete lutra;
}

}  // extern "C"
