// Random numbers of distributions whose parameters are tensors, on the CPU. Each element has bits of its own.

#include "kernels/element/random_samples.h"

#include <optional>

#include "kernels/cpu/loops/elementwise.h"
#include "ops/random_samples.h"

namespace lutra {
namespace {

constexpr int64_t kDrawGrain = 256;

// A parameter, seen in the result's shape.
class Spread {
 public:
  Spread(const Array& x, const Array& out) : x_(x), rank_(out.rank), step_(size_of(x.dtype)) {
    int64_t stride = 1;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      int own = axis - (rank_ - x.rank);
      sizes_[axis] = out.dims[axis];
      strides_[axis] = own >= 0 && x.dims[own] > 1 ? stride : 0;
      if (own >= 0) stride *= x.dims[own];
    }
  }
  double at(int64_t element) const {
    int64_t offset = 0;
    if (x_.size > 1) {
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

template <class T> void run_gamma(const KernelArgs& args) {
  using C = ComputeType<T>;
  const GammaAttrs& attrs = args.as<GammaAttrs>();
  const bool has_beta = args.n_in > 1;
  auto draw = [&, has_beta](int64_t i, double alpha, double beta, T* out) {
    if (!is_positive(alpha) || (has_beta && !is_positive(beta))) return false;
    Draws draws(attrs.rng, i);
    double drawn = gamma_draw<C>(draws, alpha, attrs.log);
    if (has_beta) drawn = attrs.log ? drawn - plain_log_of(beta) : drawn / beta;
    *out = static_cast<T>(static_cast<C>(drawn));
    return true;
  };
  each_draw<T>(args, [&] { return draw; });
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
