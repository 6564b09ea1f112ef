#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/exponential.h"
#include "kernels/cpu/dense/lu.h"
#include "kernels/cpu/dense/product.h"

namespace lutra::dense {
namespace {

struct OwnProducts {
  template <class Number> static void multiply(int64_t n, const Number* a, const Number* b, Number* c) {
    dense::multiply(n, a, b, c);
  }
  template <class Number> static void divide(int64_t n, Number* a, Number* b) {
    Lu<Number> lu;
    lu.factorise(n, a);
    lu.solve(n, b, false);
  }
};

}  // namespace

template <class Number> void expm(int64_t n, const Number* a, Number* exponential) {
  Exponential<Number, OwnProducts>(n).compute(a, exponential);
}

template void expm(int64_t, const double*, double*);
template void expm(int64_t, const Complex128*, Complex128*);

}  // namespace lutra::dense
