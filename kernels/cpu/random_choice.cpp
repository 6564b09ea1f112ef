// Random integers, orders and classes on the CPU. An element has 64 random bits, two elements a block.
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/random_order.h"
#include "kernels/cpu/loops/random_words.h"
#include "kernels/element/elementary.h"
#include "kernels/element/random_draws.h"
#include "ops/kernel.h"
#include "ops/random.h"

namespace lutra {
namespace {

// `below` for a whole batch and a range below 2^32, with two products per number: numbers[k][b] is the k-th of block b.
// False if one of them may have to be drawn again.
[[gnu::always_inline]] inline bool all_below(uint64_t range, const Words& words, uint64_t (*numbers)[kBlocks]) {
  using Lanes = uint32_t __attribute__((vector_size(sizeof(WideLanes) / 2)));
  const WideLanes factor = WideLanes{} + range;
  auto product = [=](const uint32_t* from) __attribute__((always_inline)) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lower_products(__builtin_convertvector(lanes, WideLanes), factor);
  };
  auto unfair = WideLanes{} != WideLanes{};
  for (int b = 0; b < kBlocks; b += kLanesOf64) {
    for (int k = 0; k < 2; ++k) {
      // Bits 32 to 95 of the whole product.
      WideLanes upper = product(&words.word[2 * k][b]) + (product(&words.word[2 * k + 1][b]) >> 32);
      unfair |= upper << 32 == 0;
      upper >>= 32;
      std::memcpy(&numbers[k][b], &upper, sizeof upper);
    }
  }
  bool any = false;
  for (int lane = 0; lane < kLanesOf64; ++lane) any |= unfair[lane] != 0;
  return !any;
}

template <class T> void run_randint(const KernelArgs& args) {
  const RandintAttrs& attrs = args.as<RandintAttrs>();
  Rng rng = attrs.rng;
  uint64_t low = static_cast<uint64_t>(attrs.low), range = static_cast<uint64_t>(attrs.high) - low + 1;
  bool is_short = range != 0 && range <= std::numeric_limits<uint32_t>::max();
  T* out = args.out[0].as<T>();
  for_random_words<2>(rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
    uint64_t numbers[2][kBlocks];
    if (is_short && all_below(range, words, numbers)) {
      T both[2 * kBlocks];
      for (int b = 0; b < kBlocks; ++b) {
        for (int k = 0; k < 2; ++k) both[2 * b + k] = static_cast<T>(low + numbers[k][b]);
      }
      std::memcpy(out + first, both, static_cast<std::size_t>(n) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      uint64_t bits = bits_of(words, i);
      // A range of 0 is one of 2^64.
      out[first + i] = static_cast<T>(low + (range == 0 ? bits : below(range, bits, rng, first + i)));
    }
  });
}

bool fits_packed_order(int64_t n) { return n <= std::numeric_limits<uint32_t>::max(); }

// Records of an order are sorted in one half of scratch memory and in the other.
std::size_t order_scratch(int64_t n) {
  return 2 * static_cast<std::size_t>(n) * (fits_packed_order(n) ? sizeof(Packed) : sizeof(Wide));
}

// Calls take(records): record i is that of the number that comes at place i.
template <class Take> void with_random_order(const KernelArgs& args, const Rng& rng, int64_t n, const Take& take) {
  auto order = [&]<class Record>(Record* memory) { take(random_order(rng, n, memory, memory + n)); };
  if (fits_packed_order(n)) order(reinterpret_cast<Packed*>(args.scratch));
  else order(reinterpret_cast<Wide*>(args.scratch));
}

std::size_t permutation_scratch(const KernelArgs& args) { return order_scratch(args.out[0].size); }

template <class T> void run_permutation(const KernelArgs& args) {
  const PermutationAttrs& attrs = args.as<PermutationAttrs>();
  const Array& out = args.out[0];
  with_random_order(args, attrs.rng, out.size, [&](const auto* records) {
    parallel_for(out.size, kCheapGrain, [=, to = out.as<T>(), base = attrs.base.value](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(records[i].place() + base);
    });
  });
}

std::size_t shuffle_scratch(const KernelArgs& args) {
  return args.out[0].size == 0 ? 0 : order_scratch(args.in[0].dims[0]);
}

// Row i of the result is the row at position i of the order; `back` moves rows to where the order took them from.
void reorder(const KernelArgs& args, const Rng& rng, bool back) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t rows = x.dims[0], row_bytes = x.size / rows * static_cast<int64_t>(size_of(x.dtype));
  with_random_order(args, rng, rows, [&](const auto* records) {
    parallel_for(rows, std::max<int64_t>(1, 65536 / row_bytes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t from = records[i].place(), to = i;
        if (back) std::swap(from, to);
        copy_bytes(out.data + to * row_bytes, x.data + from * row_bytes, row_bytes);
      }
    });
  });
}

void run_shuffle(const KernelArgs& args) { reorder(args, args.as<ShuffleAttrs>().rng, false); }

void run_reorder(const KernelArgs& args) {
  const ReorderAttrs& attrs = args.as<ReorderAttrs>();
  reorder(args, attrs.rng, attrs.back);
}

// The sums of the first 1, 2, ... probabilities of a row, times some number. Returns the last class with a probability
// above 0, or -1 for a row that is no distribution.
template <class T> int64_t add_up(const T* logits, int64_t classes, double* sums) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double most = -kInf;
  bool is_finite = true;
  for (int64_t k = 0; k < classes; ++k) {
    double logit = static_cast<double>(logits[k]);
    most = logit > most ? logit : most;
    is_finite &= logit < kInf;  // false for nan
  }
  if (!is_finite || most == -kInf) return -1;
  for (int64_t k = 0; k < classes; ++k) sums[k] = exp_of(static_cast<double>(logits[k]) - most);
  int64_t last = 0;
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) {
    if (sums[k] > 0) last = k;
    sums[k] = sum += sums[k];
  }
  return last;
}

constexpr int64_t kDrawnAtOnce = 2 * kBlocks;

// chosen[i] = the number of sums that are not above place[i], for n <= kDrawnAtOnce. All searches run in lockstep, so
// that none branches and their loads overlap.
void count_reached(const double* sums, int64_t classes, const double* place, int64_t n, int64_t* chosen) {
  std::fill(chosen, chosen + n, int64_t{0});
  int64_t left = classes;
  for (; left > 1; left -= left / 2) {
    const double* middle = sums + left / 2 - 1;
    for (int64_t i = 0; i < n; ++i) chosen[i] += middle[chosen[i]] <= place[i] ? left / 2 : 0;
  }
  for (int64_t i = 0; i < n; ++i) chosen[i] += sums[chosen[i]] <= place[i] ? 1 : 0;
}

template <class T> void run_categorical(const KernelArgs& args) {
  const CategoricalAttrs& attrs = args.as<CategoricalAttrs>();
  const Array& logits = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t n = attrs.n, classes = logits.dims[logits.rank - 1], base = attrs.base.value;
  // Each thread that shares a row adds it up again.
  int64_t row_work = classes * 4 + n * 4;
  int64_t grain = std::max<int64_t>(1, 32768 * n / row_work);
  parallel_for(out.size, grain, [&](int64_t begin, int64_t end) {
    std::vector<double> sums(static_cast<std::size_t>(classes));
    Words words;
    double place[kDrawnAtOnce];
    int64_t chosen[kDrawnAtOnce], row = -1, last = -1, drawn_from = -1;
    while (begin < end) {
      int64_t batch = begin / kDrawnAtOnce * kDrawnAtOnce;
      if (batch != drawn_from) fill_words(attrs.rng.key, attrs.rng.counter + static_cast<uint64_t>(batch / 2), words);
      drawn_from = batch;
      if (begin / n != row) {
        row = begin / n;
        last = add_up(logits.as<T>() + row * classes, classes, sums.data());
        if (last < 0) args.fault->raise(FaultCode::WrongValue);
      }
      int64_t count = std::min({end, batch + kDrawnAtOnce, (row + 1) * n}) - begin;
      if (last >= 0) {
        for (int64_t i = 0; i < count; ++i) {
          int64_t at = begin - batch + i, block = at / 2, w = at % 2 * 2;
          place[i] = unit_double(words.word[w][block], words.word[w + 1][block]) * sums.back();
        }
        count_reached(sums.data(), classes, place, count, chosen);
        for (int64_t i = 0; i < count; ++i) chosen[i] = std::min(chosen[i], last) + base;
      } else {
        std::fill(chosen, chosen + count, int64_t{0});
      }
      convert_elements(out.dtype, out.data + static_cast<std::size_t>(begin) * size_of(out.dtype), DType::Int64,
                       reinterpret_cast<const std::byte*>(chosen), count);
      begin += count;
    }
  });
}

}  // namespace

void register_random_choice_cpu(KernelRegistry& kernels) {
  kernels.add_each("RandomUniformInt", DeviceType::CPU, AllInts{},
                   [](auto tag) { return KernelEntry{.run = run_randint<typename decltype(tag)::type>}; });
  kernels.add_each("RandomPermutation", DeviceType::CPU, AllInts{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_permutation<T>, .scratch = permutation_scratch};
  });
  kernels.add("RandomShuffle", DeviceType::CPU, kAnyDType, {.run = run_shuffle, .scratch = shuffle_scratch});
  kernels.add("ShuffleReorder", DeviceType::CPU, kFloats, {.run = run_reorder, .scratch = shuffle_scratch});
  kernels.add_each("Multinomial", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_categorical<typename decltype(tag)::type>}; });
}

}  // namespace lutra
