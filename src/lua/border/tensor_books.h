// Accounting of the tensors that Lua owns and that hold a storage: their number, their bytes, and when to collect
// garbage because of them. Needed since Lua's own collector sees only a block of some two hundred bytes for each
// tensor, which may hold megabytes. One per State.
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
  // Counts a box that has got its storage.
  void add(lua_State* L, Box* box);
  // Stops counting the box and releases its storage.
  void remove(Box* box);
  // Stops counting the box of a variable whose storage has been released already.
  void lost_storage(Box* box);
  // Whether live bytes have grown by the budget since the last collection.
  bool is_collection_due() const { return bytes_ - bytes_at_collection_ > step_bytes_; }
  // Collects garbage, only young objects if that is enough; does nothing if the script has stopped the collector. Calls
  // finalizers.
  void collect(lua_State* L);
  // More boxes that hold a storage than this make a collection due.
  void set_most(int64_t boxes) { most_ = boxes; }
  bool has_too_many() const { return count_ > most_; }
  // Called when a tape opens. Lua does not see the memory that tapes hold, and only a full collection is sure to find a
  // garbage tape that was not closed. So this runs one if tapes hold much more than after the last full collection.
  void tape_opens(lua_State* L, const Ledger& ledger) {
    held_at_full_ = std::min(held_at_full_, ledger.held_bytes());
    if (ledger.held_bytes() - held_at_full_ > full_bytes_) [[unlikely]]
      collect_held(L, ledger);
  }
  // To be called when the interpreter's collector is generational: then a step of it is a young collection.
  void has_generations(lua_State* L);

  // The number of boxes that hold a storage.
  int64_t count() const { return count_; }
  // Called when the interpreter closes: drops tensors that Lua will never finalize.
  void close();

 private:
  int64_t count_ = 0;
  int64_t most_ = INT64_MAX;
  int64_t bytes_ = 0;  // that they hold; a storage that several share counts once
  // The part of bytes_ whose tensors are gone, but whose storages were still held by views; it is not known for how
  // long. It counts as growth until the next full collection, and is then forgotten.
  int64_t left_behind_ = 0;
  int64_t bytes_at_collection_ = 0;
  int64_t made_bytes_ = 0;                 // total ever made
  int64_t held_at_full_ = 0;               // what tapes held after the last full collection
  int64_t step_bytes_ = int64_t{8} << 20;  // growth from one collection to the next
  int64_t full_bytes_ = int64_t{8} << 20;  // growth from one full collection to the next
  // Only with the generational collector:
  bool has_generations_ = false;
  StepBudget budget_;         // determines step_bytes_
  int64_t made_at_step_ = 0;  // bytes ever made before the last step
  int64_t made_at_full_ = 0;  // and before the last full collection
  int64_t first_freed_ = 0;   // the least made_at of the tensors that a step frees
  int64_t bytes_at_full_ = 0;
  int64_t full_end_us_ = 0, full_pause_us_ = 0;  // of the last full collection
  int most_lua_kb_ = 0;                          // if Lua's own memory exceeds it, a full collection is due

  void note_made_in_finalizer(Box* box) noexcept;
  void strike_out(Box* box, bool leaves_views);
  bool is_full_collection_due(lua_State* L) const;
  // Measures a collection. The step's reach counts back from the time when reach_from bytes had ever been made.
  template <class Collect> StepBudget::Step measure(int64_t reach_from, const Collect& collect);
  void collect_all(lua_State* L);
  void collect_held(lua_State* L, const Ledger& ledger);
  void collect_young(lua_State* L);
  // Tensors made by finalizers. While the interpreter closes, Lua does not finalize them.
  std::unordered_set<Box*> made_in_finalizers_;
};

}  // namespace lutra
