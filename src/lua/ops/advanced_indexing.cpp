#include "lua/ops/advanced_indexing.h"

#include <cstring>

#include "lua/border/guard.h"
#include "lua/border/own_entries.h"
#include "lua/ops/constants.h"
#include "lua/ops/op_call.h"
#include "ops/index.h"

namespace lutra {
namespace {

bool is_word(lua_State* L, int index, const char* word) {
  return lua_type(L, index) == LUA_TSTRING && std::strcmp(lua_tostring(L, index), word) == 0;
}

// How many axes of t the entry at `index` uses up.
int axes_of(lua_State* L, const char* who, int index, int entry) {
  if (const Box* box = to_live_box(L, index)) {
    if (box->tensor.dtype != DType::Bool) return 1;
    require(box->tensor.rank > 0, who, ": entry ", entry,
            " is a mask without axes; write lutra.newaxis for a new axis");
    return box->tensor.rank;
  }
  if (to_box(L, index) != nullptr) {
    fail(ErrorCode::FailedPrecondition, who, ": entry ", entry, " is a tensor that has been released");
  }
  if (is_word(L, index, "newaxis")) return 0;
  if (lua_type(L, index) == LUA_TSTRING) {
    fail(ErrorCode::InvalidArgument, who, ": entry ", entry, " is \"",
         std::string_view(lua_tostring(L, index)).substr(0, 40),
         "\", expected an integer, a range {first, last, step}, {}, a tensor of indices, a mask, lutra.newaxis or "
         "\"...\"");
  }
  return 1;
}

void check_mask(const char* who, const TensorRep& mask, const Shape& t, int axis, int entry) {
  bool fits = axis + mask.rank <= t.rank();
  for (int i = 0; fits && i < mask.rank; ++i) fits = mask.dims[i] == t[axis + i];
  require(fits, who, ": entry ", entry, " is a mask ", mask.shape(), ", which does not fit t ", t, " from axis ",
          axis + 1, " on: its sizes must be those of the axes");
}

struct Entries {
  int first;  // the stack index of the first entry
  int count;
  int ellipsis;  // its entry, or -1
  int skipped;   // axes that the ellipsis keeps
};

// Counts the axes that the entries use.
void measure(lua_State* L, const char* who, const Shape& t, Entries* entries) {
  int used = 0;
  for (int i = 0; i < entries->count; ++i) {
    if (is_word(L, entries->first + i, "...")) {
      require(entries->ellipsis < 0, who, ": \"...\" occurs twice, and it can stand once");
      entries->ellipsis = i;
    } else {
      used += axes_of(L, who, entries->first + i, i + 1);
    }
  }
  require(used <= t.rank(), who, ": the entries take ", used, used == 1 ? " axis" : " axes", ", and the tensor ", t,
          " has ", t.rank());
  entries->skipped = t.rank() - used;
}

void read_entries(lua_State* L, const char* who, const Shape& t, const Entries& entries, AdvancedIndex* out) {
  AdvancedIndexAttrs& attrs = out->attrs;
  int axis = 0;
  auto add = [&](int kind) {
    require(attrs.entries < kMostEntries, who, ": more than ", kMostEntries, " entries");
    attrs.kinds[attrs.entries++] = static_cast<int8_t>(kind);
  };
  auto keep = [&] {
    attrs.basic.all[axis] = true;
    attrs.basic.drops[axis++] = false;
  };
  for (int i = 0; i < entries.count; ++i) {
    int index = entries.first + i;
    if (i == entries.ellipsis) {
      for (int k = 0; k < entries.skipped; ++k) {
        keep();
        add(AdvancedIndexAttrs::kBasic);
      }
    } else if (is_word(L, index, "newaxis")) {
      add(AdvancedIndexAttrs::kNewAxis);
    } else if (const Box* box = to_live_box(L, index)) {
      const TensorRep& tensor = box->tensor;
      bool is_mask = tensor.dtype == DType::Bool;
      require(is_mask || is_integer(tensor.dtype), who, ": entry ", i + 1, " is a tensor of ", tensor.dtype,
              ", expected integers or bool; cast it first: t:cast(\"int64\")");
      if (is_mask) check_mask(who, tensor, t, axis, i + 1);
      add(is_mask ? AdvancedIndexAttrs::kMask + tensor.rank - 1 : +AdvancedIndexAttrs::kIndices);
      for (int k = is_mask ? tensor.rank : 1; k > 0; --k) keep();
    } else {
      lua_pushvalue(L, index);
      read_basic_entry(L, who, i + 1, axis++, &attrs.basic);
      lua_pop(L, 1);
      add(AdvancedIndexAttrs::kBasic);
    }
  }
  attrs.basic.count = static_cast<int8_t>(axis);
  attrs.base.value = 1;
}

}  // namespace

void read_advanced_index(lua_State* L, State& state, const char* who, int key, const Shape& t, AdvancedIndex* out) {
  Entries entries{lua_gettop(L) + 1, 1, -1, 0};
  luaL_checkstack(L, 3 * kMostEntries + 16, nullptr);
  read_phase(L, state, who, [&](Args&) {
    if (lua_type(L, key) != LUA_TTABLE) return;
    std::size_t length = lua_rawlen(L, key);
    require_own_entries(L, key, length, who, "the list of entries");
    require(length <= static_cast<std::size_t>(kMostEntries), who, ": ", length, " entries, at most ", kMostEntries,
            " are possible");
    std::size_t found = 0;
    for (lua_pushnil(L); lua_next(L, key) != 0; lua_pop(L, 1)) ++found;
    require(found == length, who, ": the list has a hole or a string key, expected one entry per axis");
    entries.count = static_cast<int>(length);
  });
  if (lua_type(L, key) != LUA_TTABLE) {
    lua_pushvalue(L, key);
  } else {
    for (int i = 1; i <= entries.count; ++i) {
      lua_rawgeti(L, key, i);
      if (lua_type(L, -1) != LUA_TTABLE || is_basic_entry(L)) continue;
      // {{1, 5, 2}} lists indices, {true, false} is a mask.
      if (lua_rawgeti(L, -1, 1) == LUA_TTABLE && lua_rawlen(L, -2) == 1) lua_replace(L, -2);
      else lua_pop(L, 1);
      if (!make_constant(L, state, -1, {who, "entry", i}, kNoDType, true, kInts | kBool)) state.raise(L);
    }
  }
  read_phase(L, state, who, [&](Args&) {
    measure(L, who, t, &entries);
    read_entries(L, who, t, entries, out);
  });
  for (int i = 0; i < entries.count; ++i) {
    const Box* box = to_live_box(L, entries.first + i);
    if (box == nullptr) continue;
    Operand& tensor = out->tensors[out->count++];
    tensor = {&box->tensor, Scalar::of(false)};
    if (box->tensor.dtype != DType::Bool) continue;
    Call call(state.runtime().ops().get("Where"), &tensor, 1, 1);
    call.as<IndexAttrs>().base.value = 1;
    run_read_call(L, state, call);
    tensor.tensor = &to_live_box(L, -1)->tensor;
  }
}

int index_advanced(lua_State* L, State& state, const Box& box) {
  AdvancedIndex index;
  read_advanced_index(L, state, kIndexing, 2, box.tensor.shape(), &index);
  Operand operands[kMaxRank + 1];
  operands[0].tensor = &box.tensor;
  for (int i = 0; i < index.count; ++i) operands[i + 1] = index.tensors[i];
  Call call(state.runtime().ops().get("AdvancedIndex"), operands, index.count + 1, 1);
  call.as<AdvancedIndexAttrs>() = index.attrs;
  return run_read_call(L, state, call);
}

}  // namespace lutra
