// Sums, products and running sums of complex tensors on the CPU. They are accumulated in float64.

#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/loops/reduce_axes.h"
#include "kernels/cpu/scan/scans.h"
#include "kernels/element/complex_reducers.h"
#include "ops/axes.h"
#include "ops/linalg.h"

namespace lutra {
namespace {

template <class E> struct ComplexSum {
  using Reducer = SumOf<E>;
  using Out = E;
  static constexpr E finish(Complex128 acc, int64_t) { return E(acc); }
};
template <class E> struct ComplexMean : ComplexSum<E> {
  static constexpr E finish(Complex128 acc, int64_t count) {
    const double n = static_cast<double>(count);
    return E(Complex128(acc.re / n, acc.im / n));
  }
};
template <class E> struct ComplexProduct : ComplexSum<E> { using Reducer = ProdOf<E>; };

template <template <class> class Op> void add_reduction(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, ComplexTypes{},
                   [](auto tag) { return reduction<Op<typename decltype(tag)::type>>(); });
}

// One chain for each line.
template <class S> void run_lines(const KernelArgs& args) {
  using E = typename S::In;
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  const E* x = args.in[0].as<E>();
  E* out = args.out[0].as<E>();
  if (args.in[0].size == 0) return;
  const scans::Lines lines(args.in[0], attrs);
  const int64_t inner = lines.extent.inner;
  parallel_for(lines.extent.lines(), row_grain(kCheapGrain / 4, lines.extent.size), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t at = lines.at(line / inner, 0) + line % inner;
      Complex128 total = S::kStart;
      for (int64_t i = 0; i < lines.extent.size; ++i, at += lines.step) {
        const Complex128 before = total;
        total = S::merge(total, S::open(x[at]));
        out[at] = E(attrs.exclusive ? before : total);
      }
    }
  });
}

// y[i] = b[i] + x[i-1] y[i-1]; exclusive: with b[i-1].
template <class T> void run_recurrence(const KernelArgs& args) {
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  if (args.in[0].size == 0) return;
  const scans::Lines lines(args.in[0], attrs);
  const T* x = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  const int64_t inner = lines.extent.inner;
  parallel_for(lines.extent.lines(), row_grain(kCheapGrain / 4, lines.extent.size), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t at = lines.at(line / inner, 0) + line % inner;
      Complex128 y{}, carried{}, added{};
      for (int64_t i = 0; i < lines.extent.size; ++i, at += lines.step) {
        y = carried + (attrs.exclusive ? added : Complex128(b[at]));
        carried = Complex128(x[at]) * y;
        added = Complex128(b[at]);
        out[at] = T(y);
      }
    }
  });
}

// The product of all before an element times the product of all behind it.
template <class T> void run_others(const KernelArgs& args) {
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  if (args.in[0].size == 0) return;
  const scans::Lines lines(args.in[0], attrs);
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  const int64_t inner = lines.extent.inner;
  parallel_for(lines.extent.lines(), row_grain(kCheapGrain / 4, lines.extent.size), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t at = lines.at(line / inner, 0) + line % inner;
      Complex128 before(1.0), behind(1.0);
      for (int64_t i = 0; i < lines.extent.size; ++i, at += lines.step) {
        out[at] = T(before);
        before *= Complex128(x[at]);
      }
      for (int64_t i = 0; i < lines.extent.size; ++i) {
        at -= lines.step;
        out[at] = T(Complex128(out[at]) * behind);
        behind *= Complex128(x[at]);
      }
    }
  });
}

template <class T> void run_trace(const KernelArgs& args) {
  const Array& x = args.in[0];
  const int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  for (int64_t i = 0; i < args.out[0].size; ++i) {
    Complex128 sum{};
    for (int64_t d = 0; d < std::min(rows, columns); ++d) {
      sum += Complex128(x.as<T>()[i * rows * columns + d * (columns + 1)]);
    }
    args.out[0].as<T>()[i] = T(sum);
  }
}

}  // namespace

void add_complex_sums(KernelRegistry& kernels) {
  add_reduction<ComplexSum>(kernels, "Sum");
  add_reduction<ComplexMean>(kernels, "Mean");
  add_reduction<ComplexProduct>(kernels, "Prod");
  auto add = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, ComplexTypes{}, make); };
  add("Cumsum", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_lines<SumOf<T>>}; });
  add("Cumprod", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_lines<ProdOf<T>>}; });
  add("LinearRecurrence", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_recurrence<T>}; });
  add("ProdOthers", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_others<T>}; });
  add("Trace", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_trace<T>}; });
}

}  // namespace lutra
