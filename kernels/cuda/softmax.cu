// Softmax and its logarithm on cards, and their gradients.
#include "ops/softmax.h"

#include "kernels/cuda/lines.h"
#include "kernels/element/elementary.h"

namespace lutra::cuda {
namespace {

template <class T, bool kLog> struct Softmax {
  using C = ComputeType<T>;
  LinesOf<T> x;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    auto value = [&](int64_t i) { return x.at(line.number, i); };
    const C most = line.gather(-std::numeric_limits<C>::infinity(), value, [](C a, C b) { return larger(a, b); });
    const double sum = line.sum([&](int64_t i) { return falling_exp(value(i) - most); });
    const C rest = static_cast<C>(kLog ? std::log(sum) : 1.0 / sum);
    line.each([&](int64_t i) {
      const C off = value(i) - most;
      out[x.place(line.number, i)] = rounded_to<T>(kLog ? off - rest : falling_exp(off) * rest);
    });
  }
};

// y (dy - sum(y dy)), or dy - e^y sum(dy) for the logarithm.
template <class T, bool kLog> struct SoftmaxGrad {
  using C = ComputeType<T>;
  LinesOf<T> y, dy;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    auto result = [&](int64_t i) { return y.at(line.number, i); };
    auto slope = [&](int64_t i) { return dy.at(line.number, i); };
    const C sum = static_cast<C>(line.sum([&](int64_t i) { return kLog ? slope(i) : result(i) * slope(i); }));
    line.each([&](int64_t i) {
      const C gradient = kLog ? slope(i) - exp_of(result(i)) * sum : result(i) * (slope(i) - sum);
      out[y.place(line.number, i)] = rounded_to<T>(gradient);
    });
  }
};

Extent extent_of(const KernelArgs& args) {
  const Array& array = args.out[0];
  return Extent::around(array.dims, array.rank, axis_of(args.as<SoftmaxAttrs>().axis, array.rank, -1));
}

template <class T, bool kLog> void run_softmax(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  Softmax<T, kLog> op{{args.in[0], extent}, args.out[0].as<T>()};
  run_lines(static_cast<const CudaLaunch&>(args), op, extent.lines(), extent.size, extent.inner);
}
template <class T, bool kLog> void run_softmax_grad(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  SoftmaxGrad<T, kLog> op{{args.in[0], extent}, {args.in[1], extent}, args.out[0].as<T>()};
  run_lines(static_cast<const CudaLaunch&>(args), op, extent.lines(), extent.size, extent.inner);
}

template <bool kLog> void add(CudaKernels& kernels, const char* name, const char* gradient) {
  kernels.add_each(name, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_softmax<typename decltype(tag)::type, kLog>}; });
  kernels.add_each(gradient, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_softmax_grad<typename decltype(tag)::type, kLog>}; });
}

}  // namespace

void register_softmax_cuda(CudaKernels& kernels) {
  add<false>(kernels, "Softmax", "SoftmaxGrad");
  add<true>(kernels, "LogSoftmax", "LogSoftmaxGrad");
}

}  // namespace lutra::cuda
