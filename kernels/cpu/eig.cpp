// Eigenvalues of any matrix, and inverses of complex ones, of batches.

#include "kernels/eigen/eig.h"

#include <vector>

#include "kernels/cpu/loops/matrices.h"

namespace lutra {
namespace {

using namespace matrices;

// T: a float or a complex type; Number: double or Complex128; C: the results' type.
template <class T, class Number, class C> void run_eig(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  const int64_t n = rows_of(x);
  const bool has_vectors = args.n_out > 1;
  for_matrices(args, matrices_in(x), 25 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    std::vector<Complex128> w(static_cast<std::size_t>(n)), v(has_vectors ? static_cast<std::size_t>(n * n) : 0);
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * n * n, n * n, matrix);
      eig(n, matrix.data(), w.data(), has_vectors ? v.data() : nullptr);
      write(w, args.out[0].as<C>() + i * n);
      if (has_vectors) write(v, args.out[1].as<C>() + i * n * n);
    }
  });
}

template <class T> void run_inverse(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  const int64_t n = rows_of(x), count = matrices_in(x);
  FirstBad bad;
  for_matrices(args, count, 8 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Complex128> matrix;
    for (int64_t i = begin; i < end; ++i) {
      T* to = args.out[0].as<T>() + i * n * n;
      read(x.as<T>() + i * n * n, n * n, matrix);
      if (!invert(n, matrix.data())) {
        bad.tell(i);
        std::fill(matrix.begin(), matrix.end(), Complex128());
      }
      write(matrix, to);
    }
  });
  bad.raise(args, count);
}

}  // namespace

void register_eig_cpu(KernelRegistry& kernels) {
  for (const char* name : {"Eig", "Eigvals"}) {
    kernels.add_each(name, DeviceType::CPU, AllFloats{}, []<class T>(TypeTag<T>) {
      return KernelEntry{.run = run_eig<T, double, Complex<ComputeType<T>>>};
    });
    kernels.add_each(name, DeviceType::CPU, ComplexTypes{},
                     []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eig<T, Complex128, T>}; });
  }
  kernels.add_each("MatrixInverse", DeviceType::CPU, ComplexTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_inverse<T>}; });
}

}  // namespace lutra
