// Random numbers of distributions whose parameters are tensors, on the CPU. Each element has bits of its own.

#include "kernels/element/random_samples.h"

#include <optional>

#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/random_words.h"
#include "ops/random_samples.h"

namespace lutra {
namespace {

constexpr int64_t kDrawGrain = 256;

// A parameter, seen in the result's shape.
class Spread {
 public:
  Spread(const Array& x, const Array& out)
      : x_(x), rank_(out.rank), step_(size_of(x.dtype)), is_whole_(x.size == out.size) {
    int64_t stride = 1;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      int own = axis - (rank_ - x.rank);
      sizes_[axis] = out.dims[axis];
      strides_[axis] = own >= 0 && x.dims[own] > 1 ? stride : 0;
      if (own >= 0) stride *= x.dims[own];
    }
  }
  bool is_single() const { return x_.size == 1; }
  // Those of `count` elements from `first` on.
  void read(int64_t first, int64_t count, double* to) const {
    if (is_whole_) {
      convert_elements(DType::Float64, reinterpret_cast<std::byte*>(to), x_.dtype,
                       x_.data + first * static_cast<int64_t>(step_), count);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = at(first + i);
    }
  }
  double at(int64_t element) const {
    int64_t offset = is_whole_ ? element : 0;
    if (x_.size > 1 && !is_whole_) {
      for (int axis = rank_ - 1; axis >= 0; --axis) {
        offset += element % sizes_[axis] * strides_[axis];
        element /= sizes_[axis];
      }
    }
    return read_element(x_.dtype, x_.data + offset * static_cast<int64_t>(step_)).as_double();
  }

 private:
  const Array& x_;
  int rank_;
  std::size_t step_;
  bool is_whole_;  // an element for each of the result
  int64_t sizes_[kMaxRank] = {}, strides_[kMaxRank] = {};
};

// out[i] = draw(i, the first parameter, the second), where draw = make() for each range of elements: it returns false
// where a parameter is wrong.
template <class T, class Make> void each_draw(const KernelArgs& args, const Make& make) {
  const Array& out = args.out[0];
  const Spread first(args.in[0], out), second(args.in[args.n_in - 1], out);
  parallel_for(out.size, kDrawGrain, [&](int64_t begin, int64_t end) {
    auto draw = make();
    for (int64_t i = begin; i < end; ++i) {
      if (!draw(i, first.at(i), second.at(i), out.as<T>() + i)) {
        args.fault->raise(FaultCode::WrongValue);
        out.as<T>()[i] = T(0);
      }
    }
  });
}

bool is_positive(double x) { return x > 0 && x <= std::numeric_limits<double>::max(); }

// Note [Gamma numbers in batches]. The first attempt of an element is accepted without a logarithm in most cases. It is
// computed for a batch at once, by the operations of gamma_draw (kernels/element/random_samples.h) in their order, so
// that the numbers are the same; gamma_draw draws the others.
constexpr int kGammaBatch = 2 * kBlocks;

// plain_log_of of a normal number, and plain_exp_of, without branches and 64-bit conversions.
[[gnu::always_inline]] inline double batch_log_of(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  double exponent = static_cast<double>(static_cast<int32_t>(bits >> 52)) - 1022.0;
  return log_of_unit(std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3fe0000000000000)) +
         exponent * 0.69314718055994530942;
}
[[gnu::always_inline]] inline double batch_exp_of(double x) {
  int32_t whole = static_cast<int32_t>(x * 1.44269504088896340736 + (x < 0 ? -0.5 : 0.5));
  double n = static_cast<double>(whole);
  double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double power = 1;
#pragma GCC unroll 13
  for (int i = 13; i > 0; --i) power = power * r / i + 1;
  return power * std::bit_cast<double>(static_cast<uint64_t>(whole + 1023) << 52);
}

// Every second element of a batch, those whose bits are in one plane. `accepted` is 1 or 0, as wide as the others for
// loops that vectorise.
struct GammaHalf {
  double alpha[kBlocks], drawn[kBlocks], accepted[kBlocks];
};

// Fills `drawn` for the plane's elements, from block `first` on.
template <class C, bool kLog> void attempt(const Rng& rng, uint64_t first, uint32_t plane, GammaHalf& half) {
  Words words;
  double x[kBlocks], unit[kBlocks];
  fill_words(rng.key, first, words, plane);
  if constexpr (sizeof(C) == 4) {
    for (int b = 0; b < kBlocks; ++b) {
      unit[b] = unit_double(words.word[2][b], words.word[3][b]) + 0x1p-53;
      x[b] = normal_pair(words.word[0][b], words.word[1][b]).first;
    }
  } else {
    for (int b = 0; b < kBlocks; ++b) {
      uint32_t block[4] = {words.word[0][b], words.word[1][b], words.word[2][b], words.word[3][b]};
      x[b] = normal_pair(block).first;
    }
    fill_words(rng.key, first, words, plane += 2);
    for (int b = 0; b < kBlocks; ++b) unit[b] = unit_double(words.word[0][b], words.word[1][b]) + 0x1p-53;
  }
  for (int b = 0; b < kBlocks; ++b) {
    double d = (half.alpha[b] < 1 ? half.alpha[b] + 1 : half.alpha[b]) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    double root = 1 + c * x[b], square = x[b] * x[b], v = root * root * root;
    double below = unit[b] < 1 - 0.0331 * square * square ? 1 : 0;
    half.accepted[b] = root > 0 ? below : 0;
    half.drawn[b] = d * v;
  }
  if constexpr (kLog) {
    for (int b = 0; b < kBlocks; ++b) half.drawn[b] = batch_log_of(half.drawn[b]);
  }
  double least = half.alpha[0];
  for (int b = 1; b < kBlocks; ++b) least = half.alpha[b] < least ? half.alpha[b] : least;
  if (!(least < 1)) return;
  // Of an alpha below 1 the number is that of alpha + 1 times u^(1 / alpha).
  fill_words(rng.key, first, words, plane + 2);
  double boost[kBlocks], power[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    boost[b] = batch_log_of(unit_double(words.word[0][b], words.word[1][b]) + 0x1p-53) / half.alpha[b];
  }
  if constexpr (kLog) {
    for (int b = 0; b < kBlocks; ++b) half.drawn[b] = half.alpha[b] < 1 ? half.drawn[b] + boost[b] : half.drawn[b];
  } else {
    for (int b = 0; b < kBlocks; ++b) power[b] = batch_exp_of(boost[b] < -700 ? -700 : boost[b]);
    for (int b = 0; b < kBlocks; ++b) {
      double boosted = half.drawn[b] * power[b];
      boosted = boost[b] < -700 ? 0 : boosted;
      half.drawn[b] = half.alpha[b] < 1 ? boosted : half.drawn[b];
    }
  }
}

template <class T, bool kLog> void run_gamma_as(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Rng rng = args.as<GammaAttrs>().rng;
  const Array& out = args.out[0];
  const bool has_beta = args.n_in > 1;
  const Spread alphas(args.in[0], out), betas(args.in[args.n_in - 1], out);
  parallel_for(out.size, 16 * kGammaBatch, kGammaBatch, [&](int64_t begin, int64_t end) {
    GammaHalf half[2];
    double alpha[kGammaBatch] = {}, beta[kGammaBatch] = {};
    bool is_read = false;
    for (; begin < end; begin += kGammaBatch) {
      int64_t count = std::min<int64_t>(kGammaBatch, end - begin);
      if (!is_read) {
        alphas.read(begin, count, alpha);
        betas.read(begin, count, beta);
        for (int b = 0; b < kBlocks; ++b) {
          for (int plane : {0, 1}) half[plane].alpha[b] = alpha[2 * b + plane];
        }
        // One number for all serves every batch.
        is_read = alphas.is_single() && betas.is_single() && count == kGammaBatch;
      }
      for (uint32_t plane : {0u, 1u}) {
        attempt<C, kLog>(rng, rng.counter + static_cast<uint64_t>(begin / 2), plane, half[plane]);
      }
      for (int64_t i = 0; i < count; ++i) {
        if (!is_positive(alpha[i]) || (has_beta && !is_positive(beta[i]))) {
          args.fault->raise(FaultCode::WrongValue);
          out.as<T>()[begin + i] = T(0);
          continue;
        }
        const GammaHalf& own = half[i % 2];
        double drawn = own.drawn[i / 2];
        if (own.accepted[i / 2] == 0) {
          Draws draws(rng, begin + i);
          drawn = gamma_draw<C>(draws, alpha[i], kLog);
        }
        if (has_beta) drawn = kLog ? drawn - plain_log_of(beta[i]) : drawn / beta[i];
        out.as<T>()[begin + i] = static_cast<T>(static_cast<C>(drawn));
      }
    }
  });
}

template <class T> void run_gamma(const KernelArgs& args) {
  if (args.as<GammaAttrs>().log) run_gamma_as<T, true>(args);
  else run_gamma_as<T, false>(args);
}

void run_poisson(const KernelArgs& args) {
  const DrawAttrs& attrs = args.as<DrawAttrs>();
  each_draw<int64_t>(args, [&] {
    return [&attrs, last = std::optional<Poisson>()](int64_t i, double rate, double, int64_t* out) mutable {
      if (!(rate >= 0 && rate <= 0x1p62)) return false;
      if (!last || rate != last->rate()) last.emplace(rate);
      Draws draws(attrs.rng, i);
      *out = last->draw(draws);
      return true;
    };
  });
}

void run_binomial(const KernelArgs& args) {
  const DrawAttrs& attrs = args.as<DrawAttrs>();
  each_draw<int64_t>(args, [&] {
    return [&attrs, last = std::optional<Binomial>()](int64_t i, double n, double p, int64_t* out) mutable {
      if (!(n >= 0 && p >= 0 && p <= 1)) return false;
      if (!last || !last->is_of(n, p)) last.emplace(n, p);
      Draws draws(attrs.rng, i);
      *out = last->draw(draws);
      return true;
    };
  });
}

void run_multinomial(const KernelArgs& args) {
  const MultinomialAttrs& attrs = args.as<MultinomialAttrs>();
  const Array &p = args.in[0], &out = args.out[0];
  if (out.size == 0) return;
  const int64_t classes = p.dims[p.rank - 1], step = static_cast<int64_t>(size_of(p.dtype));
  parallel_for(out.size / classes, row_grain(kDrawGrain, classes), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      auto weight = [&](int64_t k) {
        return read_element(p.dtype, p.data + (row * classes % p.size + k) * step).as_double();
      };
      int64_t* counts = out.as<int64_t>() + row * classes;
      double total = 0;
      bool is_good = true;
      for (int64_t k = 0; k < classes; ++k) {
        is_good &= weight(k) >= 0;
        total += weight(k);
      }
      std::fill(counts, counts + classes, int64_t{0});
      if (!is_good || !is_positive(total)) {
        args.fault->raise(FaultCode::WrongValue);
        continue;
      }
      int64_t left = attrs.n;
      for (int64_t k = 0; k < classes && left > 0; ++k) {
        double now = weight(k);
        Draws draws(attrs.rng, row * classes + k);
        // The share of what is left; rounding may make the last one larger than 1.
        counts[k] = now >= total ? left : Binomial(static_cast<double>(left), now / total).draw(draws);
        left -= counts[k];
        total -= now;
      }
      // Rounding may leave some at the end: they belong to the last class that has a weight.
      for (int64_t k = classes - 1; left > 0; --k) {
        if (weight(k) > 0) {
          counts[k] += left;
          left = 0;
        }
      }
    }
  });
}

}  // namespace

void register_random_samples_cpu(KernelRegistry& kernels) {
  kernels.add_each("RandomGamma", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_gamma<typename decltype(tag)::type>}; });
  kernels.add("RandomPoisson", DeviceType::CPU, kFloats, {.run = run_poisson});
  kernels.add("RandomBinomial", DeviceType::CPU, kFloats, {.run = run_binomial});
  kernels.add("RandomMultinomial", DeviceType::CPU, kFloats, {.run = run_multinomial});
}

}  // namespace lutra
