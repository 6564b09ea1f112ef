// Plans of transforms: how a length is split, and the roots of unity. A plan depends on the length alone; plans are
// kept for the next transform of that length.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/fft/lanes.h"

namespace lutra::fft {

// exp(-2 pi i k / n), nearly correctly rounded.
Complex128 root(int64_t k, int64_t n);

// A transform of `n` points in each lane: a stage for each factor. The twiddles of a stage with the radix r that splits
// m points: for each of m / r groups, r - 1 roots of order m.
template <class T> struct TilePlan {
  int64_t n = 1;
  double cost = 0;
  std::vector<int> radices;
  std::vector<Complex<T>> twiddles;
  // The roots of each prime radix above 5, in the order of `radices`.
  std::vector<Complex<T>> primes;

  TilePlan() = default;
  explicit TilePlan(int64_t points);
  // Transforms x; the result is in x or y, which are of n pairs. Returns which.
  Pair<T>* run(Pair<T>* x, Pair<T>* y) const;
};

// A transform of one row of n = n1 * n2 points. First n1 points, n2 apart, are transformed in each lane, and multiplied
// by roots of order n; then n2 points in each lane.
template <class T> struct RowPlan {
  int64_t n = 1, n1 = 1, n2 = 1;
  double cost = 0;       // of one row
  double tile_cost = 0;  // of a tile of rows, where that is possible
  TilePlan<T> first, second;
  std::vector<Complex<T>> lane_roots;  // n1 x lanes: root(k * lane, n)
  std::vector<Complex<T>> tile_roots;  // n1 x tiles: root(k * lanes * tile, n)

  // For lengths with a large prime factor: Bluestein's algorithm by transforms of another length.
  std::shared_ptr<const RowPlan> inner;
  std::vector<Complex<T>> chirp;           // root(k^2, 2n)
  std::vector<Complex<T>> chirp_spectrum;  // of its conjugate, divided by inner->n

  explicit RowPlan(int64_t points);
  int64_t first_tiles() const { return (n2 + kLanes<T> - 1) / kLanes<T>; }
  int64_t second_tiles() const { return (n1 + kLanes<T> - 1) / kLanes<T>; }
  // Pairs of working memory: for one tile, and for the points between the two passes.
  int64_t tile_room() const;
  int64_t between_room() const { return n1 * first_tiles(); }
  int64_t room() const;  // in pairs, for transforms of one row
};

// Whether tiles can transform n points: n has no large prime factor.
bool is_smooth(int64_t n);
// An estimate, in operations on registers.
double tile_cost(int64_t n);

// For real rows of 2n points, which are transformed as n complex ones: root(k, 2n) for k <= n / 2.
template <class T> struct RealPlan {
  std::vector<Complex<T>> roots;
  explicit RealPlan(int64_t n);
};

template <class T> std::shared_ptr<const RowPlan<T>> row_plan(int64_t n);
template <class T> std::shared_ptr<const RealPlan<T>> real_plan(int64_t n);
template <class T> std::shared_ptr<const TilePlan<T>> tile_plan(int64_t n);
// How a row of n points is split: n1 (n2 is n / n1), and what it costs.
struct Split {
  int64_t n1;
  double cost;
};
Split best_split(int64_t n, int lanes);
// The length of the transforms for a row of n points: n, or more than 2n for a length with a large prime factor.
int64_t inner_length(int64_t n);

}  // namespace lutra::fft
