#include "cli/interrupt.h"

#include <pthread.h>

#include <csignal>

#include "lua/state.h"

namespace lutra {
namespace {

lua_State* volatile running = nullptr;
volatile std::sig_atomic_t wanted = 0;  // a Ctrl-C that has raised nothing yet
pthread_t running_thread;

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);  // no SA_RESTART: a read that waits for input gives up
  sigaction(SIGINT, &action, nullptr);
}

void stop(lua_State* L, lua_Debug*) {
  lua_sethook(L, nullptr, 0, 0);
  wanted = 0;
  luaL_error(L, "interrupted!");
}

// Setting a hook is all that Lua allows from a signal handler, and only on Lua's own thread is it seen for certain.
void on_interrupt(int signal) {
  if (pthread_equal(pthread_self(), running_thread) == 0) {
    pthread_kill(running_thread, signal);
    return;
  }
  set_handler(SIG_DFL);
  wanted = 1;
  lua_sethook(running, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

}  // namespace

int interruptible_call(lua_State* L, int arguments, int results, int handler) {
  running = L;
  running_thread = pthread_self();
  wanted = 0;
  if (State* state = State::find(L)) state->context().hooks.interrupted = [] { return wanted != 0; };
  set_handler(on_interrupt);
  int status = lua_pcall(L, arguments, results, handler);
  set_handler(SIG_DFL);
  // It came too late to stop anything.
  if (lua_gethook(L) == stop) lua_sethook(L, nullptr, 0, 0);
  wanted = 0;
  return status;
}

}  // namespace lutra
