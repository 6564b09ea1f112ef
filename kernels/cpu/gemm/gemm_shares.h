// Cuts a large product into shares that threads claim: some rows and some columns of the result, in whole tiles. Each
// thread packs what its share reads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/gemm/gemm_tile.h"

namespace lutra {

// Rows and columns of c.
struct Share {
  int64_t i, rows, j, columns;
};

// About `wanted` shares, with the largest as small as possible.
class Shares {
 public:
  Shares(int64_t m, int64_t n, int64_t wanted, int64_t tile_rows = kTileRows,
         int64_t tile_columns = kTileColumns<float>)
      : m_(m), n_(n) {
    constexpr double kPacking = 16;  // packing an element costs as much as 16 multiplications
    double least = 0;
    for (int64_t down = 1; down <= std::max<int64_t>(1, wanted); ++down) {
      int64_t across = std::max<int64_t>(1, wanted) / down;
      int64_t rows = share_of(m, down, tile_rows), columns = share_of(n, across, tile_columns);
      auto height = static_cast<double>(rows), width = static_cast<double>(columns);
      double work = height * width + kPacking * (height + width);
      if (down > 1 && work >= least) continue;
      least = work;
      rows_ = rows;
      columns_ = columns;
    }
    across_ = (n_ + columns_ - 1) / columns_;
  }
  int64_t count() const { return (m_ + rows_ - 1) / rows_ * across_; }
  Share operator[](int64_t at) const {
    int64_t i = at / across_ * rows_, j = at % across_ * columns_;
    return {i, std::min(rows_, m_ - i), j, std::min(columns_, n_ - j)};
  }

 private:
  static int64_t share_of(int64_t size, int64_t parts, int64_t unit) {
    return std::max<int64_t>(1, (size + parts * unit - 1) / (parts * unit)) * unit;
  }

  int64_t m_, n_, rows_ = 0, columns_ = 0, across_ = 1;
};

}  // namespace lutra
