// Searching sorted sequences, and ranges, on cards. Ops that must count before they know their result's size stay on
// the CPU.
#include "kernels/cuda/elementwise.h"
#include "ops/count.h"

namespace lutra::cuda {
namespace {

template <class T> struct Searches {
  Input<T> sorted, values;
  int64_t* out;
  int64_t size, n, row, base;  // row: values that share a row of sorted
  bool right;                  // behind equal values
};
// In order, with nan after every number.
template <class C> constexpr bool is_before(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) return a < b || (b != b && a == a);
  else return a < b;
}
template <class T> LUTRA_GLOBAL void search_kernel(const Searches<T> args) {
  for (int64_t i = thread_index(); i < args.size; i += thread_count()) {
    const auto value = computed_in(args.values.data != nullptr ? args.values.data[i] : args.values.number);
    const int64_t first = i / args.row * args.n;
    int64_t at = 0;
    for (int64_t left = args.n; left > 0;) {
      int64_t half = left / 2, middle = first + at + half;
      const auto found = computed_in(args.sorted.data != nullptr ? args.sorted.data[middle] : args.sorted.number);
      bool goes_on = args.right ? !is_before(value, found) : is_before(found, value);
      at += goes_on ? half + 1 : 0;
      left = goes_on ? left - half - 1 : half;
    }
    args.out[i] = at + args.base;
  }
}
template <class T> void run_searchsorted(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array &sorted = args.in[0], &values = args.in[1];
  if (values.size == 0) return;
  int64_t row = sorted.rank > 1 ? values.dims[values.rank - 1] : values.size;
  Searches<T> searches{input_of<T>(sorted),
                       input_of<T>(values),
                       args.out[0].as<int64_t>(),
                       values.size,
                       sorted.dims[sorted.rank - 1],
                       row,
                       args.as<SearchAttrs>().base.value,
                       args.as<SearchAttrs>().right};
  launch(on, grid_for(on, values.size), search_kernel<T>, searches);
}

template <class T> struct RangeLimits {
  Input<T> low, high;
  T* out;
  FaultSlot* slot;
};
template <class T> LUTRA_GLOBAL void finite_range_kernel(const RangeLimits<T> args) {
  if (thread_index() != 0) return;
  const T low = args.low.data != nullptr ? *args.low.data : args.low.number;
  const T high = args.high.data != nullptr ? *args.high.data : args.high.number;
  const T limits[] = {low, high};
  for (const T limit : limits) {
    const auto value = static_cast<double>(computed_in(limit));
    if (value - value != 0) tell_fault(args.slot, FaultCode::WrongValue, value != value ? 0 : value < 0 ? -1 : 1);
  }
  const auto width = computed_in(high) - computed_in(low);
  if (width - width != 0) tell_fault(args.slot, FaultCode::WrongValue, 2);
  *args.out = low;
}
template <class T> void run_finite_range(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  launch(on, grid_for(on, 1), finite_range_kernel<T>,
         RangeLimits<T>{input_of<T>(args.in[0]), input_of<T>(args.in[1]), args.out[0].as<T>(), on.slot});
}

}  // namespace

void register_count_cuda(CudaKernels& kernels) {
  kernels.add_each("FiniteRange", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_finite_range<T>}; });
  kernels.add_each("LowerBound", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_searchsorted<T>}; });
}

}  // namespace lutra::cuda
