// The correlation of two sequences on the CPU.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/parallel.h"
#include "kernels/cpu/loops/elementwise.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

// Integers wrap, and short ones are added in 32 bits.
template <class T>
using SumOf =
    std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

// So many neighbouring results are summed in registers.
template <class T> constexpr int64_t kTile = 256 / static_cast<int64_t>(sizeof(SumOf<T>));
// Sums of so many products are added up, so that few rounding errors pile up.
constexpr int64_t kRun = 256;

// count results, at most kTile.
template <class T, bool is_whole> void correlate_tile(const T* x, const T* w, int64_t m, T* out, int64_t count) {
  using Sum = SumOf<T>;
  const int64_t n = is_whole ? kTile<T> : count;
  Sum total[kTile<T>] = {};
  for (int64_t first = 0; first < m; first += kRun) {
    Sum sum[kTile<T>] = {};
    const int64_t last = std::min(m, first + kRun);
    for (int64_t k = first; k < last; ++k) {
      const Sum factor = static_cast<Sum>(w[k]);
      for (int64_t i = 0; i < n; ++i) sum[i] += factor * static_cast<Sum>(x[k + i]);
    }
    for (int64_t i = 0; i < n; ++i) total[i] += sum[i];
  }
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(total[i]);
}

template <class T> void run_correlation(const KernelArgs& args) {
  const T *x = args.in[0].as<T>(), *w = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  const int64_t m = args.in[1].size;
  const int64_t grain = std::max(kTile<T>, row_grain(kCheapGrain, m));
  parallel_for(args.out[0].size, grain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kTile<T>) {
      // The last tile is a whole one too, over results that are there already.
      const int64_t at = std::max(begin, std::min(i, end - kTile<T>)), count = std::min(kTile<T>, end - at);
      if (count == kTile<T>) correlate_tile<T, true>(x + at, w, m, out + at, count);
      else correlate_tile<T, false>(x + at, w, m, out + at, count);
    }
  });
}

}  // namespace

void register_convolve_cpu(KernelRegistry& kernels) {
  kernels.add_each("Correlation", DeviceType::CPU,
                   TypeList<int8_t, uint8_t, int16_t, int32_t, int64_t, float, double>{},
                   [](auto tag) { return KernelEntry{.run = run_correlation<typename decltype(tag)::type>}; });
}

}  // namespace lutra
