// Eigenvalues of any matrix, of batches.

#include <type_traits>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/loops/matrices.h"

namespace lutra {
namespace {

using namespace matrices;

// Number is the type to compute in.
template <class T, class Number> void run_eig_in(const KernelArgs& args, bool by_lapack) {
  using Real = RealOf<Number>;
  using C = Complex<ComputeType<RealOf<T>>>;
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  const bool has_vectors = args.n_out > 1;
  for_matrices(args, matrices_in(x), 25 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    std::vector<Complex<Real>> w(static_cast<std::size_t>(n)), v(has_vectors ? static_cast<std::size_t>(n * n) : 0);
    for (int64_t i = begin; i < end; ++i) {
      C *to_w = args.out[0].as<C>() + i * n, *to_v = has_vectors ? args.out[1].as<C>() + i * n * n : nullptr;
      read(x.as<T>() + i * n * n, n * n, matrix);
      Complex<Real>* vectors = has_vectors ? v.data() : nullptr;
      if (by_lapack && !lapack::eig(n, matrix.data(), w.data(), vectors)) {
        write_nan(to_w, n);
        if (has_vectors) write_nan(to_v, n * n);
        continue;
      }
      if constexpr (std::is_same_v<Real, double>) {
        if (!by_lapack) dense::eig(n, matrix.data(), w.data(), vectors);
      }
      write(w, to_w);
      if (has_vectors) write(v, to_v);
    }
  });
}

template <class T> void run_eig(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) run_eig_in<T, LapackNumber<T>>(args, true);
  else run_eig_in<T, SmallNumber<T>>(args, false);
}

}  // namespace

void register_eig_cpu(KernelRegistry& kernels) {
  for (const char* name : {"Eig", "Eigvals"}) {
    kernels.add_each(name, DeviceType::CPU, InexactTypes{},
                     []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eig<T>}; });
  }
}

}  // namespace lutra
