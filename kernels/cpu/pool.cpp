// Pooling on the CPU. Channels are contiguous, so loops run over them. Gradients are computed per element of x, so that
// no two threads add to one element and sums have one order.

#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/instructions.h"
#include "kernels/cpu/loops/reduce.h"
#include "kernels/cpu/loops/rows.h"
#include "ops/conv.h"

namespace lutra {
namespace {

constexpr int64_t kChannels = 128;  // processed together

// Calls each(image, row, column, first channel, channels) for every position of [batch, height, width, channels].
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

// About how many elements the work for one position reads.
int64_t window_cost(const PoolSizes& s) { return std::min(kCheapGrain, s.height.size * s.width.size); }
int64_t cover_cost(const PoolSizes& s) {
  return std::min(kCheapGrain, (s.height.size / s.height.stride + 1) * (s.width.size / s.width.stride + 1));
}

// Calls each(element offset) for the elements of x in a window.
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
// Calls each(row, column) for the windows that contain an element of x.
template <class Each> void for_cover(const PoolSizes& s, int64_t h, int64_t w, const Each& each) {
  for (int64_t row = s.height.first_result(h); row < s.height.last_result(h); ++row) {
    for (int64_t column = s.width.first_result(w); column < s.width.last_result(w); ++column) each(row, column);
  }
}

// The elements in a window: rows of elements, a range of channels of each.
template <class T> struct Window {
  const T* x;  // the first of the channels
  int64_t rows, columns, row_step, step;

  Window(const PoolSizes& s, const T* from, int64_t image, int64_t row, int64_t column)
      : rows(s.height.last_place(row) - s.height.first_place(row)),
        columns(s.width.last_place(column) - s.width.first_place(column)),
        row_step(s.width.in * s.channels),
        step(s.channels) {
    x = from + (image * s.height.in + s.height.first_place(row)) * row_step + s.width.first_place(column) * step;
  }
  int64_t count() const { return rows * columns; }
  // Calls each(the element's channels from `channel` on), in order.
  template <class Each> [[gnu::always_inline]] void visit(int64_t channel, const Each& each) const {
    for (int64_t h = 0; h < rows; ++h) {
      const T* at = x + channel + h * row_step;
      for (int64_t w = 0; w < columns; ++w, at += step) each(at);
    }
  }
};

// Calls pool(window, channels, to) for every result.
template <class T, class Pool> void for_windows(const KernelArgs& args, const Pool& pool) {
  if (args.out[0].size == 0) return;
  PoolSizes s(args.as<PoolAttrs>(), args.in[0].dims);
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  for_places(s, s.height.out, s.width.out, window_cost(s),
             [=](int64_t image, int64_t row, int64_t column, int64_t c, int64_t n) {
               pool(Window<T>(s, x + c, image, row, column), n, out + result_offset(s, image, row, column) + c);
             });
}

// Pools as many of a window's channels from `done` on as fill whole registers, kRegisters at a time. Returns how many
// are done then.
template <class Pool, int kRegisters, class T>
[[gnu::always_inline]] inline int64_t pool_registers(const Window<T>& window, int64_t done, int64_t n, T* to) {
  using R = RegisterOf<T>;
  constexpr int64_t kEach = sizeof(R) / sizeof(T);
  for (; done + kRegisters * kEach <= n; done += kRegisters * kEach) {
    R gathered[kRegisters];
#pragma GCC unroll 2
    for (int r = 0; r < kRegisters; ++r) gathered[r] = R{} + Pool::kStart;
    window.visit(
        done, [&](const T* x) __attribute__((always_inline)) {
#pragma GCC unroll 2
          for (int r = 0; r < kRegisters; ++r) gathered[r] = Pool::join(gathered[r], load_register(x + r * kEach));
        });
#pragma GCC unroll 2
    for (int r = 0; r < kRegisters; ++r) {
      const R pooled = Pool::finish(gathered[r], window.count());
      std::memcpy(to + done + r * kEach, &pooled, sizeof pooled);
    }
  }
  return done;
}
// Halves must be converted, so they do not use registers.
template <class Pool, class T>
[[gnu::always_inline]] inline int64_t pool_registers(const Window<T>& window, int64_t n, T* to) {
  if constexpr (!std::is_same_v<T, ComputeType<T>>) return 0;
  else return pool_registers<Pool, 1>(window, pool_registers<Pool, 2>(window, 0, n, to), n, to);
}

template <class T> struct MaxPool {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    for_windows<T>(args, [](const Window<T>& window, int64_t n, T* to) {
      const int64_t done = pool_registers<MaxPool>(window, n, to);
      if (done == n) return;
      C most[kChannels];
      std::fill(most, most + (n - done), MaxOf<C>::kStart);
      window.visit(done, [&](const T* x) { join(x, n - done, most); });
      store(most, n - done, to + done);
    });
  }

  static constexpr C kStart = MaxOf<C>::kStart;
  template <class R> [[gnu::always_inline]] static R join(R a, R b) {
    R best = b > a ? b : a;
    return b != b ? b : best;
  }
  template <class R> static R finish(R most, int64_t) { return most; }

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
      // Runs of at most 32 elements are summed in C, their sums in double.
      C run[kChannels];
      if (elements <= kRun) {  // division in double would round to the same
        const int64_t done = pool_registers<AvgPool>(window, n, to);
        if (done == n) return;
        std::fill(run, run + (n - done), C(0));
        window.visit(done, [&](const T* x) { add(x, n - done, run); });
        divide(run, n - done, static_cast<C>(elements), to + done);
        return;
      }
      std::fill(run, run + n, C(0));
      double sum[kChannels];
      std::fill(sum, sum + n, 0.0);
      int64_t in_run = 0;
      auto lift = [&] {
        for (int64_t k = 0; k < n; ++k) sum[k] += static_cast<double>(run[k]);
        std::fill(run, run + n, C(0));
        in_run = 0;
      };
      window.visit(0, [&](const T* x) {
        add(x, n, run);
        if (++in_run == kRun) lift();
      });
      lift();
      const double count = static_cast<double>(elements);
      for (int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(static_cast<C>(sum[k] / count));
    });
  }

  static constexpr C kStart = 0;
  template <class R> static R join(R a, R b) { return a + b; }
  template <class R> static R finish(R sum, int64_t count) { return sum / static_cast<C>(count); }

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

// Whether an element is its window's largest; a nan is, if the largest is nan.
template <class C> bool is_most(C x, C most) { return x == most || (x != x && most != most); }

// The number of elements in each window that are its largest.
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
  // Each window's gradient, divided by the number of elements that share it.
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
