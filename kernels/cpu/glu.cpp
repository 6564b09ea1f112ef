// The gated linear unit on the CPU, in one pass.

#include "kernels/element/glu.h"

#include <algorithm>

#include "kernels/cpu/loops/elementwise.h"
#include "ops/axes.h"
#include "ops/softmax.h"

namespace lutra {
namespace {

template <class T> void run_glu(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Extent extent = Extent::around(out.dims, out.rank, axis_of(args.as<SoftmaxAttrs>().axis, out.rank, -1));
  const int64_t half = extent.size * extent.inner;  // the elements of a half, which are neighbours
  parallel_for(out.size, Glu::kGrain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t at = begin % half, n = std::min(half - at, end - begin);
      const T* from = x.as<T>() + begin / half * 2 * half + at;
      binary_row<Glu, T, T>(from, 1, from + half, 1, out.as<T>() + begin, n);
      begin += n;
    }
  });
}

}  // namespace

void register_glu_cpu(KernelRegistry& kernels) {
  kernels.add_each("Glu", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_glu<typename decltype(tag)::type>}; });
}

}  // namespace lutra
