// The system's LAPACK, opened when first needed: by a factorisation that is large enough, or by `lutra doctor`. Its
// integers have 32 bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/complex.h"

namespace lutra::lapack {

// Fortran's calling convention: all arguments by address, matrices by columns, the lengths of strings at the end.
template <class T> struct Functions {
  void (*potrf)(const char* triangle, const int* n, T* a, const int* lda, int* info, std::size_t);
  void (*gemm)(const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,
               const T* factor, const T* a, const int* lda, const T* b, const int* ldb, const T* add, T* c,
               const int* ldc, std::size_t, std::size_t);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*laswp)(const int* columns, T* a, const int* lda, const int* first, const int* last, const int* pivots,
                const int* step);
  void (*geqrt)(const int* m, const int* n, const int* block, T* a, const int* lda, T* t, const int* ldt, T* work,
                int* info);
  void (*gemqrt)(const char* side, const char* transposed, const int* m, const int* n, const int* k, const int* block,
                 const T* v, const int* ldv, const T* t, const int* ldt, T* c, const int* ldc, T* work, int* info,
                 std::size_t, std::size_t);
  void (*geev)(const char* left_job, const char* right_job, const int* n, T* a, const int* lda, T* real, T* imaginary,
               T* left, const int* ldl, T* right, const int* ldr, T* work, const int* work_size, int* info, std::size_t,
               std::size_t);
  void (*steqr)(const char* job, const int* n, T* diagonal, T* beside, T* q, const int* ldq, T* work, int* info,
                std::size_t);
  void (*sterf)(const int* n, T* diagonal, T* beside, int* info);
  void (*bdsdc)(const char* triangle, const char* job, const int* n, T* diagonal, T* beside, T* u, const int* ldu,
                T* vt, const int* ldvt, T* compact, int* compact_integers, T* work, int* integers, int* info,
                std::size_t, std::size_t);
  void (*laed2)(int* kept, const int* n, const int* above, T* d, T* q, const int* ldq, int* order, T* rho, T* z,
                T* poles, T* weights, T* joined, int* sorted, int* rows, int* pivots, int* kinds, int* info);
  void (*laed4)(const int* n, const int* root, const T* poles, const T* weights, T* distances, const T* rho, T* value,
                int* info);
  void (*lamrg)(const int* first, const int* second, const T* values, const int* first_step, const int* second_step,
                int* order);
};
template <class T> struct Functions<Complex<T>> {
  using C = Complex<T>;
  void (*potrf)(const char* triangle, const int* n, C* a, const int* lda, int* info, std::size_t);
  void (*gemm)(const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,
               const C* factor, const C* a, const int* lda, const C* b, const int* ldb, const C* add, C* c,
               const int* ldc, std::size_t, std::size_t);
  void (*trsm)(const char* side, const char* triangle, const char* transposed, const char* ones, const int* m,
               const int* n, const C* factor, const C* a, const int* lda, C* b, const int* ldb, std::size_t,
               std::size_t, std::size_t, std::size_t);
  void (*getrf)(const int* m, const int* n, C* a, const int* lda, int* pivots, int* info);
  void (*getrs)(const char* transposed, const int* n, const int* columns, const C* factors, const int* ldf,
                const int* pivots, C* b, const int* ldb, int* info, std::size_t);
  void (*geqrf)(const int* m, const int* n, C* a, const int* lda, C* factors, C* work, const int* work_size, int* info);
  void (*ungqr)(const int* m, const int* n, const int* k, C* a, const int* lda, const C* factors, C* work,
                const int* work_size, int* info);
  void (*gesdd)(const char* job, const int* m, const int* n, C* a, const int* lda, T* s, C* u, const int* ldu, C* vh,
                const int* ldvh, C* work, const int* work_size, T* real_work, int* integers, int* info, std::size_t);
  void (*heevd)(const char* job, const char* triangle, const int* n, C* a, const int* lda, T* w, C* work,
                const int* work_size, T* real_work, const int* real_work_size, int* integers, const int* integers_size,
                int* info, std::size_t, std::size_t);
  void (*geev)(const char* left_job, const char* right_job, const int* n, C* a, const int* lda, C* w, C* left,
               const int* ldl, C* right, const int* ldr, C* work, const int* work_size, T* real_work, int* info,
               std::size_t, std::size_t);
};

struct Library {
  std::string file;     // its path
  std::string version;  // as the library says; "" if it says nothing
  Functions<float> of_float;
  Functions<double> of_double;
  Functions<Complex64> of_complex64;
  Functions<Complex128> of_complex128;
  bool takes_one_call = false;  // at a time: OpenBLAS built without threads may lack locks
};

struct Found {
  const Library* library = nullptr;
  std::string why_not{};  // if there is none: the reason
  bool is_wanted = true;  // false: LUTRA_LAPACK is off
  bool is_named = false;  // LUTRA_LAPACK names it
};

// Opened once, by the first call.
const Found& find_library();

// Those of the library, which is there.
template <class T> const Functions<T>& functions() {
  const Library& library = *find_library().library;
  if constexpr (std::is_same_v<T, float>) return library.of_float;
  else if constexpr (std::is_same_v<T, double>) return library.of_double;
  else if constexpr (std::is_same_v<T, Complex64>) return library.of_complex64;
  else return library.of_complex128;
}

// While one lives, its thread may call the library, which is there. OpenBLAS then uses that thread alone; other
// libraries decide for themselves. Throws std::bad_alloc if the library would find no memory.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;

 private:
  const bool is_alone_;
};

}  // namespace lutra::lapack
