#include "kernels/lapack/reflections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/loops/transpose.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"

namespace lutra::lapack {
namespace {

// Some reflections in a row: I - V F V^T, where the inverse of F has the diagonal 1 / factor and, on one side of it,
// what V^T V has.
template <class T> class Block {
 public:
  Block(const Reflections<T>& q, int64_t first, int64_t width)
      : q_(q),
        first_(first),
        width_(static_cast<int>(width)),
        top_(q.is_forward ? first : 0),
        rows_(static_cast<int>((q.is_forward ? q.rows : first + width) - top_)),
        step_(static_cast<int>(q.step)) {}

  // vf = V F, which has no more rows than V has without zeros.
  void times_factors(T* vf) const {
    std::vector<T> inverse(static_cast<std::size_t>(width_ * width_));
    {
      Call call;
      functions<T>().gemm("T", "N", &width_, &width_, &rows_, &kOne, v(), &step_, v(), &step_, &kZero, inverse.data(),
                          &width_, 1, 1);
    }
    for (int64_t i = 0; i < width_; ++i) {
      inverse[static_cast<std::size_t>(i * (width_ + 1))] = 1 / q_.factors[static_cast<std::size_t>(first_ + i)];
      std::copy_n(v() + i * q_.step, rows_, vf + i * rows_);
    }
    solve_from_right({.is_upper = q_.is_forward, .is_transposed = false, .has_ones = false}, rows_, width_,
                     inverse.data(), vf);
  }

  // x, whose columns begin q.step apart, is multiplied by the block. `product` has width * columns numbers.
  void apply(const T* vf, int columns, T* x, T* product) const {
    functions<T>().gemm("T", "N", &width_, &columns, &rows_, &kOne, v(), &step_, x + top_, &step_, &kZero, product,
                        &width_, 1, 1);
    functions<T>().gemm("N", "N", &rows_, &columns, &width_, &kMinus, vf, &rows_, product, &width_, &kOne, x + top_,
                        &step_, 1, 1);
  }

 private:
  static constexpr T kOne = 1, kZero = 0, kMinus = -1;
  const T* v() const { return q_.vectors.data() + first_ * q_.step + top_; }

  const Reflections<T>& q_;
  const int64_t first_;
  const int width_;
  const int64_t top_;
  const int rows_, step_;
};

}  // namespace

template <class T> T reflect(T& head, T* tail, int64_t n, T& kept, T& scale) {
  // Smaller numbers do not count beside a largest element of the matrix that is near one.
  constexpr T kNothing =
      std::numeric_limits<T>::min() / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
  T most = 0;
  for (int64_t i = 0; i < n; ++i) most = std::max(most, std::fabs(tail[i]));
  kept = std::exchange(head, T(1));
  scale = 0;
  if (most < kNothing) {
    std::fill_n(tail, n, T(0));
    return 0;
  }
  most = std::max(most, std::fabs(kept));
  // By a power of two, so that squares are in range.
  const int exponent = std::ilogb(most);
  const T power = std::ldexp(T(1), -exponent), last = kept * power;
  RegisterOf<T> sums = {};
  int64_t i = 0;
  for (; i + kInRegister<T> <= n; i += kInRegister<T>) {
    const RegisterOf<T> scaled = load_register(tail + i) * power;
    sums += scaled * scaled;
  }
  T sum = sum_of_lanes<T>(sums);
  for (; i < n; ++i) sum += tail[i] * power * (tail[i] * power);
  const T there = -std::copysign(std::sqrt(last * last + sum), last);
  scale = power / (last - there);
  for (i = 0; i < n; ++i) tail[i] *= scale;
  kept = std::ldexp(there, exponent);
  return (there - last) / there;
}

template <class T> void multiply(const Reflections<T>& q, const ColumnsOf<T>& z, bool by_rows, T* out) {
  // Wider blocks make products faster, but take more of them.
  const int64_t width = q.rows < 768 ? 64 : 128, blocks = (q.count + width - 1) / width;
  auto block_at = [&](int64_t i) { return Block<T>(q, i * width, std::min(width, q.count - i * width)); };
  auto factors = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(q.rows * q.count));
  auto factors_at = [&](int64_t i) { return factors.get() + i * width * q.rows; };
  parallel_for(blocks, 1 + kWorkOfThread / (q.rows * width * width), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) block_at(i).times_factors(factors_at(i));
  });
  for_pieces(z.count, 2 * q.rows * q.count, [&](int64_t begin, int64_t end) {
    const int64_t columns = end - begin;
    AlignedNumbers<T> piece(q.step * columns);
    std::vector<T> product(static_cast<std::size_t>(width * columns));
    T* x = piece.data();
    for (int64_t j = 0; j < columns; ++j) {
      const T* from = z.at + (z.order == nullptr ? begin + j : z.order[begin + j]) * z.right;
      for (int64_t i = 0; i < z.rows; ++i) x[j * q.step + i] = from[i * z.down];
    }
    for (int64_t count = 0; count < blocks && !StopRequest::is_wanted(); ++count) {
      const int64_t i = q.is_forward ? blocks - 1 - count : count;
      block_at(i).apply(factors_at(i), static_cast<int>(columns), x, product.data());
    }
    if (by_rows) transpose(x, q.step, columns, q.rows, out + begin, z.count);
    else
      for (int64_t j = 0; j < columns; ++j) std::copy_n(x + j * q.step, q.rows, out + (begin + j) * q.rows);
  });
}

template float reflect(float&, float*, int64_t, float&, float&);
template double reflect(double&, double*, int64_t, double&, double&);
template void multiply(const Reflections<float>&, const ColumnsOf<float>&, bool, float*);
template void multiply(const Reflections<double>&, const ColumnsOf<double>&, bool, double*);

}  // namespace lutra::lapack
