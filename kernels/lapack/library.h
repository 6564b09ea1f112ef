// The system's LAPACK, opened when first needed: by a factorisation that is large enough, or by `lutra doctor`. Its
// integers have 32 bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

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
  void (*gesdd)(const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, T* vt,
                const int* ldvt, T* work, const int* work_size, int* integers, int* info, std::size_t);
  void (*syevd)(const char* job, const char* triangle, const int* n, T* a, const int* lda, T* w, T* work,
                const int* work_size, int* integers, const int* integers_size, int* info, std::size_t, std::size_t);
  void (*geev)(const char* left_job, const char* right_job, const int* n, T* a, const int* lda, T* real, T* imaginary,
               T* left, const int* ldl, T* right, const int* ldr, T* work, const int* work_size, int* info, std::size_t,
               std::size_t);
  // Of complex matrices, whose numbers are two T each.
  void (*complex_geev)(const char* left_job, const char* right_job, const int* n, T* a, const int* lda, T* w, T* left,
                       const int* ldl, T* right, const int* ldr, T* work, const int* work_size, T* real_work, int* info,
                       std::size_t, std::size_t);
  void (*complex_getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*complex_getrs)(const char* transposed, const int* n, const int* columns, const T* factors, const int* ldf,
                        const int* pivots, T* b, const int* ldb, int* info, std::size_t);
};

struct Library {
  std::string file;     // its path
  std::string version;  // as the library says; "" if it says nothing
  Functions<float> of_float;
  Functions<double> of_double;
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
  else return library.of_double;
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
