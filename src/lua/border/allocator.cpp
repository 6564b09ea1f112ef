#include "lua/border/allocator.h"

#include <cstdlib>
#include <cstring>
#include <thread>

namespace lutra {

void FreeHold::yield() { std::this_thread::yield(); }

LuaAllocator::~LuaAllocator() {
  while (slabs_ != nullptr) {
    Slab* next = slabs_->next;
    std::free(slabs_);
    slabs_ = next;
  }
}

void* LuaAllocator::reallocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  LuaAllocator& allocator = *static_cast<LuaAllocator*>(self);
  if (block == nullptr) return new_size == 0 ? nullptr : allocator.take(new_size);
  allocator.hold.wait();
  if (new_size == 0) {
    allocator.give(block, old_size);
    return nullptr;
  }
  if (old_size > kLargestSmall && new_size > kLargestSmall) return std::realloc(block, new_size);
  // Both sizes are in one class, so the block fits.
  if (old_size <= kLargestSmall && new_size <= kLargestSmall && (old_size - 1) / kStep == (new_size - 1) / kStep)
    return block;
  void* moved = allocator.take(new_size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, old_size < new_size ? old_size : new_size);
  allocator.give(block, old_size);
  return moved;
}

void* LuaAllocator::take(std::size_t size) {
  if (size > kLargestSmall) return std::malloc(size);
  Free*& list = free_[(size - 1) / kStep];
  if (list == nullptr) [[unlikely]]
    return carve((size + kStep - 1) / kStep * kStep);
  Free* block = list;
  list = block->next;
  return block;
}

void LuaAllocator::give(void* block, std::size_t size) {
  if (size > kLargestSmall) return std::free(block);
  Free*& list = free_[(size - 1) / kStep];
  Free* freed = static_cast<Free*>(block);
  freed->next = list;
  list = freed;
}

void* LuaAllocator::carve(std::size_t size) {
  if (left_ < size) {
    // The rest of the old slab becomes one free block of its size.
    if (left_ >= kStep) give(at_, left_);
    left_ = 0;
    Slab* slab = static_cast<Slab*>(std::malloc(kSlabBytes));
    if (slab == nullptr) return nullptr;
    slab->next = slabs_;
    slabs_ = slab;
    at_ = reinterpret_cast<std::byte*>(slab) + kStep;
    left_ = kSlabBytes - kStep;
  }
  void* block = at_;
  at_ += size;
  left_ -= size;
  return block;
}

}  // namespace lutra
