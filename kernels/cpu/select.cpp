// Selects values element by element, and sums lists of tensors, on the CPU.

#include <cstdint>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/arithmetic.h"

namespace lutra {
namespace {

// Only bytes move, so there is one version per element size.
void add_select(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, kBool | DType::Int8 | DType::UInt8,
              {.run = run_ternary<Select, uint8_t, uint8_t, uint8_t>});
  kernels.add(name, DeviceType::CPU, kHalves | DType::Int16, {.run = run_ternary<Select, uint16_t, uint8_t, uint16_t>});
  kernels.add(name, DeviceType::CPU, DType::Int32 | DType::Float32,
              {.run = run_ternary<Select, uint32_t, uint8_t, uint32_t>});
  kernels.add(name, DeviceType::CPU, DType::Int64 | DType::Float64 | DType::Complex64,
              {.run = run_ternary<Select, uint64_t, uint8_t, uint64_t>});
  kernels.add(name, DeviceType::CPU, DType::Complex128, {.run = run_ternary<Select, Complex128, uint8_t, Complex128>});
}

template <class T> void add_span(const T* a, const T* b, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(Wrapping<T>(a[i]) + Wrapping<T>(b[i]));
}

// Adds up element by element, from the list's first to its last. Each chunk stays in the L1 cache until the last.
template <class T> void run_add_n(const KernelArgs& args) {
  constexpr int64_t kStretch = 2048;
  T* out = args.out[0].as<T>();
  parallel_for(args.out[0].size, kCheapGrain, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kStretch) {
      int64_t n = std::min(kStretch, end - begin);
      const T* first = args.in[0].as<T>() + begin;
      if (args.n_in == 1) std::copy(first, first + n, out + begin);
      else add_span(first, args.in[1].as<T>() + begin, out + begin, n);
      for (int i = 2; i < args.n_in; ++i) add_span<T>(out + begin, args.in[i].as<T>() + begin, out + begin, n);
    }
  });
}

// For halves the sum stays in float until the list's last.
template <class T> void run_add_n_halves(const KernelArgs& args) {
  constexpr int64_t kStretch = 1024;
  T* out = args.out[0].as<T>();
  parallel_for(args.out[0].size, kCheapGrain, [&](int64_t begin, int64_t end) {
    float sum[kStretch];
    for (; begin < end; begin += kStretch) {
      int64_t n = std::min(kStretch, end - begin);
      const T* first = args.in[0].as<T>() + begin;
      for (int64_t k = 0; k < n; ++k) sum[k] = first[k];
      for (int i = 1; i < args.n_in; ++i) {
        const T* next = args.in[i].as<T>() + begin;
        for (int64_t k = 0; k < n; ++k) sum[k] += static_cast<float>(next[k]);
      }
      for (int64_t k = 0; k < n; ++k) out[begin + k] = static_cast<T>(sum[k]);
    }
  });
}

}  // namespace

void register_select_cpu(KernelRegistry& kernels) {
  add_select(kernels, "SelectV2");
  kernels.add_each("ClipByValue", DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_ternary<Clip, T, T, T>};
  });
  kernels.add_each("AddN", DeviceType::CPU, EveryNumber{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, ComputeType<T>>) return KernelEntry{.run = run_add_n<T>};
    else return KernelEntry{.run = run_add_n_halves<T>};
  });
}

}  // namespace lutra
