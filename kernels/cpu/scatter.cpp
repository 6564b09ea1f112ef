// Adds to positions on the CPU. Each element of the result gets its additions in the order of the indices, whatever the
// number of threads, since no two share an element.

#include <type_traits>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/indexing/places.h"
#include "ops/index.h"

namespace lutra {
namespace {

// Integers wrap. C is the compute type.
template <class C> C plus(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    using U = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

// The sums. Those of halves are in float, in scratch memory, and are rounded at the end.
template <class T> struct Sums {
  using C = ComputeType<T>;
  static constexpr bool kApart = !std::is_same_v<T, C>;
  const Array& out;
  C* at;

  explicit Sums(const KernelArgs& args)
      : out(args.out[0]), at(kApart ? reinterpret_cast<C*>(args.scratch) : args.out[0].as<C>()) {}
  static std::size_t scratch(const KernelArgs& args) {
    return kApart ? static_cast<std::size_t>(args.out[0].size) * sizeof(C) : 0;
  }
  void start() const {
    parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) { std::fill(at + begin, at + end, C(0)); });
  }
  void start(const T* from) const {
    parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
      if constexpr (kApart) {
        for (int64_t i = begin; i < end; ++i) at[i] = static_cast<C>(from[i]);
      } else {
        copy_bytes(at + begin, from + begin, (end - begin) * static_cast<int64_t>(sizeof(C)));
      }
    });
  }
  void finish() const {
    if constexpr (kApart) {
      T* to = out.as<T>();
      parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(at[i]);
      });
    }
  }
};

// Columns in a thread's share: whole cache lines.
constexpr int64_t kColumns = 64;

// to[o, places[i], k] += from[o, i, k] for each i in order; `from` is one element for all if it repeats. Returns
// whether every index was in range.
template <class T, class Rows>
bool add_rows(const Rows& rows, const T* from, bool repeats, ComputeType<T>* to, int64_t outer, int64_t parts,
              int64_t length) {
  using C = ComputeType<T>;
  int64_t count = rows.count(), blocks = (length + kColumns - 1) / kColumns;
  if (outer == 0 || count == 0 || length == 0) return true;
  std::atomic<bool> all_found = true;
  // Adds columns [k, k + n) of every i whose position is in [low, high).
  auto add = [&](int64_t o, int64_t k, int64_t n, int64_t low, int64_t high) {
    int64_t at[kPlacesAtOnce];
    bool found = true;
    for (int64_t i = 0; i < count; i += kPlacesAtOnce) {
      int64_t together = std::min(kPlacesAtOnce, count - i);
      rows.read(i, together, at);
      if (length == 1 && !repeats && low == 0 && high == parts && all_are_places(at, together)) {
        C* sums = to + o * parts;
        const T* row = from + o * count + i;
        for (int64_t j = 0; j < together; ++j) sums[at[j]] = plus(sums[at[j]], static_cast<C>(row[j]));
        continue;
      }
      for (int64_t j = 0; j < together; ++j) {
        found &= at[j] >= 0;
        if (at[j] < low || at[j] >= high) continue;
        C* __restrict sum = to + (o * parts + at[j]) * length + k;
        const T* __restrict row = repeats ? from : from + (o * count + i + j) * length + k;
        if (n == 1) {
          *sum = plus(*sum, static_cast<C>(*row));
        } else if (repeats) {
          for (int64_t c = 0; c < n; ++c) sum[c] = plus(sum[c], static_cast<C>(*row));
        } else {
          for (int64_t c = 0; c < n; ++c) sum[c] = plus(sum[c], static_cast<C>(row[c]));
        }
      }
    }
    if (!found) all_found = false;
  };
  if (outer * blocks >= 4 || count * length <= kCheapGrain) {
    int64_t work = count * std::min(length, kColumns);
    parallel_for(outer * blocks, row_grain(kCheapGrain, work), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin, together; item < end; item += together) {
        together = std::min(blocks - item % blocks, end - item);
        int64_t k = item % blocks * kColumns;
        add(item / blocks, k, std::min(together * kColumns, length - k), 0, parts);
      }
    });
    return all_found;
  }
  // Narrow slices: each thread adds to a range of them, and reads all indices to find them. For single elements that
  // takes longer than one thread alone, unless there are several threads.
  int64_t grain = length == 1 && !repeats && max_threads() < 4 ? parts : 1;
  for (int64_t o = 0; o < outer; ++o) {
    parallel_for(parts, grain, [&](int64_t begin, int64_t end) { add(o, 0, length, begin, end); });
  }
  return all_found;
}

template <class T> void run_scatter_add(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& updates = args.in[2];
  Extent extent = Extent::around(x.dims, x.rank, 0);
  Places places{args.in[1], args.as<IndexAttrs>().base.value, extent.size};
  Sums<T> sums(args);
  sums.start(x.as<T>());
  bool repeats = updates.rank == 0;
  if (x.size == 0) return places.report(*args.fault);
  bool all_found = add_rows(places, updates.as<T>(), repeats, sums.at, 1, extent.size, extent.inner);
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
  if (out.size > 0) add_rows(places, args.in[0].as<T>(), false, sums.at, extent.outer, extent.size, extent.inner);
  sums.finish();
}

template <class T> void run_scatter_nd(const KernelArgs& args) {
  const Array& out = args.out[0];
  NdPlaces places(args.in[1], args.as<ScatterAttrs>().base.value, out.dims);
  Sums<T> sums(args);
  sums.start();
  int64_t length = product(out.dims, places.depth, out.rank);
  if (out.size > 0) add_rows(places, args.in[0].as<T>(), false, sums.at, 1, places.parts(), length);
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
  kernels.add_each("ScatterAdd", DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_scatter_add<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("GatherGrad", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_gather_grad<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("ScatterNd", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_scatter_nd<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
  kernels.add_each("TakeAlongAxisGrad", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_take_along_axis_grad<T>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
}

}  // namespace lutra
