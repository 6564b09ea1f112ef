// Fourier transforms along an axis on the CPU. fft/ transforms single rows and tiles of as many lines as a register has
// lanes; here the lines of a tensor are given to them.

#include "ops/fft.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "core/parallel.h"
#include "core/usable_cores.h"
#include "kernels/cpu/fft/rows.h"
#include "kernels/cpu/loops/elementwise.h"
#include "ops/axes.h"

namespace lutra {
namespace {

using fft::kLanes;
using fft::Pair;
using fft::RowPlan;
using fft::RowSource;

// From this many points on, all threads transform one row together.
constexpr int64_t kSharedRow = 1 << 16;
// Tiles above this many points leave the second-level cache.
constexpr int64_t kMostTile = 2048;
// A thread's share in operations on registers.
constexpr double kGrain = 8000;

// Working memory for as many threads as run at once: a thread takes a free place for the time of its share. There are
// as many places as the process had threads when it started, so that a recorded launch needs as many as another; a
// thread too many waits.
class Places {
 public:
  static int count() {
    static const int count = std::clamp(process_threads().threads, 1, 64);
    return count;
  }
  Places(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  template <class F> void with(const F& f) {
    int place;
    while ((place = take()) < 0) std::this_thread::yield();
    f(memory_ + static_cast<std::size_t>(place) * bytes_);
    taken_.fetch_and(~(uint64_t{1} << place), std::memory_order_release);
  }

 private:
  int take() {
    for (int i = 0; i < count(); ++i) {
      const uint64_t bit = uint64_t{1} << i;
      if ((taken_.load(std::memory_order_relaxed) & bit) != 0) continue;
      if ((taken_.fetch_or(bit, std::memory_order_acquire) & bit) == 0) return i;
    }
    return -1;
  }
  std::byte* memory_;
  std::size_t bytes_;
  std::atomic<uint64_t> taken_{0};
};

int64_t grain_for(double cost) { return 1 + static_cast<int64_t>(kGrain / cost); }

FftSizes sizes_of(const KernelArgs& args, bool is_real_result) {
  const Array &x = args.in[0], &out = args.out[0];
  const FftAttrs& attrs = args.as<FftAttrs>();
  FftSizes s;
  s.axis = axis_of(attrs.axis, x.rank, -1);
  const Extent extent = Extent::around(x.dims, x.rank, s.axis);
  s.outer = extent.outer;
  s.given = extent.size;
  s.inner = extent.inner;
  // A real transform's n is the option or what its real side has.
  s.n = is_real_result ? out.dims[s.axis] : extent.size;
  if (attrs.n.given()) s.n = static_cast<int64_t>(attrs.n.value.as_double());
  return s;
}

template <class T> constexpr std::size_t bytes_of(int64_t pairs) {
  return static_cast<std::size_t>(pairs) * sizeof(Pair<T>);
}
template <class T> int64_t row_pairs(int64_t points) { return (points + kLanes<T> - 1) / kLanes<T>; }
std::size_t up_to_64(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// How the lines are transformed.
enum class Way {
  Columns,  // tiles of lines that lie side by side
  Rows,     // tiles of rows, which are transposed
  Each,     // one line after the other, on several threads
  Shared,   // one row after the other, each on all threads
};

template <class T> Way way_of(const FftSizes& s) {
  if (s.inner > 1) {
    return fft::is_smooth(s.n) && (s.inner >= kLanes<T> / 2 || s.n <= kMostTile) ? Way::Columns : Way::Each;
  }
  const auto plan = fft::row_plan<T>(s.n);
  const bool is_smooth = plan->inner == nullptr;
  if (is_smooth && s.n <= kMostTile && s.outer > 1) {
    const double tiles = static_cast<double>((s.outer + kLanes<T> - 1) / kLanes<T>);
    if (plan->tile_cost * tiles * 1.25 < plan->cost * static_cast<double>(s.outer)) return Way::Rows;
  }
  return is_smooth && s.n >= kSharedRow && s.outer < 2 * Places::count() ? Way::Shared : Way::Each;
}

template <class T> int64_t tile_points(int64_t n) { return row_pairs<T>(n) * kLanes<T>; }

template <class T, class X> std::size_t place_bytes(const FftSizes& s, Way way) {
  if (way == Way::Columns || way == Way::Rows) return bytes_of<T>(2 * tile_points<T>(s.n));
  const auto plan = fft::row_plan<T>(s.n);
  if (way == Way::Shared) return bytes_of<T>(plan->tile_room());
  const int64_t copies = s.inner > 1 ? row_pairs<T>(std::min(s.given, s.n)) + row_pairs<T>(s.n) : 0;
  return bytes_of<T>(plan->room() + copies);
}

// Planning takes time and memory in proportion to n. A transform that no memory can hold is refused before, by the
// scratch memory that it asks for.
constexpr int64_t kMostPlanned = int64_t{1} << 32;
template <class T> std::size_t unplanned_bytes(int64_t n) {
  return static_cast<std::size_t>(n) * 2 * sizeof(Complex<T>);
}

template <class T, class X> std::size_t full_scratch(const KernelArgs& args) {
  if (args.out[0].size == 0) return 0;
  const FftSizes s = sizes_of(args, false);
  if (s.n > kMostPlanned) return unplanned_bytes<T>(s.n);
  const Way way = way_of<T>(s);
  std::size_t bytes = up_to_64(place_bytes<T, X>(s, way)) * static_cast<std::size_t>(Places::count());
  if (way == Way::Shared) bytes += bytes_of<T>(fft::row_plan<T>(s.n)->between_room());
  return bytes;
}

template <class T, class X>
void run_columns(const FftSizes& s, const X* x, bool is_inverse, T scale, Complex<T>* out, Places& places) {
  const auto plan = fft::tile_plan<T>(s.n);
  const int64_t tiles = (s.inner + kLanes<T> - 1) / kLanes<T>, given = std::min(s.given, s.n);
  parallel_for(s.outer * tiles, grain_for(plan->cost), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      auto* tile = reinterpret_cast<Pair<T>*>(room);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t o = item / tiles, column = item % tiles * kLanes<T>;
        const int64_t columns = std::min<int64_t>(kLanes<T>, s.inner - column);
        const X* from = x + o * s.given * s.inner + column;
        Complex<T>* to = out + o * s.n * s.inner + column;
        for (int64_t j = 0; j < given; ++j) tile[j] = fft::turned(fft::load(from + j * s.inner, columns), is_inverse);
        std::fill(tile + given, tile + s.n, Pair<T>{});
        const Pair<T>* result = plan->run(tile, tile + tile_points<T>(s.n));
        for (int64_t k = 0; k < s.n; ++k) {
          fft::store(to + k * s.inner, fft::turned(result[k] * scale, is_inverse), columns);
        }
      }
    });
  });
}

// Calls transpose on the parts of a square.
template <class T> void transpose_square(Pair<T>* square) {
  constexpr int kCount = kLanes<T>;
  fft::Lanes<T> re[kCount], im[kCount];
  for (int i = 0; i < kCount; ++i) {
    re[i] = square[i].re;
    im[i] = square[i].im;
  }
  fft::transpose(re);
  fft::transpose(im);
  for (int i = 0; i < kCount; ++i) square[i] = {re[i], im[i]};
}

template <class T, class X>
void run_rows(const FftSizes& s, const X* x, bool is_inverse, T scale, Complex<T>* out, Places& places) {
  constexpr int kCount = kLanes<T>;
  const auto plan = fft::tile_plan<T>(s.n);
  const int64_t tiles = (s.outer + kCount - 1) / kCount, given = std::min(s.given, s.n);
  parallel_for(tiles, grain_for(plan->cost), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      auto* tile = reinterpret_cast<Pair<T>*>(room);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t row = item * kCount, rows = std::min<int64_t>(kCount, s.outer - row);
        for (int64_t j = 0; j < s.n; j += kCount) {
          Pair<T> square[kCount];
          for (int64_t r = 0; r < kCount; ++r) {
            const int64_t here = given - j;
            const X* from = x + std::min(row + r, s.outer - 1) * s.given + (here > 0 ? j : 0);
            square[r] = fft::turned(fft::load(from, here), is_inverse);
          }
          transpose_square(square);
          std::copy(square, square + kCount, tile + j);
        }
        Pair<T>* result = plan->run(tile, tile + tile_points<T>(s.n));
        for (int64_t k = 0; k < s.n; k += kCount) {
          Pair<T> square[kCount];
          for (int i = 0; i < kCount; ++i) square[i] = fft::turned(result[k + i] * scale, is_inverse);
          transpose_square(square);
          for (int64_t r = 0; r < rows; ++r) fft::store(out + (row + r) * s.n + k, square[r], s.n - k);
        }
      }
    });
  });
}

// Copies between a line, whose points are `step` apart, and a row.
template <class X> void gather_line(const X* from, int64_t step, int64_t n, X* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
}
template <class X> void scatter_line(const X* from, int64_t n, X* to, int64_t step) {
  for (int64_t i = 0; i < n; ++i) to[i * step] = from[i];
}

template <class T, class X>
void run_each(const FftSizes& s, const X* x, bool is_inverse, T scale, Complex<T>* out, Places& places) {
  const auto plan = fft::row_plan<T>(s.n);
  const int64_t given = std::min(s.given, s.n);
  parallel_for(s.outer * s.inner, grain_for(plan->cost), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      auto* pairs = reinterpret_cast<Pair<T>*>(room);
      for (int64_t line = begin; line < end; ++line) {
        const int64_t o = line / s.inner, column = line % s.inner;
        const X* from = x + o * s.given * s.inner + column;
        Complex<T>* to = out + o * s.n * s.inner + column;
        if (s.inner == 1) {
          fft::transform_row<T, X>(*plan, {from, given, is_inverse, scale}, to, pairs);
          continue;
        }
        auto* row = reinterpret_cast<X*>(pairs + plan->room());
        auto* result = reinterpret_cast<Complex<T>*>(pairs + plan->room() + row_pairs<T>(given));
        gather_line(from, s.inner, given, row);
        fft::transform_row<T, X>(*plan, {row, given, is_inverse, scale}, result, pairs);
        scatter_line(result, s.n, to, s.inner);
      }
    });
  });
}

template <class T, class X>
void share_row(const RowPlan<T>& plan, const RowSource<T, X>& from, Complex<T>* to, Places& places, Pair<T>* between) {
  parallel_for(plan.first_tiles(), grain_for(plan.first.cost), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      fft::first_pass<T, X>(plan, from, begin, end, reinterpret_cast<Pair<T>*>(room), between);
    });
  });
  parallel_for(plan.second_tiles(), grain_for(plan.second.cost), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      fft::second_pass<T>(plan, from.is_inverse, from.scale, begin, end, reinterpret_cast<Pair<T>*>(room), between, to);
    });
  });
}

// X: T or Complex<T>.
template <class T, class X, bool kIsInverse> void run_full(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  const FftSizes s = sizes_of(args, false);
  const X* x = args.in[0].as<X>();
  Complex<T>* out = args.out[0].as<Complex<T>>();
  const T scale = static_cast<T>(fft_scale(args.as<FftAttrs>().norm.view(), kIsInverse, s.n));
  const Way way = way_of<T>(s);
  const std::size_t bytes = up_to_64(place_bytes<T, X>(s, way));
  Places places(args.scratch, bytes);
  switch (way) {
    case Way::Columns: return run_columns<T, X>(s, x, kIsInverse, scale, out, places);
    case Way::Rows: return run_rows<T, X>(s, x, kIsInverse, scale, out, places);
    case Way::Each: return run_each<T, X>(s, x, kIsInverse, scale, out, places);
    case Way::Shared: break;
  }
  const auto plan = fft::row_plan<T>(s.n);
  auto* between = reinterpret_cast<Pair<T>*>(args.scratch + bytes * static_cast<std::size_t>(Places::count()));
  const int64_t given = std::min(s.given, s.n);
  for (int64_t row = 0; row < s.outer; ++row) {
    share_row<T, X>(*plan, {x + row * s.given, given, kIsInverse, scale}, out + row * s.n, places, between);
  }
}

// Real rows of an even number of points are transformed as half as many complex numbers, those of an odd number as
// complex ones.
template <class T> class RealRows {
 public:
  explicit RealRows(const FftSizes& s) : n_(s.n), given_(s.given), inner_(s.inner), half_(s.n / 2) {
    is_halved_ = n_ % 2 == 0;
    plan_ = fft::row_plan<T>(is_halved_ ? half_ : n_);
    if (is_halved_) roots_ = fft::real_plan<T>(half_);
    is_shared_ =
        inner_ == 1 && is_halved_ && half_ >= kSharedRow && plan_->inner == nullptr && s.outer < 2 * Places::count();
  }

  bool is_shared() const { return is_shared_; }
  const RowPlan<T>& plan() const { return *plan_; }
  // A place holds the room of a transform, a row of n + 2 real numbers, and two complex rows of the plan's length and
  // two more.
  std::size_t place_bytes() const {
    if (is_shared_) return up_to_64(bytes_of<T>(plan_->tile_room()));
    return up_to_64(bytes_of<T>(plan_->room() + real_pairs() + 2 * complex_pairs()));
  }
  std::size_t shared_bytes() const {
    return is_shared_ ? bytes_of<T>(plan_->between_room() + real_pairs() + complex_pairs()) : 0;
  }
  double cost() const { return plan_->cost * 1.5; }

  // A whole line forwards. `between`: of a shared row.
  void forward(const T* x, T scale, Complex<T>* out, std::byte* room, Places* places) const {
    auto* pairs = reinterpret_cast<Pair<T>*>(room);
    const int64_t given = std::min(given_, n_);
    T* row = reinterpret_cast<T*>(pairs + (is_shared_ ? plan_->between_room() : plan_->room()));
    if (inner_ > 1) gather_line(x, inner_, given, row);
    else if (is_halved_ && given % 2 != 0) std::copy(x, x + given, row);
    else row = const_cast<T*>(x);  // only read
    auto* result = inner_ == 1 && is_halved_ ? out : complex_row(pairs, 0);
    if (is_halved_) {
      if (given % 2 != 0) row[given] = 0;
      const RowSource<T, Complex<T>> from{reinterpret_cast<const Complex<T>*>(row), (given + 1) / 2, false, T(1)};
      if (is_shared_) share_row(*plan_, from, result, *places, pairs);
      else fft::transform_row(*plan_, from, result, pairs);
      unpack(result, scale);
    } else {
      fft::transform_row<T, T>(*plan_, {row, given, false, scale}, result, pairs);
      if (inner_ == 1) std::copy(result, result + half_ + 1, out);
    }
    if (inner_ > 1) scatter_line(result, half_ + 1, out, inner_);
  }

  void backward(const Complex<T>* x, T scale, T* out, std::byte* room, Places* places) const {
    auto* pairs = reinterpret_cast<Pair<T>*>(room);
    const int64_t given = std::min(given_, half_ + 1);
    Complex<T>* row = complex_row(pairs, 0);
    for (int64_t k = 0; k < given; ++k) row[k] = x[k * inner_];
    std::fill(row + given, row + half_ + 1, Complex<T>());
    row[0].im = 0;
    T* result = inner_ == 1 && is_halved_
                    ? out
                    : reinterpret_cast<T*>(pairs + (is_shared_ ? plan_->between_room() : plan_->room()));
    if (is_halved_) {
      row[half_].im = 0;
      pack(row);
      const RowSource<T, Complex<T>> from{row, half_, true, scale};
      auto* to = reinterpret_cast<Complex<T>*>(result);
      if (is_shared_) share_row(*plan_, from, to, *places, pairs);
      else fft::transform_row(*plan_, from, to, pairs);
    } else {
      for (int64_t k = half_ + 1; k < n_; ++k) row[k] = {row[n_ - k].re, -row[n_ - k].im};
      Complex<T>* whole = complex_row(pairs, 1);
      fft::transform_row<T, Complex<T>>(*plan_, {row, n_, true, scale}, whole, pairs);
      for (int64_t j = 0; j < n_; ++j) out[j * inner_] = whole[j].re;
      return;
    }
    if (inner_ > 1) scatter_line(result, n_, out, inner_);
  }

 private:
  int64_t real_pairs() const { return row_pairs<T>(n_ / 2 + 2); }
  int64_t complex_pairs() const { return row_pairs<T>(plan_->n + 2); }
  Complex<T>* complex_row(Pair<T>* pairs, int which) const {
    const int64_t before = (is_shared_ ? plan_->between_room() : plan_->room()) + real_pairs();
    return reinterpret_cast<Complex<T>*>(pairs + before + which * complex_pairs());
  }

  // Replaces z[k] and z[half - k] by what combine(z[k], conj(z[half - k]), root k) returns, for all k but 0 and half;
  // on several threads for a shared row. `is_back`: with the roots' conjugates. Combines single numbers and registers.
  template <class F> void combine_pairs(Complex<T>* z, bool is_back, const F& combine) const {
    constexpr int64_t kCount = kLanes<T>;
    const Complex<T>* roots = roots_->roots.data();
    const T side = is_back ? T(-1) : T(1);
    auto run = [=, half = half_](int64_t begin, int64_t end) {
      int64_t k = begin + 1;
      // Registers that do not meet their mirror images.
      for (; k + kCount <= end + 1 && k + kCount <= half - k - kCount + 1; k += kCount) {
        Complex<T>* mirrored = z + half - k - kCount + 1;
        const Pair<T> a = fft::load(z + k, kCount), b = fft::reversed(fft::load(mirrored, kCount)),
                      root = fft::load(roots + k, kCount);
        const auto [first, second] = combine(a, Pair<T>{b.re, -b.im}, Pair<T>{root.re, root.im * side});
        fft::store(z + k, first, kCount);
        fft::store(mirrored, fft::reversed(second), kCount);
      }
      for (; k <= end; ++k) {
        const Complex<T> b = z[half - k];
        const auto [first, second] =
            combine(z[k], Complex<T>(b.re, -b.im), Complex<T>(roots[k].re, roots[k].im * side));
        z[k] = first;
        z[half - k] = second;
      }
    };
    if (is_shared_) parallel_for(half_ / 2, kCheapGrain / 2, run);
    else run(0, half_ / 2);
  }

  // From the transform of the pairs of points to that of the points, in place.
  void unpack(Complex<T>* z, T scale) const {
    const Complex<T> first = z[0];
    const T halved = scale / 2;
    z[0] = Complex<T>(scale * (first.re + first.im));
    z[half_] = Complex<T>(scale * (first.re - first.im));
    combine_pairs(z, false, [halved]<class V>(const V& a, const V& b, const V& root) {
      const V even = a + b, odd = root * (a - b);  // i times that of the odd points
      return std::pair<V, V>(V{(even.re + odd.im) * halved, (even.im - odd.re) * halved},
                             V{(even.re - odd.im) * halved, (-even.im - odd.re) * halved});
    });
  }

  // The reverse, but for a factor of 2.
  void pack(Complex<T>* z) const {
    const T first = z[0].re, last = z[half_].re;
    z[0] = {first + last, first - last};
    combine_pairs(z, true, []<class V>(const V& a, const V& b, const V& root) {
      const V even = a + b, odd = root * (a - b);
      return std::pair<V, V>(V{even.re - odd.im, even.im + odd.re}, V{even.re + odd.im, odd.re - even.im});
    });
  }

  int64_t n_, given_, inner_, half_;
  bool is_halved_, is_shared_;
  std::shared_ptr<const RowPlan<T>> plan_;
  std::shared_ptr<const fft::RealPlan<T>> roots_;
};

template <class T, bool kIsInverse> std::size_t real_scratch(const KernelArgs& args) {
  if (args.out[0].size == 0) return 0;
  const FftSizes s = sizes_of(args, kIsInverse);
  if (s.n > kMostPlanned) return unplanned_bytes<T>(s.n);
  const RealRows<T> rows(s);
  return rows.place_bytes() * static_cast<std::size_t>(Places::count()) + rows.shared_bytes();
}

template <class T, bool kIsInverse> void run_real(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  const FftSizes s = sizes_of(args, kIsInverse);
  const RealRows<T> rows(s);
  const T scale = static_cast<T>(fft_scale(args.as<FftAttrs>().norm.view(), kIsInverse, s.n));
  Places places(args.scratch, rows.place_bytes());
  auto run_line = [&](int64_t line, std::byte* room) {
    const int64_t o = line / s.inner, column = line % s.inner;
    const int64_t real_points = kIsInverse ? s.n : s.given, points = kIsInverse ? s.given : s.n / 2 + 1;
    const int64_t real = o * real_points * s.inner + column, complex = o * points * s.inner + column;
    if constexpr (kIsInverse) {
      rows.backward(args.in[0].as<Complex<T>>() + complex, scale, args.out[0].as<T>() + real, room, &places);
    } else {
      rows.forward(args.in[0].as<T>() + real, scale, args.out[0].as<Complex<T>>() + complex, room, &places);
    }
  };
  const int64_t lines = s.outer * s.inner;
  if (rows.is_shared()) {
    std::byte* shared = args.scratch + rows.place_bytes() * static_cast<std::size_t>(Places::count());
    for (int64_t line = 0; line < lines; ++line) run_line(line, shared);
    return;
  }
  parallel_for(lines, grain_for(rows.cost()), [&](int64_t begin, int64_t end) {
    places.with([&](std::byte* room) {
      for (int64_t line = begin; line < end; ++line) run_line(line, room);
    });
  });
}

}  // namespace

void register_fft_cpu(KernelRegistry& kernels) {
  auto add = [&]<class T>(TypeTag<T>) {
    const DType real = dtype_of<T>, complex = dtype_of<Complex<T>>;
    using C = Complex<T>;
    kernels.add("FFT", DeviceType::CPU, complex, {.run = run_full<T, C, false>, .scratch = full_scratch<T, C>});
    kernels.add("IFFT", DeviceType::CPU, complex, {.run = run_full<T, C, true>, .scratch = full_scratch<T, C>});
    kernels.add("FFT", DeviceType::CPU, real, {.run = run_full<T, T, false>, .scratch = full_scratch<T, T>});
    kernels.add("IFFT", DeviceType::CPU, real, {.run = run_full<T, T, true>, .scratch = full_scratch<T, T>});
    kernels.add("RFFT", DeviceType::CPU, real, {.run = run_real<T, false>, .scratch = real_scratch<T, false>});
    kernels.add("IRFFT", DeviceType::CPU, complex, {.run = run_real<T, true>, .scratch = real_scratch<T, true>});
  };
  add(TypeTag<float>{});
  add(TypeTag<double>{});
}

}  // namespace lutra
