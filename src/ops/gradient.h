// What an op's gradient rule is written with. A rule is run once for a recorded op: it reads the op's inputs, outputs
// and the gradients of its outputs, and adds the gradients of its inputs, by calling ops:
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

// A tensor inside a rule, or a number. Arithmetic calls the ops AddV2, Sub, Mul, RealDiv and Neg.
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

// Calls ops by their names. Eager execution implements it; so can whoever records a graph.
class Builder {
 public:
  // Output 0 of the op.
  Value call(const char* op, std::initializer_list<Value> in) { return one(op, {in.begin(), in.size()}, nullptr, 0); }
  template <class A> Value call(const char* op, std::initializer_list<Value> in, const A& attrs) {
    return call(op, std::span<const Value>(in.begin(), in.size()), attrs);
  }
  template <class A> Value call(const char* op, std::span<const Value> in, const A& attrs) {
    static_assert(std::is_trivially_copyable_v<A> && sizeof(A) <= kMaxAttrBytes);
    return one(op, in, &attrs, sizeof attrs);
  }
  // As many of its outputs as there are in `out`.
  void call_all(const char* op, std::initializer_list<Value> in, std::span<Value> out) {
    run(op, {in.begin(), in.size()}, nullptr, 0, out);
  }
  virtual Shape shape(Value value) const = 0;
  virtual DType dtype(Value value) const = 0;

  Value cast(Value value, DType dtype);
  Value reshape(Value value, const Shape& shape);
  Value sum(Value value, uint32_t axes, bool keepdims = false);  // a bit an axis
  Value sum_leading(Value value, int kept);                      // over all but the last `kept` axes
  Value broadcast_to(Value value, const Shape& shape);
  Value transpose(Value value);  // swaps the last two axes
  Value fill(const Shape& shape, double number, DType dtype);

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

// The recorded op whose gradient is asked.
class Gradient : public Builder {
 public:
  virtual const OpDef& op() const = 0;
  virtual int inputs() const = 0;
  virtual DType key() const = 0;  // the dtype the op was computed in
  // Input i and output i as they were; only those that the entry's `.saves` names.
  virtual Value x(int i = 0) = 0;
  virtual Value y(int i = 0) = 0;
  // The gradient of output i, of its shape and dtype; zeros when nothing depends on it.
  virtual Value dy(int i = 0) = 0;
  virtual bool has_dy(int i) const = 0;
  // Known whatever was saved.
  virtual Shape shape_of(int input) const = 0;
  virtual DType dtype_of(int input) const = 0;
  virtual Shape output_shape(int i = 0) const = 0;
  // Whether the gradient of input i is wanted at all.
  virtual bool needs(int input) const = 0;
  // Adds to the gradient of input i. A value of a shape that the input was broadcast to is summed back, one of another
  // float dtype is cast; an input that is not needed is no matter.
  virtual void add(int input, Value gradient) = 0;
  // The same for a part of input i, of the part's shape: many parts are added up in one tensor that is written in
  // place.
  virtual void add_part(int input, const SliceAttrs& part, Value gradient) = 0;
  // Adds a^T b to the gradient of input i, a matrix: what the rows of `a` and their gradients, those of `b`, make of
  // weights. Where weights are used several times with few rows each, the rows are gathered for one product.
  virtual void add_product(int input, Value a, Value b) = 0;
  // rows b^T for input i, a matrix b in the dtype of `rows`: what reaches the rows that weights were multiplied with.
  virtual Value times_transposed(Value rows, int input) = 0;
  template <class A> const A& attrs() const { return *static_cast<const A*>(raw_attrs()); }
  // Input i as it went into the computation: in `key`, where it is no number.
  Value x_in_key(int i = 0) {
    Value value = x(i);
    return value.is_number() ? value : cast(value, key());
  }

 protected:
  virtual const void* raw_attrs() const = 0;
};

// Rules that many ops share.
void gradient_is_zero(Gradient& gradient);  // step functions
void gradient_passes(Gradient& gradient);   // input 0's is the output's, in input 0's shape

}  // namespace lutra
