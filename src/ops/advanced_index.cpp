// t[{...}] with index tensors, masks and new axes beside ranges, read and assigned. The rules are NumPy's: index
// tensors broadcast; the axes of their common shape stand where the index tensors stood if these are neighbours, else
// in front. A single number among index tensors counts as one of them.

#include "ops/advanced_index.h"

#include "ops/composition.h"
#include "ops/index.h"
#include "ops/shape.h"

namespace lutra {
namespace {

using Kind = AdvancedIndexAttrs::Kind;

int axes_of_mask(int8_t kind) { return kind - AdvancedIndexAttrs::kMask + 1; }

// What an index picks.
struct Plan {
  Shape out;             // with new axes
  Shape common;          // that the index tensors broadcast to
  Shape sliced;          // t after its basic entries, without new axes
  int picked[kMaxRank];  // the axes of `sliced` along which index tensors pick
  int picks = 0;
  // Whether the axes along which index tensors pick are neighbours. There is at least one.
  bool are_neighbours() const { return picked[picks - 1] - picked[0] == picks - 1; }
  int place = 0;  // the axis of the result without new axes before which the common shape's axes stand
};

// `shape_of(i)`: of index tensor i. Throws what is wrong with the shapes; `who` begins the error's text.
template <class ShapeOf>
Plan plan_of(const char* who, const Shape& t, const AdvancedIndexAttrs& attrs, const ShapeOf& shape_of) {
  Plan plan;
  Shape before, kept;  // of the result: what stands before the common shape, and everything else
  int axis = 0, tensors = 0, runs = 0, kept_old = 0, place_old = 0;
  bool in_run = false;
  bool has_tensors = false;
  for (int i = 0; i < attrs.entries; ++i) has_tensors |= attrs.kinds[i] >= Kind::kIndices;
  int total = 0;
  auto keep = [&](int64_t size) {
    require(++total <= kMaxRank, who, ": the result would have more than ", kMaxRank, " axes");
    kept.push(size);
    in_run = false;
  };
  auto advance = [&] {
    if (in_run) return;
    in_run = true;
    if (++runs > 1) return;
    before = kept;
    place_old = kept_old;
  };
  for (int i = 0; i < attrs.entries; ++i) {
    int8_t kind = attrs.kinds[i];
    if (kind == Kind::kNewAxis) {
      keep(1);
      continue;
    }
    if (kind == Kind::kBasic) {
      const bool drops = attrs.basic.drops[axis];
      require(drops || attrs.basic.all[axis] || attrs.basic.axis[axis].step != 0, who, ": the step of entry ", i + 1,
              " is 0");
      std::optional<Picked> found = pick(attrs.basic, axis, t[axis]);
      if (!found) {
        fail(ErrorCode::OutOfRange, who, ": entry ", i + 1, " reaches past axis ", axis + 1, ", which has ", t[axis],
             t[axis] == 1 ? " element" : " elements");
      }
      ++axis;
      if (drops) {
        if (has_tensors) advance();
        continue;
      }
      keep(found->count);
      plan.sliced.push(found->count);
      ++kept_old;
      continue;
    }
    Shape own = shape_of(tensors++);
    int axes = 1;
    if (kind >= Kind::kMask) {
      axes = axes_of_mask(kind);
      own = Shape{own[0]};
    }
    Shape both;
    require(broadcast(plan.common, own, &both), who, ": the index tensors do not broadcast: ", plan.common, " and ",
            own);
    plan.common = both;
    advance();
    for (; axes > 0; --axes, ++axis) {
      plan.picked[plan.picks++] = plan.sliced.rank();
      plan.sliced.push(t[axis]);
    }
  }
  for (; axis < t.rank(); ++axis) {
    keep(t[axis]);
    plan.sliced.push(t[axis]);
    ++kept_old;
  }
  require(kept.rank() + plan.common.rank() <= kMaxRank, who, ": the result would have ",
          kept.rank() + plan.common.rank(), " axes, and there can be ", kMaxRank);
  bool together = runs <= 1;
  int in_front = together ? before.rank() : 0;
  plan.place = together ? place_old : 0;
  for (int i = 0; i < in_front; ++i) plan.out.push(kept[i]);
  for (int i = 0; i < plan.common.rank(); ++i) plan.out.push(plan.common[i]);
  for (int i = in_front; i < kept.rank(); ++i) plan.out.push(kept[i]);
  return plan;
}

Plan plan_of(const Inference& inference, int first) {
  return plan_of(inference.who(), inference.shape(0), inference.attrs<AdvancedIndexAttrs>(),
                 [&](int i) { return inference.shape(first + i); });
}

TransposeAttrs order_of(int rank) {
  TransposeAttrs attrs;
  attrs.perm.count = static_cast<int8_t>(rank);
  attrs.perm.is_list = true;
  return attrs;
}

// One index tensor for each picked axis, as columns: [elements of the common shape, picks].
Value index_columns(Composition& c, const Plan& plan, int first) {
  const AdvancedIndexAttrs& attrs = c.attrs<AdvancedIndexAttrs>();
  const int64_t n = plan.common.size();
  Value columns[kMaxRank];
  int count = 0, tensors = 0;
  for (int i = 0; i < attrs.entries; ++i) {
    int8_t kind = attrs.kinds[i];
    if (kind < Kind::kIndices) continue;
    Value indices = c.x(first + tensors++);
    if (kind == Kind::kIndices) {
      columns[count++] = c.reshape(c.broadcast_to(c.cast(indices, DType::Int64), plan.common), Shape{n});
      continue;
    }
    int axes = axes_of_mask(kind);
    if (axes == plan.picks && c.shape(indices)[0] == n) return indices;
    for (int k = 0; k < axes; ++k) {
      SliceAttrs column;
      column.count = 2;
      column.all[0] = true;
      column.drops[1] = true;
      column.axis[1].first = k;
      Value one = c.call("StridedSlice", {indices}, column);
      columns[count++] = c.reshape(c.broadcast_to(one, plan.common), Shape{n});
    }
  }
  return c.call("Pack", std::span<const Value>(columns, static_cast<std::size_t>(count)), AxisAttrs{single(1)});
}

bool is_sliced(const AdvancedIndexAttrs& attrs) {
  for (int i = 0; i < attrs.basic.count; ++i) {
    if (!attrs.basic.all[i]) return true;
  }
  return false;
}

// The elements of `t` that the index picks, in the shape `plan.out`. Index tensors begin at input `first`.
Value picked(Composition& c, Value t, const Plan& plan, int first) {
  const AdvancedIndexAttrs& attrs = c.attrs<AdvancedIndexAttrs>();
  if (is_sliced(attrs)) t = c.call("StridedSlice", {t}, attrs.basic);
  if (plan.picks == 0) return c.reshape(t, plan.out);
  const Shape& from = plan.sliced;
  Value columns = index_columns(c, plan, first);
  const int64_t n = plan.common.size();
  bool neighbours = plan.are_neighbours();
  int at = plan.picked[0];
  if (!neighbours) {
    // Index tensors that are no neighbours put the common shape in front: so do the axes they pick along.
    TransposeAttrs order = order_of(from.rank());
    int next = 0;
    for (int i = 0; i < plan.picks; ++i) order.perm.v[next++] = plan.picked[i];
    for (int axis = 0, i = 0; axis < from.rank(); ++axis) {
      if (i < plan.picks && plan.picked[i] == axis) ++i;
      else order.perm.v[next++] = axis;
    }
    t = c.call("Transpose", {t}, order);
    at = 0;
  }
  if (at == 0) {
    t = c.call("GatherNd", {t, columns}, IndexAttrs{attrs.base});
  } else {
    // The picked axes as one, and the positions on it.
    Shape apart, merged;
    for (int i = 0; i < plan.picks; ++i) apart.push(from[at + i]);
    GatherAttrs along{single(at), {}};
    Value places = columns;
    if (plan.picks > 1) {
      places = c.call("GatherNd", {c.reshape(c.numbers_below(apart.size()), apart), columns}, IndexAttrs{attrs.base});
    } else {
      places = c.reshape(columns, Shape{n});
      along.base = attrs.base;
    }
    for (int i = 0; i < at; ++i) merged.push(from[i]);
    merged.push(apart.size());
    for (int i = at + plan.picks; i < from.rank(); ++i) merged.push(from[i]);
    t = c.call("GatherV2", {c.reshape(t, merged), places}, along);
  }
  if (plan.place != at) {
    TransposeAttrs order = order_of(c.shape(t).rank());
    int next = 0;
    for (int axis = 0; axis < order.perm.count; ++axis) {
      if (next == plan.place) order.perm.v[next++] = at;
      if (axis != at) order.perm.v[next++] = axis;
    }
    if (next < order.perm.count) order.perm.v[next] = at;
    t = c.call("Transpose", {t}, order);
  }
  return c.reshape(t, plan.out);
}

Plan plan_of(Composition& c, int first) {
  return plan_of(c.op().called(), c.shape(c.x(0)), c.attrs<AdvancedIndexAttrs>(),
                 [&](int i) { return c.shape(c.x(first + i)); });
}

void index_shape(Inference& inference) { inference.output(inference.key(), plan_of(inference, 1).out); }

void compose_index(Composition& c) { c.give(picked(c, c.x(0), plan_of(c, 1), 1)); }

void index_put_shape(Inference& inference) {
  Shape part = plan_of(inference, 2).out, value = inference.shape(1), both;
  require(broadcast(part, value, &both) && both == part, inference.who(), ": value has the shape ", value,
          ", which does not fit the part's ", part);
  inference.output_like(inference.key(), 0);
}

// The row-major positions in t of the elements to replace are what the index picks from those of all elements.
void compose_index_put(Composition& c) {
  Value t = c.x(0), value = c.x(1);
  Shape shape = c.shape(t);
  Plan plan = plan_of(c, 2);
  const AdvancedIndexAttrs& attrs = c.attrs<AdvancedIndexAttrs>();
  const char* op = std::string_view(c.op().name) == "AdvancedIndexAdd" ? "TensorScatterAdd" : "TensorScatterUpdate";
  if (plan.picks > 0 && plan.picked[0] == 0 && plan.are_neighbours() && plan.place == 0 && !is_sliced(attrs)) {
    // Index tensors on the leading axes are positions as they are.
    Shape slices{plan.common.size()};
    for (int i = plan.picks; i < shape.rank(); ++i) slices.push(shape[i]);
    if (c.shape(value).rank() > 0) value = c.reshape(c.broadcast_to(value, plan.out), slices);
    return c.give(c.call(op, {t, index_columns(c, plan, 2), value}, IndexAttrs{attrs.base}));
  }
  Value places = picked(c, c.reshape(c.numbers_below(shape.size()), shape), plan, 2);
  c.give(updated_at(c, op, t, places, value));
}

constexpr const char* kIndexErrors =
    "InvalidArgument for the index 0, for more entries than axes, or if the index tensors do not broadcast; OutOfRange "
    "past an axis' end.";
constexpr const char* kSource = "numpy's advanced indexing, 1-based and with both ends of ranges included";

}  // namespace

Value updated_at(Composition& c, const char* op, Value x, Value places, Value updates) {
  const Shape shape = c.shape(x), part = c.shape(places);
  if (c.shape(updates).rank() > 0) updates = c.reshape(c.broadcast_to(updates, part), Shape{part.size()});
  Value flat =
      c.call(op, {c.reshape(x, Shape{shape.size()}), c.reshape(places, Shape{part.size(), 1}), updates}, IndexAttrs());
  return c.reshape(flat, shape);
}

void define_advanced_index_ops(OpRegistry& ops) {
  ops.define({
      .name = "AdvancedIndex",
      .lua_name = "t[{...}]",
      .log_name = "AdvancedIndex",
      .summary = "t[{...}] with index tensors, masks or new axes among the entries.",
      .inputs = {{"t", kEveryDType, "any shape"}, {"indices", kInts, "broadcast", kVariadic | kOwnDType}},
      .attrs = attrs<AdvancedIndexAttrs>({}),
      .output = "the axes of ranges, new axes and of the index tensors' common shape; t's dtype",
      .errors = kIndexErrors,
      .source = kSource,
      .shape = index_shape,
      .compose = compose_index,
      .gpu = kAnyDType,
      .flags = kHidden,
  });
  for (bool adds : {false, true}) {
    ops.define({
        .name = adds ? "AdvancedIndexAdd" : "AdvancedIndexPut",
        .lua_name = "index_put",
        .log_name = adds ? "AdvancedIndexAdd" : "AdvancedIndexPut",
        .summary = "A tensor with the elements that t[{...}] picks replaced by a value, or added to.",
        .inputs = {{"t", adds ? kEveryNumber : kEveryDType, "any shape"},
                   {"value", adds ? kEveryNumber : kEveryDType, "broadcasts to what the index picks", kNumber},
                   {"indices", kInts, "broadcast", kVariadic | kOwnDType}},
        .attrs = attrs<AdvancedIndexAttrs>({}),
        .output = "t's shape; the dtype t and value promote to",
        .errors = kIndexErrors,
        .source = kSource,
        .shape = index_put_shape,
        .compose = compose_index_put,
        .gpu = adds ? kNumbers : kAnyDType,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
