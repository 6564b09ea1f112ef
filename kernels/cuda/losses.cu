// Losses on cards: one value per row.
#include "ops/losses.h"

#include "kernels/cuda/lines.h"
#include "kernels/cuda/places.h"
#include "kernels/element/elementary.h"

namespace lutra::cuda {
namespace {

// For softmax: the largest element, and the sum of e^(x - most).
template <class C> struct Powers {
  C most;
  double sum;
};
template <class L, class Value> LUTRA_DEVICE auto powers_of(const L& line, const Value& value) {
  using C = decltype(value(0));
  const C most = line.gather(-std::numeric_limits<C>::infinity(), value, [](C a, C b) { return larger(a, b); });
  return Powers<C>{most, line.sum([&](int64_t i) { return falling_exp(value(i) - most); })};
}

template <class T> struct CrossEntropy {
  using C = ComputeType<T>;
  Numbers labels;
  RowsOf<T> logits;
  T* out;
  FaultSlot* slot;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t label = labels.at(line.number), first = logits.first(line.number);
    if (label < 0) {
      line.once([&] {
        labels.tell(slot, line.number);
        out[line.number] = rounded_to<T>(std::numeric_limits<C>::quiet_NaN());
      });
      return;
    }
    const auto powers = powers_of(line, [&](int64_t i) { return logits.at(first, i); });
    line.once([&] {
      const double below = static_cast<double>(powers.most - logits.at(first, label));
      out[line.number] = rounded_to<T>(static_cast<C>(std::log(powers.sum) + below));
    });
  }
};

// A label that is no class was reported by the loss; here it is ignored.
template <class T> struct CrossEntropyGrad {
  using C = ComputeType<T>;
  Numbers labels;
  RowsOf<T> logits;
  Input<T> dy;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t label = labels.at(line.number), first = logits.first(line.number);
    auto value = [&](int64_t i) { return logits.at(first, i); };
    const auto powers = powers_of(line, value);
    const C slope = computed_in(dy.data != nullptr ? dy.data[line.number] : dy.number);
    const C scale = static_cast<C>(1.0 / powers.sum);
    line.each([&](int64_t i) {
      const C share = falling_exp(value(i) - powers.most) * scale * slope;
      out[line.number * line.size + i] = rounded_to<T>(i == label ? share - slope : share);
    });
  }
};

template <class T> struct SoftmaxCrossEntropy {
  using C = ComputeType<T>;
  RowsOf<T> labels, logits;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first_label = labels.first(line.number), first = logits.first(line.number);
    auto value = [&](int64_t i) { return logits.at(first, i); };
    const auto powers = powers_of(line, value);
    const C rest = static_cast<C>(std::log(powers.sum));
    const double loss = line.sum([&](int64_t i) {
      const C label = labels.at(first_label, i);
      return label == 0 ? C(0) : label * (rest + (powers.most - value(i)));
    });
    line.once([&] { out[line.number] = rounded_to<T>(static_cast<C>(loss)); });
  }
};

template <class T> struct SoftmaxCrossEntropyGrad {
  using C = ComputeType<T>;
  RowsOf<T> labels, logits;
  Input<T> dy;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first_label = labels.first(line.number), first = logits.first(line.number);
    auto value = [&](int64_t i) { return logits.at(first, i); };
    const auto powers = powers_of(line, value);
    const double weight = line.sum([&](int64_t i) { return labels.at(first_label, i); });
    const C slope = computed_in(dy.data != nullptr ? dy.data[line.number] : dy.number);
    const C scale = static_cast<C>(weight / powers.sum);
    line.each([&](int64_t i) {
      const C share = falling_exp(value(i) - powers.most) * scale - labels.at(first_label, i);
      out[line.number * line.size + i] = rounded_to<T>(slope * share);
    });
  }
};

// The error of a prediction minus its label, and the gradient of that difference from `slope`, that of the mean.
struct SquaredError {
  template <class C> static constexpr C of(C difference) { return difference * difference; }
  template <class C> static constexpr C back(C slope, C difference) { return 2 * slope * difference; }
};
struct AbsoluteError {
  template <class C> static constexpr C of(C difference) { return std::fabs(difference); }
  template <class C> static constexpr C back(C slope, C difference) {
    return difference > 0 ? slope : difference < 0 ? -slope : difference;  // 0, or nan
  }
};

template <class T, class Error> struct MeanError {
  using C = ComputeType<T>;
  RowsOf<T> labels, predictions;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first_label = labels.first(line.number), first = predictions.first(line.number);
    const double sum =
        line.sum([&](int64_t i) { return Error::of(predictions.at(first, i) - labels.at(first_label, i)); });
    // No elements: 0 / 0.
    line.once([&] { out[line.number] = rounded_to<T>(static_cast<C>(sum / static_cast<double>(line.size))); });
  }
};

template <class T, class Error> struct MeanErrorGrad {
  using C = ComputeType<T>;
  RowsOf<T> labels, predictions;
  Input<T> dy;
  T* out;

  template <class L> LUTRA_DEVICE void run(const L& line) const {
    const int64_t first_label = labels.first(line.number), first = predictions.first(line.number);
    const C slope = computed_in(dy.data != nullptr ? dy.data[line.number] : dy.number) / static_cast<C>(line.size);
    line.each([&](int64_t i) {
      const C back = Error::back(slope, predictions.at(first, i) - labels.at(first_label, i));
      out[line.number * line.size + i] = rounded_to<T>(back);
    });
  }
};

// Rows along the last axis of the shape that inputs 0 and 1 broadcast to.
struct Both {
  int64_t dims[kMaxRank];
  int rank;
  explicit Both(const Array* in) : rank(std::max(in[0].rank, in[1].rank)) {
    for (int i = 0; i < rank; ++i) {
      int64_t a = size_from_end(in[0], rank - i), b = size_from_end(in[1], rank - i);
      dims[i] = a == 1 ? b : a;
    }
  }
  static int64_t size_from_end(const Array& array, int place) {
    return place <= array.rank ? array.dims[array.rank - place] : 1;
  }
};

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

template <class T> void run_cross_entropy(const KernelArgs& args) {
  const Array& logits = args.in[1];
  int64_t classes = logits.dims[logits.rank - 1];
  CrossEntropy<T> op{{args.in[0], args.as<CrossEntropyAttrs>().base.value, classes},
                     {logits, logits.dims, logits.rank},
                     args.out[0].as<T>(),
                     launch_of(args).slot};
  run_lines(launch_of(args), op, args.out[0].size, classes, 1);
}
template <class T> void run_cross_entropy_grad(const KernelArgs& args) {
  const Array& logits = args.in[1];
  if (logits.size == 0) return;
  int64_t classes = logits.dims[logits.rank - 1];
  CrossEntropyGrad<T> op{{args.in[0], args.as<CrossEntropyAttrs>().base.value, classes},
                         {logits, logits.dims, logits.rank},
                         input_of<T>(args.in[2]),
                         args.out[0].as<T>()};
  run_lines(launch_of(args), op, logits.size / classes, classes, 1);
}

// Runs an op on labels and predictions.
template <class Op, class T> void run_pair(const KernelArgs& args) {
  Both both(args.in);
  Op op{{args.in[0], both.dims, both.rank}, {args.in[1], both.dims, both.rank}, args.out[0].as<T>()};
  run_lines(launch_of(args), op, args.out[0].size, both.dims[both.rank - 1], 1);
}
// The same with dy, which has one element per row; the result has the shape of both inputs.
template <class Op, class T> void run_pair_grad(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Op op{{args.in[0], out.dims, out.rank}, {args.in[1], out.dims, out.rank}, input_of<T>(args.in[2]), out.as<T>()};
  int64_t n = out.dims[out.rank - 1];
  run_lines(launch_of(args), op, out.size / n, n, 1);
}

template <class Make> void add(CudaKernels& kernels, const char* name, Make run_of) {
  kernels.add_each(name, AllFloats{}, [=](auto tag) { return KernelEntry{.run = run_of(tag)}; });
}

}  // namespace

void register_losses_cuda(CudaKernels& kernels) {
  add(kernels, "SparseSoftmaxCrossEntropyWithLogits", []<class T>(TypeTag<T>) { return run_cross_entropy<T>; });
  add(kernels, "CrossEntropyGrad", []<class T>(TypeTag<T>) { return run_cross_entropy_grad<T>; });
  add(kernels, "SoftmaxCrossEntropyWithLogits",
      []<class T>(TypeTag<T>) { return run_pair<SoftmaxCrossEntropy<T>, T>; });
  add(kernels, "SoftmaxCrossEntropyGrad",
      []<class T>(TypeTag<T>) { return run_pair_grad<SoftmaxCrossEntropyGrad<T>, T>; });
  add(kernels, "Mse", []<class T>(TypeTag<T>) { return run_pair<MeanError<T, SquaredError>, T>; });
  add(kernels, "Mae", []<class T>(TypeTag<T>) { return run_pair<MeanError<T, AbsoluteError>, T>; });
  add(kernels, "MseGrad", []<class T>(TypeTag<T>) { return run_pair_grad<MeanErrorGrad<T, SquaredError>, T>; });
  add(kernels, "MaeGrad", []<class T>(TypeTag<T>) { return run_pair_grad<MeanErrorGrad<T, AbsoluteError>, T>; });
}

}  // namespace lutra::cuda
