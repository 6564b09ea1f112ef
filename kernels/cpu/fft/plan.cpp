#include "kernels/cpu/fft/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <list>
#include <mutex>

#include "kernels/cpu/fft/rows.h"

namespace lutra::fft {
namespace {

constexpr int kLargestPrime = 47;  // what stage_prime can do, and about where Bluestein's algorithm is faster

// The factors of a smooth length: 4s, then the primes.
std::vector<int> factors_of(int64_t n) {
  std::vector<int> out;
  for (; n % 4 == 0; n /= 4) out.push_back(4);
  for (int prime = 2; n > 1 && prime <= kLargestPrime; ++prime) {
    for (; n % prime == 0; n /= prime) out.push_back(prime);
  }
  return out;
}

double radix_cost(int radix) {
  switch (radix) {
    case 2: return 1.5;
    case 3: return 2.2;
    case 4: return 2.0;
    case 5: return 3.0;
    default: return 2.0 + radix;
  }
}

// The most recently used plans of one kind, for at most kMostPoints in all unless one is for more.
template <class P> class Kept {
 public:
  std::shared_ptr<const P> get(int64_t n) {
    {
      const std::lock_guard lock(mutex_);
      if (auto known = find(n)) return known;
    }
    auto made = std::make_shared<const P>(n);  // may need other plans
    const std::lock_guard lock(mutex_);
    if (auto known = find(n)) return known;
    plans_.emplace_front(n, made);
    points_ += n;
    while (plans_.size() > 1 && (plans_.size() > kMost || points_ > kMostPoints)) {
      points_ -= plans_.back().first;
      plans_.pop_back();
    }
    return made;
  }

 private:
  static constexpr std::size_t kMost = 16;
  static constexpr int64_t kMostPoints = int64_t{1} << 25;
  std::shared_ptr<const P> find(int64_t n) {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (at->first != n) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front().second;
    }
    return nullptr;
  }
  int64_t points_ = 0;
  std::mutex mutex_;
  std::list<std::pair<int64_t, std::shared_ptr<const P>>> plans_;
};

}  // namespace

Complex128 root(int64_t k, int64_t n) {
  // The angle as eighths of a turn, forwards or backwards from a quarter, and a rest of at most an eighth.
  const int64_t eighths = 8 * (k % n), octant = eighths / n, rest = eighths % n;
  const bool is_back = octant % 2 != 0;
  const double angle = static_cast<double>(is_back ? n - rest : rest) / static_cast<double>(n) * 0.78539816339744830962;
  double x = std::cos(angle), y = is_back ? -std::sin(angle) : std::sin(angle);
  for (int64_t quarter = (octant + 1) / 2 % 4; quarter > 0; --quarter) {
    const double turned = -y;
    y = x;
    x = turned;
  }
  return {x, -y};
}

bool is_smooth(int64_t n) {
  for (int prime = 2; prime <= kLargestPrime; ++prime) {
    while (n % prime == 0 && n > 1) n /= prime;
  }
  return n <= 1;
}

double tile_cost(int64_t n) {
  double cost = 3;  // reading and writing
  for (int radix : factors_of(n)) cost += radix_cost(radix);
  return cost * static_cast<double>(n);
}

Split best_split(int64_t n, int lanes) {
  auto tiles = [lanes](int64_t m) { return static_cast<double>((m + lanes - 1) / lanes); };
  Split best{n, tile_cost(n) + tiles(n) * 4};
  for (int64_t n1 = 2; n1 <= n / 2; ++n1) {
    if (n1 > 100000 || n1 * n1 > 64 * n) break;  // far from square: too large a tile
    if (n % n1 != 0) continue;
    const int64_t n2 = n / n1;
    // Tiles that leave the first-level cache, and then the second-level one, are slower.
    auto slow = [](int64_t m) { return m <= 128 ? 1.0 : m <= 256 ? 1.15 : m <= 1024 ? 1.4 : m <= 4096 ? 1.7 : 3.0; };
    const double cost = tiles(n2) * tile_cost(n1) * slow(n1) + tiles(n1) * tile_cost(n2) * slow(n2);
    if (cost < best.cost) best = {n1, cost};
  }
  return best;
}

int64_t inner_length(int64_t n) {
  if (is_smooth(n)) return n;
  // The shortest of 2^k, 3 * 2^k, 5 * 2^k and so on.
  const int64_t least = 2 * n - 1;
  int64_t best = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)));
  for (int64_t odd : {3, 5, 9, 15, 25, 27}) {
    int64_t length = odd;
    while (length < least) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

template <class T>
TilePlan<T>::TilePlan(int64_t points) : n(points), cost(tile_cost(points)), radices(factors_of(points)) {
  int64_t left = n;
  for (int radix : radices) {
    const int64_t groups = left / radix;
    for (int64_t p = 0; p < groups; ++p) {
      for (int l = 1; l < radix; ++l) twiddles.emplace_back(root(p * l, left));
    }
    if (radix > 5) {
      for (int j = 0; j < radix; ++j) primes.emplace_back(root(j, radix));
    }
    left = groups;
  }
}

template <class T> RowPlan<T>::RowPlan(int64_t points) : n(points) {
  const int64_t length = inner_length(n);
  if (length != n) {
    inner = row_plan<T>(length);
    cost = 2.5 * inner->cost;
    for (int64_t k = 0; k < n; ++k) {
      const auto square = static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n));
      chirp.emplace_back(root(square, 2 * n));
    }
    chirp_spectrum.resize(static_cast<std::size_t>(length));
    std::vector<Complex<T>> kernel(static_cast<std::size_t>(length));
    const T scale = static_cast<T>(1.0 / static_cast<double>(length));
    for (int64_t k = 0; k < n; ++k) {
      const Complex<T> w = chirp[static_cast<std::size_t>(k)], conjugate(w.re, -w.im);
      kernel[static_cast<std::size_t>(k)] = conjugate;
      if (k > 0) kernel[static_cast<std::size_t>(length - k)] = conjugate;
    }
    std::vector<Pair<T>> room(static_cast<std::size_t>(inner->room()));
    transform_row<T, Complex<T>>(*inner, {kernel.data(), length, false, scale}, chirp_spectrum.data(), room.data());
    return;
  }
  const Split split = best_split(n, kLanes<T>);
  n1 = split.n1;
  cost = split.cost;
  tile_cost = fft::tile_cost(n);
  n2 = n / n1;
  first = TilePlan<T>(n1);
  second = TilePlan<T>(n2);
  if (n2 == 1) return;
  const int64_t tiles = first_tiles();
  for (int64_t k = 0; k < n1; ++k) {
    for (int lane = 0; lane < kLanes<T>; ++lane) lane_roots.emplace_back(root(k * lane, n));
    for (int64_t tile = 0; tile < tiles; ++tile) tile_roots.emplace_back(root(k * tile * kLanes<T> % n, n));
  }
}

template <class T> int64_t RowPlan<T>::tile_room() const { return 2 * std::max(n1, first_tiles() * kLanes<T>); }

template <class T> int64_t RowPlan<T>::room() const {
  if (inner == nullptr) return tile_room() + between_room();
  const int64_t row = (inner->n + kLanes<T> - 1) / kLanes<T>;  // of complex numbers
  return 2 * row + inner->room();
}

template <class T> RealPlan<T>::RealPlan(int64_t n) {
  roots.reserve(static_cast<std::size_t>(n / 2 + 1));
  for (int64_t k = 0; k <= n / 2; ++k) roots.emplace_back(root(k, 2 * n));
}

template <class T> std::shared_ptr<const RealPlan<T>> real_plan(int64_t n) {
  static Kept<RealPlan<T>> kept;
  return kept.get(n);
}
template <class T> std::shared_ptr<const RowPlan<T>> row_plan(int64_t n) {
  static Kept<RowPlan<T>> kept;
  return kept.get(n);
}
template <class T> std::shared_ptr<const TilePlan<T>> tile_plan(int64_t n) {
  static Kept<TilePlan<T>> kept;
  return kept.get(n);
}

template struct RowPlan<float>;
template struct RowPlan<double>;
template std::shared_ptr<const RealPlan<float>> real_plan(int64_t);
template std::shared_ptr<const RealPlan<double>> real_plan(int64_t);
template std::shared_ptr<const RowPlan<float>> row_plan(int64_t);
template std::shared_ptr<const RowPlan<double>> row_plan(int64_t);
template std::shared_ptr<const TilePlan<float>> tile_plan(int64_t);
template std::shared_ptr<const TilePlan<double>> tile_plan(int64_t);

}  // namespace lutra::fft
