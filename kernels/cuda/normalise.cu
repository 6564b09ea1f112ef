// Normalisation on cards: by given statistics, and by each row's own.
#include "ops/normalise.h"

#include <cmath>

#include "kernels/cuda/lines.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }
double epsilon_of(const KernelArgs& args) { return args.as<NormalizeAttrs>().epsilon; }

// A vector for the last axis.
template <class T> struct VectorOf {
  Input<T> in;
  explicit VectorOf(const Array& array) : in(input_of<T>(array)) {}
  LUTRA_DEVICE ComputeType<T> at(int64_t i) const { return computed_in(in.data != nullptr ? in.data[i] : in.number); }
};

// Rows and columns of an array: its last axis, and all others.
struct Sizes {
  int64_t rows, columns;
  explicit Sizes(const Array& array)
      : rows(product(array.dims, 0, array.rank - 1)), columns(array.rank > 0 ? array.dims[array.rank - 1] : 1) {}
};

template <class T> struct Scales {
  using C = ComputeType<T>;
  VectorOf<T> var, scale;
  C* out;
  double epsilon;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    line.each([&](int64_t i) {
      out[i] = static_cast<C>(static_cast<double>(scale.at(i)) / std::sqrt(static_cast<double>(var.at(i)) + epsilon));
    });
  }
};
struct Normalised {
  template <class C> static constexpr C apply(C x, C mean, C scale, C offset) { return (x - mean) * scale + offset; }
};

// (x - mean) scale + offset, with vectors as long as a row. The scale is computed first.
template <class T> void run_batch_norm(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Array& out = args.out[0];
  if (out.size == 0) return;
  CudaLaunch on = launch_of(args);
  int64_t n = Sizes(out).columns;
  Scales<T> op{VectorOf<T>(args.in[2]), VectorOf<T>(args.in[3]), reinterpret_cast<C*>(args.scratch), epsilon_of(args)};
  run_lines(on, op, 1, n, 1);
  Array in[4] = {args.in[0], args.in[1], {args.scratch, &n, n, dtype_of<C>, 1, false}, args.in[4]};
  on.in = in;
  if (on.error == 0) ElementwiseLaunch<Normalised, T, T, T, C, T>(on, {}).run();
  launch_of(args).error = on.error;
}
template <class T> std::size_t batch_norm_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(args.in[3].size) * sizeof(ComputeType<T>);
}

// The sum over rows of (x - mean) dy; each column is a line.
template <class T> struct CenteredDot {
  using C = ComputeType<T>;
  RowsOf<T> x, dy;
  VectorOf<T> mean;
  T* out;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t k = line.number;
    const C middle = mean.at(k);
    const double sum = line.sum([&](int64_t r) { return (x.at(x.first(r), k) - middle) * dy.at(dy.first(r), k); });
    line.once([&] { out[k] = rounded_to<T>(static_cast<C>(sum)); });
  }
};
template <class T> void run_centered_dot(const KernelArgs& args) {
  const Array& x = args.in[0];
  Sizes sizes(x);
  CenteredDot<T> op{{x, x.dims, x.rank}, {args.in[2], x.dims, x.rank}, VectorOf<T>(args.in[1]), args.out[0].as<T>()};
  run_lines(launch_of(args), op, sizes.columns, sizes.rows, sizes.columns);
}

// A row's mean and 1 / sqrt(variance + epsilon).
template <class C> struct Statistics { C mean, inverse; };
template <class L, class Value> LUTRA_DEVICE auto statistics_of(const L& line, double epsilon, const Value& value) {
  using C = decltype(value(0));
  const double n = static_cast<double>(line.size);
  const C mean = static_cast<C>(line.sum(value) / n);
  const double squares = line.sum([&](int64_t i) { return (value(i) - mean) * (value(i) - mean); });
  return Statistics<C>{mean, static_cast<C>(1.0 / std::sqrt(squares / n + epsilon))};
}

template <class T> struct LayerNorm {
  RowsOf<T> x;
  VectorOf<T> scale, offset;
  T* out;
  double epsilon;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first = x.first(line.number);
    auto value = [&](int64_t i) { return x.at(first, i); };
    const auto row = statistics_of(line, epsilon, value);
    line.each([&](int64_t i) {
      out[line.number * line.size + i] =
          rounded_to<T>((value(i) - row.mean) * row.inverse * scale.at(i) + offset.at(i));
    });
  }
};
template <class T> void run_layer_norm(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Sizes sizes(out);
  LayerNorm<T> op{{args.in[0], out.dims, out.rank},
                  VectorOf<T>(args.in[1]),
                  VectorOf<T>(args.in[2]),
                  out.as<T>(),
                  epsilon_of(args)};
  run_lines(launch_of(args), op, sizes.rows, sizes.columns, 1);
}

// inverse (v - mean(v) - x mean(v x)), v = dy scale and x the normalised row
template <class T> struct LayerNormGrad {
  using C = ComputeType<T>;
  RowsOf<T> x, dy;
  VectorOf<T> scale;
  T* out;
  double epsilon;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first = x.first(line.number), first_dy = dy.first(line.number);
    auto value = [&](int64_t i) { return x.at(first, i); };
    const auto row = statistics_of(line, epsilon, value);
    auto normal = [&](int64_t i) { return (value(i) - row.mean) * row.inverse; };
    auto v = [&](int64_t i) { return dy.at(first_dy, i) * scale.at(i); };
    const double n = static_cast<double>(line.size);
    const C mean = static_cast<C>(line.sum(v) / n);
    const C share = static_cast<C>(line.sum([&](int64_t i) { return v(i) * normal(i); }) / n);
    line.each([&](int64_t i) {
      out[line.number * line.size + i] = rounded_to<T>(row.inverse * (v(i) - mean - normal(i) * share));
    });
  }
};
template <class T> void run_layer_norm_grad(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Sizes sizes(out);
  LayerNormGrad<T> op{{args.in[0], out.dims, out.rank},
                      {args.in[2], out.dims, out.rank},
                      VectorOf<T>(args.in[1]),
                      out.as<T>(),
                      epsilon_of(args)};
  run_lines(launch_of(args), op, sizes.rows, sizes.columns, 1);
}

// The sum over rows of dy times the normalised row: first the statistics of each row, then a line per column.
template <class T> struct RowStatistics {
  using C = ComputeType<T>;
  RowsOf<T> x;
  Statistics<C>* out;
  double epsilon;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first = x.first(line.number);
    const auto row = statistics_of(line, epsilon, [&](int64_t i) { return x.at(first, i); });
    line.once([&] { out[line.number] = row; });
  }
};
template <class T> struct ScaleGrad {
  using C = ComputeType<T>;
  RowsOf<T> x, dy;
  const Statistics<C>* rows;
  T* out;
  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t k = line.number;
    const double sum = line.sum(
        [&](int64_t r) { return dy.at(dy.first(r), k) * ((x.at(x.first(r), k) - rows[r].mean) * rows[r].inverse); });
    line.once([&] { out[k] = rounded_to<T>(static_cast<C>(sum)); });
  }
};
template <class T> void run_scale_grad(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Array& x = args.in[0];
  Sizes sizes(x);
  Statistics<C>* rows = reinterpret_cast<Statistics<C>*>(args.scratch);
  RowStatistics<T> first{{x, x.dims, x.rank}, rows, epsilon_of(args)};
  run_lines(launch_of(args), first, sizes.rows, sizes.columns, 1);
  ScaleGrad<T> then{{x, x.dims, x.rank}, {args.in[1], x.dims, x.rank}, rows, args.out[0].as<T>()};
  run_lines(launch_of(args), then, sizes.columns, sizes.rows, sizes.columns);
}
template <class T> std::size_t scale_grad_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(Sizes(args.in[0]).rows) * sizeof(Statistics<ComputeType<T>>);
}

}  // namespace

void register_normalise_cuda(CudaKernels& kernels) {
  auto add = [&](const char* name, auto entry) { kernels.add_each(name, AllFloats{}, entry); };
  add("BatchNorm",
      []<class T>(TypeTag<T>) { return KernelEntry{.run = run_batch_norm<T>, .scratch = batch_norm_scratch<T>}; });
  add("CenteredDot", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_centered_dot<T>}; });
  add("LayerNorm", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_layer_norm<T>}; });
  add("LayerNormGrad", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_layer_norm_grad<T>}; });
  add("LayerNormScaleGrad",
      []<class T>(TypeTag<T>) { return KernelEntry{.run = run_scale_grad<T>, .scratch = scale_grad_scratch<T>}; });
}

}  // namespace lutra::cuda
