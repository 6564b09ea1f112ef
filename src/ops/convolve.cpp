// Convolution and correlation of two sequences.

#include <algorithm>
#include <utility>
#include <vector>

#include "ops/arrange.h"
#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"

namespace lutra {
namespace {

struct ConvolveAttrs {
  Text mode;
};

enum class Kept : uint8_t { Full, Same, Valid };

Kept kept_of(std::string_view mode, Kept otherwise) {
  return mode.empty() ? otherwise : mode == "full" ? Kept::Full : mode == "same" ? Kept::Same : Kept::Valid;
}

int64_t results(Kept kept, int64_t n, int64_t m) {
  const int64_t longer = std::max(n, m), shorter = std::min(n, m);
  return kept == Kept::Full ? n + m - 1 : kept == Kept::Same ? longer : longer - shorter + 1;
}

template <Kept otherwise> void convolve_shape(Inference& inference) {
  Shape a = inference.shape(0), v = inference.shape(1);
  require(a.rank() == 1 && v.rank() == 1 && a[0] > 0 && v[0] > 0, inference.who(), ": a ", a, " and v ", v,
          " do not fit: expected two vectors with at least one element");
  std::string_view mode = inference.attrs<ConvolveAttrs>().mode.view();
  require(mode.empty() || mode == "full" || mode == "same" || mode == "valid", inference.who(), ": mode is \"", mode,
          "\", expected \"full\", \"same\" or \"valid\"");
  inference.output(inference.key(), Shape{results(kept_of(mode, otherwise), a[0], v[0])});
}

Value flipped(Builder& c, Value x) {
  AxisAttrs all;
  return c.call("ReverseV2", {x}, all);
}

// With so many elements in the shorter sequence and so many results, a product of matrices takes less time than a
// convolution.
constexpr int64_t kLeastForProduct = 64;
constexpr int64_t kMostInBlock = 512;

Value padded(Builder& c, Value x, int64_t before, int64_t behind) {
  PadAttrs attrs;
  attrs.paddings.count = 1;
  attrs.paddings.v[0][0] = before;
  attrs.paddings.v[0][1] = behind;
  return c.call("PadV2", {x}, attrs);
}

Value part(Composition& c, Value x, int64_t first, int64_t count) {
  return c.call("StridedSlice", {x}, range_along(0, first, first + count - 1));
}

// The correlation of x with w, where they overlap whole, in blocks of results: each is the product of a row of x, as
// long as a block and w together, and a matrix with w in each column, further down by one each time.
Value correlate_by_product(Composition& c, Value x, Value w) {
  const int64_t m = c.shape(w)[0], count = c.shape(x)[0] - m + 1;
  const int64_t block = std::min({kMostInBlock, m, count}), more = (m - 1 + block - 1) / block;
  const int64_t blocks = (count + block - 1) / block, width = (more + 1) * block;
  x = padded(c, x, 0, (blocks + more) * block - c.shape(x)[0]);
  std::vector<Value> shifted;
  for (int64_t i = 0; i <= more; ++i) {
    shifted.push_back(c.reshape(part(c, x, i * block, blocks * block), Shape{blocks, block}));
  }
  Value rows = c.call("ConcatV2", std::span<const Value>(shifted), AxisAttrs{single(1)});
  // Rows of `width` cut from copies of w that are one longer: each begins one further to the right.
  TileAttrs copies;
  copies.counts.count = 1;
  copies.counts.v[0] = block;
  Value line = c.call("Tile", {padded(c, w, 0, width + 1 - m)}, copies);
  Value columns = c.reshape(part(c, line, 0, block * width), Shape{block, width});
  Value all = c.call("MatMul", {rows, columns}, MatMulAttrs{false, true});
  return part(c, c.reshape(all, Shape{blocks * block}), 0, count);
}

void correlation_shape(Inference& inference) {
  Shape x = inference.shape(0), w = inference.shape(1);
  inference.output(inference.key(), Shape{x[0] - w[0] + 1});
}

// The gradients are correlations too: that of x with w backwards, where dy overlaps it at all.
void correlation_gradient(Gradient& g) {
  const int64_t around = g.shape_of(1)[0] - 1;
  if (g.needs(0)) g.add(0, g.call("Correlation", {padded(g, g.dy(), around, around), flipped(g, g.x(1))}));
  if (g.needs(1)) g.add(1, g.call("Correlation", {g.x(0), g.dy()}));
}

// On a CPU by a kernel. Elsewhere as a convolution of images: the longer sequence is an image with one row, the shorter
// one the window, which Conv2D does not flip. Integers are computed there in float64.
template <bool flips, Kept otherwise> void compose_convolve(Composition& c) {
  Value a = c.on_host() ? unhalved(c, c.x(0)) : c.x(0), v = c.on_host() ? unhalved(c, c.x(1)) : c.x(1);
  const bool is_float_key = is_float(c.key());
  if (!is_float_key && !c.on_host()) {
    a = c.cast(a, DType::Float64);
    v = c.cast(v, DType::Float64);
  }
  if (!flips) v = flipped(c, v);
  const bool is_swapped = c.shape(a)[0] < c.shape(v)[0];
  if (is_swapped) std::swap(a, v);
  const int64_t n = c.shape(a)[0], m = c.shape(v)[0];
  const Kept kept = kept_of(c.attrs<ConvolveAttrs>().mode.view(), otherwise);
  // The middle of the full results; NumPy's correlation with a longer v is that of the two exchanged, backwards.
  const int64_t first = !flips && is_swapped ? m / 2 : (m - 1) / 2;
  const int64_t count = kept == Kept::Valid ? n - m + 1 : n + m - 1;
  if (c.on_host()) {
    if (kept != Kept::Valid) a = padded(c, a, m - 1, m - 1);
    Value all = c.call("Correlation", {a, flipped(c, v)});
    return c.give(kept == Kept::Same ? part(c, all, first, n) : all);
  }
  if (std::min(m, count) >= kLeastForProduct) {
    if (kept != Kept::Valid) a = padded(c, a, m - 1, m - 1);
    Value all = correlate_by_product(c, a, flipped(c, v));
    if (kept == Kept::Same) all = part(c, all, first, n);
    return c.give(is_float_key ? all : c.call("Rint", {all}));
  }
  ConvAttrs attrs;
  if (kept != Kept::Valid) attrs.padding = {Padding::Kind::Given, {0, m - 1}};
  Value image = c.reshape(a, Shape{1, 1, n, 1}), window = c.reshape(flipped(c, v), Shape{1, m, 1, 1});
  Value full = c.call("Conv2D", {image, window}, attrs);
  full = c.reshape(full, Shape{c.shape(full).size()});
  if (kept == Kept::Same) full = part(c, full, first, n);
  c.give(is_float_key ? full : c.call("Rint", {full}));
}

}  // namespace

void define_convolve_ops(OpRegistry& ops) {
  for (bool flips : {true, false}) {
    ops.define({
        .name = flips ? "Convolve" : "Correlate",
        .lua_name = flips ? "convolve" : "correlate",
        .summary = flips
                       ? "The convolution of two sequences: result k is the sum of a[i] v[k + 1 - i]. \"full\" keeps "
                         "all results, \"same\" as many of the middle as the longer sequence has elements, \"valid\" "
                         "those where the sequences overlap whole. Integers wrap; on a GPU they are exact up to 2^53."
                       : "The cross-correlation of two sequences: each result is the sum of products of v and as many "
                         "elements of a, v further on by one each time. \"valid\" keeps the results where the "
                         "sequences overlap whole, \"same\" as many of the middle as the longer sequence has "
                         "elements, \"full\" all. Integers wrap; on a GPU they are exact up to 2^53.",
        .inputs = {{"a", kNumbers, "[n]"}, {"v", kNumbers, "[m]"}},
        .attrs = attrs<ConvolveAttrs>({attr("mode", &ConvolveAttrs::mode, "\"full\", \"same\" or \"valid\"")
                                           .positional()
                                           .otherwise(flips ? "\"full\"" : "\"valid\"")}),
        .output = "[n + m - 1] for \"full\", the larger of n and m for \"same\", their difference and 1 for \"valid\"; "
                  "the promoted dtype",
        .errors = "InvalidArgument if a or v is no vector or has no elements, for another mode, or if both are bool.",
        .source = flips ? "numpy.convolve" : "numpy.correlate",
        .example = flips ? "lutra.convolve({1, 2, 3}, {0, 1, 5})  --> {0, 1, 7, 13, 15}"
                         : "lutra.correlate({1, 2, 3, 4}, {0, 1, 5})  --> {17, 23}",
        .shape = flips ? convolve_shape<Kept::Full> : convolve_shape<Kept::Valid>,
        .compose = flips ? compose_convolve<true, Kept::Full> : compose_convolve<false, Kept::Valid>,
        .gpu = kNumbers,
    });
  }
  ops.define({
      .name = "Correlation",
      .summary = "The cross-correlation of x with the shorter w, where they overlap whole.",
      .inputs = {{"x", kNumbers, "[n]"}, {"w", kNumbers, "[m], m from 1 to n"}},
      .output = "[n - m + 1]; the promoted dtype",
      .shape = correlation_shape,
      .gradient = correlation_gradient,
      .saves = kX0 | kX1,
      .flags = kHidden,
  });
}

}  // namespace lutra
