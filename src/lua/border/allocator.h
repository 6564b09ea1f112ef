// The allocator of Lutra's own interpreters: free lists by size class, in 16-byte steps up to 1 KB, on top of malloc.
// An op's result is one such block. One per lua_State, used by one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>

namespace lutra {

// While another thread holds it, blocks of an interpreter are not freed: that thread walks through its calls to stop it
// (Interrupts::request_from_outside).
class FreeHold {
 public:
  void hold(bool on) { held_.store(on); }
  void wait() const {
    while (held_.load(std::memory_order_acquire)) [[unlikely]] yield();
  }

 private:
  static void yield();
  std::atomic<bool> held_{false};
};

class LuaAllocator {
 public:
  LuaAllocator() = default;
  ~LuaAllocator();
  LuaAllocator(const LuaAllocator&) = delete;

  // A lua_Alloc; `self` is the LuaAllocator.
  static void* reallocate(void* self, void* block, std::size_t old_size, std::size_t new_size);

  FreeHold hold;

 private:
  static constexpr std::size_t kStep = 16;
  static constexpr std::size_t kLargestSmall = 1024;
  static constexpr std::size_t kSlabBytes = std::size_t{64} << 10;

  struct Free {
    Free* next;
  };
  struct Slab {
    Slab* next;
  };

  void* take(std::size_t size);
  void give(void* block, std::size_t size);
  void* carve(std::size_t size);

  Free* free_[kLargestSmall / kStep] = {};
  Slab* slabs_ = nullptr;
  std::byte* at_ = nullptr;  // the unused rest of the newest slab
  std::size_t left_ = 0;
};

}  // namespace lutra
