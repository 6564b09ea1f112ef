// Matrix products of complex numbers on the CPU. In memory a (m, k) is a real matrix (m, 2k) and c a real matrix (m,
// 2n) of alternating parts. So c is the real product of a with a matrix (2k, 2n) that has the rows b and ib for each
// row of b: one product as large as the four that the parts take, on operands that need no splitting.

#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/widen.h"
#include "kernels/indexing/batch.h"

namespace lutra {
namespace {

// Rows [begin, end) of b, each as two rows. Row p of b is row p of memory or, if transposed, column p.
template <class T>
void spread_rows(const MatMulSizes& s, const Complex<T>* b, T* __restrict to, int64_t begin, int64_t end) {
  const int64_t step = s.transpose_b ? s.ldb : 1, row_step = s.transpose_b ? 1 : s.ldb;
  for (int64_t p = begin; p < end; ++p) {
    const Complex<T>* from = b + p * row_step;
    T* first = to + p * 4 * s.n;
    T* second = first + 2 * s.n;
    for (int64_t j = 0; j < s.n; ++j) {
      const Complex<T> x = from[j * step];
      first[2 * j] = x.re;
      first[2 * j + 1] = x.im;
      second[2 * j] = -x.im;
      second[2 * j + 1] = x.re;
    }
  }
}

template <class T> std::size_t spread_bytes(const MatMulSizes& s, int64_t matrices) {
  return widened_bytes(matrices * s.k * s.n * 4, sizeof(T));
}

// The spread forms of `count` matrices of b.
template <class T> void spread(const MatMulSizes& s, const Complex<T>* b, int64_t count, T* to) {
  parallel_for(count * s.k, row_grain(kCheapGrain / 4, s.n), [&](int64_t begin, int64_t end) {
    for (int64_t n; begin < end; begin += n) {
      const int64_t matrix = begin / s.k, first = begin % s.k;
      n = std::min(s.k - first, end - begin);
      spread_rows(s, b + matrix * s.k * s.n, to + matrix * s.k * s.n * 4, first, first + n);
    }
  });
}

template <class T> std::size_t turned_bytes(const MatMulSizes& s, int64_t matrices) {
  return s.transpose_a ? widened_bytes(matrices * s.m * s.k * 2, sizeof(T)) : 0;
}

// The transposes of `count` matrices of a.
template <class T> void turn(const MatMulSizes& s, const Complex<T>* a, int64_t count, Complex<T>* to) {
  parallel_for(count * s.m, row_grain(kCheapGrain / 4, s.k), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Complex<T>* from = a + row / s.m * s.m * s.k + row % s.m;
      for (int64_t p = 0; p < s.k; ++p) to[row * s.k + p] = from[p * s.lda];
    }
  });
}

MatMulSizes real_sizes(const MatMulSizes& s) {
  return {s.m, 2 * s.n, 2 * s.k, 2 * s.k, 2 * s.k, 2 * s.n, false, false};
}

template <class T> const T* parts(const Complex<T>* x) { return reinterpret_cast<const T*>(x); }
template <class T> T* parts(Complex<T>* x) { return reinterpret_cast<T*>(x); }

template <class T> int64_t matrices_of(const Array& array, int64_t size) { return size == 0 ? 0 : array.size / size; }

template <class T> std::size_t matmul_scratch(const KernelArgs& args) {
  const Array &a = args.in[0], &b = args.in[1];
  const MatMulSizes s = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  return spread_bytes<T>(s, matrices_of<T>(b, s.k * s.n)) + turned_bytes<T>(s, matrices_of<T>(a, s.m * s.k));
}

template <class T> void run_matmul(const KernelArgs& args) {
  const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
  if (out.size == 0) return;
  const MatMulSizes s = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  const int64_t of_a = matrices_of<T>(a, s.m * s.k), of_b = matrices_of<T>(b, s.k * s.n);
  T* y = reinterpret_cast<T*>(args.scratch);
  spread(s, b.as<Complex<T>>(), of_b, y);
  const Complex<T>* x = a.as<Complex<T>>();
  if (s.transpose_a) {
    auto* turned = reinterpret_cast<Complex<T>*>(args.scratch + spread_bytes<T>(s, of_b));
    turn(s, x, of_a, turned);
    x = turned;
  }
  Complex<T>* to = out.as<Complex<T>>();
  MatMulSizes real = real_sizes(s);
  const int64_t per_product = s.m * s.n, products = out.size / per_product;
  if (b.rank <= 2) {
    // All matrices of a are multiplied by the same b: they are one tall matrix.
    real.m *= products;
    return gemm(real, parts(x), y, parts(to));
  }
  const int batch_rank = out.rank - (a.rank > 1) - (b.rank > 1);
  const Batch batch_a(a, out.dims, batch_rank), batch_b(b, out.dims, batch_rank);
  for_products(products, real, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gemm(real, parts(x + batch_a.offset(i)), y + 4 * batch_b.offset(i), parts(to + i * per_product));
    }
  });
}

}  // namespace

template <class T> std::size_t complex_product_room(const MatMulSizes& sizes) {
  return spread_bytes<T>(sizes, 1) + turned_bytes<T>(sizes, 1);
}

template <class T>
void complex_product(const MatMulSizes& sizes, const Complex<T>* a, const Complex<T>* b, std::byte* room,
                     Complex<T>* c) {
  T* y = reinterpret_cast<T*>(room);
  spread(sizes, b, 1, y);
  if (sizes.transpose_a) {
    auto* turned = reinterpret_cast<Complex<T>*>(room + spread_bytes<T>(sizes, 1));
    turn(sizes, a, 1, turned);
    a = turned;
  }
  gemm(real_sizes(sizes), parts(a), y, parts(c));
}

template std::size_t complex_product_room<float>(const MatMulSizes&);
template std::size_t complex_product_room<double>(const MatMulSizes&);
template void complex_product(const MatMulSizes&, const Complex64*, const Complex64*, std::byte*, Complex64*);
template void complex_product(const MatMulSizes&, const Complex128*, const Complex128*, std::byte*, Complex128*);

void add_complex_products(KernelRegistry& kernels) {
  kernels.add_each("MatMul", DeviceType::CPU, ComplexTypes{}, []<class C>(TypeTag<C>) {
    using T = typename C::Part;
    return KernelEntry{.run = run_matmul<T>, .scratch = matmul_scratch<T>};
  });
}

}  // namespace lutra
