// Which elements are among given values, on the CPU.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/loops/elementwise.h"
#include "ops/count.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

// A table of flags has at most so many for each element and value.
constexpr uint64_t kFlagsEach = 16;

template <class T> uint64_t key_of(T value) { return static_cast<uint64_t>(static_cast<int64_t>(value)); }

// Calls f(i) for each element, and writes what it gives.
template <class F> void mark(const Array& out, bool invert, const F& f) {
  parallel_for(out.size, kCheapGrain / 4, [=, to = out.as<bool>()](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = f(i) != invert;
  });
}

// Floats are compared with each value: there are few. nan equals none.
template <class T> void compare_with_each(const KernelArgs& args, bool invert) {
  using C = ComputeType<T>;
  const T *x = args.in[0].as<T>(), *values = args.in[1].as<T>();
  parallel_for(args.out[0].size, kCheapGrain / 4,
               [=, n = args.in[1].size, to = args.out[0].as<bool>()](int64_t begin, int64_t end) {
                 constexpr int64_t kAtOnce = 256;
                 for (; begin < end; begin += kAtOnce) {
                   const int64_t count = std::min(kAtOnce, end - begin);
                   uint8_t is_one[kAtOnce] = {};
                   for (int64_t k = 0; k < n; ++k) {
                     const C value = static_cast<C>(values[k]);
                     for (int64_t i = 0; i < count; ++i) {
                       is_one[i] |= static_cast<uint8_t>(static_cast<C>(x[begin + i]) == value);
                     }
                   }
                   for (int64_t i = 0; i < count; ++i) to[begin + i] = (is_one[i] != 0) != invert;
                 }
               });
}

// Whole numbers in a range that is not much larger than their number: a flag for each. False: the range is larger.
template <class T> bool look_up(const KernelArgs& args, bool invert) {
  const T *x = args.in[0].as<T>(), *values = args.in[1].as<T>();
  const int64_t n = args.in[1].size;
  const auto [least, most] = std::minmax_element(values, values + n);
  const uint64_t first = key_of(*least), span = key_of(*most) - first;
  if (span / kFlagsEach > static_cast<uint64_t>(n + args.out[0].size)) return false;
  std::vector<uint8_t> flags(span + 1);
  for (int64_t k = 0; k < n; ++k) flags[key_of(values[k]) - first] = 1;
  mark(args.out[0], invert, [=, all = flags.data()](int64_t i) {
    const uint64_t at = key_of(x[i]) - first;
    return at <= span && all[at] != 0;
  });
  return true;
}

// The values by their hashes, each in the next free slot.
class Slots {
 public:
  explicit Slots(int64_t n)
      : shift_(63 - std::bit_width(static_cast<uint64_t>(n))),
        keys_(uint64_t{1} << (64 - shift_)),
        taken_(keys_.size()) {}
  void add(uint64_t key) {
    const std::size_t at = find(key);
    keys_[at] = key;
    taken_[at] = 1;
  }
  bool has(uint64_t key) const { return taken_[find(key)] != 0; }

 private:
  std::size_t find(uint64_t key) const {
    std::size_t at = key * 0x9E3779B97F4A7C15u >> shift_;
    while (taken_[at] != 0 && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  int shift_;
  std::vector<uint64_t> keys_;
  std::vector<uint8_t> taken_;
};

template <class T> void look_up_hashes(const KernelArgs& args, bool invert) {
  const T *x = args.in[0].as<T>(), *values = args.in[1].as<T>();
  Slots slots(args.in[1].size);
  for (int64_t k = 0; k < args.in[1].size; ++k) slots.add(key_of(values[k]));
  mark(args.out[0], invert, [=, &slots](int64_t i) { return slots.has(key_of(x[i])); });
}

template <class T> void run_contained(const KernelArgs& args) {
  const bool invert = args.as<IsInAttrs>().invert;
  if constexpr (!std::is_integral_v<T>) compare_with_each<T>(args, invert);
  else if (!look_up<T>(args, invert)) look_up_hashes<T>(args, invert);
}

}  // namespace

void register_statistics_cpu(KernelRegistry& kernels) {
  kernels.add_each("Contained", DeviceType::CPU, AllTypes{},
                   [](auto tag) { return KernelEntry{.run = run_contained<typename decltype(tag)::type>}; });
}

}  // namespace lutra
