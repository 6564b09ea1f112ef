// Complex tensors from their parts, and their parts. Arithmetic is that of the other families' ops.

#include "ops/elementwise.h"
#include "ops/gradient.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void complex_shape(Inference& inference) {
  inference.output(complex_dtype(inference.key()), broadcast_shape(inference));
}

void complex_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("Real", {g.dy()}));
  if (g.needs(1)) g.add(1, g.call("Imag", {g.dy()}));
}

void part_shape(Inference& inference) { inference.output_like(real_dtype(inference.key()), 0); }

void imag_gradient(Gradient& g) {
  if (is_complex(g.key())) g.add(0, g.call("Complex", {0.0, g.dy()}));
  else gradient_is_zero(g);
}

// At right angles to x: dy i x / |x|^2, and 0 at 0.
void angle_gradient(Gradient& g) {
  if (!is_complex(g.key())) return gradient_is_zero(g);
  Value x = g.x(), size = g.call("Abs", {x});
  Value slope = over_result(g, over_result(g, g.dy(), size), size);
  g.add(0, g.call("Complex", {-(slope * g.call("Imag", {x})), slope * g.call("Real", {x})}));
}

struct PartEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* output;
  const char* source;
  const char* example;
  void (*shape)(Inference&);
  void (*gradient)(Gradient&);
  uint16_t saves = 0;
  Compute compute = Compute::Same;
};

constexpr const char* kPart = "x's shape; float32 of complex64, float64 of complex128, else x's dtype";

}  // namespace

void define_complex_ops(OpRegistry& ops) {
  ops.define({
      .name = "Complex",
      .lua_name = "complex",
      .summary = "A complex tensor of its real and its imaginary parts. lutra.complex(0, 1) is the imaginary unit.",
      .inputs = {{"real", kNumbers, "any shape", kNumber | kByElement},
                 {"imag", kNumbers, "broadcasts with the other", kNumber | kByElement}},
      .output = "the broadcast shape of both; complex128 if either is float64, else complex64",
      .errors = "InvalidArgument if the shapes do not broadcast, or if both are bool.",
      .source = "tf.complex, torch.complex",
      .example = "lutra.complex({1, 2}, {0.5, -1})  --> {{1.0, 0.5}, {2.0, -1.0}}",
      .compute = Compute::Float,
      .shape = complex_shape,
      .gradient = complex_gradient,
  });
  const PartEntry parts[] = {
      {"Real", "real", "The real part; of a real tensor, its own values.", kPart, "numpy.real, tf.math.real",
       "lutra.real(lutra.complex({1, 2}, 3))  --> {1.0, 2.0}", part_shape, [](Gradient& g) { g.add(0, g.dy()); }},
      {"Imag", "imag", "The imaginary part; of a real tensor, zeros.", kPart, "numpy.imag, tf.math.imag",
       "lutra.imag(lutra.complex({1, 2}, 3))  --> {3.0, 3.0}", part_shape, imag_gradient},
      {"Conj", "conj", "The complex conjugate; of a real tensor, its own values.", "x's shape and dtype",
       "numpy.conj, tf.math.conj", "lutra.conj(lutra.complex(1, 2))  --> {1.0, -2.0}", same_as_first,
       [](Gradient& g) { g.add(0, conj(g, g.dy())); }},
      {"Angle", "angle",
       "The angle to the positive real axis, in radians from -pi to pi; of a real tensor, 0 or, below 0, pi.",
       "x's shape; float32 of complex64 and of integers, float64 of complex128, else x's dtype",
       "numpy.angle, tf.math.angle", "lutra.angle(lutra.complex({1, 0}, {0, 2}))  --> {0.0, 1.5707964}", part_shape,
       angle_gradient, kX0, Compute::Float},
  };
  for (const PartEntry& part : parts) {
    ops.define({
        .name = part.name,
        .lua_name = part.lua_name,
        .summary = part.summary,
        .inputs = {{"x", kEveryNumber, "any shape", kNumber | kByElement}},
        .output = part.output,
        .errors = "InvalidArgument if x is bool.",
        .source = part.source,
        .example = part.example,
        .compute = part.compute,
        .shape = part.shape,
        .gradient = part.gradient,
        .saves = part.saves,
    });
  }
}

}  // namespace lutra
