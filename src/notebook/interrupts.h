// Jupyter's interrupts: SIGINT, or a message that xeus gets on another thread.
#pragma once

struct lua_State;

namespace lutra::notebook {

// Makes the calling thread the one that runs Lua, and blocks SIGINT in it and in threads that it starts.
void begin_interrupts();
// Stops the entry that runs. Any thread may call it; between entries it does nothing.
void interrupt();
// No further entry runs, and the one that runs ends.
void end_entries();

// SessionHost::call: a lua_pcall that can be interrupted.
int interruptible_call(lua_State* L, int arguments, int results, int handler);

}  // namespace lutra::notebook
