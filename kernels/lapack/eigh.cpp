// Eigenvalues and eigenvectors of real symmetric matrices: to tridiagonal form and back in blocks on Lutra's threads,
// and divide and conquer between. LAPACK's syevd takes longer from 48 x 48 on, even on one thread.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/stop_request.h"
#include "kernels/lapack/divide_and_conquer.h"
#include "kernels/lapack/factorise.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/reduction.h"
#include "kernels/lapack/tridiagonal.h"
#include "kernels/lapack/workspace.h"

namespace lutra::lapack {
namespace {

template <class T> bool find_values(Tridiagonal<T>& t) {
  Call call;
  const int size = static_cast<int>(t.diagonal.size());
  int info = 0;
  functions<T>().sterf(&size, t.diagonal.data(), t.beside.data(), &info);
  return info == 0;
}

}  // namespace

// What an interrupt ends early is meaningless, and counts as an answer: the op fails anyway.
template <class T> bool eigh(int64_t n, T* a, T* w, T* v) {
  T most = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!are_finite(a + i * n, i + 1)) return false;
    for (int64_t j = 0; j <= i; ++j) most = std::max(most, std::fabs(a[i * n + j]));
  }
  const int exponent = exponent_of(most);
  Tridiagonal<T> t = tridiagonalise(n, a, -exponent);
  if (StopRequest::is_wanted()) return true;
  std::vector<int> order;
  if (v == nullptr) {
    if (!find_values(t)) return false;
  } else {
    auto vectors = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n * n));
    // a and v are memory to work in until the end.
    if (!solve_tridiagonal(n, t.diagonal, t.beside, vectors.get(), a, v, order)) return StopRequest::is_wanted();
    multiply(t.q, {vectors.get(), n, n, n, 1, order.data()}, true, v);
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = v == nullptr ? i : order[static_cast<std::size_t>(i)];
    w[i] = std::ldexp(t.diagonal[static_cast<std::size_t>(at)], exponent);
  }
  return true;
}

template bool eigh(int64_t, float*, float*, float*);
template bool eigh(int64_t, double*, double*, double*);

}  // namespace lutra::lapack
