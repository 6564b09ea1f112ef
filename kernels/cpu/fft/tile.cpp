// Stockham's transforms of as many rows as a register has lanes: each stage reads one buffer and writes the other, so
// that results come in order without a permutation.

#include <algorithm>

#include "kernels/cpu/fft/plan.h"

namespace lutra::fft {
namespace {

// What the stages share. Input j of group p is at x[q + s * (p + groups * j)], output l at y[q + s * (r * p + l)].
template <class T> struct Stage {
  const Pair<T>* x;
  Pair<T>* y;
  int64_t groups, s;
  const Complex<T>* w;
};

// The last stage has one group, whose twiddles are 1.
template <bool kTurns, class T> [[gnu::always_inline]] inline Pair<T> twiddled(const Pair<T>& a, Complex<T> w) {
  if constexpr (kTurns) return a * w;
  else return a;
}

template <bool kTurns, class T> void stage2(const Stage<T>& stage) {
  const int64_t s = stage.s, step = s * stage.groups;
  for (int64_t p = 0; p < stage.groups; ++p) {
    const Complex<T> w1 = stage.w[p];
    const Pair<T>* x = stage.x + s * p;
    Pair<T>* y = stage.y + 2 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const Pair<T> a = x[q], b = x[q + step];
      y[q] = a + b;
      y[q + s] = twiddled<kTurns>(a - b, w1);
    }
  }
}

template <bool kTurns, class T> void stage3(const Stage<T>& stage) {
  constexpr T kSin = static_cast<T>(0.86602540378443864676);
  const int64_t s = stage.s, step = s * stage.groups;
  for (int64_t p = 0; p < stage.groups; ++p) {
    const Complex<T> w1 = stage.w[2 * p], w2 = stage.w[2 * p + 1];
    const Pair<T>* x = stage.x + s * p;
    Pair<T>* y = stage.y + 3 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const Pair<T> a = x[q], b = x[q + step], c = x[q + 2 * step];
      const Pair<T> sum = b + c, difference = (b - c) * kSin, middle = a - sum * T(0.5);
      y[q] = a + sum;
      y[q + s] = twiddled<kTurns>(minus_i(middle, difference), w1);
      y[q + 2 * s] = twiddled<kTurns>(plus_i(middle, difference), w2);
    }
  }
}

template <bool kTurns, class T> void stage4(const Stage<T>& stage) {
  const int64_t s = stage.s, step = s * stage.groups;
  for (int64_t p = 0; p < stage.groups; ++p) {
    const Complex<T> w1 = stage.w[3 * p], w2 = stage.w[3 * p + 1], w3 = stage.w[3 * p + 2];
    const Pair<T>* x = stage.x + s * p;
    Pair<T>* y = stage.y + 4 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const Pair<T> a = x[q], b = x[q + step], c = x[q + 2 * step], d = x[q + 3 * step];
      const Pair<T> even = a + c, odd = b + d, even2 = a - c, odd2 = b - d;
      y[q] = even + odd;
      y[q + s] = twiddled<kTurns>(minus_i(even2, odd2), w1);
      y[q + 2 * s] = twiddled<kTurns>(even - odd, w2);
      y[q + 3 * s] = twiddled<kTurns>(plus_i(even2, odd2), w3);
    }
  }
}

template <bool kTurns, class T> void stage5(const Stage<T>& stage) {
  constexpr T kCos1 = static_cast<T>(0.30901699437494742410), kSin1 = static_cast<T>(0.95105651629515357212);
  constexpr T kCos2 = static_cast<T>(-0.80901699437494742410), kSin2 = static_cast<T>(0.58778525229247312917);
  const int64_t s = stage.s, step = s * stage.groups;
  for (int64_t p = 0; p < stage.groups; ++p) {
    const Complex<T>* w = stage.w + 4 * p;
    const Pair<T>* x = stage.x + s * p;
    Pair<T>* y = stage.y + 5 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const Pair<T> a = x[q], b = x[q + step], c = x[q + 2 * step], d = x[q + 3 * step], e = x[q + 4 * step];
      const Pair<T> outer = b + e, inner = c + d, outer2 = b - e, inner2 = c - d;
      const Pair<T> middle1 = a + outer * kCos1 + inner * kCos2, middle2 = a + outer * kCos2 + inner * kCos1;
      const Pair<T> side1 = outer2 * kSin1 + inner2 * kSin2, side2 = outer2 * kSin2 - inner2 * kSin1;
      y[q] = a + outer + inner;
      y[q + s] = twiddled<kTurns>(minus_i(middle1, side1), w[0]);
      y[q + 2 * s] = twiddled<kTurns>(minus_i(middle2, side2), w[1]);
      y[q + 3 * s] = twiddled<kTurns>(plus_i(middle2, side2), w[2]);
      y[q + 4 * s] = twiddled<kTurns>(plus_i(middle1, side1), w[3]);
    }
  }
}

// Any other prime: by sums and differences of the inputs j and r - j.
template <class T> void stage_prime(const Stage<T>& stage, int r, const Complex<T>* roots) {
  constexpr int kMostHalf = 24;
  const int half = r / 2;
  const int64_t s = stage.s, step = s * stage.groups;
  for (int64_t p = 0; p < stage.groups; ++p) {
    const Complex<T>* w = stage.w + (r - 1) * p;
    for (int64_t q = 0; q < s; ++q) {
      const Pair<T>* x = stage.x + q + s * p;
      Pair<T>* y = stage.y + q + s * r * p;
      Pair<T> sums[kMostHalf], differences[kMostHalf], total = x[0];
      for (int j = 1; j <= half; ++j) {
        const Pair<T> a = x[step * j], b = x[step * (r - j)];
        sums[j - 1] = a + b;
        differences[j - 1] = a - b;
        total = total + sums[j - 1];
      }
      y[0] = total;
      for (int l = 1; l <= half; ++l) {
        Pair<T> middle = x[0], side{};
        for (int j = 1; j <= half; ++j) {
          const Complex<T> turn = roots[j * l % r];  // cos - i sin
          middle = middle + sums[j - 1] * turn.re;
          side = side - differences[j - 1] * turn.im;
        }
        y[s * l] = minus_i(middle, side) * w[l - 1];
        y[s * (r - l)] = plus_i(middle, side) * w[r - l - 1];
      }
    }
  }
}

}  // namespace

template <class T> Pair<T>* TilePlan<T>::run(Pair<T>* x, Pair<T>* y) const {
  int64_t left = n;
  Stage<T> stage{x, y, 0, 1, twiddles.data()};
  const Complex<T>* roots = primes.data();
  for (int radix : radices) {
    stage.groups = left / radix;
    const bool turns = stage.groups > 1;
    switch (radix) {
      case 2: turns ? stage2<true>(stage) : stage2<false>(stage); break;
      case 3: turns ? stage3<true>(stage) : stage3<false>(stage); break;
      case 4: turns ? stage4<true>(stage) : stage4<false>(stage); break;
      case 5: turns ? stage5<true>(stage) : stage5<false>(stage); break;
      default: stage_prime(stage, radix, roots); roots += radix;
    }
    left = stage.groups;
    stage.w += left * (radix - 1);
    stage.s *= radix;
    std::swap(x, y);
    stage.x = x;
    stage.y = y;
  }
  return x;
}

template struct TilePlan<float>;
template struct TilePlan<double>;

}  // namespace lutra::fft
