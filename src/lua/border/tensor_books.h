// The books of tensors that Lua owns and that hold a storage: how many, their bytes, and when these call for a
// collection. Lua's own collector sees a block of two hundred bytes where there may be megabytes. One per State.
#pragma once

#include <lua.hpp>

#include <algorithm>
#include <unordered_set>

#include "eager/ledger.h"
#include "lua/border/box.h"
#include "lua/border/step_budget.h"

namespace lutra {

class TensorBooks {
 public:
  // The box has got its storage.
  void add(lua_State* L, Box* box);
  // Gives its storage back.
  void remove(Box* box);
  // The box, which is a variable's, has given its storage back already.
  void lost_storage(Box* box);
  // Whether live bytes have grown by the budget since the last collection.
  bool is_collection_due() const { return bytes_ - bytes_at_collection_ > step_bytes_; }
  // A collection, of what is young where that will do, unless the script has stopped the collector. Calls finalizers.
  void collect(lua_State* L);
  // A tape opens: what those before it hold Lua does not see, and one that lost its owner without being closed is only
  // sure to be found by a full collection. So there is one when they hold much more than after the last.
  void tape_opens(lua_State* L, const Ledger& ledger) {
    held_at_full_ = std::min(held_at_full_, ledger.held_bytes());
    if (ledger.held_bytes() - held_at_full_ > full_bytes_) [[unlikely]]
      collect_held(L, ledger);
  }
  // The interpreter's collector is generational: a step of it is a collection of what is young.
  void has_generations(lua_State* L);

  // How many boxes hold a storage.
  int64_t count() const { return count_; }
  // The interpreter closes: drops what Lua will never finalize.
  void close();

 private:
  int64_t count_ = 0;
  int64_t bytes_ = 0;  // what they hold; a storage that several share counts once
  // Of these, what tensors brought that are gone while views held it; for how long is not known. It stands as growth
  // until the next full collection, and is then forgotten.
  int64_t left_behind_ = 0;
  int64_t bytes_at_collection_ = 0;
  int64_t made_bytes_ = 0;                 // ever
  int64_t held_at_full_ = 0;               // what tapes held after the last full collection
  int64_t step_bytes_ = int64_t{8} << 20;  // growth from one collection to the next
  int64_t full_bytes_ = int64_t{8} << 20;  // growth from one full collection to the next
  // Of generations only.
  bool has_generations_ = false;
  StepBudget budget_;         // step_bytes_ is its
  int64_t made_at_step_ = 0;  // bytes ever made before the last step
  int64_t first_freed_ = 0;   // the least made_at of what a step frees
  int64_t bytes_at_full_ = 0;
  int64_t full_end_us_ = 0, full_pause_us_ = 0;  // of the last full collection
  int most_lua_kb_ = 0;                          // more memory of Lua's own calls for a full collection, too

  void note_made_in_finalizer(Box* box) noexcept;
  void strike_out(Box* box, bool leaves_views);
  bool is_full_collection_due(lua_State* L) const;
  template <class Collect> StepBudget::Step measure(const Collect& collect);
  void collect_all(lua_State* L);
  void collect_held(lua_State* L, const Ledger& ledger);
  void collect_young(lua_State* L);
  // While the interpreter closes, Lua calls the finalizers there are but none of what they make: these.
  std::unordered_set<Box*> made_in_finalizers_;
};

}  // namespace lutra
