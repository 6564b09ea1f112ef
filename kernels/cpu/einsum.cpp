// einsum, dot and outer, all by contraction.h, in the type that each dtype is computed in.

#include "ops/einsum.h"

#include <algorithm>

#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/loops/reduce.h"
#include "kernels/cpu/loops/strided.h"
#include "kernels/cpu/loops/widen.h"
#include "kernels/element/complex_reducers.h"
#include "kernels/indexing/contraction.h"

namespace lutra {
namespace {

static_assert(kMostLabels <= StridedCopy::kMostAxes);

struct Times {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

// E: float, double, int32_t, int64_t or complex.
template <class E> struct CpuWork {
  using T = E;
  using Acc = typename SumOf<T>::Acc;
  static constexpr std::size_t kAlignment = 64;

  static std::size_t sum_bytes(const Extent& extent) {
    return static_cast<std::size_t>(partials_of(extent)) * sizeof(Acc);
  }
  static std::size_t workspace_bytes(const MatMulSizes& sizes, int64_t) {
    if constexpr (kIsComplex<T>) return complex_product_room<typename T::Part>(sizes);
    else return 0;
  }

  static void pack(const Walk& walk, const T* from, T* to) {
    StridedCopy copy;
    for (int axis = 0; axis < walk.rank; ++axis) copy.push(walk.dims[axis], walk.step_a[axis]);
    copy.run(sizeof(T), reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
  }

  static void sum(const T* from, const Extent& extent, std::byte* room, T* sums) {
    reduce_axis<SumOf<T>>(from, extent, reinterpret_cast<Acc*>(room), [=](int64_t at, const Acc* results, int64_t n) {
      for (int64_t i = 0; i < n; ++i) sums[at + i] = static_cast<T>(results[i]);
    });
  }

  static void multiply(const MatMulSizes& sizes, const Walk& batch, const T* a, const T* b, std::byte* room, T* to) {
    auto multiply_all = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i, at_a = 0, at_b = 0;
        for (int axis = 0; axis < batch.rank; ++axis) {
          int64_t index = rest % batch.dims[axis];
          rest /= batch.dims[axis];
          at_a += index * batch.step_a[axis];
          at_b += index * batch.step_b[axis];
        }
        T* c = to + i * sizes.m * sizes.n;
        if constexpr (kIsComplex<T>) complex_product<typename T::Part>(sizes, a + at_a, b + at_b, room, c);
        else gemm(sizes, a + at_a, b + at_b, c);
      }
    };
    // Complex products share their room.
    if constexpr (kIsComplex<T>) {
      for (int64_t i = 0; i < batch.count && !StopRequest::is_wanted(); ++i) multiply_all(i, i + 1);
    } else for_products(batch.count, sizes, multiply_all);
  }

  static void multiply_elements(Walk walk, const T* a, const T* b, T* to) {
    if (walk.rank == 0) walk.push(1, 0, 0);
    int64_t length = walk.dims[0];
    parallel_for(walk.count / length, row_grain(kCheapGrain, length), [&walk, a, b, to](int64_t begin, int64_t end) {
      const int64_t length = walk.dims[0];
      int64_t index[kMostLabels], rest = begin;
      const T *x = a, *y = b;
      for (int axis = 1; axis < walk.rank; ++axis) {
        index[axis] = rest % walk.dims[axis];
        rest /= walk.dims[axis];
        x += index[axis] * walk.step_a[axis];
        y += index[axis] * walk.step_b[axis];
      }
      for (int64_t row = begin; row < end; ++row) {
        binary_row<Times, T>(x, walk.step_a[0], y, walk.step_b[0], to + row * length, length);
        for (int axis = 1; axis < walk.rank; ++axis) {
          x += walk.step_a[axis];
          y += walk.step_b[axis];
          if (++index[axis] < walk.dims[axis]) break;
          x -= index[axis] * walk.step_a[axis];
          y -= index[axis] * walk.step_b[axis];
          index[axis] = 0;
        }
      }
    });
  }
};

// Returns the scratch memory that it takes; without data it only counts.
template <class T> std::size_t contract(const KernelArgs& args, const EinsumCall& call, bool has_data) {
  using C = Widened<T>;
  const Array& out = args.out[0];
  const EinsumPlan& plan = call.plan;
  if (out.size == 0) return 0;
  if (std::find(plan.size, plan.size + plan.labels, 0) != plan.size + plan.labels) {
    if (has_data) std::fill(out.as<T>(), out.as<T>() + out.size, T());
    return 0;
  }
  CpuWork<C> work;
  Contraction<CpuWork<C>> contraction(plan, has_data ? &work : nullptr, args.scratch);
  for (int i = 0; i < plan.n_in; ++i) {
    if constexpr (kIsNarrow<T>) {
      C* wide = contraction.template allocate<C>(args.in[i].size);
      if (has_data) convert_each(args.in[i].as<T>(), wide, args.in[i].size);
      contraction.add(wide, call.dims[i]);
    } else {
      contraction.add(args.in[i].as<T>(), call.dims[i]);
    }
  }
  if constexpr (kIsNarrow<T>) {
    C* wide = contraction.template allocate<C>(out.size);
    contraction.run(wide);
    if (has_data) convert_each(wide, out.as<T>(), out.size);
  } else {
    contraction.run(out.as<T>());
  }
  return contraction.bytes();
}

// For vectors and matrices of a type that is multiplied as it is: a product like matmul's, which needs no plan.
template <class T> bool multiplies_plainly(const KernelArgs& args) {
  int a = args.in[0].rank, b = args.in[1].rank;
  return !kIsNarrow<T> && !kIsComplex<T> && a >= 1 && a <= 2 && b >= 1 && b <= 2;
}

template <class T> void run_dot(const KernelArgs& args) {
  if constexpr (!kIsNarrow<T> && !kIsComplex<T>) {
    if (multiplies_plainly<T>(args)) {
      const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
      if (out.size > 0) gemm(matmul_sizes({}, a.dims, a.rank, b.dims, b.rank), a.as<T>(), b.as<T>(), out.as<T>());
      return;
    }
  }
  contract<T>(args, dot_call(args), true);
}

template <class T> KernelEntry dot_entry() {
  return {.run = run_dot<T>, .scratch = [](const KernelArgs& args) {
            return multiplies_plainly<T>(args) ? 0 : contract<T>(args, dot_call(args), false);
          }};
}

template <class T, EinsumCall (*kCall)(const KernelArgs&)> KernelEntry entry() {
  return {.run = [](const KernelArgs& args) { contract<T>(args, kCall(args), true); },
          .scratch = [](const KernelArgs& args) { return contract<T>(args, kCall(args), false); }};
}

}  // namespace

void register_einsum_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, EveryNumber{}, make); };
  add("Einsum", []<class Tag>(Tag) { return entry<typename Tag::type, einsum_call>(); });
  add("Dot", []<class Tag>(Tag) { return dot_entry<typename Tag::type>(); });
  add("Outer", []<class Tag>(Tag) { return entry<typename Tag::type, outer_call>(); });
}

}  // namespace lutra
