// Ops that compute each output element from one element of every input, with NumPy's broadcasting. An op is a struct
// with `constexpr R apply(T...)`, const or static, which nvcc compiles for cards too (--expt-relaxed-constexpr).
//
// A thread takes a unit: as many elements as fit 16 bytes if the inputs' innermost axis allows it, else one element
// after another.
#pragma once

#include <cstring>
#include <tuple>
#include <utility>

#include "kernels/cuda/device.h"
#include "kernels/cuda/element.h"
#include "kernels/cuda/index_plan.h"
#include "kernels/cuda/kernel_list.h"

namespace lutra::cuda {

template <class E, int V> struct alignas(sizeof(E) * V) Pack { E v[V]; };

// An input: elements on the card, or one number passed by value.
template <class T> struct Input {
  const T* data;
  T number;
};

template <class Op, class R, class... In> struct ElementwiseArgs {
  static constexpr int kInputs = sizeof...(In);
  Op op;
  R* out;
  std::tuple<Input<In>...> in;
  int64_t units, size;
  FaultSlot* slot;
  IndexPlan<kInputs> plan;
};

template <class T, int V> LUTRA_DEVICE Pack<T, V> load(const Input<T>& in, int64_t at, uint32_t step) {
  Pack<T, V> pack;
  if (in.data != nullptr && step != 0) return *reinterpret_cast<const Pack<T, V>*>(in.data + at);
  const T value = in.data != nullptr ? in.data[at] : in.number;
  for (int k = 0; k < V; ++k) pack.v[k] = value;
  return pack;
}

template <class Op, class R, int V, class... In>
LUTRA_DEVICE void compute(const ElementwiseArgs<Op, R, In...>& args, R* out, const Pack<In, V>&... in) {
  Pack<R, V> result;
  for (int k = 0; k < V; ++k) {
    result.v[k] = rounded_to<R>(args.op.apply(computed_in(in.v[k])...));
    if constexpr (requires { Op::kTellsValue; }) {
      if (const auto last = std::get<sizeof...(In) - 1>(std::tie(in...)).v[k]; Op::is_wrong(last)) {
        tell_fault(args.slot, FaultCode::WrongValue, Op::kTellsValue ? static_cast<int64_t>(last) : 0);
      }
    }
  }
  *reinterpret_cast<Pack<R, V>*>(out) = result;
}

template <class Op, class R, int V, std::size_t... I, class... In>
LUTRA_DEVICE void compute_units(const ElementwiseArgs<Op, R, In...>& args, std::index_sequence<I...>) {
  const int64_t step = thread_count();
  for (int64_t unit = thread_index(); unit < args.units; unit += step) {
    int64_t offset[sizeof...(In) + 1];
    args.plan.offsets(unit, offset);
    compute<Op, R, V, In...>(args, args.out + unit * V,
                             load<In, V>(std::get<I>(args.in), offset[I], args.plan.inner_step[I])...);
  }
  // The elements left over when one axis is cut into units.
  for (int64_t at = args.units * V + thread_index(); at < args.size; at += step) {
    compute<Op, R, 1, In...>(
        args, args.out + at,
        load<In, 1>(std::get<I>(args.in), args.plan.inner_step[I] != 0 ? at : 0, args.plan.inner_step[I])...);
  }
}

template <class Op, class R, int V, class... In>
LUTRA_GLOBAL void elementwise_kernel(const ElementwiseArgs<Op, R, In...> args) {
  compute_units<Op, R, V>(args, std::index_sequence_for<In...>{});
}

// ---- on the host

template <class T> Input<T> input_of(const Array& array) {
  Input<T> input{array.as<T>(), T{}};
  if (!array.immediate) return input;
  std::memcpy(&input.number, array.data, sizeof(T));
  input.data = nullptr;
  return input;
}

inline bool is_aligned(const void* at, std::size_t bytes) { return reinterpret_cast<uintptr_t>(at) % bytes == 0; }

template <class Op, class R, class... In> class ElementwiseLaunch {
 public:
  static constexpr int N = sizeof...(In);
  static constexpr std::size_t kWidest = std::max({sizeof(R), sizeof(In)...});
  static constexpr int kWidth = static_cast<int>(16 / kWidest);

  ElementwiseLaunch(const CudaLaunch& launch, const Op& op) : launch_(launch), op_(op) {}

  void run() { run(std::index_sequence_for<In...>{}); }

 private:
  template <std::size_t... I> void run(std::index_sequence<I...>) {
    const Array& out = launch_.out[0];
    if (out.size == 0) return;
    BroadcastPlan<N> plan(out, launch_.in);
    queue(plan, out.as<R>(), {input_of<In>(launch_.in[I])...}, out.size);
  }

  // With several axes, at most 2^31 - 1 elements at a time: slices of the outermost axis.
  void queue(BroadcastPlan<N> plan, R* out, std::tuple<Input<In>...> in, int64_t size) {
    constexpr int64_t kMost = INT32_MAX;
    if (plan.rank == 1 || size <= kMost) return queue_whole(plan, out, in, size);
    int last = plan.rank - 1;
    int64_t row = size / plan.dims[last], rows = std::max<int64_t>(kMost / row, 1);
    for (int64_t first = 0; first < plan.dims[last] && launch_.error == 0; first += rows) {
      BroadcastPlan<N> slice = plan;
      slice.dims[last] = std::min(rows, plan.dims[last] - first);
      if (slice.dims[last] == 1) --slice.rank;
      queue(slice, out + first * row, moved(in, plan, last, first, std::index_sequence_for<In...>{}),
            row * slice.dims[last]);
    }
  }

  template <std::size_t... I>
  static std::tuple<Input<In>...> moved(std::tuple<Input<In>...> in, const BroadcastPlan<N>& plan, int axis, int64_t by,
                                        std::index_sequence<I...>) {
    auto move = [&](auto& input, int i) {
      if (input.data != nullptr) input.data += by * plan.strides[i][axis];
    };
    (move(std::get<I>(in), static_cast<int>(I)), ...);
    return in;
  }

  void queue_whole(const BroadcastPlan<N>& plan, R* out, const std::tuple<Input<In>...>& in, int64_t size) {
    if (is_wide(plan, out, in, std::index_sequence_for<In...>{})) start<kWidth>(plan, out, in, size);
    else start<1>(plan, out, in, size);
  }

  // Whether units of kWidth elements can be read and written at once.
  template <std::size_t... I>
  static bool is_wide(const BroadcastPlan<N>& plan, R* out, const std::tuple<Input<In>...>& in,
                      std::index_sequence<I...>) {
    if (plan.rank > 1 && plan.dims[0] % kWidth != 0) return false;
    auto fits = [&](const auto& input, int i) {
      if (input.data == nullptr || plan.strides[i][0] == 0) return true;
      // Rows are aligned if the first is: the innermost axis is a whole number of units long.
      return is_aligned(input.data, sizeof(input.number) * kWidth);
    };
    return is_aligned(out, sizeof(R) * kWidth) && (fits(std::get<I>(in), static_cast<int>(I)) && ...);
  }

  template <int V> void start(const BroadcastPlan<N>& plan, R* out, const std::tuple<Input<In>...>& in, int64_t size) {
    ElementwiseArgs<Op, R, In...> args{op_, out, in, size / V, size, launch_.slot, IndexPlan<N>(plan, V)};
    Grid grid = V > 1 ? grid_of_all(args.units) : grid_for(launch_, args.units);
    launch(launch_, grid, elementwise_kernel<Op, R, V, In...>, args);
  }

  const CudaLaunch& launch_;
  Op op_;
};

// In... x -> R; the op may be made from the launch when it has options.
template <class Op, class R, class... In> void run_elementwise(const KernelArgs& args) {
  const CudaLaunch& launch = static_cast<const CudaLaunch&>(args);
  if constexpr (std::is_constructible_v<Op, const KernelArgs&>) ElementwiseLaunch<Op, R, In...>(launch, Op(args)).run();
  else ElementwiseLaunch<Op, R, In...>(launch, Op{}).run();
}

template <class Op, class Types> void add_unary(CudaKernels& kernels, const char* name, Types types) {
  kernels.add_each(name, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Op, T, T>};
  });
}
template <class Op, class Types> void add_binary(CudaKernels& kernels, const char* name, Types types) {
  kernels.add_each(name, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Op, T, T, T>};
  });
}

}  // namespace lutra::cuda
