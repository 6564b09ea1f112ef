#include "lua/tensor_books.h"

#include <time.h>

#include <algorithm>

namespace lutra {
namespace {

int64_t now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

// The budget after a collection of so many microseconds: collections cost at most some 3% of the time at 10 GB/s of
// results. Where a heap is so small that results can be made from memory that is still in a core's second cache, that
// is worth collecting more often.
int64_t budget_after(int64_t pause_us, int64_t live_bytes) {
  constexpr int64_t kMega = int64_t{1} << 20;
  int64_t in_cache = pause_us * 130000;
  if (in_cache <= 2 * kMega) return std::max(in_cache, kMega);
  return std::clamp(pause_us * 330000, 8 * kMega, std::max(64 * kMega, live_bytes / 2));
}

}  // namespace

void TensorBooks::add(lua_State* L, Box* box) {
  ++count_;
  Storage& storage = *box->tensor.storage;
  if (storage.tensor == nullptr) storage.tensor = &box->tensor;
  if (lua_gc(L, LUA_GCISRUNNING) < 0) [[unlikely]]
    made_in_finalizers_.insert(box);
  bytes_ += static_cast<int64_t>(box->tensor.nbytes());
}

void TensorBooks::remove(Box* box) {
  if (box->tensor.storage->tensor == &box->tensor) box->tensor.storage->tensor = nullptr;
  bytes_ -= static_cast<int64_t>(box->tensor.nbytes());
  bytes_at_collection_ = std::min(bytes_at_collection_, bytes_);
  --count_;
  if (!made_in_finalizers_.empty()) [[unlikely]]
    made_in_finalizers_.erase(box);
  drop(box->tensor);
}

void TensorBooks::collect(lua_State* L) {
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  int64_t begin = now_us();
  lua_gc(L, LUA_GCCOLLECT);
  int64_t pause_us = now_us() - begin;
  budget_bytes_ = budget_after(pause_us, std::max<int64_t>(0, bytes_));
  bytes_at_collection_ = bytes_;
}

void TensorBooks::close() {
  for (Box* box : made_in_finalizers_) drop(box->tensor);
  count_ -= static_cast<int64_t>(made_in_finalizers_.size());
  std::unordered_set<Box*>().swap(made_in_finalizers_);  // Lua frees the State without its destructor
}

}  // namespace lutra
