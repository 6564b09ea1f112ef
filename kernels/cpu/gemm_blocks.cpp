// Note [Blocks of a product]
// After Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008. A piece of k at a time, columns
// of b are packed into panels a tile wide, of which one lies in the first-level cache while it is worked with, and rows
// of a into panels a tile high, of which a block lies in the second-level cache. So both are read one after the other
// whatever their strides are, and a transposed operand costs what any costs. c is cut into as many parts as there are
// threads; each packs what it needs.
#include "kernels/cpu/gemm_blocks.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "core/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_shares.h"
#include "kernels/cpu/gemm_tile.h"
#include "kernels/cpu/gemm_tiles.h"

namespace lutra {
namespace {

// Rows of a and columns of b that are packed at a time, in whole panels.
constexpr int64_t kBlockRows = 144 / kTileRows * kTileRows;
constexpr int64_t kBlockColumns = 1024;
constexpr int64_t kLines = kTileColumns * sizeof(float) / 64;

// What a share of c is packed into.
struct Room {
  alignas(64) float a[kBlockRows / kTileRows * kPitch * kTileDepth];
  alignas(64) float b[kBlockColumns * kTileDepth];
};

// Kept for the thread's next product: fresh memory costs a page fault every 4 KB. Null: there is no memory.
Room* rooms_for(int64_t shares) {
  thread_local std::unique_ptr<Room[]> rooms;
  thread_local int64_t there = 0;
  if (shares > there) {
    rooms.reset(new (std::nothrow) Room[static_cast<std::size_t>(shares)]);
    there = rooms != nullptr ? shares : 0;
  }
  return rooms.get();
}

// `rows` of a, at most a tile's, from (i, p) on: as (k, kPitch). What stands beyond the rows is not looked at.
void pack_rows(const MatMulSizes& s, const float* a, int64_t i, int64_t rows, int64_t p, int64_t k, float* to) {
  if (s.transpose_a) {
    const float* from = a + p * s.lda + i;
    for (int64_t q = 0; q < k; ++q) {
      if (rows == kTileRows) std::copy_n(from + q * s.lda, kTileRows, to + q * kPitch);
      else std::copy_n(from + q * s.lda, rows, to + q * kPitch);
    }
    return;
  }
  using Turned = TurnedSquare<uint32_t>;
  constexpr int64_t kSide = Turned::kSide;
  static_assert(kPitch % kSide == 0);
  const float* from = a + i * s.lda + p;
  for (int64_t r = 0; r < rows; r += kSide) {
    int64_t q = 0;
    // Squares may take in rows of the next panel, but none that are not there.
    for (; i + r + kSide <= s.m && q + kSide <= k; q += kSide) {
      Turned::turn(reinterpret_cast<const uint32_t*>(from + r * s.lda + q), s.lda,
                   reinterpret_cast<uint32_t*>(to + q * kPitch + r), kPitch);
    }
    for (; q < k; ++q) {
      for (int64_t u = r; u < std::min(rows, r + kSide); ++u) to[q * kPitch + u] = from[u * s.lda + q];
    }
  }
}

struct Blocks {
  const MatMulSizes& s;
  const float *a, *b, *bias;
  float* c;
};

// Panels of b of `columns` at most kBlockColumns, each as (k, its width).
void pack_columns(const Blocks& in, int64_t j, int64_t columns, int64_t p, int64_t k, float* to) {
  for (int64_t from = 0; from < columns; from += kTileColumns, to += k * kTileColumns) {
    int64_t here = std::min<int64_t>(kTileColumns, columns - from);
    pack_panel(in.s, in.b, p, k, j + from, here, here <= kPerRegister ? kPerRegister : kTileColumns, to);
  }
}

// A tile of c, or what there is of it at the edges.
template <int registers>
void multiply(const Blocks& in, Tile tile, int64_t i, int64_t rows, int64_t j, int64_t columns) {
  constexpr int64_t kWidth = registers * kPerRegister;
  alignas(64) float part[kTileRows * kWidth];
  float* to = in.c + i * in.s.n + j;
  bool is_whole = columns == kWidth, adds = tile.adds;
  tile.ldb = kWidth;
  tile.c = is_whole ? to : part;
  tile.ldc = is_whole ? in.s.n : kWidth;
  tile.adds = is_whole && adds;
  const float* bias = std::exchange(tile.bias, is_whole ? tile.bias : nullptr);
  kTileKernels<registers, Layout::Packed, false>[static_cast<std::size_t>(rows - 1)](tile);
  if (!is_whole) add_part(part, kWidth, rows, columns, adds, to, in.s.n, bias);
}

// The terms of c from p on, k of them.
void multiply_block(const Blocks& in, const Room& room, const Share& block, int64_t p, int64_t k) {
  const float* b = room.b;
  for (int64_t j = 0; j < block.columns; j += kTileColumns, b += k * kTileColumns) {
    int64_t columns = std::min<int64_t>(kTileColumns, block.columns - j);
    const float* a = room.a;
    for (int64_t i = 0; i < block.rows; i += kTileRows, a += k * kPitch) {
      int64_t rows = std::min<int64_t>(kTileRows, block.rows - i);
      Tile tile{.a = a, .b = b, .ahead = b, .k = k, .adds = p > 0};
      if (in.bias != nullptr && p + k == in.s.k) tile.bias = in.bias + block.j + j;
      // The next panel of b, while the first tiles do not need the bandwidth.
      if (i < kTileRows * kLines) {
        tile.ahead = b + k * kTileColumns + i / kTileRows * 16;
        tile.ahead_step = kTileColumns;
      }
      if (columns <= kPerRegister) multiply<1>(in, tile, block.i + i, rows, block.j + j, columns);
      else multiply<2>(in, tile, block.i + i, rows, block.j + j, columns);
    }
  }
}

void multiply_share(const Blocks& in, Room& room, const Share& share) {
  const MatMulSizes& s = in.s;
  int64_t depth = tile_depth(s.k);
  for (int64_t p = 0; p < s.k; p += depth) {
    int64_t k = std::min(depth, s.k - p);
    for (int64_t j = 0; j < share.columns; j += kBlockColumns) {
      int64_t columns = std::min(kBlockColumns, share.columns - j);
      pack_columns(in, share.j + j, columns, p, k, room.b);
      for (int64_t i = 0; i < share.rows; i += kBlockRows) {
        int64_t rows = std::min(kBlockRows, share.rows - i);
        for (int64_t r = 0; r < rows; r += kTileRows) {
          pack_rows(s, in.a, share.i + i + r, std::min<int64_t>(kTileRows, rows - r), p, k,
                    room.a + r / kTileRows * k * kPitch);
        }
        multiply_block(in, room, {share.i + i, rows, share.j + j, columns}, p, k);
      }
    }
  }
}

}  // namespace

void gemm_in_blocks(const MatMulSizes& s, const float* a, const float* b, const float* bias, float* c) {
  Shares shares(s.m, s.n, max_threads());
  Room* rooms = rooms_for(shares.count());
  if (rooms == nullptr) return gemm_in_tiles(s, a, b, bias, c);
  parallel_for(shares.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) multiply_share({s, a, b, bias, c}, rooms[at], shares[at]);
  });
}

}  // namespace lutra
