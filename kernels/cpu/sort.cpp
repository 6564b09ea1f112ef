// Sorting on the CPU, line by line along an axis.

#include <atomic>
#include <cstring>

#include "kernels/cpu/loops/sort_lines.h"
#include "ops/axes.h"
#include "ops/index.h"
#include "ops/sort.h"

namespace lutra {
namespace {

// -0 shares its key with 0, and all nans share one. Writes the original elements, in their original order, to the
// positions of these keys.
template <class T>
void restore_twins(const T* x, int64_t stride, int64_t n, bool descending, const KeyOf<T>* sorted, T* out) {
  using K = KeyOf<T>;
  K flip = descending ? std::numeric_limits<K>::max() : K(0);
  K zero = static_cast<K>(kSignBit<T> ^ flip), nan = static_cast<K>(std::numeric_limits<K>::max() ^ flip);
  int64_t next_zero = std::lower_bound(sorted, sorted + n, zero) - sorted;
  int64_t next_nan = std::lower_bound(sorted, sorted + n, nan) - sorted;
  for (int64_t i = 0; i < n; ++i) {
    K key = static_cast<K>(key_of(x[i * stride]) ^ flip);
    if (key == zero) out[next_zero++ * stride] = x[i * stride];
    else if (key == nan) out[next_nan++ * stride] = x[i * stride];
  }
}

LinePlan sort_plan(const KernelArgs& args) {
  const Array& x = args.in[0];
  return LinePlan(x, axis_of(args.as<SortAttrs>().axis, x.rank, -1));
}

// Only keys move: each slot has two buffers for a line's keys.
template <class T> std::size_t sort_scratch(const KernelArgs& args) {
  LinePlan plan = sort_plan(args);
  return static_cast<std::size_t>(plan.slots * 2 * plan.length) * sizeof(T);
}

template <class T> void run_sort(const KernelArgs& args) {
  using K = KeyOf<T>;
  LinePlan plan = sort_plan(args);
  bool descending = args.as<SortAttrs>().descending;
  const K flip = descending ? std::numeric_limits<K>::max() : K(0);
  int64_t n = plan.length, stride = plan.stride;
  K* rooms = reinterpret_cast<K*>(args.scratch);
  plan.each([&](int64_t line, int64_t slot) {
    const T* x = args.in[0].as<T>() + plan.first(line, n);
    T* out = args.out[0].as<T>() + plan.first(line, n);
    K* keys = rooms + slot * 2 * n;
    std::atomic<bool> has_twins = false;
    each_part(n, [=, &has_twins](int64_t begin, int64_t end) {
      unsigned twins = 0;
      for (int64_t i = begin; i < end; ++i) {
        K key = key_of(x[i * stride]);
        keys[i] = static_cast<K>(key ^ flip);
        if constexpr (kIsFloatElement<T>)
          twins |= std::bit_cast<K>(element_of<T>(key)) != std::bit_cast<K>(x[i * stride]);
      }
      if (twins != 0) has_twins = true;
    });
    const K* sorted = sort_records(keys, keys + n, n, sizeof(K));
    each_part(n, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i * stride] = element_of<T>(static_cast<K>(sorted[i] ^ flip));
    });
    if constexpr (kIsFloatElement<T>) {
      if (has_twins) restore_twins(x, stride, n, descending, sorted, out);
    }
  });
}

LinePlan argsort_plan(const KernelArgs& args) {
  const Array& x = args.in[0];
  return LinePlan(x, axis_of(args.as<ArgsortAttrs>().axis, x.rank, -1));
}

template <class T> std::size_t argsort_scratch(const KernelArgs& args) {
  LinePlan plan = argsort_plan(args);
  std::size_t records = static_cast<std::size_t>(plan.slots * 2 * plan.length);
  return with_record<T>(plan.length, [&](auto record) { return records * sizeof record; });
}

template <class T> void run_argsort(const KernelArgs& args) {
  const ArgsortAttrs& attrs = args.as<ArgsortAttrs>();
  LinePlan plan = argsort_plan(args);
  int64_t n = plan.length, stride = plan.stride, base = attrs.base.value;
  with_record<T>(n, [&](auto record) {
    using R = decltype(record);
    plan.each([&](int64_t line, int64_t slot) {
      R* records = reinterpret_cast<R*>(args.scratch) + slot * 2 * n;
      int64_t* out = args.out[0].as<int64_t>() + plan.first(line, n);
      fill_records<R>(args.in[0].as<T>() + plan.first(line, n), stride, n, attrs.descending, records);
      const R* sorted = sort_records(records, records + n, n, sizeof(T));
      each_part(n, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) out[i * stride] = sorted[i].place() + base;
      });
    });
  });
}

template <class T> std::size_t unique_scratch(const KernelArgs& args) {
  std::size_t records = 2 * static_cast<std::size_t>(args.in[0].size);
  return with_record<T>(args.in[0].size, [&](auto record) { return records * sizeof record; });
}

// Counts integers, if they are so close together that scratch memory has a number for each; else returns -1.
template <class T> int64_t unique_counted(const KernelArgs& args, int64_t base) {
  const T* from = args.in[0].as<T>();
  int64_t n = args.in[0].size;
  T least = from[0], most = from[0];
  for (int64_t i = 0; i < n; ++i) {
    least = std::min(least, from[i]);
    most = std::max(most, from[i]);
  }
  uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1;
  if (range == 0 || range > static_cast<uint64_t>(2 * n)) return -1;
  auto place = [=](T value) { return static_cast<uint64_t>(value) - static_cast<uint64_t>(least); };
  int64_t* table = reinterpret_cast<int64_t*>(args.scratch);
  std::fill(table, table + range, int64_t{0});
  for (int64_t i = 0; i < n; ++i) ++table[place(from[i])];
  T* values = args.out[0].as<T>();
  int64_t *inverse = args.out[1].as<int64_t>(), *counts = args.out[2].as<int64_t>(), found = 0;
  for (uint64_t i = 0; i < range; ++i) {
    if (table[i] == 0) continue;
    values[found] = static_cast<T>(static_cast<uint64_t>(least) + i);
    counts[found] = table[i];
    table[i] = base + found++;
  }
  for (int64_t i = 0; i < n; ++i) inverse[i] = table[place(from[i])];
  return found;
}

template <class T> int64_t unique_sorted(const KernelArgs& args, int64_t base) {
  const Array& x = args.in[0];
  const T* from = x.as<T>();
  T* values = args.out[0].as<T>();
  int64_t* inverse = args.out[1].as<int64_t>();
  int64_t* counts = args.out[2].as<int64_t>();
  int64_t n = x.size, found = 0;
  with_record<T>(n, [&](auto record) {
    using R = decltype(record);
    R* records = reinterpret_cast<R*>(args.scratch);
    fill_records<R>(from, 1, n, false, records);
    const R* sorted = sort_records(records, records + n, n, sizeof(T));
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || sorted[i].key() != sorted[i - 1].key()) {
        values[found] = from[sorted[i].place()];
        counts[found++] = 0;
      }
      ++counts[found - 1];
      inverse[sorted[i].place()] = found - 1 + base;
    }
  });
  return found;
}

template <class T> void run_unique(const KernelArgs& args) {
  int64_t base = args.as<IndexAttrs>().base.value, found = -1;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (args.in[0].size > 0) found = unique_counted<T>(args, base);
  }
  if (found < 0) found = unique_sorted<T>(args, base);
  args.out_count[0] = found;
  args.out_count[1] = args.in[0].size;
  args.out_count[2] = found;
}

}  // namespace

void register_sort_cpu(KernelRegistry& kernels) {
  kernels.add_each("Sort", DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_sort<T>, .scratch = sort_scratch<T>};
  });
  kernels.add_each("Argsort", DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_argsort<T>, .scratch = argsort_scratch<T>};
  });
  kernels.add_each("Unique", DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_unique<T>, .scratch = unique_scratch<T>};
  });
}

}  // namespace lutra
