// Indices of the largest and the smallest element, on cards.
#include "ops/argmax.h"

#include "kernels/cuda/reduce.h"
#include "ops/axes.h"

namespace lutra::cuda {
namespace {

template <class K> struct Found {
  K best;
  int64_t place;
};

// The first of the best; nan wins over any number. Elements are merged in any order.
template <class K, bool kMost> struct BestOfFound {
  using In = Found<K>;
  using Run = Found<K>;
  using Acc = Found<K>;
  using Next = BestOfFound;
  static constexpr Run open(In x) { return x; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) {
    bool a_nan = a.best != a.best, b_nan = b.best != b.best;
    bool b_better = b_nan ? !a_nan : !a_nan && (kMost ? b.best > a.best : b.best < a.best);
    bool same = (a_nan && b_nan) || a.best == b.best;
    return b_better || (same && b.place < a.place) ? b : a;
  }
};
// For halves, both zeros are equal.
template <class T, bool kMost> struct BestOf {
  using K = Ordered<T>;
  using In = T;
  using Run = K;
  using Acc = Found<K>;
  using Next = BestOfFound<K, kMost>;
  static constexpr Run open(In x) {
    K key = order_key<kMost>(x);
    if constexpr (kIsHalf<T>) return key == -1 ? K{0} : key;
    else return key;
  }
  static constexpr Acc lift(Run run, int64_t place) { return {run, place}; }
  static constexpr Acc merge(Acc a, Acc b) { return Next::merge(a, b); }
};

template <class T, bool kMost> struct Place {
  using Reducer = BestOf<T, kMost>;
  using Out = int64_t;
  static constexpr int64_t finish(Found<Ordered<T>> found, int64_t base) { return found.place + base; }
};

ReducePlan plan_of(const KernelArgs& args) {
  const Array& x = args.in[0];
  return ReducePlan(x, reduced_axes(args.as<ArgMaxAttrs>().axis, x.rank));
}

template <class T, bool kMost> void run(const KernelArgs& args) {
  reduce_to<Place<T, kMost>>(static_cast<const CudaLaunch&>(args), plan_of(args), args.as<ArgMaxAttrs>().base.value,
                             args.scratch, args.out[0].as<int64_t>());
}
template <class T, bool kMost> std::size_t scratch(const KernelArgs& args) {
  return reduce_bytes<Place<T, kMost>>(plan_of(args));
}

template <bool kMost> void add(CudaKernels& kernels, const char* name) {
  kernels.add_each(name, AllTypes{}, [](auto tag) {
    using T = Stored<typename decltype(tag)::type>;
    return KernelEntry{.run = run<T, kMost>, .scratch = scratch<T, kMost>};
  });
}

}  // namespace

void register_argmax_cuda(CudaKernels& kernels) {
  add<true>(kernels, "ArgMax");
  add<false>(kernels, "ArgMin");
}

}  // namespace lutra::cuda
