// Opening, running and closing. No C++ exception leaves a function of lutra.h.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/version.h"
#include "embed/host.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

using namespace lutra;
using namespace lutra::embed;

namespace lutra::embed {

constexpr int kMostSimGpus = 64;

constexpr int kUsualOpenFiles = 64;

namespace {

void read_limits(const lutra_options& options, const char* who, InterpreterOptions* read) {
  auto check = [who](const char* field, double value) {
    require(std::isfinite(value) && value >= 0 && value <= 1e15, who, ": ", field, " is ", value,
            ", expected a number, or 0 for no limit");
  };
  check("lua_memory_mb", options.lua_memory_mb);
  check("tensor_memory_mb", options.tensor_memory_mb);
  check("seconds", options.seconds);
  require(options.instructions >= 0, who, ": instructions is ", options.instructions,
          ", expected 0 for no limit, or more");
  require(options.tensors >= 0, who, ": tensors is ", options.tensors, ", expected 0 for no limit, or more");
  require(options.open_files >= 0, who, ": open_files is ", options.open_files, ", expected 0 for 64, or more");
  read->is_sandbox = options.sandbox != 0;
  require(read->is_sandbox || (options.allowed_paths == nullptr && options.open_files == 0), who,
          ": allowed_paths and open_files are for a sandbox: set options.sandbox = 1 too");
  read->limits = {options.lua_memory_mb, options.tensor_memory_mb, options.instructions,
                  options.seconds,       options.tensors,          options.open_files};
  if (!read->is_sandbox) return;
  if (options.open_files == 0) read->limits.open_files = kUsualOpenFiles;
  for (const char* const* path = options.allowed_paths; path != nullptr && *path != nullptr; ++path)
    read->allowed_paths.push_back(*path);
}

}  // namespace

namespace {

// The caller's options, which may be of an older or newer version of the header.
lutra_options copy_options(const lutra_options* given, const char* who) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  if (given != nullptr) {
    constexpr size_t kFirstField = offsetof(lutra_options, sim_gpus);
    require(given->size > kFirstField && given->size <= 4096, who, ": options->size is ", given->size,
            "; start from LUTRA_OPTIONS_INIT");
    const char* bytes = reinterpret_cast<const char*>(given);
    for (size_t i = sizeof options; i < given->size; ++i) {
      require(bytes[i] == 0, who, ": options has a field set that this version of Lutra does not know");
    }
    std::memcpy(&options, given, std::min(given->size, sizeof options));
  }
  return options;
}

InterpreterOptions read_all(const lutra_options& options, const char* who) {
  require(options.sim_gpus >= 0 && options.sim_gpus <= kMostSimGpus, who, ": sim_gpus is ", options.sim_gpus,
          ", expected 0 to ", kMostSimGpus);
  require(std::isfinite(options.sim_gpu_mb) && options.sim_gpu_mb >= 0, who, ": sim_gpu_mb is ", options.sim_gpu_mb,
          ", expected a number of MB, or 0 for the default");
  InterpreterOptions read;
  if (options.sim_gpus > 0) read.sim_gpus = options.sim_gpus;
  if (options.sim_gpu_mb > 0) read.sim_gpu_mb = options.sim_gpu_mb;
  read.log_placement = options.log_placement != 0;
  read.soft_placement = options.soft_placement != 0;
  if (options.device != nullptr) read.device = options.device;
  read_limits(options, who, &read);
  return read;
}

}  // namespace

InterpreterOptions read_options(const lutra_options* given, const char* who, std::shared_ptr<Turns>* turns) {
  const lutra_options options = copy_options(given, who);
  InterpreterOptions read = read_all(options, who);
  if (options.runtime == nullptr) return read;
  require(
      options.sim_gpus == 0 && options.sim_gpu_mb == 0 && options.soft_placement == 0 && options.tensor_memory_mb == 0,
      who, ": sim_gpus, sim_gpu_mb, soft_placement and tensor_memory_mb belong to options.runtime: ",
      "give them to lutra_runtime_open");
  require(options.sandbox == 0, who, ": a sandbox cannot share options.runtime, whose memory and settings its scripts ",
          "could take from others: leave runtime NULL, and pass tensors on a CPU to it, which copies nothing");
  *turns = options.runtime->turns;
  read.runtime = (*turns)->runtime();
  return read;
}

std::shared_ptr<Runtime> new_runtime(const lutra_options* given) {
  const char* who = "lutra_runtime_open";
  const lutra_options options = copy_options(given, who);
  const InterpreterOptions read = read_all(options, who);
  const LimitOptions& limits = read.limits;
  require(options.runtime == nullptr && options.log_placement == 0 && read.device.empty() && !read.is_sandbox &&
              limits.lua_memory_mb == 0 && limits.instructions == 0 && limits.seconds == 0 && limits.tensors == 0,
          who, ": a runtime has sim_gpus, sim_gpu_mb, soft_placement and tensor_memory_mb; give the other options to ",
          "lutra_open");
  auto runtime = std::make_shared<Runtime>();
  apply_environment(*runtime);
  apply(read, *runtime);
  return runtime;
}

namespace {

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

void show_log(lutra_t& lutra, Log& log) { log.set_sink(lutra.log != nullptr ? log_line : nullptr, &lutra); }

namespace {

// The turn of an interpreter that is being opened, if its Runtime is shared.
class OpeningTurn {
 public:
  OpeningTurn(Turns* turns, lutra_t& lutra) : turns_(turns) {
    if (turns_ == nullptr) return;
    const Turns::Entered entered = turns_->enter(lutra);
    if (entered == Turns::Entered::Yes) return;
    fail(ErrorCode::FailedPrecondition, "lutra_open: inside a callback, options.runtime ",
         entered == Turns::Entered::InCallback ? "is that of the interpreter which calls it"
                                               : "is another one, which another thread uses");
  }
  ~OpeningTurn() {
    if (turns_ != nullptr) turns_->leave();
  }
  OpeningTurn(const OpeningTurn&) = delete;

 private:
  Turns* turns_;
};

// Compiles and runs. The loader leaves a function or an error's text.
template <class Load> int run_chunk(lutra_t* lutra, const char* who, const char* given, const char* name, Load load) {
  Use use(lutra, who, true);
  if (!use) return LUTRA_ERROR;
  if (given == nullptr) return attempt(lutra, [&] { require(false, who, ": ", name, " is NULL"); });
  Limits& limits = lutra->limits();
  if (lutra->depth == 0) limits.make_room(lutra->L);
  int status = LUTRA_ERROR;
  // luaL_load* return a status instead of raising, except where memory for the chunk's name is missing.
  int failed = attempt(lutra, [&] { status = load(lutra->L); });
  if (failed != LUTRA_OK) return failed;
  if (status == LUA_ERRMEM && limits.limits_memory()) {
    limits.note_no_room();
    return remember_lua_error(*lutra, LUTRA_LIMIT);
  }
  if (status != LUA_OK) return remember_lua_error(*lutra, LUTRA_ERROR);
  return run_protected(*lutra, 0, 0);
}

}  // namespace
}  // namespace lutra::embed

extern "C" {

lutra_t* lutra_open(const lutra_options* options) {
  lutra_t* opened = nullptr;
  attempt(nullptr, [&] {
    std::shared_ptr<Turns> turns;
    const InterpreterOptions read = read_options(options, "lutra_open", &turns);
    auto made = std::make_unique<lutra_t>();
    const OpeningTurn turn(turns.get(), *made);
    std::unique_ptr<lutra_t> lutra = std::move(made);  // after a failure it is closed before the turn ends
    lutra->interpreter = std::make_unique<Interpreter>(read);
    lutra->L = lutra->interpreter->lua();
    lutra->state = State::find(lutra->L);
    lutra->interrupts = Interrupts::find(lutra->L);
    remember_host(*lutra);
    watch_interrupts(*lutra);
    lutra->home = new Home(lutra->state->shared_runtime(), turns, lutra.get(), false);
    opened = lutra.release();
  });
  return opened;
}

int lutra_run_string(lutra_t* lutra, const char* text, const char* chunk_name) {
  return run_chunk(lutra, "lutra_run_string", text, "text", [&](lua_State* L) {
    std::string name = chunk_name != nullptr ? chunk_name : "host";
    if (name.empty() || (name[0] != '=' && name[0] != '@')) name = "=" + name;  // so that Lua shows it unchanged
    return luaL_loadbufferx(L, text, std::strlen(text), name.c_str(), "t");
  });
}

int lutra_run_file(lutra_t* lutra, const char* path) {
  return run_chunk(lutra, "lutra_run_file", path, "path", [&](lua_State* L) {
    return luaL_loadfilex(L, path, lutra->interpreter != nullptr ? lutra->interpreter->chunk_mode() : nullptr);
  });
}

int lutra_set_print(lutra_t* lutra, void (*print)(void* user, const char* text, size_t size), void* user) {
  return attempt_on(lutra, "lutra_set_print", false, [&] {
    require(lutra->interpreter != nullptr, "lutra_set_print: an attached lutra_t prints as its host does");
    if (print != nullptr) lutra->interpreter->set_print(print_text, lutra);
    lutra->print = print;
    lutra->print_user = user;
  });
}

int lutra_set_log(lutra_t* lutra, void (*log)(void* user, const char* line, size_t size), void* user) {
  return attempt_on(lutra, "lutra_set_log", false, [&] {
    lutra->log = log;
    lutra->log_user = user;
    show_log(*lutra, lutra->state->runtime().log());
  });
}

int lutra_abi_version(void) { return LUTRA_ABI_VERSION; }

const char* lutra_version(void) { return LUTRA_VERSION; }

void lutra_close(lutra_t* lutra) {
  if (lutra == nullptr) return;
  lutra->live.check("this lutra_t");
  if (lutra->interpreter == nullptr) return;
  Home* home = lutra->home;
  if (home->gate.enter() != Gate::Entered::Yes) return;
  Turns* turns = home->turns();
  if (turns != nullptr && turns->enter(*lutra) != Turns::Entered::Yes) return home->leave();
  home->free_buried();
  delete lutra;
  if (turns != nullptr) turns->leave();
  home->leave();
  home->release();
}

}  // extern "C"

// Finalizers may print, and handles may be released, until the lua_State is gone.
lutra_t::~lutra_t() {
  if (interpreter == nullptr) return;
  interpreter.reset();
  if (home != nullptr) home->close();
}
