// May choose the devices of ops instead of the default order, and receives every op that has run: planned runs and the
// recorder of plans. A Context has none or one (Context::set_policy). Without one an op costs nothing more.
#pragma once

#include <span>

#include "eager/prepare.h"

namespace lutra {

class PlacementPolicy {
 public:
  virtual ~PlacementPolicy() = default;
  // Called if an op's device is not fixed: by the scopes' rules it would run on one of `allowed`, in this order. Not
  // called for ops that write variables or move no data, for the inner ops of composed ones, or if the scope's first
  // device is a CPU. Null: the rules decide. May throw: then the op is refused. May be called more than once for one
  // op.
  virtual LogicalDevice* place(const OpDef& op, DType key, const Call* call,
                               std::span<LogicalDevice* const> allowed) = 0;
  // After each op, but not after inner ops of composed ones.
  virtual void executed(const Call& call, const Prepared& prepared, TensorRep* const* outs) = 0;
};

}  // namespace lutra
