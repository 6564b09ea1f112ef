// The indices of row-major positions on the CPU.

#include "ops/unravel.h"

#include "kernels/cpu/loops/elementwise.h"
#include "ops/axes.h"

namespace lutra {
namespace {

template <class T> void run_unravel(const KernelArgs& args) {
  const UnravelAttrs& attrs = args.as<UnravelAttrs>();
  const Array& x = args.in[0];
  const int rank = attrs.shape.count;
  const int64_t base = attrs.base.value, size = product(attrs.shape.v, 0, rank);
  const T* from = x.as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  parallel_for(x.size, kCheapGrain / 8, [&, from, out](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto given = static_cast<int64_t>(from[i]);
      const bool is_there = given >= base && given - base < size;
      if (!is_there) args.fault->raise(FaultCode::WrongValue, given, size);
      int64_t rest = is_there ? given - base : 0;
      for (int axis = rank - 1; axis >= 0; --axis) {
        int64_t along = std::max<int64_t>(attrs.shape.v[axis], 1);
        out[i * rank + axis] = base + rest % along;
        rest /= along;
      }
    }
  });
}

}  // namespace

void register_unravel_cpu(KernelRegistry& kernels) {
  kernels.add_each("UnravelIndex", DeviceType::CPU, AllInts{},
                   [](auto tag) { return KernelEntry{.run = run_unravel<typename decltype(tag)::type>}; });
}

}  // namespace lutra
