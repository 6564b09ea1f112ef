#include "lua/bindings/tensor_api.h"

#include <cstring>
#include <vector>

#include "eager/move_tensor.h"
#include "lua/border/guard.h"
#include "lua/border/limits.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"
#include "lua/hints/foreign_names.h"
#include "lua/hints/suggestions.h"
#include "lua/ops/elements.h"
#include "tensor/print.h"

namespace lutra {
namespace {

// Reads the elements that print shows, row-major. Runs along last axes that are shown whole are read at once.
void read_shown(Context& context, const TensorRep& tensor, const Shown& shown, std::vector<std::byte>* out) {
  int whole_from = tensor.rank;
  while (whole_from > 0 && shown.count[whole_from - 1] == tensor.dims[whole_from - 1]) --whole_from;
  std::size_t run = size_of(tensor.dtype);
  for (int axis = whole_from; axis < tensor.rank; ++axis) run *= static_cast<std::size_t>(tensor.dims[axis]);
  std::size_t total = run;
  for (int axis = 0; axis < whole_from; ++axis) total *= static_cast<std::size_t>(shown.count[axis]);
  out->resize(total);
  if (total == 0) return;
  int64_t index[kMaxRank] = {};
  for (std::size_t done = 0; done < total; done += run) {
    std::size_t offset = 0;
    for (int axis = 0; axis < whole_from; ++axis) {
      int64_t at = shown.index(axis, index[axis], tensor.dims[axis]);
      offset = offset * static_cast<std::size_t>(tensor.dims[axis]) + static_cast<std::size_t>(at);
    }
    context.runtime().transfer().read(context, tensor, out->data() + done, offset * run, run);
    for (int axis = whole_from - 1; axis >= 0 && ++index[axis] == shown.count[axis]; --axis) index[axis] = 0;
  }
}

std::vector<std::byte> host_bytes(State& state, const TensorRep& tensor) {
  std::vector<std::byte> bytes(tensor.nbytes());
  state.runtime().transfer().read(state.context(), tensor, bytes.data(), 0, bytes.size());
  return bytes;
}

int tostring(Args& args) {
  Box* box = to_box(args.L, 1);
  if (box != nullptr && box->is_released()) {
    push_text(args, "lutra.Tensor(released)");
    return 1;
  }
  push_text(args, tensor_as_text(args.state, args.tensor(1, "tensor").tensor, false));
  return 1;
}

int concat(Args& args) {
  std::string out;
  for (int i = 1; i <= 2; ++i) {
    if (to_box(args.L, i) != nullptr) {
      out += tensor_as_text(args.state, args.tensor(i, "tensor").tensor, true);
    } else if (lua_type(args.L, i) == LUA_TSTRING) {
      out += args.string(i, "text");
    } else if (lua_type(args.L, i) == LUA_TNUMBER) {
      out += what_is(args.L, i);
    } else {
      args.wrong(i, i == 1 ? "the left side" : "the right side", "a string, a number or a tensor");
    }
  }
  push_text(args, out);
  return 1;
}

int length(Args& args) {
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  require(tensor.rank > 0, "#: the tensor is a scalar and has no first axis");
  lua_pushinteger(args.L, tensor.dims[0]);
  return 1;
}

int item(Args& args) {
  args.at_most(1);
  const TensorRep& tensor = one_element(args, 1);
  std::byte element[kMostElementBytes];
  args.state.runtime().transfer().read(args.state.context(), tensor, element, 0, size_of(tensor.dtype));
  if (is_complex(tensor.dtype)) {
    const Complex128 value = read_complex(tensor.dtype, element);
    lua_pushnumber(args.L, value.re);
    lua_pushnumber(args.L, value.im);
    return 2;
  }
  push_scalar(args.L, read_element(tensor.dtype, element));
  return 1;
}

// The number of empty lists, for axes before an axis of size 0; at most `most`.
int64_t empty_lists(const TensorRep& tensor, int64_t most) {
  int64_t lists = 1, level = 1;
  for (int axis = 0; tensor.size == 0 && axis < tensor.rank && tensor.dims[axis] > 0; ++axis) {
    if (tensor.dims[axis] > most / level) return most;
    level *= tensor.dims[axis];
    lists = std::min(most, lists + level);
  }
  return lists;
}

int totable(Args& args) {
  constexpr int64_t kMostEmptyLists = 1 << 20;
  args.at_most(1);
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  require(empty_lists(tensor, kMostEmptyLists) < kMostEmptyLists, "totable: the tensor ", tensor.shape(),
          " has no elements, and its table would be more than ", kMostEmptyLists,
          " empty lists; t.shape says all there is to know of it");
  std::vector<std::byte> bytes = host_bytes(args.state, tensor);
  DType dtype = tensor.dtype;
  Shape shape = tensor.shape();
  protect(args.L, 1, [&](lua_State* L) {
    push_elements(L, dtype, shape, bytes.data());
    return 1;
  });
  return 1;
}

int bytes(Args& args) {
  args.at_most(1);
  std::vector<std::byte> data = host_bytes(args.state, args.tensor(1, "tensor").tensor);
  protect(args.L, 1, [&](lua_State* L) {
    lua_pushlstring(L, reinterpret_cast<const char*>(data.data()), data.size());
    return 1;
  });
  return 1;
}

// The destination of t:to(device). Under soft placement a missing device is replaced by an existing one, as in a scope.
LogicalDevice& destination(Args& args) {
  try {
    return args.logical_device(2, "device");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::NotFound || !args.state.runtime().soft_placement()) throw;
  }
  Context& context = args.state.context();
  return *context.target(context.intern(args.device_spec(2, "device"))).devices.front();
}

void report_move(Context& context, const TensorRep& tensor, uint16_t from, const LogicalDevice& to) {
  CopyEvent copy = copy_event(context, from, tensor, to);
  context.placement_log().moved({"to", to.full_name, to.full_name, "t:to(device)", context.line(), {copy}});
}

int to_device(Args& args) {
  args.at_most(2);
  LogicalDevice* device = &destination(args);
  const Box& box = args.tensor(1, "tensor");
  if (box.tensor.device == device->id && !is_variable(box.tensor)) {
    lua_pushvalue(args.L, 1);
    return 1;
  }
  bool is_inline = device->keeps_inline(box.tensor.nbytes());
  Box* out = nullptr;
  State& state = args.state;
  protect(args.L, 1, [&](lua_State* L) {
    out = state.push_box(L, is_inline);
    return 1;
  });
  // A finalizer may have released the tensor, reset the devices, or run ops elsewhere.
  device = &destination(args);
  Context& context = state.enter(args.L);
  uint16_t from = args.tensor(1, "tensor").tensor.device;
  bool copied = move_tensor(context, args.tensor(1, "tensor").tensor, *device, &out->tensor);
  if (copied && context.placement_log().listens()) report_move(context, out->tensor, from, *device);
  state.own(args.L, out);
  return 1;
}

// __close; Lua passes an error, too.
int close(Args& args) {
  Box* box = to_box(args.L, 1);
  if (box == nullptr) args.wrong(1, "tensor", "a tensor");
  if (box->is_live()) args.state.release(box);
  return 0;
}

int release(Args& args) {
  args.at_most(1);
  return close(args);
}

int lua_values_only(Args& args) {
  // Lua turns a > b into b < a.
  const char* mirrored = std::strcmp(args.who(), "<") == 0 ? ">" : ">=";
  fail(ErrorCode::InvalidArgument, args.who(), " or ", mirrored,
       " of tensors: Lua converts the result to one boolean; use a:lt(b), a:le(b), a:gt(b) or a:ge(b), and in an `if` "
       "its item, `if a:lt(b):item() then`, as a tensor itself is always true there");
}

// t(...), and `for x in t do`, which calls t with two nils. An error of Lua's would have no hint where it is caught.
int call_tensor(Args& args) {
  lua_State* L = args.L;
  const char* what =
      to_variable(L, 1) != nullptr ? "attempt to call a lutra.Variable value" : "attempt to call a lutra.Tensor value";
  const bool is_loop = lua_gettop(L) == 3 && lua_isnil(L, 2) && lua_isnil(L, 3);
  fail(ErrorCode::InvalidArgument, what,
       is_loop ? " (for iterator 'for iterator'); write for i, row in pairs(t) do"
               : "; a tensor is indexed in brackets: write t[i]");
}

int assign_element(Args& args) {
  fail(ErrorCode::InvalidArgument, args.who(),
       ": tensors are immutable; build a new one with where, concat or stack, or keep it in a Variable");
}

// A step of pairs: (t, i) -> i + 1, t[i + 1].
int next_row(lua_State* L) {
  Box* box = to_box(L, 1);
  lua_Integer done = lua_tointeger(L, 2);
  bool is_live = box != nullptr && box->is_live();
  // If the tensor was released during the loop, the indexing below reports it.
  if (box == nullptr || (is_live && (box->tensor.rank == 0 || done < 0 || done >= box->tensor.dims[0]))) {
    lua_pushnil(L);
    return 1;
  }
  lua_Integer i = is_live ? done + 1 : 1;
  lua_pushinteger(L, i);
  lua_pushinteger(L, i);
  lua_gettable(L, 1);
  return 2;
}

int pairs(Args& args) {
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  require(tensor.rank > 0, "pairs: the tensor is a scalar and has no first axis");
  lua_pushcfunction(args.L, next_row);
  lua_pushvalue(args.L, 1);
  lua_pushinteger(args.L, 0);
  return 3;
}

}  // namespace

namespace {

// Fails: a tensor or variable has no such field. The error suggests a name.
[[noreturn]] void fail_no_field(Args& args, std::string_view key) {
  lua_State* L = args.L;
  bool is_variable = to_variable(L, 1) != nullptr;
  const char* what = is_variable ? "a Variable has no field or method " : "a tensor has no field or method ";
  if (std::string_view ours = foreign_method(key); !ours.empty()) {
    fail(ErrorCode::InvalidArgument, what, what_is(L, 2), "; write ", ours);
  }
  lua_pushvalue(L, 2);
  push_of_root(L);
  if (lua_isfunction(L, -1)) {
    fail(ErrorCode::InvalidArgument, what, what_is(L, 2), "; it is a function: write lutra.", key, "(...)");
  }
  NearestWord nearest(key);
  for (const char* field : {"shape", "rank", "size", "nbytes", "dtype", "device"}) nearest.offer(field);
  if (is_variable) {
    for (const char* own : {"name", "trainable", "value", "assign", "assign_add", "assign_sub"}) nearest.offer(own);
  }
  args.state.push(L, State::kMethods);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) nearest.offer(lua_tostring(L, -2));
  fail(ErrorCode::InvalidArgument, what, what_is(L, 2), nearest.hint());
}

}  // namespace

int push_tensor_field(Args& args) {
  std::string_view key = args.string(2, "field");
  if (Box* box = to_box(args.L, 1); box != nullptr && box->is_released()) {
    fail(ErrorCode::FailedPrecondition, "t.", key.substr(0, 40), ": the tensor has been released");
  }
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  lua_State* L = args.L;
  State& state = args.state;
  if (key == "shape") {
    Shape shape = tensor.shape();
    protect(L, 1, [&](lua_State* inner) {
      push_shape(inner, state, shape);
      return 1;
    });
  } else if (key == "rank") {
    lua_pushinteger(L, tensor.rank);
  } else if (key == "size") {
    lua_pushinteger(L, tensor.size);
  } else if (key == "nbytes") {
    lua_pushinteger(L, static_cast<lua_Integer>(tensor.nbytes()));
  } else if (key == "dtype") {
    push_text(args, name(tensor.dtype));
  } else if (key == "device") {
    push_text(args, state.runtime().device(tensor.device).full_name);
  } else {
    fail_no_field(args, key);
  }
  return 1;
}

namespace {

// t.key, t[i]. Upvalues as call_op's (1: an OpBinding), then 4: the methods, 5: push_field, guarded.
int index(lua_State* L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(4)) != LUA_TNIL) return 1;
    lua_settop(L, 2);
    lua_pushvalue(L, lua_upvalueindex(5));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
  }
  State& state = state_of(L);
  Box* box = to_live_box(L, 1);
  if (box == nullptr || state.is_closed()) {
    state.attempt_or_raise(L, [&] {
      fail(ErrorCode::FailedPrecondition,
           "t[i]: ", state.is_closed() ? "this interpreter is being closed" : "the tensor has been released");
    });
  }
  return index_tensor(L, state, *box);
}

int collect(lua_State* L) {
  Box* box = to_live_box(L, 1);
  if (box == nullptr) return 0;
  box->cookie = ~box->live_cookie();
  state_of(L).disown(box);
  return 0;
}

template <Binding binding> void set_field(lua_State* L, State& state, const char* name) {
  set_function<binding>(L, state, name, name);
}

}  // namespace

std::string tensor_as_text(State& state, const TensorRep& tensor, bool bare) {
  const PrintOptions& options = state.print_options;
  Shape shape = tensor.shape();
  Shown shown = shown_part(shape, options);
  std::vector<std::byte> data;
  DType dtype = tensor.dtype;
  if (state.limits != nullptr) {
    double elements = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) elements *= static_cast<double>(shown.count[axis]);
    state.limits->require_room(elements * 2);  // a digit and what parts it from the next
  }
  read_shown(state.context(), tensor, shown, &data);
  if (!bare) return tensor_text(dtype, shape, data.data(), options);
  return shape.rank() == 0 ? scalar_text(dtype, data.data()) : array_text(dtype, shape, data.data(), options);
}

void set_tensor_metamethods(lua_State* L, State& state, int methods, const char* name, lua_CFunction field) {
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  set_function<tostring>(L, state, "__tostring", "tostring");
  set_function<concat>(L, state, "__concat", "..");
  set_function<length>(L, state, "__len", "#");
  set_function<pairs>(L, state, "__pairs", "pairs");
  set_function<assign_element>(L, state, "__newindex", "t[i] = v");
  set_function<call_tensor>(L, state, "__call", "t(...)");
  set_function<lua_values_only>(L, state, "__lt", "<");
  set_function<lua_values_only>(L, state, "__le", "<=");
  lua_pushlightuserdata(L, &state);
  state.push(L, State::kTensorMeta);
  state.push(L, State::kStoredTensorMeta);
  lua_pushvalue(L, methods);
  lua_pushlightuserdata(L, &state);
  lua_pushstring(L, "t.field");
  lua_pushcclosure(L, field, 2);
  lua_pushcclosure(L, index, 5);
  lua_setfield(L, -2, "__index");
}

void set_collected(lua_State* L, State& state) { set_unguarded(L, state, "__gc", collect); }

const TensorRep& one_element(Args& args, int index) {
  const TensorRep& tensor = args.tensor(index, "tensor").tensor;
  require(tensor.size == 1, "item: the tensor ", tensor.shape(), " has ", tensor.size,
          " elements, expected one; totable gives them all");
  return tensor;
}

void open_tensor_api(lua_State* L, State& state) {
  int methods = lua_gettop(L);
  set_field<item>(L, state, "item");
  set_field<totable>(L, state, "totable");
  set_field<bytes>(L, state, "bytes");
  set_field<to_device>(L, state, "to");
  set_field<release>(L, state, "release");

  for (const RegistryKey* key : {&State::kTensorMeta, &State::kStoredTensorMeta}) {
    State::push(L, *key);
    set_tensor_metamethods(L, state, methods, "lutra.Tensor", guarded<push_tensor_field>);
    set_function<close>(L, state, "__close", "close");
    if (key == &State::kStoredTensorMeta) set_collected(L, state);
    lua_pop(L, 1);
  }
}

}  // namespace lutra
