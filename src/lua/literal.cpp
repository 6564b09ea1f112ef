#include "lua/literal.h"

#include <cstring>

#include "core/error.h"
#include "eager/executor.h"
#include "lua/args.h"

// Note [Reading a nested table]
// First the shape is taken from the first entry of every level; then one walk reads all entries in order and holds
// every table against that shape. lua_next gives the entries of a proper list in order 1..n, so a key out of order
// means a list kept in the hash part (then entries are fetched by number), a hole, or a string key. Elements go
// into a block that Lua owns first, since the walk may meet a float after a million integers.

namespace lutra {
namespace {

struct Reader {
  lua_State* L;
  const char* who;
  int rank = 0;
  int64_t dims[kMaxRank] = {};
  bool any_bool = false, any_number = false, any_float = false, any_wide = false;
  Scalar* next = nullptr;

  // Shape by first entries. The value is on top of the stack.
  void measure() {
    int depth = 0;
    while (lua_type(L, -1) == LUA_TTABLE) {
      require(rank < kMaxRank, who,
              ": the table is nested more than 8 deep, and a tensor has at most 8 axes (or it contains itself)");
      int64_t length = static_cast<int64_t>(lua_rawlen(L, -1));
      if (length == 0) check_empty();
      dims[rank++] = length;
      if (length == 0) break;
      lua_rawgeti(L, -1, 1);
      ++depth;
    }
    lua_pop(L, depth);
  }

  void check_empty() {
    lua_pushnil(L);
    if (lua_next(L, -2) != 0) {
      std::string key = what_is(L, -2);
      lua_pop(L, 2);
      fail(ErrorCode::InvalidArgument, who, ": value has the key ", key, " but no entry 1; a tensor is made of lists");
    }
  }

  // The path of the entry being read: "value[2][1]".
  std::string path(const int64_t* at, int levels) const {
    std::string out = "value";
    for (int i = 0; i < levels; ++i) out += text("[", at[i], "]");
    return out;
  }

  // Reads the table on top of the stack, `level` levels deep, into next.
  void read(int level, int64_t* at) {
    int64_t expected = dims[level];
    int64_t length = static_cast<int64_t>(lua_rawlen(L, -1));
    if (length != expected) fail_ragged(level, at, length);
    int64_t i = 0;
    bool in_order = true;
    lua_pushnil(L);
    while (in_order && lua_next(L, -2) != 0) {
      in_order = lua_isinteger(L, -2) && lua_tointeger(L, -2) == i + 1 && i < expected;
      if (in_order) {
        at[level] = ++i;
        entry(level, at);
        lua_pop(L, 1);
      } else {
        lua_pop(L, 2);
      }
    }
    if (!in_order) read_by_number(level, at, i);
  }

  void read_by_number(int level, int64_t* at, int64_t done) {
    int64_t entries = 0;
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      ++entries;
      if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > dims[level]) {
        std::string key = what_is(L, -2);
        lua_pop(L, 2);
        fail(ErrorCode::InvalidArgument, who, ": ", path(at, level), " has the key ", key,
             "; a tensor is made of lists without holes");
      }
    }
    require(entries == dims[level], who, ": ", path(at, level), " has a hole; a tensor is made of lists without holes");
    for (int64_t i = done; i < dims[level]; ++i) {
      lua_rawgeti(L, -1, i + 1);
      at[level] = i + 1;
      entry(level, at);
      lua_pop(L, 1);
    }
  }

  void entry(int level, int64_t* at) {
    bool is_table = lua_type(L, -1) == LUA_TTABLE;
    if (level + 1 < rank) {
      if (!is_table) {
        fail(ErrorCode::InvalidArgument, who, ": ", path(at, level + 1), " is ", what_is(L, -1), ", ", first_of(level),
             " is a table: the nesting is ragged");
      }
      return read(level + 1, at);
    }
    if (is_table) {
      fail(ErrorCode::InvalidArgument, who, ": ", path(at, level + 1), " is a table, ", first_of(level),
           " is a number: the nesting is ragged");
    }
    element(at, level + 1);
  }

  std::string first_of(int level) const {
    int64_t ones[kMaxRank];
    for (int64_t& one : ones) one = 1;
    return path(ones, level + 1);
  }

  void element(const int64_t* at, int levels) {
    switch (lua_type(L, -1)) {
      case LUA_TNUMBER:
        if (lua_isinteger(L, -1)) {
          int64_t value = lua_tointeger(L, -1);
          any_wide |= value != static_cast<int32_t>(value);
          *next++ = Scalar::of(value);
        } else {
          any_float = true;
          *next++ = Scalar::of(static_cast<double>(lua_tonumber(L, -1)));
        }
        any_number = true;
        break;
      case LUA_TBOOLEAN:
        any_bool = true;
        *next++ = Scalar::of(lua_toboolean(L, -1) != 0);
        break;
      default:
        fail(ErrorCode::InvalidArgument, who, ": ", path(at, levels), " is ", what_is(L, -1),
             ", expected a number or a boolean");
    }
    if (any_bool && any_number) {
      fail(ErrorCode::InvalidArgument, who, ": ", path(at, levels), " is ", what_is(L, -1), ", but other elements are ",
           lua_isboolean(L, -1) ? "numbers" : "booleans");
    }
  }

  [[noreturn]] void fail_ragged(int level, int64_t* at, int64_t length) {
    std::string mine = path(at, level);
    int64_t ones[kMaxRank];
    for (int64_t& one : ones) one = 1;
    fail(ErrorCode::InvalidArgument, who, ": ", mine, " has ", length, " elements, ", path(ones, level), " has ",
         dims[level]);
  }

  DType dtype() const {
    if (any_bool) return DType::Bool;
    if (any_float || !any_number) return DType::Float32;
    return any_wide ? DType::Int64 : DType::Int32;
  }

  void check_fits(DType wanted, const Scalar* values, int64_t count) const {
    if (is_float(wanted)) return;
    for (int64_t i = 0; i < count; ++i) {
      const Scalar& value = values[i];
      if (value.kind == Scalar::Kind::Bool || fits(wanted, value)) continue;
      if (value.kind == Scalar::Kind::Int) {
        fail(ErrorCode::InvalidArgument, who, ": ", value.i, " does not fit ", wanted, " (", lowest_of(wanted), " to ",
             highest_of(wanted), ")");
      }
      fail(ErrorCode::InvalidArgument, who, ": ", value.d, " is no ", wanted, " value; a cast would round it");
    }
  }
};

constexpr int64_t kFewElements = 64;

}  // namespace

bool make_constant(lua_State* L, State& state, int index, const char* who, DType dtype) {
  luaL_checkstack(L, kMaxRank * 3 + 16, nullptr);
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  Reader reader{L, who};
  int64_t count = 1;
  // Read: no Lua call in here raises.
  try {
    lua_pushvalue(L, index);
    reader.measure();
    count = element_count(who, {reader.dims, static_cast<std::size_t>(reader.rank)}, sizeof(Scalar));
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return false;
  }
  Scalar few[kFewElements];
  Scalar* values = few;
  if (count > kFewElements) {
    std::size_t limit = state.runtime().pool().stats().limit_bytes;
    if (static_cast<std::size_t>(count) > limit / sizeof(Scalar)) {
      lua_settop(L, top);
      state.keep(Error(ErrorCode::ResourceExhausted,
                       text(who, ": reading a table of ", count, " elements takes more memory than the CPU's limit, ",
                            bytes_text(static_cast<int64_t>(limit)), "; make the tensor from ops or from_bytes")));
      return false;
    }
    values = static_cast<Scalar*>(lua_newuserdatauv(L, static_cast<std::size_t>(count) * sizeof(Scalar), 0));
    lua_insert(L, -2);
  }
  Shape shape;
  bool is_inline = true;
  try {
    reader.next = values;
    int64_t at[kMaxRank];
    if (reader.rank == 0) reader.element(at, 0);
    else reader.read(0, at);
    if (dtype == kNoDType) dtype = reader.dtype();
    reader.check_fits(dtype, values, count);
    shape = Shape({reader.dims, static_cast<std::size_t>(reader.rank)});
    Context& context = state.enter(L);
    Placement placement = constant_placement(context, dtype);
    is_inline = placement.device->is_host() && static_cast<std::size_t>(count) * size_of(dtype) <= kInlineBytes;
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return false;
  }
  // Create.
  Box* box = state.push_box(L, is_inline);
  // Run.
  try {
    Context& context = state.enter(L);
    Tensor host;
    make_host_tensor(context, dtype, shape, &host.rep());
    TensorRep& rep = host.rep();
    std::byte* to = rep.storage != nullptr ? rep.data : rep.bytes;
    std::size_t width = size_of(dtype);
    for (int64_t i = 0; i < count; ++i) write_element(dtype, to + static_cast<std::size_t>(i) * width, values[i]);
    place_constant(context, &rep);
    if (is_inline && rep.storage != nullptr) {
      fail(ErrorCode::FailedPrecondition, who, ": a finalizer changed the devices while a tensor was being made");
    }
    box->tensor = rep;
    rep.storage = nullptr;
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return false;
  }
  lua_replace(L, index);
  lua_settop(L, top);
  // Tell.
  state.own(L, box);
  state.tell(L);
  return true;
}

void push_scalar(lua_State* L, const Scalar& value) {
  switch (value.kind) {
    case Scalar::Kind::Bool: lua_pushboolean(L, value.i != 0); break;
    case Scalar::Kind::Int: lua_pushinteger(L, value.i); break;
    case Scalar::Kind::Float: lua_pushnumber(L, value.d); break;
  }
}

namespace {

const std::byte* push_level(lua_State* L, DType dtype, const Shape& shape, int axis, const std::byte* at) {
  if (axis == shape.rank()) {
    push_scalar(L, read_element(dtype, at));
    return at + size_of(dtype);
  }
  lua_createtable(L, static_cast<int>(std::min<int64_t>(shape[axis], 1 << 20)), 0);
  for (int64_t i = 0; i < shape[axis]; ++i) {
    at = push_level(L, dtype, shape, axis + 1, at);
    lua_rawseti(L, -2, i + 1);
  }
  return at;
}

}  // namespace

void push_elements(lua_State* L, DType dtype, const Shape& shape, const std::byte* bytes) {
  luaL_checkstack(L, kMaxRank + 4, nullptr);
  push_level(L, dtype, shape, 0, bytes);
}

void push_shape(lua_State* L, State& state, const Shape& shape) {
  lua_createtable(L, shape.rank(), 0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    lua_pushinteger(L, shape[axis]);
    lua_rawseti(L, -2, axis + 1);
  }
  state.push(L, State::kShapeMeta);
  lua_setmetatable(L, -2);
}

}  // namespace lutra
