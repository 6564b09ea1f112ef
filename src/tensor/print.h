// Tensors as text, exactly as NumPy's str prints them (releases before 2.3). Works on host memory: the caller copies
// the elements that shown_part names there, which are few however large the tensor is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/dtype.h"
#include "core/shape.h"

namespace lutra {

// NumPy's options of the same names; none is negative. An edge_items of 0 counts as 1.
struct PrintOptions {
  int precision = 8;         // digits after the point, at most
  int64_t threshold = 1000;  // above this number of elements, only the edges are shown
  int64_t edge_items = 3;    // how many at each end of an axis
  int line_width = 75;       // columns
};

// Which elements of a tensor are shown: along each axis all of them, or the first and the last `edge`.
struct Shown {
  bool summarised = false;
  int64_t edge = 0;
  int64_t count[kMaxRank] = {};  // entries shown along each axis
  bool cut[kMaxRank] = {};       // "..." is printed between the first and the last `edge` of them

  // The index of the `i`-th shown entry along an axis of `size` entries.
  int64_t index(int axis, int64_t i, int64_t size) const { return cut[axis] && i >= edge ? size - count[axis] + i : i; }
};

Shown shown_part(const Shape& shape, const PrintOptions& options);

// `shown`: the elements named by shown_part(whole), row-major without gaps. Returns "[[22. 28.]\n [49. 64.]]"; for rank
// 0 scalar_text, for an empty tensor "[]".
std::string array_text(DType type, const Shape& whole, const std::byte* shown, const PrintOptions& options = {});

// A NumPy scalar's str: "3.0", "1e+16", "True", "7", "(1+2j)".
std::string scalar_text(DType type, const std::byte* element);

// "lutra.Tensor(3.0, shape=(), dtype=float32)"; an array of several lines starts on a line of its own.
std::string tensor_text(DType type, const Shape& whole, const std::byte* shown, const PrintOptions& options = {},
                        const char* type_name = "lutra.Tensor");

}  // namespace lutra
