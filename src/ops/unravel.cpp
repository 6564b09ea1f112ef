// The indices of row-major positions.

#include "ops/unravel.h"

#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void unravel_shape(Inference& inference) {
  const UnravelAttrs& attrs = inference.attrs<UnravelAttrs>();
  Shape shape = attrs.shape.shape(), out = inference.shape(0);
  require(shape.rank() > 0, inference.who(), ": shape has no axes, expected at least one");
  element_count(inference.who(), shape.dims(), 1);
  require(out.rank() < kMaxRank, inference.who(), ": indices ", out, " has ", kMaxRank,
          " axes already, and the result has one more");
  out.push(shape.rank());
  inference.output(DType::Int64, out);
}

}  // namespace

void define_unravel_ops(OpRegistry& ops) {
  ops.define({
      .name = "UnravelIndex",
      .lua_name = "unravel_index",
      .summary =
          "The indices, one per axis, of the elements at row-major positions of a tensor of the given shape, all "
          "counted from 1: as gather_nd takes them and nonzero gives them.",
      .inputs = {{"indices", kInts, "any shape, at most 7 axes", kNumber}},
      .attrs = attrs<UnravelAttrs>({attr("shape", &UnravelAttrs::shape, "sizes of the axes").required(),
                                    attr("index_base", &UnravelAttrs::base, "what the first index is")}),
      .output = "[..., the number of axes]; int64",
      .errors =
          "InvalidArgument for a position 0 or a shape without axes, OutOfRange for a position that is not there.",
      .source = "numpy.unravel_index, torch.unravel_index",
      .example = "lutra.unravel_index({1, 6}, {2, 3})  --> {{1, 1}, {2, 3}}",
      .shape = unravel_shape,
      .fault = [](const char* op, const Fault& fault) { return wrong_number(op, "position", "elements", fault); },
      .flags = kNoMethod,
  });
}

}  // namespace lutra
