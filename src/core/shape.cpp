#include "core/shape.h"

#include <algorithm>

#include "core/error.h"

namespace lutra {

void append(std::string& out, const Shape& shape) {
  out += '(';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ", ";
    append(out, shape[i]);
  }
  out += shape.rank() == 1 ? ",)" : ")";
}

int64_t element_count(const char* who, std::span<const int64_t> dims, int64_t element_bytes) {
  // Look for a zero first: it makes the product zero even if the other sizes overflow.
  bool empty = false;
  for (int64_t size : dims) {
    require(size >= 0, who, ": the shape ", Shape(dims), " has the negative size ", size);
    empty |= size == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (int64_t size : dims) {
    require(!__builtin_mul_overflow(count, size, &count) && count <= (int64_t{1} << 62) / element_bytes, who,
            ": the shape ", Shape(dims), " has more elements than memory can address");
  }
  return count;
}

bool broadcast(const Shape& a, const Shape& b, Shape* out) {
  int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int i = 0; i < rank; ++i) {
    int from_a = i - (rank - a.rank());
    int from_b = i - (rank - b.rank());
    int64_t size_a = from_a >= 0 ? a[from_a] : 1;
    int64_t size_b = from_b >= 0 ? b[from_b] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) return false;
    result.push(size_a == 1 ? size_b : size_a);
  }
  *out = result;
  return true;
}

}  // namespace lutra
