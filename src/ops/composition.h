// What an op is written with that other ops compute. Its entry has `compose` in the place of a kernel, a function that
// is run once for a call, calls ops on the inputs and gives the results:
//   .compose = [](Composition& c) { c.give(c.x() / c.call("Sqrt", {c.x() * c.x() + 1.0})); }
#pragma once

#include "ops/gradient.h"

namespace lutra {

class Composition : public Builder {
 public:
  virtual const OpDef& op() const = 0;
  virtual int inputs() const = 0;
  virtual DType key() const = 0;  // the dtype the op is computed in
  // Input i, cast to `key` unless it is kOwnDType. A Lua number is a scalar on the CPU.
  virtual Value x(int i = 0) = 0;
  // Output i as the shape function said.
  virtual Shape output_shape(int i = 0) const = 0;
  virtual DType output_dtype(int i = 0) const = 0;
  // Output i, cast and broadcast to what the shape function said. Each output is given once.
  virtual void give(int i, Value value) = 0;
  void give(Value value) { give(0, value); }
  template <class A> const A& attrs() const { return *static_cast<const A*>(raw_attrs()); }

 protected:
  virtual const void* raw_attrs() const = 0;
};

}  // namespace lutra
