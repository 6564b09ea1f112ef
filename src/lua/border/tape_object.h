// A tape as Lua holds it.
#pragma once

#include <cstddef>

#include "autograd/tape.h"
#include "lua/border/args.h"

namespace lutra {

// The tape lies in its userdata: one that a finalizer makes while the interpreter closes is never finalized itself. The
// userdata's first user value is a table of the functions that custom_gradient has recorded on it, by number.
struct TapeObject {
  uintptr_t cookie;  // as a Box's, of another kind
  Tape* tape;        // null: closed; else in `place`
  alignas(Tape) std::byte place[sizeof(Tape)];

  uintptr_t live_cookie() const { return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 2); }
};

// The tape at `index`; null for anything else.
TapeObject* to_tape(lua_State* L, int index);
// Fails for anything else, and (FailedPrecondition) for a tape that is closed.
Tape& tape_at(Args& args, int index);

// Pushes a new tape. May raise a Lua error.
void push_tape(lua_State* L, State& state, const TapeOptions& options);
// Pushes the tape that has this bit in the ledger, or nil when nobody can reach it any more.
void push_tape_of(lua_State* L, Ledger::Tapes bit);

// Lets go of the functions that custom_gradient has recorded on the tape at `index`.
void forget_functions(lua_State* L, int index);
// The function `number` gives gradients on the tapes `tapes`. May raise a Lua error.
void keep_function(lua_State* L, int function, const Ledger::Custom& custom);

// Asks those functions.
class LuaGradients final : public CustomGradients {
 public:
  // `forgets`: each is asked once only.
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
