// Note [Blocks of a product]
// After Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008. For one chunk of k at a time,
// rows of a are packed into panels a tile high; a block of these is in the L2 cache. Then columns of b, in panels a
// tile wide, are multiplied by the whole block. Meanwhile the first tiles copy the next panel, and prefetch its rows
// shortly before: rows a power of two apart share few sets of the caches, and would not stay there from one panel to
// the next. So both matrices are read contiguously whatever their strides are, and packing b costs next to nothing
// unless it is transposed. Threads claim shares of c, and each packs what it needs.
#include "kernels/cpu/gemm/gemm_blocks.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/parallel.h"
#include "core/thread_owned.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/gemm/gemm_pack.h"
#include "kernels/cpu/gemm/gemm_shares.h"
#include "kernels/cpu/gemm/gemm_tile.h"
#include "kernels/cpu/gemm/gemm_tiles.h"

namespace lutra {
namespace {

// Rows of a and columns of b that are packed at a time, in whole panels.
#if defined(__AVX512F__)
constexpr int64_t kBlockRows = 350 / kTileRows * kTileRows;
#else
constexpr int64_t kBlockRows = 144 / kTileRows * kTileRows;
#endif
constexpr int64_t kBlockColumns = 1024;

// Shares of c per thread.
constexpr int64_t kSharesEach = 2;

// The buffers that a share of c is packed into.
struct Room {
  alignas(64) float a[kBlockRows / kTileRows * kPitch * kTileDepth];
  alignas(64) float b[kBlockColumns * kTileDepth];
};

// Kept for the thread's next product: fresh memory costs a page fault every 4 KB. Null if there is no memory.
Room* room_of_thread() {
  static ThreadOwned<Room> owned;
  return owned.get();
}

struct Blocks {
  const MatMulSizes& s;
  const float *a, *b, *bias;
  float* c;
};

// Rows of c, and the range of k, whose values of a are packed.
struct Block {
  int64_t i, rows, p, k;
};

// A panel of b from column j on, and its copy; then the panel that is copied meanwhile, if any.
struct Panel {
  int64_t j, columns;
  const float* b;
  float* next;
};

// The kernels for tile number `at` of `tiles`. Sets in `tile` its share of copying the next panel.
template <int registers>
const TileKernel* choose_kernels(const MatMulSizes& s, const float* next, int64_t at, int64_t tiles, Tile& tile) {
  constexpr int64_t kCopying = 4;
  const auto* plain = kTileKernels<registers, Layout::Packed>.data();
  bool is_row = tiles < kCopying;
  if (tile.copy == nullptr || at >= (is_row ? 2 : kCopying)) return plain;
  int64_t half = at % 2 * (tile.k / 2), line = is_row ? 0 : at / 2 * kPerRegister;
  tile.ahead = next + half * s.ldb + line;
  tile.ahead_step = s.ldb;
  tile.copy += half * kTileColumns + line;
  return (is_row ? kTileKernels<2, Layout::Packed, Beside::CopyRow>
                 : kTileKernels<2, Layout::Packed, Beside::CopyHalfRow>)
      .data();
}

template <int registers>
void multiply_panel(const Blocks& in, const Room& room, const Block& block, const Panel& panel) {
  constexpr int64_t kWidth = registers * kPerRegister;
  alignas(64) float part[kTileRows * kWidth];
  const MatMulSizes& s = in.s;
  const bool is_whole = panel.columns == kWidth, is_last = block.p + block.k == s.k, adds = block.p > 0;
  const float* bias = in.bias != nullptr && is_last ? in.bias + panel.j : nullptr;
  const float* next = in.b + block.p * s.ldb + panel.j + kWidth;
  const int64_t tiles = (block.rows + kTileRows - 1) / kTileRows;
  for (int64_t at = 0, i = 0; at < tiles; ++at, i += kTileRows) {
    int64_t rows = std::min<int64_t>(kTileRows, block.rows - i);
    float* c = in.c + (block.i + i) * s.n + panel.j;
    Tile tile{.a = room.a + at * block.k * kPitch,
              .b = panel.b,
              .ldb = kWidth,
              .copy = panel.next,
              .c = is_whole ? c : part,
              .ldc = is_whole ? s.n : kWidth,
              .k = block.k,
              .adds = is_whole && adds,
              .bias = is_whole ? bias : nullptr};
    choose_kernels<registers>(s, next, at, tiles, tile)[rows - 1](tile);
    if (!is_whole) add_part(part, kWidth, rows, panel.columns, adds, c, s.n, bias);
  }
}

// The addresses of packed panels of b. All are kept for the blocks of rows to come; or, if there is only one block, the
// panel that is multiplied and the next, which then stay in the L1 cache.
class Panels {
 public:
  Panels(float* b, int64_t k, bool are_kept) : b_(b), size_(k * kTileColumns), kept_(are_kept) {}
  float* operator[](int64_t at) const { return b_ + (kept_ ? at : at % 2) * size_; }

 private:
  float* b_;
  int64_t size_;
  bool kept_;
};

// Computes `columns` of c from j on, at most kBlockColumns. Only the first block of rows has to pack b.
void multiply_block(const Blocks& in, Room& room, const Panels& panels, const Block& block, bool is_first, int64_t j,
                    int64_t columns) {
  const MatMulSizes& s = in.s;
  for (int64_t r = 0; r < block.rows; r += kTileRows) {
    pack_rows(s, in.a, block.i + r, std::min<int64_t>(kTileRows, block.rows - r), block.p, block.k,
              room.a + r / kTileRows * block.k * kPitch);
  }
  bool is_there = !is_first;
  for (int64_t at = 0; at * kTileColumns < columns; ++at) {
    int64_t from = at * kTileColumns, next = columns - from - kTileColumns;
    Panel panel{j + from, std::min<int64_t>(kTileColumns, columns - from), panels[at], nullptr};
    bool is_narrow = panel.columns <= kPerRegister;
    if (!is_there) {
      pack_panel(s, in.b, block.p, block.k, panel.j, panel.columns, is_narrow ? kPerRegister : kTileColumns,
                 panels[at]);
    }
    if (is_first) {
      // With a single tile there is no other to copy the other half.
      is_there = !s.transpose_b && next >= kTileColumns && block.rows > kTileRows;
      if (is_there) panel.next = panels[at + 1];
    }
    // Tiles copy a row in every two steps: two halves of k, without the last row if k is odd.
    if (int64_t last = block.k - 1; panel.next != nullptr && block.k % 2 == 1) {
      std::copy_n(in.b + (block.p + last) * s.ldb + panel.j + kTileColumns, kTileColumns,
                  panel.next + last * kTileColumns);
    }
    if (is_narrow) multiply_panel<1>(in, room, block, panel);
    else multiply_panel<2>(in, room, block, panel);
  }
}

void multiply_share(const Blocks& in, Room& room, const Share& share) {
  const MatMulSizes& s = in.s;
  // Blocks of about equal height, in whole tiles.
  int64_t blocks = (share.rows + kBlockRows - 1) / kBlockRows;
  int64_t height = ((share.rows + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
  int64_t depth = tile_depth(s.k);
  for (int64_t p = 0; p < s.k; p += depth) {
    int64_t k = std::min(depth, s.k - p);
    Panels panels(room.b, k, height < share.rows);
    for (int64_t j = 0; j < share.columns; j += kBlockColumns) {
      int64_t columns = std::min(kBlockColumns, share.columns - j);
      for (int64_t i = 0; i < share.rows; i += height) {
        Block block{share.i + i, std::min(height, share.rows - i), p, k};
        multiply_block(in, room, panels, block, i == 0, share.j + j, columns);
      }
    }
  }
}

}  // namespace

void gemm_in_blocks(const MatMulSizes& s, const float* a, const float* b, const float* bias, float* c) {
  const int threads = multiplications(s) < kSharedProduct ? 1 : max_threads();
  Shares shares(s.m, s.n, threads == 1 ? 1 : kSharesEach * threads);
  std::atomic<bool> succeeded{true};
  parallel_for(shares.count(), 1, [&](int64_t begin, int64_t end) {
    Room* room = room_of_thread();
    if (room == nullptr) succeeded = false;
    for (int64_t at = begin; at < end && room != nullptr; ++at) multiply_share({s, a, b, bias, c}, *room, shares[at]);
  });
  if (!succeeded) gemm_in_tiles(s, a, b, bias, c);
}

}  // namespace lutra
