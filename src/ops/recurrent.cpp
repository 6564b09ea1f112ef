// A step of recurrent layers after its two products: gates and new states, from the products of the input and of the
// previous state. The activated gates are a result too, since the gradient needs only these.

#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/shape.h"
#include "ops/slice.h"

namespace lutra {
namespace {

// Throws unless the input has the state's shape, but a last axis `gates` times as long.
void require_gates(const Inference& inference, int input, int state, int64_t gates) {
  const auto& inputs = inference.call().op->inputs;
  auto name = [&](int i) { return inputs[static_cast<std::size_t>(i)].name; };
  Shape given = inference.shape(input), of = inference.shape(state), wanted = of;
  require(of.rank() > 0, inference.who(), ": ", name(state), " is a scalar, expected rows of numbers");
  require(!__builtin_mul_overflow(of[of.rank() - 1], gates, &wanted[of.rank() - 1]) && given == wanted, inference.who(),
          ": ", name(input), " has the shape ", given, ", and ", name(state), " ", of, ": expected ", wanted,
          ", which is ", gates, " numbers for each of them");
}

void lstm_shape(Inference& inference) {
  require_gates(inference, 0, 2, 4);
  require_gates(inference, 1, 2, 4);
  inference.output(inference.key(), inference.shape(2));
  inference.output(inference.key(), inference.shape(2));
  inference.output(inference.key(), inference.shape(0));
}

void gru_shape(Inference& inference) {
  require_gates(inference, 0, 2, 3);
  require_gates(inference, 1, 2, 3);
  inference.output(inference.key(), inference.shape(2));
  inference.output(inference.key(), inference.shape(0));
}

// From the gates, the previous and the new cell, and the gradients of both new states: the gradients of the gates' sums
// and of the previous cell.
void lstm_grad_shape(Inference& inference) {
  inference.output(inference.key(), inference.shape(0));
  inference.output(inference.key(), inference.shape(1));
}

void gru_grad_shape(Inference& inference) {
  inference.output(inference.key(), inference.shape(0));
  inference.output(inference.key(), inference.shape(0));
  inference.output(inference.key(), inference.shape(2));
}

// ---- helpers for the rules: `count` gates are concatenated along the last axis

Value gate(Gradient& g, Value gates, int64_t count, int64_t which) {
  const Shape shape = g.shape(gates);
  const int last = shape.rank() - 1;
  const int64_t n = shape[last] / count;
  return g.call("StridedSlice", {gates}, range_along(last, which * n, (which + 1) * n - 1));
}

Value side_by_side(Gradient& g, std::initializer_list<Value> gates) {
  return g.call("ConcatV2", gates, AxisAttrs{single(-1)});
}

// The derivatives of the logistic function and of tanh, from their values.
Value slope(Value y) { return y * (1.0 - y); }
Value tanh_slope(Value y) { return 1.0 - y * y; }

void lstm_gradient(Gradient& g) {
  Value out[2];
  g.call_all("LstmCellGrad", {g.y(2), g.cast(g.x(2), g.key()), g.y(1), g.dy(0), g.dy(1)}, out);
  if (g.has_dy(2)) {
    Value gates = g.y(2), i = gate(g, gates, 4, 0), f = gate(g, gates, 4, 1), c = gate(g, gates, 4, 2),
          o = gate(g, gates, 4, 3);
    out[0] = out[0] + g.dy(2) * side_by_side(g, {slope(i), slope(f), tanh_slope(c), slope(o)});
  }
  g.add(0, out[0]);
  g.add(1, out[0]);
  g.add(2, out[1]);
}

// With t = tanh(next) and s = dnext + dh o (1 - t^2), what reaches the new cell, the op is
// (s c' i (1 - i), s cell f (1 - f), s i (1 - c'^2), dh t o (1 - o)) and s f, c' being the candidate.
void lstm_grad_gradient(Gradient& g) {
  Value gates = g.x(0), cell = g.x(1), dh = g.x(3), v = g.dy(0), v_cell = g.dy(1);
  Value i = gate(g, gates, 4, 0), f = gate(g, gates, 4, 1), c = gate(g, gates, 4, 2), o = gate(g, gates, 4, 3);
  Value vi = gate(g, v, 4, 0), vf = gate(g, v, 4, 1), vc = gate(g, v, 4, 2), vo = gate(g, v, 4, 3);
  Value t = g.call("Tanh", {g.x(2)}), s = g.x(4) + dh * o * tanh_slope(t);
  Value by_s = vi * c * slope(i) + vf * cell * slope(f) + vc * i * tanh_slope(c) + v_cell * f;
  if (g.needs(0)) {
    g.add(0, side_by_side(
                 g, {s * (vi * c * (1.0 - 2.0 * i) + vc * tanh_slope(c)), s * (vf * cell * (1.0 - 2.0 * f) + v_cell),
                     s * (vi * slope(i) - 2.0 * vc * i * c), dh * (by_s * tanh_slope(t) + vo * t * (1.0 - 2.0 * o))}));
  }
  if (g.needs(1)) g.add(1, vf * s * slope(f));
  if (g.needs(2)) g.add(2, dh * (vo * slope(o) - 2.0 * by_s * o * t) * tanh_slope(t));
  if (g.needs(3)) g.add(3, by_s * o * tanh_slope(t) + vo * t * slope(o));
  if (g.needs(4)) g.add(4, by_s);
}

// What the gates' own gradients add to those of their sums: of x, and of `recurrent`, whose last part goes through the
// reset gate.
struct GatesShare {
  Value x, recurrent;
};
GatesShare gru_gates_share(Gradient& g) {
  Value gates = g.y(1), dy = g.dy(1), z = gate(g, gates, 3, 0), r = gate(g, gates, 3, 1), c = gate(g, gates, 3, 2);
  Value inner = gate(g, g.x_in_key(1), 3, 2);
  Value dz = gate(g, dy, 3, 0) * slope(z), dc = gate(g, dy, 3, 2) * tanh_slope(c);
  Value dr = (gate(g, dy, 3, 1) + dc * inner) * slope(r);
  return {side_by_side(g, {dz, dr, dc}), side_by_side(g, {dz, dr, dc * r})};
}

void gru_gradient(Gradient& g) {
  Value out[3];
  g.call_all("GruCellGrad", {g.y(1), g.x_in_key(1), g.x_in_key(2), g.dy(0)}, out);
  if (g.has_dy(1)) {
    GatesShare share = gru_gates_share(g);
    out[0] = out[0] + share.x;
    out[1] = out[1] + share.recurrent;
  }
  for (int i = 0; i < 3; ++i) g.add(i, out[i]);
}

// With s = dy (1 - z) (1 - c^2), what reaches the candidate's sum, and q the last part of `recurrent`, the op is
// (dy (h - c) z (1 - z), s q r (1 - r), s), the same with s r last, and dy z.
void gru_grad_gradient(Gradient& g) {
  Value gates = g.x(0), h = g.x(2), dy = g.x(3), q = gate(g, g.x(1), 3, 2), v = g.dy(0), u = g.dy(1), w = g.dy(2);
  Value z = gate(g, gates, 3, 0), r = gate(g, gates, 3, 1), c = gate(g, gates, 3, 2);
  Value vz = gate(g, v, 3, 0) + gate(g, u, 3, 0), vr = gate(g, v, 3, 1) + gate(g, u, 3, 1), vs = gate(g, u, 3, 2);
  Value s = dy * (1.0 - z) * tanh_slope(c), by_s = gate(g, v, 3, 2) + vs * r + vr * q * slope(r);
  if (g.needs(0)) {
    g.add(0,
          side_by_side(g, {dy * (vz * (h - c) * (1.0 - 2.0 * z) - by_s * tanh_slope(c) + w),
                           s * (vs + vr * q * (1.0 - 2.0 * r)), -dy * (vz * slope(z) + 2.0 * by_s * (1.0 - z) * c)}));
  }
  if (g.needs(1)) {
    Value zeros = g.fill(g.shape(h), 0, g.key());
    g.add(1, side_by_side(g, {zeros, zeros, vr * s * slope(r)}));
  }
  if (g.needs(2)) g.add(2, vz * dy * slope(z));
  if (g.needs(3)) g.add(3, vz * (h - c) * slope(z) + by_s * (1.0 - z) * tanh_slope(c) + w * z);
}

}  // namespace

void define_recurrent_ops(OpRegistry& ops) {
  ops.define({
      .name = "LstmCell",
      .lua_name = "lstm_cell",
      .summary =
          "An LSTM step after its matrix products. x + recurrent has input gate, forget gate, candidate and output "
          "gate, "
          "in this order along the last axis. Gates go through the logistic function, the candidate through tanh; new "
          "cell = forget * c + input * candidate, new state = output * tanh(new cell).",
      .inputs = {{"x", kNumbers, "[..., 4 n]: the product of the input, plus the bias"},
                 {"recurrent", kNumbers, "[..., 4 n]: the product of the previous state"},
                 {"c", kNumbers, "[..., n]: the previous cell"}},
      .output = "the new state and the new cell, of c's shape, and the activated gates, of x's shape; float32 for "
                "integers, else the promoted dtype",
      .errors = "InvalidArgument if c is a scalar, if x or recurrent has not c's shape with a last axis four times as "
                "long, or if all inputs are bool.",
      .source =
          "Hochreiter and Schmidhuber, 1997; Gers et al., 2000; torch.nn.LSTMCell, whose candidate comes third too",
      .example =
          "lutra.lstm_cell({0.0, 9.0, 1.0, 0.0}, {0.0, 91.0, 1.0, 0.0}, {1.0})  --> {0.4509}, {1.482}, {0.5, 1.0, "
          "0.964, 0.5}",
      .outputs = 3,
      .compute = Compute::Float,
      .shape = lstm_shape,
      .gradient = lstm_gradient,
      .saves = kX2 | kY1 | kY2,
      .cost = elements_cost<10>,
      .gpu = kFloats,
  });
  ops.define({
      .name = "LstmCellGrad",
      .summary = "The gradients of an LSTM step by its sums and the previous cell.",
      .inputs = {{"gates", kFloats, "[..., 4 n]"},
                 {"c", kFloats, "[..., n]"},
                 {"next", kFloats, "[..., n]"},
                 {"dh", kFloats, "[..., n]"},
                 {"dnext", kFloats, "[..., n]"}},
      .output = "gates' shape and c's; their dtype",
      .outputs = 2,
      .shape = lstm_grad_shape,
      .gradient = lstm_grad_gradient,
      .saves = kAllX,
      .cost = elements_cost<10>,
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "GruCell",
      .lua_name = "gru_cell",
      .summary =
          "A GRU step after its matrix products, with the reset gate applied after the recurrent product. x and "
          "recurrent have update gate, reset gate and candidate, in this order along the last axis: z and r are the "
          "logistic functions of the sums of the first two, candidate = tanh(x's + r * recurrent's), new state = "
          "candidate + z * (h - candidate).",
      .inputs = {{"x", kNumbers, "[..., 3 n]: the product of the input, plus its bias"},
                 {"recurrent", kNumbers, "[..., 3 n]: the product of the previous state, plus its bias"},
                 {"h", kNumbers, "[..., n]: the previous state"}},
      .output = "the new state, of h's shape, and the activated gates, of x's shape; float32 for integers, else the "
                "promoted dtype",
      .errors = "InvalidArgument if h is a scalar, if x or recurrent has not h's shape with a last axis three times as "
                "long, or if all inputs are bool.",
      .source = "Cho et al., EMNLP 2014; keras.layers.GRU with reset_after",
      .example = "lutra.gru_cell({0.0, 9.0, 1.0}, {0.0, 91.0, 1.0}, {0.0})  --> {0.482}, {0.5, 1.0, 0.964}",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = gru_shape,
      .gradient = gru_gradient,
      .saves = kX1 | kX2 | kY1,
      .cost = elements_cost<10>,
      .gpu = kFloats,
  });
  ops.define({
      .name = "GruCellGrad",
      .summary = "The gradients of a GRU step by x, recurrent and h.",
      .inputs = {{"gates", kFloats, "[..., 3 n]"},
                 {"recurrent", kFloats, "[..., 3 n]"},
                 {"h", kFloats, "[..., n]"},
                 {"dy", kFloats, "[..., n]"}},
      .output = "gates' shape twice and h's; their dtype",
      .outputs = 3,
      .shape = gru_grad_shape,
      .gradient = gru_grad_gradient,
      .saves = kAllX,
      .cost = elements_cost<8>,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace lutra
