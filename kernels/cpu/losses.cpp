// Losses on the CPU: one value per row. Sums are added up block by block, as in Sum.

#include <atomic>

#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/row_sums.h"
#include "kernels/cpu/loops/rows.h"
#include "kernels/indexing/places.h"
#include "ops/losses.h"

namespace lutra {
namespace {

Numbers labels_of(const KernelArgs& args, int64_t classes) {
  return {args.in[0], args.as<CrossEntropyAttrs>().base.value, classes};
}

template <class T> struct CrossEntropy {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const Array& logits = args.in[1];
    RowSizes sizes(logits);
    Numbers labels = labels_of(args, sizes.columns);
    Rows<T> rows(logits, logits.dims, logits.rank);
    T* out = args.out[0].as<T>();
    std::atomic<bool> all_found = true;
    parallel_for(args.out[0].size, row_grain(kCostlyGrain, sizes.columns), [&](int64_t begin, int64_t end) {
      std::vector<C> room = rows.room();
      for (int64_t r = begin; r < end; ++r) {
        int64_t label = labels.at(r);
        if (label < 0) {
          out[r] = static_cast<T>(std::numeric_limits<C>::quiet_NaN());
          all_found = false;
          continue;
        }
        const C* x = rows.row(r, room.data());
        Powers<C> powers(x, sizes.columns);
        out[r] = static_cast<T>(static_cast<C>(std::log(powers.sum) + static_cast<double>(powers.most - x[label])));
      }
    });
    if (!all_found) labels.report(*args.fault);
  }
};

// A label that is no class was reported by the loss; here it is ignored.
template <class T> struct CrossEntropyGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const Array& logits = args.in[1];
    if (logits.size == 0) return;
    RowSizes sizes(logits);
    Numbers labels = labels_of(args, sizes.columns);
    Rows<T> rows(logits, logits.dims, logits.rank);
    const T* dy = args.in[2].as<T>();
    T* out = args.out[0].as<T>();
    parallel_for(sizes.rows, row_grain(kCostlyGrain, sizes.columns), [&](int64_t begin, int64_t end) {
      std::vector<C> room = rows.room();
      RowOut<T> result(sizes.columns);
      for (int64_t r = begin; r < end; ++r) {
        const C* x = rows.row(r, room.data());
        T* at = out + r * sizes.columns;
        C* __restrict to = result.row(at);
        Powers<C> powers(x, sizes.columns);
        const C slope = static_cast<C>(dy[r]), scale = static_cast<C>(1.0 / powers.sum), most = powers.most;
        for (int64_t i = 0; i < sizes.columns; ++i) to[i] = falling_exp(x[i] - most) * scale * slope;
        if (int64_t label = labels.at(r); label >= 0) to[label] -= slope;
        result.done(at);
      }
    });
  }
};

// Calls row(r, a, b) for each row of two inputs that broadcast to `dims`.
template <class T, class Row>
void for_row_pairs(const KernelArgs& args, const int64_t* dims, int rank, int64_t count, int64_t grain,
                   const Row& row) {
  Rows<T> a(args.in[0], dims, rank), b(args.in[1], dims, rank);
  parallel_for(count, row_grain(grain, dims[rank - 1]), [&](int64_t begin, int64_t end) {
    auto room_a = a.room(), room_b = b.room();
    for (int64_t r = begin; r < end; ++r) row(r, a.row(r, room_a.data()), b.row(r, room_b.data()));
  });
}

// The same for a gradient, which has the shape of both: row(n, dy of the row, labels, x, to) writes n elements.
template <class T, class Row> void for_gradient_rows(const KernelArgs& args, int64_t grain, const Row& row) {
  using C = ComputeType<T>;
  const Array& out = args.out[0];
  if (out.size == 0) return;
  RowSizes sizes(out);
  const T* dy = args.in[2].as<T>();
  for_row_pairs<T>(args, out.dims, out.rank, sizes.rows, grain,
                   [=, n = sizes.columns, to = out.as<T>()](int64_t r, const C* labels, const C* x) {
                     row(n, static_cast<C>(dy[r]), labels, x, to + r * n);
                   });
}

// The shape that the first two inputs broadcast to.
struct Both {
  int64_t dims[kMaxRank];
  int rank;
  explicit Both(const Array* in) : rank(std::max(in[0].rank, in[1].rank)) {
    for (int i = 0; i < rank; ++i) {
      int64_t a = size_from_end(in[0], rank - i), b = size_from_end(in[1], rank - i);
      dims[i] = a == 1 ? b : a;
    }
  }
  int64_t columns() const { return dims[rank - 1]; }

 private:
  static int64_t size_from_end(const Array& array, int place) {
    return place <= array.rank ? array.dims[array.rank - place] : 1;
  }
};

template <class T> struct SoftmaxCrossEntropy {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    Both both(args.in);
    int64_t n = both.columns();
    T* out = args.out[0].as<T>();
    for_row_pairs<T>(args, both.dims, both.rank, args.out[0].size, kCostlyGrain,
                     [=](int64_t r, const C* labels, const C* x) {
                       Powers<C> powers(x, n);
                       const C most = powers.most, rest = static_cast<C>(std::log(powers.sum));
                       out[r] = static_cast<T>(static_cast<C>(sum_terms<C>(n, [=](int64_t i) {
                         C loss = labels[i] * (rest + (most - x[i]));
                         return labels[i] == 0 ? C(0) : loss;
                       })));
                     });
  }
};

template <class T> struct SoftmaxCrossEntropyGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_gradient_rows<T>(args, kCostlyGrain, [](int64_t n, C slope, const C* labels, const C* x, T* to) {
      Powers<C> powers(x, n);
      const C most = powers.most;
      const double weight = sum_terms<C>(n, [=](int64_t i) { return labels[i]; });
      const C scale = static_cast<C>(weight / powers.sum);
      for (int64_t i = 0; i < n; ++i) {
        to[i] = static_cast<T>(slope * (falling_exp(x[i] - most) * scale - labels[i]));
      }
    });
  }
};

struct SquaredError {
  template <class C> static C of(C label, C prediction) { return (prediction - label) * (prediction - label); }
};
struct AbsoluteError {
  template <class C> static C of(C label, C prediction) { return std::fabs(prediction - label); }
};

// Long rows are divided among threads; the sums of chunks are added up in their order.
template <class T, class Error> struct MeanError {
  using C = ComputeType<T>;
  static constexpr int64_t kPart = 16 * kBlock;

  static int64_t parts(int64_t columns) { return (columns + kPart - 1) / kPart; }
  static std::size_t scratch(const KernelArgs& args) {
    int64_t count = parts(Both(args.in).columns());
    return count <= 1 ? 0 : static_cast<std::size_t>(args.out[0].size * count) * sizeof(double);
  }
  static void run(const KernelArgs& args) {
    Both both(args.in);
    int64_t n = both.columns(), rows = args.out[0].size;
    T* out = args.out[0].as<T>();
    const double count = static_cast<double>(n);  // no elements: 0 / 0
    auto sum = [](const C* labels, const C* predictions, int64_t length) {
      return sum_terms<C>(length, [=](int64_t i) { return Error::of(labels[i], predictions[i]); });
    };
    auto finish = [](double total, double divisor) { return static_cast<T>(static_cast<C>(total / divisor)); };
    if (n <= kPart) {
      for_row_pairs<T>(args, both.dims, both.rank, rows, kCheapGrain,
                       [=](int64_t r, const C* a, const C* b) { out[r] = finish(sum(a, b, n), count); });
      return;
    }
    double* partials = reinterpret_cast<double*>(args.scratch);
    int64_t per_row = parts(n);
    Rows<T> a(args.in[0], both.dims, both.rank), b(args.in[1], both.dims, both.rank);
    parallel_for(rows * per_row, 1, [&](int64_t begin, int64_t end) {
      std::vector<C> room_a(kPart), room_b(kPart);
      for (int64_t item = begin; item < end; ++item) {
        int64_t first = item % per_row * kPart, length = std::min(kPart, n - first);
        partials[item] = sum(a.part(item / per_row, first, length, room_a.data()),
                             b.part(item / per_row, first, length, room_b.data()), length);
      }
    });
    for (int64_t r = 0; r < rows; ++r) {
      double total = 0;
      for (int64_t part = 0; part < per_row; ++part) total += partials[r * per_row + part];
      out[r] = finish(total, count);
    }
  }
};
template <class T> struct Mse : MeanError<T, SquaredError> {};
template <class T> struct Mae : MeanError<T, AbsoluteError> {};

template <class T> struct MseGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_gradient_rows<T>(args, kCheapGrain, [](int64_t n, C dy, const C* labels, const C* predictions, T* to) {
      const C slope = 2 * dy / static_cast<C>(n);
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(slope * (predictions[i] - labels[i]));
    });
  }
};

template <class T> struct MaeGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_gradient_rows<T>(args, kCheapGrain, [](int64_t n, C dy, const C* labels, const C* predictions, T* to) {
      const C slope = dy / static_cast<C>(n);
      for (int64_t i = 0; i < n; ++i) {
        C difference = predictions[i] - labels[i];
        C sloped = difference > 0 ? slope : difference < 0 ? -slope : difference;  // 0, or nan
        to[i] = static_cast<T>(sloped);
      }
    });
  }
};

}  // namespace

void register_losses_cpu(KernelRegistry& kernels) {
  add_kernels<CrossEntropy>(kernels, "SparseSoftmaxCrossEntropyWithLogits", AllFloats{});
  add_kernels<CrossEntropyGrad>(kernels, "CrossEntropyGrad", AllFloats{});
  add_kernels<SoftmaxCrossEntropy>(kernels, "SoftmaxCrossEntropyWithLogits", AllFloats{});
  add_kernels<SoftmaxCrossEntropyGrad>(kernels, "SoftmaxCrossEntropyGrad", AllFloats{});
  add_kernels<Mse>(kernels, "Mse", AllFloats{});
  add_kernels<Mae>(kernels, "Mae", AllFloats{});
  add_kernels<MseGrad>(kernels, "MseGrad", AllFloats{});
  add_kernels<MaeGrad>(kernels, "MaeGrad", AllFloats{});
}

}  // namespace lutra
