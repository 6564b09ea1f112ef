// Running sums and products on the CPU, and what their gradients need: a part of the reduce family.
//
// A line (the elements along the axis, in the order in which they are taken) is one chain of additions, each waiting
// for the one before. Where there are few lines and they are long, they are cut into segments, whose length depends on
// the shape alone: the segments' totals are taken in parallel, then what comes before each segment, then all is done
// again from there. Accumulators are float64, or 64 bits that wrap.

#include <cmath>

#include "kernels/cpu/reduce.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

constexpr int64_t kChains = 8;     // lines side by side, so that additions overlap
constexpr int64_t kFewLines = 16;  // lines, or groups of columns, up to which cutting pays

// The axis as the scan walks it: position r is at r * step from where it starts.
struct Lines {
  Extent extent{1, 1, 1};
  int64_t first = 0, step = 1;  // of a line, in elements; step is negative when it runs backwards

  Lines(const Array& x, const ScanAttrs& attrs) {
    extent.reduced = x.size;
    if (attrs.axis.given()) {
      int axis = static_cast<int>(attrs.axis.v[0] < 0 ? attrs.axis.v[0] + x.rank : attrs.axis.v[0]);
      extent.reduced = x.dims[axis];
      for (int i = 0; i < axis; ++i) extent.outer *= x.dims[i];
      for (int i = axis + 1; i < x.rank; ++i) extent.inner *= x.dims[i];
    }
    step = attrs.reverse ? -extent.inner : extent.inner;
    first = attrs.reverse ? (extent.reduced - 1) * extent.inner : 0;
  }
  // Element `position` of line (o, column 0).
  int64_t at(int64_t o, int64_t position) const { return o * extent.reduced * extent.inner + first + position * step; }
  int64_t tiles() const { return (extent.inner + kTile - 1) / kTile; }

  int64_t segment() const { return extent.inner == 1 ? kBlock / kChains : kBlock; }
  bool is_cut() const { return extent.reduced > kBlock && extent.outer * tiles() < kFewLines; }
  int64_t segments() const { return is_cut() ? (extent.reduced + segment() - 1) / segment() : 1; }
};

// A scan is a reducer of reduce.h whose runs are as wide as its accumulators, with the output's type and whether a
// total may stand for its elements: one that has overflowed or lost its digits may not, since 0 times it would not be
// 0.
template <class T> struct RunningSum : SumOf<T, WideOf<T>> {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static bool stands(WideOf<T> total) {
    if constexpr (std::is_integral_v<T>) return true;
    else return std::fabs(total) < std::numeric_limits<double>::infinity();
  }
};
template <class T> struct RunningProduct : ProdOf<T> {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static bool stands(WideOf<T> total) {
    if constexpr (std::is_integral_v<T>) return true;
    else return std::fabs(total) > 0x1p-500 && std::fabs(total) < 0x1p500;
  }
};

template <class S> typename S::Out result_of(typename S::Acc acc) {
  if constexpr (std::is_integral_v<typename S::Acc>) return static_cast<typename S::Out>(acc);
  else return rounded<typename S::Out>(acc);
}

// n steps of N chains side by side, the chains `apart` elements from each other. Without an output only the totals
// count.
template <class S, int N, bool kExclusive>
static void run_chains(const typename S::In* x, typename S::Out* out, int64_t apart, int64_t step, int64_t n,
                       typename S::Acc* totals) {
  typename S::Acc total[N];
  for (int c = 0; c < N; ++c) total[c] = totals[c];
  for (int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < N; ++c) {
      int64_t at = c * apart + i * step;
      typename S::Acc next = S::merge(total[c], S::open(x[at]));
      if (out != nullptr) out[at] = result_of<S>(kExclusive ? total[c] : next);
      total[c] = next;
    }
  }
  for (int c = 0; c < N; ++c) totals[c] = total[c];
}

// The same for neighbouring columns.
template <class S, bool kExclusive>
static void run_columns(const typename S::In* x, typename S::Out* out, int64_t step, int64_t n, int64_t columns,
                        typename S::Acc* __restrict totals) {
  for (int64_t i = 0; i < n; ++i) {
    const typename S::In* row = x + i * step;
    if (out == nullptr) {
      for (int64_t k = 0; k < columns; ++k) totals[k] = S::merge(totals[k], S::open(row[k]));
      continue;
    }
    typename S::Out* __restrict to = out + i * step;
    for (int64_t k = 0; k < columns; ++k) {
      typename S::Acc next = S::merge(totals[k], S::open(row[k]));
      to[k] = result_of<S>(kExclusive ? totals[k] : next);
      totals[k] = next;
    }
  }
}

// `count` lines or segments of n elements, `apart` from each other; of the last one only `last`.
template <class S, bool kExclusive>
void run_lines(const typename S::In* x, typename S::Out* out, int64_t count, int64_t apart, int64_t step, int64_t n,
               int64_t last, typename S::Acc* totals) {
  int64_t whole = last == n ? count : count - 1, i = 0;
  auto at = [=](int64_t line) { return out != nullptr ? out + line * apart : nullptr; };
  for (; i + kChains <= whole; i += kChains) {
    run_chains<S, kChains, kExclusive>(x + i * apart, at(i), apart, step, n, totals + i);
  }
  for (; i < count; ++i) {
    run_chains<S, 1, kExclusive>(x + i * apart, at(i), 0, step, i < whole ? n : last, totals + i);
  }
}

template <class S, bool kExclusive> void run_whole(const Lines& lines, const typename S::In* x, typename S::Out* out) {
  using Acc = typename S::Acc;
  const Extent& extent = lines.extent;
  if (extent.inner == 1) {
    int64_t groups = (extent.outer + kChains - 1) / kChains;
    parallel_for(groups, row_grain(kCheapGrain, kChains * extent.reduced), [=](int64_t begin, int64_t end) {
      for (int64_t o = begin * kChains, count; o < std::min(end * kChains, extent.outer); o += count) {
        Acc totals[kChains];
        std::fill(totals, totals + kChains, Acc(S::kStart));
        count = std::min(kChains, extent.outer - o);
        run_lines<S, kExclusive>(x + lines.at(o, 0), out + lines.at(o, 0), count, extent.reduced, lines.step,
                                 extent.reduced, extent.reduced, totals);
      }
    });
    return;
  }
  int64_t tiles = lines.tiles();
  int64_t work = extent.reduced * std::min(extent.inner, kTile);
  parallel_for(extent.outer * tiles, row_grain(kCheapGrain, work), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t column = item % tiles * kTile, columns = std::min(kTile, extent.inner - column);
      int64_t at = lines.at(item / tiles, 0) + column;
      Acc totals[kTile];
      std::fill(totals, totals + columns, Acc(S::kStart));
      run_columns<S, kExclusive>(x + at, out + at, lines.step, extent.reduced, columns, totals);
    }
  });
}

// All segments in parallel: from `totals`, [outer, segments, inner], which become what they are at their ends.
template <class S, bool kExclusive>
void run_segments(const Lines& lines, const typename S::In* x, typename S::Out* out, typename S::Acc* totals) {
  int64_t segments = lines.segments(), length = lines.segment(), inner = lines.extent.inner;
  int64_t last = lines.extent.reduced - (segments - 1) * length;
  int64_t together = inner == 1 ? kChains : 1, tiles = lines.tiles(), groups = (segments + together - 1) / together;
  int64_t work = together * length * std::min(inner, kTile);
  parallel_for(lines.extent.outer * groups * tiles, row_grain(kCheapGrain, work), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t o = item / tiles / groups, segment = item / tiles % groups * together, column = item % tiles * kTile;
      int64_t count = std::min(together, segments - segment), at = lines.at(o, segment * length) + column;
      int64_t last_here = segment + count == segments ? last : length;
      typename S::Acc* here = totals + (o * segments + segment) * inner + column;
      auto* to = out != nullptr ? out + at : nullptr;
      if (inner == 1) {
        run_lines<S, kExclusive>(x + at, to, count, lines.step * length, lines.step, length, last_here, here);
      } else {
        run_columns<S, kExclusive>(x + at, to, lines.step, last_here, std::min(kTile, inner - column), here);
      }
    }
  });
}

// Totals of segments become what comes before each of them.
template <class S> void before_segments(const Lines& lines, const typename S::In* x, typename S::Acc* totals) {
  int64_t segments = lines.segments(), length = lines.segment(), inner = lines.extent.inner;
  for (int64_t line = 0; line < lines.extent.results(); ++line) {
    int64_t o = line / inner, column = line % inner;
    typename S::Acc before = S::kStart;
    for (int64_t i = 0; i < segments; ++i) {
      typename S::Acc& total = totals[(o * segments + i) * inner + column];
      typename S::Acc after = S::merge(before, total);
      if (!S::stands(total)) {
        after = before;
        run_chains<S, 1, false>(x + lines.at(o, i * length) + column, nullptr, 0, lines.step,
                                std::min(length, lines.extent.reduced - i * length), &after);
      }
      total = before;
      before = after;
    }
  }
}

template <class S, bool kExclusive> void scan(const KernelArgs& args) {
  Lines lines(args.in[0], args.as<ScanAttrs>());
  const typename S::In* x = args.in[0].as<typename S::In>();
  typename S::Out* out = args.out[0].as<typename S::Out>();
  if (!lines.is_cut()) return run_whole<S, kExclusive>(lines, x, out);
  typename S::Acc* totals = reinterpret_cast<typename S::Acc*>(args.scratch);
  std::fill(totals, totals + lines.segments() * lines.extent.results(), typename S::Acc(S::kStart));
  run_segments<S, false>(lines, x, nullptr, totals);
  before_segments<S>(lines, x, totals);
  run_segments<S, kExclusive>(lines, x, out, totals);
}

template <class S> void run_scan(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  if (args.as<ScanAttrs>().exclusive) scan<S, true>(args);
  else scan<S, false>(args);
}

std::size_t scan_scratch(const KernelArgs& args) {
  Lines lines(args.in[0], args.as<ScanAttrs>());
  return lines.is_cut() ? static_cast<std::size_t>(lines.segments() * lines.extent.results()) * sizeof(double) : 0;
}

template <template <class> class S, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    return KernelEntry{.run = run_scan<S<typename decltype(tag)::type>>, .scratch = scan_scratch};
  });
}

// Calls each(first element of the line or tile, columns) for all lines, in parallel.
template <class Each> void for_lines(const Lines& lines, const Each& each) {
  const Extent& extent = lines.extent;
  int64_t tiles = lines.tiles();
  parallel_for(extent.outer * tiles, row_grain(kCheapGrain / 4, extent.reduced * std::min(extent.inner, kTile)),
               [=](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   int64_t column = item % tiles * kTile;
                   each(lines.at(item / tiles, 0) + column, std::min(kTile, extent.inner - column));
                 }
               });
}

// out[i] = b[i] + carry, carry = x[i] out[i]; exclusive: out[i] = carry, carry = b[i] + x[i] carry.
template <class T> void run_recurrence(const KernelArgs& args) {
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  if (args.in[0].size == 0) return;
  Lines lines(args.in[0], attrs);
  const T* x = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  for_lines(lines, [=](int64_t first, int64_t columns) {
    double carry[kTile] = {};
    for (int64_t i = 0; i < lines.extent.reduced; ++i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        double factor = static_cast<double>(static_cast<ComputeType<T>>(x[at + k]));
        double term = static_cast<double>(static_cast<ComputeType<T>>(b[at + k]));
        double sum = term + (attrs.exclusive ? factor * carry[k] : carry[k]);
        out[at + k] = rounded<T>(attrs.exclusive ? carry[k] : sum);
        carry[k] = attrs.exclusive ? sum : factor * sum;
      }
    }
  });
}

// The product of all elements before, kept in scratch memory, times that of all behind.
template <class T> void run_prod_others(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  Lines lines(args.in[0], args.as<ScanAttrs>());
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  double* before = reinterpret_cast<double*>(args.scratch);
  for_lines(lines, [=](int64_t first, int64_t columns) {
    double product[kTile];
    auto value = [=](int64_t at) { return static_cast<double>(static_cast<ComputeType<T>>(x[at])); };
    std::fill(product, product + columns, 1.0);
    for (int64_t i = 0; i < lines.extent.reduced; ++i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        before[at + k] = product[k];
        product[k] *= value(at + k);
      }
    }
    std::fill(product, product + columns, 1.0);
    for (int64_t i = lines.extent.reduced - 1; i >= 0; --i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        out[at + k] = rounded<T>(before[at + k] * product[k]);
        product[k] *= value(at + k);
      }
    }
  });
}

std::size_t prod_others_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(args.in[0].size) * sizeof(double);
}

}  // namespace

void register_scan_cpu(KernelRegistry& kernels) {
  add<RunningSum>(kernels, "Cumsum", AllTypes{});
  add<RunningProduct>(kernels, "Cumprod", AllTypes{});
  kernels.add_each("LinearRecurrence", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_recurrence<typename decltype(tag)::type>}; });
  kernels.add_each("ProdOthers", DeviceType::CPU, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_prod_others<typename decltype(tag)::type>, .scratch = prod_others_scratch};
  });
}

}  // namespace lutra
