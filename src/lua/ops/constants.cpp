#include "lua/ops/constants.h"

#include <algorithm>
#include <cstring>

#include "eager/constant.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// The content of a constant, read and checked. Trivially destructible, as a Lua error may jump over it.
struct Content {
  const char* who;
  DType dtype;
  Shape shape;
  int64_t count;         // of elements
  const Scalar* values;  // the elements, or null
  const char* bytes;     // their bytes, if values is null

  std::size_t nbytes() const { return static_cast<std::size_t>(count) * size_of(dtype); }
  void write(std::byte* to) const {
    std::size_t width = size_of(dtype);
    if (values != nullptr) {
      for (int64_t i = 0; i < count; ++i) write_element(dtype, to + static_cast<std::size_t>(i) * width, values[i]);
      return;
    }
    if (count > 0) std::memcpy(to, bytes, nbytes());
    if (dtype != DType::Bool) return;
    // A bool must be 0 or 1, but the bytes may have other values.
    for (int64_t i = 0; i < count; ++i) to[i] = to[i] != std::byte{0} ? std::byte{1} : std::byte{0};
  }
};
static_assert(std::is_trivially_destructible_v<Content>);

// Pushes the tensor, which the caller then passes to State::own. Returns null and pushes nothing if there was an error,
// which is kept.
[[gnu::always_inline]] inline Box* push_constant(lua_State* L, State& state, const Content& content, bool is_logged) {
  int top = lua_gettop(L);
  bool is_inline = true;
  try {
    Placement placement = constant_placement(state.enter(L), content.dtype);
    is_inline = placement.device->keeps_inline(content.nbytes());
  } catch (...) {
    state.keep_current_exception();
    return nullptr;
  }
  // Create.
  Box* box = state.push_box(L, is_inline);
  // Run.
  try {
    Context& context = state.enter(L);
    Tensor host;
    make_host_tensor(context, content.dtype, content.shape, &host.rep());
    TensorRep& rep = host.rep();
    content.write(rep.storage != nullptr ? rep.data : rep.bytes);
    place_constant(context, &rep);
    if (is_logged) report_constant(context, rep);
    if (is_inline && rep.storage != nullptr) {
      fail(ErrorCode::FailedPrecondition, content.who,
           ": a finalizer changed the devices while a tensor was being made");
    }
    box->tensor = rep;
    rep.storage = nullptr;
    return box;
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return nullptr;
  }
}

// constant(value[, {dtype = }]): a table, number or boolean as a tensor; a tensor is returned as it is.
int constant(lua_State* L) {
  State& state = state_of(L);
  DType dtype = kNoDType;
  bool is_tensor = false, casts = false, reads = false;
  read_phase(L, state, "constant", [&](Args& args) {
    args.at_most(2);
    if (args.count() > 1) {
      args.options(2, {{"dtype", &dtype}});
      lua_settop(L, 1);
    }
    if (is_literal(L, 1)) return;
    is_tensor = to_box(L, 1) != nullptr;
    if (!is_tensor) args.wrong(1, "value", "a table, a number, a boolean or a tensor");
    casts = args.tensor(1, "value").tensor.dtype != dtype && dtype != kNoDType;
    reads = !casts && is_variable(to_box(L, 1)->tensor);
  });
  if (reads) {
    // A tensor is the value of a variable, not the variable.
    lua_getfield(L, 1, "value");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  if (casts) {
    // A tensor is cast to another dtype.
    state.push(L, State::kMethods);
    lua_getfield(L, -1, "cast");
    lua_pushvalue(L, 1);
    lua_pushstring(L, name(dtype));
    lua_call(L, 2, 1);
  } else if (!is_tensor && !make_constant(L, state, 1, {"constant", "value"}, dtype)) {
    state.raise(L);
  }
  return 1;
}

// from_bytes(bytes, dtype, shape): the elements as t:bytes() gives them, little-endian.
int from_bytes(lua_State* L) {
  State& state = state_of(L);
  Content content = {"from_bytes", kNoDType, {}, 0, nullptr, nullptr};
  read_phase(L, state, content.who, [&](Args& args) {
    args.at_most(3);
    std::string_view bytes = args.string(1, "bytes");
    content.dtype = args.dtype(2, "dtype");
    int64_t dims[kMaxRank];
    int rank = 1;
    if (std::optional<int64_t> one = integral(L, 3)) dims[0] = *one;
    else if (lua_type(L, 3) == LUA_TTABLE) rank = read_integers(L, 3, args.who(), "shape", dims, kMaxRank);
    else args.wrong(3, "shape", "a shape: a list of sizes, or one size");
    content.shape = Shape({dims, static_cast<std::size_t>(rank)});
    content.count = element_count(args.who(), content.shape.dims(), static_cast<int64_t>(size_of(content.dtype)));
    require(bytes.size() == content.nbytes(), args.who(), ": shape ", content.shape, " of ", content.dtype, " takes ",
            content.nbytes(), " bytes, got ", bytes.size());
    content.bytes = bytes.data();  // the string stays on the stack
  });
  Box* box = push_constant(L, state, content, true);
  if (box == nullptr) state.raise(L);
  state.own(L, box);
  state.tell(L);
  return 1;
}

// Up to so many elements are read onto the C stack.
constexpr int64_t kFewElements = 64;

// More are read into a block of Lua's memory, whose size must be within the limit for tensors.
void check_memory(State& state, const char* who, int64_t count) {
  std::size_t limit = state.runtime().pool().stats().limit_bytes;
  if (static_cast<std::size_t>(count) <= limit / sizeof(Scalar)) return;
  fail(ErrorCode::ResourceExhausted, who, ": reading a table of ", count,
       " elements takes more memory than the CPU's limit, ", bytes_text(static_cast<int64_t>(limit)),
       "; make the tensor from ops or from_bytes");
}

// If all numbers are integral, makes them integers. Returns their dtype.
DType whole_numbers(Scalar* values, int64_t count) {
  bool are_whole = std::all_of(values, values + count, [](const Scalar& value) {
    return value.kind != Scalar::Kind::Bool && fits(DType::Int64, value);
  });
  if (!are_whole) return DType::Float32;
  DType dtype = DType::Int32;
  for (Scalar* value = values; value < values + count; ++value) {
    if (value->kind == Scalar::Kind::Float) *value = Scalar::of(static_cast<int64_t>(value->d));
    dtype = promote(dtype, literal_dtype(*value));
  }
  return dtype;
}

}  // namespace

bool make_constant(lua_State* L, State& state, int index, const ArgumentName& name, DType dtype, bool is_logged,
                   DTypes accepted) {
  luaL_checkstack(L, kMaxRank * 3 + 16, nullptr);
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  Literal literal(L, index, name);
  Content content = {name.who, dtype, {}, 0, nullptr, nullptr};
  // Read: no Lua call in here raises.
  try {
    content.count = literal.measure();
    if (content.count > kFewElements) check_memory(state, name.who, content.count);
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return false;
  }
  Scalar few[kFewElements];
  Scalar* values = few;
  if (content.count > kFewElements) {
    values = static_cast<Scalar*>(lua_newuserdatauv(L, static_cast<std::size_t>(content.count) * sizeof(Scalar), 0));
  }
  try {
    literal.read(values);
    if (dtype == kNoDType) content.dtype = literal.dtype();
    if (dtype == kNoDType && is_float(content.dtype) && takes_whole_numbers(accepted)) {
      content.dtype = whole_numbers(values, content.count);
    }
    if (dtype != kNoDType) check_fit(name, dtype, values, content.count);
    content.shape = literal.shape();
    content.values = values;
  } catch (...) {
    lua_settop(L, top);
    state.keep_current_exception();
    return false;
  }
  Box* box = push_constant(L, state, content, is_logged);
  if (box == nullptr) {
    lua_settop(L, top);
    return false;
  }
  lua_replace(L, index);
  lua_settop(L, top);
  // Tell.
  state.own(L, box);
  state.tell(L);
  return true;
}

void open_constants(lua_State* L, State& state) {
  auto set = [&](const char* name, lua_CFunction function) { set_unguarded(L, state, name, function); };
  set("constant", constant);
  set("from_bytes", from_bytes);
}

}  // namespace lutra
