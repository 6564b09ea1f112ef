#include "eager/move_tensor.h"

#include <cstring>

#include "eager/prepare.h"

namespace lutra {

void set_storage(TensorRep& tensor, Storage* storage, const LogicalDevice& device) {
  if (device.keeps_inline(tensor.nbytes())) {
    std::memcpy(tensor.bytes, storage->data, tensor.nbytes());
    tensor.storage = nullptr;
    storage->release();
  } else {
    tensor.storage = storage;
    tensor.data = storage->data;
  }
}

bool move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out) {
  LogicalDevice& from = context.runtime().device(tensor.device);
  if (from.shares_memory_with(to)) {
    share(*out, tensor);
    out->device = to.id;
    if (is_variable(tensor)) out->value = context.ledger().of_read(tensor);
    return false;
  }
  bool was_copied;
  Storage* copy = context.runtime().transfer().fetch(context, tensor, to, &was_copied, CopyReason::Moved);
  *out = tensor;
  out->device = to.id;
  out->value = 0;
  set_storage(*out, copy, to);
  if (!context.ledger().is_recording()) return was_copied;
  // To a tape a copy is an Identity.
  Operand operands[1] = {{&tensor, Scalar::of(false)}};
  Call call(context.runtime().ops().get("Identity"), operands, 1);
  Prepared prepared{};
  prepared.op = call.op;
  prepared.device = &to;
  prepared.key = tensor.dtype;
  prepared.n_out = 1;
  context.ledger().record(call, prepared, &out);
  return was_copied;
}

CopyEvent copy_event(Context& context, uint16_t from, const TensorRep& tensor, const LogicalDevice& to) {
  return {context.runtime().device(from).full_name, to.full_name, tensor.shape(),
          static_cast<int64_t>(tensor.nbytes())};
}

}  // namespace lutra
