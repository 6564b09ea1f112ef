// Elements of vectors by the ints that programs number their steps and cells with.
#pragma once

#include <cstddef>
#include <vector>

namespace lutra::graph {

template <class T> T& at(std::vector<T>& list, int i) { return list[static_cast<std::size_t>(i)]; }
template <class T> const T& at(const std::vector<T>& list, int i) { return list[static_cast<std::size_t>(i)]; }

}  // namespace lutra::graph
