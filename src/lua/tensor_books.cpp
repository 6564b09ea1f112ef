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

// The budget follows the measured pause, so that collections cost at most some 3% of the time at 10 GB/s of results,
// and small heaps recycle while blocks are in cache.
void TensorBooks::collect(lua_State* L) {
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  int64_t begin = now_us();
  lua_gc(L, LUA_GCCOLLECT);
  int64_t pause_us = now_us() - begin;
  int64_t live = std::max<int64_t>(0, bytes_);
  int64_t most = std::max<int64_t>(int64_t{64} << 20, live / 2);
  budget_bytes_ = std::clamp<int64_t>(pause_us * 330000, int64_t{8} << 20, most);
  bytes_at_collection_ = bytes_;
}

void TensorBooks::close() {
  for (Box* box : made_in_finalizers_) drop(box->tensor);
  count_ -= static_cast<int64_t>(made_in_finalizers_.size());
  std::unordered_set<Box*>().swap(made_in_finalizers_);  // Lua frees the State without its destructor
}

}  // namespace lutra
