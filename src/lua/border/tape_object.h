// A tape as Lua holds it.
#pragma once

#include <cstddef>

#include "autograd/tape.h"
#include "lua/border/args.h"

namespace lutra {

// The tape is stored in its userdata, since a tape that a finalizer makes while the interpreter closes is never
// finalized. The userdata's first user value is a table of the functions that custom_gradient has recorded on the tape,
// by number.
struct TapeObject {
  uintptr_t cookie;  // like a Box's, but of another kind
  Tape* tape;        // null: closed; else points to `place`
  alignas(Tape) std::byte place[sizeof(Tape)];

  uintptr_t live_cookie() const { return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 2); }
};

// The tape at `index`; null for anything else.
TapeObject* to_tape(lua_State* L, int index);
// The open tape at `index`. Fails for anything else, and (FailedPrecondition) for a closed tape.
Tape& tape_at(Args& args, int index);

// Pushes a new tape. May raise a Lua error.
void push_tape(lua_State* L, State& state, const TapeOptions& options);
// Pushes the tape that has this bit in the ledger, or nil if it has been collected.
void push_tape_of(lua_State* L, Ledger::Tapes bit);

// Forgets the functions that custom_gradient has recorded on the tape at `index`.
void forget_functions(lua_State* L, int index);
// Stores the function at `function` with the tapes custom.tapes, as number custom.number. May raise a Lua error.
void keep_function(lua_State* L, int function, const Ledger::Custom& custom);

// Calls those functions.
class LuaGradients final : public CustomGradients {
 public:
  // `forgets`: each function is called only once.
  LuaGradients(lua_State* L, State& state, Ledger::Tapes tape, bool forgets)
      : L_(L), state_(state), tape_(tape), forgets_(forgets) {}
  // Throws LuaRaised when the function raises an error.
  std::vector<std::optional<Tensor>> call(uint64_t number, std::span<const Tensor> dy, int inputs) override;

 private:
  lua_State* L_;
  State& state_;
  Ledger::Tapes tape_;
  bool forgets_;
};

}  // namespace lutra
