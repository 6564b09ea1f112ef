// Runs a function again, placed by a plan: the k-th op whose device is not fixed runs on the plan's k-th device.
#pragma once

#include <string>
#include <vector>

#include "eager/context.h"
#include "eager/placement_policy.h"

namespace lutra {

struct PlannedOp {
  std::string name;    // of the op: OpDef::name
  std::string inputs;  // operands_text
  std::string called;  // in the plan: "MatMul#3"
  LogicalDevice* device;
  mutable uint64_t known = 0;  // a hash of operands that have been compared and are the plan's
};

class PlannedRun final : public PlacementPolicy {
 public:
  // `ops` must live as long as this.
  // Lenient: from the first op that differs on, the rules place, and `mismatch` says why.
  PlannedRun(Context& context, const std::vector<PlannedOp>& ops, bool is_lenient = false)
      : ops_(ops), scopes_(context.scopes), context_(context), is_lenient_(is_lenient) {}

  // Fails (FailedPrecondition) if the op or its operands differ from the plan's.
  LogicalDevice* place(const OpDef& op, DType key, const Call* call, std::span<LogicalDevice* const> allowed) override;
  void executed(const Call& call, const Prepared& prepared, TensorRep* const* outs) override;
  // Fails (FailedPrecondition) if the function ran fewer ops than the plan has.
  void check_complete() const;
  const std::string& mismatch() const { return mismatch_; }

 private:
  LogicalDevice* differs(std::string text);

  const std::vector<PlannedOp>& ops_;
  const ScopeStack* const scopes_;  // the coroutine that runs the plan: ops of others keep to the rules
  Context& context_;
  const bool is_lenient_;
  std::string mismatch_;
  std::size_t next_ = 0;
  const OpDef* asked_ = nullptr;
};

}  // namespace lutra
