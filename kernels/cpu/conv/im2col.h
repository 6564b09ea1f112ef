// Convolution as matrix products: for each result position, the elements in its window are copied to a row, and the
// rows are multiplied by the weights. The chunks are always the same, so results do not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/loops/rows.h"
#include "kernels/indexing/window_ways.h"
#include "ops/conv.h"

namespace lutra {

// Positions of the result from `first` on.
struct Places {
  int64_t first, count;
};

// For each position, copies what the taps [tap, tap + taps) read: `channels` channels from `channel` on, of `all`.
template <class Way, class C>
void lay_out(const ConvSizes& s, const C* source, Places places, int64_t tap, int64_t taps, int64_t all,
             int64_t channel, int64_t channels, C* to) {
  int64_t height = Way::results(s.height), width = Way::results(s.width);
  for (int64_t p = places.first; p < places.first + places.count; ++p) {
    int64_t image = p / (height * width), row = p / width % height, column = p % width;
    for (int64_t t = tap; t < tap + taps; ++t, to += channels) {
      int64_t h = Way::source(s.height, row, t / s.width.size), w = Way::source(s.width, column, t % s.width.size);
      if (h < 0 || w < 0) {
        std::fill(to, to + channels, C(0));
        continue;
      }
      int64_t place = (image * Way::sources(s.height) + h) * Way::sources(s.width) + w;
      std::copy_n(source + place * all + channel, channels, to);
    }
  }
}

// Weights as a product reads them: for each group a matrix (taps * from, to) with rows `ld` apart.
template <class C> struct Weights {
  const C* data;
  int64_t ld, group_step;
};

// result[place, :] = the window's row times the weights, group by group. `from` and `to` are channels of a group.
template <class Way, class C>
void windows_times(const ConvSizes& s, const C* source, int64_t from, int64_t to, const Weights<C>& weights,
                   C* result) {
  int64_t depth = s.taps() * from, all_to = to * s.groups;
  int64_t total = s.batch * Way::results(s.height) * Way::results(s.width);
  int64_t together = std::clamp<int64_t>(65536 / std::max<int64_t>(1, depth), 8, 512);
  double work = static_cast<double>(together) * static_cast<double>(depth) * static_cast<double>(all_to);
  int64_t grain = 1 + static_cast<int64_t>(kParallelProduct / 4 / (work + 16));
  parallel_for((total + together - 1) / together, grain, [&](int64_t begin, int64_t end) {
    std::vector<C> rows(static_cast<std::size_t>(together * depth));
    std::vector<C> product(s.groups > 1 ? static_cast<std::size_t>(together * to) : 0);
    for (int64_t item = begin; item < end && !StopRequest::is_wanted(); ++item) {
      Places places{item * together, std::min(together, total - item * together)};
      MatMulSizes sizes{.m = places.count,
                        .n = to,
                        .k = depth,
                        .k_of_b = depth,
                        .lda = depth,
                        .ldb = weights.ld,
                        .transpose_a = false,
                        .transpose_b = false};
      C* at = result + places.first * all_to;
      for (int64_t group = 0; group < s.groups; ++group) {
        lay_out<Way>(s, source, places, 0, s.taps(), from * s.groups, group * from, from, rows.data());
        const C* matrix = weights.data + group * weights.group_step;
        if (s.groups == 1) {
          gemm(sizes, rows.data(), matrix, at);
          continue;
        }
        gemm(sizes, rows.data(), matrix, product.data());
        for (int64_t p = 0; p < places.count; ++p) {
          std::copy_n(product.data() + p * to, to, at + p * all_to + group * to);
        }
      }
    }
  });
}

template <class C> void own_conv(const ConvSizes& s, const C* x, const C* w, C* y) {
  windows_times<Forward>(s, x, s.group_in(), s.group_out(), {w, s.out, s.group_out()}, y);
}

// `turned` has room for w; it gets the transposed matrices of each group's taps.
template <class C> void own_conv_input(const ConvSizes& s, const C* w, const C* dy, C* dx, C* turned) {
  int64_t in = s.group_in(), out = s.group_out();
  parallel_for(s.groups * s.taps(), row_grain(kCheapGrain, in * out), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t group = item / s.taps(), tap = item % s.taps();
      C* matrix = turned + item * in * out;
      for (int64_t i = 0; i < in; ++i) {
        const C* row = w + (tap * in + i) * s.out + group * out;
        for (int64_t o = 0; o < out; ++o) matrix[o * in + i] = row[o];
      }
    }
  });
  windows_times<Backward>(s, dy, out, in, {turned, in, s.taps() * in * out}, dx);
}

// One thread computes each chunk of dw, a few input channels of one tap: the sum over all positions.
template <class C> void own_conv_filter(const ConvSizes& s, const C* x, const C* dy, C* dw) {
  constexpr int64_t kTogether = 256, kPiece = 32;
  int64_t in = s.group_in(), out = s.group_out(), pieces = (in + kPiece - 1) / kPiece;
  int64_t places = s.results();
  double work = static_cast<double>(places) * static_cast<double>(std::min(in, kPiece)) * static_cast<double>(out);
  int64_t grain = 1 + static_cast<int64_t>(kParallelProduct / 4 / (work + 16));
  parallel_for(s.groups * s.taps() * pieces, grain, [&](int64_t begin, int64_t end) {
    std::vector<C> rows(static_cast<std::size_t>(kTogether * kPiece));
    std::vector<C> product(static_cast<std::size_t>(kPiece * out)), sum(product.size());
    for (int64_t item = begin; item < end; ++item) {
      int64_t piece = item % pieces, tap = item / pieces % s.taps(), group = item / pieces / s.taps();
      int64_t first = piece * kPiece, channels = std::min(kPiece, in - first);
      std::fill(sum.begin(), sum.end(), C(0));
      for (int64_t place = 0; place < places && !StopRequest::is_wanted(); place += kTogether) {
        int64_t count = std::min(kTogether, places - place);
        lay_out<Forward>(s, x, {place, count}, tap, 1, s.channels, group * in + first, channels, rows.data());
        MatMulSizes sizes{.m = channels,
                          .n = out,
                          .k = count,
                          .k_of_b = count,
                          .lda = channels,
                          .ldb = s.out,
                          .transpose_a = true,
                          .transpose_b = false};
        gemm(sizes, rows.data(), dy + place * s.out + group * out, product.data());
        for (int64_t i = 0; i < channels * out; ++i)
          sum[static_cast<std::size_t>(i)] += product[static_cast<std::size_t>(i)];
      }
      for (int64_t i = 0; i < channels; ++i) {
        std::copy_n(sum.data() + i * out, out, dw + (tap * in + first + i) * s.out + group * out);
      }
    }
  });
}

}  // namespace lutra
