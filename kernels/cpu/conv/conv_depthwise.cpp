// Note [Channels side by side]
// Channels are contiguous, so a register holds several of a position's. A tile is several positions in a row of the
// result, with two registers each: a tap's weights are loaded once and multiplied by all the elements that the
// positions read through it. For the gradient of the weights a tile is several taps in a row of the window, and goes
// over all positions.
#include "kernels/cpu/conv/conv_depthwise.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/gemm/gemm_tile.h"
#include "kernels/element/muladd.h"

namespace lutra {
namespace {

using Register = RegisterOf<float>;
constexpr int kPerRegister = kInRegister<float>;

#if defined(__AVX512F__)
constexpr int kTilePlaces = 8;
#else
constexpr int kTilePlaces = 6;
#endif
constexpr int kRegisters = 2;

// Positions in a row of the result that one thread computes together.
constexpr int64_t kSegment = 48;

// A range of taps of the window, all of them within the image. `x` is what the first position reads through the first
// of them.
struct Tile {
  const float *x = nullptr, *w = nullptr;
  int64_t rows, taps = 0;                // of the window
  int64_t row_step, tap_step;            // from one to the next, in x
  int64_t weight_row_step, weight_step;  // in w
  int64_t place_step;                    // from one position to the next, in x
  float* y = nullptr;
  int64_t result_step;  // in y
};

template <int places, int registers> void multiply_places(const Tile& tile) {
  Register sum[places][registers];
#pragma GCC unroll 16
  for (int i = 0; i < places; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) sum[i][r] = Register{};
  }
  const int64_t tap_step = tile.tap_step, weight_step = tile.weight_step, place_step = tile.place_step;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const float *x = tile.x + row * tile.row_step, *w = tile.w + row * tile.weight_row_step;
    for (int64_t tap = 0; tap < tile.taps; ++tap, x += tap_step, w += weight_step) {
      Register weights[registers];
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) weights[r] = load_register(w + r * kPerRegister);
#pragma GCC unroll 16
      for (int i = 0; i < places; ++i) {
#pragma GCC unroll 2
        for (int r = 0; r < registers; ++r) {
          sum[i][r] = muladd_lanes(load_register(x + i * place_step + r * kPerRegister), weights[r], sum[i][r]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < places; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) store_register(sum[i][r], tile.y + i * tile.result_step + r * kPerRegister);
  }
}

template <int registers, int... places>
constexpr std::array<void (*)(const Tile&), kTilePlaces> place_kernels(std::integer_sequence<int, places...>) {
  return {multiply_places<places + 1, registers>...};
}
// Indexed by the number of positions, less one.
template <int registers>
constexpr auto kPlaceKernels = place_kernels<registers>(std::make_integer_sequence<int, kTilePlaces>{});

// There must be at least as many channels as a register holds.
void multiply_channels(Tile tile, int64_t places, int64_t channels) {
  auto at = static_cast<std::size_t>(places - 1);
  for (int64_t left = channels; left > 0;) {
    int64_t done = kRegisters * kPerRegister;
    if (left >= done) {
      kPlaceKernels<kRegisters>[at](tile);
    } else if (left >= kPerRegister) {
      done = kPerRegister;
      kPlaceKernels<1>[at](tile);
    } else {
      // The last register of channels, which includes some that are computed already.
      int64_t back = kPerRegister - left;
      tile.x -= back, tile.w -= back, tile.y -= back;
      kPlaceKernels<1>[at](tile);
      return;
    }
    left -= done;
    tile.x += done, tile.w += done, tile.y += done;
  }
}

// How many of `items` equal shares make a thread worthwhile.
int64_t grain_of(const ConvSizes& s, int64_t items) {
  constexpr double kShared = 1 << 18;  // multiplications: some microseconds
  return 1 + static_cast<int64_t>(kShared * static_cast<double>(items) / (s.multiplications() + 1));
}

// The taps of a window at `at` that are within the image: [first, last).
struct TapRange {
  int64_t first, last;
  TapRange(const WindowAxis& axis, int64_t at) {
    int64_t start = at * axis.stride - axis.before, d = axis.dilation;
    first = start >= 0 ? 0 : std::min(axis.size, (-start + d - 1) / d);
    last = axis.in > start ? std::min(axis.size, (axis.in - start + d - 1) / d) : 0;
    last = std::max(first, last);
  }
  int64_t count() const { return last - first; }
};

// Computes positions [begin, end) of a row of the result.
void multiply_row(const ConvSizes& s, const float* x, const float* w, float* y, int64_t image, int64_t row,
                  int64_t begin, int64_t end) {
  const WindowAxis &h = s.height, &width = s.width;
  TapRange rows(h, row);
  const float* from = x + (image * h.in + row * h.stride - h.before + rows.first * h.dilation) * width.in * s.channels;
  float* to = y + (image * h.out + row) * width.out * s.channels;
  Tile tile{.rows = rows.count(),
            .row_step = h.dilation * width.in * s.channels,
            .tap_step = width.dilation * s.channels,
            .weight_row_step = width.size * s.channels,
            .weight_step = s.channels,
            .place_step = width.stride * s.channels,
            .result_step = s.channels};
  auto multiply = [&](int64_t place, int64_t places, const TapRange& taps) {
    tile.taps = taps.count();
    tile.x = from + (place * width.stride - width.before + taps.first * width.dilation) * s.channels;
    tile.w = w + (rows.first * width.size + taps.first) * s.channels;
    tile.y = to + place * s.channels;
    multiply_channels(tile, places, s.channels);
  };
  for (int64_t place = begin; place < end;) {
    TapRange taps(width, place);
    int64_t places = 1;
    if (taps.count() == width.size) {
      while (places < kTilePlaces && place + places < end && TapRange(width, place + places).count() == width.size) {
        ++places;
      }
    }
    multiply(place, places, taps);
    place += places;
  }
}

void multiply_images(const ConvSizes& s, const float* x, const float* w, float* y) {
  const int64_t segments = (s.width.out + kSegment - 1) / kSegment, rows = s.batch * s.height.out;
  parallel_for(rows * segments, grain_of(s, rows * segments), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end && !StopRequest::is_wanted(); ++at) {
      int64_t row = at / segments, first = at % segments * kSegment;
      multiply_row(s, x, w, y, row / s.height.out, row % s.height.out, first, std::min(first + kSegment, s.width.out));
    }
  });
}

// Taps [tap, tap + count) of row `down` of the window, for up to a register of channels from `channel` on.
struct TapTile {
  int64_t down, tap, count, channel, channels;
};

// Adds to a tile the terms of one row of the result: of positions [begin, end), all of whose taps are within the image.
template <int taps>
void add_places(const float* x, int64_t tap_step, int64_t place_step, const float* dy, int64_t dy_step, int64_t places,
                float* sums) {
  Register sum[taps];
#pragma GCC unroll 16
  for (int t = 0; t < taps; ++t) sum[t] = load_register(sums + t * kPerRegister);
  for (int64_t i = 0; i < places; ++i, x += place_step, dy += dy_step) {
    Register seen = load_register(dy);
#pragma GCC unroll 16
    for (int t = 0; t < taps; ++t) sum[t] = muladd_lanes(load_register(x + t * tap_step), seen, sum[t]);
  }
#pragma GCC unroll 16
  for (int t = 0; t < taps; ++t) store_register(sum[t], sums + t * kPerRegister);
}

template <int... taps> constexpr auto tap_kernels(std::integer_sequence<int, taps...>) {
  return std::array{add_places<taps + 1>...};
}
constexpr int kTileTaps = 8;
constexpr auto kTapKernels = tap_kernels(std::make_integer_sequence<int, kTileTaps>{});

// The sums of each row of the result are added to those of the rows before.
void sum_taps(const ConvSizes& s, const TapTile& tile, const float* x, const float* dy, float* dw) {
  const WindowAxis &h = s.height, &w = s.width;
  float all[kTileTaps * kPerRegister] = {}, row_sums[kTileTaps * kPerRegister];
  const int64_t used = tile.count * kPerRegister, tap_step = w.dilation * s.channels,
                place_step = w.stride * s.channels;
  const auto kernel = kTapKernels[static_cast<std::size_t>(tile.count - 1)];
  for (int64_t row = 0; row < s.batch * h.out && !StopRequest::is_wanted(); ++row) {
    int64_t image = row / h.out, seen = row % h.out * h.stride - h.before + tile.down * h.dilation;
    if (seen < 0 || seen >= h.in) continue;
    std::fill_n(row_sums, used, 0.0f);
    const float* from = x + (image * h.in + seen) * w.in * s.channels + tile.channel;
    const float* ours = dy + row * w.out * s.channels + tile.channel;
    // The column of x that the tile's first tap reads at `place`.
    auto left = [&](int64_t place) { return place * w.stride - w.before + tile.tap * w.dilation; };
    const int64_t across = (tile.count - 1) * w.dilation;
    const bool is_whole = tile.channels == kPerRegister;
    auto add_place = [&](int64_t place) {
      for (int64_t t = 0; t < tile.count; ++t) {
        int64_t column = left(place) + t * w.dilation;
        if (column < 0 || column >= w.in) continue;
        for (int64_t c = 0; c < tile.channels; ++c) {
          float& sum = row_sums[t * kPerRegister + c];
          sum = muladd(from[column * s.channels + c], ours[place * s.channels + c], sum);
        }
      }
    };
    for (int64_t place = 0; place < w.out;) {
      int64_t end = place;
      if (is_whole && left(place) >= 0 && left(place) + across < w.in) {
        end = std::min(w.out, place + (w.in - 1 - across - left(place)) / w.stride + 1);
        kernel(from + left(place) * s.channels, tap_step, place_step, ours + place * s.channels, s.channels,
               end - place, row_sums);
        place = end;
      } else {
        add_place(place++);
      }
    }
    for (int64_t i = 0; i < used; ++i) all[i] += row_sums[i];
  }
  for (int64_t t = 0; t < tile.count; ++t) {
    float* to = dw + (tile.down * w.size + tile.tap + t) * s.channels + tile.channel;
    std::copy_n(all + t * kPerRegister, tile.channels, to);
  }
}

void sum_filter(const ConvSizes& s, const float* x, const float* dy, float* dw) {
  const int64_t blocks = (s.channels + kPerRegister - 1) / kPerRegister;
  const int64_t tiles = (s.width.size + kTileTaps - 1) / kTileTaps, taps = (s.width.size + tiles - 1) / tiles;
  const int64_t items = s.height.size * tiles * blocks;
  parallel_for(items, grain_of(s, items), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t tap = item / blocks % tiles * taps, channel = item % blocks * kPerRegister;
      TapTile tile{.down = item / blocks / tiles,
                   .tap = tap,
                   .count = std::min(taps, s.width.size - tap),
                   .channel = channel,
                   .channels = std::min<int64_t>(kPerRegister, s.channels - channel)};
      if (tile.count > 0) sum_taps(s, tile, x, dy, dw);
    }
  });
}

}  // namespace

bool depthwise_pays(ConvPart part, const ConvSizes& s) {
  if (s.groups != s.channels || s.out != s.channels || s.groups == 1) return false;
    // Where oneDNN's loops are slow: for wide windows without AVX-512, for narrow results with it, and for the gradient
    // of the weights of all but small windows.
#if defined(__AVX512F__)
  constexpr int64_t kLeastTaps = INT64_MAX, kNarrow = 2;
#elif defined(__AVX__)
  constexpr int64_t kLeastTaps = 10, kNarrow = 0;
#else
  constexpr int64_t kLeastTaps = 5, kNarrow = 0;
#endif
  constexpr int64_t kLeastFilterTaps = 5;
  if (part == ConvPart::Filter) return s.width.size >= kLeastFilterTaps;
  bool is_output = part == ConvPart::Output && s.channels >= kPerRegister;
  return is_output && (s.width.size >= kLeastTaps || s.width.out <= kNarrow);
}

void depthwise(ConvPart part, const ConvSizes& s, const float* x, const float* second, float* result) {
  if (part == ConvPart::Output) multiply_images(s, x, second, result);
  else sum_filter(s, x, second, result);
}

}  // namespace lutra
