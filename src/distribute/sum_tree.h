// The order in which replicas are summed: a tree of pairs, as in ((0 + 1) + (2 + 3)) + 4. A range of replicas that is
// one node of it may be summed anywhere, so the bits do not depend on which process has which replicas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tensor/tensor.h"

namespace lutra {

// The sum of parts [begin, end), a node of the tree.
struct SumNode {
  std::size_t begin, end;
  Tensor sum;
};

// The largest nodes of a tree over `count` parts that cover [begin, end), in order.
inline std::vector<std::pair<std::size_t, std::size_t>> nodes_of(std::size_t begin, std::size_t end,
                                                                 std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> nodes;
  while (begin < end) {
    std::size_t width = 1;
    // Twice as wide is a node too, if it begins and ends within. The last node of a level may be narrower.
    while (width < count && begin % (2 * width) == 0 && std::min(begin + 2 * width, count) <= end) width *= 2;
    nodes.emplace_back(begin, std::min(begin + width, count));
    begin += width;
  }
  return nodes;
}

// The sum of [begin, begin + width) of `count` parts from the nodes, which must cover it. add(a, b) returns a + b.
template <class Add>
Tensor sum_from(const std::vector<SumNode>& nodes, std::size_t begin, std::size_t width, std::size_t count,
                const Add& add) {
  const std::size_t end = std::min(begin + width, count);
  for (const SumNode& node : nodes) {
    if (node.begin == begin && node.end == end) return node.sum;
  }
  const std::size_t half = width / 2;
  Tensor left = sum_from(nodes, begin, half, count, add);
  if (begin + half >= end) return left;
  return add(left, sum_from(nodes, begin + half, half, count, add));
}

template <class Add>
Tensor sum_from(const std::vector<SumNode>& nodes, std::size_t begin, std::size_t end, const Add& add) {
  std::size_t width = 1;
  while (width < end - begin) width *= 2;
  return sum_from(nodes, begin, width, end, add);
}

}  // namespace lutra
