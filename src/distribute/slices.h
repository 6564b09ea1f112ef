// Which rank adds which elements of a flat list of tensors: rank r those from bounds[r] to bounds[r + 1]. And how these
// travel. Like src/hosts it knows nothing of tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "hosts/exchange.h"

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

// The slices as bytes: elements of `item` bytes, seen by one rank.
class Slices {
 public:
  Slices(std::vector<std::size_t> bounds, std::size_t item, std::size_t rank)
      : bounds_(std::move(bounds)), item_(item), rank_(rank) {}

  std::size_t ranks() const { return bounds_.size() - 1; }
  std::size_t rank() const { return rank_; }
  std::size_t count(std::size_t r) const { return bounds_[r + 1] - bounds_[r]; }
  std::size_t bytes(std::size_t r) const { return count(r) * item_; }
  std::byte* begin(std::byte* elements, std::size_t r) const { return elements + bounds_[r] * item_; }

  // This rank's elements, to the ranks that add them.
  void send_to_owners(std::byte* elements, std::vector<Piece>* sends) const {
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (r != rank_) sends->push_back({static_cast<int>(r), begin(elements, r), bytes(r)});
    }
  }
  // The elements of rank r that this one adds.
  Piece from(std::size_t r, std::byte* into) const { return {static_cast<int>(r), into, bytes(rank_)}; }
  // What each rank has added, to all.
  void send_to_all(std::byte* elements, std::vector<Piece>* sends, std::vector<Piece>* receives) const {
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (r == rank_) continue;
      sends->push_back({static_cast<int>(r), begin(elements, rank_), bytes(rank_)});
      receives->push_back({static_cast<int>(r), begin(elements, r), bytes(r)});
    }
  }

 private:
  std::vector<std::size_t> bounds_;
  std::size_t item_, rank_;
};

// Sums the elements of all ranks in place: on their owners, and then, if to_all, on all ranks. `incoming` has memory
// for bytes(rank) of each rank. exchange(sends, receives) moves bytes; add(a, b) adds b's slice to a's, in the order of
// sum_tree.h.
template <class Exchange, class Add>
void sum_by_owners(const Slices& slices, std::byte* elements, std::byte* incoming, bool to_all,
                   const Exchange& exchange, const Add& add) {
  const std::size_t ranks = slices.ranks(), rank = slices.rank(), bytes = slices.bytes(rank);
  std::byte* const mine = slices.begin(elements, rank);
  std::vector<std::byte*> parts;
  std::vector<Piece> sends, receives;
  for (std::size_t r = 0; r < ranks; ++r) {
    parts.push_back(r == rank ? mine : incoming + r * bytes);
    if (r != rank) receives.push_back(slices.from(r, parts.back()));
  }
  slices.send_to_owners(elements, &sends);
  exchange(sends, receives);
  for (std::size_t width = 1; width < ranks; width *= 2) {
    for (std::size_t r = 0; r + width < ranks; r += 2 * width) add(parts[r], parts[r + width]);
  }
  if (rank != 0 && bytes > 0) std::memcpy(mine, parts[0], bytes);
  if (!to_all) return;
  sends.clear();
  receives.clear();
  slices.send_to_all(elements, &sends, &receives);
  exchange(sends, receives);
}

}  // namespace lutra
