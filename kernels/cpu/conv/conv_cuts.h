// Cuts a convolution, or one of its gradients, into chunks that threads compute independently, and a large one first
// into slabs that are computed one after the other. Cuts depend on sizes alone, so results do not depend on the number
// of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/conv/onednn_conv.h"
#include "ops/conv.h"

namespace lutra {

// A chunk takes 20 us or more. More than kMostConvParts chunks would compute too many borders, so at most 16 threads
// share a convolution.
inline constexpr double kConvPartWork = 1 << 20;
inline constexpr int64_t kMostConvParts = 16;

// A range of images; or of rows of one image (of x for Input, else of y; of positions, if there is one row); or, for
// Filter, of columns of w.
struct ConvCut {
  ConvSizes sizes;
  int64_t image = 0, result = 0, column = 0;  // where the range begins in x, in y and in a row of w
  bool adds = false;                          // its dw is one term of the sum
  std::size_t own_bytes = 0;                  // scratch memory for Filter: its columns of dy, or its sum
};

inline ConvCut whole_cut(const ConvSizes& s) { return {.sizes = s}; }

namespace detail {

// A range of results of an axis, and the sources in their windows.
inline WindowAxis results_of(const WindowAxis& axis, int64_t first, int64_t count, int64_t* seen_from) {
  int64_t start = first * axis.stride - axis.before;
  int64_t end = start + (count - 1) * axis.stride + (axis.size - 1) * axis.dilation + 1;
  WindowAxis part = axis;
  *seen_from = std::clamp<int64_t>(start, 0, axis.in);
  part.in = std::min(axis.in, end) - *seen_from;
  part.before = std::max<int64_t>(0, -start);
  part.out = count;
  return part;
}

// A range of sources of an axis, and the results whose windows contain them.
inline WindowAxis places_of(const WindowAxis& axis, int64_t first, int64_t count, int64_t* results_from) {
  int64_t reach = (axis.size - 1) * axis.dilation + 1, last = first + count - 1 + axis.before;
  int64_t start = std::max<int64_t>(0, first + axis.before - reach + axis.stride) / axis.stride;
  WindowAxis part = axis;
  *results_from = start;
  part.in = count;
  part.out = std::min(axis.out, last / axis.stride + 1) - start;
  part.before = first + axis.before - start * axis.stride;
  return part;
}

}  // namespace detail

// Cuts into about `parts` ranges: of images if there are enough, else of at least so many lines.
inline std::vector<ConvCut> ranges_of(ConvPart part, const ConvSizes& s, int64_t parts, int64_t least_lines) {
  std::vector<ConvCut> cuts;
  const int64_t image = s.height.in * s.width.in * s.channels, result = s.height.out * s.width.out * s.out;
  if (s.batch >= parts) {
    const int64_t images = (s.batch + parts - 1) / parts;
    for (int64_t first = 0; first < s.batch; first += images) {
      ConvCut cut = whole_cut(s);
      cut.sizes.batch = std::min(images, s.batch - first);
      cut.image = first * image;
      cut.result = first * result;
      cuts.push_back(cut);
    }
    return cuts;
  }
  const bool is_line = s.height.in == 1 && s.height.out == 1;
  const WindowAxis& axis = is_line ? s.width : s.height;
  const int64_t line_in = (is_line ? 1 : s.width.in) * s.channels, line_out = (is_line ? 1 : s.width.out) * s.out;
  const int64_t lines = part == ConvPart::Input ? axis.in : axis.out, each = (parts + s.batch - 1) / s.batch;
  const int64_t count = std::max(is_line ? 8 * least_lines : least_lines, (lines + each - 1) / each);
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t first = 0; first < lines; first += count) {
      ConvCut cut = whole_cut(s);
      int64_t from = 0, of = std::min(count, lines - first);
      WindowAxis& cut_axis = is_line ? cut.sizes.width : cut.sizes.height;
      cut.sizes.batch = 1;
      if (part == ConvPart::Input) cut_axis = detail::places_of(axis, first, of, &from);
      else cut_axis = detail::results_of(axis, first, of, &from);
      if (cut_axis.in < 1 || cut_axis.out < 1) return {whole_cut(s)};
      cut.image = b * image + (part == ConvPart::Input ? first : from) * line_in;
      cut.result = b * result + (part == ConvPart::Input ? from : first) * line_out;
      cuts.push_back(cut);
    }
  }
  return cuts;
}

// The multiplications of a slab. Ctrl-C ends a convolution between two chunks of a slab, of which there are
// kMostConvParts: some 25 ms of one thread each. More if reading the weights anew for each slab, or adding up their
// gradients, would take long otherwise.
inline double slab_work(ConvPart part, const ConvSizes& s) {
  constexpr int64_t kFewChannels = 8;  // too few for the lanes of registers: several times slower
  const double least = std::min(s.group_in(), s.group_out()) < kFewChannels ? 0x1p30 : 0x1p33;
  const double weights = static_cast<double>(s.taps() * s.group_in()) * static_cast<double>(s.out);
  return std::max(least, weights * (part == ConvPart::Filter ? 1024 : 2048));
}

inline bool is_one_slab(ConvPart part, const ConvSizes& s) { return s.multiplications() <= 1.5 * slab_work(part, s); }

// Slabs of images or lines; of Filter, each gives a term of the sum.
inline std::vector<ConvCut> slabs_of(ConvPart part, const ConvSizes& s) {
  const double parts = s.multiplications() / slab_work(part, s);
  return ranges_of(part, s, static_cast<int64_t>(std::ceil(std::min(parts, 0x1p40))), 1);
}

inline std::vector<ConvCut> cuts_of(ConvPart part, const ConvSizes& s) {
  // Groups of one channel take twice as long.
  const double part_work = s.group_in() == 1 ? kConvPartWork / 2 : kConvPartWork;
  constexpr double kLongLine = 1 << 26;
  const int64_t least_lines = s.multiplications() > kLongLine * static_cast<double>(s.batch * s.height.out) ? 1 : 2;
  // With fewer results per chunk, adding up the chunks' gradients would take too long; with fewer columns, the product
  // itself.
  constexpr int64_t kLeastResults = 512, kLeastColumns = 64;
  const auto wanted = static_cast<int64_t>(std::clamp(s.multiplications() / part_work, 1.0, double{kMostConvParts}));
  std::vector<ConvCut> cuts;
  if (wanted == 1) return {whole_cut(s)};
  const bool is_filter = part == ConvPart::Filter;
  int64_t parts = is_filter ? std::clamp<int64_t>(s.results() / kLeastResults, 1, wanted) : wanted;
  if (is_filter && parts < wanted && s.groups == 1 && s.out / kLeastColumns > parts) {
    int64_t columns = std::max(kLeastColumns, (s.out / wanted + 15) / 16 * 16);
    for (int64_t column = 0; column < s.out; column += columns) {
      ConvCut cut = whole_cut(s);
      cut.sizes.out = std::min(columns, s.out - column);
      cut.column = column;
      cut.own_bytes = static_cast<std::size_t>(s.results() * cut.sizes.out) * sizeof(float);
      cuts.push_back(cut);
    }
  } else {
    cuts = ranges_of(part, s, parts, least_lines);
  }
  if (is_filter && cuts.size() > 1 && cuts[0].column == cuts[1].column) {
    for (ConvCut& cut : cuts) {
      cut.adds = true;
      cut.own_bytes = static_cast<std::size_t>(s.taps() * s.group_in() * s.out) * sizeof(float);
    }
  }
  return cuts;
}

}  // namespace lutra
