// Vector norms on the CPU.

#include "kernels/element/vector_norm.h"

#include <vector>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/reduce_axes.h"
#include "kernels/element/complex_arithmetic.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

// Squares overflow for float64 beyond 2^512, and lose digits below 2^-511: such results are computed again from
// elements scaled nearer to 1.
template <int kScale, class Wrong> void take_anew(const KernelArgs& args, const Wrong& is_wrong) {
  double* out = args.out[0].as<double>();
  int64_t size = args.out[0].size;
  if (std::none_of(out, out + size, is_wrong)) return;
  std::vector<double> scaled(static_cast<std::size_t>(size));
  reduce_to<Norm2<double, kScale>>(args, scaled.data());
  for (int64_t i = 0; i < size; ++i) {
    if (is_wrong(out[i])) out[i] = scaled[static_cast<std::size_t>(i)];
  }
}

template <class T> void run_norm(const KernelArgs& args) {
  double ord = args.as<NormAttrs>().ord;
  if (ord == 1) return run_reduction<Norm1<T>>(args);
  if (ord != 2) return run_reduction<NormInf<T>>(args);
  run_reduction<Norm2<T, 0>>(args);
  if constexpr (std::is_same_v<T, double>) {
    take_anew<-1>(args, [](double y) { return y > std::numeric_limits<double>::max(); });
    take_anew<1>(args, [](double y) { return y < 0x1p-450; });
  }
}

// The norm of the magnitudes.
template <class T> void run_norm_of_complex(const KernelArgs& args) {
  const Complex<T>* x = args.in[0].as<Complex<T>>();
  std::vector<T> sizes(static_cast<std::size_t>(args.in[0].size));
  parallel_for(args.in[0].size, kCheapGrain / 8, [&, to = sizes.data()](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = size_of_complex(x[i]);
  });
  Array real = args.in[0];
  real.data = reinterpret_cast<std::byte*>(sizes.data());
  real.dtype = real_dtype(real.dtype);
  KernelArgs of_sizes = args;
  of_sizes.in = &real;
  run_norm<T>(of_sizes);
}

}  // namespace

void register_vector_norm_cpu(KernelRegistry& kernels) {
  kernels.add_each("Norm", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_norm<T>, .scratch = reduce_scratch<Norm2<T, 0>>};
  });
  kernels.add_each("Norm", DeviceType::CPU, ComplexTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type::Part;
    return KernelEntry{.run = run_norm_of_complex<T>, .scratch = reduce_scratch<Norm2<T, 0>>};
  });
}

}  // namespace lutra
