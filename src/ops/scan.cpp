// Running sums and products, and the ops for their gradients.

#include "ops/scan.h"

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void scan_shape(Inference& inference) {
  Shape x = running_shape(inference, inference.attrs<ScanAttrs>().axis);
  inference.output(is_inexact(inference.key()) ? inference.key() : DType::Int64, x);
}

ScanAttrs scan_attrs(const ScanAttrs& like, bool exclusive, bool reverse) {
  ScanAttrs attrs = like;
  attrs.exclusive = exclusive;
  attrs.reverse = reverse;
  return attrs;
}

// The gradient is a running sum in the opposite direction.
void cumsum_gradient(Gradient& g) {
  const ScanAttrs& attrs = g.attrs<ScanAttrs>();
  Value sums = g.call("Cumsum", {g.dy()}, scan_attrs(attrs, attrs.exclusive, !attrs.reverse));
  g.add(0, g.reshape(sums, g.shape_of(0)));
}

// The product before an element, times the weights of the products from it on: correct for zeros, too. The weights do
// not shrink after a zero, and would soon overflow a half.
void cumprod_gradient(Gradient& g) {
  const ScanAttrs& attrs = g.attrs<ScanAttrs>();
  Value x = unhalved(g, g.reshape(g.x(), g.output_shape()));
  Value before = g.call("Cumprod", {x}, scan_attrs(attrs, true, attrs.reverse));
  Value weight =
      g.call("LinearRecurrence", {conj(g, x), unhalved(g, g.dy())}, scan_attrs(attrs, attrs.exclusive, !attrs.reverse));
  g.add(0, g.reshape(conj(g, before) * weight, g.shape_of(0)));
}

void recurrence_gradient(Gradient& g) {
  const ScanAttrs& attrs = g.attrs<ScanAttrs>();
  Value carried = g.call("LinearRecurrence", {conj(g, g.x(0)), g.dy()}, scan_attrs(attrs, true, !attrs.reverse));
  g.add(0, conj(g, g.y()) * carried);
  if (g.needs(1)) g.add(1, attrs.exclusive ? carried : g.dy() + conj(g, g.x(0)) * carried);
}

void prod_others_gradient(Gradient& g) {
  const ScanAttrs& attrs = g.attrs<ScanAttrs>();
  Value x = conj(g, g.x());
  Value before = g.call("Cumprod", {x}, scan_attrs(attrs, true, false));
  Value behind = g.call("Cumprod", {x}, scan_attrs(attrs, true, true));
  Value by_before = g.call("LinearRecurrence", {x, g.dy() * behind}, scan_attrs(attrs, true, true));
  Value by_behind = g.call("LinearRecurrence", {x, g.dy() * before}, scan_attrs(attrs, true, false));
  g.add(0, before * by_before + behind * by_behind);
}

AttrTable scan_options() {
  return attrs<ScanAttrs>(
      {attr("axis", &ScanAttrs::axis, "the axis to accumulate along").positional().otherwise("the flattened tensor"),
       attr("exclusive", &ScanAttrs::exclusive, "leave out the element itself").otherwise("false"),
       attr("reverse", &ScanAttrs::reverse, "from the last element to the first").otherwise("false")});
}

constexpr const char* kScanOutput =
    "x's shape; without an axis (x.size,), or () for a scalar; int64 for integers and bool, else x's dtype";
constexpr const char* kScanErrors = "InvalidArgument for an axis that does not exist or for more than one.";

}  // namespace

void define_scan_ops(OpRegistry& ops) {
  ops.define({
      .name = "Cumsum",
      .lua_name = "cumsum",
      .summary = "Running sums along an axis; without one, over the flattened tensor. Integers wrap.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = scan_options(),
      .output = kScanOutput,
      .errors = kScanErrors,
      .source = "numpy.cumsum; the options exclusive and reverse are tf.cumsum's",
      .example = "lutra.cumsum{1, 2, 3}  --> {1, 3, 6}",
      .shape = scan_shape,
      .gradient = cumsum_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Cumprod",
      .lua_name = "cumprod",
      .summary = "Running products along an axis; without one, over the flattened tensor. Integers wrap.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = scan_options(),
      .output = kScanOutput,
      .errors = kScanErrors,
      .source = "numpy.cumprod; the options exclusive and reverse are tf.math.cumprod's",
      .example = "lutra.cumprod{1, 2, 3}  --> {1, 2, 6}",
      .shape = scan_shape,
      .gradient = cumprod_gradient,
      .saves = kX0,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "LinearRecurrence",
      .summary = "y[i] = b[i] + x[i-1] y[i-1] along an axis, in cumprod's gradient; exclusive: with b[i-1].",
      .inputs = {{"x", kInexact, "any shape"}, {"b", kInexact, "x's shape"}},
      .attrs = scan_options(),
      .output = "x's shape and dtype",
      .shape = same_as_first,
      .gradient = recurrence_gradient,
      .saves = kX0 | kY0,
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "ProdOthers",
      .summary = "For each element the product of all others along an axis, in prod's gradient.",
      .inputs = {{"x", kInexact, "any shape"}},
      .attrs = scan_options(),
      .output = "x's shape and dtype",
      .shape = same_as_first,
      .gradient = prod_others_gradient,
      .saves = kX0,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace lutra
