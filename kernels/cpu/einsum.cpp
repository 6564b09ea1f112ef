// einsum, dot and outer: one way of multiplying and summing (contraction.h), in the type that each dtype is computed
// in.

#include "ops/einsum.h"

#include <algorithm>
#include <string>

#include "kernels/cpu/contraction.h"
#include "kernels/cpu/widen.h"

namespace lutra {
namespace {

struct Operands {
  EinsumPlan plan;
  Shape shape[kMostOperands];

  std::span<const Shape> shapes(int count) const { return {shape, static_cast<std::size_t>(count)}; }
};

// The shape function has read the same text and found nothing wrong.
Operands einsum_operands(const KernelArgs& args) {
  Operands operands;
  for (int i = 0; i < args.n_in; ++i) operands.shape[i].assign(args.in[i].dims, args.in[i].rank);
  operands.plan = plan_einsum("einsum", args.as<EinsumAttrs>().spec.view(), operands.shapes(args.n_in));
  return operands;
}

Operands dot_operands(const KernelArgs& args) {
  Operands operands;
  for (int i = 0; i < 2; ++i) operands.shape[i].assign(args.in[i].dims, args.in[i].rank);
  DotLetters letters(args.in[0].rank, args.in[1].rank);
  operands.plan = plan_einsum("dot", letters.a + "," + letters.b + "->" + letters.out, operands.shapes(2));
  return operands;
}

Operands outer_operands(const KernelArgs& args) {
  Operands operands;
  for (int i = 0; i < 2; ++i) operands.shape[i] = Shape{args.in[i].size};
  operands.plan = plan_einsum("outer", "a,b->ab", operands.shapes(2));
  return operands;
}

// Returns the scratch memory it takes; without data it only counts.
template <class T> std::size_t contract(const KernelArgs& args, const Operands& operands, bool has_data) {
  using C = Widened<T>;
  const Array& out = args.out[0];
  const EinsumPlan& plan = operands.plan;
  if (out.size == 0) return 0;
  if (std::find(plan.size, plan.size + plan.labels, 0) != plan.size + plan.labels) {
    if (has_data) std::fill(out.as<T>(), out.as<T>() + out.size, T());
    return 0;
  }
  Contraction<C> contraction(plan, has_data, args.scratch);
  for (int i = 0; i < plan.n_in; ++i) {
    if constexpr (kIsNarrow<T>) {
      C* wide = contraction.template allocate<C>(args.in[i].size);
      if (has_data) convert_each(args.in[i].as<T>(), wide, args.in[i].size);
      contraction.add(wide, operands.shape[i].data());
    } else {
      contraction.add(args.in[i].as<T>(), operands.shape[i].data());
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

// Vectors and matrices of a type that is multiplied as it is: a product like matmul's, which needs no plan.
template <class T> bool multiplies_plainly(const KernelArgs& args) {
  int a = args.in[0].rank, b = args.in[1].rank;
  return !kIsNarrow<T> && a >= 1 && a <= 2 && b >= 1 && b <= 2;
}

template <class T> void run_dot(const KernelArgs& args) {
  if constexpr (!kIsNarrow<T>) {
    if (multiplies_plainly<T>(args)) {
      const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
      if (out.size > 0) gemm(matmul_sizes({}, a.dims, a.rank, b.dims, b.rank), a.as<T>(), b.as<T>(), out.as<T>());
      return;
    }
  }
  contract<T>(args, dot_operands(args), true);
}

template <class T> KernelEntry dot_entry() {
  return {.run = run_dot<T>, .scratch = [](const KernelArgs& args) {
            return multiplies_plainly<T>(args) ? 0 : contract<T>(args, dot_operands(args), false);
          }};
}

template <class T, Operands (*kOperands)(const KernelArgs&)> KernelEntry entry() {
  return {.run = [](const KernelArgs& args) { contract<T>(args, kOperands(args), true); },
          .scratch = [](const KernelArgs& args) { return contract<T>(args, kOperands(args), false); }};
}

}  // namespace

void register_einsum_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, AllNumbers{}, make); };
  add("Einsum", []<class Tag>(Tag) { return entry<typename Tag::type, einsum_operands>(); });
  add("Dot", []<class Tag>(Tag) { return dot_entry<typename Tag::type>(); });
  add("Outer", []<class Tag>(Tag) { return entry<typename Tag::type, outer_operands>(); });
}

}  // namespace lutra
