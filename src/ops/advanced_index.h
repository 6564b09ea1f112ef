// The attributes of t[{...}] with index tensors, masks or new axes among its entries, as NumPy's advanced indexing
// reads them.
#pragma once

#include "ops/slice.h"

namespace lutra {

class Composition;
class Value;

inline constexpr int kMostEntries = 2 * kMaxRank;

// The entries in order. The binding has resolved "..." and replaced each mask by the positions of its true elements.
struct AdvancedIndexAttrs {
  enum Kind : int8_t {
    kBasic,    // the next axis of t, as `basic` says
    kNewAxis,  // an axis of size 1
    kIndices,  // the next index tensor picks along the next axis of t
    kMask,     // and up: the next index tensor is [n, k] positions on the next k axes of t; the kind is kMask + k - 1
  };
  SliceAttrs basic;    // one entry for each axis of t; {} for the axes that index tensors pick along
  int8_t entries = 0;  // axes after them are kept whole
  int8_t kinds[kMostEntries] = {};
  IndexBase base;
};

// The result of an op of the TensorScatter family on x: it applies `updates`, broadcast to the shape of `places`, at
// these row-major positions.
Value updated_at(Composition& c, const char* op, Value x, Value places, Value updates);

}  // namespace lutra
