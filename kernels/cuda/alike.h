// Whether two declarations of a C function are the same to its callers. Compares our own declarations of NVIDIA's
// interfaces with NVIDIA's headers, where those are installed.
#pragma once

#include <cstddef>
#include <type_traits>

namespace lutra::cuda {

// Pointers count as pointers and enumerations as numbers, which is all that matters to a C call.
template <class A, class B> constexpr bool is_alike() {
  using X = std::remove_cv_t<std::remove_pointer_t<A>>;
  using Y = std::remove_cv_t<std::remove_pointer_t<B>>;
  if (std::is_pointer_v<A> != std::is_pointer_v<B>) return false;
  if constexpr (std::is_void_v<X> || std::is_void_v<Y> || std::is_function_v<X>) return std::is_pointer_v<A>;
  else if constexpr (std::is_pointer_v<A>) {
    if constexpr (requires {
                    sizeof(X);
                    sizeof(Y);
                  })
      return sizeof(X) == sizeof(Y);
    else return true;  // handles: incomplete on our side
  } else {
    return sizeof(A) == sizeof(B);
  }
}

template <class Ours, class Theirs> struct Alike;
template <class R, class S, class... A, class... B> struct Alike<R (*)(A...), S (*)(B...)> {
  static constexpr bool all() {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return is_alike<R, S>() && (is_alike<A, B>() && ...);
  }
};

}  // namespace lutra::cuda
