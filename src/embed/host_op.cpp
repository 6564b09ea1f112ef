// Ops of hosts. An entry of the op table has no room for a host's functions, so its name is in the same block as they:
// the HostOp of an entry is found by it.
#include <algorithm>
#include <cstring>

#include "embed/host.h"
#include "lua/border/guard.h"
#include "lua/ops/op_call.h"
#include "ops/gradient.h"
#include "ops/inference.h"
#include "ops/kernel.h"

namespace lutra::embed {

struct HostOp {
  static constexpr std::size_t kName = 64;
  char name[kName];      // the first member: see of()
  char lua_name[kName];  // the second
  char gradient_name[kName + 4];
  std::string summary;
  lutra_t* lutra;
  lutra_op_function shape, kernel, gradient;
  void* user;
  int n_inputs, n_outputs;

  static const HostOp& of(const OpDef& op) { return *reinterpret_cast<const HostOp*>(op.name); }
};

void DeleteHostOp::operator()(HostOp* op) const { delete op; }

namespace {

constexpr const char* kInputs[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
constexpr int kMostInputs = 8;
static_assert(kMostInputs == kFewOperands && kMaxRank == 8);

lutra_array empty_array(DType dtype, const Shape& shape) {
  lutra_array out{
      sizeof(lutra_array), static_cast<int>(dtype), shape.rank(), {}, static_cast<std::size_t>(shape.size()), nullptr};
  for (int i = 0; i < shape.rank(); ++i) out.shape[i] = shape[i];
  return out;
}

void fail_by(const HostOp& op, const char* function) {
  const std::string& said = op.lutra->callback_failure;
  fail(ErrorCode::InvalidArgument, op.lua_name, ": ", said.empty() ? text("the host's ", function, " failed") : said);
}

void host_shape(Inference& inference) {
  const HostOp& op = HostOp::of(*inference.call().op);
  lutra_array in[kMostInputs], out[kMaxOutputs];
  for (int i = 0; i < op.n_inputs; ++i) in[i] = empty_array(inference.key(), inference.shape(i));
  for (int i = 0; i < op.n_outputs; ++i) out[i] = in[0];
  op.lutra->callback_failure.clear();
  if (op.shape != nullptr && op.shape(op.user, op.lutra, in, op.n_inputs, out, op.n_outputs) != 0)
    fail_by(op, "shape function");
  for (int i = 0; i < op.n_outputs; ++i) {
    const int rank = out[i].rank;
    require(rank >= 0 && rank <= kMaxRank, op.lua_name, ": its shape function gave result ", i, " the rank ", rank);
    for (int k = 0; k < rank; ++k) {
      require(out[i].shape[k] >= 0, op.lua_name, ": its shape function gave result ", i, " the size ", out[i].shape[k]);
    }
    inference.output(inference.key(), Shape({out[i].shape, static_cast<std::size_t>(rank)}));
  }
}

lutra_array array_for(const Array& array) {
  lutra_array out = empty_array(array.dtype, Shape({array.dims, array.rank}));
  out.data = array.data;
  return out;
}

void run_host(const HostOp& op, lutra_op_function function, const KernelArgs& args) {
  lutra_array in[kMostInputs], out[kMostInputs];
  for (int i = 0; i < args.n_in; ++i) in[i] = array_for(args.in[i]);
  for (int i = 0; i < args.n_out; ++i) out[i] = array_for(args.out[i]);
  op.lutra->callback_failure.clear();
  if (function(op.user, op.lutra, in, args.n_in, out, args.n_out) != 0) args.fault->raise(FaultCode::WrongValue);
}

void host_kernel(const KernelArgs& args) {
  const HostOp& op = HostOp::of(*args.op);
  run_host(op, op.kernel, args);
}

Error host_fault(const char* lua_name, const Fault&) {
  const HostOp& op = *reinterpret_cast<const HostOp*>(lua_name - HostOp::kName);
  const std::string& said = op.lutra->callback_failure;
  return Error(ErrorCode::InvalidArgument,
               text(lua_name, ": ", said.empty() ? "the host's kernel failed" : said.c_str()));
}

void host_gradient(Gradient& g) {
  const HostOp& op = HostOp::of(g.op());
  std::vector<Value> in, out(static_cast<std::size_t>(op.n_inputs));
  for (int i = 0; i < op.n_inputs; ++i) in.push_back(g.x_in_key(i));
  for (int i = 0; i < op.n_outputs; ++i) in.push_back(g.y(i));
  for (int i = 0; i < op.n_outputs; ++i) in.push_back(g.dy(i));
  g.call_all(op.gradient_name, in, out);
  for (int i = 0; i < op.n_inputs; ++i) g.add(i, out[static_cast<std::size_t>(i)]);
}

// The op that computes the gradients is found by the block of its own name; `kernel` is then the gradient function, and
// its outputs have the first inputs' shapes.
void gradient_shape(Inference& inference) {
  const HostOp& op = HostOp::of(*inference.call().op);
  for (int i = 0; i < op.n_outputs; ++i) inference.output(inference.key(), inference.shape(i));
}

std::vector<InputDef> inputs_of(int count, DTypes dtypes) {
  std::vector<InputDef> out;
  for (int i = 0; i < count; ++i) out.push_back({kInputs[i], dtypes, "as the host wants it", kNumber});
  return out;
}

DTypes dtypes_of(unsigned bits) {
  if (bits == 0) return DType::Float32 | DType::Float64;
  DTypes out;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (((bits >> i) & 1u) != 0) out = out | static_cast<DType>(i);
  }
  return out;
}

void copy_name(char (&to)[HostOp::kName], const char* name, const char* what, bool needs_identifier) {
  require(name != nullptr && *name != '\0' && std::strlen(name) < HostOp::kName, "lutra_register_op: ", what,
          " is NULL, empty or longer than 63 characters");
  for (const char* c = name; needs_identifier && *c != '\0'; ++c) {
    const bool is_word =
        (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (c > name && *c >= '0' && *c <= '9');
    require(is_word, "lutra_register_op: lua_name is '", name, "', expected a name of Lua without dots");
  }
  std::strcpy(to, name);
}

lutra_op_def read_def(const lutra_op_def* given) {
  require(given != nullptr, "lutra_register_op: op is NULL");
  require(given->size == sizeof(lutra_op_def), "lutra_register_op: op->size is ", given->size,
          "; start from LUTRA_OP_DEF_INIT");
  const lutra_op_def& op = *given;
  require(op.n_inputs >= 1 && op.n_inputs <= kMostInputs, "lutra_register_op: n_inputs is ", op.n_inputs,
          ", expected 1 to ", kMostInputs);
  require(op.n_outputs >= 1 && op.n_outputs <= kMaxOutputs, "lutra_register_op: n_outputs is ", op.n_outputs,
          ", expected 1 to ", kMaxOutputs);
  require(op.dtypes < (1u << kDTypeCount), "lutra_register_op: dtypes has bits of no dtype");
  require(op.kernel != nullptr, "lutra_register_op: kernel is NULL");
  if (op.gradient != nullptr) {
    require(op.n_inputs <= kMaxOutputs && op.n_inputs + 2 * op.n_outputs <= kMostInputs,
            "lutra_register_op: an op with a gradient has at most ", kMaxOutputs,
            " inputs, and n_inputs + 2 n_outputs is at most ", kMostInputs, "; here ", op.n_inputs, " and ",
            op.n_outputs);
    require((dtypes_of(op.dtypes) & kFloats) == dtypes_of(op.dtypes),
            "lutra_register_op: an op with a gradient computes in floats only");
  }
  return op;
}

std::unique_ptr<HostOp, DeleteHostOp> new_op(lutra_t& lutra, const lutra_op_def& def) {
  std::unique_ptr<HostOp, DeleteHostOp> op(new HostOp{});
  copy_name(op->name, def.name, "name", false);
  copy_name(op->lua_name, def.lua_name, "lua_name", true);
  std::strcpy(op->gradient_name, op->name);
  std::strcat(op->gradient_name, "Grad");
  op->summary = def.summary != nullptr ? def.summary : "An operation of the host.";
  op->lutra = &lutra;
  op->shape = def.shape;
  op->kernel = def.kernel;
  op->gradient = def.gradient;
  op->user = def.user;
  op->n_inputs = def.n_inputs;
  op->n_outputs = def.n_outputs;
  return op;
}

void add_gradient(lutra_t& lutra, const HostOp& forward, DTypes dtypes) {
  std::unique_ptr<HostOp, DeleteHostOp> made(new HostOp(forward));
  require(std::strlen(forward.gradient_name) < HostOp::kName, "lutra_register_op: name is longer than 59 characters");
  std::strcpy(made->name, forward.gradient_name);
  std::strcpy(made->lua_name, forward.gradient_name);
  made->kernel = forward.gradient;
  made->n_inputs = forward.n_inputs + 2 * forward.n_outputs;
  made->n_outputs = forward.n_inputs;
  HostOp& op = lutra.home->keep(std::move(made));
  lutra.home->runtime().add_op({.name = op.name,
                                .lua_name = op.lua_name,
                                .inputs = inputs_of(op.n_inputs, dtypes),
                                .outputs = op.n_outputs,
                                .shape = gradient_shape,
                                .fault = host_fault,
                                .flags = kHidden},
                               dtypes, {.run = host_kernel});
}

const OpDef& add_op(lutra_t& lutra, const lutra_op_def& def) {
  Runtime& runtime = lutra.home->runtime();
  HostOp& op = lutra.home->keep(new_op(lutra, def));
  require(runtime.ops().find(op.name) == nullptr, "lutra_register_op: an op called ", op.name, " is there already");
  for (int id = 0; id < runtime.ops().count(); ++id) {
    const char* taken = runtime.ops().at(id).lua_name;
    require(taken == nullptr || std::strcmp(taken, op.lua_name) != 0, "lutra_register_op: lutra.", op.lua_name,
            " is there already");
  }
  const DTypes dtypes = dtypes_of(def.dtypes);
  if (op.gradient != nullptr) add_gradient(lutra, op, dtypes);
  return runtime.add_op({.name = op.name,
                         .lua_name = op.lua_name,
                         .summary = op.summary.c_str(),
                         .inputs = inputs_of(op.n_inputs, dtypes),
                         .output = "the promoted dtype, in the shape that the host gives",
                         .errors = "InvalidArgument for what the host refuses.",
                         .source = "the host",
                         .outputs = op.n_outputs,
                         .shape = host_shape,
                         .gradient = op.gradient != nullptr ? host_gradient : nullptr,
                         .saves = static_cast<uint16_t>(op.gradient != nullptr ? kAllX | kY0 | kY1 | kY2 : 0),
                         .fault = host_fault,
                         .flags = kNoMethod},
                        dtypes, {.run = host_kernel});
}

struct BindFrame {
  lutra_t* lutra;
  const OpDef* op;
};

int bind_in_lua(lua_State* L) {
  const BindFrame& frame = *static_cast<BindFrame*>(lua_touserdata(L, 1));
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "lutra");
  State::push(L, State::kMethods);
  luaL_checktype(L, -2, LUA_TTABLE);
  const int methods = lua_gettop(L);
  bind_op(L, *frame.lutra->state, *frame.op, methods - 1, methods);
  return 0;
}

}  // namespace
}  // namespace lutra::embed

extern "C" int lutra_register_op(lutra_t* lutra, const lutra_op_def* op) {
  using namespace lutra;
  using namespace lutra::embed;
  Use use(lutra, "lutra_register_op");
  if (!use) return LUTRA_ERROR;
  BindFrame frame{lutra, nullptr};
  if (int failed = attempt(lutra,
                           [&] {
                             require(lutra->home->turns() == nullptr,
                                     "lutra_register_op: an op belongs to a runtime, and "
                                     "this interpreter shares its runtime with others: open one of its own");
                             lutra_op_def def = read_def(op);
                             lutra->state->enter(lutra->L);
                             frame.op = &add_op(*lutra, def);
                           });
      failed != LUTRA_OK) {
    return failed;
  }
  return call_protected(*lutra, bind_in_lua, &frame);
}
