// The bytes of one or more tensors, with a reference count. Small CPU tensors carry their bytes and have no Storage.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "device/stream.h"

namespace lutra {

struct Storage;
struct Mirror;
struct TensorRep;

// Creates Storages and takes them back.
class StorageOwner {
 public:
  virtual void free(Storage* storage) = 0;

 protected:
  ~StorageOwner() = default;
};

struct Storage {
  std::atomic<uint32_t> refs{1};
  uint16_t device = 0;     // logical device id
  uint32_t fault_set = 0;  // see eager/fault_sets.h; 0: depends on nothing that can still fail
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  StorageOwner* owner = nullptr;
  void* chunk = nullptr;      // for the owner's use
  Ticket ready;               // the copy that writes it; compute waits for it once
  Ticket reading;             // the last copy that reads it; its memory is reused only after that
  Mirror* mirrors = nullptr;  // copies of it on other devices (eager/transfer.h)
  // The first tensor of it that Lua holds, while that lives: the out-of-memory report takes shape and origin from it.
  const TensorRep* tensor = nullptr;

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) owner->free(this);
  }
};

// Called for one storage after another. It must not allocate or free any.
using StorageVisitor = void (*)(void* user, const Storage& storage);

// Storages alive in the process: tests compare it before and after.
int64_t live_storages();
namespace detail {
extern std::atomic<int64_t> storage_count;
}

}  // namespace lutra
