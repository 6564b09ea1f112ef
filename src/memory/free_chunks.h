// The free chunks of one arena, found by best fit: the smallest that is large enough; among equals, the one at the
// lowest address. There is a bin for every size step (size_steps.h), a bitmap of the bins in use, and a small treap in
// each bin.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "memory/size_steps.h"

namespace lutra {

// A range of an arena's addresses. All chunks together cover the reserved range without gaps.
struct alignas(64) ArenaChunk {
  enum class State : uint8_t { InUse, Free, Unmapped };

  std::byte* data;
  std::size_t bytes;
  uint64_t idle_seq;  // the last compute command that may still touch it
  ArenaChunk* prev;   // neighbours by address
  ArenaChunk* next;
  union {
    ArenaChunk* left;  // children in the bin's treap
    void* holder;      // for the user of a chunk in use
  };
  ArenaChunk* right;
  uint32_t priority;  // in the treap; fixed for the life of the node
  State state;
  bool in_slab;  // see Note [Slabs] in arena.cpp

  std::byte* end() const { return data + bytes; }
};
static_assert(sizeof(ArenaChunk) == 64);

class FreeChunks {
 public:
  using Chunk = ArenaChunk;
  static constexpr std::size_t kUnit = 256;  // all sizes are multiples of this

  void insert(Chunk* chunk) {
    unsigned bin = Steps::at_most(chunk->bytes / kUnit);
    Chunk** link = &roots_[bin];
    while (*link != nullptr && (*link)->priority >= chunk->priority) link = child(*link, chunk);
    // Split the subtree below by the new node's key.
    Chunk* rest = *link;
    *link = chunk;
    Chunk** smaller = &chunk->left;
    Chunk** larger = &chunk->right;
    while (rest != nullptr) {
      if (before(rest, chunk)) {
        *smaller = rest;
        smaller = &rest->right;
        rest = rest->right;
      } else {
        *larger = rest;
        larger = &rest->left;
        rest = rest->left;
      }
    }
    *smaller = *larger = nullptr;
    words_[bin / 64] |= uint64_t{1} << bin % 64;
    summary_ |= uint64_t{1} << bin / 64;
  }

  // Call it before the chunk's size or address changes.
  void erase(Chunk* chunk) {
    unsigned bin = Steps::at_most(chunk->bytes / kUnit);
    Chunk** link = &roots_[bin];
    while (*link != chunk) link = child(*link, chunk);
    unlink(link, bin);
  }

  // Removes and returns the best chunk of at least `bytes`; null if there is none.
  Chunk* take(std::size_t bytes) {
    unsigned bin = Steps::at_most(bytes / kUnit);
    Chunk** best = nullptr;
    for (Chunk** link = &roots_[bin]; *link != nullptr;) {
      if ((*link)->bytes >= bytes) {
        best = link;
        link = &(*link)->left;
      } else {
        link = &(*link)->right;
      }
    }
    if (best == nullptr) {
      bin = bin_above(bin);
      if (bin == Steps::kCount) return nullptr;
      best = &roots_[bin];
      while ((*best)->left != nullptr) best = &(*best)->left;
    }
    Chunk* chunk = *best;
    unlink(best, bin);
    return chunk;
  }

 private:
  // So fine that few bins hold more than one chunk.
  using Steps = SizeSteps<128>;
  static constexpr unsigned kWords = (Steps::kCount + 63) / 64;
  static_assert(kWords <= 64);

  static bool before(const Chunk* a, const Chunk* b) {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
  }
  static Chunk** child(Chunk* parent, const Chunk* chunk) {
    return before(chunk, parent) ? &parent->left : &parent->right;
  }

  // Joins the two subtrees of *link and puts the result in its place.
  void unlink(Chunk** link, unsigned bin) {
    Chunk* a = (*link)->left;
    Chunk* b = (*link)->right;
    while (a != nullptr && b != nullptr) {
      if (a->priority >= b->priority) {
        *link = a;
        link = &a->right;
        a = a->right;
      } else {
        *link = b;
        link = &b->left;
        b = b->left;
      }
    }
    *link = a != nullptr ? a : b;
    // Without branches: about every second bin becomes empty, which no processor can predict.
    uint64_t& word = words_[bin / 64];
    word &= ~(uint64_t{roots_[bin] == nullptr} << bin % 64);
    summary_ &= ~(uint64_t{word == 0} << bin / 64);
  }

  // The first non-empty bin above `bin`; Steps::kCount if there is none.
  unsigned bin_above(unsigned bin) const {
    unsigned at = bin / 64;
    uint64_t word = words_[at] & (~uint64_t{1} << bin % 64);
    if (word == 0) {
      uint64_t words = summary_ & (~uint64_t{1} << at);
      if (words == 0) return Steps::kCount;
      at = static_cast<unsigned>(std::countr_zero(words));
      word = words_[at];
    }
    return at * 64 + static_cast<unsigned>(std::countr_zero(word));
  }

  uint64_t summary_ = 0;  // bit w: words_[w] is not 0
  uint64_t words_[kWords] = {};
  Chunk* roots_[Steps::kCount] = {};
};

}  // namespace lutra
