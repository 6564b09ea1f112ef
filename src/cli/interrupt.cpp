#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "hosts/cluster.h"
#include "lua/border/interrupts.h"
#include "lua/border/limits.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

Interrupts* volatile interrupts = nullptr;
pthread_t running_thread;
// Presses until the program ends, during an entry of the prompt; 0 elsewhere.
constexpr int kMostPresses = 3;
volatile std::sig_atomic_t presses_left = 0;
// Presses between entries that nothing has answered yet; -1 where there is no prompt in a terminal.
volatile std::sig_atomic_t idle_presses = -1;

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);  // no SA_RESTART: the signal ends a read that waits for input
  sigaction(SIGINT, &action, nullptr);
  // A launcher ends ranks by SIGTERM, also when the user presses Ctrl-C.
  if (Cluster::running() != nullptr) sigaction(SIGTERM, &action, nullptr);
}

// While an entry is read, compiled or looked up, nothing can raise: the entry that comes is interrupted instead. Who
// presses again and again wants to leave.
void on_idle_interrupt(int) {
  idle_presses = idle_presses + 1;
  if (idle_presses >= kMostPresses - 1) set_handler(SIG_DFL);
}

// If another thread gets the signal, it forwards it: only Lua's own thread may set the hook.
bool is_forwarded(int signal) {
  if (pthread_equal(pthread_self(), running_thread) != 0) return false;
  pthread_kill(running_thread, signal);
  return true;
}

void on_interrupt(int signal) {
  if (is_forwarded(signal)) return;
  set_handler(SIG_DFL);
  interrupts->request();
}

void on_entry_interrupt(int signal) {
  if (is_forwarded(signal)) return;
  presses_left = presses_left - 1;
  if (presses_left == 1) {
    constexpr char kMessage[] = "\nstill running; Ctrl-C once more ends lutra\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  }
  if (presses_left <= 1) set_handler(SIG_DFL);
  interrupts->request();
}

// Pushes what an error says of the limit that was passed. Returns its status.
int push_limit(lua_State* L, const Limits& limits) {
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    const Limits& passed = *static_cast<const Limits*>(lua_touserdata(inner, 1));
    char text[400];
    std::snprintf(text, sizeof text, "%s%s", passed.position(), passed.text().c_str());
    lua_pushstring(inner, text);
    return lua_error(inner);
  });
  lua_pushlightuserdata(L, const_cast<Limits*>(&limits));
  return lua_pcall(L, 1, 0, 0);
}

int call(lua_State* L, int arguments, int results, int handler, bool is_entry) {
  interrupts = Interrupts::find(L);
  running_thread = pthread_self();
  Limits* limits = State::find(L)->limits;
  const bool has_limits = limits != nullptr && limits->any();
  // An interrupt of the user's is raised once in a script, a limit until the script has ended.
  interrupts->begin(L, is_entry || has_limits);
  if (has_limits) limits->begin(L, *interrupts);
  const int64_t taken = interrupts->taken();
  const int base = lua_gettop(L) - arguments - 1;
  State::find(L)->context().hooks.take_interrupt = [](void*) { return interrupts->take(); };
  presses_left = kMostPresses;
  set_handler(is_entry ? on_entry_interrupt : on_interrupt);
  if (is_entry && idle_presses > 0) {
    idle_presses = 0;
    std::raise(SIGINT);
  }
  int status = lua_pcall(L, arguments, results, handler);
  set_handler(idle_presses < 0 ? SIG_DFL : on_idle_interrupt);
  interrupts->end();
  if (!has_limits) return status;
  limits->end(L, interrupts->taken() != taken);
  if (limits->passed() == Limits::Kind::None) return status;
  lua_settop(L, base);
  if (limits->passed() == Limits::Kind::LuaMemory) lua_gc(L, LUA_GCCOLLECT);
  return push_limit(L, *limits);
}

}  // namespace

int interruptible_call(lua_State* L, int arguments, int results, int handler) {
  return call(L, arguments, results, handler, false);
}

int interruptible_entry(lua_State* L, int arguments, int results, int handler) {
  return call(L, arguments, results, handler, true);
}

IdleInterrupts::IdleInterrupts() { forget(); }

IdleInterrupts::~IdleInterrupts() {
  idle_presses = -1;
  set_handler(SIG_DFL);
}

void IdleInterrupts::forget() {
  idle_presses = 0;
  set_handler(on_idle_interrupt);
}

}  // namespace lutra
