#include "lua/ops/literal.h"

#include "core/convert.h"
#include "core/error.h"
#include "lua/border/args.h"
#include "lua/border/own_entries.h"
#include "lua/hints/wrong_call.h"
#include "lua/ops/elements.h"

// Note [Reading a nested table]
// First the shape is read from the first entry of every level; then one walk reads all entries in order and checks
// every table against that shape. lua_next returns the entries of a proper list in order 1..n. So a key out of order
// means a list stored in the hash part (then entries are read by number), a hole, or a string key. A float may follow
// after a million integers, so elements keep their kinds, and the dtype is known only at the end.
//
// Tables are read raw, since metamethods may raise (own_entries.h).

namespace lutra {

int64_t Literal::measure() {
  if (lua_type(L_, index_) != LUA_TTABLE) return 1;
  lua_pushvalue(L_, index_);
  int depth = 0;
  do {
    require(rank_ < kMaxRank, name_.who,
            ": the table is nested more than 8 deep, and a tensor has at most 8 axes (or it contains itself)");
    int64_t length = static_cast<int64_t>(lua_rawlen(L_, -1));
    dims_[rank_++] = length;
    if (length == 0) break;
    lua_rawgeti(L_, -1, 1);
    ++depth;
  } while (lua_type(L_, -1) == LUA_TTABLE);
  lua_pop(L_, depth + 1);
  return element_count(name_.who, {dims_, static_cast<std::size_t>(rank_)}, sizeof(Scalar));
}

void Literal::read(Scalar* values) {
  next_ = values;
  lua_pushvalue(L_, index_);
  if (rank_ == 0) read_element(0);
  else read_table(0);
}

// "b[2][1]"
std::string Literal::path(int levels, const int64_t* at) const {
  std::string out = name_.name;
  if (name_.entry > 0) append(out, text("[", name_.entry, "]"));
  for (int i = 0; i < levels; ++i) append(out, text("[", at[i], "]"));
  return out;
}

std::string Literal::first(int levels) const {
  const int64_t ones[kMaxRank] = {1, 1, 1, 1, 1, 1, 1, 1};
  return path(levels, ones);
}

// Reads the table on top of the stack, `level` levels deep.
void Literal::read_table(int level) {
  int64_t expected = dims_[level];
  int64_t length = static_cast<int64_t>(lua_rawlen(L_, -1));
  if (length == 0 && has_made_up_entries(L_, -1)) fail_made_up_entries(L_, -1, name_.who, path(level, at_));
  if (length != expected) {
    fail(ErrorCode::InvalidArgument, name_.who, ": ", path(level, at_), " has ", length, " elements, ", first(level),
         " has ", expected);
  }
  int64_t done = 0;
  bool in_order = true;
  lua_pushnil(L_);
  while (in_order && lua_next(L_, -2) != 0) {
    in_order = lua_isinteger(L_, -2) && lua_tointeger(L_, -2) == done + 1 && done < expected;
    if (in_order) {
      at_[level] = ++done;
      read_entry(level);
      lua_pop(L_, 1);
    } else {
      lua_pop(L_, 2);
    }
  }
  if (!in_order) read_by_number(level, done);
}

void Literal::read_by_number(int level, int64_t done) {
  int64_t entries = 0;
  for (lua_pushnil(L_); lua_next(L_, -2) != 0; lua_pop(L_, 1)) {
    ++entries;
    if (lua_isinteger(L_, -2) && lua_tointeger(L_, -2) >= 1 && lua_tointeger(L_, -2) <= dims_[level]) continue;
    fail(ErrorCode::InvalidArgument, name_.who, ": ", path(level, at_), " has the key ", what_is(L_, -2),
         dims_[level] == 0 ? " but no entry 1; a tensor is made of lists" : "; a tensor is made of lists without holes",
         level == 0 && dims_[0] > 0 && lua_type(L_, -2) == LUA_TSTRING ? options_apart(L_, name_.who) : "");
  }
  require(entries == dims_[level], name_.who, ": ", path(level, at_),
          " has a hole; a tensor is made of lists without holes");
  for (int64_t i = done; i < dims_[level]; ++i) {
    lua_rawgeti(L_, -1, i + 1);
    at_[level] = i + 1;
    read_entry(level);
    lua_pop(L_, 1);
  }
}

// Reads the entry on top of the stack, in a table `level` levels deep.
void Literal::read_entry(int level) {
  int levels = level + 1;
  bool is_table = lua_type(L_, -1) == LUA_TTABLE;
  if (levels < rank_) {
    if (is_table) return read_table(levels);
    fail(ErrorCode::InvalidArgument, name_.who, ": ", path(levels, at_), " is ", what_is(L_, -1), ", ", first(levels),
         " is a table: the nesting is ragged");
  }
  if (is_table) {
    fail(ErrorCode::InvalidArgument, name_.who, ": ", path(levels, at_), " is a table, ", first(levels),
         " is a number: the nesting is ragged");
  }
  read_element(levels);
}

// How to convert the value on top of the stack, which is not an element, into one; or "".
std::string Literal::hint(int levels) const {
  if (to_live_box(L_, -1) != nullptr && levels > 0) {
    return text("; stack(", path(levels - 1, at_), ") makes one tensor of a list of tensors");
  }
  return lua_type(L_, -1) == LUA_TSTRING && lua_isnumber(L_, -1) != 0 ? "; tonumber makes a number of it" : "";
}

void Literal::read_element(int levels) {
  Scalar value;
  switch (lua_type(L_, -1)) {
    case LUA_TNUMBER: value = number_at(L_, -1); break;
    case LUA_TBOOLEAN: value = Scalar::of(lua_toboolean(L_, -1) != 0); break;
    default:
      fail(ErrorCode::InvalidArgument, name_.who, ": ", path(levels, at_), " is ", what_is(L_, -1),
           ", expected a number or a boolean", hint(levels));
  }
  *next_++ = value;
  seen_ = seen_ | literal_dtype(value);
  if (seen_.has(DType::Bool) && seen_ != kBool) {
    fail(ErrorCode::InvalidArgument, name_.who, ": ", path(levels, at_), " is ", what_is(L_, -1),
         ", but other elements are ", lua_isboolean(L_, -1) ? "numbers" : "booleans");
  }
}

DType Literal::dtype() const {
  if (seen_.empty()) return DType::Float32;
  DType type = DType::Bool;
  for (DType each : {DType::Int32, DType::Int64, DType::Float32}) {
    if (seen_.has(each)) type = promote(type, each);
  }
  return type;
}

namespace {

[[noreturn, gnu::cold]] void fail_to_fit(const ArgumentName& name, DType dtype, const Scalar& value) {
  bool is_integer = value.kind == Scalar::Kind::Int;
  std::string given = is_integer ? text(value.i) : text(value.d);
  std::string why =
      is_integer ? text(" (", lowest_of(dtype), " to ", highest_of(dtype), ")") : "; a cast would round it";
  if (name.variable != nullptr) {
    fail(ErrorCode::InvalidArgument, name.who, ": ", name.name, " has ", given, ", which does not fit the variable '",
         *name.variable, "' of ", dtype, why);
  }
  fail(ErrorCode::InvalidArgument, name.who, ": ", given, is_integer ? " does not fit " : " is no ", dtype,
       is_integer ? "" : " value", why);
}

}  // namespace

void check_fit(const ArgumentName& name, DType dtype, const Scalar* values, int64_t count) {
  if (is_inexact(dtype)) return;
  for (int64_t i = 0; i < count; ++i) {
    const Scalar& value = values[i];
    if (value.kind == Scalar::Kind::Bool || fits(dtype, value)) continue;
    fail_to_fit(name, dtype, value);
  }
}

}  // namespace lutra
