// Adds to positions on the CPU. Each element of the result gets its additions in the order of the indices, whatever the
// number of threads, since no two share an element.

#include "kernels/cpu/loops/scatter.h"
#include "ops/index.h"

namespace lutra {
namespace {

template <class T> void run_scatter_add(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& updates = args.in[2];
  Extent extent = Extent::around(x.dims, x.rank, 0);
  Places places{args.in[1], args.as<IndexAttrs>().base.value, extent.size};
  Sums<T> sums(args);
  sums.start(x.as<T>());
  bool repeats = updates.rank == 0;
  if (x.size == 0) return places.report(*args.fault);
  bool all_found = add_rows<Plus>(places, updates.as<T>(), repeats, sums.at, 1, extent.size, extent.inner);
  sums.finish();
  if (!all_found) places.report(*args.fault);
}

template <class T> void run_gather_grad(const KernelArgs& args) {
  const ScatterAttrs& attrs = args.as<ScatterAttrs>();
  const Array& out = args.out[0];
  Extent extent = Extent::around(out.dims, out.rank, static_cast<int>(attrs.axis));
  Places places{args.in[1], attrs.base.value, extent.size};
  Sums<T> sums(args);
  sums.start();
  if (out.size > 0) add_rows<Plus>(places, args.in[0].as<T>(), false, sums.at, extent.outer, extent.size, extent.inner);
  sums.finish();
}

template <class T> void run_scatter_nd(const KernelArgs& args) {
  const Array& out = args.out[0];
  NdPlaces places(args.in[1], args.as<ScatterAttrs>().base.value, out.dims);
  Sums<T> sums(args);
  sums.start();
  int64_t length = product(out.dims, places.depth, out.rank);
  if (out.size > 0) add_rows<Plus>(places, args.in[0].as<T>(), false, sums.at, 1, places.parts(), length);
  sums.finish();
}

// One line along the axis of the result, and the lines of dy that came from it: several if x was repeated.
class Lines {
 public:
  Lines(const Array& out, const Array& dy, const Array& indices, int along) {
    int64_t out_step = 1, dy_step = 1, index_step = 1;
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      Axis walk{out.dims[axis], out_step, dy.dims[axis] == 1 ? 0 : dy_step, indices.dims[axis] == 1 ? 0 : index_step};
      out_step *= out.dims[axis];
      dy_step *= dy.dims[axis];
      index_step *= indices.dims[axis];
      if (axis == along) {
        along_ = walk;
        length_ = dy.dims[axis];
      } else if (out.dims[axis] != 1) {
        own_[n_own_++] = walk;
        lines_ *= walk.size;
      } else if (dy.dims[axis] != 1) {
        walk.size = dy.dims[axis];
        repeated_[n_repeated_++] = walk;
        repeats_ *= walk.size;
      }
    }
  }
  int64_t count() const { return lines_; }
  int64_t work() const { return repeats_ * length_; }

  template <class T> void add(int64_t line, const Places& places, const T* dy, ComputeType<T>* to) const {
    using C = ComputeType<T>;
    int64_t from = 0, first = 0, at[kPlacesAtOnce];
    move(own_, n_own_, line, &to, &from, &first);
    for (int64_t repeat = 0; repeat < repeats_; ++repeat) {
      int64_t here = from, index = first;
      C* same = to;
      move(repeated_, n_repeated_, repeat, &same, &here, &index);
      for (int64_t i = 0; i < length_; i += kPlacesAtOnce) {
        int64_t n = std::min(kPlacesAtOnce, length_ - i);
        places.read(index + i * along_.in_indices, n, at, along_.in_indices);
        for (int64_t j = 0; j < n; ++j) {
          if (at[j] < 0) continue;
          C* sum = to + at[j] * along_.in_out;
          *sum = *sum + static_cast<C>(dy[here + (i + j) * along_.in_dy]);
        }
      }
    }
  }

 private:
  struct Axis {
    int64_t size, in_out, in_dy, in_indices;
  };
  template <class C>
  static void move(const Axis* axes, int count, int64_t place, C** to, int64_t* from, int64_t* index) {
    for (int i = 0; i < count; ++i) {
      int64_t at = place % axes[i].size;
      place /= axes[i].size;
      *to += at * axes[i].in_out;
      *from += at * axes[i].in_dy;
      *index += at * axes[i].in_indices;
    }
  }
  Axis along_{}, own_[kMaxRank], repeated_[kMaxRank];
  int n_own_ = 0, n_repeated_ = 0;
  int64_t lines_ = 1, repeats_ = 1, length_ = 0;
};

template <class T> void run_take_along_axis_grad(const KernelArgs& args) {
  const ScatterAttrs& attrs = args.as<ScatterAttrs>();
  const Array& dy = args.in[0];
  const Array& out = args.out[0];
  int axis = static_cast<int>(attrs.axis);
  Places places{args.in[1], attrs.base.value, out.dims[axis]};
  Sums<T> sums(args);
  sums.start();
  if (dy.size > 0 && out.size > 0) {
    Lines lines(out, dy, args.in[1], axis);
    parallel_for(lines.count(), row_grain(kCheapGrain, lines.work()), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) lines.add(line, places, dy.as<T>(), sums.at);
    });
  }
  sums.finish();
}

}  // namespace

void register_scatter_cpu(KernelRegistry& kernels) {
  kernels.add_each("ScatterAdd", DeviceType::CPU, EveryNumber{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_scatter_add<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("GatherGrad", DeviceType::CPU, InexactTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_gather_grad<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("ScatterNd", DeviceType::CPU, InexactTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_scatter_nd<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("TakeAlongAxisGrad", DeviceType::CPU, InexactTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_take_along_axis_grad<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
}

}  // namespace lutra
