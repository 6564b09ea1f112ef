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

// Takes the results of a stage: they are kept for the next one, or finished into the output. It is one type for all ops
// with the same accumulator, so that the loops of a reducer are compiled once for all of them.
template <class Acc> struct StageResults {
  Acc* kept;  // null: at the last stage
  void* out;
  int64_t count;
  void (*finish)(const Acc* results, int64_t n, void* out, int64_t first, int64_t count);

  void operator()(int64_t first, const Acc* results, int64_t n) const {
    if (kept != nullptr) std::copy(results, results + n, kept + first);
    else finish(results, n, out, first, count);
  }
};

template <class Op>
void finish_results(const typename Op::Reducer::Acc* results, int64_t n, void* out, int64_t first, int64_t count) {
  auto* to = static_cast<typename Op::Out*>(out) + first;
  for (int64_t k = 0; k < n; ++k) to[k] = Op::finish(results[k], count);
}

// All stages of a plan that has some.
template <class First>
void reduce_stages(const KernelArgs& args, const ReducePlan& plan, StageResults<typename First::Acc> put) {
  using Next = typename First::Next;
  using Acc = typename First::Acc;
  Acc* partials = reinterpret_cast<Acc*>(args.scratch);
  Acc* rooms[2] = {partials + partials_of(plan), partials + partials_of(plan) + plan.room(0)};
  for (int i = 0; i < plan.stages; ++i) {
    put.kept = i + 1 < plan.stages ? rooms[i % 2] : nullptr;
    if (i == 0) {
      reduce_axis<First>(args.in[0].as<typename First::In>(), plan.stage[0], partials, put);
    } else {
      // Integer accumulators are unsigned; the next reduction reads them as its own element type.
      auto* from = reinterpret_cast<const typename Next::In*>(rooms[(i - 1) % 2]);
      reduce_axis<Next>(from, plan.stage[i], partials, put);
    }
  }
}

template <class Op> void reduce_to(const KernelArgs& args, typename Op::Out* out) {
  using First = typename Op::Reducer;
  ReducePlan plan = ReducePlan::of(args);
  if (plan.stages == 0) {  // no elements
    std::fill(out, out + args.out[0].size, Op::finish(First::lift(First::kStart), plan.count));
    return;
  }
  reduce_stages<First>(args, plan, {nullptr, out, plan.count, finish_results<Op>});
}

template <class Op> void run_reduction(const KernelArgs& args) {
  reduce_to<Op>(args, args.out[0].as<typename Op::Out>());
}

template <class Op> constexpr KernelEntry reduction() {
  return {.run = run_reduction<Op>, .scratch = reduce_scratch<Op>};
}

}  // namespace lutra
