// A complex number as two floats, for complex64 and complex128. Products are the plain ones, as in NumPy: C's own
// repair infinities, by a call for each product.
#pragma once

namespace lutra {

template <class T> struct Complex {
  using Part = T;
  T re;
  T im;
  Complex() = default;
  constexpr explicit Complex(T real) : re(real), im(0) {}
  constexpr Complex(T real, T imaginary) : re(real), im(imaginary) {}
  template <class U>
  constexpr explicit Complex(Complex<U> other) : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}

  friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
  // Not a.re * b.re - a.im * b.im: of products whose difference is beside their sum GCC 12 makes a fused multiply-add,
  // whatever -ffp-contract says, and levels of the processor would differ.
  friend constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re + -a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr Complex operator*(T a, Complex b) { return {a * b.re, a * b.im}; }
  constexpr Complex& operator+=(Complex other) { return *this = *this + other; }
  constexpr Complex& operator-=(Complex other) { return *this = *this - other; }
  constexpr Complex& operator*=(Complex other) { return *this = *this * other; }
  friend constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <class T> inline constexpr bool kIsComplex = false;
template <class T> inline constexpr bool kIsComplex<Complex<T>> = true;

template <class T> struct RealType { using Type = T; };
template <class T> struct RealType<Complex<T>> { using Type = T; };
// T, or of a complex T the type of its parts.
template <class T> using RealOf = typename RealType<T>::Type;

using Complex64 = Complex<float>;
using Complex128 = Complex<double>;

}  // namespace lutra
