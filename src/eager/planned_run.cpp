#include "eager/planned_run.h"

#include <algorithm>

#include "core/error.h"
#include "eager/op_recorder.h"

namespace lutra {
namespace {

// Of the op and its operands' dtypes and shapes; never 0.
uint64_t hash_of(const OpDef& op, const Call& call) {
  uint64_t hash = 0xcbf29ce484222325 ^ op.id;  // FNV-1a
  auto add = [&hash](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr) {
      add(1);
      continue;
    }
    add(2 + static_cast<uint64_t>(tensor->dtype) * 16 + tensor->rank);
    for (int axis = 0; axis < tensor->rank; ++axis) add(static_cast<uint64_t>(tensor->dims[axis]));
  }
  return hash | 1;
}

std::string with_operands(std::string_view name, std::string_view operands) {
  return operands.empty() ? std::string(name) : text(name, " of ", operands);
}

}  // namespace

LogicalDevice* PlannedRun::place(const OpDef& op, DType, const Call* call, std::span<LogicalDevice* const> allowed) {
  if (context_.scopes != scopes_ || !mismatch_.empty()) return nullptr;
  if (next_ >= ops_.size()) {
    return differs(text("the function runs ", op.name, " after the ", ops_.size(),
                        " ops of the plan: it does something else than when it was recorded"));
  }
  const PlannedOp& planned = ops_[next_];
  const uint64_t hash = call != nullptr ? hash_of(op, *call) : 0;
  if (call != nullptr && planned.known != hash) {
    const std::string operands = operands_text(*call);
    if (planned.name != op.name || planned.inputs != operands) {
      return differs(text("op ", next_ + 1, " is ", with_operands(op.logged(*call), operands), ", and the plan has ",
                          with_operands(planned.called, planned.inputs),
                          " there: the function or its shapes have changed since it was recorded"));
    }
    planned.known = hash;
  }
  asked_ = &op;
  if (std::find(allowed.begin(), allowed.end(), planned.device) != allowed.end()) return planned.device;
  // A scope does not allow it: the rules decide. Or a reset has taken it.
  std::span<LogicalDevice* const> here = context_.devices();
  if (std::find(here.begin(), here.end(), planned.device) != here.end()) return nullptr;
  return differs(
      text(planned.device->full_name, ", where op ", next_ + 1, " (", op.name, ") runs, is not here any more"));
}

void PlannedRun::executed(const Call& call, const Prepared&, TensorRep* const*) {
  if (asked_ != call.op) return;
  asked_ = nullptr;
  ++next_;
}

LogicalDevice* PlannedRun::differs(std::string text) {
  if (!is_lenient_) throw Error(ErrorCode::FailedPrecondition, "plan: " + text + "; optimise it again");
  mismatch_ = std::move(text);
  return nullptr;
}

void PlannedRun::check_complete() const {
  if (next_ == ops_.size() || is_lenient_) return;
  fail(ErrorCode::FailedPrecondition, "plan: the function ran ", next_, " of the ", ops_.size(),
       " ops that it ran when it was recorded, and the next was to be ",
       with_operands(ops_[next_].called, ops_[next_].inputs), "; optimise it again");
}

}  // namespace lutra
