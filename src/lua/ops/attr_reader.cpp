#include "lua/ops/attr_reader.h"

#include <cstring>
#include <vector>

#include "core/error.h"
#include "lua/border/args.h"
#include "lua/border/own_entries.h"
#include "lua/hints/foreign_names.h"
#include "lua/hints/wrong_call.h"
#include "lua/ops/elements.h"

namespace lutra {
namespace {

// If a tensor was given instead of numbers, how to convert it; else "".
std::string numbers_hint(lua_State* L, int index, AttrType type) {
  Box* box = to_live_box(L, index);
  if (box == nullptr) return "";
  bool is_list = type == AttrType::Axes || type == AttrType::Dims || type == AttrType::Counts || type == AttrType::Ints;
  if (box->tensor.size == 1) return "; t:item() is the number of a tensor";
  return is_list && box->tensor.rank == 1 ? "; t:totable() lists the numbers of a tensor" : "";
}

[[noreturn]] void fail_type(lua_State* L, int index, const AttrDef& def, const Call& call, const char* wanted) {
  fail(ErrorCode::InvalidArgument, call.op->called(), ": ", def.name, " is ", what_is(L, index), ", expected ", wanted,
       numbers_hint(L, index, def.type), hint_at_place(L, index, *call.op));
}

// 1-based to 0-based; negative counts from the end in both.
int64_t axis_from_lua(int64_t axis, const AttrDef& def, const Call& call) {
  require(axis != 0, call.op->called(), ": ", def.name, " 0; axes count from 1, -1 is the last");
  return axis > 0 ? axis - 1 : axis;
}

void read_axes(lua_State* L, int index, const AttrDef& def, Call* call, Axes* axes) {
  if (std::optional<int64_t> one = integral(L, index)) {
    axes->count = 1;
    axes->is_list = false;
    axes->v[0] = axis_from_lua(*one, def, *call);
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE) fail_type(L, index, def, *call, "an axis or a list of axes");
  axes->count = static_cast<int8_t>(read_integers(L, index, call->op->called(), def.name, axes->v, kMaxRank, call->op));
  axes->is_list = true;
  for (int i = 0; i < axes->count; ++i) axes->v[i] = axis_from_lua(axes->v[i], def, *call);
}

void read_dims(lua_State* L, int index, const AttrDef& def, Call* call, Dims* dims) {
  if (std::optional<int64_t> one = integral(L, index)) {
    dims->count = 1;
    dims->v[0] = *one;
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE) fail_type(L, index, def, *call, "a shape: a list of sizes, or one size");
  dims->count = static_cast<int8_t>(read_integers(L, index, call->op->called(), def.name, dims->v, kMaxRank, call->op));
}

// {height, width}
void read_two(lua_State* L, int index, const AttrDef& def, Call* call, const char* wanted, int64_t* out) {
  if (lua_type(L, index) != LUA_TTABLE) fail_type(L, index, def, *call, wanted);
  std::size_t count = lua_rawlen(L, index);
  require(count == 2, call->op->called(), ": ", def.name, " is a list of ", count, ", expected ", wanted,
          hint_at_place(L, index, *call->op));
  read_integers(L, index, call->op->called(), def.name, out, 2);
}

void read_pair(lua_State* L, int index, const AttrDef& def, Call* call, Pair* pair) {
  if (std::optional<int64_t> one = integral(L, index)) pair->v[0] = pair->v[1] = *one;
  else read_two(L, index, def, call, "an integer or {height, width}", pair->v);
  pair->given = true;
}

constexpr const char* kPaddingWanted = "\"valid\", \"same\" or {height, width}";

// Hints at lower case, since TensorFlow writes the words in capitals.
[[noreturn]] void fail_padding(lua_State* L, int index, const AttrDef& def, const Call& call, std::string_view word) {
  std::string lower(word.substr(0, 8));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  NearestWord nearest(lower);
  nearest.offer("valid");
  nearest.offer("same");
  fail(ErrorCode::InvalidArgument, call.op->called(), ": ", def.name, " is ", what_is(L, index), nearest.hint(),
       ", expected ", kPaddingWanted);
}

void read_padding(lua_State* L, int index, const AttrDef& def, Call* call, Padding* padding) {
  if (lua_type(L, index) == LUA_TSTRING) {
    std::string_view word = lua_tostring(L, index);
    if (word == "valid") padding->kind = Padding::Kind::Valid;
    else if (word == "same") padding->kind = Padding::Kind::Same;
    else fail_padding(L, index, def, *call, word);
    return;
  }
  padding->kind = Padding::Kind::Given;
  if (std::optional<int64_t> one = integral(L, index)) {
    fail(ErrorCode::InvalidArgument, call->op->called(), ": ", def.name, " is ", *one, ", expected ", kPaddingWanted,
         "; write {", *one, ", ", *one, "}");
  }
  read_two(L, index, def, call, kPaddingWanted, padding->v);
}

void read_counts(lua_State* L, int index, const AttrDef& def, Call* call, Counts* counts) {
  if (std::optional<int64_t> one = integral(L, index)) {
    counts->count = 1;
    counts->is_list = false;
    counts->v[0] = *one;
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE) fail_type(L, index, def, *call, "an integer or a list of integers");
  counts->count =
      static_cast<int8_t>(read_integers(L, index, call->op->called(), def.name, counts->v, kMaxRank, call->op));
  counts->is_list = true;
}

void read_pads(lua_State* L, int index, const AttrDef& def, Call* call, Pads* pads) {
  const char* who = call->op->called();
  if (lua_type(L, index) != LUA_TTABLE) fail_type(L, index, def, *call, "a list of pairs, one an axis: {{1, 1}, ...}");
  std::size_t length = lua_rawlen(L, index);
  require_own_entries(L, index, length, who, def.name);
  require(length <= static_cast<std::size_t>(kMaxRank), who, ": ", def.name, " has ", length, " entries, at most ",
          kMaxRank, " are possible");
  std::size_t entries = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) ++entries;
  if (entries != length) fail_no_list(L, index, *call->op, def.name, "a list of pairs");
  pads->count = static_cast<int8_t>(length);
  for (int i = 0; i < pads->count; ++i) {
    lua_rawgeti(L, index, i + 1);
    std::string name = text(def.name, "[", i + 1, "]");
    if (lua_type(L, -1) != LUA_TTABLE) {
      fail(ErrorCode::InvalidArgument, who, ": ", name, " is ", what_is(L, -1), ", expected a pair: {before, behind}");
    }
    require(lua_rawlen(L, -1) == 2, who, ": ", name, " has ", lua_rawlen(L, -1),
            lua_rawlen(L, -1) == 1 ? " entry" : " entries", ", expected a pair: {before, behind}");
    read_integers(L, lua_gettop(L), who, name.c_str(), pads->v[i], 2);
    lua_pop(L, 1);
  }
}

int64_t read_integer(lua_State* L, int index, const AttrDef& def, const Call& call, const char* wanted) {
  std::optional<int64_t> value = integral(L, index);
  if (!value) fail_type(L, index, def, call, wanted);
  return *value;
}

DType read_dtype(lua_State* L, int index, const AttrDef& def, const Call& call) {
  if (lua_type(L, index) != LUA_TSTRING) fail_type(L, index, def, call, "a dtype's name, such as \"float32\"");
  const char* word = lua_tostring(L, index);
  std::optional<DType> type = parse_dtype(word);
  if (!type) fail_no_dtype(call.op->called(), def.name, word);
  return *type;
}

void read_text(lua_State* L, int index, const AttrDef& def, const Call& call, Text* out) {
  if (lua_type(L, index) != LUA_TSTRING) fail_type(L, index, def, call, "a string");
  std::size_t length;
  const char* words = lua_tolstring(L, index, &length);
  require(out->assign({words, length}), call.op->called(), ": ", def.name, " has ", length, " characters, at most ",
          Text::kMost, " are read");
}

}  // namespace

void read_attr(lua_State* L, int index, const AttrDef& def, Call* call) {
  std::byte* at = call->attrs + def.offset;
  switch (def.type) {
    case AttrType::Bool:
      if (!lua_isboolean(L, index)) fail_type(L, index, def, *call, "a boolean");
      *reinterpret_cast<bool*>(at) = lua_toboolean(L, index) != 0;
      break;
    case AttrType::Int: *reinterpret_cast<int64_t*>(at) = read_integer(L, index, def, *call, "an integer"); break;
    case AttrType::Float:
      if (lua_type(L, index) != LUA_TNUMBER) fail_type(L, index, def, *call, "a number");
      *reinterpret_cast<double*>(at) = lua_tonumber(L, index);
      break;
    case AttrType::Number:
      if (lua_type(L, index) != LUA_TNUMBER) fail_type(L, index, def, *call, "a number");
      reinterpret_cast<Number*>(at)->value = number_at(L, index);
      break;
    case AttrType::Scalar:
      if (lua_isboolean(L, index)) {
        *reinterpret_cast<Scalar*>(at) = Scalar::of(lua_toboolean(L, index) != 0);
      } else {
        if (lua_type(L, index) != LUA_TNUMBER) fail_type(L, index, def, *call, "a number or a boolean");
        *reinterpret_cast<Scalar*>(at) = number_at(L, index);
      }
      break;
    case AttrType::DType: *reinterpret_cast<DType*>(at) = read_dtype(L, index, def, *call); break;
    case AttrType::Axes: read_axes(L, index, def, call, reinterpret_cast<Axes*>(at)); break;
    case AttrType::Dims: read_dims(L, index, def, call, reinterpret_cast<Dims*>(at)); break;
    case AttrType::Pair: read_pair(L, index, def, call, reinterpret_cast<Pair*>(at)); break;
    case AttrType::Padding: read_padding(L, index, def, call, reinterpret_cast<Padding*>(at)); break;
    case AttrType::Text: read_text(L, index, def, *call, reinterpret_cast<Text*>(at)); break;
    case AttrType::Seed: *reinterpret_cast<Seed*>(at) = {true, read_integer(L, index, def, *call, "an integer")}; break;
    case AttrType::Counts: read_counts(L, index, def, call, reinterpret_cast<Counts*>(at)); break;
    case AttrType::Ints:
      // Lists have been read before (op_call.cpp), into memory that Lua owns.
      *reinterpret_cast<Ints*>(at) = {nullptr, 0,
                                      read_integer(L, index, def, *call, "an integer or a list of integers")};
      break;
    case AttrType::Pads: read_pads(L, index, def, call, reinterpret_cast<Pads*>(at)); break;
    case AttrType::Part:
    case AttrType::Rng:
    case AttrType::IndexBase: break;  // not the user's
  }
}

namespace {

[[noreturn, gnu::cold]] void fail_unknown_option(const char* key, const Call& call) {
  std::vector<const char*> known;
  for (const AttrDef& def : call.op->attrs.defs) {
    if (is_option(def)) known.push_back(def.name);
  }
  const OpDef& op = *call.op;
  std::string place;
  auto look = [&](std::string_view name) {
    if (!place.empty() || !has_place(op, name)) return;
    place = text("; ", name, " is a positional argument: ", signature(op, op.called()));
  };
  look(key);
  for (int i = 0; !foreign_option(key, i).empty(); ++i) look(foreign_option(key, i));
  lutra::fail_unknown_option(op.called(), key, known, place);
}

}  // namespace

void read_options(lua_State* L, int index, uint32_t in_place, Call* call) {
  require_own_entries(L, index, 0, call->op->called(), "the options table");
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      fail(ErrorCode::InvalidArgument, call->op->called(), ": the options table has the key ", what_is(L, -2),
           ", expected the name of an option: ", signature(*call->op, call->op->called()));
    }
    const char* key = lua_tostring(L, -2);
    const AttrDef* found = nullptr;
    for (const AttrDef& def : call->op->attrs.defs) {
      if (is_option(def) && std::strcmp(def.name, key) == 0) found = &def;
    }
    if (found == nullptr) fail_unknown_option(key, *call);
    require((in_place >> (found - call->op->attrs.defs.data()) & 1) == 0, call->op->called(), ": ", found->name,
            " is given twice, among the arguments and as an option");
    read_attr(L, lua_gettop(L), *found, call);
  }
}

bool is_options(lua_State* L, int index) {
  if (lua_rawlen(L, index) > 0) return false;
  lua_pushnil(L);
  if (lua_next(L, index) == 0) return true;
  bool is_string = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return is_string;
}

}  // namespace lutra
