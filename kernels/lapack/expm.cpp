// The exponential of a matrix: nearly all of it is products, so that LAPACK's are worth having.
#include <cstdint>
#include <vector>

#include "kernels/cpu/dense/exponential.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/factorise.h"

namespace lutra::lapack {
namespace {

// The library sees transposes.
struct LapackProducts {
  template <class T> static void multiply(int64_t n, const T* a, const T* b, T* c) { lapack::multiply(n, a, b, c); }
  template <class T> static void divide(int64_t n, T* a, T* b) {
    std::vector<int> pivots;
    factorise_lu(n, n, a, pivots);
    solve_by_lu(n, n, a, pivots, false, b);
  }
};

}  // namespace

template <class T> void expm(int64_t n, const T* a, T* exponential) {
  dense::Exponential<T, LapackProducts>(n).compute(a, exponential);
}

template void expm(int64_t, const float*, float*);
template void expm(int64_t, const double*, double*);
template void expm(int64_t, const Complex64*, Complex64*);
template void expm(int64_t, const Complex128*, Complex128*);

}  // namespace lutra::lapack
