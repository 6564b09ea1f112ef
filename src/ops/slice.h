// The attributes of t[...], and the elements that each entry picks.
#pragma once

#include <optional>

#include "ops/attrs.h"

namespace lutra {

// t[...], entry by entry as the user gave it: 1-based made 0-based, negative from the end; `last` is included. Axes
// from `count` on are kept whole. Flags are separate from the ranges to fit within kMaxAttrBytes.
struct SliceAttrs {
  struct Range {
    int64_t first = 0;
    int64_t last = -1;
    int64_t step = 1;
    bool operator==(const Range&) const = default;
  };
  int8_t count = 0;
  bool drops[kMaxRank] = {};  // a single index (`first`), which removes the axis
  bool all[kMaxRank] = {};    // {}
  Range axis[kMaxRank];
  bool operator==(const SliceAttrs&) const = default;
};

// The elements from `first` to `last`, both included, along one axis.
inline SliceAttrs range_along(int axis, int64_t first, int64_t last) {
  SliceAttrs slice;
  slice.count = static_cast<int8_t>(axis + 1);
  for (int i = 0; i < axis; ++i) slice.all[i] = true;
  slice.axis[axis] = {first, last, 1};
  return slice;
}

// The elements an entry picks on its axis: `count` of them, from `first` on.
struct Picked {
  int64_t first, step, count;
};

// nullopt if the entry reaches past the axis. A range that runs against its step is empty, and an empty range may start
// one past the end.
inline std::optional<Picked> pick(const SliceAttrs& attrs, int axis, int64_t size) {
  if (axis >= attrs.count || attrs.all[axis]) return Picked{0, 1, size};
  const SliceAttrs::Range& range = attrs.axis[axis];
  int64_t first = range.first < 0 ? range.first + size : range.first;
  if (attrs.drops[axis]) {
    if (first < 0 || first >= size) return std::nullopt;
    return Picked{first, 1, 1};
  }
  int64_t last = range.last < 0 ? range.last + size : range.last;
  bool backwards = range.step < 0;
  int64_t low = backwards ? last : first, high = backwards ? first : last;
  if (low > high) {
    if (low > size || high < -1 || low < 0 || high >= size) return std::nullopt;
    return Picked{0, 1, 0};
  }
  if (low < 0 || high >= size) return std::nullopt;
  uint64_t stride = backwards ? 0 - static_cast<uint64_t>(range.step) : static_cast<uint64_t>(range.step);
  int64_t count = static_cast<int64_t>(static_cast<uint64_t>(high - low) / stride) + 1;
  return Picked{first, count > 1 ? range.step : 1, count};
}

}  // namespace lutra
