// A variable as Lua holds it. It begins with a Box, so that an op takes it wherever a tensor stands.
#pragma once

#include "eager/variable.h"
#include "lua/box.h"

namespace lutra {

// Its name is the userdata's first user value.
struct VariableBox {
  Box box;
  bool trainable;
};

// The variable at `index`; null for anything else.
inline VariableBox* to_variable(lua_State* L, int index) {
  Box* box = to_live_box(L, index);
  if (box == nullptr || lua_rawlen(L, index) != sizeof(VariableBox) || !is_variable(box->tensor)) return nullptr;
  return reinterpret_cast<VariableBox*>(box);
}

}  // namespace lutra
