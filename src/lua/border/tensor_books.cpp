#include "lua/border/tensor_books.h"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <new>

#include "core/clock.h"
#include "eager/ledger.h"

namespace lutra {
namespace {

// The CPU time of this thread: on a busy machine, wall-clock time would include the time of other processes.
int64_t thread_us() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

constexpr int64_t kMiB = int64_t{1} << 20;
// A full collection may run early: after a growth of kLeastGrowth bytes, if kPausesApart times the duration of the last
// one have passed since its end (so they take at most 5% of the time).
constexpr int64_t kPausesApart = 20, kLeastGrowth = kMiB;
// The growth until the next full collection, after one that took pause_us microseconds: at 10 GB/s of results they take
// at most some 3% of the time.
int64_t budget_after(int64_t pause_us, int64_t live_bytes) {
  return std::clamp(pause_us * 330000, 8 * kMiB, std::max(64 * kMiB, live_bytes / 2));
}

// The same if there are only full collections. If the heap is so small that results can reuse memory that is still in
// cache, it pays to collect more often.
int64_t only_budget_after(int64_t pause_us, int64_t live_bytes) {
  int64_t in_cache = pause_us * 130000;
  return in_cache <= 2 * kMiB ? std::max(in_cache, kMiB) : budget_after(pause_us, live_bytes);
}

// The box of a storage's tensor, which is not a variable: add() was called with it.
Box* box_of(const TensorRep* tensor) {
  auto* bytes = reinterpret_cast<std::byte*>(const_cast<TensorRep*>(tensor));
  return reinterpret_cast<Box*>(bytes - offsetof(Box, tensor));
}

}  // namespace

void TensorBooks::add(lua_State* L, Box* box) {
  if (++count_ > most_) [[unlikely]]
    bytes_at_collection_ = bytes_ - step_bytes_ - 1;  // a collection is due
  Storage& storage = *box->tensor.storage;
  // A view: the storage is already counted for another tensor. Not if that is a variable, which may get another storage
  // while this one lives on here.
  bool is_view = storage.tensor != nullptr && !is_variable(*storage.tensor) && !is_variable(box->tensor);
  if (storage.tensor == nullptr) storage.tensor = &box->tensor;
  else if (is_view) box_of(storage.tensor)->is_viewed = true;
  if (lua_gc(L, LUA_GCISRUNNING) < 0) [[unlikely]]
    note_made_in_finalizer(box);
  box->booked_bytes = is_view ? 0 : box->tensor.nbytes();
  box->is_viewed = false;
  bytes_ += static_cast<int64_t>(box->booked_bytes);
  box->made_at = made_bytes_ += static_cast<int64_t>(box->booked_bytes);
}

void TensorBooks::note_made_in_finalizer(Box* box) noexcept {
  try {
    made_in_finalizers_.insert(box);
  } catch (const std::bad_alloc&) {
    // If the interpreter closes now, the tensor and the Runtime leak.
  }
}

void TensorBooks::remove(Box* box) {
  // True if its op failed after the box got a storage and before add().
  if (box->booked_bytes == Box::kNotBooked) return drop(box->tensor);
  Storage& storage = *box->tensor.storage;
  if (storage.tensor == &box->tensor) storage.tensor = nullptr;
  bool leaves_views = box->is_viewed && storage.refs.load(std::memory_order_relaxed) > 1;
  strike_out(box, leaves_views);
  drop(box->tensor);
}

void TensorBooks::lost_storage(Box* box) { strike_out(box, false); }

void TensorBooks::strike_out(Box* box, bool leaves_views) {
  int64_t booked = static_cast<int64_t>(box->booked_bytes);
  if (leaves_views) left_behind_ += booked;
  else bytes_ -= booked;
  box->booked_bytes = Box::kNotBooked;
  first_freed_ = std::min(first_freed_, box->made_at);
  bytes_at_collection_ = std::min(bytes_at_collection_, bytes_);
  bytes_at_full_ = std::min(bytes_at_full_, bytes_);
  --count_;
  if (!made_in_finalizers_.empty()) [[unlikely]]
    made_in_finalizers_.erase(box);
}

void TensorBooks::has_generations(lua_State* L) {
  has_generations_ = true;
  step_bytes_ = budget_.bytes();
  most_lua_kb_ = 2 * lua_gc(L, LUA_GCCOUNT) + 1024;
}

void TensorBooks::collect(lua_State* L) {
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  if (has_generations_ && !is_full_collection_due(L)) collect_young(L);
  else collect_all(L);
}

// If results take long to compute, as convolutions do, there is time for a full collection long before their bytes make
// it due: then old garbage is freed soon.
bool TensorBooks::is_full_collection_due(lua_State* L) const {
  int64_t grown = bytes_ - bytes_at_full_;
  if (grown > full_bytes_ || lua_gc(L, LUA_GCCOUNT) > most_lua_kb_) return true;
  return grown > kLeastGrowth && now_ns() / 1000 - full_end_us_ >= kPausesApart * full_pause_us_;
}

template <class Collect> StepBudget::Step TensorBooks::measure(int64_t reach_from, const Collect& collect) {
  int64_t before = bytes_, grown = before - bytes_at_collection_, made_before = made_bytes_;
  first_freed_ = made_bytes_;
  collect();
  int64_t reach = std::max<int64_t>(0, reach_from - first_freed_);
  made_at_step_ = made_bytes_;
  // Tensors that finalizers made during the collection may be garbage already: they count as growth after it.
  bytes_at_collection_ = bytes_ - (made_bytes_ - made_before);
  return {grown, before - bytes_at_collection_, bytes_at_collection_, reach};
}

void TensorBooks::collect_all(lua_State* L) {
  int64_t begin = thread_us();
  // A full collection makes everything that it keeps old, the newest result as well. The next one frees that result,
  // whatever the budget is. So its reach starts at the last full collection, not at the last step.
  auto step = measure(made_at_full_, [&] {
    lua_gc(L, LUA_GCCOLLECT);
    bytes_ -= left_behind_;
    left_behind_ = 0;
  });
  made_at_full_ = made_bytes_;
  full_end_us_ = now_ns() / 1000;
  full_pause_us_ = thread_us() - begin;
  int64_t live = std::max<int64_t>(0, bytes_at_collection_);
  if (!has_generations_) {
    step_bytes_ = only_budget_after(full_pause_us_, live);
    return;
  }
  full_bytes_ = budget_after(full_pause_us_, live);
  bytes_at_full_ = bytes_at_collection_;
  budget_.after_full(step, full_bytes_);
  step_bytes_ = budget_.bytes();
  most_lua_kb_ = 2 * lua_gc(L, LUA_GCCOUNT) + 1024;
}

void TensorBooks::collect_held(lua_State* L, const Ledger& ledger) {
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  collect_all(L);
  held_at_full_ = ledger.held_bytes();
}

void TensorBooks::collect_young(lua_State* L) {
  auto step = measure(made_at_step_, [&] { lua_gc(L, LUA_GCSTEP, 0); });
  budget_.after(step, full_bytes_);
  step_bytes_ = budget_.bytes();
}

void TensorBooks::close() {
  for (Box* box : made_in_finalizers_) drop(box->tensor);
  count_ -= static_cast<int64_t>(made_in_finalizers_.size());
  std::unordered_set<Box*>().swap(made_in_finalizers_);  // Lua frees the State without its destructor
}

}  // namespace lutra
