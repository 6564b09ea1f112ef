// A tensor as Lua holds it: one userdata block. A cookie tells it from other userdata; it cannot be forged without the
// secret of this loaded copy of Lutra.
#pragma once

#include <lua.hpp>

#include "tensor/tensor.h"

namespace lutra {

struct Box {
  uintptr_t cookie;
  TensorRep tensor;
  // For TensorBooks: the bytes counted for this box (kNotBooked until it gets a storage, and while a variable has
  // none), and whether other tensors have shared the storage since.
  static constexpr uint64_t kNotBooked = ~uint64_t{0} >> 1;
  uint64_t booked_bytes : 63;
  uint64_t is_viewed : 1;
  int64_t made_at;  // total bytes booked when it was made, including its own

  // address ^ secret marks a live tensor, its complement one released by hand.
  uintptr_t live_cookie() const { return reinterpret_cast<uintptr_t>(this) ^ secret_; }
  bool is_live() const { return cookie == live_cookie(); }
  bool is_released() const { return cookie == ~live_cookie(); }

  static const uintptr_t secret_;
};

// The Box at `index`, live or released; null for anything else.
inline Box* to_box(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) < sizeof(Box)) return nullptr;
  Box* box = static_cast<Box*>(block);
  return box->is_live() || box->is_released() ? box : nullptr;
}

// For the hot path: the Box of a live tensor, else null.
inline Box* to_live_box(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) < sizeof(Box)) [[unlikely]]
    return nullptr;
  Box* box = static_cast<Box*>(block);
  return box->is_live() ? box : nullptr;
}

}  // namespace lutra
