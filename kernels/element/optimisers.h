// One element of an optimiser's step, for optimisers.cpp and kernels/cuda. A step changes the variable's element `w`,
// and those of its slots, `s`, by the gradient's, `g`.
#pragma once

#include <cmath>

#include "kernels/element/element.h"
#include "ops/optimisers.h"

namespace lutra {

// Common to all steps. C is the type they are computed in.
template <class C> struct StepOf {
  explicit StepOf(const StepAttrs& attrs)
      : rate(static_cast<C>(attrs.learning_rate)), decay(static_cast<C>(attrs.decay)) {}
  C rate, decay;
};

template <class C> struct GradientDescentStep : StepOf<C> {
  static constexpr int kSlots = 0;
  using StepOf<C>::StepOf;
  constexpr void operator()(C& w, C g, C*) const { w = w - w * this->decay - this->rate * g; }
};

template <class C> struct MomentumStep : StepOf<C> {
  static constexpr int kSlots = 1;
  explicit MomentumStep(const StepAttrs& attrs)
      : StepOf<C>(attrs), momentum(static_cast<C>(attrs.momentum)), ahead(attrs.nesterov ? C(1) : C(0)) {}
  C momentum, ahead;
  constexpr void operator()(C& w, C g, C* s) const {
    C down = this->rate * g;
    s[0] = momentum * s[0] - down;
    C step = ahead != 0 ? momentum * s[0] - down : s[0];
    w = w - w * this->decay + step;
  }
};

template <class C, bool kAmsgrad> struct AdamStep : StepOf<C> {
  static constexpr int kSlots = kAmsgrad ? 3 : 2;
  explicit AdamStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        new_m(static_cast<C>(1 - attrs.beta_1)),
        new_v(static_cast<C>(1 - attrs.beta_2)),
        epsilon(static_cast<C>(attrs.epsilon)) {}
  C new_m, new_v, epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = s[0] + (g - s[0]) * new_m;
    s[1] = s[1] + (g * g - s[1]) * new_v;
    C v = s[1];
    if constexpr (kAmsgrad) v = s[2] = s[1] > s[2] ? s[1] : s[2];
    w = w - w * this->decay - s[0] * this->rate / (std::sqrt(v) + epsilon);
  }
};

// Slots: the mean square, the mean (if centered), the momentum.
template <class C, bool kCentered, bool kMomentum> struct RmsStep : StepOf<C> {
  static constexpr int kSlots = 1 + kCentered + kMomentum;
  explicit RmsStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        rho(static_cast<C>(attrs.rho)),
        fresh(static_cast<C>(1 - attrs.rho)),
        momentum(static_cast<C>(attrs.momentum)),
        epsilon(static_cast<C>(attrs.epsilon)) {}
  C rho, fresh, momentum, epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = rho * s[0] + fresh * (g * g);
    C square = s[0] + epsilon;
    if constexpr (kCentered) {
      s[1] = rho * s[1] + fresh * g;
      square = s[0] - s[1] * s[1] + epsilon;
    }
    C step = this->rate * g / std::sqrt(square);
    if constexpr (kMomentum) step = s[kSlots - 1] = momentum * s[kSlots - 1] + step;
    w = w - w * this->decay - step;
  }
};

template <class C> struct AdagradStep : StepOf<C> {
  static constexpr int kSlots = 1;
  explicit AdagradStep(const StepAttrs& attrs) : StepOf<C>(attrs), epsilon(static_cast<C>(attrs.epsilon)) {}
  C epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = s[0] + g * g;
    w = w - w * this->decay - this->rate * g / std::sqrt(s[0] + epsilon);
  }
};

template <class C> struct LionStep : StepOf<C> {
  static constexpr int kSlots = 1;
  explicit LionStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        beta_1(static_cast<C>(attrs.beta_1)),
        beta_2(static_cast<C>(attrs.beta_2)),
        new_1(static_cast<C>(1 - attrs.beta_1)),
        new_2(static_cast<C>(1 - attrs.beta_2)) {}
  C beta_1, beta_2, new_1, new_2;
  constexpr void operator()(C& w, C g, C* s) const {
    C c = s[0] * beta_1 + g * new_1;
    // nan passes.
    C sign = c == c ? static_cast<C>((c > 0) - (c < 0)) : c;
    w = w - w * this->decay - this->rate * sign;
    s[0] = s[0] * beta_2 + g * new_2;
  }
};

// Adam with Nesterov's momentum: the mean that the next step will have, from factors that the caller computes.
template <class C> struct NadamStep : StepOf<C> {
  static constexpr int kSlots = 2;
  explicit NadamStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        new_m(static_cast<C>(1 - attrs.beta_1)),
        new_v(static_cast<C>(1 - attrs.beta_2)),
        mean_factor(static_cast<C>(attrs.mean_factor)),
        gradient_factor(static_cast<C>(attrs.gradient_factor)),
        square_factor(static_cast<C>(attrs.square_factor)),
        epsilon(static_cast<C>(attrs.epsilon)) {}
  C new_m, new_v, mean_factor, gradient_factor, square_factor, epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = s[0] + (g - s[0]) * new_m;
    s[1] = s[1] + (g * g - s[1]) * new_v;
    C m = s[0] * mean_factor + g * gradient_factor;
    w = w - w * this->decay - m * this->rate / (std::sqrt(s[1] * square_factor) + epsilon);
  }
};

// Slots: the mean, and the largest absolute gradient, which decays.
template <class C> struct AdamaxStep : StepOf<C> {
  static constexpr int kSlots = 2;
  explicit AdamaxStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        new_m(static_cast<C>(1 - attrs.beta_1)),
        beta_2(static_cast<C>(attrs.beta_2)),
        epsilon(static_cast<C>(attrs.epsilon)) {}
  C new_m, beta_2, epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = s[0] + (g - s[0]) * new_m;
    C before = beta_2 * s[1], now = g < 0 ? -g : g;
    // nan passes.
    s[1] = before > now ? before : now;
    w = w - w * this->decay - this->rate * s[0] / (s[1] + epsilon);
  }
};

// Slots: the mean square of gradients, and that of steps.
template <class C> struct AdadeltaStep : StepOf<C> {
  static constexpr int kSlots = 2;
  explicit AdadeltaStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        rho(static_cast<C>(attrs.rho)),
        fresh(static_cast<C>(1 - attrs.rho)),
        epsilon(static_cast<C>(attrs.epsilon)) {}
  C rho, fresh, epsilon;
  constexpr void operator()(C& w, C g, C* s) const {
    s[0] = rho * s[0] + fresh * (g * g);
    C step = std::sqrt(s[1] + epsilon) * g / std::sqrt(s[0] + epsilon);
    s[1] = rho * s[1] + fresh * (step * step);
    w = w - w * this->decay - this->rate * step;
  }
};

// Slots: the sum of squared gradients, and the linear term. kRoot: `power` is -1/2.
template <class C, bool kRoot> struct FtrlStep : StepOf<C> {
  static constexpr int kSlots = 2;
  explicit FtrlStep(const StepAttrs& attrs)
      : StepOf<C>(attrs),
        power(static_cast<C>(-attrs.power)),
        l1(static_cast<C>(attrs.l1)),
        l2(static_cast<C>(2 * attrs.l2)),
        shrinkage(static_cast<C>(2 * attrs.l2_shrinkage)) {}
  C power, l1, l2, shrinkage;
  constexpr C raised(C x) const {
    if constexpr (kRoot) return std::sqrt(x);
    return std::pow(x, power);
  }
  constexpr void operator()(C& w, C g, C* s) const {
    C from = w - w * this->decay, sum = s[0] + g * g, strength = raised(sum);
    s[1] = s[1] + (g + shrinkage * from - (strength - raised(s[0])) / this->rate * from);
    C clipped = s[1] > l1 ? l1 : s[1] < -l1 ? -l1 : s[1];
    w = (clipped - s[1]) / (strength / this->rate + l2);
    s[0] = sum;
  }
};

// The ops. Each calls run(step) with the step that its options and its number of slots select.
template <template <class> class Step> struct OneStep {
  template <class C, class Run> static void pick(const KernelArgs& args, const Run& run) {
    run(Step<C>(args.as<StepAttrs>()));
  }
};
using ApplyGradientDescent = OneStep<GradientDescentStep>;
using ApplyMomentum = OneStep<MomentumStep>;
using ApplyAdagrad = OneStep<AdagradStep>;
using ApplyLion = OneStep<LionStep>;
using ApplyNadam = OneStep<NadamStep>;
using ApplyAdamax = OneStep<AdamaxStep>;
using ApplyAdadelta = OneStep<AdadeltaStep>;

struct ApplyAdam {
  template <class C, class Run> static void pick(const KernelArgs& args, const Run& run) {
    const StepAttrs& attrs = args.as<StepAttrs>();
    if (attrs.slots == 3) run(AdamStep<C, true>(attrs));
    else run(AdamStep<C, false>(attrs));
  }
};

struct ApplyRms {
  template <class C, class Run> static void pick(const KernelArgs& args, const Run& run) {
    const StepAttrs& attrs = args.as<StepAttrs>();
    if (attrs.slots == 3) run(RmsStep<C, true, true>(attrs));
    else if (attrs.slots == 2 && attrs.centered) run(RmsStep<C, true, false>(attrs));
    else if (attrs.slots == 2) run(RmsStep<C, false, true>(attrs));
    else run(RmsStep<C, false, false>(attrs));
  }
};

struct ApplyFtrl {
  template <class C, class Run> static void pick(const KernelArgs& args, const Run& run) {
    const StepAttrs& attrs = args.as<StepAttrs>();
    if (attrs.power == -0.5) run(FtrlStep<C, true>(attrs));
    else run(FtrlStep<C, false>(attrs));
  }
};

// Calls add.operator()<Op>(name) for each of them.
template <class Add> void for_each_optimiser(const Add& add) {
  add.template operator()<ApplyGradientDescent>("ResourceApplyGradientDescent");
  add.template operator()<ApplyMomentum>("ResourceApplyKerasMomentum");
  add.template operator()<ApplyAdam>("ResourceApplyAdam");
  add.template operator()<ApplyRms>("ResourceApplyRMSProp");
  add.template operator()<ApplyAdagrad>("ResourceApplyAdagrad");
  add.template operator()<ApplyLion>("ResourceApplyLion");
  add.template operator()<ApplyNadam>("ResourceApplyNadam");
  add.template operator()<ApplyAdamax>("ResourceApplyAdaMax");
  add.template operator()<ApplyAdadelta>("ResourceApplyAdadelta");
  add.template operator()<ApplyFtrl>("ResourceApplyFtrlV2");
}

}  // namespace lutra
