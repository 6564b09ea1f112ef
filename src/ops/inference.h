// What a shape function sees: the inputs' shapes and dtypes, and the attributes. It declares the outputs or throws an
// error. Pure: no data, no allocation.
#pragma once

#include <string>

#include "core/error.h"
#include "ops/op.h"

namespace lutra {

inline constexpr int kMaxOutputs = 4;

struct OutputMeta {
  DType dtype;
  int64_t size;
  Shape shape;
};

class Inference {
 public:
  Inference(const Call& call, DType key, OutputMeta* out) : call_(call), key_(key), out_(out) {}

  const Call& call() const { return call_; }
  const char* who() const { return call_.op->called(); }
  int inputs() const { return call_.n_in; }
  bool has(int input) const { return input < call_.n_in; }
  // The dtype the op is computed in.
  DType key() const { return key_; }
  DType dtype(int input) const;  // the input's own
  Shape shape(int input) const {
    const TensorRep* tensor = call_.in[input].tensor;
    return tensor != nullptr ? tensor->shape() : Shape();
  }
  template <class A> const A& attrs() const { return call_.as<A>(); }

  // Declares the next output. Throws if its size in bytes overflows.
  void output(DType dtype, const Shape& shape) {
    OutputMeta& meta = out_[count_++];
    meta.dtype = dtype;
    meta.shape = shape;
    meta.size = element_count(who(), shape.dims(), static_cast<int64_t>(size_of(dtype)));
  }
  void output_like(DType dtype, int input);
  int outputs() const { return count_; }

  // Output 0 shares input 0's memory, from element `first` on; nothing is copied.
  void share(int64_t first = 0) { shared_from_ = first; }
  int64_t shared_from() const { return shared_from_; }

  // Checks `axis` (0-based, negative from the end) against `rank`. Errors name the option and count as the user does.
  int axis(int64_t axis, int rank, const char* option = "axis") const;
  // One bit per axis; all of them if none was given.
  uint32_t axes(const Axes& axes, int rank) const;
  // An axis as the user counts it.
  int64_t shown(int64_t axis) const { return axis >= 0 ? axis + call_.index_base : axis; }

 private:
  const Call& call_;
  DType key_;
  OutputMeta* out_;
  int count_ = 0;
  int64_t shared_from_ = -1;
};

// Shape functions that several families share.
void same_as_first(Inference& inference);      // one output: the key dtype in the first input's shape
void broadcast_all(Inference& inference);      // one output: the key dtype in the inputs' broadcast shape
void broadcast_to_bool(Inference& inference);  // the same in bool
Shape broadcast_shape(const Inference& inference);
// Throws unless x has a last axis and each of the inputs [first, last] is a vector of its size.
void require_vectors(const Inference& inference, int first, int last);

}  // namespace lutra
