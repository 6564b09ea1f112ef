// Products of sparse matrices on the CPU. Each row of the result is computed by one thread, which adds the elements in
// their order, so sums do not depend on the number of threads.

#include "ops/sparse.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/cpu/loops/rows.h"
#include "kernels/indexing/places.h"

namespace lutra {
namespace {

int64_t row_size(const Array& matrix) { return matrix.rank == 1 ? 1 : matrix.dims[1]; }

// Whether all indices are from base on and in range. Reports the first that is not.
template <class I> bool are_in_range(const I* at, int64_t n, int64_t base, int64_t size, Fault* fault) {
  std::atomic<bool> all = true;
  parallel_for(n, 4 * kCheapGrain, [&](int64_t begin, int64_t end) {
    uint64_t outside = 0;
    for (int64_t i = begin; i < end; ++i) {
      uint64_t place = static_cast<uint64_t>(static_cast<int64_t>(at[i]) - base);
      outside |= place | (static_cast<uint64_t>(size) - 1 - place);
    }
    if (static_cast<int64_t>(outside) < 0) all = false;
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
    bool is_later = false;
    for (int64_t i = begin; i < end; ++i) is_later |= rows[i] > rows[i + 1];
    if (is_later) all = false;
  });
  return all;
}

// The elements of a matrix as loops visit them: as they stand, or by `order`, which lists them by rows, those of a row
// in their own order.
template <class T, class I, bool kHasOrder> struct Elements {
  const T* values;
  const I *rows, *columns;
  const int64_t* order;
  int64_t count, base;
  int64_t at(int64_t i) const { return kHasOrder ? order[i] : i; }
  int64_t row(int64_t i) const { return static_cast<int64_t>(rows[at(i)]) - base; }
  int64_t column(int64_t i) const { return static_cast<int64_t>(columns[at(i)]) - base; }
};

// A stable counting sort by rows. `ends` has room for a number per row.
template <class I>
void sort_by_rows(const I* rows, int64_t n, int64_t base, int64_t size, int64_t* order, int64_t* ends) {
  std::fill(ends, ends + size, int64_t{0});
  for (int64_t i = 0; i < n; ++i) ++ends[static_cast<int64_t>(rows[i]) - base];
  int64_t begin = 0;
  for (int64_t row = 0; row < size; ++row) {
    int64_t here = ends[row];
    ends[row] = begin;
    begin += here;
  }
  for (int64_t i = 0; i < n; ++i) order[ends[static_cast<int64_t>(rows[i]) - base]++] = i;
}

// kWidth results of one row, whose elements are [begin, end).
template <int kWidth, class E, class T>
[[gnu::always_inline]] inline void add_block(const E& e, int64_t begin, int64_t end, const T* b, int64_t width, T* to) {
  using C = ComputeType<T>;
  C sum[kWidth] = {};
  for (int64_t i = begin; i < end; ++i) {
    const C value = static_cast<C>(e.values[e.at(i)]);
    const T* from = b + e.column(i) * width;
    for (int k = 0; k < kWidth; ++k) sum[k] += value * static_cast<C>(from[k]);
  }
  for (int k = 0; k < kWidth; ++k) to[k] = static_cast<T>(sum[k]);
}

template <class E, class T> void add_row(const E& e, int64_t begin, int64_t end, const T* b, int64_t width, T* to) {
  int64_t k = 0;
  for (; k + 32 <= width; k += 32) add_block<32>(e, begin, end, b + k, width, to + k);
  for (; k + 8 <= width; k += 8) add_block<8>(e, begin, end, b + k, width, to + k);
  for (; k < width; ++k) add_block<1>(e, begin, end, b + k, width, to + k);
}

// Rows of the result in ranges of elements: a row belongs to the range that its first element is in.
template <class E, class T> void multiply(const E& e, const T* b, int64_t width, T* out) {
  parallel_for(e.count, row_grain(kCheapGrain / 4, width), [&](int64_t begin, int64_t end) {
    while (begin < end && begin > 0 && e.row(begin) == e.row(begin - 1)) ++begin;
    while (begin < end) {
      const int64_t row = e.row(begin);
      int64_t behind = begin + 1;
      while (behind < e.count && e.row(behind) == row) ++behind;
      add_row(e, begin, behind, b, width, out + row * width);
      begin = behind;
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

// Copied indices, the order, and a number per row to find it.
std::size_t product_scratch(const KernelArgs& args) {
  auto sorting = static_cast<std::size_t>(args.in[0].size + args.as<SparseAttrs>().size);
  return (copied_indices(args.in[1], args.in[2]) + sorting) * sizeof(int64_t);
}
std::size_t sampled_scratch(const KernelArgs& args) { return copied_indices(args.in[2], args.in[3]) * sizeof(int64_t); }

template <class T> void run_product(const KernelArgs& args) {
  const SparseAttrs& attrs = args.as<SparseAttrs>();
  const Array &values = args.in[0], &b = args.in[3], &out = args.out[0];
  std::memset(out.data, 0, static_cast<std::size_t>(out.bytes()));
  const int64_t n = values.size, width = row_size(b);
  auto* order = reinterpret_cast<int64_t*>(args.scratch) + copied_indices(args.in[1], args.in[2]);
  with_indices(args.in[1], args.in[2], args.scratch, [&]<class I>(const I* rows, const I* columns) {
    const int64_t base = attrs.base.value;
    if (!are_in_range(rows, n, base, attrs.size, args.fault)) return;
    if (!are_in_range(columns, n, base, b.dims[0], args.fault)) return;
    if (n == 0 || out.size == 0) return;
    if (are_sorted(rows, n)) {
      return multiply(Elements<T, I, false>{values.as<T>(), rows, columns, nullptr, n, base}, b.as<T>(), width,
                      out.as<T>());
    }
    sort_by_rows(rows, n, base, attrs.size, order, order + n);
    multiply(Elements<T, I, true>{values.as<T>(), rows, columns, order, n, base}, b.as<T>(), width, out.as<T>());
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
    return KernelEntry{.run = run_product<typename decltype(tag)::type>, .scratch = product_scratch};
  });
  kernels.add_each("SparseSampledProduct", DeviceType::CPU, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_sampled<typename decltype(tag)::type>, .scratch = sampled_scratch};
  });
}

}  // namespace lutra
