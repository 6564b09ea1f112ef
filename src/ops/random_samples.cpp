// Random numbers of distributions whose parameters are tensors, and of others made of uniform numbers.

#include "ops/random_samples.h"

#include "ops/composition.h"
#include "ops/cost.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/softmax.h"

namespace lutra {
namespace {

// Throws unless each input broadcasts to the given shape without changing it. Returns that shape.
Shape filled_shape(const Inference& inference, const Dims& given) {
  Shape shape = given.shape(), all = shape;
  for (int i = 0; i < inference.inputs(); ++i) {
    require(broadcast(shape, inference.shape(i), &all) && all == shape, inference.who(), ": ",
            inference.call().op->input(i).name, " ", inference.shape(i), " does not broadcast to shape ", shape);
  }
  return shape;
}

void gamma_shape(Inference& inference) {
  inference.output(inference.key(), filled_shape(inference, inference.attrs<GammaAttrs>().shape));
}
void count_shape(Inference& inference) {
  inference.output(DType::Int64, filled_shape(inference, inference.attrs<DrawAttrs>().shape));
}
void beta_shape(Inference& inference) {
  inference.output(inference.key(), filled_shape(inference, inference.attrs<DrawAttrs>().shape));
}

// The shape's axes, and then the input's.
template <class A> Shape joined_shape(const Inference& inference, const char* what) {
  Shape x = inference.shape(0), out;
  const Dims& given = inference.attrs<A>().shape;
  require(x.rank() > 0, inference.who(), ": ", inference.call().op->input(0).name,
          " is a scalar, expected at least one axis, the ", what);
  require(x[x.rank() - 1] > 0, inference.who(), ": ", inference.call().op->input(0).name, " ", x, " has no ", what);
  if (given.given()) out = given.shape();
  require(out.rank() + x.rank() <= kMaxRank, inference.who(), ": the result would have ", out.rank() + x.rank(),
          " axes, and at most ", kMaxRank, " are possible");
  for (int i = 0; i < x.rank(); ++i) out.push(x[i]);
  return out;
}

void dirichlet_shape(Inference& inference) {
  inference.output(inference.key(), joined_shape<DrawAttrs>(inference, "components"));
}
void multinomial_shape(Inference& inference) {
  int64_t n = inference.attrs<MultinomialAttrs>().n;
  require(n >= 0, inference.who(), ": n is ", n, ", expected 0 or more");
  inference.output(DType::Int64, joined_shape<MultinomialAttrs>(inference, "classes"));
}

// For a second draw of a call with a seed of its own.
Seed other(Seed seed) {
  seed.value = static_cast<int64_t>(static_cast<uint64_t>(seed.value) ^ 0x9E3779B97F4A7C15);
  return seed;
}

Value log_gamma(Composition& c, const Shape& shape, Value alpha, Seed seed) {
  GammaAttrs attrs;
  attrs.shape = Dims::of(shape);
  attrs.log = true;
  attrs.seed = seed;
  return c.call("RandomGamma", {alpha}, attrs);
}

// x / (x + y) of two gamma numbers, by their logarithms: small parameters give numbers too small for a float.
void compose_beta(Composition& c) {
  const DrawAttrs& attrs = c.attrs<DrawAttrs>();
  Shape shape = attrs.shape.shape();
  Value x = log_gamma(c, shape, unhalved(c, c.x(0)), attrs.seed);
  Value y = log_gamma(c, shape, unhalved(c, c.x(1)), other(attrs.seed));
  c.give(c.call("Sigmoid", {x - y}));
}

void compose_dirichlet(Composition& c) {
  Value x = log_gamma(c, c.output_shape(), unhalved(c, c.x()), c.attrs<DrawAttrs>().seed);
  c.give(c.call("Softmax", {x}, SoftmaxAttrs{single(-1)}));
}

struct ScaledAttrs {
  Dims shape;
  double loc = 0;
  double scale = 1;
  DType dtype = DType::Float32;
  Seed seed;
};

void scaled_shape(Inference& inference) {
  const ScaledAttrs& attrs = inference.attrs<ScaledAttrs>();
  check_dtype(inference, attrs.dtype, kFloats);
  double most = largest_of(attrs.dtype);
  require(attrs.loc >= -most && attrs.loc <= most, inference.who(), ": loc is ", attrs.loc, ", expected a finite ",
          attrs.dtype);
  require(attrs.scale >= 0 && attrs.scale <= most, inference.who(), ": scale is ", attrs.scale,
          ", expected 0 or a finite ", attrs.dtype, " above it");
  inference.output(attrs.dtype, attrs.shape.shape());
}

// Numbers from 0 up to 1, in float32 for halves.
Value uniforms(Composition& c) {
  const ScaledAttrs& attrs = c.attrs<ScaledAttrs>();
  UniformAttrs uniform;
  uniform.shape = attrs.shape;
  uniform.dtype = attrs.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  uniform.seed = attrs.seed;
  return c.call("RandomUniform", {}, uniform);
}

void give_scaled(Composition& c, Value x) {
  const ScaledAttrs& attrs = c.attrs<ScaledAttrs>();
  if (attrs.scale != 1) x = x * attrs.scale;
  c.give(attrs.loc == 0 ? x : x + attrs.loc);
}

void compose_exponential(Composition& c) { give_scaled(c, -c.call("Log1p", {-uniforms(c)})); }

// An exponential number to the left or to the right, by the half of [0, 1) that the uniform one is in.
void compose_laplace(Composition& c) {
  Value u = uniforms(c), is_left = c.call("Less", {u, 0.5});
  Value within = c.call("SelectV2", {is_left, u, u - 0.5});
  Value size = c.call("Log1p", {within * -2.0});
  give_scaled(c, c.call("SelectV2", {is_left, size, -size}));
}

void compose_cauchy(Composition& c) { give_scaled(c, c.call("Tan", {(uniforms(c) - 0.5) * 3.14159265358979323846})); }

Error wrong_parameter(const char* op, const char* what) {
  return Error(ErrorCode::InvalidArgument, text(op, ": ", what));
}
Error wrong_gamma(const char* op, const Fault&) {
  return wrong_parameter(op, "an alpha or a beta is 0, negative or not finite, expected numbers above 0");
}
Error wrong_rate(const char* op, const Fault&) {
  return wrong_parameter(op, "a rate is negative, nan or above 2^62, expected numbers from 0 on");
}
Error wrong_trials(const char* op, const Fault&) {
  return wrong_parameter(op, "an n is negative, or a p is not a probability: 0 to 1");
}
Error no_weights(const char* op, const Fault&) {
  return wrong_parameter(op, "a row of p has a negative number, nan, inf or nothing but 0, which is no distribution");
}

template <class A> AttrDef seed_option() {
  return attr("seed", &A::seed, kSeedDoc).otherwise("the next of set_seed's sequence");
}
template <class A> AttrDef shape_first() {
  return attr("shape", &A::shape, "sizes of the result's axes, to which the parameters broadcast").before_inputs();
}

void define_scaled(OpRegistry& ops, OpDef def, bool has_loc) {
  std::vector<AttrDef> options = {attr("shape", &ScaledAttrs::shape, kShapeDoc).required()};
  if (has_loc) options.push_back(attr("loc", &ScaledAttrs::loc, "the middle").otherwise("0"));
  options.push_back(
      attr("scale", &ScaledAttrs::scale, has_loc ? "the width" : "the mean, 1 / the rate").otherwise("1"));
  options.push_back(attr("dtype", &ScaledAttrs::dtype, "a float dtype").otherwise("float32"));
  options.push_back(seed_option<ScaledAttrs>());
  def.attrs = attrs<ScaledAttrs>({});
  def.attrs.defs = options;
  def.output = "the given shape; float32 unless dtype says otherwise";
  def.errors = "InvalidArgument for a negative size or scale, a parameter that is not finite, or another dtype.";
  def.shape = scaled_shape;
  def.gpu = kFloats;
  def.flags = kNoMethod | kNoSlope | kKeyIsOutput;
  ops.define(std::move(def));
}

}  // namespace

void define_random_samples_ops(OpRegistry& ops) {
  ops.define({
      .name = "RandomGamma",
      .lua_name = "random.gamma",
      .summary = "Random numbers of the gamma distribution with the density x^(alpha - 1) e^(-beta x), up to a factor: "
                 "the mean is alpha / beta.",
      .inputs = {{"alpha", kNumbers, "broadcasts to shape"}, {"beta", kNumbers, "broadcasts to shape", kOptional}},
      .attrs = attrs<GammaAttrs>(
          {shape_first<GammaAttrs>(),
           attr("log", &GammaAttrs::log, "the numbers' logarithms, which small alphas do not round to 0")
               .otherwise("false"),
           seed_option<GammaAttrs>(), attr("rng", &GammaAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 for integers, else the parameters' dtype",
      .errors = "InvalidArgument for an alpha or beta that is not above 0 and finite, does not broadcast, or is bool.",
      .source = "tf.random.gamma; Marsaglia and Tsang, \"A Simple Method for Generating Gamma Variables\", 2000, on "
                "Philox4x32-10",
      .example = "lutra.random.gamma({2}, 3.0, {seed = 1})  --> {3.3373, 2.4061}",
      .compute = Compute::Float,
      .shape = gamma_shape,
      .fault = wrong_gamma,
      .cost = elements_cost<200>,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomPoisson",
      .lua_name = "random.poisson",
      .summary = "Random counts of Poisson's distribution, whose mean is the rate.",
      .inputs = {{"rate", kNumbers, "broadcasts to shape"}},
      .attrs =
          attrs<DrawAttrs>({shape_first<DrawAttrs>(), seed_option<DrawAttrs>(), attr("rng", &DrawAttrs::rng, kRngDoc)}),
      .output = "the given shape; int64",
      .errors = "InvalidArgument for a rate that is negative, nan or above 2^62, does not broadcast, or is bool.",
      .source = "numpy.random.poisson; below 10 inversion, else transformed rejection (Hormann, \"The transformed "
                "rejection method for generating Poisson random variables\", 1993), on Philox4x32-10",
      .example = "lutra.random.poisson({2}, 0.0)  --> {0, 0}",
      .compute = Compute::Float,
      .shape = count_shape,
      .fault = wrong_rate,
      .cost = elements_cost<200>,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomBinomial",
      .lua_name = "random.binomial",
      .summary = "How many of n independent trials succeed, each with chance p.",
      .inputs = {{"n", kInts, "broadcasts to shape", kOwnDType}, {"p", kNumbers, "broadcasts to shape"}},
      .attrs =
          attrs<DrawAttrs>({shape_first<DrawAttrs>(), seed_option<DrawAttrs>(), attr("rng", &DrawAttrs::rng, kRngDoc)}),
      .output = "the given shape; int64",
      .errors = "InvalidArgument for a negative n, a p outside 0 to 1, or parameters that do not broadcast.",
      .source = "numpy.random.binomial; inversion below a mean of 10, else transformed rejection (Hormann, \"The "
                "generation of binomial random variates\", 1993), on Philox4x32-10",
      .example = "lutra.random.binomial({2}, 5, 1.0)  --> {5, 5}",
      .compute = Compute::Float,
      .shape = count_shape,
      .fault = wrong_trials,
      .cost = elements_cost<200>,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomMultinomial",
      .lua_name = "random.multinomial",
      .summary = "How often each class comes up in n independent draws, with probabilities in proportion to the last "
                 "axis of p. Single draws are random.categorical's and random.choice's.",
      .inputs = {{"p", kNumbers, "[..., classes]"}},
      .attrs = attrs<MultinomialAttrs>(
          {attr("n", &MultinomialAttrs::n, "how many draws").before_inputs(),
           attr("shape", &MultinomialAttrs::shape, "sizes of axes before p's").positional().otherwise("{}"),
           seed_option<MultinomialAttrs>(), attr("rng", &MultinomialAttrs::rng, kRngDoc)}),
      .output = "shape's axes and then p's; int64",
      .errors = "InvalidArgument for a negative n, no classes, or a row of p that has a negative number, nan, inf or "
                "only 0.",
      .source = "numpy.random.multinomial; binomial numbers, one class after another",
      .example = "lutra.random.multinomial(7, {0.0, 1.0, 0.0})  --> {0, 7, 0}",
      .compute = Compute::Float,
      .shape = multinomial_shape,
      .fault = no_weights,
      .cost = elements_cost<200>,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomBeta",
      .lua_name = "random.beta",
      .summary = "Random numbers of the beta distribution with the density x^(a - 1) (1 - x)^(b - 1), up to a factor.",
      .inputs = {{"a", kNumbers, "broadcasts to shape"}, {"b", kNumbers, "broadcasts to shape"}},
      .attrs = attrs<DrawAttrs>({shape_first<DrawAttrs>(), seed_option<DrawAttrs>()}),
      .output = "the given shape; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument for an a or b that is not above 0 and finite, does not broadcast, or is bool.",
      .source = "numpy.random.beta; two gamma numbers",
      .example = "lutra.random.beta({2}, 2.0, 3.0, {seed = 1})  --> {0.3811, 0.3499}",
      .compute = Compute::Float,
      .shape = beta_shape,
      .compose = compose_beta,
      .flags = kNoMethod | kNoSlope,
  });
  ops.define({
      .name = "RandomDirichlet",
      .lua_name = "random.dirichlet",
      .summary = "Random points of the Dirichlet distribution: numbers from 0 to 1 along the last axis whose sum is 1.",
      .inputs = {{"alpha", kNumbers, "[..., components]"}},
      .attrs = attrs<DrawAttrs>(
          {attr("shape", &DrawAttrs::shape, "sizes of axes before alpha's").before_inputs(), seed_option<DrawAttrs>()}),
      .output = "shape's axes and then alpha's; float32 for integers, else alpha's dtype",
      .errors = "InvalidArgument for an alpha that is not above 0 and finite, or has no components.",
      .source = "numpy.random.dirichlet; gamma numbers",
      .example = "lutra.random.dirichlet({2}, {1.0})  --> {{1.0}, {1.0}}",
      .compute = Compute::Float,
      .shape = dirichlet_shape,
      .compose = compose_dirichlet,
      .flags = kNoMethod | kNoSlope,
  });
  define_scaled(ops,
                {
                    .name = "RandomExponential",
                    .lua_name = "random.exponential",
                    .summary = "Random numbers of the exponential distribution, whose mean is scale.",
                    .source = "numpy.random.exponential; inversion",
                    .example = "lutra.random.exponential({2}, {seed = 1})  --> {2.2096, 2.2508}",
                    .compose = compose_exponential,
                },
                false);
  define_scaled(
      ops,
      {
          .name = "RandomLaplace",
          .lua_name = "random.laplace",
          .summary = "Random numbers of Laplace's distribution with the density e^(-|x - loc| / scale), up to "
                     "a factor.",
          .source = "numpy.random.laplace; inversion",
          .example = "lutra.random.laplace({2}, {seed = 1})  --> {1.5165, 1.5576}",
          .compose = compose_laplace,
      },
      true);
  define_scaled(ops,
                {
                    .name = "RandomCauchy",
                    .lua_name = "random.cauchy",
                    .summary = "Random numbers of Cauchy's distribution with the density 1 / (1 + ((x - loc) / "
                               "scale)^2), up to a factor.",
                    .source = "torch.Tensor.cauchy_; inversion",
                    .example = "lutra.random.cauchy({2}, {seed = 1})  --> {2.7847, 2.9113}",
                    .compose = compose_cauchy,
                },
                true);
}

}  // namespace lutra
