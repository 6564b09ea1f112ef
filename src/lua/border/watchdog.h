// Interrupts calls that run for too long. One thread of the process, started by the first call that is watched, does
// this for all interpreters; it sleeps otherwise. A forked child starts one of its own.
#pragma once

#include <lua.hpp>

namespace lutra {

class Interrupts;

struct Watch {
  double seconds = 0;       // until the call is interrupted; 0: never
  double tick_seconds = 0;  // until `tick` is set; 0: never
  lua_Hook tick = nullptr;  // a hook for one instruction; it is set again and again until set_tick is called
};

// Watches the call that Interrupts::begin has begun. Throws without memory.
void watch(Interrupts& interrupts, const Watch& watch);
// When the hook is to be set next.
void set_tick(Interrupts& interrupts, double seconds) noexcept;
// The call has ended. Returns whether it was interrupted.
bool unwatch(Interrupts& interrupts) noexcept;

}  // namespace lutra
