// What functions of LAPACK are given: memory to work in, and finite numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/complex.h"

namespace lutra::lapack {

// The numbers that a function asked for; a float holds that rounded.
template <class T> std::size_t workspace_size(T wanted) {
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  return static_cast<std::size_t>(std::ceil(static_cast<double>(wanted) * (1 + epsilon))) + 1;
}
template <class T> std::size_t workspace_size(Complex<T> wanted) { return workspace_size(wanted.re); }

// run(work, size) with as much workspace as it asks for when the size is -1, and `spare` numbers behind it.
template <class T, class Run> void with_workspace(const Run& run, int64_t spare = 0) {
  T wanted(0);
  int size = -1;
  run(&wanted, &size);
  const std::size_t enough = workspace_size(wanted);
  std::vector<T> work(enough + static_cast<std::size_t>(spare));
  size = static_cast<int>(enough);
  run(work.data(), &size);
}

// Note [Reads behind complex matrices]
// Products of complex matrices and vectors in OpenBLAS up to 0.3.21 at least read one number more than they use, a
// column further on (its issues 4013 and 5000). So the memory that geqrf, ungqr, gesdd, heevd and geev get has so many
// spare numbers behind it.
inline int64_t spare_numbers(int64_t rows, int64_t columns) { return std::max(rows, columns) + 16; }

inline bool is_finite(float x) { return std::isfinite(x); }
inline bool is_finite(double x) { return std::isfinite(x); }
template <class T> bool is_finite(Complex<T> x) { return std::isfinite(x.re) && std::isfinite(x.im); }
// Functions that iterate would be busy for ever with numbers that are not.
template <class T> bool are_finite(const T* numbers, int64_t count) {
  return std::all_of(numbers, numbers + count, [](T x) { return is_finite(x); });
}

}  // namespace lutra::lapack
