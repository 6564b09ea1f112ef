#include "lua/ops/result_list.h"

namespace lutra {
namespace {

// The size of a result that will become false.
constexpr int64_t kNothing = -2;
static_assert(kNothing != State::kReleasedSize);

Box* box_at(lua_State* L, int results, int i) {
  lua_rawgeti(L, results, i);
  Box* box = static_cast<Box*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return box;
}

}  // namespace

int push_results(lua_State* L, State& state, int count) {
  lua_createtable(L, count, 0);
  int results = lua_gettop(L);
  for (int i = 1; i <= count; ++i) {
    state.push_box(L, false);
    lua_rawseti(L, results, i);
  }
  return results;
}

void set_result(lua_State* L, int results, int i, std::optional<Tensor>* tensor) {
  Box* box = box_at(L, results, i);
  if (tensor->has_value()) {
    box->tensor = (*tensor)->rep();
    (*tensor)->rep().storage = nullptr;
  } else {
    box->tensor.size = kNothing;
  }
}

void hand_over(lua_State* L, State& state, int results, int count) {
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, results, i);
    Box* box = static_cast<Box*>(lua_touserdata(L, -1));
    if (box->tensor.size == kNothing) {
      lua_pushboolean(L, 0);
      lua_rawseti(L, results, i);
    } else if (box->tensor.storage == nullptr) {
      state.push(L, State::kTensorMeta);
      lua_setmetatable(L, -2);
    } else {
      state.own(L, box);
    }
    lua_pop(L, 1);
  }
}

}  // namespace lutra
