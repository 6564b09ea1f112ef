#include "cli/interrupt.h"

#include <pthread.h>

#include <csignal>

#include "lua/border/interrupts.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

Interrupts* volatile interrupts = nullptr;
pthread_t running_thread;

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);  // no SA_RESTART: the signal ends a read that waits for input
  sigaction(SIGINT, &action, nullptr);
}

// If another thread gets the signal, it forwards it: only Lua's own thread may set the hook.
void on_interrupt(int signal) {
  if (pthread_equal(pthread_self(), running_thread) == 0) {
    pthread_kill(running_thread, signal);
    return;
  }
  set_handler(SIG_DFL);
  interrupts->request();
}

}  // namespace

int interruptible_call(lua_State* L, int arguments, int results, int handler) {
  interrupts = Interrupts::find(L);
  running_thread = pthread_self();
  interrupts->begin(L);
  State::find(L)->context().hooks.take_interrupt = [] { return interrupts->take(); };
  set_handler(on_interrupt);
  int status = lua_pcall(L, arguments, results, handler);
  set_handler(SIG_DFL);
  interrupts->end();
  return status;
}

}  // namespace lutra
