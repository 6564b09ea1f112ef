// Reducers: how a reduction accumulates elements. A reducer is a struct:
//   In        the elements
//   Run       accumulates a run of up to 32 elements: open(element), join(run, run)
//   Acc       accumulates runs and blocks: lift(run), merge(acc, acc)
//   kStart    the Run of no elements
//   Next      the same over Acc, for the second and later axes
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/element/element.h"
#include "kernels/element/halves.h"

namespace lutra {

// The most elements of a run.
inline constexpr int64_t kRun = 32;

// The narrowest type that holds the sum of 32 elements; of bool, how many are true.
template <class T> struct RunOf { using type = T; };
template <> struct RunOf<bool> { using type = uint8_t; };
template <> struct RunOf<int8_t> { using type = int16_t; };
template <> struct RunOf<uint8_t> { using type = uint16_t; };
template <> struct RunOf<int16_t> { using type = int32_t; };
template <> struct RunOf<int32_t> { using type = uint64_t; };
template <> struct RunOf<int64_t> { using type = uint64_t; };
template <> struct RunOf<Float16> { using type = float; };
template <> struct RunOf<BFloat16> { using type = float; };

// Bool is read as a byte.
template <class T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
// The accumulator of sums and products: 64 bits, wrapping, or double.
template <class T> using WideOf = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
template <class T> constexpr Stored<T> element(Stored<T> x) {
  if constexpr (std::is_same_v<T, bool>) return x != 0;
  else return x;
}

// For float32 and halves, runs are summed in float32 unless R says otherwise; runs and blocks are added up in float64.
template <class T, class R = typename RunOf<T>::type> struct SumOf {
  using In = Stored<T>;
  using Run = R;
  using Acc = WideOf<T>;
  using Next = SumOf<std::conditional_t<std::is_integral_v<T>, int64_t, double>, Acc>;
  static constexpr Run kStart = 0;
  static constexpr Run open(In x) { return static_cast<Run>(element<T>(x)); }
  static constexpr Run join(Run a, Run b) { return static_cast<Run>(a + b); }
  template <class Lanes> static Lanes join_lanes(Lanes a, Lanes b) { return a + b; }
  static constexpr Acc lift(Run run) { return static_cast<Acc>(run); }
  static constexpr Acc merge(Acc a, Acc b) { return a + b; }
};

// Floats are multiplied in float64: a run of float32 elements does not soon leave its range.
template <class T> struct ProdOf {
  using In = Stored<T>;
  using Run = WideOf<T>;
  using Acc = WideOf<T>;
  using Next = ProdOf<std::conditional_t<std::is_integral_v<T>, int64_t, double>>;
  static constexpr Run kStart = 1;
  static constexpr Run open(In x) { return static_cast<Run>(element<T>(x)); }
  static constexpr Run join(Run a, Run b) { return a * b; }
  template <class Lanes> static Lanes open_lanes(Lanes x) { return x; }
  template <class Lanes> static Lanes join_lanes(Lanes a, Lanes b) { return a * b; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) { return a * b; }
};

// The largest element (kMost) or the smallest; nan wins over any number. Halves are compared as the integers of
// halves.h.
template <class T, bool kMost> struct ExtremeOf {
  using Key = Ordered<T>;
  using In = T;
  using Run = Key;
  using Acc = Key;
  using Next = ExtremeOf<Key, kMost>;
  static constexpr bool kHasNan = std::is_floating_point_v<Key>;
  static constexpr Key kInf =
      std::numeric_limits<Key>::has_infinity ? std::numeric_limits<Key>::infinity() : std::numeric_limits<Key>::max();
  static constexpr Key kStart = kMost ? (kHasNan ? -kInf : std::numeric_limits<Key>::lowest()) : kInf;
  static constexpr Key open(T x) { return order_key<kMost>(x); }
  static constexpr Key pick(Key a, Key b) { return (kMost ? b > a : b < a) ? b : a; }
  // Two selects, which compile to two instructions; one select on either condition becomes a branch.
  static constexpr Key join(Key a, Key b) {
    Key best = pick(a, b);
    if constexpr (kHasNan) return b != b ? b : best;
    else return best;
  }
  static constexpr Key lift(Key run) { return run; }
  static constexpr Key merge(Key a, Key b) { return join(a, b); }
};
template <class T> using MaxOf = ExtremeOf<T, true>;
template <class T> using MinOf = ExtremeOf<T, false>;

}  // namespace lutra
