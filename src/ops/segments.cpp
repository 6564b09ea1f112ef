// Reductions of the slices of each segment, masks of lengths, and limits on norms.

#include <limits>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

struct SegmentAttrs {
  int64_t segments = 0;
  IndexBase base;
};

template <bool mean> void segment_shape(Inference& inference) {
  const SegmentAttrs& attrs = inference.attrs<SegmentAttrs>();
  Shape x = inference.shape(0), ids = inference.shape(1), out{attrs.segments};
  require(attrs.segments >= 0, inference.who(), ": num_segments is ", attrs.segments, ", expected 0 or more");
  bool fits = ids.rank() <= x.rank();
  for (int i = 0; fits && i < ids.rank(); ++i) fits = ids[i] == x[i];
  require(fits, inference.who(), ": segment_ids ", ids, " does not fit x ", x,
          ": it must have the sizes of x's leading axes");
  require(x.rank() - ids.rank() < kMaxRank, inference.who(), ": x ", x, " has ", kMaxRank, " axes already");
  for (int i = ids.rank(); i < x.rank(); ++i) out.push(x[i]);
  inference.output(inference.key(), out);
}

// Updates of `start` in the shape of the result by the slices of x. Those with negative ids are dropped: they are
// `neutral` and go to the first segment.
Value by_segment(Composition& c, const char* op, Value start, Value x, int depth, Value neutral) {
  const SegmentAttrs& attrs = c.attrs<SegmentAttrs>();
  Value given = c.x(1);
  Shape ids = c.shape(given), places{ids.size(), 1}, slices{ids.size()}, shape = c.shape(x), column{ids.size()};
  for (int i = depth; i < shape.rank(); ++i) {
    slices.push(shape[i]);
    column.push(1);
  }
  x = c.reshape(x, slices);
  if (attrs.segments > 0 && c.dtype(given) != DType::UInt8) {
    Value is_dropped = c.call("Less", {given, 0.0});
    const double first = static_cast<double>(attrs.base.value);
    given = c.call("SelectV2", {is_dropped, c.fill(Shape(), first, c.dtype(given)), given});
    x = c.call("SelectV2", {c.reshape(is_dropped, column), neutral, x});
  }
  return c.call(op, {start, c.reshape(given, places), x}, IndexAttrs{attrs.base});
}

void compose_segment_sum(Composition& c) {
  Value zeros = c.fill(c.output_shape(), 0, c.key());
  c.give(by_segment(c, "TensorScatterAdd", zeros, c.x(0), c.shape(c.x(1)).rank(), c.fill(Shape(), 0, c.key())));
}

// How many slices each segment has, in a shape that broadcasts to the result.
Value counted(Composition& c, DType dtype) {
  const int depth = c.shape(c.x(1)).rank();
  Shape wide{c.attrs<SegmentAttrs>().segments}, narrow = wide;
  for (int i = depth; i < c.shape(c.x(0)).rank(); ++i) narrow.push(1);
  Value ones = c.fill(c.shape(c.x(1)), 1, dtype);
  return c.reshape(by_segment(c, "TensorScatterAdd", c.fill(wide, 0, dtype), ones, depth, c.fill(Shape(), 0, dtype)),
                   narrow);
}

void compose_segment_mean(Composition& c) {
  Value x = unhalved(c, c.x(0));
  Value zeros = c.fill(c.output_shape(), 0, c.dtype(x));
  Value sums = by_segment(c, "TensorScatterAdd", zeros, x, c.shape(c.x(1)).rank(), c.fill(Shape(), 0, c.dtype(x)));
  Value count = counted(c, c.dtype(x));
  c.give(sums / c.call("Maximum", {count, c.fill(Shape(), 1, c.dtype(x))}));
}

// Of a segment without slices the dtype's lowest or highest number, as tf.math.unsorted_segment_max gives it.
template <bool largest> void compose_segment_extreme(Composition& c) {
  Value x = c.x(0);
  const char* op = largest ? "TensorScatterMax" : "TensorScatterMin";
  const DType dtype = c.key();
  const int depth = c.shape(c.x(1)).rank();
  if (is_float(dtype)) {
    double limit = dtype == DType::Float16    ? 65504.0
                   : dtype == DType::BFloat16 ? 3.3895313892515355e38
                   : dtype == DType::Float32  ? static_cast<double>(std::numeric_limits<float>::max())
                                              : std::numeric_limits<double>::max();
    const double infinite = std::numeric_limits<double>::infinity();
    Value start = c.fill(Shape(), largest ? -infinite : infinite, dtype);
    Value most = by_segment(c, op, c.broadcast_to(start, c.output_shape()), x, depth, start);
    Value is_empty = c.call("Equal", {counted(c, DType::Int64), 0.0});
    return c.give(c.call("SelectV2", {is_empty, c.fill(Shape(), largest ? -limit : limit, dtype), most}));
  }
  Value start = c.fill(Shape(), largest || dtype != DType::UInt8 ? 0 : 255, dtype);
  if (dtype != DType::UInt8) {
    // Shifted from 1, as a double does not hold 2^63 - 1.
    const int bits = static_cast<int>(size_of(dtype)) * 8;
    start = c.call("LeftShift", {c.fill(Shape(), 1, dtype), c.fill(Shape(), bits - 1, dtype)});
    if (!largest) start = c.call("Invert", {start});
  }
  c.give(by_segment(c, op, c.broadcast_to(start, c.output_shape()), x, depth, start));
}

struct MaskAttrs {
  int64_t maxlen = 0;
};

void sequence_mask_shape(Inference& inference) {
  const MaskAttrs& attrs = inference.attrs<MaskAttrs>();
  Shape out = inference.shape(0);
  require(attrs.maxlen >= 0, inference.who(), ": maxlen is ", attrs.maxlen, ", expected 0 or more");
  require(out.rank() < kMaxRank, inference.who(), ": lengths ", out, " has ", kMaxRank, " axes already");
  out.push(attrs.maxlen);
  inference.output(DType::Bool, out);
}

void compose_sequence_mask(Composition& c) {
  Value lengths = c.cast(c.x(), DType::Int64);
  Shape column = c.shape(lengths);
  column.push(1);
  c.give(c.call("Less", {c.numbers_below(c.attrs<MaskAttrs>().maxlen), c.reshape(lengths, column)}));
}

struct ClipNormAttrs {
  double clip_norm = 1;
  Axes axis;
};

void clip_by_norm_shape(Inference& inference) {
  const ClipNormAttrs& attrs = inference.attrs<ClipNormAttrs>();
  require(attrs.clip_norm >= 0, inference.who(), ": clip_norm is ", attrs.clip_norm, ", expected 0 or more");
  (void)inference.axes(attrs.axis, inference.shape(0).rank());
  same_as_first(inference);
}

void compose_clip_by_norm(Composition& c) {
  const ClipNormAttrs& attrs = c.attrs<ClipNormAttrs>();
  Value x = unhalved(c, c.x());
  NormAttrs length;
  length.axis = attrs.axis;
  length.keepdims = true;
  Value norm = c.call("Norm", {x}, length);
  Value limit = c.fill(Shape(), attrs.clip_norm, c.dtype(x));
  c.give(x * (limit / c.call("Maximum", {norm, c.call("Maximum", {limit, c.fill(Shape(), 1e-300, DType::Float64)})})));
}

}  // namespace

void define_segments_ops(OpRegistry& ops) {
  struct Entry {
    const char* name;
    const char* lua_name;
    const char* summary;
    const char* example;
    Compute compute;
    void (*compose)(Composition& c);
  };
  const Entry entries[] = {
      {"UnsortedSegmentSum", "unsorted_segment_sum",
       "The sum of the slices of each segment; 0 of a segment without any. Ids count from 1; slices with negative ones "
       "are dropped.",
       "lutra.unsorted_segment_sum({1, 2, 3}, {2, 1, 2}, 3)  --> {2, 4, 0}", Compute::Same, compose_segment_sum},
      {"UnsortedSegmentMean", "unsorted_segment_mean",
       "The mean of the slices of each segment; 0 of a segment without any. Ids count from 1; slices with negative "
       "ones "
       "are dropped.",
       "lutra.unsorted_segment_mean({1, 2, 3}, {2, 1, 2}, 3)  --> {2.0, 2.0, 0.0}", Compute::Float,
       compose_segment_mean},
      {"UnsortedSegmentMax", "unsorted_segment_max",
       "The largest of the slices of each segment; the dtype's lowest number of a segment without any. Ids count from "
       "1; slices with negative ones are dropped.",
       "lutra.unsorted_segment_max({1, 2, 3}, {2, 1, 2}, 2)  --> {2, 3}", Compute::Same, compose_segment_extreme<true>},
      {"UnsortedSegmentMin", "unsorted_segment_min",
       "The smallest of the slices of each segment; the dtype's highest number of a segment without any. Ids count "
       "from 1; slices with negative ones are dropped.",
       "lutra.unsorted_segment_min({1, 2, 3}, {2, 1, 2}, 2)  --> {2, 1}", Compute::Same,
       compose_segment_extreme<false>},
  };
  for (const Entry& entry : entries) {
    bool is_mean = entry.compute == Compute::Float;
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", kNumbers, "any shape"}, {"segment_ids", kInts, "the sizes of x's leading axes", kOwnDType}},
        .attrs = attrs<SegmentAttrs>({attr("num_segments", &SegmentAttrs::segments, "how many segments").required(),
                                      attr("index_base", &SegmentAttrs::base, "what the first id is")}),
        .output = is_mean
                      ? "[num_segments], then x's axes after those of segment_ids; float32 for integers, else x's dtype"
                      : "[num_segments], then x's axes after those of segment_ids; x's dtype",
        .errors = "InvalidArgument for the id 0 or shapes that do not match; OutOfRange for an id above num_segments.",
        .source = "tf.math.unsorted_segment_sum and its like",
        .example = entry.example,
        .compute = entry.compute,
        .shape = segment_shape<false>,
        .compose = entry.compose,
        .gpu = is_mean ? kFloats : kNumbers,
    });
  }
  ops.define({
      .name = "SequenceMask",
      .lua_name = "sequence_mask",
      .summary =
          "true at the first positions of each row, as many as its length says. Without maxlen it is the largest "
          "length, which is read.",
      .inputs = {{"lengths", kInts, "any shape"}},
      .attrs = attrs<MaskAttrs>({attr("maxlen", &MaskAttrs::maxlen, "the size of the new last axis").required()}),
      .output = "lengths' shape with an axis of size maxlen behind it; bool",
      .errors = "InvalidArgument for a negative maxlen or a ninth axis.",
      .source = "tf.sequence_mask",
      .example = "lutra.sequence_mask({1, 3}, 3)  --> {{true, false, false}, {true, true, true}}",
      .shape = sequence_mask_shape,
      .compose = compose_sequence_mask,
      .gpu = kInts,
      .flags = kNoSlope,
  });
  ops.define({
      .name = "ClipByNorm",
      .lua_name = "clip_by_norm",
      .summary = "x, scaled down where its Euclidean norm over the given axes, or all, is above clip_norm.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<ClipNormAttrs>(
          {attr("clip_norm", &ClipNormAttrs::clip_norm, "the largest norm").required(),
           attr("axis", &ClipNormAttrs::axis, "an axis or a list of axes").positional().otherwise("all")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument for a negative clip_norm, an axis that does not exist, or if x is bool.",
      .source = "tf.clip_by_norm",
      .example = "lutra.clip_by_norm({3.0, 4.0}, 1)  --> {0.6, 0.8}",
      .compute = Compute::Float,
      .shape = clip_by_norm_shape,
      .compose = compose_clip_by_norm,
      .gpu = kFloats,
  });
}

}  // namespace lutra
