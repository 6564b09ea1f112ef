// Sums, means, products, extremes and logic over axes on the CPU.

#include "ops/reduce.h"

#include <limits>

#include "kernels/cpu/reduce_axes.h"

namespace lutra {
namespace {

template <class T> using SumResult = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

template <class T> struct Sum {
  using Reducer = SumOf<T>;
  using Out = SumResult<T>;
  static Out finish(typename Reducer::Acc sum, int64_t) {
    if constexpr (std::is_integral_v<T>) return static_cast<Out>(sum);
    else return rounded<T>(sum);
  }
};
template <class T> struct Prod {
  using Reducer = ProdOf<T>;
  using Out = SumResult<T>;
  static Out finish(typename Reducer::Acc product, int64_t) {
    if constexpr (std::is_integral_v<T>) return static_cast<Out>(product);
    else return rounded<T>(product);
  }
};
template <class T> struct Mean {
  using Reducer = SumOf<T>;
  using Out = T;
  static T finish(double sum, int64_t count) {
    return rounded<T>(count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN());
  }
};
template <class T> struct Max {
  using Reducer = MaxOf<T>;
  using Out = T;
  static T finish(Ordered<T> most, int64_t) { return from_order_key<T>(most); }
};
template <class T> struct Min {
  using Reducer = MinOf<T>;
  using Out = T;
  static T finish(Ordered<T> least, int64_t) { return from_order_key<T>(least); }
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

template <template <class> class Op, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types,
                   [](auto tag) { return reduction<Op<typename decltype(tag)::type>>(); });
}

}  // namespace

void register_reduce_cpu(KernelRegistry& kernels) {
  add<Sum>(kernels, "Sum", AllTypes{});
  add<Prod>(kernels, "Prod", AllTypes{});
  add<Mean>(kernels, "Mean", AllFloats{});
  add<Max>(kernels, "Max", AllNumbers{});
  add<Min>(kernels, "Min", AllNumbers{});
  kernels.add("All", DeviceType::CPU, kBool, reduction<All>());
  kernels.add("Any", DeviceType::CPU, kBool, reduction<Any>());
}

}  // namespace lutra
