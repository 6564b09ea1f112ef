// Repeating, moving and padding on the CPU. Rows are copied whole, so there is one version per element size, or one for
// all.
#include <cstring>
#include <vector>

#include "kernels/cpu/loops/copy.h"
#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/strided.h"
#include "ops/arrange.h"
#include "ops/axes.h"
#include "ops/shape.h"

namespace lutra {
namespace {

// A result whose rows are source rows that repeat endlessly: row r begins `phase` bytes into source row source(r),
// whose length is `period`.
struct Rounds {
  int64_t row_bytes;  // of the result
  int64_t period;     // of the source
  int64_t phase;
};

// `length` bytes of the endless repetition of from[0, period), from `phase` on.
void copy_round(std::byte* to, int64_t length, const std::byte* from, int64_t period, int64_t phase) {
  int64_t tail = std::min(length, period - phase);
  copy_bytes(to, from + phase, tail);
  int64_t head = std::min(length - tail, phase);
  if (head > 0) copy_bytes(to + tail, from, head);
  // From here on copies what has been written, but from no further back than the cache reaches.
  int64_t most = std::max<int64_t>(period, 32768 / period * period);
  for (int64_t done = tail + head; done < length;) {
    int64_t n = std::min({done, length - done, most});
    copy_bytes(to + done, to + done - std::min(done, most), n);
    done += n;
  }
}

template <class Source>
void copy_rounds(const Array& out, const std::byte* from, const Rounds& rounds, const Source& source) {
  int64_t bytes = out.size * static_cast<int64_t>(size_of(out.dtype));
  parallel_for(bytes, kCopyGrain, [&](int64_t begin, int64_t end) {
    int64_t row = begin / rounds.row_bytes, at = begin % rounds.row_bytes;
    while (begin < end) {
      int64_t n = std::min(rounds.row_bytes - at, end - begin);
      copy_round(out.data + begin, n, from + source(row) * rounds.period, rounds.period,
                 (at + rounds.phase) % rounds.period);
      begin += n;
      at = 0;
      ++row;
    }
  });
}

// The source row of a result's row: each index is moved on by `offset` and wraps around.
struct RowMap {
  int rank = 0;
  int64_t out_dims[kMaxRank], dims[kMaxRank], offset[kMaxRank];
  void push(int64_t out_dim, int64_t dim, int64_t further) {
    out_dims[rank] = out_dim;
    dims[rank] = dim;
    offset[rank++] = further;
  }
  // Axes are pushed from the outermost to the innermost.
  int64_t operator()(int64_t row) const {
    int64_t place = 0, stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
      int64_t index = row % out_dims[i];
      row /= out_dims[i];
      place += (index + offset[i]) % dims[i] * stride;
      stride *= dims[i];
    }
    return place;
  }
};

void run_tile(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int lead = out.rank - x.rank;
  auto size = [&](int axis) { return axis >= lead ? x.dims[axis - lead] : 1; };
  int last = out.rank - 1;  // the last axis that is repeated
  while (last > 0 && out.dims[last] == size(last)) --last;
  int64_t period = static_cast<int64_t>(size_of(x.dtype)), row_bytes = period;
  for (int axis = std::max(last, 0); axis < out.rank; ++axis) {
    period *= size(axis);
    row_bytes *= out.dims[axis];
  }
  RowMap source;
  for (int axis = 0; axis < last; ++axis) source.push(out.dims[axis], size(axis), 0);
  copy_rounds(out, x.data, {row_bytes, period, 0}, source);
}

void run_roll(const KernelArgs& args) {
  const RollAttrs& attrs = args.as<RollAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t element = static_cast<int64_t>(size_of(x.dtype));
  // The offset in x of an element of the result.
  auto back = [](int64_t shift, int64_t size) { return (size - shift % size) % size; };
  if (!attrs.axis.given()) {
    int64_t bytes = x.size * element;
    return copy_rounds(out, x.data, {bytes, bytes, back(attrs.shift.v[0], x.size) * element},
                       [](int64_t) { return 0; });
  }
  int64_t offset[kMaxRank] = {};
  int last = 0;
  for (int i = 0; i < attrs.axis.count; ++i) {
    int axis = static_cast<int>(attrs.axis.v[i] < 0 ? attrs.axis.v[i] + x.rank : attrs.axis.v[i]);
    offset[axis] = back(attrs.shift.v[attrs.shift.count == 1 ? 0 : i], x.dims[axis]);
    if (offset[axis] != 0) last = std::max(last, axis);
  }
  int64_t inner = element;
  for (int axis = last + 1; axis < x.rank; ++axis) inner *= x.dims[axis];
  int64_t period = x.rank > 0 ? inner * x.dims[last] : inner;
  RowMap source;
  for (int axis = 0; axis < last; ++axis) source.push(x.dims[axis], x.dims[axis], offset[axis]);
  copy_rounds(out, x.data, {period, period, offset[last] * inner}, source);
}

void run_flip(const KernelArgs& args) {
  const Axes& axes = args.as<AxisAttrs>().axis;
  const Array& x = args.in[0];
  if (x.size == 0) return;
  uint32_t turned = axes.given() ? 0 : ~0u;
  for (int i = 0; i < axes.count; ++i) turned |= 1u << (axes.v[i] < 0 ? axes.v[i] + x.rank : axes.v[i]);
  StridedCopy copy;
  int64_t start = 0, stride = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    bool turns = (turned >> axis & 1u) != 0;
    if (turns) start += (x.dims[axis] - 1) * stride;
    copy.push(x.dims[axis], turns ? -stride : stride);
    stride *= x.dims[axis];
  }
  std::size_t element = size_of(x.dtype);
  copy.run(element, x.data + start * static_cast<int64_t>(element), args.out[0].data);
}

// The axis of Repeat: the sizes before it, of it and after it.
struct Repetition {
  const RepeatAttrs& attrs;
  int64_t outer, size, inner;
  std::vector<int64_t> ends;  // of each element's copies on the result's axis; empty: all have equally many

  Repetition(const RepeatAttrs& repeat, const Array& whole, int64_t axis_size) : attrs(repeat), size(axis_size) {
    Extent extent = Extent::around(whole.dims, whole.rank, axis_of(attrs.axis, whole.rank, 0));
    outer = extent.outer;
    inner = extent.inner;
    if (attrs.is_uniform()) return;
    ends.resize(static_cast<std::size_t>(size));
    int64_t end = 0;
    for (int64_t i = 0; i < size; ++i) ends[static_cast<std::size_t>(i)] = end += attrs.at(i);
  }
  int64_t begin_of(int64_t i) const {
    if (attrs.is_uniform()) return i * attrs.at(0);
    return i == 0 ? 0 : ends[static_cast<std::size_t>(i - 1)];
  }
  int64_t length() const { return begin_of(size); }
  // Elements of x from which a second thread pays off.
  int64_t grain() const {
    int64_t work = std::max<int64_t>(1, length() / std::max<int64_t>(1, size)) * inner;
    return row_grain(kCheapGrain, work);
  }
};

constexpr int64_t kLongRowBytes = 512;

template <class E> void run_repeat_as(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const RepeatAttrs& attrs = args.as<RepeatAttrs>();
  Repetition r(attrs, x, x.dims[axis_of(attrs.axis, x.rank, 0)]);
  int64_t bytes = r.inner * static_cast<int64_t>(sizeof(E));
  if (r.inner == 1 && attrs.is_uniform()) {
    const E* from = x.as<E>();
    E* to = out.as<E>();
    int64_t n = attrs.at(0);
    return parallel_for(x.size, row_grain(kCheapGrain, n), [=](int64_t begin, int64_t end) {
      E* at = to + begin * n;
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t k = 0; k < n; ++k) *at++ = from[i];
      }
    });
  }
  parallel_for(r.outer * r.size, r.grain(), [&](int64_t begin, int64_t end) {
    int64_t i = begin % r.size;
    E* to = out.as<E>() + (begin / r.size * r.length() + r.begin_of(i)) * r.inner;
    for (int64_t at = begin; at < end; ++at) {
      int64_t n = attrs.at(i);
      const E* from = x.as<E>() + at * r.inner;
      if (r.inner == 1) {
        for (int64_t k = 0; k < n; ++k) to[k] = *from;
      } else if (bytes >= kLongRowBytes) {  // reading what was just written would be slower
        for (int64_t k = 0; k < n; ++k) copy_bytes(to + k * r.inner, from, bytes);
      } else if (n > 0) {
        copy_round(reinterpret_cast<std::byte*>(to), n * bytes, reinterpret_cast<const std::byte*>(from), bytes, 0);
      }
      to += n * r.inner;
      if (++i == r.size) i = 0;
    }
  });
}

void run_repeat(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { run_repeat_as<E>(args); });
}

// Adds up copies in their order.
template <class T> void run_repeat_grad(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Array& dy = args.in[0];
  const Array& out = args.out[0];
  const RepeatAttrs& attrs = args.as<RepeatAttrs>();
  if (out.size == 0) return;
  Repetition r(attrs, dy, attrs.n.count);
  parallel_for(r.outer * r.size, r.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      int64_t i = at % r.size, n = attrs.at(i);
      const T* from = dy.as<T>() + (at / r.size * r.length() + r.begin_of(i)) * r.inner;
      T* to = out.as<T>() + at * r.inner;
      for (int64_t k = 0; k < r.inner; ++k) {
        C sum(0);
        for (int64_t j = 0; j < n; ++j) sum += static_cast<C>(from[j * r.inner + k]);
        to[k] = static_cast<T>(sum);
      }
    }
  });
}

// A row of the result runs along the last axis that is padded, and all axes within: padding, a row of x, padding; or
// padding only.
template <class E> void run_pad_as(const KernelArgs& args) {
  const PadAttrs& attrs = args.as<PadAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0 || out.rank == 0) return;  // a scalar has no padding: the result shares its memory
  E value;
  std::byte bits[kMostElementBytes];
  write_element(out.dtype, bits, attrs.value);
  std::memcpy(&value, bits, sizeof value);
  int last = out.rank - 1;
  while (last > 0 && out.dims[last] == x.dims[last]) --last;
  int64_t inner = 1;
  for (int axis = last + 1; axis < out.rank; ++axis) inner *= out.dims[axis];
  int64_t before = attrs.paddings.v[last][0] * inner, middle = x.dims[last] * inner,
          row_length = out.dims[last] * inner;
  // The row of x that a row of the result holds; -1: none.
  auto row_of_x = [&](int64_t row) {
    int64_t place = 0, stride = 1;
    for (int axis = last - 1; axis >= 0; --axis) {
      int64_t index = row % out.dims[axis] - attrs.paddings.v[axis][0];
      row /= out.dims[axis];
      if (index < 0 || index >= x.dims[axis]) return int64_t{-1};
      place += index * stride;
      stride *= x.dims[axis];
    }
    return place;
  };
  parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
    int64_t row = begin / row_length, at = begin % row_length;
    while (begin < end) {
      int64_t n = std::min(row_length - at, end - begin), from_row = row_of_x(row);
      E* to = out.as<E>() + begin;
      // [at, at + n) of the row, of which [before, before + middle) comes from x.
      int64_t first = std::clamp(before, at, at + n),
              behind = from_row < 0 ? first : std::clamp(before + middle, at, at + n);
      std::fill(to, to + (first - at), value);
      if (behind > first) {
        copy_bytes(to + (first - at), x.as<E>() + from_row * middle + (first - before),
                   (behind - first) * static_cast<int64_t>(sizeof(E)));
      }
      std::fill(to + (behind - at), to + n, value);
      begin += n;
      at = 0;
      ++row;
    }
  });
}

void run_pad(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { run_pad_as<E>(args); });
}

}  // namespace

void register_arrange_cpu(KernelRegistry& kernels) {
  kernels.add("Tile", DeviceType::CPU, kEveryDType, {.run = run_tile});
  kernels.add("Repeat", DeviceType::CPU, kEveryDType, {.run = run_repeat});
  kernels.add_each("RepeatGrad", DeviceType::CPU, InexactTypes{},
                   [](auto tag) { return KernelEntry{.run = run_repeat_grad<typename decltype(tag)::type>}; });
  kernels.add("PadV2", DeviceType::CPU, kEveryDType, {.run = run_pad});
  kernels.add("ReverseV2", DeviceType::CPU, kEveryDType, {.run = run_flip});
  kernels.add("Roll", DeviceType::CPU, kEveryDType, {.run = run_roll});
}

}  // namespace lutra
