#include "ops/inference.h"

namespace lutra {

DType Inference::dtype(int input) const {
  const Operand& operand = call_.in[input];
  return operand.tensor != nullptr ? operand.tensor->dtype : literal_dtype(operand.number);
}

void Inference::output_like(DType dtype, int input) {
  OutputMeta& meta = out_[count_++];
  meta.dtype = dtype;
  const TensorRep* tensor = call_.in[input].tensor;
  if (tensor != nullptr) {
    meta.shape.assign(tensor->dims, tensor->rank);
    meta.size = tensor->size;
  } else {
    meta.shape = Shape();
    meta.size = 1;
  }
}

int Inference::axis(int64_t axis, int rank, const char* option) const {
  int64_t from_start = axis < 0 ? axis + rank : axis;
  require(from_start >= 0 && from_start < rank, who(), ": ", option, " ", shown(axis),
          " is not there: ", call_.op->inputs.empty() ? "the tensor" : call_.op->inputs[0].name, " ",
          call_.n_in > 0 ? shape(0) : Shape(), " has ", rank, rank == 1 ? " axis" : " axes");
  return static_cast<int>(from_start);
}

uint32_t Inference::axes(const Axes& axes, int rank) const {
  if (!axes.given()) return (1u << rank) - 1u;
  uint32_t mask = 0;
  for (int i = 0; i < axes.count; ++i) {
    uint32_t bit = 1u << axis(axes.v[i], rank);
    require((mask & bit) == 0, who(), ": axis ", shown(axes.v[i]), " is given twice");
    mask |= bit;
  }
  return mask;
}

void require_vectors(const Inference& inference, int first, int last) {
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no last axis");
  int64_t size = x[x.rank() - 1];
  for (int i = first; i <= last; ++i) {
    require(inference.shape(i) == Shape{size}, inference.who(), ": ", inference.call().op->input(i).name, " ",
            inference.shape(i), " does not fit x ", x, ": expected ", Shape{size}, ", as long as x's last axis");
  }
}

void same_as_first(Inference& inference) { inference.output_like(inference.key(), 0); }

Shape broadcast_shape(const Inference& inference) {
  Shape shape = inference.shape(0);
  for (int i = 1; i < inference.inputs(); ++i) {
    Shape other = inference.shape(i);
    if (other == shape) continue;
    if (!broadcast(shape, other, &shape)) {
      const auto& defs = inference.call().op->inputs;
      fail(ErrorCode::InvalidArgument, inference.who(), ": ", defs[0].name, " ", inference.shape(0), " and ",
           defs[static_cast<std::size_t>(i)].name, " ", other,
           " do not broadcast: sizes of an axis must be equal or 1");
    }
  }
  return shape;
}

namespace {

bool same_dims(const TensorRep& a, const TensorRep& b) {
  if (a.rank != b.rank) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.dims[axis] != b.dims[axis]) return false;
  }
  return true;
}

void broadcast_to(Inference& inference, DType dtype) {
  const Operand* in = inference.call().in;
  if (inference.inputs() == 2 && in[0].tensor != nullptr &&
      (in[1].tensor == nullptr || same_dims(*in[0].tensor, *in[1].tensor))) {
    inference.output_like(dtype, 0);
  } else {
    inference.output(dtype, broadcast_shape(inference));
  }
}

}  // namespace

void broadcast_all(Inference& inference) { broadcast_to(inference, inference.key()); }
void broadcast_to_bool(Inference& inference) { broadcast_to(inference, DType::Bool); }

}  // namespace lutra
