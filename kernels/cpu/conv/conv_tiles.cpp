// Note [Windows by their addresses]
// After Dukhan, The Indirect Convolution Algorithm, 2019. Row i of the product's left operand is the window of result
// position i: the channels under each of its taps, in turn. Windows are not copied. A tile gets the address of every
// tap for each of its rows, or the address of zeros for a tap outside the image. Weights are packed into panels, a few
// taps or a range of one tap's channels at a time.
#include "kernels/cpu/conv/conv_tiles.h"

#include <algorithm>
#include <memory>
#include <new>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/conv/im2col.h"
#include "kernels/cpu/gemm/gemm_pack.h"
#include "kernels/cpu/gemm/gemm_shares.h"
#include "kernels/cpu/gemm/gemm_tile.h"

namespace lutra {
namespace {

using Register = RegisterOf<float>;
constexpr int kPerRegister = kInRegister<float>;

// With fewer channels most of the time would go into addresses; with a smaller result packing panels would not pay off.
constexpr int64_t kLeastChannels = 16;
constexpr double kLeastWork = 1 << 20;

// Terms in a chunk: its panel of weights takes three quarters of the L1 cache.
constexpr int64_t kPieceDepth = 384;

// Rows of the product that are computed with all panels in turn.
constexpr int64_t kBlockRows = 144 / kTileRows * kTileRows;

alignas(64) constexpr float kZeros[kPieceDepth] = {};

// A chunk of the product's sums: taps [tap, tap + taps), and of each the channels [channel, channel + channels).
struct Piece {
  int64_t tap, taps, channel, channels;
  int64_t depth() const { return taps * channels; }
};

struct Convolution {
  const ConvSizes& s;
  const float *x, *w;
  float* y;
  int64_t group;
};

// A thread's buffers for packed panels and for addresses.
struct Room {
  std::unique_ptr<float[]> panels;
  const float* taps[kBlockRows * kPieceDepth / kLeastChannels];
};

// A tap of a chunk: its distance from the start of the window, along each axis and in x.
struct Tap {
  int64_t down, across, offset;
};

// The addresses of a chunk's taps for `rows` positions from `first` on: tile by tile, as (tap, row of the tile).
void find_taps(const Convolution& in, const Piece& piece, int64_t first, int64_t rows, const float** taps) {
  const ConvSizes& s = in.s;
  const int64_t line = s.width.in * s.channels;
  Tap distances[kPieceDepth / kLeastChannels];
  Tap nearest{INT64_MAX, INT64_MAX, 0}, furthest{0, 0, 0};
  for (int64_t t = 0; t < piece.taps; ++t) {
    int64_t down = (piece.tap + t) / s.width.size * s.height.dilation,
            across = (piece.tap + t) % s.width.size * s.width.dilation;
    distances[t] = {down, across, down * line + across * s.channels};
    nearest = {std::min(nearest.down, down), std::min(nearest.across, across), 0};
    furthest = {std::max(furthest.down, down), std::max(furthest.across, across), 0};
  }
  int64_t column = first % s.width.out, row = first / s.width.out % s.height.out;
  int64_t image = first / s.width.out / s.height.out;
  const float* channels = in.x + in.group * s.group_in() + piece.channel;
  for (int64_t i = 0; i < rows; ++i) {
    const float** to = taps + i / kTileRows * piece.taps * kTileRows + i % kTileRows;
    const int64_t top = row * s.height.stride - s.height.before, left = column * s.width.stride - s.width.before;
    const float* start = channels + ((image * s.height.in + top) * s.width.in + left) * s.channels;
    bool is_inside = top + nearest.down >= 0 && top + furthest.down < s.height.in && left + nearest.across >= 0 &&
                     left + furthest.across < s.width.in;
    for (int64_t t = 0; t < piece.taps; ++t, to += kTileRows) {
      auto is_in = [](int64_t at, const WindowAxis& axis) { return at >= 0 && at < axis.in; };
      const Tap& tap = distances[t];
      bool shows = is_inside || (is_in(top + tap.down, s.height) && is_in(left + tap.across, s.width));
      *to = shows ? start + tap.offset : kZeros;
    }
    if (++column < s.width.out) continue;
    column = 0;
    if (++row < s.height.out) continue;
    row = 0;
    ++image;
  }
}

struct WindowTile {
  const float* const* taps;
  int64_t count, channels;  // of the taps
  const float* b;
  float* c;
  int64_t ldc;
  bool adds;
};

template <int rows, int registers> void multiply_windows(const WindowTile& tile) {
  Sums<float, rows, registers> sums;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) sums.sum[i][r] = Register{};
    __builtin_prefetch(tile.c + i * tile.ldc, 1);
  }
  const float* b = tile.b;
  const int64_t channels = tile.channels;
  for (int64_t t = 0; t < tile.count; ++t) {
    const float* a[rows];
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) a[i] = tile.taps[t * kTileRows + i];
    for (int64_t p = 0; p < channels; ++p) {
      Register columns[registers];
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) columns[r] = load_register(b + r * kPerRegister);
      sums.add(
          columns, [&](int i) __attribute__((always_inline)) { return a[i][p]; });
      b += registers * kPerRegister;
    }
  }
  sums.write(tile.c, tile.ldc, tile.adds);
}

template <int registers, int... rows>
constexpr std::array<void (*)(const WindowTile&), kTileRows> window_kernels(std::integer_sequence<int, rows...>) {
  return {multiply_windows<rows + 1, registers>...};
}
template <int registers>
constexpr auto kWindowKernels = window_kernels<registers>(std::make_integer_sequence<int, kTileRows>{});

// Computes the tiles of `columns` columns of c from (i, j) on, for `rows` rows.
template <int registers>
void multiply_rows(const Convolution& in, const Piece& piece, const float* panel, const Share& block,
                   const float* const* taps) {
  constexpr int64_t kWidth = registers * kPerRegister;
  alignas(64) float part[kTileRows * kWidth];
  const bool is_whole = block.columns == kWidth, adds = piece.tap > 0 || piece.channel > 0;
  const int64_t all = in.s.out;
  for (int64_t i = 0; i < block.rows; i += kTileRows, taps += piece.taps * kTileRows) {
    int64_t rows = std::min<int64_t>(kTileRows, block.rows - i);
    float* to = in.y + (block.i + i) * all + in.group * in.s.group_out() + block.j;
    WindowTile tile{.taps = taps,
                    .count = piece.taps,
                    .channels = piece.channels,
                    .b = panel,
                    .c = is_whole ? to : part,
                    .ldc = is_whole ? all : kWidth,
                    .adds = is_whole && adds};
    kWindowKernels<registers>[static_cast<std::size_t>(rows - 1)](tile);
    if (!is_whole) add_part(part, kWidth, rows, block.columns, adds, to, all);
  }
}

void multiply_piece(const Convolution& in, const Piece& piece, const Share& share, Room& room) {
  // The weights' rows are (tap, channel of the group).
  int64_t in_group = in.s.group_in();
  MatMulSizes weights{};
  weights.ldb = in.s.out;
  const float* w = in.w + in.group * in.s.group_out();
  int64_t depth = piece.depth(), first = piece.tap * in_group + piece.channel;
  float* panel = room.panels.get();
  auto width_of = [](int64_t columns) { return columns <= kPerRegister ? kPerRegister : kTileColumns<float>; };
  for (int64_t j = 0; j < share.columns; j += kTileColumns<float>, panel += depth * kTileColumns<float>) {
    int64_t columns = std::min<int64_t>(kTileColumns<float>, share.columns - j);
    pack_panel(weights, w, first, depth, share.j + j, columns, width_of(columns), panel);
  }
  for (int64_t i = 0; i < share.rows && !StopRequest::is_wanted(); i += kBlockRows) {
    Share block{share.i + i, std::min(kBlockRows, share.rows - i), 0, 0};
    find_taps(in, piece, block.i, block.rows, room.taps);
    panel = room.panels.get();
    for (int64_t j = 0; j < share.columns; j += kTileColumns<float>, panel += depth * kTileColumns<float>) {
      block.j = share.j + j;
      block.columns = std::min<int64_t>(kTileColumns<float>, share.columns - j);
      if (block.columns <= kPerRegister) multiply_rows<1>(in, piece, panel, block, room.taps);
      else multiply_rows<2>(in, piece, panel, block, room.taps);
    }
  }
}

int64_t pieces_of(int64_t terms) { return (terms + kPieceDepth - 1) / kPieceDepth; }

// Whole taps as long as they fit into a panel, else ranges of one tap's channels.
template <class Each> void for_pieces(const ConvSizes& s, const Each& each) {
  int64_t channels = s.group_in();
  if (channels > kPieceDepth) {
    int64_t parts = pieces_of(channels), part = (channels + parts - 1) / parts;
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      for (int64_t c = 0; c < channels; c += part) each(Piece{tap, 1, c, std::min(part, channels - c)});
    }
    return;
  }
  int64_t most = kPieceDepth / channels, pieces = (s.taps() + most - 1) / most, taps = (s.taps() + pieces - 1) / pieces;
  for (int64_t tap = 0; tap < s.taps(); tap += taps) each(Piece{tap, std::min(taps, s.taps() - tap), 0, channels});
}

}  // namespace

bool tiles_convolve(const ConvSizes& s) {
  if (s.group_in() < kLeastChannels || s.group_out() < kLeastChannels || s.multiplications() < kLeastWork) return false;
#if defined(__AVX512F__)
  // If the convolution is cut, oneDNN reads all weights for each chunk; with tiles, a thread reads a range of their
  // columns.
  constexpr int64_t kFewResults = 256, kManyWeights = 1 << 20;
  return s.results() <= kFewResults && s.taps() * s.group_in() * s.out >= kManyWeights;
#else
  return true;
#endif
}

bool conv_in_tiles(const ConvSizes& s, const float* x, const float* w, float* y) {
  // Threads claim shares of a group's result. Each packs the weights of its columns, so groups are cut only if there
  // are too few of them.
  constexpr int64_t kSharesEach = 2;  // per thread
  const int64_t threads = max_threads(), wanted = threads == 1 ? 1 : kSharesEach * threads;
  const Shares shares(s.results(), s.group_out(), (wanted + s.groups - 1) / s.groups);
  const int64_t count = s.groups * shares.count();
  std::unique_ptr<Room[]> rooms(new (std::nothrow) Room[static_cast<std::size_t>(count)]);
  if (rooms == nullptr) return false;
  for (int64_t at = 0; at < count; ++at) {
    int64_t columns =
        (shares[at % shares.count()].columns + kTileColumns<float> - 1) / kTileColumns<float> * kTileColumns<float>;
    rooms[at].panels.reset(new (std::nothrow) float[static_cast<std::size_t>(columns * kPieceDepth)]);
    if (rooms[at].panels == nullptr) return false;
  }
  parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const Share share = shares[at % shares.count()];
      Convolution in{s, x, w, y, at / shares.count()};
      for_pieces(s, [&](const Piece& piece) { multiply_piece(in, piece, share, rooms[at]); });
    }
  });
  return true;
}

}  // namespace lutra
