// What ops do, counted as instructions of the call that runs them: some for each op, and one for 16 floating-point
// operations or 64 bytes.
#pragma once

#include "eager/context.h"
#include "eager/launch.h"
#include "lua/border/limits.h"

namespace lutra {

class OpCounter final : public Observer {
 public:
  explicit OpCounter(Limits& limits) : limits_(limits) {}
  void op_begins(const Call&, const Prepared&) override { limits_.count(kPerOp); }
  void launches(const Launch& launch) override {
    const Cost cost = cost_of(launch.args);
    limits_.count(static_cast<int64_t>(cost.flops / kFlops) + static_cast<int64_t>(cost.bytes) / kBytes);
  }

 private:
  static constexpr int64_t kPerOp = 20, kBytes = 64;
  static constexpr double kFlops = 16;
  Limits& limits_;
};

}  // namespace lutra
