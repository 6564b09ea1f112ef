// Running sums and products: templates with the operation as parameter.
//
// A line (the elements along the axis, in the order of the scan) is one chain of additions, each waiting for the one
// before. If there are few lines and they are long, they are cut into segments, whose length depends on the shape
// alone. The segments are totalled in parallel, then the totals are scanned, then each segment is scanned from there.
// Accumulators are float64, or 64 bits that wrap.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/loops/reduce.h"
#include "kernels/element/running.h"
#include "ops/axes.h"
#include "ops/scan.h"

namespace lutra {
namespace scans {

inline constexpr int64_t kChains = 8;     // lines side by side, so that additions overlap
inline constexpr int64_t kPiece = 128;    // elements of a chain that are converted at a time
inline constexpr int64_t kFewLines = 16;  // lines, or groups of columns, up to which cutting pays off

// The axis in the order of the scan: position r is at r * step from the start.
struct Lines {
  Extent extent{1, 1, 1};
  int64_t first = 0, step = 1;  // of a line, in elements; step is negative when it runs backwards

  Lines(const Array& x, const ScanAttrs& attrs) {
    extent.size = x.size;
    if (attrs.axis.given()) extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, 0));
    step = attrs.reverse ? -extent.inner : extent.inner;
    first = attrs.reverse ? (extent.size - 1) * extent.inner : 0;
  }
  // Element `position` of line (o, column 0).
  int64_t at(int64_t o, int64_t position) const { return o * extent.size * extent.inner + first + position * step; }
  int64_t tiles() const { return (extent.inner + kTile - 1) / kTile; }

  // Enough segments for the chains that run side by side.
  int64_t segment() const { return extent.inner == 1 && extent.size < kChains * kBlock ? kBlock / kChains : kBlock; }
  bool is_cut() const { return extent.size > kBlock && extent.outer * tiles() < kFewLines; }
  int64_t segments() const { return is_cut() ? (extent.size + segment() - 1) / segment() : 1; }
};

// A step of 1 or -1 as a constant.
template <class F> [[gnu::always_inline]] inline void with_step(int64_t step, const F& f) {
  if (step == 1) f(std::integral_constant<int64_t, 1>());
  else f(std::integral_constant<int64_t, -1>());
}

// n steps of N chains side by side, one element forward or back; the chains are `apart` elements from each other.
// Conversions are loops of their own, which vectorise; between these is a chunk of accumulators.
template <class S, int N, bool kExclusive>
static void run_chains(const typename S::In* x, typename S::Out* out, int64_t apart, int64_t step, int64_t n,
                       typename S::Acc* totals) {
  typename S::Acc piece[N][kPiece + 8];  // rows of 2^n bytes would share the same sets of the cache
  typename S::Acc total[N];
  for (int c = 0; c < N; ++c) total[c] = totals[c];
  for (int64_t first = 0; first < n; first += kPiece) {
    int64_t count = std::min(kPiece, n - first);
    for (int c = 0; c < N; ++c) {
      const typename S::In* from = x + c * apart + first * step;
      with_step(step, [&](auto stride) {
        for (int64_t i = 0; i < count; ++i) piece[c][i] = S::open(from[i * stride]);
      });
    }
    for (int64_t i = 0; i < count; ++i) {
      for (int c = 0; c < N; ++c) {
        typename S::Acc before = total[c];
        total[c] = S::merge(before, piece[c][i]);
        piece[c][i] = kExclusive ? before : total[c];
      }
    }
    for (int c = 0; c < N; ++c) {
      typename S::Out* __restrict to = out + c * apart + first * step;
      with_step(step, [&](auto stride) {
        for (int64_t i = 0; i < count; ++i) to[i * stride] = result_of<S>(piece[c][i]);
      });
    }
  }
  for (int c = 0; c < N; ++c) totals[c] = total[c];
}

// The same for neighbouring columns. Without an output, only computes totals.
template <class S, bool kExclusive>
static void run_columns(const typename S::In* x, typename S::Out* out, int64_t step, int64_t n, int64_t columns,
                        typename S::Acc* __restrict totals) {
  for (int64_t i = 0; i < n; ++i) {
    const typename S::In* row = x + i * step;
    auto put = [=] {
      typename S::Out* __restrict to = out + i * step;
      for (int64_t k = 0; k < columns; ++k) to[k] = result_of<S>(totals[k]);
    };
    if (kExclusive && out != nullptr) put();
    for (int64_t k = 0; k < columns; ++k) totals[k] = S::merge(totals[k], S::open(row[k]));
    if (!kExclusive && out != nullptr) put();
  }
}

// `count` lines or segments of n elements, `apart` from each other; the last one has `last` elements.
template <class S>
void run_lines(bool exclusive, const typename S::In* x, typename S::Out* out, int64_t count, int64_t apart,
               int64_t step, int64_t n, int64_t last, typename S::Acc* totals) {
  auto run_many = exclusive ? run_chains<S, kChains, true> : run_chains<S, kChains, false>;
  auto run_one = exclusive ? run_chains<S, 1, true> : run_chains<S, 1, false>;
  int64_t whole = last == n ? count : count - 1, i = 0;
  for (; i + kChains <= whole; i += kChains) run_many(x + i * apart, out + i * apart, apart, step, n, totals + i);
  for (; i < count; ++i) run_one(x + i * apart, out + i * apart, 0, step, i < whole ? n : last, totals + i);
}

template <class S> void run_whole(bool exclusive, const Lines& lines, const typename S::In* x, typename S::Out* out) {
  using Acc = typename S::Acc;
  const Extent& extent = lines.extent;
  if (extent.inner == 1) {
    int64_t groups = (extent.outer + kChains - 1) / kChains;
    parallel_for(groups, row_grain(kCheapGrain, kChains * extent.size), [=](int64_t begin, int64_t end) {
      for (int64_t o = begin * kChains, count; o < std::min(end * kChains, extent.outer); o += count) {
        Acc totals[kChains];
        std::fill(totals, totals + kChains, Acc(S::kStart));
        count = std::min(kChains, extent.outer - o);
        run_lines<S>(exclusive, x + lines.at(o, 0), out + lines.at(o, 0), count, extent.size, lines.step, extent.size,
                     extent.size, totals);
      }
    });
    return;
  }
  int64_t tiles = lines.tiles();
  int64_t work = extent.size * std::min(extent.inner, kTile);
  auto run_tile = exclusive ? run_columns<S, true> : run_columns<S, false>;
  parallel_for(extent.outer * tiles, row_grain(kCheapGrain, work), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t column = item % tiles * kTile, columns = std::min(kTile, extent.inner - column);
      int64_t at = lines.at(item / tiles, 0) + column;
      Acc totals[kTile];
      std::fill(totals, totals + columns, Acc(S::kStart));
      run_tile(x + at, out + at, lines.step, extent.size, columns, totals);
    }
  });
}

// Scans all segments in parallel, from `totals`, [outer, segments, inner], which become the totals at their ends.
// Without an output nothing else is computed, and the order of elements within a segment does not matter.
template <class S>
void run_segments(bool exclusive, const Lines& lines, const typename S::In* x, typename S::Out* out,
                  typename S::Acc* totals) {
  int64_t segments = lines.segments(), length = lines.segment(), inner = lines.extent.inner;
  int64_t last = lines.extent.size - (segments - 1) * length;
  int64_t together = inner == 1 ? kChains : 1, tiles = lines.tiles(), groups = (segments + together - 1) / together;
  int64_t work = together * length * std::min(inner, kTile);
  auto run_tile = exclusive ? run_columns<S, true> : run_columns<S, false>;
  parallel_for(lines.extent.outer * groups * tiles, row_grain(kCheapGrain, work), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t o = item / tiles / groups, segment = item / tiles % groups * together, column = item % tiles * kTile;
      int64_t count = std::min(together, segments - segment), at = lines.at(o, segment * length) + column;
      int64_t last_here = segment + count == segments ? last : length;
      typename S::Acc* here = totals + (o * segments + segment) * inner + column;
      if (inner > 1) {
        auto* to = out != nullptr ? out + at : nullptr;
        run_tile(x + at, to, lines.step, last_here, std::min(kTile, inner - column), here);
      } else if (out != nullptr) {
        run_lines<S>(exclusive, x + at, out + at, count, lines.step * length, lines.step, length, last_here, here);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          int64_t n = i + 1 < count ? length : last_here, begin_at = at + i * length * lines.step;
          reduce_rows<S>(x + (lines.step < 0 ? begin_at - n + 1 : begin_at), 1, n, here + i);
        }
      }
    }
  });
}

// Replaces each segment's total by the total before it.
template <class S> void before_segments(const Lines& lines, const typename S::In* x, typename S::Acc* totals) {
  int64_t segments = lines.segments(), length = lines.segment(), inner = lines.extent.inner;
  for (int64_t line = 0; line < lines.extent.lines(); ++line) {
    int64_t o = line / inner, column = line % inner;
    typename S::Acc before = S::kStart;
    for (int64_t i = 0; i < segments; ++i) {
      typename S::Acc& total = totals[(o * segments + i) * inner + column];
      typename S::Acc after = S::merge(before, total);
      if (!S::stands(before, total)) {
        after = before;
        const typename S::In* from = x + lines.at(o, i * length) + column;
        for (int64_t k = 0; k < std::min(length, lines.extent.size - i * length); ++k) {
          after = S::merge(after, S::open(from[k * lines.step]));
        }
      }
      total = before;
      before = after;
    }
  }
}

template <class S> void run_scan(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  const bool exclusive = args.as<ScanAttrs>().exclusive;
  Lines lines(args.in[0], args.as<ScanAttrs>());
  const typename S::In* x = args.in[0].as<typename S::In>();
  typename S::Out* out = args.out[0].as<typename S::Out>();
  if (!lines.is_cut()) return run_whole<S>(exclusive, lines, x, out);
  typename S::Acc* totals = reinterpret_cast<typename S::Acc*>(args.scratch);
  std::fill(totals, totals + lines.segments() * lines.extent.lines(), typename S::Acc(S::kStart));
  run_segments<S>(false, lines, x, nullptr, totals);
  before_segments<S>(lines, x, totals);
  run_segments<S>(exclusive, lines, x, out, totals);
}

inline std::size_t scan_scratch(const KernelArgs& args) {
  Lines lines(args.in[0], args.as<ScanAttrs>());
  return lines.is_cut() ? static_cast<std::size_t>(lines.segments() * lines.extent.lines()) * sizeof(double) : 0;
}

template <template <class> class S, class Types>
void add_scans(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    return KernelEntry{.run = run_scan<S<typename decltype(tag)::type>>, .scratch = scan_scratch};
  });
}

}  // namespace scans

void add_running_products(KernelRegistry& kernels);

}  // namespace lutra
