// Reductions over any set of axes: one group of neighbouring axes after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/loops/reduce.h"
#include "kernels/indexing/reduce_plan.h"

namespace lutra {

// Results of single blocks that a stage must keep until they are merged: the most of any stage.
inline int64_t partials_of(const ReducePlan& plan) {
  int64_t most = 0;
  for (int i = 0; i < plan.stages; ++i) most = std::max(most, partials_of(plan.stage[i]));
  return most;
}

// An op is a struct with Reducer, Out, and finish(acc, count), which makes the result from the accumulator of `count`
// elements.
template <class Op> std::size_t reduce_scratch(const KernelArgs& args) {
  ReducePlan plan = ReducePlan::of(args);
  return static_cast<std::size_t>(partials_of(plan) + plan.room(0) + plan.room(1)) * sizeof(typename Op::Reducer::Acc);
}

template <class Op> void reduce_to(const KernelArgs& args, typename Op::Out* out) {
  using First = typename Op::Reducer;
  using Next = typename First::Next;
  using Acc = typename First::Acc;
  ReducePlan plan = ReducePlan::of(args);
  if (plan.stages == 0) {  // no elements
    std::fill(out, out + args.out[0].size, Op::finish(First::lift(First::kStart), plan.count));
    return;
  }
  Acc* partials = reinterpret_cast<Acc*>(args.scratch);
  Acc* rooms[2] = {partials + partials_of(plan), partials + partials_of(plan) + plan.room(0)};
  for (int i = 0; i < plan.stages; ++i) {
    Acc* middle = i + 1 < plan.stages ? rooms[i % 2] : nullptr;
    auto put = [=, count = plan.count](int64_t first, const Acc* results, int64_t n) {
      if (middle != nullptr) {
        std::copy(results, results + n, middle + first);
      } else {
        for (int64_t k = 0; k < n; ++k) out[first + k] = Op::finish(results[k], count);
      }
    };
    if (i == 0) {
      reduce_axis<First>(args.in[0].as<typename First::In>(), plan.stage[0], partials, put);
    } else {
      // Integer accumulators are unsigned; the next reduction reads them as its own element type.
      auto* from = reinterpret_cast<const typename Next::In*>(rooms[(i - 1) % 2]);
      reduce_axis<Next>(from, plan.stage[i], partials, put);
    }
  }
}

template <class Op> void run_reduction(const KernelArgs& args) {
  reduce_to<Op>(args, args.out[0].as<typename Op::Out>());
}

template <class Op> constexpr KernelEntry reduction() {
  return {.run = run_reduction<Op>, .scratch = reduce_scratch<Op>};
}

}  // namespace lutra
