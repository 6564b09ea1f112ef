// Sums, means, extremes and logic over axes on the CPU.

#include "ops/reduce.h"

#include <limits>

#include "kernels/cpu/reduce.h"

namespace lutra {
namespace {

// The axes to take away, the innermost first; neighbours that go together are one.
struct Plan {
  int stages = 0;
  Extent stage[kMaxRank];
  int64_t count = 1;  // elements that make one result

  Plan(const Array& x, uint32_t mask) {
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
    for (int i = 0; i < stages; ++i) most = std::max(most, stage[i].partials());
    return most;
  }
  // Results of the stages before the last take turns in two places.
  int64_t room(int i) const { return i + 1 < stages ? stage[i].results() : 0; }

  static Plan of(const KernelArgs& args) {
    const Array& x = args.in[0];
    return Plan(x, reduced_axes(args.as<ReduceAttrs>().axis, x.rank));
  }
};

// An op is a struct: Reducer, Out, and finish(acc, count), the result from what `count` elements were gathered in.
template <class T> struct Sum {
  using Reducer = SumOf<T>;
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static Out finish(typename Reducer::Acc sum, int64_t) { return static_cast<Out>(sum); }
};
template <class T> struct Mean {
  using Reducer = SumOf<T>;
  using Out = T;
  static T finish(double sum, int64_t count) {
    return count > 0 ? static_cast<T>(sum / static_cast<double>(count)) : std::numeric_limits<T>::quiet_NaN();
  }
};
template <class T> struct Max {
  using Reducer = MaxOf<T>;
  using Out = T;
  static T finish(T most, int64_t) { return most; }
};
template <class T> struct Min {
  using Reducer = MinOf<T>;
  using Out = T;
  static T finish(T least, int64_t) { return least; }
};
struct All {
  using Reducer = MinOf<uint8_t>;
  using Out = bool;
  static bool finish(uint8_t least, int64_t) { return least != 0; }
};
struct Any {
  using Reducer = MaxOf<uint8_t>;
  using Out = bool;
  static bool finish(uint8_t most, int64_t) { return most != 0; }
};

template <class Op> std::size_t scratch(const KernelArgs& args) {
  Plan plan = Plan::of(args);
  return static_cast<std::size_t>(plan.partials() + plan.room(0) + plan.room(1)) * sizeof(typename Op::Reducer::Acc);
}

template <class Op> void run(const KernelArgs& args) {
  using First = typename Op::Reducer;
  using Acc = typename First::Acc;
  Plan plan = Plan::of(args);
  typename Op::Out* out = args.out[0].as<typename Op::Out>();
  if (plan.stages == 0) {  // of nothing
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
    if (i == 0) reduce_axis<First>(args.in[0].as<typename First::In>(), plan.stage[0], partials, put);
    else reduce_axis<typename First::Next>(rooms[(i - 1) % 2], plan.stage[i], partials, put);
  }
}

template <class Op> constexpr KernelEntry entry() { return {.run = run<Op>, .scratch = scratch<Op>}; }

template <template <class> class Op, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) { return entry<Op<typename decltype(tag)::type>>(); });
}

}  // namespace

void register_argmax_cpu(KernelRegistry& kernels);  // argmax.cpp

void register_reduce_cpu(KernelRegistry& kernels) {
  add<Sum>(kernels, "Sum", ComputedNumbers{});
  kernels.add("Sum", DeviceType::CPU, kBool, entry<Sum<uint8_t>>());
  add<Mean>(kernels, "Mean", ComputedFloats{});
  add<Max>(kernels, "Max", ComputedNumbers{});
  add<Min>(kernels, "Min", ComputedNumbers{});
  kernels.add("All", DeviceType::CPU, kBool, entry<All>());
  kernels.add("Any", DeviceType::CPU, kBool, entry<Any>());
  register_argmax_cpu(kernels);
}

}  // namespace lutra
