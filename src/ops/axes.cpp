#include "ops/axes.h"

#include "ops/inference.h"

namespace lutra {

void require_one(const Inference& inference, const Axes& axes) {
  require(!axes.given() || axes.count == 1, inference.who(), ": axis is a list of ", axes.count, ", expected one axis");
}

int one_axis(const Inference& inference, const Axes& axes, int64_t otherwise) {
  require_one(inference, axes);
  return inference.axis(axes.given() ? axes.v[0] : otherwise, inference.shape(0).rank());
}

int one_axis(const Inference& inference, const Axes& axes, int rank, const char* owner, int64_t otherwise) {
  require_one(inference, axes);
  int64_t asked = axes.given() ? axes.v[0] : otherwise;
  int64_t axis = asked < 0 ? asked + rank : asked;
  require(axis >= 0 && axis < rank, inference.who(), ": axis ", inference.shown(asked), " is not there: ", owner,
          " has ", rank, rank == 1 ? " axis" : " axes");
  return static_cast<int>(axis);
}

Shape running_shape(const Inference& inference, const Axes& axes) {
  require_one(inference, axes);
  Shape x = inference.shape(0);
  inference.axes(axes, x.rank());
  return axes.given() || x.rank() == 0 ? x : Shape{x.size()};
}

}  // namespace lutra
