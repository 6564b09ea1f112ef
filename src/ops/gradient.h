// The interface for gradient rules. A rule runs once per recorded op: it reads the op's inputs, outputs and the
// gradients of its outputs, computes the gradients of its inputs by calling ops, and adds them:
//   .gradient = [](Gradient& g) { g.add(0, g.dy() * g.y()); }, .saves = kY0      // exp
#pragma once

#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "ops/inference.h"

namespace lutra {

class Builder;
struct SliceAttrs;

// A tensor or a number in a rule. Arithmetic calls the ops AddV2, Sub, Mul, RealDiv and Neg.
class Value {
 public:
  Value() = default;
  Value(double number) : number_(number) {}  // NOLINT: rules read g.dy() * 2.0
  bool is_number() const { return builder_ == nullptr; }
  double number() const { return number_; }

 private:
  friend class Builder;
  Value(Builder* builder, int id) : builder_(builder), id_(id) {}
  static Value apply(const char* op, const Value& a, const Value& b, double number);
  Builder* builder_ = nullptr;
  int id_ = -1;
  double number_ = 0;

  friend Value operator+(const Value& a, const Value& b);
  friend Value operator-(const Value& a, const Value& b);
  friend Value operator*(const Value& a, const Value& b);
  friend Value operator/(const Value& a, const Value& b);
  friend Value operator-(const Value& a);
};

// The axis alone, for the attributes of ops that rules call.
inline Axes single(int64_t axis) {
  Axes axes;
  axes.count = 1;
  axes.v[0] = axis;
  return axes;
}

// Calls ops by name. Eager execution implements it; a recorder of graphs could, too.
class Builder {
 public:
  // Returns output 0 of the op.
  Value call(const char* op, std::initializer_list<Value> in) { return one(op, {in.begin(), in.size()}, nullptr, 0); }
  template <class A> Value call(const char* op, std::initializer_list<Value> in, const A& attrs) {
    return call(op, std::span<const Value>(in.begin(), in.size()), attrs);
  }
  template <class A> Value call(const char* op, std::span<const Value> in, const A& attrs) {
    static_assert(std::is_trivially_copyable_v<A> && sizeof(A) <= kMaxAttrBytes);
    return one(op, in, &attrs, sizeof attrs);
  }
  // Returns the op's first outputs, as many as `out` holds.
  void call_all(const char* op, std::initializer_list<Value> in, std::span<Value> out) {
    run(op, {in.begin(), in.size()}, nullptr, 0, out);
  }
  void call_all(const char* op, std::span<const Value> in, std::span<Value> out) { run(op, in, nullptr, 0, out); }
  virtual Shape shape(Value value) const = 0;
  virtual DType dtype(Value value) const = 0;

  Value cast(Value value, DType dtype);
  Value reshape(Value value, const Shape& shape);
  Value as_matrix(Value batch);                                  // all axes but the last become one, the rows
  Value as_column(Value value);                                  // with another last axis, of size 1
  Value sum(Value value, uint32_t axes, bool keepdims = false);  // one bit per axis
  Value sum_leading(Value value, int kept);                      // over all but the last `kept` axes
  Value broadcast_to(Value value, const Shape& shape);
  Value transpose(Value value);  // swaps the last two axes
  Value fill(const Shape& shape, double number, DType dtype);
  Value numbers_below(int64_t n);  // 0, 1, ..., n - 1: int64 [n]

 protected:
  virtual ~Builder() = default;
  virtual void run(const char* op, std::span<const Value> in, const void* attrs, std::size_t attr_bytes,
                   std::span<Value> out) = 0;
  Value value(int id) { return Value(this, id); }
  static int id_of(const Value& value) { return value.id_; }

 private:
  Value one(const char* op, std::span<const Value> in, const void* attrs, std::size_t attr_bytes) {
    Value out;
    run(op, in, attrs, attr_bytes, {&out, 1});
    return out;
  }
};

// The recorded op whose gradient is computed.
class Gradient : public Builder {
 public:
  virtual const OpDef& op() const = 0;
  virtual int inputs() const = 0;
  virtual DType key() const = 0;  // the dtype the op was computed in
  // Input i and output i as they were when the op ran; only those that the entry's `.saves` names.
  virtual Value x(int i = 0) = 0;
  virtual Value y(int i = 0) = 0;
  // The gradient of output i, of its shape and dtype; zeros when nothing depends on it.
  virtual Value dy(int i = 0) = 0;
  virtual bool has_dy(int i) const = 0;
  // Known for all inputs and outputs, saved or not.
  virtual Shape shape_of(int input) const = 0;
  virtual DType dtype_of(int input) const = 0;
  virtual Shape output_shape(int i = 0) const = 0;
  // Whether the gradient of the input is needed.
  virtual bool needs(int input) const = 0;
  // Whether a graph or a plan records the ops, which must then be right for inputs of other values, too.
  virtual bool is_recorded() const = 0;
  // Adds to the gradient of the input; does nothing if that is not needed. A value in a shape that the input was
  // broadcast to is summed to the input's shape; one of another float dtype is cast.
  virtual void add(int input, Value gradient) = 0;
  // The same for a slice of the input; `gradient` has the slice's shape. Many slices are added in place in one tensor.
  virtual void add_part(int input, const SliceAttrs& part, Value gradient) = 0;
  // Adds a^T b to the gradient of the input, a matrix of weights: `a` has the rows that were multiplied with it, `b`
  // the gradients of the results. If weights are used several times with few rows each, all rows are gathered for one
  // product.
  virtual void add_product(int input, Value a, Value b) = 0;
  // rows b^T, where b is the input, a matrix of weights, in the dtype of `rows`: the gradient of the rows that were
  // multiplied with b.
  virtual Value times_transposed(Value rows, int input) = 0;
  template <class A> const A& attrs() const { return *static_cast<const A*>(raw_attrs()); }
  // Input i as the op computed with it: cast to `key`, unless it is a number.
  Value x_in_key(int i = 0) {
    Value value = x(i);
    return value.is_number() ? value : cast(value, key());
  }

 protected:
  virtual const void* raw_attrs() const = 0;
};

// The complex conjugate, by which rules of complex ops multiply (docs/complex.md); a real value itself.
Value conj(Builder& builder, Value value);

// Rules that many ops share.
void gradient_is_zero(Gradient& gradient);  // for step functions
void gradient_passes(Gradient& gradient);   // input 0's gradient is the output's, in input 0's shape

}  // namespace lutra
