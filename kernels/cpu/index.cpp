// Looking elements up on the CPU.

#include "ops/index.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>

#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

// Where indices lead: the place on an axis of `size`, or -1.
struct Places {
  const Array& indices;
  int64_t base, size;

  int64_t place(int64_t index) const {
    int64_t at = index < 0 ? index + size : index - base;
    return (index == 0 && base != 0) || at < 0 || at >= size ? -1 : at;
  }
  // Those of indices [begin, begin + count).
  void read(int64_t begin, int64_t count, int64_t* out) const {
    std::size_t bytes = size_of(indices.dtype);
    convert(DType::Int64, reinterpret_cast<std::byte*>(out), indices.dtype,
            indices.data + static_cast<std::size_t>(begin) * bytes, count);
    for (int64_t i = 0; i < count; ++i) out[i] = place(out[i]);
  }
  // Tells the first index that leads nowhere, whichever thread met one first.
  void report(Fault& fault) const {
    for (int64_t i = 0; i < indices.size; ++i) {
      int64_t index =
          read_element(indices.dtype, indices.data + static_cast<std::size_t>(i) * size_of(indices.dtype)).i;
      if (place(index) >= 0) continue;
      return fault.raise(index == 0 ? FaultCode::IndexZero : FaultCode::IndexOutOfRange, index, size);
    }
  }
};

constexpr int64_t kChunk = 256;

// Elements of E or, where `length` of them lie together, rows.
template <class E>
bool gather_elements(const Places& places, const Array& x, const Array& out, int64_t outer, int64_t length) {
  const E* from = x.as<E>();
  E* to = out.as<E>();
  std::atomic<bool> all_found = true;
  int64_t count = places.indices.size, row = places.size * length;
  parallel_for(outer * count, row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
    int64_t at[kChunk];
    bool found = true;
    while (begin < end) {
      int64_t i = begin % count;
      int64_t n = std::min({kChunk, end - begin, count - i});
      places.read(i, n, at);
      const E* block = from + begin / count * row;
      E* result = to + begin * length;
      for (int64_t j = 0; j < n; ++j) found &= at[j] >= 0;
      if (length == 1) {
        for (int64_t j = 0; j < n; ++j) result[j] = at[j] >= 0 ? block[at[j]] : E(0);
      } else {
        std::size_t bytes = static_cast<std::size_t>(length) * sizeof(E);
        for (int64_t j = 0; j < n; ++j) {
          if (at[j] >= 0) std::memcpy(result + j * length, block + at[j] * length, bytes);
          else std::memset(result + j * length, 0, bytes);
        }
      }
      begin += n;
    }
    if (!found) all_found = false;
  });
  return all_found;
}

void run_gather(const KernelArgs& args) {
  const GatherAttrs& attrs = args.as<GatherAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  int axis = gather_axis(attrs, x.rank);
  Places places{args.in[1], attrs.base.value, x.dims[axis]};
  if (out.size == 0) return places.report(*args.fault);
  int64_t outer = 1, length = 1;
  for (int i = 0; i < axis; ++i) outer *= x.dims[i];
  for (int i = axis + 1; i < x.rank; ++i) length *= x.dims[i];
  bool all_found = false;
  switch (size_of(x.dtype)) {
    case 1: all_found = gather_elements<uint8_t>(places, x, out, outer, length); break;
    case 2: all_found = gather_elements<uint16_t>(places, x, out, outer, length); break;
    case 4: all_found = gather_elements<uint32_t>(places, x, out, outer, length); break;
    case 8: all_found = gather_elements<uint64_t>(places, x, out, outer, length); break;
  }
  if (!all_found) places.report(*args.fault);
}

// An element as an integer of the same order: -0 equals 0, and every nan is the largest.
struct Ranked {
  uint64_t rank;
  int64_t place;
};

template <class T> uint64_t rank_of(T value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ kSign;
  } else {
    double wide = static_cast<double>(value);
    if (wide != wide) return std::numeric_limits<uint64_t>::max();
    uint64_t bits = std::bit_cast<uint64_t>(wide == 0 ? 0.0 : wide);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
}

template <class T> void rank_all(const Array& x, Ranked* out) {
  const T* from = x.as<T>();
  parallel_for(x.size, kCheapGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = {rank_of(from[i]), i};
  });
}

std::size_t unique_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(args.in[0].size) * sizeof(Ranked);
}

void run_unique(const KernelArgs& args) {
  const Array& x = args.in[0];
  int64_t base = args.as<UniqueAttrs>().base.value;
  int64_t* inverse = args.out[1].as<int64_t>();
  int64_t* counts = args.out[2].as<int64_t>();
  Ranked* order = reinterpret_cast<Ranked*>(args.scratch);
  visit_dtype(x.dtype, [&](auto tag) { rank_all<typename decltype(tag)::type>(x, order); });
  std::sort(order, order + x.size,
            [](const Ranked& a, const Ranked& b) { return a.rank != b.rank ? a.rank < b.rank : a.place < b.place; });
  std::size_t bytes = size_of(x.dtype);
  int64_t found = 0;
  for (int64_t i = 0; i < x.size; ++i) {
    if (i == 0 || order[i].rank != order[i - 1].rank) {
      std::memcpy(args.out[0].data + static_cast<std::size_t>(found) * bytes,
                  x.data + static_cast<std::size_t>(order[i].place) * bytes, bytes);
      counts[found++] = 0;
    }
    ++counts[found - 1];
    inverse[order[i].place] = found - 1 + base;
  }
  args.out_count[0] = found;
  args.out_count[1] = x.size;
  args.out_count[2] = found;
}

}  // namespace

void register_index_cpu(KernelRegistry& kernels) {
  kernels.add("GatherV2", DeviceType::CPU, kAnyDType, {.run = run_gather});
  kernels.add("Unique", DeviceType::CPU, kAnyDType, {.run = run_unique, .scratch = unique_scratch});
}

}  // namespace lutra
