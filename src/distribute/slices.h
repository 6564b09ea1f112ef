// Which rank adds which elements of a flat list of tensors: rank r those from bounds[r] to bounds[r + 1].
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lutra {

// Slices of about the same size.
inline std::vector<std::size_t> slice_bounds(std::size_t count, std::size_t ranks) {
  const std::size_t slice = ((count + ranks - 1) / ranks + 15) / 16 * 16;
  std::vector<std::size_t> bounds;
  for (std::size_t r = 0; r <= ranks; ++r) bounds.push_back(std::min(slice * r, count));
  return bounds;
}

// The entries that each rank owns. Puts the entries in the order of their owners; shape_of(i) is the shape of entry i.
template <class ShapeOf>
std::vector<std::size_t> sort_by_owner(std::span<std::size_t> entries, std::span<const std::size_t> owners,
                                       std::size_t ranks, const ShapeOf& shape_of) {
  std::stable_sort(entries.begin(), entries.end(), [&](std::size_t a, std::size_t b) { return owners[a] < owners[b]; });
  std::vector<std::size_t> bounds(ranks + 1);
  for (std::size_t i : entries) bounds[owners[i] + 1] += static_cast<std::size_t>(shape_of(i).size());
  for (std::size_t r = 0; r < ranks; ++r) bounds[r + 1] += bounds[r];
  return bounds;
}

}  // namespace lutra
