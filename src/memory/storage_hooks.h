// What others keep about a Storage and must drop when it is freed: its mirrors, its fault set and, for large ones, its
// origin. Every StorageOwner runs these first, without holding a lock.
#pragma once

#include <cstdint>

#include "memory/storage.h"

namespace lutra {

class StorageHooks {
 public:
  // Set at start, before the first Storage is freed.
  void set_mirror_hook(void (*drop)(void* user, Storage* storage), void* user) {
    drop_mirrors_ = drop;
    mirror_user_ = user;
  }
  void set_fault_hook(void (*drop)(void* user, uint32_t set), void* user) {
    drop_fault_set_ = drop;
    fault_user_ = user;
  }

  // Called for storages of at least *least_bytes, which may change.
  void set_size_hook(const std::size_t* least_bytes, void (*forget)(void* user, Storage* storage), void* user) {
    least_bytes_ = least_bytes;
    forget_ = forget;
    forget_user_ = user;
  }

  void before_free(Storage* storage) const {
    if (least_bytes_ != nullptr && storage->bytes >= *least_bytes_) forget_(forget_user_, storage);
    if (storage->mirrors != nullptr && drop_mirrors_ != nullptr) drop_mirrors_(mirror_user_, storage);
    if (storage->fault_set != 0 && drop_fault_set_ != nullptr) drop_fault_set_(fault_user_, storage->fault_set);
  }

 private:
  void (*drop_mirrors_)(void* user, Storage* storage) = nullptr;
  void (*drop_fault_set_)(void* user, uint32_t set) = nullptr;
  const std::size_t* least_bytes_ = nullptr;
  void (*forget_)(void* user, Storage* storage) = nullptr;
  void* forget_user_ = nullptr;
  void* mirror_user_ = nullptr;
  void* fault_user_ = nullptr;
};

}  // namespace lutra
