#include "memory/lent_memory.h"

namespace lutra {
namespace {

struct LentStorage : Storage {
  void (*release)(void* user);
  void* user;
};

}  // namespace

Storage* LentMemory::borrow(const Loan& loan, uint16_t device) {
  auto* storage = new LentStorage;
  storage->device = device;
  storage->data = const_cast<std::byte*>(loan.data);
  storage->bytes = loan.bytes;
  storage->owner = this;
  storage->release = loan.release;
  storage->user = loan.user;
  detail::storage_count.fetch_add(1, std::memory_order_relaxed);
  return storage;
}

void LentMemory::free(Storage* storage) {
  hooks_.before_free(storage);
  host_wait(storage->ready);
  host_wait(storage->reading);
  auto* lent = static_cast<LentStorage*>(storage);
  auto* release = lent->release;
  void* user = lent->user;
  delete lent;
  detail::storage_count.fetch_sub(1, std::memory_order_relaxed);
  if (release != nullptr) release(user);
}

}  // namespace lutra
