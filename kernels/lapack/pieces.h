// Loops of Lutra's threads around calls of LAPACK.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/lapack/library.h"

namespace lutra::lapack {

// From so many multiplications on a piece is worth a thread.
inline constexpr int64_t kWorkOfThread = 1 << 19;

// Calls body(begin, end) for pieces of `length` of `count` columns or rows, each of which takes `work` multiplications.
// OpenBLAS' results depend on how many columns it is given at a time: so the length depends on sizes alone.
template <class Body> void for_pieces_of(int64_t length, int64_t count, int64_t work, const Body& body) {
  const int64_t pieces = (count + length - 1) / length;
  parallel_for(pieces, 1 + kWorkOfThread / (length * std::max<int64_t>(work, 1)), [&](int64_t first, int64_t last) {
    Call call;
    for (int64_t piece = first; piece < last; ++piece) body(piece * length, std::min((piece + 1) * length, count));
  });
}
template <class Body> void for_pieces(int64_t count, int64_t work, const Body& body) {
  for_pieces_of(count > 256 ? 128 : 64, count, work, body);
}

}  // namespace lutra::lapack
