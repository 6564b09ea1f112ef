// t[i], t[{i, {first, last, step}, {}}], t[indices], t[mask]: a StridedSlice, a GatherV2 or a BooleanMask. Lists with
// index tensors, masks, new axes or "..." among their entries are read in advanced_indexing.cpp.

#include <cstring>

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/own_entries.h"
#include "lua/ops/advanced_indexing.h"
#include "lua/ops/op_call.h"
#include "ops/index.h"
#include "ops/slice.h"

namespace lutra {
namespace {

// Converts 1-based to 0-based. Index 0 is an error. `who` begins error texts: "index", or a function's name.
int64_t from_lua(const char* who, int64_t index) {
  require(index != 0, who, who == kIndexing ? "" : ": index", " 0: indices count from 1, -1 is the last");
  return index > 0 ? index - 1 : index;
}

int64_t read_index(lua_State* L, int at, const char* who, int entry) {
  std::optional<int64_t> value = integral(L, at);
  if (!value) {
    fail(ErrorCode::InvalidArgument, who, ": entry ", entry, " is ", what_is(L, at),
         ", expected an integer, a range {first, last, step} or {}",
         lua_isboolean(L, at) ? "; a mask is a tensor or a list of booleans" : "");
  }
  return from_lua(who, *value);
}

// Reads the list of integers on top of the stack into parts[0..3): how many there are, or -1 if it is none, which
// read_integers then tells.
int read_parts(lua_State* L, int64_t* parts) {
  int top = lua_gettop(L);
  std::size_t length = lua_rawlen(L, top), entries = 0;
  if (length == 0 || length > 3) return -1;
  for (std::size_t i = 0; i < length; ++i) {
    lua_rawgeti(L, top, static_cast<lua_Integer>(i) + 1);
    std::optional<int64_t> value = integral(L, -1);
    lua_pop(L, 1);
    if (!value) return -1;
    parts[i] = *value;
  }
  for (lua_pushnil(L); lua_next(L, top) != 0; lua_pop(L, 1)) ++entries;
  return entries == length ? static_cast<int>(length) : -1;
}

}  // namespace

bool read_basic_entry(lua_State* L, const char* who, int entry, int axis, SliceAttrs* attrs) {
  SliceAttrs::Range& range = attrs->axis[axis];
  range.step = 1;
  attrs->all[axis] = attrs->drops[axis] = false;
  int top = lua_gettop(L), type = lua_type(L, top);
  if (type != LUA_TTABLE) {
    if (type != LUA_TNUMBER && !is_basic_entry(L)) return false;
    range.first = range.last = read_index(L, top, who, entry);
    attrs->drops[axis] = true;
    return true;
  }
  int64_t parts[3];
  int count = read_parts(L, parts);
  if (count < 0) {
    if (!is_basic_entry(L)) return false;
    std::size_t length = lua_rawlen(L, top);
    require(length <= 3, who, ": entry ", entry, " has ", length,
            " entries, and a range has at most 3; a list of indices is an entry within a table, {{1, 2, 5, 9}}, or a "
            "tensor");
    count = read_integers(L, top, who, text("entry ", entry).c_str(), parts, 3);
  }
  attrs->all[axis] = count == 0;
  if (count == 0) return true;
  range.first = from_lua(who, parts[0]);
  range.last = from_lua(who, count > 1 ? parts[1] : parts[0]);
  if (count > 2) range.step = parts[2];
  return true;
}

bool is_basic_entry(lua_State* L) {
  switch (lua_type(L, -1)) {
    case LUA_TTABLE: {
      int type = lua_rawgeti(L, -1, 1);
      lua_pop(L, 1);
      return type != LUA_TTABLE && type != LUA_TBOOLEAN;
    }
    case LUA_TUSERDATA: return to_box(L, -1) == nullptr;
    case LUA_TSTRING: return false;
    default: return true;
  }
}

bool read_slice(lua_State* L, int key, SliceAttrs* attrs) {
  attrs->count = 0;
  if (lua_type(L, key) != LUA_TNUMBER && lua_type(L, key) != LUA_TTABLE) {
    fail(ErrorCode::InvalidArgument, "index: the key is ", what_is(L, key),
         ", expected an integer, a list of entries per axis, a tensor of indices or a bool mask");
  }
  if (lua_type(L, key) == LUA_TNUMBER) {
    lua_pushvalue(L, key);
    attrs->count = 1;
    read_basic_entry(L, kIndexing, 1, 0, attrs);
    lua_pop(L, 1);
    return true;
  }
  std::size_t length = lua_rawlen(L, key);
  require_own_entries(L, key, length, "index", "the list of entries");
  std::size_t entries = 0;
  for (lua_pushnil(L); lua_next(L, key) != 0; lua_pop(L, 1)) ++entries;
  require(entries == length, "index: the list has a hole or a string key, expected one entry per axis");
  for (std::size_t i = 1; i <= length; ++i) {
    lua_rawgeti(L, key, static_cast<lua_Integer>(i));
    require(i <= static_cast<std::size_t>(kMaxRank) || !is_basic_entry(L), "index: ", length,
            " entries, and a tensor has at most 8 axes");
    int axis = static_cast<int>(i) - 1;
    bool is_basic = axis < kMaxRank && read_basic_entry(L, kIndexing, axis + 1, axis, attrs);
    attrs->count = static_cast<int8_t>(axis + 1);
    lua_pop(L, 1);
    if (!is_basic) return false;
  }
  return true;
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
  bool is_basic = true;
  read_phase(L, state, "index", [&](Args& args) {
    int type = lua_type(L, 2);
    if (type == LUA_TNUMBER) {
      check_iteration(L, box.tensor);
    } else if (type != LUA_TTABLE) {
      if (to_box(L, 2) != nullptr) args.tensor(2, "the key");  // says that it has been released
      args.wrong(2, "the key", "an integer, a list of entries per axis, a tensor of indices or a bool mask");
    }
    is_basic = read_slice(L, 2, &call.as<SliceAttrs>());
  });
  if (!is_basic) return index_advanced(L, state, box);
  return run_read_call(L, state, call);
}

}  // namespace lutra
