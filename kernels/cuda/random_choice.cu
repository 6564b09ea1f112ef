// Random integers, orders and classes on cards, with the CPU's bits. An element has 64 random bits, two elements a
// block.
#include "kernels/cuda/radix.h"
#include "kernels/cuda/random.h"
#include "kernels/element/element.h"
#include "kernels/element/elementary.h"
#include "kernels/element/random_draws.h"
#include "ops/random.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

constexpr uint64_t bits_at(const PhiloxBlock& block, int64_t i) {
  int64_t w = i % 2 * 2;
  return uint64_t{block.word[w]} << 32 | block.word[w + 1];
}

template <class T> struct Integers {
  Rng rng;
  uint64_t low, range;  // a range of 0 is one of 2^64
  LUTRA_DEVICE void block(uint64_t number, T* to) const {
    PhiloxBlock bits = philox_block(rng.key, rng.counter + number);
    for (int i = 0; i < 2; ++i) {
      int64_t element = static_cast<int64_t>(2 * number) + i;
      to[i] = static_cast<T>(low + (range == 0 ? bits_at(bits, i) : below(range, bits_at(bits, i), rng, element)));
    }
  }
};
template <class T> void run_randint(const KernelArgs& args) {
  const RandintAttrs& attrs = args.as<RandintAttrs>();
  uint64_t low = static_cast<uint64_t>(attrs.low);
  run_random<T, 2>(args, Integers<T>{attrs.rng, low, static_cast<uint64_t>(attrs.high) - low + 1});
}

LUTRA_GLOBAL void draw_tickets(const Rng rng, uint64_t* keys, int64_t* places, int64_t n) {
  for (int64_t i = thread_index(); i < n; i += thread_count()) {
    keys[i] = bits_at(philox_block(rng.key, rng.counter + static_cast<uint64_t>(i / 2)), i);
    places[i] = i;
  }
}
// Sorts the numbers 0 to n - 1 by 64 random bits each; equal ones keep their order.
const int64_t* random_order(const CudaLaunch& on, const Rng& rng, int64_t n) {
  RadixSort<uint64_t> sort(n, on.scratch);
  launch(on, grid_for(on, n), draw_tickets, rng, sort.keys(), sort.places(), n);
  sort.run(on, 64, {1, n, 1});
  return sort.places();
}

template <class T> LUTRA_GLOBAL void number_kernel(const int64_t* order, T* out, int64_t n, int64_t base) {
  for (int64_t i = thread_index(); i < n; i += thread_count()) out[i] = static_cast<T>(order[i] + base);
}
template <class T> void run_permutation(const KernelArgs& args) {
  const CudaLaunch& on = launch_of(args);
  const PermutationAttrs& attrs = args.as<PermutationAttrs>();
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const int64_t* order = random_order(on, attrs.rng, out.size);
  if (on.error == 0) {
    launch(on, grid_for(on, out.size), number_kernel<T>, order, out.as<T>(), out.size, attrs.base.value);
  }
}
std::size_t permutation_scratch(const KernelArgs& args) { return RadixSort<uint64_t>::bytes(args.out[0].size); }

template <class E>
LUTRA_GLOBAL void reorder_kernel(const int64_t* order, const Input<E> x, E* out, int64_t size, int64_t length,
                                 bool back) {
  for (int64_t at = thread_index(); at < size; at += thread_count()) {
    int64_t row = at / length, other = order[row] * length + at % length;
    int64_t from = back ? at : other, to = back ? other : at;
    out[to] = x.data != nullptr ? x.data[from] : x.number;
  }
}
// Row i of the result is the row at position i of the order; `back` moves rows to where the order took them from.
void reorder(const KernelArgs& args, const Rng& rng, bool back) {
  const CudaLaunch& on = launch_of(args);
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  const int64_t* order = random_order(on, rng, x.dims[0]);
  if (on.error != 0) return;
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) {
    launch(on, grid_for(on, out.size), reorder_kernel<E>, order, input_of<E>(x), out.as<E>(), out.size,
           x.size / x.dims[0], back);
  });
}
void run_shuffle(const KernelArgs& args) { reorder(args, args.as<ShuffleAttrs>().rng, false); }
void run_reorder(const KernelArgs& args) {
  const ReorderAttrs& attrs = args.as<ReorderAttrs>();
  reorder(args, attrs.rng, attrs.back);
}
std::size_t shuffle_scratch(const KernelArgs& args) {
  return args.out[0].size == 0 ? 0 : RadixSort<uint64_t>::bytes(args.in[0].dims[0]);
}

// The sums of the first 1, 2, ... probabilities of a row, times some number, and the last class with a probability
// above 0, or -1 for a row that is no distribution. One thread takes a row, so its order is the CPU's.
template <class T> struct Distributions {
  Input<T> logits;
  double* sums;
  int64_t* last;
  int64_t rows, classes;
  FaultSlot* slot;

  LUTRA_DEVICE double logit(int64_t at) const {
    return static_cast<double>(computed_in(logits.data != nullptr ? logits.data[at] : logits.number));
  }
  LUTRA_DEVICE int64_t add_up(int64_t row) const {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const int64_t first = row * classes;
    double most = -kInf;
    bool is_finite = true;
    for (int64_t k = 0; k < classes; ++k) {
      double value = logit(first + k);
      most = value > most ? value : most;
      is_finite &= value < kInf;  // false for nan
    }
    if (!is_finite || most == -kInf) return -1;
    int64_t last_class = 0;
    double sum = 0;
    for (int64_t k = 0; k < classes; ++k) {
      double share = exp_of(logit(first + k) - most);
      if (share > 0) last_class = k;
      sums[first + k] = sum += share;
    }
    return last_class;
  }
};
template <class T> LUTRA_GLOBAL void add_up_kernel(const Distributions<T> args) {
  for (int64_t row = thread_index(); row < args.rows; row += thread_count()) {
    args.last[row] = args.add_up(row);
    if (args.last[row] < 0) tell_fault(args.slot, FaultCode::WrongValue);
  }
}
template <class Out> struct Draws {
  Rng rng;
  const double* sums;
  const int64_t* last;
  Out* out;
  int64_t size, n, classes, base;
};
template <class Out> LUTRA_GLOBAL void draw_kernel(const Draws<Out> args) {
  for (int64_t i = thread_index(); i < args.size; i += thread_count()) {
    const int64_t row = i / args.n;
    if (args.last[row] < 0) {
      args.out[i] = 0;
      continue;
    }
    const PhiloxBlock bits = philox_block(args.rng.key, args.rng.counter + static_cast<uint64_t>(i / 2));
    const int64_t w = i % 2 * 2;
    const double* sums = args.sums + row * args.classes;
    const double place = unit_double(bits.word[w], bits.word[w + 1]) * sums[args.classes - 1];
    int64_t chosen = 0;
    for (int64_t left = args.classes; left > 0;) {
      int64_t half = left / 2;
      bool is_reached = sums[chosen + half] <= place;
      chosen += is_reached ? half + 1 : 0;
      left = is_reached ? left - half - 1 : half;
    }
    args.out[i] = static_cast<Out>((chosen < args.last[row] ? chosen : args.last[row]) + args.base);
  }
}
template <class T> void run_categorical(const KernelArgs& args) {
  const CudaLaunch& on = launch_of(args);
  const CategoricalAttrs& attrs = args.as<CategoricalAttrs>();
  const Array& logits = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t classes = logits.dims[logits.rank - 1], rows = logits.size / classes;
  double* sums = reinterpret_cast<double*>(args.scratch);
  int64_t* last = reinterpret_cast<int64_t*>(sums + logits.size);
  launch(on, grid_for(on, rows), add_up_kernel<T>, {input_of<T>(logits), sums, last, rows, classes, on.slot});
  if (on.error != 0) return;
  visit_dtype(out.dtype, [&](auto tag) {
    using Out = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool>) {
      Draws<Out> draws{attrs.rng, sums, last, out.as<Out>(), out.size, attrs.n, classes, attrs.base.value};
      launch(on, grid_for(on, out.size), draw_kernel<Out>, draws);
    }
  });
}
std::size_t categorical_scratch(const KernelArgs& args) {
  const Array& logits = args.in[0];
  if (logits.size == 0) return 0;
  return static_cast<std::size_t>(logits.size + logits.size / logits.dims[logits.rank - 1]) * sizeof(double);
}

}  // namespace

void register_random_choice_cuda(CudaKernels& kernels) {
  kernels.add_each("RandomUniformInt", AllInts{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_randint<T>}; });
  kernels.add_each("RandomPermutation", AllInts{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_permutation<T>, .scratch = permutation_scratch};
  });
  kernels.add("RandomShuffle", kAnyDType, {.run = run_shuffle, .scratch = shuffle_scratch});
  kernels.add("ShuffleReorder", kFloats, {.run = run_reorder, .scratch = shuffle_scratch});
  kernels.add_each("Multinomial", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_categorical<T>, .scratch = categorical_scratch};
  });
}

}  // namespace lutra::cuda
