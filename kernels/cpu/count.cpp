// Masks, counts and searches of sorted values on the CPU.

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/cpu/loops/reduce.h"
#include "kernels/indexing/places.h"
#include "ops/count.h"
#include "ops/index.h"

namespace lutra {
namespace {

// Elements are counted block by block, so that each block knows where its own results begin.
constexpr int64_t kMaskBlock = 16384;

template <class T> int64_t count_nonzero(const T* x, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += x[i] != T(0);
  return count;
}
template <> int64_t count_nonzero(const bool* x, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += x[i];
  return count;
}
// -0 is zero too: the sign bit is ignored.
int64_t count_half(const uint16_t* bits, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += (bits[i] & 0x7fff) != 0;
  return count;
}
template <> int64_t count_nonzero(const Float16* x, int64_t n) {
  return count_half(reinterpret_cast<const uint16_t*>(x), n);
}
template <> int64_t count_nonzero(const BFloat16* x, int64_t n) {
  return count_half(reinterpret_cast<const uint16_t*>(x), n);
}

template <class T> bool is_nonzero(T value) { return value != T(0); }

// Where the results of each block of x begin; one more entry holds their total number.
template <class T> std::vector<int64_t> block_starts(const Array& x) {
  int64_t blocks = (x.size + kMaskBlock - 1) / kMaskBlock;
  std::vector<int64_t> starts(static_cast<std::size_t>(blocks) + 1);
  parallel_for(blocks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      starts[static_cast<std::size_t>(b) + 1] =
          count_nonzero(x.as<T>() + b * kMaskBlock, std::min(kMaskBlock, x.size - b * kMaskBlock));
    }
  });
  for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
  return starts;
}

template <class T> int64_t count_all(const Array& x) {
  std::atomic<int64_t> total = 0;
  parallel_for(x.size, kCheapGrain,
               [&](int64_t begin, int64_t end) { total += count_nonzero(x.as<T>() + begin, end - begin); });
  return total;
}

// Calls f(result, element) for the results of each block, in order.
template <class T, class F> void each_nonzero(const Array& x, const F& f) {
  std::vector<int64_t> starts = block_starts<T>(x);
  parallel_for(static_cast<int64_t>(starts.size()) - 1, 1, [&](int64_t begin, int64_t end) {
    int64_t result = starts[static_cast<std::size_t>(begin)];
    const T* from = x.as<T>();
    int64_t last = std::min(x.size, end * kMaskBlock);
    // Collects indices without branches, which random masks would mispredict.
    constexpr int64_t kListed = 1024;
    int16_t listed[kListed];
    for (int64_t first = begin * kMaskBlock; first < last; first += kListed) {
      int64_t n = std::min(kListed, last - first), count = 0;
      for (int64_t i = 0; i < n; ++i) {
        listed[count] = static_cast<int16_t>(i);
        count += is_nonzero(from[first + i]);
      }
      for (int64_t j = 0; j < count; ++j) f(result++, first + listed[j]);
    }
  });
}

template <class T> void count_nonzero_rows(const KernelArgs& args) { args.out_count[0] = count_all<T>(args.in[0]); }

template <class T> void run_nonzero(const KernelArgs& args) {
  const Array& x = args.in[0];
  int64_t* out = args.out[0].as<int64_t>();
  int64_t base = args.as<IndexAttrs>().base.value;
  int rank = x.rank;
  if (rank == 1) {
    each_nonzero<T>(x, [=](int64_t result, int64_t element) { out[result] = element + base; });
    return;
  }
  each_nonzero<T>(x, [=, &x](int64_t result, int64_t element) {
    int64_t* row = out + result * rank;
    for (int axis = rank - 1; axis > 0; --axis) {
      int64_t outer = element / x.dims[axis];
      row[axis] = element - outer * x.dims[axis] + base;
      element = outer;
    }
    if (rank > 0) row[0] = element + base;
  });
}

// The bytes of a slice of t, whose leading axes are the mask's.
std::size_t part_bytes(const Array& t, const Array& mask) {
  return static_cast<std::size_t>(product(t.dims, mask.rank, t.rank)) * size_of(t.dtype);
}

void count_masked(const KernelArgs& args) { args.out_count[0] = count_all<bool>(args.in[1]); }

template <class E> void pick_masked(const Array& mask, const std::byte* from_bytes, std::byte* to_bytes) {
  const E* from = reinterpret_cast<const E*>(from_bytes);
  E* to = reinterpret_cast<E*>(to_bytes);
  each_nonzero<bool>(mask, [=](int64_t result, int64_t element) { to[result] = from[element]; });
}

void run_mask(const KernelArgs& args) {
  const Array& t = args.in[0];
  const Array& mask = args.in[1];
  std::byte* to = args.out[0].data;
  if (args.out[0].size == 0) return;
  std::size_t bytes = part_bytes(t, mask);
  if (by_size(bytes, [&]<class E>(TypeTag<E>) { pick_masked<E>(mask, t.data, to); })) return;
  each_nonzero<bool>(mask, [=, &t](int64_t result, int64_t element) {
    std::memcpy(to + static_cast<std::size_t>(result) * bytes, t.data + static_cast<std::size_t>(element) * bytes,
                bytes);
  });
}

// Slices of dy where the mask is true, zeros elsewhere.
void run_mask_grad(const KernelArgs& args) {
  const Array& dy = args.in[0];
  const Array& mask = args.in[1];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  std::size_t bytes = static_cast<std::size_t>(product(dy.dims, 1, dy.rank)) * size_of(dy.dtype);
  std::size_t all = static_cast<std::size_t>(out.size) * size_of(out.dtype);
  std::memset(out.data, 0, all);
  each_nonzero<bool>(mask, [=, &dy, &out](int64_t result, int64_t element) {
    if (result >= dy.dims[0]) return;  // a gradient of another shape than t[mask]'s
    std::memcpy(out.data + static_cast<std::size_t>(element) * bytes,
                dy.data + static_cast<std::size_t>(result) * bytes, bytes);
  });
}

// Finds the largest value, and reports the smallest if it is out of range.
template <class T> void count_bins(const KernelArgs& args) {
  const Array& x = args.in[0];
  const T* from = x.as<T>();
  int64_t base = args.as<BincountAttrs>().base.value;
  std::atomic<int64_t> most = base - 1, least = base;
  parallel_for(x.size, kCheapGrain, [&](int64_t begin, int64_t end) {
    T low = from[begin], high = from[begin];
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      low = std::min(low, reduce_part<MinOf<T>>(from + i, n));
      high = std::max(high, reduce_part<MaxOf<T>>(from + i, n));
    }
    for (int64_t known = most; high > known && !most.compare_exchange_weak(known, high);) {
    }
    for (int64_t known = least; low < known && !least.compare_exchange_weak(known, low);) {
    }
  });
  args.out_count[0] = 0;
  if (least >= base) {
    args.out_count[0] = std::max(most - base + 1, args.as<BincountAttrs>().minlength);
    return;
  }
  const T* first = std::find_if(from, from + x.size, [&](T value) { return value < base; });
  args.fault->raise(FaultCode::WrongValue, *first, base);
}

// Up to this many bins, each thread counts in bins of its own.
constexpr int64_t kOwnBins = 8192;

// The weights at equal values are added in order, in float64.
template <class T> void add_weights(const KernelArgs& args) {
  const Array &x = args.in[0], &weights = args.in[1], &out = args.out[0];
  const T* from = x.as<T>();
  const int64_t base = args.as<BincountAttrs>().base.value, step = static_cast<int64_t>(size_of(weights.dtype));
  std::vector<double> bins(static_cast<std::size_t>(out.size)), block(kBlock);
  for (int64_t first = 0; first < x.size; first += kBlock) {
    const int64_t n = std::min(kBlock, x.size - first);
    convert(DType::Float64, reinterpret_cast<std::byte*>(block.data()), weights.dtype, weights.data + first * step, n);
    for (int64_t i = 0; i < n; ++i) {
      bins[static_cast<std::size_t>(from[first + i] - base)] += block[static_cast<std::size_t>(i)];
    }
  }
  convert(out.dtype, out.data, DType::Float64, reinterpret_cast<const std::byte*>(bins.data()), out.size);
}

template <class T> void run_bincount(const KernelArgs& args) {
  if (args.n_in > 1) return add_weights<T>(args);
  const Array& x = args.in[0];
  const T* from = x.as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  int64_t base = args.as<BincountAttrs>().base.value, bins = args.out[0].size;
  std::fill(out, out + bins, int64_t{0});
  // A thread's own bins pay off if there are many elements per bin.
  int64_t grain = bins <= kOwnBins ? std::max(kCheapGrain, 16 * bins) : 4 * kCheapGrain;
  parallel_for(x.size, grain, [=, &x](int64_t begin, int64_t end) {
    if (begin == 0 && end == x.size) {  // the only thread
      for (int64_t i = begin; i < end; ++i) ++out[from[i] - base];
    } else if (bins <= kOwnBins) {
      std::vector<int64_t> own(static_cast<std::size_t>(bins));
      for (int64_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(from[i] - base)];
      for (int64_t bin = 0; bin < bins; ++bin) {
        std::atomic_ref(out[bin]).fetch_add(own[static_cast<std::size_t>(bin)], std::memory_order_relaxed);
      }
    } else {
      for (int64_t i = begin; i < end; ++i) {
        std::atomic_ref(out[from[i] - base]).fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
}

// In order, with nan after every number.
template <class C> bool is_before(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) return a < b || (b != b && a == a);
  else return a < b;
}

// `right`: behind equal values.
template <class T, bool right> void search_all(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Array& sorted = args.in[0];
  const Array& values = args.in[1];
  int64_t* out = args.out[0].as<int64_t>();
  int64_t base = args.as<SearchAttrs>().base.value, n = sorted.dims[sorted.rank - 1];
  int64_t row = sorted.rank > 1 ? values.dims[values.rank - 1] : values.size;  // values that share a row of sorted
  int64_t steps = std::bit_width(static_cast<uint64_t>(n));
  parallel_for(values.size, row_grain(kCheapGrain / 4, steps), [=, &sorted, &values](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      // Several searches in lockstep: each takes the same number of steps, and their cache misses overlap.
      constexpr int64_t kTogether = 16;
      int64_t together = std::min({kTogether, end - i, row - i % row});
      const T* first = sorted.as<T>() + i / row * n;
      C value[kTogether];
      int64_t at[kTogether] = {};
      for (int64_t j = 0; j < together; ++j) value[j] = static_cast<C>(values.as<T>()[i + j]);
      bool has_nan = false;
      for (int64_t j = 0; j < together; ++j) has_nan |= value[j] != value[j];
      auto search = [&](auto is_before_value) {
        // The answer is in [at, at + left].
        for (int64_t left = n; left > 0;) {
          int64_t half = (left + 1) / 2;
          for (int64_t j = 0; j < together; ++j) {
            at[j] += is_before_value(static_cast<C>(first[at[j] + half - 1]), value[j]) ? half : 0;
          }
          left -= half;
        }
      };
      // Only a nan comes after a nan.
      if constexpr (right) {
        if (has_nan) search([](C a, C b) { return !is_before(b, a); });
        else search([](C a, C b) { return a <= b; });
      } else {
        if (has_nan) search([](C a, C b) { return is_before(a, b); });
        else search(std::less<C>());
      }
      for (int64_t j = 0; j < together; ++j) out[i + j] = at[j] + base;
      i += together;
    }
  });
}

template <class T> void run_searchsorted(const KernelArgs& args) {
  if (args.as<SearchAttrs>().right) search_all<T, true>(args);
  else search_all<T, false>(args);
}

// A fault's value: -1, 0 or 1 for -inf, nan or inf; 2 for limits too far apart for their dtype.
template <class T> void run_finite_range(const KernelArgs& args) {
  const T low = *args.in[0].as<T>(), high = *args.in[1].as<T>();
  for (T limit : {low, high}) {
    const auto value = static_cast<double>(limit);
    if (!std::isfinite(value)) args.fault->raise(FaultCode::WrongValue, std::isnan(value) ? 0 : value < 0 ? -1 : 1);
  }
  const auto width = static_cast<ComputeType<T>>(high) - static_cast<ComputeType<T>>(low);
  if (!std::isfinite(width)) args.fault->raise(FaultCode::WrongValue, 2);
  *args.out[0].as<T>() = low;
}

}  // namespace

void register_count_cpu(KernelRegistry& kernels) {
  kernels.add_each("FiniteRange", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_finite_range<typename decltype(tag)::type>}; });
  auto nonzero = [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_nonzero<T>, .count = count_nonzero_rows<T>};
  };
  kernels.add_each("Where", DeviceType::CPU, EveryType{}, nonzero);
  kernels.add_each("LowerBound", DeviceType::CPU, AllTypes{},
                   [](auto tag) { return KernelEntry{.run = run_searchsorted<typename decltype(tag)::type>}; });
  kernels.add_each("Bincount", DeviceType::CPU, AllInts{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_bincount<T>, .count = count_bins<T>};
  });
  kernels.add("BooleanMask", DeviceType::CPU, kEveryDType, {.run = run_mask, .count = count_masked});
  kernels.add("BooleanMaskGrad", DeviceType::CPU, kFloats, {.run = run_mask_grad});
}

}  // namespace lutra
