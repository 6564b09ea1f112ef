// A tensor as Lua holds it: one userdata block, told from foreign ones by a cookie that cannot be forged without
// knowing the secret of this loaded copy.
#pragma once

#include <lua.hpp>

#include "tensor/tensor.h"

namespace lutra {

struct Box {
  uintptr_t cookie;
  TensorRep tensor;
  // Of TensorBooks: what it counts for, kNotBooked before it gets a storage (and of a variable while it has none), and
  // whether others have come to share that storage.
  static constexpr uint64_t kNotBooked = ~uint64_t{0} >> 1;
  uint64_t booked_bytes : 63;
  uint64_t is_viewed : 1;
  int64_t made_at;  // bytes booked by then, its own included

  // address ^ secret: a live tensor. Its complement: one released by hand.
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

// The hot path: null unless it is a live tensor.
inline Box* to_live_box(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) < sizeof(Box)) [[unlikely]]
    return nullptr;
  Box* box = static_cast<Box*>(block);
  return box->is_live() ? box : nullptr;
}

}  // namespace lutra
