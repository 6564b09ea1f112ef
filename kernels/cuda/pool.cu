// Pooling on cards, one thread per element. Gradients are computed per element of x, so that sums have one order: the
// CPU's, to the bit.
#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/windows.h"
#include "kernels/element/reducers.h"

namespace lutra::cuda {
namespace {

template <class T> struct MaxPool : Pooled<T> {
  using C = ComputeType<T>;
  const T* x;
  T* out;

  LUTRA_DEVICE void run(int64_t at) const {
    C most = MaxOf<C>::kStart;
    this->for_window(this->result(at), [&](int64_t from) { most = MaxOf<C>::join(most, computed_in(x[from])); });
    out[at] = rounded_to<T>(most);
  }
};

template <class T> struct AvgPool : Pooled<T> {
  using C = ComputeType<T>;
  const T* x;
  T* out;

  LUTRA_DEVICE void run(int64_t at) const {
    const Place place = this->result(at);
    const int64_t elements = this->window_count(place.row, place.column);
    // Runs of at most 32 elements are summed in C, their sums in double.
    C run = 0;
    double sum = 0;
    int64_t in_run = 0;
    this->for_window(place, [&](int64_t from) {
      run += computed_in(x[from]);
      if (elements > kRun && ++in_run == kRun) {
        sum += static_cast<double>(run);
        run = 0;
        in_run = 0;
      }
    });
    if (elements <= kRun) {
      out[at] = rounded_to<T>(run / static_cast<C>(elements));
    } else {
      sum += static_cast<double>(run);
      out[at] = rounded_to<T>(static_cast<C>(sum / static_cast<double>(elements)));
    }
  }
};

template <class T> struct AvgPoolGrad : Pooled<T> {
  using C = ComputeType<T>;
  const T* dy;
  T* out;

  LUTRA_DEVICE void run(int64_t at) const {
    C sum = 0;
    this->for_cover(this->source(at), [&](int64_t from, int64_t row, int64_t column) {
      sum += computed_in(dy[from]) / static_cast<C>(this->window_count(row, column));
    });
    out[at] = rounded_to<T>(sum);
  }
};

// Whether an element is its window's largest; a nan is, if the largest is nan.
template <class C> constexpr bool is_most(C x, C most) { return x == most || (x != x && most != most); }

// The number of elements in a window that are its largest.
template <class T>
LUTRA_DEVICE ComputeType<T> count_ties(const Pooled<T>& pooled, const Place& place, const T* x, ComputeType<T> most) {
  ComputeType<T> ties = 0;
  pooled.for_window(place, [&](int64_t from) { ties += is_most(computed_in(x[from]), most) ? 1 : 0; });
  return ties;
}

// Each window's gradient, divided by the number of elements that share it.
template <class T> struct Shares : Pooled<T> {
  const T *x, *y, *dy;
  ComputeType<T>* share;

  LUTRA_DEVICE void run(int64_t at) const {
    share[at] = computed_in(dy[at]) / count_ties<T>(*this, this->result(at), x, computed_in(y[at]));
  }
};
template <class T> struct MaxPoolGrad : Pooled<T> {
  using C = ComputeType<T>;
  const T *x, *y;
  const C* share;
  T* out;

  LUTRA_DEVICE void run(int64_t at) const {
    const C mine = computed_in(x[at]);
    C sum = 0;
    this->for_cover(this->source(at), [&](int64_t from, int64_t, int64_t) {
      sum += is_most(mine, computed_in(y[from])) ? share[from] : C(0);
    });
    out[at] = rounded_to<T>(sum);
  }
};

// The mean of v where x is its window's largest.
template <class T> struct MaxPoolGradGrad : Pooled<T> {
  using C = ComputeType<T>;
  const T *x, *y, *v;
  T* out;

  LUTRA_DEVICE void run(int64_t at) const {
    const Place place = this->result(at);
    const C most = computed_in(y[at]);
    C sum = 0;
    this->for_window(place,
                     [&](int64_t from) { sum += is_most(computed_in(x[from]), most) ? computed_in(v[from]) : C(0); });
    out[at] = rounded_to<T>(sum / count_ties<T>(*this, place, x, most));
  }
};

template <class T> Pooled<T> pooled(const KernelArgs& args, const Array& x) {
  return {PoolSizes(args.as<PoolAttrs>(), x.dims)};
}

// MaxPool and AvgPool. The result of AvgPoolGrad has the images' shape.
template <template <class> class Op, class T> void pool(const KernelArgs& args, Room& room) {
  const Array &x = args.in[0], &out = args.out[0];
  if (out.size == 0) return;
  const T* from = room.input<T>(x);
  if (!room.counts()) run_elements(room.on(), Op<T>{pooled<T>(args, x), from, out.as<T>()}, out.size);
}
template <class T> void avg_pool_grad(const KernelArgs& args, Room& room) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const T* dy = room.input<T>(args.in[0]);
  if (!room.counts()) run_elements(room.on(), AvgPoolGrad<T>{pooled<T>(args, out), dy, out.as<T>()}, out.size);
}

template <class T> void max_pool_grad(const KernelArgs& args, Room& room) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const T *x = room.input<T>(args.in[0]), *y = room.input<T>(args.in[1]), *dy = room.input<T>(args.in[2]);
  auto* share = room.take<ComputeType<T>>(args.in[1].size);
  if (room.counts()) return;
  Pooled<T> sizes = pooled<T>(args, args.in[0]);
  run_elements(room.on(), Shares<T>{sizes, x, y, dy, share}, args.in[1].size);
  run_elements(room.on(), MaxPoolGrad<T>{sizes, x, y, share, out.as<T>()}, out.size);
}
template <class T> void max_pool_grad_grad(const KernelArgs& args, Room& room) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const T *x = room.input<T>(args.in[0]), *y = room.input<T>(args.in[1]), *v = room.input<T>(args.in[2]);
  if (!room.counts()) {
    run_elements(room.on(), MaxPoolGradGrad<T>{pooled<T>(args, args.in[0]), x, y, v, out.as<T>()}, out.size);
  }
}

}  // namespace

void register_pool_cuda(CudaKernels& kernels) {
  kernels.add_each("MaxPool", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<pool<MaxPool, T>>(); });
  kernels.add_each("AvgPool", AllFloats{}, []<class T>(TypeTag<T>) { return in_room<pool<AvgPool, T>>(); });
  kernels.add_each("AvgPoolGrad", AllFloats{}, []<class T>(TypeTag<T>) { return in_room<avg_pool_grad<T>>(); });
  kernels.add_each("MaxPoolGrad", AllFloats{}, []<class T>(TypeTag<T>) { return in_room<max_pool_grad<T>>(); });
  kernels.add_each("MaxPoolGradGrad", AllFloats{},
                   []<class T>(TypeTag<T>) { return in_room<max_pool_grad_grad<T>>(); });
}

}  // namespace lutra::cuda
