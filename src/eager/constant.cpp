#include "eager/constant.h"

#include "eager/placer.h"

namespace lutra {

void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out) {
  if (!context.runtime().is_initialised()) context.devices();
  LogicalDevice& cpu = context.runtime().cpu();
  out->dtype = dtype;
  out->set_shape(shape);
  out->size = shape.size();
  out->value = 0;
  out->origin = 0;
  out->device = cpu.id;
  if (!cpu.keeps_inline(out->nbytes())) {
    Storage* storage = context.allocate(cpu, out->nbytes(), {"constant", dtype, shape});
    out->data = storage->data;
    out->storage = storage;
  } else {
    out->storage = nullptr;
  }
}

Placement constant_placement(Context& context, DType dtype) {
  return place(context, context.runtime().constant_op(), dtype);
}

void place_constant(Context& context, TensorRep* tensor) {
  const OpDef& op = context.runtime().constant_op();
  uint32_t spec = context.scopes->spec();
  Placement placement = constant_placement(context, tensor->dtype);
  LogicalDevice& device = *placement.device;
  if (!device.is_host()) {
    Storage* storage = context.allocate(device, tensor->nbytes(), {op.name, tensor->dtype, tensor->shape()});
    context.runtime().transfer().write(context, *tensor, device, *storage, CopyReason::Constant);
    drop(*tensor);
    tensor->data = storage->data;
    tensor->storage = storage;
  }
  tensor->device = device.id;
  tensor->origin = context.origins().record(op.logged(), spec, device, placement.reason);
  OriginDetail detail;
  if (context.placement_log().listens()) {
    detail.line = context.line();
    context.origins().record_detail(tensor->origin, detail);
  }
  if (tensor->storage != nullptr && tensor->storage->bytes >= kBigBytes) {
    if (detail.line.empty()) detail.line = context.line();
    context.origins().record_big(tensor->storage, *tensor, std::move(detail));
  }
}

void report_constant(Context& context, const TensorRep& tensor) {
  uint32_t spec = context.scopes->spec();
  if (!context.placement_log().listens() || context.spec(spec).device_type == "CPU") return;
  const char* name = context.runtime().constant_op().name;
  const std::string& device = context.runtime().device(tensor.device).full_name;
  PlacementEvent event{name, device, context.spec_text(spec), "", context.line(), {}};
  event.reason = reason_text(constant_placement(context, tensor.dtype).reason, name, event.requested);
  context.placement_log().executes(std::move(event));
}

}  // namespace lutra
