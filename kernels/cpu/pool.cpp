// Pooling on the CPU. Channels lie together, so loops run over them; gradients are gathered element by element of x, so
// that no two threads add to one place and sums have one order.

#include <limits>

#include "kernels/cpu/add_kernels.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/rows.h"
#include "ops/conv.h"

namespace lutra {
namespace {

constexpr int64_t kChannels = 128;  // worked on together

// Calls each(image, row, column, first channel, channels) for every place of [batch, height, width, channels].
template <class Each>
void for_places(const PoolSizes& s, int64_t height, int64_t width, int64_t cost, const Each& each) {
  if (s.channels == 0 || width == 0) return;
  parallel_for(s.batch * height, row_grain(kCheapGrain, width * s.channels * cost), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      for (int64_t column = 0; column < width; ++column) {
        for (int64_t c = 0; c < s.channels; c += kChannels) {
          each(item / height, item % height, column, c, std::min(kChannels, s.channels - c));
        }
      }
    }
  });
}

// How many elements a place's work touches, about.
int64_t window_cost(const PoolSizes& s) { return std::min(kCheapGrain, s.height.size * s.width.size); }
int64_t cover_cost(const PoolSizes& s) {
  return std::min(kCheapGrain, (s.height.size / s.height.stride + 1) * (s.width.size / s.width.stride + 1));
}

// Calls each(element offset) for the elements of x under a window.
template <class Each>
void for_window(const PoolSizes& s, int64_t image, int64_t row, int64_t column, const Each& each) {
  for (int64_t h = s.height.first_place(row); h < s.height.last_place(row); ++h) {
    for (int64_t w = s.width.first_place(column); w < s.width.last_place(column); ++w) {
      each(((image * s.height.in + h) * s.width.in + w) * s.channels);
    }
  }
}
int64_t window_count(const PoolSizes& s, int64_t row, int64_t column) {
  return (s.height.last_place(row) - s.height.first_place(row)) *
         (s.width.last_place(column) - s.width.first_place(column));
}
int64_t result_offset(const PoolSizes& s, int64_t image, int64_t row, int64_t column) {
  return ((image * s.height.out + row) * s.width.out + column) * s.channels;
}
// Calls each(row, column) for the windows that an element of x lies under.
template <class Each> void for_cover(const PoolSizes& s, int64_t h, int64_t w, const Each& each) {
  for (int64_t row = s.height.first_result(h); row < s.height.last_result(h); ++row) {
    for (int64_t column = s.width.first_result(w); column < s.width.last_result(w); ++column) each(row, column);
  }
}

// A window on some channels of x.
template <class T> struct Window {
  const PoolSizes& sizes;
  const T* x;  // the first of the channels
  int64_t image, row, column;

  template <class Each> void visit(const Each& each) const {
    for_window(sizes, image, row, column, [&](int64_t at) { each(x + at); });
  }
  int64_t count() const { return window_count(sizes, row, column); }
};

// Calls pool(window, channels, to) for every result.
template <class T, class Pool> void for_windows(const KernelArgs& args, const Pool& pool) {
  if (args.out[0].size == 0) return;
  PoolSizes s(args.as<PoolAttrs>(), args.in[0].dims);
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  for_places(s, s.height.out, s.width.out, window_cost(s),
             [=](int64_t image, int64_t row, int64_t column, int64_t c, int64_t n) {
               pool(Window<T>{s, x + c, image, row, column}, n, out + result_offset(s, image, row, column) + c);
             });
}

template <class T> struct MaxPool {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_windows<T>(args, [](const Window<T>& window, int64_t n, T* to) {
      C most[kChannels];
      std::fill(most, most + n, MaxOf<C>::kStart);
      window.visit([&](const T* x) { join(x, n, most); });
      store(most, n, to);
    });
  }

 private:
  static void join(const T* x, int64_t n, C* __restrict most) {
    for (int64_t k = 0; k < n; ++k) most[k] = MaxOf<C>::join(most[k], static_cast<C>(x[k]));
  }
};

template <class T> struct AvgPool {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_windows<T>(args, [](const Window<T>& window, int64_t n, T* to) {
      const int64_t elements = window.count();
      // Runs of at most 32 elements in C, what lies above them in double.
      C run[kChannels];
      std::fill(run, run + n, C(0));
      if (elements <= kRun) {  // dividing in double would round to the same
        window.visit([&](const T* x) { add(x, n, run); });
        divide(run, n, static_cast<C>(elements), to);
        return;
      }
      double sum[kChannels];
      std::fill(sum, sum + n, 0.0);
      int64_t in_run = 0;
      auto lift = [&] {
        for (int64_t k = 0; k < n; ++k) sum[k] += static_cast<double>(run[k]);
        std::fill(run, run + n, C(0));
        in_run = 0;
      };
      window.visit([&](const T* x) {
        add(x, n, run);
        if (++in_run == kRun) lift();
      });
      lift();
      const double count = static_cast<double>(elements);
      for (int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(static_cast<C>(sum[k] / count));
    });
  }

 private:
  static void add(const T* x, int64_t n, C* __restrict run) {
    for (int64_t k = 0; k < n; ++k) run[k] += static_cast<C>(x[k]);
  }
  static void divide(const C* __restrict run, int64_t n, C count, T* __restrict to) {
    for (int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(run[k] / count);
  }
};

template <class T> struct AvgPoolGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    if (args.out[0].size == 0) return;
    PoolSizes s(args.as<PoolAttrs>(), args.out[0].dims);
    const T* dy = args.in[0].as<T>();
    T* out = args.out[0].as<T>();
    for_places(s, s.height.in, s.width.in, cover_cost(s),
               [=](int64_t image, int64_t h, int64_t w, int64_t c, int64_t n) {
                 C sum[kChannels] = {};
                 for_cover(s, h, w, [&](int64_t row, int64_t column) {
                   const T* from = dy + result_offset(s, image, row, column) + c;
                   const C count = static_cast<C>(window_count(s, row, column));
                   for (int64_t k = 0; k < n; ++k) sum[k] += static_cast<C>(from[k]) / count;
                 });
                 store(sum, n, out + ((image * s.height.in + h) * s.width.in + w) * s.channels + c);
               });
  }
};

// Whether an element is its window's largest; a nan is when the largest is nan.
template <class C> bool is_most(C x, C most) { return x == most || (x != x && most != most); }

// How many elements of each window are its largest.
template <class T>
void count_ties(const PoolSizes& s, const T* x, const T* y, int64_t image, int64_t row, int64_t column, int64_t c,
                int64_t n, ComputeType<T>* __restrict ties) {
  using C = ComputeType<T>;
  C most[kChannels];
  load(y + result_offset(s, image, row, column) + c, n, most);
  std::fill(ties, ties + n, C(0));
  for_window(s, image, row, column, [&](int64_t at) {
    for (int64_t k = 0; k < n; ++k) ties[k] += is_most(static_cast<C>(x[at + c + k]), most[k]) ? C(1) : C(0);
  });
}

template <class T> struct MaxPoolGrad {
  using C = ComputeType<T>;
  // Each window's gradient divided by the number of those that share it.
  static std::size_t scratch(const KernelArgs& args) { return static_cast<std::size_t>(args.in[1].size) * sizeof(C); }

  static void run(const KernelArgs& args) {
    if (args.out[0].size == 0) return;
    PoolSizes s(args.as<PoolAttrs>(), args.in[0].dims);
    const T *x = args.in[0].as<T>(), *y = args.in[1].as<T>(), *dy = args.in[2].as<T>();
    T* out = args.out[0].as<T>();
    C* share = reinterpret_cast<C*>(args.scratch);
    for_places(s, s.height.out, s.width.out, window_cost(s),
               [=](int64_t image, int64_t row, int64_t column, int64_t c, int64_t n) {
                 C ties[kChannels];
                 count_ties(s, x, y, image, row, column, c, n, ties);
                 int64_t at = result_offset(s, image, row, column) + c;
                 for (int64_t k = 0; k < n; ++k) share[at + k] = static_cast<C>(dy[at + k]) / ties[k];
               });
    for_places(s, s.height.in, s.width.in, cover_cost(s),
               [=](int64_t image, int64_t h, int64_t w, int64_t c, int64_t n) {
                 int64_t place = ((image * s.height.in + h) * s.width.in + w) * s.channels + c;
                 C sum[kChannels] = {};
                 for_cover(s, h, w, [&](int64_t row, int64_t column) {
                   int64_t at = result_offset(s, image, row, column) + c;
                   for (int64_t k = 0; k < n; ++k) {
                     bool is_its = is_most(static_cast<C>(x[place + k]), static_cast<C>(y[at + k]));
                     sum[k] += is_its ? share[at + k] : C(0);
                   }
                 });
                 store(sum, n, out + place);
               });
  }
};

// The mean of v where x is its window's largest.
template <class T> struct MaxPoolGradGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    if (args.out[0].size == 0) return;
    PoolSizes s(args.as<PoolAttrs>(), args.in[0].dims);
    const T *x = args.in[0].as<T>(), *y = args.in[1].as<T>(), *v = args.in[2].as<T>();
    T* out = args.out[0].as<T>();
    for_places(s, s.height.out, s.width.out, window_cost(s),
               [=](int64_t image, int64_t row, int64_t column, int64_t c, int64_t n) {
                 C ties[kChannels], sum[kChannels] = {};
                 count_ties(s, x, y, image, row, column, c, n, ties);
                 int64_t at = result_offset(s, image, row, column) + c;
                 for_window(s, image, row, column, [&](int64_t from) {
                   for (int64_t k = 0; k < n; ++k) {
                     bool is_its = is_most(static_cast<C>(x[from + c + k]), static_cast<C>(y[at + k]));
                     sum[k] += is_its ? static_cast<C>(v[from + c + k]) : C(0);
                   }
                 });
                 for (int64_t k = 0; k < n; ++k) out[at + k] = static_cast<T>(sum[k] / ties[k]);
               });
  }
};

}  // namespace

void register_pool_cpu(KernelRegistry& kernels) {
  add_kernels<MaxPool>(kernels, "MaxPool", AllNumbers{});
  add_kernels<AvgPool>(kernels, "AvgPool", AllFloats{});
  add_kernels<MaxPoolGrad>(kernels, "MaxPoolGrad", AllFloats{});
  add_kernels<MaxPoolGradGrad>(kernels, "MaxPoolGradGrad", AllFloats{});
  add_kernels<AvgPoolGrad>(kernels, "AvgPoolGrad", AllFloats{});
}

}  // namespace lutra
