// Random numbers by rejection: gamma, Poisson's and binomial. Only separate multiplications, additions, divisions and
// roots, in one fixed order, so that they are the same bits on every processor, as normal numbers are (random_math.h).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/element/random_math.h"
#include "ops/attrs.h"

namespace lutra {

// Blocks of random bits for one element, as many as it takes. Two elements share the number of a block, of which each
// has every second plane.
class Draws {
 public:
  constexpr Draws(const Rng& rng, int64_t element)
      : key_(rng.key),
        block_(rng.counter + static_cast<uint64_t>(element / 2)),
        plane_(static_cast<uint32_t>(element % 2)) {}
  constexpr PhiloxBlock next() {
    PhiloxBlock bits = philox_block(key_, block_, plane_);
    plane_ += 2;
    return bits;
  }

 private:
  uint64_t key_, block_;
  uint32_t plane_;
};

// log(x) for a positive, finite x.
constexpr double plain_log_of(double x) {
  bool is_subnormal = x < 0x1p-1022;
  uint64_t bits = std::bit_cast<uint64_t>(is_subnormal ? x * 0x1p60 : x);
  double exponent = static_cast<double>(static_cast<int64_t>(bits >> 52)) - (is_subnormal ? 1082.0 : 1022.0);
  double part = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3fe0000000000000);  // in [1/2, 1)
  return log_of_unit(part) + exponent * 0.69314718055994530942;
}

// e^x for x from -700 to 700.
constexpr double plain_exp_of(double x) {
  double n = static_cast<double>(static_cast<int64_t>(x * 1.44269504088896340736 + (x < 0 ? -0.5 : 0.5)));
  double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double power = 1;
  for (int i = 13; i > 0; --i) power = power * r / i + 1;
  return power * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

// log(k!) - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2), for whole k.
constexpr double factorial_rest(double k) {
  constexpr double kFirst[] = {0.08106146679532726,  0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
                               0.01664469118982119,  0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
                               0.009255462182712733, 0.008330563433362871};
  if (k < 10) return kFirst[static_cast<int>(k)];
  double r = 1 / (k + 1), z = r * r;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 * z) * z) * z) * r;
}
constexpr double log_factorial(double k) {
  return (k + 0.5) * plain_log_of(k + 1) - (k + 1) + 0.91893853320467274178 + factorial_rest(k);
}

// The bits of a normal number and of a uniform one in (0, 1].
constexpr double normal_and_unit(Draws& draws, float*, double* unit) {
  PhiloxBlock bits = draws.next();
  *unit = unit_double(bits.word[2], bits.word[3]) + 0x1p-53;
  return normal_pair(bits.word[0], bits.word[1]).first;
}
constexpr double normal_and_unit(Draws& draws, double*, double* unit) {
  PhiloxBlock bits = draws.next(), more = draws.next();
  *unit = unit_double(more.word[0], more.word[1]) + 0x1p-53;
  return normal_pair(bits.word).first;
}

// A number of the gamma distribution with shape alpha > 0 and scale 1, or its logarithm (Marsaglia and Tsang, 2000). C
// is the type of which it has the digits.
template <class C> constexpr double gamma_draw(Draws& draws, double alpha, bool log) {
  bool is_small = alpha < 1;
  double d = (is_small ? alpha + 1 : alpha) - 1.0 / 3, c = 1 / std::sqrt(9 * d), unit = 0, v = 1;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    double x = normal_and_unit(draws, static_cast<C*>(nullptr), &unit), root = 1 + c * x, square = x * x;
    if (root <= 0) continue;
    v = root * root * root;
    // Most are accepted without logarithms.
    if (unit < 1 - 0.0331 * square * square) break;
    if (plain_log_of(unit) < 0.5 * square + d * (1 - v + plain_log_of(v))) break;
  }
  if (!is_small) return log ? plain_log_of(d * v) : d * v;
  PhiloxBlock bits = draws.next();
  double boost = plain_log_of(unit_double(bits.word[0], bits.word[1]) + 0x1p-53) / alpha;
  if (log) return plain_log_of(d * v) + boost;
  return boost < -700 ? 0 : d * v * plain_exp_of(boost);
}

// Each is at least 0.95 of a normal distribution's width wide from here on, where rejection works well.
inline constexpr double kLeastForRejection = 10;

// The sums of the chances of 0, 1, 2 and so on. They are computed when a draw first needs them, and kept for the next
// draws with the same parameters.
class ChanceSums {
 public:
  explicit ChanceSums(double first) : chance_(first) { sums_[0] = first; }
  // The first number whose sum is above u, at most `most`. next(chance, k) is the chance of k, given that of k - 1.
  template <class Next> int64_t find(double u, int64_t most, const Next& next) {
    for (int64_t k = 0; k < most; ++k) {
      if (k == known_) {
        chance_ = next(chance_, static_cast<double>(k));
        sums_[k] = sums_[k - 1] + chance_;
        ++known_;
      }
      if (u < sums_[k]) return k;
    }
    return most;
  }
  static constexpr int64_t kMost = 300;

 private:
  double chance_, sums_[kMost];
  int64_t known_ = 1;
};

// Numbers of Poisson's distribution, rate >= 0: below 10 by inversion, else by transformed rejection (Hormann, 1993).
class Poisson {
 public:
  explicit Poisson(double rate) : rate_(rate), sums_(rate < kLeastForRejection ? plain_exp_of(-rate) : 0) {
    if (rate < kLeastForRejection) return;
    log_rate_ = plain_log_of(rate);
    b_ = 0.931 + 2.53 * std::sqrt(rate);
    a_ = -0.059 + 0.02483 * b_;
    inverse_alpha_ = 1.1239 + 1.1328 / (b_ - 3.4);
    inside_ = 0.9277 - 3.6224 / (b_ - 2);
  }
  double rate() const { return rate_; }

  int64_t draw(Draws& draws) {
    PhiloxBlock bits = draws.next();
    double u = unit_double(bits.word[0], bits.word[1]), v = unit_double(bits.word[2], bits.word[3]);
    if (rate_ < kLeastForRejection) {
      return sums_.find(u, 200, [this](double chance, double k) { return chance * rate_ / k; });
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
      double side = u - 0.5, edge = 0.5 - std::fabs(side);
      double k = edge > 0 ? std::floor((2 * a_ / edge + b_) * side + rate_ + 0.43) : -1;
      if (edge >= 0.07 && v <= inside_) return static_cast<int64_t>(k);
      if (k >= 0 && (edge >= 0.013 || v <= edge) && v > 0 &&
          plain_log_of(v * inverse_alpha_ / (a_ / (edge * edge) + b_)) <= k * log_rate_ - rate_ - log_factorial(k)) {
        return static_cast<int64_t>(k);
      }
      bits = draws.next();
      u = unit_double(bits.word[0], bits.word[1]);
      v = unit_double(bits.word[2], bits.word[3]);
    }
    return static_cast<int64_t>(rate_);
  }

 private:
  double rate_;
  ChanceSums sums_;
  double log_rate_ = 0, a_ = 0, b_ = 0, inverse_alpha_ = 0, inside_ = 0;
};

// How many of n independent trials with chance p succeed, n whole, 0 <= p <= 1: by inversion while n p is below 10,
// else by transformed rejection (Hormann, 1993). Of a chance above 1/2 those that fail are drawn.
class Binomial {
 public:
  Binomial(double n, double p)
      : n_(n),
        given_(p),
        p_(p > 0.5 ? 1 - p : p),
        odds_(p_ / (1 - p_)),
        sums_(is_short() && n > 0 && p_ > 0 ? no_success() : 0) {
    if (is_short()) return;
    double width = std::sqrt(n_ * p_ * (1 - p_));
    b_ = 1.15 + 2.53 * width;
    a_ = -0.0873 + 0.0248 * b_ + 0.01 * p_;
    middle_ = n_ * p_ + 0.5;
    inside_ = 0.92 - 4.2 / b_;
    alpha_ = (2.83 + 5.1 / b_) * width;
    m_ = std::floor((n_ + 1) * p_);
    at_m_ =
        (m_ + 0.5) * plain_log_of((m_ + 1) / (odds_ * (n_ - m_ + 1))) + factorial_rest(m_) + factorial_rest(n_ - m_);
  }
  bool is_of(double n, double p) const { return n == n_ && p == given_; }

  int64_t draw(Draws& draws) {
    int64_t drawn = n_ <= 0 || p_ <= 0 ? 0 : successes(draws);
    return given_ > 0.5 ? static_cast<int64_t>(n_) - drawn : drawn;
  }

 private:
  bool is_short() const { return n_ * p_ < kLeastForRejection; }
  double no_success() const {
    double q = 1 - p_;
    // log(1 - p), also where 1 - p has lost p's digits.
    double log_q = q == 1 ? -p_ : plain_log_of(q) * (p_ / (1 - q));
    return plain_exp_of(n_ * log_q);
  }
  int64_t successes(Draws& draws) {
    PhiloxBlock bits = draws.next();
    double u = unit_double(bits.word[0], bits.word[1]), v = unit_double(bits.word[2], bits.word[3]);
    if (is_short()) {
      const int64_t most = n_ < ChanceSums::kMost ? static_cast<int64_t>(n_) : ChanceSums::kMost;
      return sums_.find(u, most, [this](double chance, double k) { return chance * odds_ * (n_ - (k - 1)) / k; });
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
      double side = u - 0.5, edge = 0.5 - std::fabs(side);
      double k = edge > 0 ? std::floor((2 * a_ / edge + b_) * side + middle_) : -1;
      if (k >= 0 && k <= n_) {
        if (edge >= 0.07 && v <= inside_) return static_cast<int64_t>(k);
        double bound = at_m_ + (n_ + 1) * plain_log_of((n_ - m_ + 1) / (n_ - k + 1)) +
                       (k + 0.5) * plain_log_of(odds_ * (n_ - k + 1) / (k + 1)) - factorial_rest(k) -
                       factorial_rest(n_ - k);
        if (v > 0 && plain_log_of(v * alpha_ / (a_ / (edge * edge) + b_)) <= bound) return static_cast<int64_t>(k);
      }
      bits = draws.next();
      u = unit_double(bits.word[0], bits.word[1]);
      v = unit_double(bits.word[2], bits.word[3]);
    }
    return static_cast<int64_t>(m_);
  }

  double n_, given_, p_, odds_;
  ChanceSums sums_;
  double a_ = 0, b_ = 0, middle_ = 0, inside_ = 0, alpha_ = 0, m_ = 0, at_m_ = 0;
};

}  // namespace lutra
