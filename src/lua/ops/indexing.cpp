// t[i], t[{i, {first, last, step}, {}}], t[indices], t[mask]: a StridedSlice, a GatherV2 or a BooleanMask.

#include <cstring>

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/own_entries.h"
#include "lua/ops/op_call.h"
#include "ops/index.h"
#include "ops/slice.h"

namespace lutra {
namespace {

// Converts 1-based to 0-based. Index 0 is an error.
int64_t from_lua(int64_t index) {
  require(index != 0, "index 0: indices count from 1, -1 is the last");
  return index > 0 ? index - 1 : index;
}

int64_t read_index(lua_State* L, int at, int entry) {
  std::optional<int64_t> value = integral(L, at);
  if (!value) {
    fail(ErrorCode::InvalidArgument, "index: entry ", entry, " is ", what_is(L, at),
         ", expected an integer, a range {first, last, step} or {}",
         to_box(L, at) != nullptr
             ? "; use a mask or a tensor of indices alone, t[mask]: it picks whole slices along the "
               "first axis; then index the result"
             : "");
  }
  return from_lua(*value);
}

// Reads the entry on top of the stack.
void read_entry(lua_State* L, SliceAttrs* attrs) {
  int place = attrs->count++;
  SliceAttrs::Range& range = attrs->axis[place];
  range.step = 1;
  attrs->all[place] = attrs->drops[place] = false;
  int top = lua_gettop(L);
  if (lua_type(L, top) != LUA_TTABLE) {
    range.first = range.last = read_index(L, top, place + 1);
    attrs->drops[place] = true;
    return;
  }
  int64_t parts[3];
  int count = read_integers(L, top, "index", text("entry ", place + 1).c_str(), parts, 3);
  attrs->all[place] = count == 0;
  if (count == 0) return;
  range.first = from_lua(parts[0]);
  range.last = from_lua(count > 1 ? parts[1] : parts[0]);
  if (count > 2) range.step = parts[2];
}

}  // namespace

void read_slice(lua_State* L, int key, SliceAttrs* attrs) {
  attrs->count = 0;
  if (lua_type(L, key) != LUA_TNUMBER && lua_type(L, key) != LUA_TTABLE) {
    fail(ErrorCode::InvalidArgument, "index: the key is ", what_is(L, key),
         ", expected an integer or a list of entries per axis",
         to_box(L, key) != nullptr ? "; with a mask write v:assign(lutra.where(mask, value, v))" : "");
  }
  if (lua_type(L, key) == LUA_TNUMBER) {
    lua_pushvalue(L, key);
    read_entry(L, attrs);
    lua_pop(L, 1);
    return;
  }
  std::size_t length = lua_rawlen(L, key);
  require_own_entries(L, key, length, "index", "the list of entries");
  require(length <= static_cast<std::size_t>(kMaxRank), "index: ", length, " entries, and a tensor has at most 8 axes");
  std::size_t entries = 0;
  for (lua_pushnil(L); lua_next(L, key) != 0; lua_pop(L, 1)) ++entries;
  require(entries == length, "index: the list has a hole or a string key, expected one entry per axis");
  for (std::size_t i = 1; i <= length; ++i) {
    lua_rawgeti(L, key, static_cast<lua_Integer>(i));
    read_entry(L, attrs);
    lua_pop(L, 1);
  }
}

namespace {

// ipairs reads entries until one is nil, but a tensor raises an error past its end. Suggests pairs.
void check_iteration(lua_State* L, const TensorRep& tensor) {
  if (tensor.rank == 0 || integral(L, 2) != tensor.dims[0] + 1) return;
  lua_Debug caller;
  if (lua_getstack(L, 1, &caller) == 0 || lua_getinfo(L, "nS", &caller) == 0) return;
  if (*caller.what != 'C' || std::strcmp(caller.namewhat, "for iterator") != 0) return;
  fail(ErrorCode::OutOfRange, "t[", tensor.dims[0] + 1, "]: axis 1 has ", tensor.dims[0],
       tensor.dims[0] == 1 ? " element" : " elements",
       "; ipairs stops only at nil, which a tensor never returns: use pairs(t)");
}

}  // namespace

int index_tensor(lua_State* L, State& state, const Box& box) {
  lua_settop(L, 2);
  Operand operands[2];
  operands[0].tensor = &box.tensor;
  if (Box* key = to_live_box(L, 2)) {
    operands[1].tensor = &key->tensor;
    bool is_mask = key->tensor.dtype == DType::Bool;
    Call call(state.runtime().ops().get(is_mask ? "BooleanMask" : "GatherV2"), operands, 2, 1);
    if (!is_mask) call.as<GatherAttrs>().base.value = 1;
    return run_read_call(L, state, call);
  }
  Call call(state.runtime().ops().get("StridedSlice"), operands, 1, 1);
  read_phase(L, state, "index", [&](Args& args) {
    int type = lua_type(L, 2);
    if (type == LUA_TNUMBER) {
      check_iteration(L, box.tensor);
    } else if (type != LUA_TTABLE) {
      if (to_box(L, 2) != nullptr) args.tensor(2, "the key");  // says that it has been released
      args.wrong(2, "the key", "an integer, a list of entries per axis, a tensor of indices or a bool mask");
    }
    read_slice(L, 2, &call.as<SliceAttrs>());
  });
  return run_read_call(L, state, call);
}

}  // namespace lutra
