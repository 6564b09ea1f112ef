// Memory of an outside owner that tensors borrow: a host's buffer, an array of another library. Nothing is copied and
// nothing is written. Its owner is notified when the last tensor is gone.
#pragma once

#include <cstddef>

#include "memory/storage.h"
#include "memory/storage_hooks.h"

namespace lutra {

// The bytes that are lent, and whom to notify at the end; `release` may be null.
struct Loan {
  const std::byte* data;
  std::size_t bytes;
  void (*release)(void* user);
  void* user;
};

class LentMemory final : public StorageOwner {
 public:
  // Call it at start, before the first Storage is freed.
  void set_hooks(const StorageHooks& hooks) { hooks_ = hooks; }
  // A Storage of the lent bytes, on the logical CPU `device`. The data must be aligned to its element's size.
  Storage* borrow(const Loan& loan, uint16_t device);
  // Whether the bytes are lent: then they may not be written.
  bool owns(const Storage& storage) const { return storage.owner == this; }
  // Waits for a copy that still reads the bytes, then calls Loan::release.
  void free(Storage* storage) override;

 private:
  StorageHooks hooks_;
};

}  // namespace lutra
