// Choosing among values element by element, and sums of lists, on the CPU.

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

// Elements of a run of N inputs: each steps by 1 or repeats. The usual patterns get loops of their own, which
// vectorise.
template <class Op, class C, class T>
void ternary_row(const C* a, int64_t step_a, const T* b, int64_t step_b, const T* c, int64_t step_c,
                            T* __restrict out, int64_t n) {
  if (step_a == 1 && step_b == 1 && step_c == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i], b[i], c[i]);
  } else if (step_a == 1 && step_b == 1 && step_c == 0) {
    const T last = *c;
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i], b[i], last);
  } else if (step_a == 1 && step_b == 0 && step_c == 1) {
    const T middle = *b;
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i], middle, c[i]);
  } else if (step_a == 1 && step_b == 0 && step_c == 0) {
    const T middle = *b, last = *c;
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i], middle, last);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i * step_a], b[i * step_b], c[i * step_c]);
  }
}

template <class Op, class C, class T> void run_ternary(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const C* a = args.in[0].as<C>();
  const T* b = args.in[1].as<T>();
  const T* c = args.in[2].as<T>();
  T* to = out.as<T>();
  BroadcastPlan<3> plan(out, args.in);
  if (plan.rank == 1) {
    int64_t step_a = plan.strides[0][0], step_b = plan.strides[1][0], step_c = plan.strides[2][0];
    parallel_for(out.size, kCheapGrain, [=](int64_t begin, int64_t end) {
      ternary_row<Op, C, T>(a + begin * step_a, step_a, b + begin * step_b, step_b, c + begin * step_c, step_c,
                            to + begin, end - begin);
    });
    return;
  }
  parallel_for(plan.rows(), row_grain(kCheapGrain, plan.dims[0]), [&](int64_t begin, int64_t end) {
    plan.for_rows(begin, end, [&](const std::array<int64_t, 3>& offset, int64_t first, int64_t n) {
      ternary_row<Op, C, T>(a + offset[0], plan.strides[0][0], b + offset[1], plan.strides[1][0], c + offset[2],
                            plan.strides[2][0], to + first, n);
    });
  });
}

struct Select {
  // Conditions are bytes here: what a file brought along may be neither 0 nor 1.
  template <class T> static T apply(uint8_t condition, T x, T y) { return condition != 0 ? x : y; }
};

struct Clip {
  // nan on any side is handed on; the upper bound has the last word.
  template <class T> static T apply(T x, T low, T high) {
    T raised = x > low || x != x ? x : low;
    return raised < high || raised != raised ? raised : high;
  }
};

// Only bytes move: one version an element size.
void add_select(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, kBool | DType::Int8 | DType::UInt8,
              {.run = run_ternary<Select, uint8_t, uint8_t>});
  kernels.add(name, DeviceType::CPU, kHalves | DType::Int16, {.run = run_ternary<Select, uint8_t, uint16_t>});
  kernels.add(name, DeviceType::CPU, DType::Int32 | DType::Float32, {.run = run_ternary<Select, uint8_t, uint32_t>});
  kernels.add(name, DeviceType::CPU, DType::Int64 | DType::Float64, {.run = run_ternary<Select, uint8_t, uint64_t>});
}

template <class T> void add_span(const T* a, const T* b, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(Wrapping<T>(a[i]) + Wrapping<T>(b[i]));
}

// From the list's first to its last, element by element; a stretch stays in the first cache while the list goes by.
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

}  // namespace

void register_select_cpu(KernelRegistry& kernels) {
  add_select(kernels, "SelectV2");
  kernels.add_each("ClipByValue", DeviceType::CPU, ComputedNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_ternary<Clip, T, T>};
  });
  kernels.add_each("AddN", DeviceType::CPU, ComputedNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_add_n<typename decltype(tag)::type>}; });
}

}  // namespace lutra
