#include "notebook/interrupts.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>

#include "core/blocked_signals.h"
#include "lua/border/interrupts.h"
#include "lua/border/state.h"

namespace lutra::notebook {
namespace {

// Between two interrupts of a wait that the first one has not ended.
constexpr std::chrono::milliseconds kAgain(20);

pthread_t lua_thread;
Interrupts* volatile interrupts = nullptr;  // while Lua runs for an entry
std::atomic<bool> is_ending{false};
std::atomic<bool> is_interrupted{false};  // this entry

sigset_t only_interrupt() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// It is blocked in all other threads.
void on_interrupt(int) {
  is_interrupted = true;
  if (Interrupts* running = interrupts) running->request();
}

}  // namespace

void begin_interrupts() {
  lua_thread = pthread_self();
  const sigset_t set = only_interrupt();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

void interrupt() { pthread_kill(lua_thread, SIGINT); }

void forget_interrupts() {
  const sigset_t set = only_interrupt();
  const timespec now = {};
  while (sigtimedwait(&set, nullptr, &now) == SIGINT) {
  }
  is_interrupted = false;
}

InterruptibleWait::InterruptibleWait() {
  const BlockedSignals blocked;  // the thread inherits this
  again_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (is_interrupted) interrupt();
      ended_.wait_for(lock, stop, kAgain, [] { return false; });
    }
  });
}

void end_entries() {
  is_ending = true;
  interrupt();
}

int interruptible_call(lua_State* L, int arguments, int results, int handler) {
  Interrupts& own = *Interrupts::find(L);
  own.begin(L, true);
  State::find(L)->context().hooks.take_interrupt = [](void*) {
    Interrupts* running = interrupts;
    return running != nullptr && running->take();
  };
  interrupts = &own;
  const sigset_t set = only_interrupt();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  if (is_ending) interrupt();
  const int status = lua_pcall(L, arguments, results, handler);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  interrupts = nullptr;
  own.end();
  return status;
}

}  // namespace lutra::notebook
