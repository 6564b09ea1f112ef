#include "eager/variable.h"

#include "eager/constant.h"
#include "eager/executor.h"
#include "eager/move_tensor.h"
#include "ops/create.h"
#include "ops/index.h"
#include "ops/shape.h"

namespace lutra {
namespace {

const char* const kLogged[] = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"};
const char* const kCalled[] = {"assign", "assign_add", "assign_sub"};

// An identity that no other variable of the process has.
uint64_t new_identity(bool trainable) {
  static std::atomic<uint64_t> last{0};
  uint64_t id = value_bits::kVariable | (last.fetch_add(1, std::memory_order_relaxed) + 1);
  return trainable ? id | value_bits::kTrainable : id;
}

// Whether the variable may share the memory of `value`: in the same memory, and not a small part of a large storage.
bool can_share(Runtime& runtime, const TensorRep& variable, const TensorRep& value) {
  if (value.dtype != variable.dtype) return false;
  if (!runtime.device(value.device).shares_memory_with(runtime.device(variable.device))) return false;
  return value.storage == nullptr || (value.data == value.storage->data && value.storage->bytes / 2 <= value.nbytes());
}

void check_value(const char* who, std::string_view name, const TensorRep& variable, const Operand& value,
                 bool any_shape) {
  const TensorRep* tensor = value.tensor;
  require(tensor == nullptr || any_shape || tensor->shape() == variable.shape(), who, ": value has the shape ",
          tensor != nullptr ? tensor->shape() : Shape(), ", and the variable '", name, "' ", variable.shape());
  if (tensor != nullptr) {
    require(promote(tensor->dtype, variable.dtype) == variable.dtype, who, ": value is ", tensor->dtype,
            ", which the variable '", name, "' of ", variable.dtype, " cannot hold; cast it first: value:cast(\"",
            lutra::name(variable.dtype), "\")");
  } else {
    require(fits(variable.dtype, value.number), who, ": value is ", value.number.as_double(),
            ", which does not fit the variable '", name, "' of ", variable.dtype);
  }
}

// A number converted to the variable's dtype, so that the update's result has that dtype: with int32, a 2.0 would
// promote to float32.
Operand as_variables(const TensorRep& variable, const Operand& value) {
  if (value.tensor != nullptr) return value;
  std::byte element[kMostElementBytes];
  write_element(variable.dtype, element, value.number);
  return {nullptr, read_element(variable.dtype, element)};
}

void run_update(Context& context, Call& call, TensorRep& variable) {
  TensorRep* const variables[] = {&variable};
  update(context, call, variables);
}

}  // namespace

// This may run in a finalizer while another op is being prepared: the epoch tells that op that the variable has
// changed.
void take_value(Context& context, TensorRep& variable, const TensorRep& value) {
  Runtime& runtime = context.runtime();
  ++runtime.epoch;
  context.tell_observers([&](Observer& each) { each.assigned(variable, value); });
  TensorRep before = variable;
  share(variable, value);
  variable.device = before.device;
  variable.value = before.value;
  if (variable.storage != before.storage) {
    // The out-of-memory report reads a tensor from the storage.
    if (before.storage != nullptr && before.storage->tensor == &variable) before.storage->tensor = nullptr;
    if (variable.storage != nullptr && variable.storage->tensor == nullptr) variable.storage->tensor = &variable;
  }
  drop(before);
}

void update(Context& context, Call& call, std::span<TensorRep* const> variables) {
  ForcedPlace place{&context.runtime().device(variables[0]->device), Reason::Variable};
  Prepared prepared;
  prepare(context, call, &prepared, &place);
  if (prepared.device != place.device) {
    fail(ErrorCode::Unimplemented, call.op->called(), ": the variable lives on ", place.device->full_name,
         ", which has no kernel for that: make it on the CPU (device(\"/CPU:0\"))");
  }
  const std::size_t count = prepared.n_out;
  for (std::size_t i = 0; i < count; ++i) {
    const OutputMeta& result = prepared.out[i];
    const TensorRep& variable = *variables[i];
    if (result.dtype == variable.dtype && result.size == variable.size && variable.device == place.device->id) continue;
    fail(ErrorCode::Internal, call.op->called(), ": the update's result is ", result.dtype, " of ", result.shape,
         ", and its variable ", variable.dtype, " of ", variable.shape());
  }
  prepared.into = variables.data();
  Tensor results[kMaxOutputs];
  TensorRep* outs[kMaxOutputs];
  for (std::size_t i = 0; i < count; ++i) outs[i] = &results[i].rep();
  execute(context, call, prepared, outs);
  for (std::size_t i = 0; i < count; ++i) take_value(context, *variables[i], results[i].rep());
}

void make_variable(Context& context, const TensorRep& initial, bool trainable, TensorRep* variable) {
  const Context::Target& target = context.target(context.scopes->spec());
  LogicalDevice& device = *target.devices.front();
  Reason reason = target.reason;
  Runtime& runtime = context.runtime();
  std::vector<CopyEvent> copies;
  TensorRep made;
  made.clear();
  made.dtype = initial.dtype;
  made.device = device.id;
  if (can_share(runtime, made, initial)) {
    share(made, initial);
    made.device = device.id;
  } else {
    uint16_t from = initial.device;
    if (move_tensor(context, initial, device, &made)) copies.push_back(copy_event(context, from, made, device));
  }
  made.value = new_identity(trainable);
  context.tell_observers([](Observer& each) { each.makes_variable(); });
  report_op(context, "VarHandleOp", device, reason);
  report_op(context, "AssignVariableOp", device, Reason::Variable, std::move(copies));
  *variable = made;
}

void assign(Context& context, std::string_view name, TensorRep& variable, const Operand& value, Assign how,
            OriginRange literals) {
  int which = static_cast<int>(how);
  check_value(kCalled[which], name, variable, value, false);
  Runtime& runtime = context.runtime();
  if (how != Assign::Set) {
    Operand operands[2] = {{&variable, Scalar::of(false)}, as_variables(variable, value)};
    Call call(runtime.ops().get(kLogged[which]), operands, 2, 1);
    call.literals = literals;
    return run_update(context, call, variable);
  }
  if (value.tensor == nullptr) {
    Operand operands[1] = {value};
    Call call(runtime.ops().get("Fill"), operands, 1, 1);
    FillAttrs& attrs = call.as<FillAttrs>();
    attrs.dtype = variable.dtype;
    attrs.shape = Dims::of(variable.shape());
    return run_update(context, call, variable);
  }
  LogicalDevice& device = runtime.device(variable.device);
  if (can_share(runtime, variable, *value.tensor)) {
    if (literals.has(*value.tensor) && !is_variable(*value.tensor)) report_constant(context, *value.tensor);
    report_op(context, kLogged[0], device, Reason::Variable);
    take_value(context, variable, *value.tensor);
    return;
  }
  Operand operands[1] = {value};
  Call call(runtime.ops().get(kLogged[0]), operands, 1, 1);
  call.as<CastAttrs>().dtype = variable.dtype;
  call.literals = literals;
  run_update(context, call, variable);
}

void assign_slice(Context& context, std::string_view name, TensorRep& variable, const SliceAttrs& slice,
                  const Operand& value, OriginRange literals) {
  check_value("v[...] = value", name, variable, value, true);
  // If `value` is the variable or a slice of it, it must be read as it was: held here, the memory is not overwritten.
  Tensor before;
  if (value.tensor != nullptr && value.tensor->storage == variable.storage) share(before.rep(), variable);
  Operand operands[2] = {{&variable, Scalar::of(false)}, as_variables(variable, value)};
  if (value.tensor == &variable) operands[1].tensor = &before.rep();
  Call call(context.runtime().ops().get("StridedSliceAssign"), operands, 2, 1);
  call.as<SliceAttrs>() = slice;
  call.literals = literals;
  run_update(context, call, variable);
}

namespace {

// For one index tensor on the leading axes, with everything behind them kept: the indices as TensorScatterUpdate takes
// them, [..., k], and the shape of what they pick. False for any other index.
bool read_leading(Context& context, const TensorRep& variable, const AdvancedIndexAttrs& index,
                  std::span<const Operand> tensors, Tensor* indices, Shape* part) {
  if (tensors.size() != 1 || index.entries == 0 || index.kinds[0] < AdvancedIndexAttrs::kIndices) return false;
  for (int i = 0; i < index.basic.count; ++i) {
    if (!index.basic.all[i]) return false;
  }
  for (int i = 1; i < index.entries; ++i) {
    if (index.kinds[i] != AdvancedIndexAttrs::kBasic) return false;
  }
  Shape shape = tensors[0].tensor->shape();
  if (index.kinds[0] == AdvancedIndexAttrs::kIndices) {
    if (shape.rank() == kMaxRank) return false;
    shape.push(1);
  }
  int depth = static_cast<int>(shape[shape.rank() - 1]);
  if (shape.rank() - 1 + variable.rank - depth > kMaxRank) return false;
  *part = Shape();
  for (int i = 0; i + 1 < shape.rank(); ++i) part->push(shape[i]);
  for (int i = depth; i < variable.rank; ++i) part->push(variable.dims[i]);
  ForcedPlace place{&context.runtime().device(variable.device), Reason::Variable};
  Call call(context.runtime().ops().get("Reshape"), tensors.data(), 1, 1);
  call.as<ReshapeAttrs>().shape = Dims::of(shape);
  *indices = run_op(context, call, &place);
  return true;
}

}  // namespace

void assign_indexed(Context& context, std::string_view name, TensorRep& variable, const AdvancedIndexAttrs& index,
                    std::span<const Operand> tensors, const Operand& value, OriginRange literals) {
  check_value("v[...] = value", name, variable, value, true);
  // Inputs that are the variable or parts of it are read as they were.
  Tensor before, indices, broadcasted;
  share(before.rep(), variable);
  Operand operands[kMaxRank + 2] = {{&variable, Scalar::of(false)}, as_variables(variable, value)};
  if (value.tensor == &variable) operands[1].tensor = &before.rep();
  Shape part;
  if (!read_leading(context, variable, index, tensors, &indices, &part)) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      operands[i + 2] = tensors[i];
      if (tensors[i].tensor == &variable) operands[i + 2].tensor = &before.rep();
    }
    Call call(context.runtime().ops().get("AdvancedIndexPut"), operands, static_cast<int>(tensors.size()) + 2, 1);
    call.as<AdvancedIndexAttrs>() = index;
    call.literals = literals;
    return run_update(context, call, variable);
  }
  bool reads_itself = tensors[0].tensor->storage == variable.storage;
  if (const TensorRep* tensor = operands[1].tensor; tensor != nullptr) {
    reads_itself |= tensor->storage == variable.storage;
    Shape both, own = tensor->shape();
    require(broadcast(part, own, &both) && both == part, "v[...] = value: value has the shape ", own,
            ", which does not fit the part's ", part);
    if (own.rank() > 0 && own != part) {
      Call call(context.runtime().ops().get("BroadcastTo"), &operands[1], 1, 1);
      call.as<ReshapeAttrs>().shape = Dims::of(part);
      ForcedPlace place{&context.runtime().device(variable.device), Reason::Variable};
      broadcasted = run_op(context, call, &place);
      operands[1].tensor = &broadcasted.rep();
    }
  }
  if (!reads_itself) before = Tensor();
  const Operand ordered[3] = {operands[0], {&indices.rep(), Scalar::of(false)}, operands[1]};
  Call call(context.runtime().ops().get("TensorScatterUpdate"), ordered, 3, 1);
  call.as<IndexAttrs>().base.value = 1;
  call.literals = literals;
  run_update(context, call, variable);
}

void move_variable(Context& context, TensorRep& variable, LogicalDevice& to) {
  if (variable.device == to.id) return;
  Tensor held, moved;
  share(held.rep(), variable);
  held.rep().value = 0;  // a tape sees no op: the variable's value does not change
  move_tensor(context, held.rep(), to, &moved.rep());
  variable.device = to.id;
  take_value(context, variable, moved.rep());
}

void read_variable(Context& context, const TensorRep& variable, TensorRep* out) {
  report_op(context, "ReadVariableOp", context.runtime().device(variable.device), Reason::Variable);
  share(*out, variable);
  out->value = context.ledger().of_read(variable);
}

}  // namespace lutra
