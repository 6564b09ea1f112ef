#include "lua/ops/op_call.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "eager/executor.h"
#include "lua/border/args.h"
#include "lua/border/own_entries.h"
#include "lua/hints/wrong_call.h"
#include "lua/ops/attr_reader.h"
#include "lua/ops/constants.h"
#include "lua/ops/elements.h"

// Note [Phases of an op call]
// Read: reads the arguments into a Call, by Lua calls that cannot raise; before that, tables become tensors, each by an
// op call of its own. Create: makes the results' userdata, empty, with their metatables; may raise, and may collect
// garbage, whose finalizers may call ops. Run: C++ only; may throw. Tell: calls log handlers. Call, Prepared and
// everything else on this C stack are trivially destructible.

namespace lutra {
namespace {

struct Frame {
  Operand few[kFewOperands];
  Prepared prepared;
  TensorRep* outs[kMaxOutputs];
  Box* boxes[kMaxOutputs];  // that contain outs
};
static_assert(std::is_trivially_destructible_v<Frame> && std::is_trivially_destructible_v<Call>);

// A float with an integral value becomes an integer, as for Lua's own operators: 6 & 2.0 is 2.
[[gnu::noinline]] void make_whole(Scalar* number) {
  if (number->kind == Scalar::Kind::Float && fits(DType::Int64, *number)) {
    *number = Scalar::of(static_cast<int64_t>(number->d));
  }
}

inline void read_number(lua_State* L, int index, const InputDef& def, Operand* out) {
  out->tensor = nullptr;
  out->number = number_at(L, index);
  if (takes_whole_numbers(def.dtypes)) [[unlikely]]
    make_whole(&out->number);
}

// Reads a tensor or, if the op takes one, a number.
inline void read_operand(lua_State* L, int index, const OpDef& op, const InputDef& def, Operand* out, int entry = 0) {
  if (Box* box = to_live_box(L, index)) [[likely]] {
    out->tensor = &box->tensor;
    return;
  }
  out->tensor = nullptr;
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: return read_number(L, index, def, out);
    case LUA_TBOOLEAN: out->number = Scalar::of(lua_toboolean(L, index) != 0); return;
    default: fail_operand(L, index, op, def, entry);
  }
}

// Replaces tables by tensors; numbers too, where the op takes only tensors. False: an error is kept.
bool make_literals(lua_State* L, State& state, const OpBinding& binding, int given) {
  for (int i = 0; i < given; ++i) {
    const OpBinding::Place& place = binding.places[static_cast<std::size_t>(i)];
    if (place.attr != nullptr) continue;
    const InputDef& def = binding.op->inputs[static_cast<std::size_t>(place.input)];
    int type = lua_type(L, i + 1);
    if (type == LUA_TUSERDATA) continue;
    if (type == LUA_TTABLE && (def.flags & kVariadic) != 0) continue;
    bool is_plain = type == LUA_TNUMBER || type == LUA_TBOOLEAN;
    if (type != LUA_TTABLE && !(is_plain && (def.flags & kNumber) == 0)) continue;
    if (type == LUA_TTABLE && is_options(L, i + 1)) {
      if (!place.required) continue;
      if (!state.attempt([&] { refuse_options(L, i + 1, *binding.op, def); })) return false;
    }
    if (!make_constant(L, state, i + 1, {binding.op->called(), def.name}, kNoDType, false, def.dtypes)) return false;
  }
  return true;
}

// The promoted dtype of the tensors in a list that also has numbers; kNoDType if there are no tensors.
DType dtype_of_tensors(lua_State* L, int list, int count) {
  DType dtype = kNoDType;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, list, i);
    if (const Box* box = to_live_box(L, -1)) {
      dtype = dtype == kNoDType ? box->tensor.dtype : promote(dtype, box->tensor.dtype);
    }
    lua_pop(L, 1);
  }
  return dtype;
}

// The dtype for the number on top of the stack in a list with tensors of dtype `tensors`: theirs if it would get that
// in an expression, else kNoDType for its own.
DType dtype_among(lua_State* L, DType tensors) {
  if (tensors == kNoDType || is_inexact(tensors)) return tensors;
  return is_integer(tensors) && lua_isinteger(L, -1) != 0 ? tensors : kNoDType;
}

// Copies a list of tensors into a list of Lutra's own, with literals replaced by tensors, and the operands into a block
// that Lua owns, too. Both stay on the stack, above the arguments.
Operand* read_list(lua_State* L, State& state, const OpBinding& binding, int index, int* count) {
  const OpDef& op = *binding.op;
  const InputDef& def = op.inputs.back();
  bool is_list = state.attempt([&] {
    if (lua_type(L, index) != LUA_TTABLE) fail_list(L, index, op, def);
    require_own_entries(L, index, lua_rawlen(L, index), op.called(), def.name);
    int64_t entries = 0;
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) ++entries;
    *count = static_cast<int>(std::min<std::size_t>(lua_rawlen(L, index), INT32_MAX));
    if (entries != *count) fail_no_list(L, index, op, def.name, "a list of tensors");
    require(*count > 0, op.called(), ": ", def.name, " is empty, expected at least one tensor");
  });
  if (!is_list) return nullptr;
  lua_createtable(L, *count, 0);
  int own = lua_gettop(L);
  DType tensors = kNoDType;
  bool is_known = false;
  for (int i = 1; i <= *count; ++i) {
    lua_rawgeti(L, index, i);
    if (is_literal(L, -1)) {
      bool is_number = lua_type(L, -1) == LUA_TNUMBER;
      if (is_number && !is_known) tensors = dtype_of_tensors(L, index, *count);
      is_known |= is_number;
      DType dtype = is_number ? dtype_among(L, tensors) : kNoDType;
      if (!make_constant(L, state, -1, {op.called(), def.name, i}, dtype, false)) return nullptr;
    }
    lua_rawseti(L, own, i);
  }
  Operand* operands =
      static_cast<Operand*>(lua_newuserdatauv(L, sizeof(Operand) * static_cast<std::size_t>(*count), 0));
  bool are_tensors = state.attempt([&] {
    for (int i = 1; i <= *count; ++i) {
      lua_rawgeti(L, own, i);
      if (to_live_box(L, -1) == nullptr) fail_operand(L, lua_gettop(L), op, def, i);
      read_operand(L, lua_gettop(L), op, def, &operands[i - 1], i);
      lua_pop(L, 1);
    }
  });
  return are_tensors ? operands : nullptr;
}

// Copies a list of integers into a block that Lua owns, which stays on the stack, above the arguments. False: an error
// is kept.
bool read_ints(lua_State* L, State& state, const OpBinding& binding, Ints* out) {
  int index = binding.ints_place + 1;
  const char* who = binding.op->called();
  const char* name = binding.places[static_cast<std::size_t>(binding.ints_place)].attr->name;
  std::size_t length = lua_rawlen(L, index);
  if (!state.attempt([&] { require(length <= INT32_MAX, who, ": ", name, " has ", length, " entries"); })) return false;
  // At least one element, as a null pointer would mean that it is not a list.
  auto* block = static_cast<int64_t*>(lua_newuserdatauv(L, (length + 1) * sizeof(int64_t), 0));
  return state.attempt([&] {
    *out = {block, read_integers(L, index, who, name, block, static_cast<int>(length), binding.op), 0};
  });
}

// Reads everything but lists, which have been read. `given`: the number of positional arguments, perhaps with an
// options table.
void read_arguments(lua_State* L, const OpBinding& binding, int given, Operand* list, int list_count, const Ints& ints,
                    Operand* few, Call* call) {
  const OpDef& op = *binding.op;
  int places = static_cast<int>(binding.places.size());
  int options = 0;
  // Trailing nils, as wrappers pass them for omitted arguments.
  while (given > binding.required && lua_isnil(L, given)) --given;
  int behind = given;
  // The last argument is an options table if it comes after the required ones and looks like one.
  if (given > binding.required && lua_type(L, given) == LUA_TTABLE && (given > places || is_options(L, given))) {
    options = given;
    behind = --given;
  }
  while (given > binding.required && lua_isnil(L, given)) --given;
  if (given > places || given < binding.required) fail_count(L, binding, behind, options);
  int skip = binding.leading_optional != 0 && given == binding.required ? 1 : 0;
  int inputs = 0;
  uint32_t in_place = 0;  // one bit per attribute
  for (int i = 0; i < given; ++i) {
    const OpBinding::Place& place = binding.places[static_cast<std::size_t>(i + skip)];
    if (place.attr != nullptr) {
      if (lua_isnil(L, i + 1) && !place.required) continue;
      in_place |= 1u << (place.attr - op.attrs.defs.data());
      if (place.attr->type == AttrType::Ints && ints.is_list())
        std::memcpy(call->attrs + op.ints_at, &ints, sizeof ints);
      else read_attr(L, i + 1, *place.attr, call);
    } else if (list == nullptr) {
      read_operand(L, i + 1, op, op.inputs[static_cast<std::size_t>(place.input)], &few[place.input]);
      inputs = place.input + 1;
    }
  }
  if (options != 0) read_options(L, options, in_place, call);
  if (binding.base_attr >= 0) reinterpret_cast<IndexBase*>(call->attrs + binding.base_attr)->value = 1;
  call->in = list != nullptr ? list : few;
  call->n_in = list != nullptr ? list_count : inputs;
}

// Whether result i will store its bytes inline, and so needs no finalizer.
bool will_be_inline(const Call& call, const Prepared& prepared, int i) {
  if (prepared.shared_from < 0) return prepared.is_inline(i);
  assert(call.in[0].tensor != nullptr);  // ops that share their input's memory take no number
  return call.in[0].tensor->storage == nullptr && prepared.device->is_host();
}

// Called if a finalizer released some tensor or reset the devices while the results were created: `prepared` may be
// outdated.
[[gnu::cold, gnu::noinline]] void prepare_again(lua_State* L, Context& context, Call& call, Frame* frame, int first) {
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr || !State::is_released(*tensor)) continue;
    fail(ErrorCode::FailedPrecondition, call.op->called(),
         ": a finalizer released an input while the op was being set up");
  }
  int n_out = frame->prepared.n_out;
  prepare(context, call, &frame->prepared);
  assert(frame->prepared.n_out == n_out);
  for (int i = 0; i < n_out; ++i) {
    lua_pushvalue(L, lua_upvalueindex(will_be_inline(call, frame->prepared, i) ? 2 : 3));
    lua_setmetatable(L, first + i);
  }
}

// The phases create, run and tell. Pushes the results.
int finish_call(lua_State* L, State& state, Call& call, Frame& frame) {
  const Prepared& prepared = frame.prepared;
  int first = lua_gettop(L) + 1;
  for (int i = 0; i < prepared.n_out; ++i) {
    bool is_inline = will_be_inline(call, prepared, i);
    if (!is_inline) state.make_room(L);
    Box* box = static_cast<Box*>(lua_newuserdatauv(L, sizeof(Box), 0));
    box->cookie = box->live_cookie();
    box->tensor.clear();
    box->booked_bytes = Box::kNotBooked;
    lua_pushvalue(L, lua_upvalueindex(is_inline ? 2 : 3));
    lua_setmetatable(L, -2);
    frame.outs[i] = &box->tensor;
    frame.boxes[i] = box;
  }
  bool ok = state.attempt([&] {
    Context& context = state.enter(L);
    if (context.runtime().epoch != prepared.epoch) [[unlikely]]
      prepare_again(L, context, call, &frame, first);
    execute(context, call, prepared, frame.outs);
  });
  const Error* error = ok ? nullptr : state.set_aside();
  for (int i = 0; i < prepared.n_out; ++i) {
    state.own(L, frame.boxes[i]);
  }
  if (error != nullptr) [[unlikely]] {
    if (!state.context().placement_log().events.empty()) {
      // The handler is also called for an op whose kernel failed; then the error is raised, unless the handler raises
      // one.
      state.tell(L, error);
    }
    state.raise(L, error);
  }
  state.tell(L);
  return prepared.n_out;
}

// The hot path: exactly as many live tensors or numbers as the op has inputs, and no other arguments.
inline bool read_plain(lua_State* L, const OpBinding& binding, int given, Frame* frame, Call* call) {
  if (given != binding.plain_inputs) return false;
  for (int i = 0; i < given; ++i) {
    if (Box* box = to_live_box(L, i + 1)) [[likely]] {
      frame->few[i].tensor = &box->tensor;
      continue;
    }
    const InputDef& def = binding.op->inputs[static_cast<std::size_t>(i)];
    if ((def.flags & kNumber) == 0 || lua_type(L, i + 1) != LUA_TNUMBER) return false;
    read_number(L, i + 1, def, &frame->few[i]);
  }
  call->n_in = given;
  if (binding.base_attr >= 0) reinterpret_cast<IndexBase*>(call->attrs + binding.base_attr)->value = 1;
  return true;
}

// Any other call: literals, lists, options. Raises errors in them.
[[gnu::noinline]] void read_any(lua_State* L, const OpBinding& binding, int given, Frame* frame, Call* call) {
  State& state = *binding.state;
  const OpDef& op = *binding.op;
  const Origins& origins = state.enter(L).origins();
  call->literals.before = origins.last();
  luaL_checkstack(L, 12, nullptr);
  if (!make_literals(L, state, binding, std::min(given, static_cast<int>(binding.places.size())))) state.raise(L);
  Operand* list = nullptr;
  int list_count = 0;
  if (op.is_variadic() && given > 0) {
    list = read_list(L, state, binding, 1, &list_count);
    if (list == nullptr) state.raise(L);
  }
  call->literals.last = origins.last();
  Ints ints;
  if (binding.ints_place >= 0 && given > binding.ints_place && lua_type(L, binding.ints_place + 1) == LUA_TTABLE &&
      !read_ints(L, state, binding, &ints)) {
    state.raise(L);
  }
  state.attempt_or_raise(L, [&] { read_arguments(L, binding, given, list, list_count, ints, frame->few, call); });
}

// With a general name, as the op's entry is gone with the Runtime.
[[noreturn, gnu::cold, gnu::noinline]] void fail_closed(lua_State* L, State& state) {
  state.attempt([] { fail(ErrorCode::FailedPrecondition, "lutra: this interpreter is being closed"); });
  state.raise(L);
}

inline int call_with(lua_State* L, const OpBinding& binding, int given) {
  State& state = *binding.state;
  if (state.is_closed()) [[unlikely]]
    fail_closed(L, state);
  Frame frame;
  Call call(*binding.op, frame.few, 0, 1);
  if (!read_plain(L, binding, given, &frame, &call)) read_any(L, binding, given, &frame, &call);
  state.attempt_or_raise(L, [&] { prepare(state.enter(L), call, &frame.prepared); });
  return finish_call(L, state, call, frame);
}

// More than anyone needs, and still possible: each tensor takes some 200 bytes.
constexpr int64_t kMostPieces = 1 << 24;

// Advances `part` to piece `i`. For i = 0 also sets `count`, the number of pieces.
void find_piece(const Call& list, int64_t i, Part* part, int64_t* count) {
  for (int k = 0; k < list.n_in; ++k) {
    const TensorRep* tensor = list.in[k].tensor;
    if (tensor == nullptr || !State::is_released(*tensor)) continue;
    fail(ErrorCode::FailedPrecondition, list.op->called(), ": a finalizer or log handler released the tensor that is ",
         "being taken apart");
  }
  OutputMeta none[kMaxOutputs];
  Inference inference(list, DType::Float32, none);
  if (i == 0) {
    *count = list.op->pieces(inference);
    require(*count <= kMostPieces, list.op->called(), ": the list would have ", *count, " tensors, at most ",
            kMostPieces, " are possible");
  }
  if (i < *count) list.op->next_piece(inference, i, part);
}

// Pushes a table of results, each computed by a call of its own. The placement log has one line for all of them, the
// first one's.
int finish_list(lua_State* L, const OpBinding& binding, Call& list, Frame& frame) {
  State& state = *binding.state;
  int table = 0;
  int64_t count = 1;
  Part part;
  for (int64_t i = 0; i < count; ++i) {
    Call call = list;
    state.attempt_or_raise(L, [&] {
      find_piece(list, i, &part, &count);
      if (count > 0) {
        std::memcpy(call.attrs + binding.part_attr, &part, sizeof part);
        if (Ints* ints = list.op->list_in(call.attrs)) *ints = {};  // `part` is all that a piece needs
        prepare(state.enter(L), call, &frame.prepared);
        frame.prepared.is_logged = i == 0;
      }
    });
    if (i == 0) {
      lua_createtable(L, static_cast<int>(count), 0);
      table = lua_gettop(L);
    }
    if (i < count) {
      finish_call(L, state, call, frame);
      lua_rawseti(L, table, i + 1);
    }
  }
  return 1;
}

}  // namespace

int call_list_op(lua_State* L) {
  const OpBinding& binding = *static_cast<const OpBinding*>(lua_touserdata(L, lua_upvalueindex(1)));
  State& state = *binding.state;
  if (state.is_closed()) fail_closed(L, state);
  Frame frame;
  Call call(*binding.op, frame.few, 0, 1);
  int given = lua_gettop(L);
  if (!read_plain(L, binding, given, &frame, &call)) read_any(L, binding, given, &frame, &call);
  return finish_list(L, binding, call, frame);
}

int call_op(lua_State* L) {
  return call_with(L, *static_cast<const OpBinding*>(lua_touserdata(L, lua_upvalueindex(1))), lua_gettop(L));
}

int call_op_by_count(lua_State* L) {
  int given = lua_gettop(L);
  // Errors about anything that cannot be a tensor are the function's own.
  bool is_alone = given == 1 && (to_live_box(L, 1) != nullptr ||
                                 (is_literal(L, 1) && (lua_type(L, 1) != LUA_TTABLE || lua_rawlen(L, 1) > 0)));
  return call_with(L, *static_cast<const OpBinding*>(lua_touserdata(L, lua_upvalueindex(is_alone ? 5 : 1))), given);
}

int call_op_as_metamethod(lua_State* L) {
  const OpBinding& binding = *static_cast<const OpBinding*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_settop(L, binding.inputs);
  return call_with(L, binding, binding.inputs);
}

int run_read_call(lua_State* L, State& state, Call& call) {
  Frame frame;
  state.attempt_or_raise(L, [&] { prepare(state.enter(L), call, &frame.prepared); });
  return finish_call(L, state, call, frame);
}

}  // namespace lutra
