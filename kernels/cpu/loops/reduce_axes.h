// Reductions over any set of axes: one group of neighbouring axes after the other.
#pragma once

#include "kernels/cpu/loops/reduce.h"
#include "ops/axes.h"
#include "ops/reduce.h"

namespace lutra {

// The axes to reduce, innermost first; neighbouring ones are merged.
struct ReducePlan {
  int stages = 0;
  Extent stage[kMaxRank];
  int64_t count = 1;  // elements that make one result

  ReducePlan(const Array& x, uint32_t mask) {
    int64_t size[kMaxRank], outer = 1, inner = 1;
    bool is_reduced[kMaxRank];
    int groups = 0;
    for (int axis = 0; axis < x.rank; ++axis) {
      bool reduced = (mask >> axis & 1) != 0;
      if (reduced) count *= x.dims[axis];
      outer *= x.dims[axis];
      if (x.dims[axis] == 1) continue;
      if (groups > 0 && is_reduced[groups - 1] == reduced) {
        size[groups - 1] *= x.dims[axis];
        continue;
      }
      size[groups] = x.dims[axis];
      is_reduced[groups++] = reduced;
    }
    if (outer == 0) return;
    for (int group = groups - 1; group >= 0; --group) {
      outer /= size[group];
      if (is_reduced[group]) stage[stages++] = {outer, size[group], inner};
      else inner *= size[group];
    }
    if (stages == 0) stage[stages++] = {1, 1, inner};
  }

  int64_t partials() const {
    int64_t most = 0;
    for (int i = 0; i < stages; ++i) most = std::max(most, partials_of(stage[i]));
    return most;
  }
  // Results of the stages before the last alternate between two buffers.
  int64_t room(int i) const { return i + 1 < stages ? stage[i].lines() : 0; }

  static ReducePlan of(const KernelArgs& args) {
    const Array& x = args.in[0];
    return ReducePlan(x, reduced_axes(args.as<ReduceAttrs>().axis, x.rank));
  }
};

// An op is a struct with Reducer, Out, and finish(acc, count), which makes the result from the accumulator of `count`
// elements.
template <class Op> std::size_t reduce_scratch(const KernelArgs& args) {
  ReducePlan plan = ReducePlan::of(args);
  return static_cast<std::size_t>(plan.partials() + plan.room(0) + plan.room(1)) * sizeof(typename Op::Reducer::Acc);
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
  Acc* rooms[2] = {partials + plan.partials(), partials + plan.partials() + plan.room(0)};
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
