// The interface of ops that other ops compute. Such an entry has `compose` instead of a kernel: a function that runs
// once per call, calls ops on the inputs and gives the results:
//   .compose = [](Composition& c) { c.give(c.x() / c.call("Sqrt", {c.x() * c.x() + 1.0})); }
#pragma once

#include <limits>

#include "ops/gradient.h"

namespace lutra {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Composition : public Builder {
 public:
  virtual const OpDef& op() const = 0;
  virtual int inputs() const = 0;
  virtual DType key() const = 0;  // the dtype the op is computed in
  // Input i, cast to `key` unless it is kOwnDType. A Lua number is a scalar on the CPU.
  virtual Value x(int i = 0) = 0;
  // Of output i, as the shape function declared it.
  virtual Shape output_shape(int i = 0) const = 0;
  virtual DType output_dtype(int i = 0) const = 0;
  // Whether the ops run on a CPU.
  virtual bool on_host() const = 0;
  // Sets output i, cast and broadcast to the declared dtype and shape. Each output is set once.
  virtual void give(int i, Value value) = 0;
  void give(Value value) { give(0, value); }
  template <class A> const A& attrs() const { return *static_cast<const A*>(raw_attrs()); }

 protected:
  virtual const void* raw_attrs() const = 0;
};

}  // namespace lutra
