#include "ops/create.h"

#include <cmath>
#include <cstring>

#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/copy.h"
#include "kernels/cpu/loops/elementwise.h"
#include "ops/axes.h"

namespace lutra {
namespace {

template <class T> void fill_with(const Array& out, T value) {
  if (out.size >= kStreamedSize<T>) return fill_streamed(out, reinterpret_cast<const std::byte*>(&value));
  T* to = out.as<T>();
  parallel_for(out.size, kCheapGrain * 4 / static_cast<int64_t>(sizeof(T)),
               [=](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
}

template <class T> void run_fill(const KernelArgs& args) { fill_with(args.out[0], *args.in[0].as<T>()); }
template <class T> void run_zeros(const KernelArgs& args) { fill_with(args.out[0], T(0)); }
template <class T> void run_ones(const KernelArgs& args) { fill_with(args.out[0], T(1)); }

template <class T> void run_eye(const KernelArgs& args) {
  const Array& out = args.out[0];
  fill_with(out, T(0));
  T* to = out.as<T>();
  int64_t rows = out.dims[0], columns = out.dims[1];
  for (int64_t i = 0; i < std::min(rows, columns); ++i) to[i * columns + i] = T(1);
}

// Writes element(i) for every i, a V. A result of another dtype than V is converted in batches.
template <class V, class Element> void fill_from(const Array& out, const Element& element) {
  constexpr int32_t kBatch = 1024;
  std::size_t bytes = size_of(out.dtype);
  bool is_same = out.dtype == dtype_of<V>;
  parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
    V batch[kBatch];
    for (; begin < end; begin += kBatch) {
      int32_t n = static_cast<int32_t>(std::min<int64_t>(kBatch, end - begin));
      std::byte* at = out.data + static_cast<std::size_t>(begin) * bytes;
      V* to = is_same ? reinterpret_cast<V*>(at) : batch;
      // In 32 bits: not every processor converts 64 of them.
      const V first = static_cast<V>(begin);
      for (int32_t i = 0; i < n; ++i) to[i] = element(static_cast<V>(Add::apply(first, static_cast<V>(i))));
      if (!is_same) convert_elements(out.dtype, at, dtype_of<V>, reinterpret_cast<const std::byte*>(batch), n);
    }
  });
}

void run_range(const KernelArgs& args) {
  const RangeAttrs& attrs = args.as<RangeAttrs>();
  auto is_int = [](const Number& n) { return n.value.kind == Scalar::Kind::Int; };
  if (is_int(attrs.start) && is_int(attrs.step)) {
    // Wraps, as integer arithmetic does, if the dtype is narrow.
    uint64_t start = static_cast<uint64_t>(attrs.start.value.i), step = static_cast<uint64_t>(attrs.step.value.i);
    auto element = [=](auto i) {
      using U = std::make_unsigned_t<decltype(i)>;
      return static_cast<decltype(i)>(static_cast<U>(start) + static_cast<U>(i) * static_cast<U>(step));
    };
    if (args.out[0].dtype == DType::Int32) return fill_from<int32_t>(args.out[0], element);
    return fill_from<int64_t>(args.out[0], element);
  }
  double start = attrs.start.value.as_double(), step = attrs.step.value.as_double();
  fill_from<double>(args.out[0], [=](double i) { return start + i * step; });
}

// The ends are written exactly as given, which a double may not hold.
void run_linspace(const KernelArgs& args) {
  const LinSpaceAttrs& attrs = args.as<LinSpaceAttrs>();
  const Array& out = args.out[0];
  if (out.size == 0) return;
  double start = attrs.start.value.as_double(), stop = attrs.stop.value.as_double();
  double parts = static_cast<double>(std::max<int64_t>(out.size - 1, 1));
  double step = (stop - start) / parts;
  bool rounds_down = is_integer(out.dtype);
  if (!std::isfinite(step)) {
    // The distance between the ends overflows a double.
    fill_from<double>(out, [=](double i) {
      double value = start * ((parts - i) / parts) + stop * (i / parts);
      return rounds_down ? std::floor(value) : value;
    });
  } else if (rounds_down) {
    fill_from<double>(out, [=](double i) { return std::floor(start + i * step); });
  } else {
    fill_from<double>(out, [=](double i) { return start + i * step; });
  }
  auto write_end = [&](int64_t i, Scalar value) {
    if (rounds_down && value.kind == Scalar::Kind::Float) value.d = std::floor(value.d);
    write_element(out.dtype, out.data + static_cast<std::size_t>(i) * size_of(out.dtype), value);
  };
  if (out.size > 1) write_end(out.size - 1, attrs.stop.value);
  write_end(0, attrs.start.value);
}

// Labels that are read at a time.
constexpr int64_t kLabels = 256;

// Reads n labels from `first` on.
void read_labels(const Array& labels, int64_t first, int64_t n, int64_t* to) {
  convert_elements(DType::Int64, reinterpret_cast<std::byte*>(to), labels.dtype,
                   labels.data + static_cast<std::size_t>(first) * size_of(labels.dtype), n);
}

// A vector of `depth` elements for each label, as many at a time as stay in the L1 cache.
template <class T> void one_hot_vectors(const Array& labels, int64_t base, int64_t depth, T* to) {
  int64_t at_once = std::clamp<int64_t>(kCheapGrain / 4 / depth, 1, kLabels);
  parallel_for(labels.size, row_grain(kCheapGrain, depth), [=, &labels](int64_t begin, int64_t end) {
    int64_t batch[kLabels];
    for (int64_t n; begin < end; begin += n) {
      n = std::min(at_once, end - begin);
      read_labels(labels, begin, n, batch);
      T* vector = to + begin * depth;
      std::fill(vector, vector + n * depth, T(0));
      for (int64_t i = 0; i < n; ++i, vector += depth) {
        // Does not overflow for labels far outside.
        if (batch[i] >= base && batch[i] - base < depth) vector[batch[i] - base] = T(1);
      }
    }
  });
}

// Blocks of depth rows of `inner` elements, one for each label: row l has ones where the label is l.
template <class T> void run_one_hot(const KernelArgs& args) {
  const OneHotAttrs& attrs = args.as<OneHotAttrs>();
  const Array& labels = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t depth = attrs.depth, base = attrs.base.value, inner = 1;
  for (int axis = axis_of(attrs.axis, out.rank, -1) + 1; axis < out.rank; ++axis) inner *= out.dims[axis];
  T* to = out.as<T>();
  if (inner == 1) return one_hot_vectors(labels, base, depth, to);
  parallel_for(out.size / inner, row_grain(kCheapGrain, inner), [&](int64_t begin, int64_t end) {
    int64_t batch[kLabels];
    for (int64_t item = begin; item < end; ++item) {
      T* row = to + item * inner;
      int64_t first = item / depth * inner, l = item % depth + base;
      for (int64_t at = 0; at < inner; at += kLabels) {
        int64_t n = std::min(kLabels, inner - at);
        read_labels(labels, first + at, n, batch);
        for (int64_t i = 0; i < n; ++i) row[at + i] = static_cast<T>(batch[i] == l);
      }
    }
  });
}

}  // namespace

void register_create_cpu(KernelRegistry& kernels) {
  auto add_all = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, EveryType{}, make); };
  add_all("Fill", [](auto tag) { return KernelEntry{.run = run_fill<typename decltype(tag)::type>}; });
  add_all("Eye", [](auto tag) { return KernelEntry{.run = run_eye<typename decltype(tag)::type>}; });
  add_all("OneHot", [](auto tag) { return KernelEntry{.run = run_one_hot<typename decltype(tag)::type>}; });
  kernels.add("Range", DeviceType::CPU, kAnyDType, {.run = run_range});
  kernels.add("LinSpace", DeviceType::CPU, kNumbers, {.run = run_linspace});
  for (const char* name : {"Zeros", "ZerosLike"}) {
    add_all(name, [](auto tag) { return KernelEntry{.run = run_zeros<typename decltype(tag)::type>}; });
  }
  for (const char* name : {"Ones", "OnesLike"}) {
    add_all(name, [](auto tag) { return KernelEntry{.run = run_ones<typename decltype(tag)::type>}; });
  }
  kernels.add("Cast", DeviceType::CPU, kEveryDType, {.run = run_convert});
  for (const char* name : {"Identity", "StopGradient", "_EagerConst"})
    kernels.add(name, DeviceType::CPU, kEveryDType, {.run = run_copy});
}

}  // namespace lutra
