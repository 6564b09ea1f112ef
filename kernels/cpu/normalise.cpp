// Normalisation on the CPU: by given statistics, and by each row's own.

#include <cmath>

#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/row_sums.h"
#include "kernels/cpu/loops/rows.h"
#include "ops/normalise.h"

namespace lutra {
namespace {

// A vector for the last axis, in the type it is computed in.
template <class T> std::vector<ComputeType<T>> vector_of(const Array& array) {
  std::vector<ComputeType<T>> out(static_cast<std::size_t>(array.size));
  load(array.as<T>(), array.size, out.data());
  return out;
}

// (x - mean) scale + offset, with vectors as long as a row. Several short rows are computed at a time.
template <class T> struct BatchNorm {
  using C = ComputeType<T>;
  static constexpr int64_t kWide = 64;

  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    int64_t n = RowSizes(out).columns, wide = n >= kWide ? n : kWide / n * n;
    const double epsilon = args.as<NormalizeAttrs>().epsilon;
    std::vector<C> mean = vector_of<T>(args.in[1]), var = vector_of<T>(args.in[2]), scale = vector_of<T>(args.in[3]),
                   offset = vector_of<T>(args.in[4]);
    for (int64_t k = 0; k < n; ++k) {
      auto i = static_cast<std::size_t>(k);
      scale[i] = static_cast<C>(static_cast<double>(scale[i]) / std::sqrt(static_cast<double>(var[i]) + epsilon));
    }
    for (std::vector<C>* vector : {&mean, &scale, &offset}) {
      vector->resize(static_cast<std::size_t>(wide));
      for (int64_t k = n; k < wide; ++k)
        (*vector)[static_cast<std::size_t>(k)] = (*vector)[static_cast<std::size_t>(k - n)];
    }
    const T* x = args.in[0].as<T>();
    parallel_for((out.size + wide - 1) / wide, row_grain(kCheapGrain, wide),
                 [&, to = out.as<T>(), total = out.size](int64_t begin, int64_t end) {
                   for (int64_t first = begin * wide; first < std::min(total, end * wide); first += wide) {
                     normalise(x + first, std::min(wide, total - first), mean.data(), scale.data(), offset.data(),
                               to + first);
                   }
                 });
  }

 private:
  static void normalise(const T* x, int64_t n, const C* mean, const C* scale, const C* offset, T* __restrict out) {
    for (int64_t k = 0; k < n; ++k) {
      out[k] = static_cast<T>((static_cast<C>(x[k]) - mean[k]) * scale[k] + offset[k]);
    }
  }
};

// sum over rows of (x - mean) dy
template <class T> struct CenteredDot {
  using C = ComputeType<T>;
  static std::size_t scratch(const KernelArgs& args) {
    RowSizes sizes(args.in[0]);
    return static_cast<std::size_t>(row_partials(sizes.rows, sizes.columns)) * sizeof(double);
  }
  static void run(const KernelArgs& args) {
    RowSizes sizes(args.in[0]);
    int64_t n = sizes.columns;
    std::vector<C> mean = vector_of<T>(args.in[1]);
    const T *x = args.in[0].as<T>(), *dy = args.in[2].as<T>();
    sum_rows(sizes.rows, n, reinterpret_cast<double*>(args.scratch), args.out[0].as<T>(), [&, x, dy, n] {
      return [x, dy, n, means = mean.data()](int64_t r, C* __restrict run) {
        const T *row = x + r * n, *row_dy = dy + r * n;
        for (int64_t k = 0; k < n; ++k) {
          run[k] += (static_cast<C>(row[k]) - means[k]) * static_cast<C>(row_dy[k]);
        }
      };
    });
  }
};

// A row's mean and 1 / sqrt(variance + epsilon).
template <class C> struct RowStatistics {
  C mean, inverse;

  RowStatistics(const C* x, int64_t n, double epsilon) {
    mean = static_cast<C>(sum_of(x, n) / static_cast<double>(n));
    const double squares = sum_terms<C>(n, [x, mean = mean](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
    inverse = static_cast<C>(1.0 / std::sqrt(squares / static_cast<double>(n) + epsilon));
  }
};

template <class T> struct LayerNorm {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    RowSizes sizes(out);
    int64_t n = sizes.columns;
    const double epsilon = args.as<NormalizeAttrs>().epsilon;
    const std::vector<C> scale = vector_of<T>(args.in[1]), offset = vector_of<T>(args.in[2]);
    Rows<T> rows(args.in[0], out.dims, out.rank);
    parallel_for(sizes.rows, row_grain(kCostlyGrain, n), [&, to = out.as<T>()](int64_t begin, int64_t end) {
      std::vector<C> room = rows.room();
      const C *s = scale.data(), *o = offset.data();
      for (int64_t r = begin; r < end; ++r) {
        const C* x = rows.row(r, room.data());
        const RowStatistics<C> row(x, n, epsilon);
        T* __restrict result = to + r * n;
        for (int64_t k = 0; k < n; ++k) result[k] = static_cast<T>((x[k] - row.mean) * row.inverse * s[k] + o[k]);
      }
    });
  }
};

// inverse (v - mean(v) - x mean(v x)), v = dy scale and x the normalised row
template <class T> struct LayerNormGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    RowSizes sizes(out);
    int64_t n = sizes.columns;
    const double epsilon = args.as<NormalizeAttrs>().epsilon;
    const std::vector<C> scale = vector_of<T>(args.in[1]);
    Rows<T> rows(args.in[0], out.dims, out.rank), gradients(args.in[2], out.dims, out.rank);
    parallel_for(sizes.rows, row_grain(kCostlyGrain, n), [&, to = out.as<T>()](int64_t begin, int64_t end) {
      std::vector<C> room = rows.room(), room_dy = gradients.room(), v(static_cast<std::size_t>(n)),
                     along(static_cast<std::size_t>(n));
      for (int64_t r = begin; r < end; ++r) {
        const C *x = rows.row(r, room.data()), *dy = gradients.row(r, room_dy.data());
        const RowStatistics<C> row(x, n, epsilon);
        one_row(row, x, dy, scale.data(), n, v.data(), along.data(), to + r * n);
      }
    });
  }

 private:
  static void one_row(const RowStatistics<C>& row, const C* x, const C* dy, const C* scale, int64_t n, C* __restrict v,
                      C* __restrict along, T* __restrict out) {
    for (int64_t k = 0; k < n; ++k) {
      v[k] = dy[k] * scale[k];
      along[k] = v[k] * ((x[k] - row.mean) * row.inverse);
    }
    const C mean = mean_of(v, n), share = mean_of(along, n);
    for (int64_t k = 0; k < n; ++k) {
      C normal = (x[k] - row.mean) * row.inverse;
      out[k] = static_cast<T>(row.inverse * (v[k] - mean - normal * share));
    }
  }
  static C mean_of(const C* values, int64_t n) { return static_cast<C>(sum_of(values, n) / static_cast<double>(n)); }
};

// The sum over rows of dy times the normalised row.
template <class T> struct LayerNormScaleGrad {
  using C = ComputeType<T>;
  static std::size_t scratch(const KernelArgs& args) { return CenteredDot<T>::scratch(args); }
  static void run(const KernelArgs& args) {
    const Array& x = args.in[0];
    RowSizes sizes(x);
    int64_t n = sizes.columns;
    const double epsilon = args.as<NormalizeAttrs>().epsilon;
    Rows<T> rows(x, x.dims, x.rank);
    const T* dy = args.in[1].as<T>();
    sum_rows(sizes.rows, n, reinterpret_cast<double*>(args.scratch), args.out[0].as<T>(), [&] {
      return [&rows, dy, n, epsilon, room = rows.room()](int64_t r, C* __restrict run) mutable {
        const C* row = rows.row(r, room.data());
        const RowStatistics<C> statistics(row, n, epsilon);
        const T* row_dy = dy + r * n;
        for (int64_t k = 0; k < n; ++k) {
          run[k] += static_cast<C>(row_dy[k]) * ((row[k] - statistics.mean) * statistics.inverse);
        }
      };
    });
  }
};

}  // namespace

void register_normalise_cpu(KernelRegistry& kernels) {
  add_kernels<BatchNorm>(kernels, "BatchNorm", AllFloats{});
  add_kernels<CenteredDot>(kernels, "CenteredDot", AllFloats{});
  add_kernels<LayerNorm>(kernels, "LayerNorm", AllFloats{});
  add_kernels<LayerNormGrad>(kernels, "LayerNormGrad", AllFloats{});
  add_kernels<LayerNormScaleGrad>(kernels, "LayerNormScaleGrad", AllFloats{});
}

}  // namespace lutra
