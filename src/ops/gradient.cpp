#include "ops/gradient.h"

#include "ops/create.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace lutra {
// Numbers among themselves need no op.
Value operator+(const Value& a, const Value& b) { return Value::apply("AddV2", a, b, a.number_ + b.number_); }
Value operator-(const Value& a, const Value& b) { return Value::apply("Sub", a, b, a.number_ - b.number_); }
Value operator*(const Value& a, const Value& b) { return Value::apply("Mul", a, b, a.number_ * b.number_); }
Value operator/(const Value& a, const Value& b) { return Value::apply("RealDiv", a, b, a.number_ / b.number_); }
Value operator-(const Value& a) { return a.is_number() ? Value(-a.number_) : a.builder_->call("Neg", {a}); }

Value Value::apply(const char* op, const Value& a, const Value& b, double number) {
  if (a.is_number() && b.is_number()) return number;
  return (a.is_number() ? b : a).builder_->call(op, {a, b});
}

Value Builder::cast(Value value, DType to) { return dtype(value) == to ? value : call("Cast", {value}, CastAttrs{to}); }

Value Builder::reshape(Value value, const Shape& to) {
  if (shape(value) == to) return value;
  return call("Reshape", {value}, ReshapeAttrs{Dims::of(to)});
}

Value Builder::as_matrix(Value batch) {
  const Shape from = shape(batch);
  int64_t rows = 1;  // the product of the axes, as a row may have no elements
  for (int axis = 0; axis < from.rank() - 1; ++axis) rows *= from[axis];
  return reshape(batch, Shape{rows, from[from.rank() - 1]});
}

Value Builder::as_column(Value value) {
  Shape to = shape(value);
  to.push(1);
  return reshape(value, to);
}

Value Builder::sum(Value value, uint32_t axes, bool keepdims) {
  if (axes == 0) return value;
  ReduceAttrs attrs;
  attrs.axis.count = 0;
  attrs.axis.is_list = true;
  attrs.keepdims = keepdims;
  for (int i = 0; i < kMaxRank; ++i) {
    if ((axes >> i & 1u) != 0) attrs.axis.v[attrs.axis.count++] = i;
  }
  return call("Sum", {value}, attrs);
}

Value Builder::sum_leading(Value value, int kept) {
  int rank = shape(value).rank();
  return rank <= kept ? value : sum(value, (1u << (rank - kept)) - 1u);
}

Value Builder::broadcast_to(Value value, const Shape& to) {
  if (shape(value) == to) return value;
  return call("BroadcastTo", {value}, ReshapeAttrs{Dims::of(to)});
}

Value Builder::transpose(Value value) {
  int rank = shape(value).rank();
  TransposeAttrs attrs;
  attrs.perm.count = static_cast<int8_t>(rank);
  attrs.perm.is_list = true;
  for (int i = 0; i < rank; ++i) attrs.perm.v[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return call("Transpose", {value}, attrs);
}

Value Builder::fill(const Shape& to, double number, DType dtype) {
  return call("Fill", {number}, FillAttrs{Dims::of(to), dtype});
}

Value Builder::numbers_below(int64_t n) {
  RangeAttrs attrs;
  attrs.limit.value = Scalar::of(n);
  attrs.dtype = DType::Int64;
  return call("Range", {}, attrs);
}

Value conj(Builder& builder, Value value) {
  return value.is_number() || !is_complex(builder.dtype(value)) ? value : builder.call("Conj", {value});
}

void gradient_is_zero(Gradient& g) {
  for (int i = 0; i < g.inputs(); ++i) {
    if (g.needs(i)) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
  }
}

void gradient_passes(Gradient& g) { g.add(0, g.reshape(g.dy(), g.shape_of(0))); }

}  // namespace lutra
