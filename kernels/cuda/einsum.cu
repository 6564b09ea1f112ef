// einsum, dot and outer on cards: carries out the decisions of kernels/indexing/contraction.h.
#include "ops/einsum.h"

#include "kernels/cuda/cast.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/scatter.h"
#include "kernels/element/reduce_ops.h"

namespace lutra::cuda {
namespace {

// to = a, or a times b, in the order of a walk.
template <class T> struct WalkArgs {
  const T *a, *b;  // b is null if there is none
  T* to;
  Walk walk;
};
template <class T> LUTRA_DEVICE T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  else return rounded_to<T>(computed_in(a) * computed_in(b));
}
// Index: 32 bits if that counts all elements, since 32 bits divide faster.
template <class T, class Index> LUTRA_GLOBAL void walk_kernel(const WalkArgs<T> args) {
  for (int64_t at = thread_index(); at < args.walk.count; at += thread_count()) {
    Index rest = static_cast<Index>(at);
    int64_t a = 0, b = 0;
    for (int axis = 0; axis < args.walk.rank; ++axis) {
      const Index dim = static_cast<Index>(args.walk.dims[axis]);
      const int64_t index = static_cast<int64_t>(rest % dim);
      rest /= dim;
      a += index * args.walk.step_a[axis];
      b += index * args.walk.step_b[axis];
    }
    args.to[at] = args.b != nullptr ? times(args.a[a], args.b[b]) : args.a[a];
  }
}

// A sum in the type of what is summed: integers wrap.
template <class E> struct SumInPlace {
  using Reducer = SumOf<E>;
  using Out = E;
  static constexpr E finish(typename Reducer::Acc total, int64_t) {
    if constexpr (std::is_integral_v<E>) return static_cast<E>(total);
    else return rounded<E>(total);
  }
};

template <class E> struct CardWork {
  using T = E;
  static constexpr std::size_t kAlignment = 256;
  const CudaLaunch* on;  // null: only counts

  // The extent as a tensor of three axes, for the reductions.
  struct Lines {
    int64_t dims[3], out_dims[2];
    Array in, out;
    Lines(const T* from, const Extent& extent, T* sums)
        : dims{extent.outer, extent.size, extent.inner},
          out_dims{extent.outer, extent.inner},
          in(array(from, dims, extent.lines() * extent.size, 3)),
          out(array(sums, out_dims, extent.lines(), 2)) {}
    static Array array(const T* data, const int64_t* dims, int64_t size, uint8_t rank) {
      return {reinterpret_cast<std::byte*>(const_cast<T*>(data)), dims, size, dtype_of<T>, rank, false};
    }
    ReducePlan plan() const { return ReducePlan(in, 2); }
  };

  static std::size_t sum_bytes(const Extent& extent) {
    return reduce_bytes<SumInPlace<T>>(Lines(nullptr, extent, nullptr).plan());
  }
  static std::size_t workspace_bytes(const MatMulSizes& sizes, int64_t products) {
    return cuda::workspace_bytes<T>(sizes, products);
  }

  void pack(const Walk& walk, const T* from, T* to) const { run(walk, from, nullptr, to); }
  void multiply_elements(const Walk& walk, const T* a, const T* b, T* to) const { run(walk, a, b, to); }

  void sum(const T* from, const Extent& extent, std::byte* room, T* sums) const {
    Lines lines(from, extent, sums);
    if (on->error != 0) return;
    CudaLaunch part = *on;
    part.in = &lines.in;
    part.out = &lines.out;
    reduce_to<SumInPlace<T>>(part, lines.plan(), extent.size, room, sums);
    on->error = part.error;
  }

  void multiply(const MatMulSizes& sizes, const Walk& batch, const T* a, const T* b, std::byte* workspace,
                T* to) const {
    Room none(on, nullptr);
    Product product = product_of<T>(sizes, a, b, to, none, batch.count);
    product.workspace = workspace;
    multiply_batch<T>(*on, product, batch);
  }

 private:
  void run(const Walk& walk, const T* a, const T* b, T* to) const {
    if (on->error != 0) return;
    auto kernel = walk.count <= INT32_MAX ? walk_kernel<T, uint32_t> : walk_kernel<T, uint64_t>;
    launch(*on, grid_for(*on, walk.count), kernel, WalkArgs<T>{a, b, to, walk});
  }
};

// Whether nothing is rounded before the result: there is one operand, or two that are multiplied before anything is
// summed.
bool is_one_step(const EinsumPlan& plan) {
  if (plan.n_in != 2) return plan.n_in == 1;
  uint64_t has[3] = {};
  const EinsumPlan::Term* terms[3] = {&plan.in[0], &plan.in[1], &plan.out};
  for (int t = 0; t < 3; ++t) {
    for (int axis = 0; axis < terms[t]->rank; ++axis) {
      if (plan.size[terms[t]->label[axis]] != 1) has[t] |= bit_of(terms[t]->label[axis]);
    }
  }
  return (has[0] & ~(has[1] | has[2])) == 0 && (has[1] & ~(has[0] | has[2])) == 0;
}

// Halves that are rounded only at the end are multiplied as they are; others are floats in between.
template <class T, class C> void contract_as(const KernelArgs& args, const EinsumCall& call, Room& room) {
  const Array& out = args.out[0];
  constexpr bool kConverts = !std::is_same_v<T, C>;
  auto convert = [&]<class To, class From>(const From* from, To* to, int64_t size) {
    if (room.counts() || room.on().error != 0) return;
    queue_cast<To, From>(room.on(), Input<From>{from, From{}}, to, size);
  };
  const C* operands[kMostOperands];
  for (int i = 0; i < call.plan.n_in; ++i) {
    const T* own = room.input<T>(args.in[i]);
    if constexpr (kConverts) {
      C* wide = room.take<C>(args.in[i].size);
      convert(own, wide, args.in[i].size);
      operands[i] = wide;
    } else {
      operands[i] = own;
    }
  }
  C* to;
  if constexpr (kConverts) to = room.take<C>(out.size);
  else to = out.as<C>();
  CardWork<C> work{&room.on()};
  Contraction<CardWork<C>> contraction(call.plan, room.counts() ? nullptr : &work, room.rest());
  for (int i = 0; i < call.plan.n_in; ++i) contraction.add(operands[i], call.dims[i]);
  contraction.run(to);
  room.take(contraction.bytes());
  if constexpr (kConverts) convert(static_cast<const C*>(to), out.as<T>(), out.size);
}

template <class T> void contract(const KernelArgs& args, const EinsumCall& call, Room& room) {
  const EinsumPlan& plan = call.plan;
  if (args.out[0].size == 0) return;
  if (std::find(plan.size, plan.size + plan.labels, 0) != plan.size + plan.labels) {
    if (!room.counts()) start_with_zeros<T>(room.on());
    return;
  }
  if constexpr (kIsHalf<T>) {
    if (!is_one_step(plan)) return contract_as<T, float>(args, call, room);
  }
  contract_as<T, T>(args, call, room);
}

template <class T> void einsum(const KernelArgs& args, Room& room) { contract<T>(args, host->einsum_call(args), room); }
template <class T> void outer(const KernelArgs& args, Room& room) { contract<T>(args, host->outer_call(args), room); }

// For vectors and matrices: a product like matmul's, which needs no plan.
template <class T> void dot(const KernelArgs& args, Room& room) {
  const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
  if (a.rank < 1 || a.rank > 2 || b.rank < 1 || b.rank > 2) return contract<T>(args, host->dot_call(args), room);
  if (out.size == 0) return;
  const T *x = room.input<T>(a), *y = room.input<T>(b);
  Product product = product_of<T>(matmul_sizes({}, a.dims, a.rank, b.dims, b.rank), x, y, out.as<T>(), room, 1);
  if (!room.counts()) multiply<T>(room.on(), product);
}

}  // namespace

void register_einsum_cuda(CudaKernels& kernels) {
  kernels.add_products("Einsum", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<einsum<T>>(); });
  kernels.add_products("Dot", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<dot<T>>(); });
  kernels.add_each("Outer", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<outer<T>>(); });
}

}  // namespace lutra::cuda
