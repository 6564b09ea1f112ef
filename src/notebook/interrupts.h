// Jupyter's interrupts: SIGINT, or a message that xeus gets on another thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

struct lua_State;

namespace lutra::notebook {

// Makes the calling thread the one that runs Lua, and blocks SIGINT in it and in threads that it starts.
void begin_interrupts();
// Stops the entry that runs. Any thread may call it. Between entries it is kept, and stops the next one.
void interrupt();
// Drops the interrupts that are kept. Lua's thread calls it before it says that an entry begins: an interrupt that
// comes after that message is meant for this entry, even if Lua does not run yet.
void forget_interrupts();
// No further entry runs, and the one that runs ends.
void end_entries();

// While it lives, an interrupt of the entry ends a blocking call of Lua's thread (EINTR). A signal alone would not: it
// may come just before the call blocks. So it comes again and again.
class InterruptibleWait {
 public:
  InterruptibleWait();

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread again_;
};

// SessionHost::call: a lua_pcall that can be interrupted.
int interruptible_call(lua_State* L, int arguments, int results, int handler);

}  // namespace lutra::notebook
