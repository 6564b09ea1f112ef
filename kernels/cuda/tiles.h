// Transposes on cards: moves elements whose neighbours lie along one axis of the source and along another one of the
// destination. A block reads a square tile of these two axes along the first and writes it along the second, so that
// neighbouring threads always touch neighbouring elements.
#pragma once

#include <type_traits>

#include "kernels/cuda/device.h"
#include "kernels/cuda/index_plan.h"
#include "kernels/cuda/steps.h"

namespace lutra::cuda {

inline constexpr int kTileSide = 64;

template <class E> struct TileArgs {
  const E* from;
  E* to;
  int64_t from_row_step;   // a row of the tile has neighbours of the source
  int64_t to_column_step;  // a column has neighbours of the destination
  uint32_t rows, columns;
  uint32_t tiles;
  Divider row_tiles, column_tiles;
  int rank;  // of the other axes
  Divider dims[kMaxRank];
  int64_t from_step[kMaxRank], to_step[kMaxRank];
};

template <class E> LUTRA_GLOBAL void tile_kernel(const TileArgs<E> args) {
  constexpr int kRowsAtOnce = kBlockThreads / kTileSide;
  // Smaller cells would put a column's elements into the same banks of shared memory.
  using Cell = std::conditional_t<(sizeof(E) < 4), uint32_t, E>;
  LUTRA_SHARED Cell cells[kTileSide][kTileSide + 1];
  for (int64_t tile = block_index(); tile < args.tiles; tile += block_count()) {
    uint32_t number = static_cast<uint32_t>(tile);
    uint32_t quotient = args.row_tiles.divide(number);
    const uint32_t row0 = (number - quotient * args.row_tiles.divisor) * kTileSide;
    number = quotient;
    quotient = args.column_tiles.divide(number);
    const uint32_t column0 = (number - quotient * args.column_tiles.divisor) * kTileSide;
    number = quotient;
    const E* from = args.from;
    E* to = args.to;
    for (int axis = 0; axis < args.rank; ++axis) {
      quotient = args.dims[axis].divide(number);
      const int64_t index = number - quotient * args.dims[axis].divisor;
      from += index * args.from_step[axis];
      to += index * args.to_step[axis];
      number = quotient;
    }
    for_threads([&](int t) {
      const uint32_t column = t % kTileSide;
      if (column0 + column >= args.columns) return;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (uint32_t step = 0; step < kTileSide; step += kRowsAtOnce) {
        const uint32_t row = step + t / kTileSide;
        if (row0 + row < args.rows) cells[row][column] = from[(row0 + row) * args.from_row_step + column0 + column];
      }
    });
    for_threads([&](int t) {
      const uint32_t row = t % kTileSide;
      if (row0 + row >= args.rows) return;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (uint32_t step = 0; step < kTileSide; step += kRowsAtOnce) {
        const uint32_t column = step + t / kTileSide;
        if (column0 + column >= args.columns) continue;
        to[(column0 + column) * args.to_column_step + row0 + row] = static_cast<E>(cells[row][column]);
      }
    });
  }
}

// Queues the move if tiles suit it: the axes of neighbours differ, and both have some length. Needs a destination whose
// innermost axis has neighbours.
template <class E> bool run_tiles(const CudaLaunch& on, const Steps& steps, const E* from, E* to) {
  constexpr int64_t kShortest = 16;
  if (steps.rank < 2 || steps.to[0] != 1 || steps.from[0] == 1 || steps.dims[0] < kShortest) return false;
  int along = 1;  // the axis of the source's neighbours
  while (along < steps.rank && steps.from[along] != 1) ++along;
  if (along == steps.rank || steps.dims[along] < kShortest) return false;
  TileArgs<E> args{};
  args.from = from;
  args.to = to;
  args.rows = static_cast<uint32_t>(steps.dims[0]);
  args.columns = static_cast<uint32_t>(steps.dims[along]);
  args.from_row_step = steps.from[0];
  args.to_column_step = steps.to[along];
  const uint32_t row_tiles = (args.rows + kTileSide - 1) / kTileSide;
  const uint32_t column_tiles = (args.columns + kTileSide - 1) / kTileSide;
  args.row_tiles = Divider(row_tiles);
  args.column_tiles = Divider(column_tiles);
  args.tiles = row_tiles * column_tiles;
  for (int axis = 1; axis < steps.rank; ++axis) {
    if (axis == along) continue;
    args.dims[args.rank] = Divider(static_cast<uint32_t>(steps.dims[axis]));
    args.from_step[args.rank] = steps.from[axis];
    args.to_step[args.rank++] = steps.to[axis];
    args.tiles *= static_cast<uint32_t>(steps.dims[axis]);
  }
  launch_all_blocks(on, args.tiles, tile_kernel<E>, args);
  return true;
}

}  // namespace lutra::cuda
