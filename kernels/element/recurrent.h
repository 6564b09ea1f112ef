// One unit of a recurrent layer's step and of its gradient, for recurrent.cpp and kernels/cuda. C is the type it is
// computed in.
#pragma once

#include "kernels/element/activations.h"

namespace lutra {

// The gates' values. `candidate` is the new content, not a gate.
template <class C> struct LstmGates { C input, forget, candidate, output; };
template <class C> struct GruGates { C update, reset, candidate; };

template <class C> struct LstmStep {
  LstmGates<C> gates;
  C h, cell;

  [[gnu::always_inline]] static constexpr LstmStep of(const LstmGates<C>& sums, C cell) {
    LstmGates<C> gates{sigmoid_of(sums.input), sigmoid_of(sums.forget), tanh_of(sums.candidate),
                       sigmoid_of(sums.output)};
    C next = gates.forget * cell + gates.input * gates.candidate;
    return {gates, gates.output * tanh_of(next), next};
  }
};

template <class C> struct LstmSlopes {
  LstmGates<C> sums;
  C cell;

  // `next`: the cell after the step; dh and dnext: the gradients of the state and the cell after it.
  [[gnu::always_inline]] static constexpr LstmSlopes of(const LstmGates<C>& gates, C cell, C next, C dh, C dnext) {
    const auto [i, f, c, o] = gates;
    C t = tanh_of(next), s = dnext + dh * o * (C(1) - t * t);
    return {{s * c * i * (C(1) - i), s * cell * f * (C(1) - f), s * i * (C(1) - c * c), dh * t * o * (C(1) - o)},
            s * f};
  }
};

template <class C> struct GruStep {
  GruGates<C> gates;
  C h;

  [[gnu::always_inline]] static constexpr GruStep of(const GruGates<C>& x, const GruGates<C>& recurrent, C h) {
    C z = sigmoid_of(x.update + recurrent.update), r = sigmoid_of(x.reset + recurrent.reset);
    C c = tanh_of(x.candidate + r * recurrent.candidate);
    return {{z, r, c}, c + z * (h - c)};
  }
};

template <class C> struct GruSlopes {
  GruGates<C> x;
  C recurrent_candidate;  // the other two equal x's
  C h;

  // `inner`: the recurrent term of the candidate.
  [[gnu::always_inline]] static constexpr GruSlopes of(const GruGates<C>& gates, C inner, C h, C dy) {
    const auto [z, r, c] = gates;
    C s = dy * (C(1) - z) * (C(1) - c * c);
    return {{dy * (h - c) * z * (C(1) - z), s * inner * r * (C(1) - r), s}, s * r, dy * z};
  }
};

}  // namespace lutra
