// Reductions over any set of axes. A pass reduces `size` elements along one group of axes to `lanes` results, each by
// one thread; passes follow each other until one result is left. In a stage's first pass a thread takes every lanes-th
// element, so that neighbouring threads read neighbouring elements; in later passes it takes contiguous ones. Which
// elements are merged, and in what order, depends on the shape alone: results are the same on every card and every
// time.
#pragma once

#include "kernels/cuda/indexed.h"
#include "kernels/element/reducers.h"
#include "kernels/indexing/reduce_plan.h"

namespace lutra::cuda {

struct ReducePass {
  int64_t outer, size, inner, lanes;
  int64_t chunk;  // contiguous elements of a lane; 0: they are `lanes` apart
  constexpr int64_t results() const { return outer * lanes * inner; }
};

// The passes of all stages of a plan, in order; the last of each stage leaves one lane.
struct ReducePasses {
  static constexpr int kMost = 32;
  int count = 0;
  ReducePass pass[kMost];

  explicit ReducePasses(const ReducePlan& plan) {
    for (int i = 0; i < plan.stages; ++i) {
      const auto& [outer, size, inner] = plan.stage[i];
      pass[count++] = {outer, size, inner, lanes_for(plan.stage[i].lines(), size, inner), 0};
      for (int64_t left = pass[count - 1].lanes; left > 1; left = pass[count - 1].lanes) {
        pass[count++] = {outer, left, inner, (left + kLeast - 1) / kLeast, kLeast};
      }
    }
  }

  static constexpr int64_t kLeast = 64;
  // Enough threads to fill a card, neighbours reading neighbours, with at least kLeast elements each.
  static int64_t lanes_for(int64_t lines, int64_t size, int64_t inner) {
    constexpr int64_t kThreads = 1 << 18, kWarp = 32;
    int64_t lanes = inner < kWarp && size >= 2 * kWarp ? kWarp : 1;
    while (lines * lanes < kThreads && size >= 2 * lanes * kLeast) lanes *= 2;
    return lanes;
  }

  // Accumulators of the passes before the last, which alternate between two buffers.
  int64_t room(int turn) const {
    int64_t most = 0;
    for (int i = turn; i + 1 < count; i += 2) most = std::max(most, pass[i].results());
    return most;
  }
};

template <class In, class To> struct ReduceArgs {
  Input<In> in;
  To* to;
  ReducePass pass;
  int64_t count;  // elements that make one result of the op
};

template <class R> LUTRA_DEVICE inline typename R::Run opened(typename R::In x) {
  if constexpr (kIsHalf<typename R::In> && std::is_same_v<typename R::Run, float>) return computed_in(x);
  else return R::open(x);
}

// A reducer that needs the position of an element along the axis has lift(run, place); one that needs its elements
// twice has LooksTwice and gathered(n, element).
template <class R> LUTRA_DEVICE typename R::Acc lifted(typename R::In x, int64_t place) {
  if constexpr (requires(typename R::Run run) { R::lift(run, place); }) return R::lift(opened<R>(x), place);
  else return R::lift(opened<R>(x));
}

// Each element is widened first: the time does not go into a card's arithmetic.
template <class R>
LUTRA_DEVICE typename R::Acc gathered(const typename R::In* x, int64_t n, int64_t step, int64_t first, int64_t apart) {
  if constexpr (requires { typename R::LooksTwice; }) {
    return R::gathered(n, [=](int64_t k) { return opened<R>(x[k * step]); });
  }
  typename R::Acc sum = lifted<R>(x[0], first);
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
  for (int64_t k = 1; k < n; ++k) sum = R::merge(sum, lifted<R>(x[k * step], first + k * apart));
  return sum;
}

// Finish makes the result from an accumulator: an op, or KeepAcc.
template <class R, class Finish, class To> LUTRA_GLOBAL void reduce_kernel(const ReduceArgs<typename R::In, To> args) {
  const ReducePass& pass = args.pass;
  const int64_t row = pass.lanes * pass.inner, results = pass.results();
  for (int64_t at = thread_index(); at < results; at += thread_count()) {
    if (args.in.data == nullptr) {
      args.to[at] = Finish::finish(lifted<R>(args.in.number, 0), args.count);
      continue;
    }
    int64_t outer, lane, column;
    if (results <= INT32_MAX) {  // 32 bits divide quicker
      uint32_t rest = static_cast<uint32_t>(at) % static_cast<uint32_t>(row), inner = static_cast<uint32_t>(pass.inner);
      outer = static_cast<uint32_t>(at) / static_cast<uint32_t>(row);
      lane = rest / inner;
      column = rest % inner;
    } else {
      outer = at / row;
      lane = at % row / pass.inner;
      column = at % pass.inner;
    }
    int64_t first = pass.chunk > 0 ? lane * pass.chunk : lane;
    int64_t apart = pass.chunk > 0 ? 1 : pass.lanes;
    int64_t n = (pass.size - first + apart - 1) / apart;
    if (pass.chunk > 0 && n > pass.chunk) n = pass.chunk;
    const typename R::In* x = args.in.data + (outer * pass.size + first) * pass.inner + column;
    args.to[at] = Finish::finish(gathered<R>(x, n, apart * pass.inner, first, apart), args.count);
  }
}

template <class Acc> struct KeepAcc {
  static constexpr Acc finish(Acc acc, int64_t) { return acc; }
};

template <class Op> std::size_t reduce_bytes(const ReducePlan& plan) {
  ReducePasses passes(plan);
  return static_cast<std::size_t>(passes.room(0) + passes.room(1)) * sizeof(typename Op::Reducer::Acc);
}

// An op is a struct as in kernels/element/reduce_ops.h; finish gets `count`. `scratch` has reduce_bytes.
template <class Op>
void reduce_to(const CudaLaunch& on, const ReducePlan& plan, int64_t count, std::byte* scratch,
               Stored<typename Op::Out>* out) {
  using First = typename Op::Reducer;
  using Next = typename First::Next;
  using Acc = typename First::Acc;
  using Out = Stored<typename Op::Out>;
  if (on.out[0].size == 0) return;
  if (plan.stages == 0) {  // no elements
    if constexpr (requires { First::kStart; }) {
      return run_indexed<Out>(on, Everywhere<Out>{Op::finish(First::lift(First::kStart), count)});
    } else {
      return run_indexed<Out>(on, Everywhere<Out>{Op::finish(Acc{}, count)});
    }
  }
  ReducePasses passes(plan);
  Acc* rooms[2] = {reinterpret_cast<Acc*>(scratch), reinterpret_cast<Acc*>(scratch) + passes.room(0)};
  for (int i = 0; i < passes.count && on.error == 0; ++i) {
    const ReducePass& pass = passes.pass[i];
    bool is_last = i + 1 == passes.count;
    Grid grid = grid_for(on, pass.results());
    // Integer accumulators are unsigned; the next pass reads them as its own element type.
    Input<typename Next::In> partial{reinterpret_cast<const typename Next::In*>(rooms[(i + 1) % 2]), {}};
    if (i == 0) {
      Input<typename First::In> in = input_of<typename First::In>(on.in[0]);
      if (is_last) launch(on, grid, reduce_kernel<First, Op, Out>, {in, out, pass, count});
      else launch(on, grid, reduce_kernel<First, KeepAcc<Acc>, Acc>, {in, rooms[0], pass, count});
    } else if (is_last) {
      launch(on, grid, reduce_kernel<Next, Op, Out>, {partial, out, pass, count});
    } else {
      launch(on, grid, reduce_kernel<Next, KeepAcc<Acc>, Acc>, {partial, rooms[i % 2], pass, count});
    }
  }
}

template <class Op> std::size_t reduce_scratch(const KernelArgs& args) {
  return reduce_bytes<Op>(ReducePlan::of(args));
}
template <class Op> void run_reduction(const KernelArgs& args) {
  ReducePlan plan = ReducePlan::of(args);
  reduce_to<Op>(static_cast<const CudaLaunch&>(args), plan, plan.count, args.scratch,
                args.out[0].as<Stored<typename Op::Out>>());
}

template <class Op> constexpr KernelEntry reduction() {
  return {.run = run_reduction<Op>, .scratch = reduce_scratch<Op>};
}

}  // namespace lutra::cuda
