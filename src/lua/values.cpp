#include <cstring>
#include <ctime>

#include "core/version.h"
#include "eager/executor.h"
#include "lua/guard.h"
#include "lua/literal.h"
#include "lua/modules.h"
#include "lua/tensor_api.h"

namespace lutra {
namespace {

// constant(value[, {dtype = }]): a table, number or boolean as a tensor; a tensor is returned as it is.
int constant(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  DType dtype = kNoDType;
  bool ok = true;
  bool casts = false;
  try {
    if (state.is_closed()) fail(ErrorCode::FailedPrecondition, "constant: this interpreter is being closed");
    state.enter(L);
    Args args(L, state, "constant");
    args.at_most(2);
    args.options(2, {{"dtype", &dtype}});
    lua_settop(L, 1);
    switch (lua_type(L, 1)) {
      case LUA_TTABLE:
      case LUA_TNUMBER:
      case LUA_TBOOLEAN: break;
      default: {
        const Box& box = args.tensor(1, "value");
        casts = dtype != kNoDType && box.tensor.dtype != dtype;
        if (!casts) return 1;
      }
    }
  } catch (...) {
    state.keep_current_exception();
    ok = false;
  }
  if (!ok) state.raise(L);
  if (casts) {
    // Another dtype of a tensor is its cast.
    state.push(L, State::kMethods);
    lua_getfield(L, -1, "cast");
    lua_pushvalue(L, 1);
    lua_pushstring(L, name(dtype));
    lua_call(L, 2, 1);
    return 1;
  }
  if (!make_constant(L, state, 1, "constant", dtype)) state.raise(L);
  return 1;
}

// from_bytes(s, dtype, shape): the elements as t:bytes() gives them, little-endian.
int from_bytes(Args& args) {
  args.at_most(3);
  std::string_view bytes = args.string(1, "bytes");
  DType dtype = args.dtype(2, "dtype");
  int64_t dims[kMaxRank];
  int rank = 1;
  if (std::optional<int64_t> one = integral(args.L, 3)) dims[0] = *one;
  else if (lua_type(args.L, 3) == LUA_TTABLE) rank = read_integers(args.L, 3, args.who(), "shape", dims, kMaxRank);
  else args.wrong(3, "shape", "a shape: a list of sizes, or one size");
  Shape shape({dims, static_cast<std::size_t>(rank)});
  int64_t count = element_count(args.who(), shape.dims(), static_cast<int64_t>(size_of(dtype)));
  std::size_t wanted = static_cast<std::size_t>(count) * size_of(dtype);
  require(bytes.size() == wanted, args.who(), ": shape ", shape, " of ", dtype, " takes ", wanted, " bytes, got ",
          bytes.size());
  Context& context = args.state.context();
  Placement placement = constant_placement(context, dtype);
  bool is_inline = placement.device->is_host() && wanted <= kInlineBytes;
  Box* box = nullptr;
  State& state = args.state;
  protect(args.L, 1, [&](lua_State* L) {
    box = state.push_box(L, is_inline);
    return 1;
  });
  state.enter(args.L);
  Tensor host;
  make_host_tensor(context, dtype, shape, &host.rep());
  std::byte* to = host.rep().storage != nullptr ? host.rep().data : host.rep().bytes;
  if (wanted > 0) std::memcpy(to, bytes.data(), wanted);
  // A bool is 0 or 1, whatever the bytes say.
  if (dtype == DType::Bool)
    for (std::size_t i = 0; i < wanted; ++i) to[i] = to[i] != std::byte{0} ? std::byte{1} : std::byte{0};
  place_constant(context, &host.rep());
  if (is_inline && host.rep().storage != nullptr) {
    fail(ErrorCode::FailedPrecondition, args.who(), ": a finalizer changed the devices while a tensor was being made");
  }
  box->tensor = host.rep();
  host.rep().storage = nullptr;
  state.own(args.L, box);
  return 1;
}

int set_seed(Args& args) {
  args.at_most(1);
  args.state.context().set_seed(static_cast<uint64_t>(args.integer(1, "seed")));
  return 0;
}

// iserror(value[, code]): whether it is an error of Lutra's (of that code).
int iserror(Args& args) {
  lua_State* L = args.L;
  args.at_most(2);
  bool is_error = false;
  if (lua_type(L, 1) == LUA_TTABLE && lua_getmetatable(L, 1) != 0) {
    args.state.push(L, State::kErrorMeta);
    is_error = lua_rawequal(L, -1, -2) != 0;
    lua_pop(L, 2);
  }
  if (is_error && args.has(2)) {
    std::string_view code = args.string(2, "code");
    bool known = false;
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) known |= code == name(static_cast<ErrorCode>(i));
    require(known, "iserror: there is no error code ", what_is(L, 2));
    lua_pushlstring(L, "code", 4);
    lua_rawget(L, 1);
    is_error = lua_type(L, -1) == LUA_TSTRING && code == lua_tostring(L, -1);
  }
  lua_pushboolean(L, is_error);
  return 1;
}

// tostring of an error: "train.lua:7: matmul: ..."
int error_text(lua_State* L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TTABLE) {
    lua_pushliteral(L, "lutra.Error");
    return 1;
  }
  lua_pushliteral(L, "where");
  lua_rawget(L, 1);
  lua_pushliteral(L, "message");
  lua_rawget(L, 1);
  if (lua_type(L, 3) != LUA_TSTRING) return luaL_error(L, "not an error of Lutra's");
  if (lua_type(L, 2) != LUA_TSTRING) return 1;
  lua_pushfstring(L, "%s %s", lua_tostring(L, 2), lua_tostring(L, 3));
  return 1;
}

// Shapes print as (2, 3) and compare by value, also with plain tables.
int shape_text(lua_State* L) {
  luaL_Buffer out;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer rank = static_cast<lua_Integer>(lua_rawlen(L, 1));
  luaL_buffinit(L, &out);
  luaL_addchar(&out, '(');
  for (lua_Integer i = 1; i <= rank; ++i) {
    if (i > 1) luaL_addstring(&out, ", ");
    lua_rawgeti(L, 1, i);
    luaL_addvalue(&out);
  }
  luaL_addstring(&out, rank == 1 ? ",)" : ")");
  luaL_pushresult(&out);
  return 1;
}

int text_concat(lua_State* L) {
  luaL_tolstring(L, 1, nullptr);
  luaL_tolstring(L, 2, nullptr);
  lua_concat(L, 2);
  return 1;
}

int shape_equal(lua_State* L) {
  bool equal = lua_type(L, 1) == LUA_TTABLE && lua_type(L, 2) == LUA_TTABLE && lua_rawlen(L, 1) == lua_rawlen(L, 2);
  for (lua_Integer i = 1; equal && i <= static_cast<lua_Integer>(lua_rawlen(L, 1)); ++i) {
    lua_rawgeti(L, 1, i);
    lua_rawgeti(L, 2, i);
    equal = lua_compare(L, -1, -2, LUA_OPEQ) != 0;
    lua_pop(L, 2);
  }
  lua_pushboolean(L, equal);
  return 1;
}

int monotonic_time(Args& args) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(args.L, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9);
  return 1;
}

int set_print_options(Args& args) {
  args.at_most(1);
  PrintOptions options = args.state.print_options;
  if (!args.has(1)) args.wrong(1, "options", "a table of options");
  int64_t precision = options.precision, line_width = options.line_width;
  args.options(1, {{"precision", &precision},
                   {"threshold", &options.threshold},
                   {"edge_items", &options.edge_items},
                   {"line_width", &line_width}});
  auto check = [&](const char* key, int64_t value, int64_t least, int64_t most) {
    require(value >= least && value <= most, args.who(), ": ", key, " is ", value, ", expected ", least, " to ", most);
  };
  check("precision", precision, 0, 50);
  check("threshold", options.threshold, 0, INT64_MAX);
  check("edge_items", options.edge_items, 0, 1000000);
  check("line_width", line_width, 1, 1000000);
  options.precision = static_cast<int>(precision);
  options.line_width = static_cast<int>(line_width);
  args.state.print_options = options;
  return 0;
}

}  // namespace

void open_values(lua_State* L, State& state) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, constant, 1);
  lua_setfield(L, -2, "constant");
  set_function<from_bytes>(L, state, "from_bytes", "from_bytes");
  set_function<iserror>(L, state, "iserror", "iserror");
  set_function<monotonic_time>(L, state, "time", "time");
  set_function<set_print_options>(L, state, "set_print_options", "set_print_options");
  lua_pushliteral(L, LUTRA_VERSION);
  lua_setfield(L, -2, "version");
  if (lua_getfield(L, -1, "random") == LUA_TTABLE) {
    set_function<set_seed>(L, state, "set_seed", "random.set_seed");
  }
  lua_pop(L, 1);

  lua_newtable(L);
  lua_pushcfunction(L, error_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, text_concat);
  lua_setfield(L, -2, "__concat");
  lua_pushstring(L, "lutra.Error");
  lua_setfield(L, -2, "__name");
  state.set(L, State::kErrorMeta);

  lua_newtable(L);
  lua_pushcfunction(L, shape_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, text_concat);
  lua_setfield(L, -2, "__concat");
  lua_pushcfunction(L, shape_equal);
  lua_setfield(L, -2, "__eq");
  lua_pushstring(L, "lutra.Shape");
  lua_setfield(L, -2, "__name");
  state.set(L, State::kShapeMeta);
}

}  // namespace lutra
