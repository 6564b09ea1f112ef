// What the reductions to tridiagonal and bidiagonal form share.
#pragma once

#include <cmath>
#include <cstdint>

namespace lutra::lapack {

// Columns that are reduced before the rest of the matrix is updated by a product.
inline constexpr int64_t kPanel = 32;
// A product of a matrix and vectors is cut into pieces of at least so many elements. Few pieces are not worth a thread.
inline constexpr int64_t kPieceOfProduct = 1 << 15, kMostPieces = 16, kPiecesOfThreads = 4;

// The exponent of a matrix' largest element, `most`.
template <class T> int exponent_of(T most) { return most == 0 ? 0 : std::ilogb(most); }

// Multiplies by 2^exponent, which does not round; in two steps, since the power may be out of range.
template <class T> class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent)
      : first_(std::ldexp(T(1), exponent / 2)), second_(std::ldexp(T(1), exponent - exponent / 2)) {}
  T times(T x) const { return x * first_ * second_; }

 private:
  T first_, second_;
};

}  // namespace lutra::lapack
