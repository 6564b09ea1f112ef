// Products of sparse matrices on the CPU. Each number of the result is computed by one thread, which adds the elements
// in their order, so sums do not depend on the number of threads, nor on whether the elements are sorted.

#include "ops/sparse.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/cpu/loops/rows.h"
#include "kernels/indexing/places.h"

namespace lutra {
namespace {

int64_t row_size(const Array& matrix) { return matrix.rank == 1 ? 1 : matrix.dims[1]; }

// Whether all indices are from base on and in range. Reports the first that is not.
template <class I> bool are_in_range(const I* at, int64_t n, int64_t base, int64_t size, Fault* fault) {
  using U = std::make_unsigned_t<I>;
  constexpr int64_t kMost = std::numeric_limits<I>::max();
  const U first = static_cast<U>(base), limit = size > kMost ? static_cast<U>(kMost) : static_cast<U>(size);
  std::atomic<bool> all = true;
  parallel_for(n, 4 * kCheapGrain, [&](int64_t begin, int64_t end) {
    U outside = 0;
    for (int64_t i = begin; i < end; ++i)
      outside |= static_cast<U>(static_cast<U>(at[i]) - first) >= limit ? U(1) : U(0);
    if (outside != 0) all = false;
  });
  if (all || fault == nullptr) return all;
  for (int64_t i = 0; i < n; ++i) {
    int64_t index = static_cast<int64_t>(at[i]);
    if (index < base || index - base >= size) {
      report_index(*fault, index, base, size);
      break;
    }
  }
  return false;
}

template <class I> bool are_sorted(const I* rows, int64_t n) {
  std::atomic<bool> all = true;
  parallel_for(n - 1, 4 * kCheapGrain, [&](int64_t begin, int64_t end) {
    I is_later = 0;
    for (int64_t i = begin; i < end; ++i) is_later |= rows[i] > rows[i + 1] ? I(1) : I(0);
    if (is_later != 0) all = false;
  });
  return all;
}

template <class T, class I> struct Elements {
  const T* values;
  const I *rows, *columns;
  int64_t count, base;
  int64_t row(int64_t i) const { return static_cast<int64_t>(rows[i]) - base; }
  int64_t column(int64_t i) const { return static_cast<int64_t>(columns[i]) - base; }
};

// Results that are kept in registers, kRegisters * kLanes of one row, whose elements are [begin, end).
constexpr int kRegisterBytes = 64;
template <class C> struct InRegister { typedef C type __attribute__((vector_size(kRegisterBytes))); };
template <class C> constexpr int kLanes = kRegisterBytes / static_cast<int>(sizeof(C));

template <int kRegisters, class T, class I>
[[gnu::always_inline]] inline void add_registers(const Elements<T, I>& e, int64_t begin, int64_t end, const T* b,
                                                 int64_t width, T* to) {
  using R = typename InRegister<T>::type;
  R sum[kRegisters];
#pragma GCC unroll 4
  for (int r = 0; r < kRegisters; ++r) sum[r] = R{};
  for (int64_t i = begin; i < end; ++i) {
    const T value = e.values[i];
    const T* from = b + e.column(i) * width;
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) {
      R row;
      std::memcpy(&row, from + r * kLanes<T>, sizeof row);
      sum[r] += row * value;
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRegisters; ++r) std::memcpy(to + r * kLanes<T>, &sum[r], sizeof sum[r]);
}

// The results that fill no register, and those of halves, which must be converted.
template <class T, class I>
void add_some(const Elements<T, I>& e, int64_t begin, int64_t end, const T* b, int64_t width, int64_t n, T* to) {
  using C = ComputeType<T>;
  constexpr int64_t kMost = 64;
  for (int64_t k = 0; k < n; k += kMost, to += kMost, b += kMost) {
    const int64_t here = std::min(kMost, n - k);
    C sum[kMost] = {};
    for (int64_t i = begin; i < end; ++i) {
      const C value = static_cast<C>(e.values[i]);
      const T* from = b + e.column(i) * width;
      for (int64_t j = 0; j < here; ++j) sum[j] += static_cast<C>(from[j]) * value;
    }
    for (int64_t j = 0; j < here; ++j) to[j] = static_cast<T>(sum[j]);
  }
}

template <class T, class I>
void add_row(const Elements<T, I>& e, int64_t begin, int64_t end, const T* b, int64_t width, T* to) {
  int64_t k = 0;
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    for (; k + 4 * kLanes<T> <= width; k += 4 * kLanes<T>) add_registers<4>(e, begin, end, b + k, width, to + k);
    for (; k + kLanes<T> <= width; k += kLanes<T>) add_registers<1>(e, begin, end, b + k, width, to + k);
  }
  if (k < width) add_some(e, begin, end, b + k, width, width - k, to + k);
}

// Sorted elements: rows of the result in ranges of elements. A row belongs to the range that its first element is in.
template <class T, class I> void multiply_rows(const Elements<T, I>& e, const T* b, int64_t width, T* out) {
  parallel_for(e.count, row_grain(kCheapGrain / 4, width), [&](int64_t begin, int64_t end) {
    while (begin < end && begin > 0 && e.rows[begin] == e.rows[begin - 1]) ++begin;
    while (begin < end) {
      const I row = e.rows[begin];
      T* to = out + e.row(begin) * width;
      int64_t behind = begin;
      if (width == 1) {
        ComputeType<T> sum = 0;
        do {
          sum += static_cast<ComputeType<T>>(e.values[behind]) * static_cast<ComputeType<T>>(b[e.column(behind)]);
        } while (++behind < e.count && e.rows[behind] == row);
        *to = static_cast<T>(sum);
      } else {
        while (++behind < e.count && e.rows[behind] == row) {
        }
        add_row(e, begin, behind, b, width, to);
      }
      begin = behind;
    }
  });
}

// Elements in any order: each thread adds all of them to its columns of the result. `sums` are zeros.
template <class T, class I>
void multiply_columns(const Elements<T, I>& e, const T* b, int64_t width, ComputeType<T>* sums) {
  using C = ComputeType<T>;
  // As many columns as a cache line has.
  constexpr int64_t kTogether = 64 / static_cast<int64_t>(sizeof(C));
  parallel_for(width, row_grain(kCheapGrain, e.count), kTogether, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < e.count; ++i) {
      const C value = static_cast<C>(e.values[i]);
      const T* from = b + e.column(i) * width;
      C* __restrict to = sums + e.row(i) * width;
      for (int64_t k = begin; k < end; ++k) to[k] += static_cast<C>(from[k]) * value;
    }
  });
}

bool are_of(DType dtype, const Array& rows, const Array& columns) {
  return rows.dtype == dtype && columns.dtype == dtype;
}

// Copies of indices that are not both int32 or both int64.
std::size_t copied_indices(const Array& rows, const Array& columns) {
  bool are_alike = are_of(DType::Int32, rows, columns) || are_of(DType::Int64, rows, columns);
  return are_alike ? 0 : static_cast<std::size_t>(rows.size + columns.size);
}
const int64_t* copied(const Array& indices, int64_t* to) {
  visit_indices(indices, [&](auto* from) { std::copy_n(from, indices.size, to); });
  return to;
}

// Calls f(rows, columns) with pointers of one type.
template <class F> void with_indices(const Array& rows, const Array& columns, std::byte* scratch, const F& f) {
  if (are_of(DType::Int32, rows, columns)) return f(rows.as<const int32_t>(), columns.as<const int32_t>());
  if (are_of(DType::Int64, rows, columns)) return f(rows.as<const int64_t>(), columns.as<const int64_t>());
  auto* to = reinterpret_cast<int64_t*>(scratch);
  f(copied(rows, to), copied(columns, to + rows.size));
}

// Copied indices; for halves the sums too.
template <class T> std::size_t product_scratch(const KernelArgs& args) {
  std::size_t bytes = copied_indices(args.in[1], args.in[2]) * sizeof(int64_t);
  if (std::is_same_v<T, ComputeType<T>>) return bytes;
  return bytes + static_cast<std::size_t>(args.out[0].size) * sizeof(ComputeType<T>);
}
std::size_t sampled_scratch(const KernelArgs& args) { return copied_indices(args.in[2], args.in[3]) * sizeof(int64_t); }

template <class T> void run_product(const KernelArgs& args) {
  using C = ComputeType<T>;
  const SparseAttrs& attrs = args.as<SparseAttrs>();
  const Array &values = args.in[0], &b = args.in[3], &out = args.out[0];
  std::memset(out.data, 0, static_cast<std::size_t>(out.bytes()));
  const int64_t n = values.size, width = row_size(b), base = attrs.base.value;
  with_indices(args.in[1], args.in[2], args.scratch, [&]<class I>(const I* rows, const I* columns) {
    if (n == 0) return;
    // Of sorted rows the first and the last tell the range.
    const bool is_sorted = are_sorted(rows, n);
    if (!is_sorted || !are_in_range(rows, 1, base, attrs.size, nullptr) ||
        !are_in_range(rows + n - 1, 1, base, attrs.size, nullptr)) {
      if (!are_in_range(rows, n, base, attrs.size, args.fault)) return;
    }
    if (!are_in_range(columns, n, base, b.dims[0], args.fault) || out.size == 0) return;
    Elements<T, I> elements{values.as<T>(), rows, columns, n, base};
    if (is_sorted) return multiply_rows(elements, b.as<T>(), width, out.as<T>());
    if constexpr (std::is_same_v<T, C>) {
      multiply_columns(elements, b.as<T>(), width, out.as<T>());
    } else {
      C* sums = reinterpret_cast<C*>(args.scratch + copied_indices(args.in[1], args.in[2]) * sizeof(int64_t));
      std::fill(sums, sums + out.size, C(0));
      multiply_columns(elements, b.as<T>(), width, sums);
      for (int64_t i = 0; i < out.size; ++i) out.as<T>()[i] = static_cast<T>(sums[i]);
    }
  });
}

// Eight sums side by side, which fill registers.
template <class T> ComputeType<T> dot(const T* a, const T* b, int64_t n) {
  using C = ComputeType<T>;
  constexpr int kLanes = 8;
  C sums[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<C>(a[k + lane]) * static_cast<C>(b[k + lane]);
  }
  C sum = 0;
  for (; k < n; ++k) sum += static_cast<C>(a[k]) * static_cast<C>(b[k]);
  for (C each : sums) sum += each;
  return sum;
}

template <class T> void run_sampled(const KernelArgs& args) {
  const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
  const int64_t width = row_size(a), base = args.as<SparseAttrs>().base.value;
  with_indices(args.in[2], args.in[3], args.scratch, [&](auto* rows, auto* columns) {
    parallel_for(out.size, row_grain(kCheapGrain / 4, width), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = static_cast<int64_t>(rows[i]) - base, column = static_cast<int64_t>(columns[i]) - base;
        out.as<T>()[i] = static_cast<T>(dot(a.as<T>() + row * width, b.as<T>() + column * width, width));
      }
    });
  });
}

}  // namespace

void register_sparse_cpu(KernelRegistry& kernels) {
  kernels.add_each("SparseTensorDenseMatMul", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_product<T>, .scratch = product_scratch<T>};
  });
  kernels.add_each("SparseSampledProduct", DeviceType::CPU, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_sampled<typename decltype(tag)::type>, .scratch = sampled_scratch};
  });
}

}  // namespace lutra
