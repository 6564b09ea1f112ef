#include "kernels/lapack/divide_and_conquer.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"

namespace lutra::lapack {
namespace {

// Parts of at most so many rows are solved by iteration.
constexpr int64_t kMostAlone = 25;

template <class T> class DivideAndConquer {
 public:
  DivideAndConquer(int64_t n, std::vector<T>& diagonal, std::vector<T>& beside, T* q, T* more_q, T* more_s,
                   std::vector<int>& order)
      : n_(n),
        step_(static_cast<int>(n)),
        diagonal_(diagonal.data()),
        beside_(beside.data()),
        q_(q),
        more_q_(more_q),
        more_s_(more_s),
        order_(order.data()) {}

  bool run() {
    std::fill(q_, q_ + n_ * n_, T(0));
    // Parts begin there, and n_ at the end.
    std::vector<std::vector<int64_t>> levels = {{0, n_}};
    while (has_large_part(levels.back())) {
      std::vector<int64_t> halved = {0};
      for (std::size_t i = 0; i + 1 < levels.back().size(); ++i) {
        const int64_t begin = levels.back()[i], end = levels.back()[i + 1];
        halved.push_back(begin + (end - begin) / 2);
        halved.push_back(end);
      }
      levels.push_back(std::move(halved));
    }
    const std::vector<int64_t>& parts = levels.back();
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      const T size = std::fabs(beside_[parts[i] - 1]);
      diagonal_[parts[i] - 1] -= size;
      diagonal_[parts[i]] -= size;
    }
    const auto count = static_cast<int64_t>(parts.size()) - 1;
    for_pieces_of(1, count, 4 * kMostAlone * kMostAlone * kMostAlone, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        solve_part(parts[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(i) + 1]);
      }
    });
    while (levels.size() > 1 && !has_failed_ && !StopRequest::is_wanted()) {
      const std::vector<int64_t> cut = std::move(levels.back());
      levels.pop_back();
      const auto merges = static_cast<int64_t>(cut.size()) / 2;
      auto merge_all = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t* at = cut.data() + 2 * i;
          merge(at[0], at[1], at[2]);
        }
      };
      // Few merges are large, and work on several threads each.
      if (merges < 4) merge_all(0, merges);
      else parallel_for(merges, 1 + kWorkOfThread * merges * merges * merges / (n_ * n_ * n_), merge_all);
    }
    return !has_failed_;
  }

 private:
  static bool has_large_part(const std::vector<int64_t>& parts) {
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      if (parts[i + 1] - parts[i] > kMostAlone) return true;
    }
    return false;
  }

  void solve_part(int64_t begin, int64_t end) {
    const int size = static_cast<int>(end - begin);
    int info = 0;
    T work[2 * kMostAlone];
    functions<T>().steqr("I", &size, diagonal_ + begin, beside_ + begin, q_ + begin * (n_ + 1), &step_, work, &info, 1);
    if (info != 0) has_failed_ = true;
    for (int i = 0; i < size; ++i) order_[begin + i] = i + 1;
  }

  // Joins the parts [begin, middle) and [middle, end), for each of which order_ lists the values from 1 on.
  void merge(int64_t begin, int64_t middle, int64_t end) {
    const int64_t size = end - begin, above = middle - begin, below = end - middle;
    const auto count = static_cast<std::size_t>(size);
    T *q = q_ + begin * (n_ + 1), *joined = more_q_ + begin * n_, *values = diagonal_ + begin;
    T rho = beside_[middle - 1];
    std::vector<T> z(count), poles(count), weights(count);
    for (int64_t i = 0; i < above; ++i) z[static_cast<std::size_t>(i)] = q[i * n_ + above - 1];
    for (int64_t i = above; i < size; ++i) z[static_cast<std::size_t>(i)] = q[i * n_ + above];
    std::vector<int> sorted(count), rows(count), pivots(count), kinds(std::max<std::size_t>(count, 4));
    const int size_int = static_cast<int>(size), above_int = static_cast<int>(above);
    int kept = 0, info = 0;
    int* order = order_ + begin;
    {
      Call call;
      functions<T>().laed2(&kept, &size_int, &above_int, values, q, &step_, order, &rho, z.data(), poles.data(),
                           weights.data(), joined, sorted.data(), rows.data(), pivots.data(), kinds.data(), &info);
    }
    if (info != 0) has_failed_ = true;
    if (kept == 0 || has_failed_) {
      for (int i = 0; i < size_int; ++i) order[i] = i + 1;
      return;
    }
    const Kept parts{kept, kinds[0] + kinds[1], kinds[1] + kinds[2], kinds[0]};
    find_roots(kept, poles, weights, rho, values, more_s_ + begin * n_);
    find_weights(kept, poles, weights, more_s_ + begin * n_);
    multiply(parts, above, below, joined, rows, weights, more_s_ + begin * n_, q);
    const int deflated = size_int - kept, up = 1, down = -1;
    Call call;
    functions<T>().lamrg(&kept, &deflated, values, &up, &down, order);
  }

  // Of the columns that are kept, `above` are not zero in the first half of rows, `below` from column `below_at` on in
  // the second.
  struct Kept {
    int64_t count, above, below, below_at;
  };

  // Column j of s: the distances of root j from all poles.
  void find_roots(int kept, const std::vector<T>& poles, const std::vector<T>& weights, T rho, T* roots, T* s) {
    for_pieces_of(8, kept, 64 * kept, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        const int which = static_cast<int>(j + 1);
        int info = 0;
        functions<T>().laed4(&kept, &which, poles.data(), weights.data(), s + j * kept, &rho, roots + j, &info);
        if (info != 0) has_failed_ = true;
      }
    });
  }

  // The weights for which the roots that were found are exact.
  void find_weights(int64_t kept, const std::vector<T>& poles, std::vector<T>& weights, const T* s) {
    if (kept <= 2) return;  // laed4 has found vectors
    const T* pole = poles.data();
    parallel_for(kept, 1 + kWorkOfThread / (8 * kept), 64, [&](int64_t begin, int64_t end) {
      std::vector<T> products(static_cast<std::size_t>(end - begin));
      T* product = products.data() - begin;
      for (int64_t i = begin; i < end; ++i) product[i] = s[i * (kept + 1)];
      for (int64_t j = 0; j < kept; ++j) {
        const T *distance = s + j * kept, here = pole[j];
        const int64_t first = std::clamp(j, begin, end), second = std::clamp(j + 1, begin, end);
        for (int64_t i = begin; i < first; ++i) product[i] *= distance[i] / (pole[i] - here);
        for (int64_t i = second; i < end; ++i) product[i] *= distance[i] / (pole[i] - here);
      }
      for (int64_t i = begin; i < end; ++i) {
        T& weight = weights[static_cast<std::size_t>(i)];
        weight = std::copysign(std::sqrt(-product[i]), weight);
      }
    });
  }

  // q = what laed2 has joined, times the vectors of the secular equation.
  void multiply(Kept k, int64_t above, int64_t below, const T* joined, const std::vector<int>& rows,
                const std::vector<T>& weights, T* s, T* q) {
    for_pieces(k.count, above * k.above + below * k.below, [&](int64_t begin, int64_t end) {
      std::vector<T> vector(static_cast<std::size_t>(k.count));
      for (int64_t j = begin; j < end; ++j) {
        T *column = s + j * k.count, sum = 0;
        if (k.count <= 2) {
          std::copy_n(column, k.count, vector.data());
          sum = 1;
        } else {
          for (int64_t i = 0; i < k.count; ++i) {
            vector[static_cast<std::size_t>(i)] = weights[static_cast<std::size_t>(i)] / column[i];
          }
          sum = squares(vector);
        }
        const T scale = 1 / std::sqrt(sum);
        for (int64_t i = 0; i < k.count; ++i) {
          column[i] = vector[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)] - 1)] * scale;
        }
      }
      product(above, end - begin, k.above, joined, s + begin * k.count, k.count, q + begin * n_);
      product(below, end - begin, k.below, joined + above * k.above, s + begin * k.count + k.below_at, k.count,
              q + begin * n_ + above);
    });
  }

  static T squares(const std::vector<T>& vector) {
    T sums[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= vector.size(); i += 16) {
      for (std::size_t k = 0; k < 16; ++k) sums[k] += vector[i + k] * vector[i + k];
    }
    T sum = 0;
    for (T each : sums) sum += each;
    for (; i < vector.size(); ++i) sum += vector[i] * vector[i];
    return sum;
  }

  void product(int64_t m, int64_t n, int64_t k, const T* a, const T* b, int64_t step_b, T* c) {
    const int sizes[] = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), static_cast<int>(step_b)};
    const T one = 1, zero = 0;
    if (k == 0) {
      for (int64_t j = 0; j < n; ++j) std::fill_n(c + j * n_, m, T(0));
      return;
    }
    functions<T>().gemm("N", "N", &sizes[0], &sizes[1], &sizes[2], &one, a, &sizes[0], b, &sizes[3], &zero, c, &step_,
                        1, 1);
  }

  const int64_t n_;
  const int step_;
  T *const diagonal_, *const beside_, *const q_, *const more_q_, *const more_s_;
  int* const order_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace

template <class T>
bool solve_tridiagonal(int64_t n, std::vector<T>& diagonal, std::vector<T>& beside, T* q, T* more_q, T* more_s,
                       std::vector<int>& order) {
  order.resize(static_cast<std::size_t>(n));
  const bool is_good = DivideAndConquer<T>(n, diagonal, beside, q, more_q, more_s, order).run();
  for (int& each : order) --each;
  // Roots that are a rounding apart may not ascend.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return diagonal[static_cast<std::size_t>(a)] < diagonal[static_cast<std::size_t>(b)];
  });
  return is_good;
}

template bool solve_tridiagonal(int64_t, std::vector<float>&, std::vector<float>&, float*, float*, float*,
                                std::vector<int>&);
template bool solve_tridiagonal(int64_t, std::vector<double>&, std::vector<double>&, double*, double*, double*,
                                std::vector<int>&);

}  // namespace lutra::lapack
