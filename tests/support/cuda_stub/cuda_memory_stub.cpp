// The driver's stub: memory of cards, as whole blocks and as pages that are mapped, and pinned memory of the host.
#include <sys/mman.h>

#include <cstdlib>

#include "support/cuda_stub/driver_state.h"

using namespace lutra::cuda;

namespace {
constexpr std::size_t kStep = std::size_t{2} << 20;
}

extern "C" {

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER_CONTEXT(cuMemGetInfo, 0);
  *total = s.memory_bytes;
  *free = s.memory_bytes - s.used(s.current->card);
  return kSuccess;
}
Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAlloc, bytes);
  return s.take(s.current->card, bytes, [&] {
    void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *address = reinterpret_cast<Address>(at);
    s.allocated[*address] = {bytes, s.current->card};
  });
}
Result cuMemFree_v2(Address address) {
  ENTER_CONTEXT(cuMemFree, 0);
  auto found = s.allocated.find(address);
  if (found == s.allocated.end()) return kInvalidValue;
  int card = found->second.card;
  munmap(reinterpret_cast<void*>(address), found->second.bytes);
  s.allocated.erase(found);
  s.tell_others(card);
  return kSuccess;
}
Result cuMemHostAlloc(void** host, std::size_t bytes, unsigned) {
  ENTER_CONTEXT(cuMemHostAlloc, bytes);
  *host = std::malloc(bytes);
  s.pinned[*host] = bytes;
  return kSuccess;
}
Result cuMemFreeHost(void* host) {
  ENTER_CONTEXT(cuMemFreeHost, 0);
  if (s.pinned.erase(host) == 0) return kInvalidValue;
  std::free(host);
  return kSuccess;
}
Result cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationProperties*, int) {
  *bytes = kStep;
  return kSuccess;
}
Result cuMemAddressReserve(Address* address, std::size_t bytes, std::size_t, Address, unsigned long long) {
  ENTER_CONTEXT(cuMemAddressReserve, bytes);
  if (bytes == 0 || bytes % kStep != 0) return kInvalidValue;
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return kOutOfMemory;
  *address = reinterpret_cast<Address>(at);
  s.reserved[*address] = bytes;
  return kSuccess;
}
Result cuMemAddressFree(Address address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAddressFree, bytes);
  auto found = s.reserved.find(address);
  if (found == s.reserved.end() || found->second != bytes) return kInvalidValue;
  for (const auto& [at, memory] : s.mapped) {
    if (at >= address && at < address + bytes) return kInvalidValue;  // still in use
  }
  munmap(reinterpret_cast<void*>(address), bytes);
  s.reserved.erase(found);
  return kSuccess;
}
Result cuMemCreate(MemoryHandle* handle, std::size_t bytes, const AllocationProperties* properties,
                   unsigned long long) {
  ENTER_CONTEXT(cuMemCreate, bytes);
  if (bytes == 0 || bytes % kStep != 0 || properties->type != kPinned) return kInvalidValue;
  return s.take(properties->location.id, bytes, [&] {
    *handle = s.next_handle++;
    s.handles[*handle] = {bytes, properties->location.id};
  });
}
Result cuMemRelease(MemoryHandle handle) {
  ENTER_CONTEXT(cuMemRelease, 0);
  auto found = s.handles.find(handle);
  if (found == s.handles.end()) return kInvalidValue;
  int card = found->second.card;
  s.handles.erase(found);
  s.tell_others(card);
  return kSuccess;
}
Result cuMemMap(Address address, std::size_t bytes, std::size_t offset, MemoryHandle handle, unsigned long long) {
  ENTER_CONTEXT(cuMemMap, bytes);
  auto found = s.handles.find(handle);
  if (found == s.handles.end() || offset != 0 || found->second.bytes != bytes) return kInvalidValue;
  for (const auto& [at, memory] : s.mapped) {
    if (at < address + bytes && address < at + memory.bytes) return kInvalidValue;
  }
  s.mapped[address] = found->second;
  return kSuccess;
}
Result cuMemUnmap(Address address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemUnmap, bytes);
  auto found = s.mapped.find(address);
  if (found == s.mapped.end() || found->second.bytes != bytes) return kInvalidValue;
  int card = found->second.card;
  s.mapped.erase(found);
  s.tell_others(card);
  madvise(reinterpret_cast<void*>(address), bytes, MADV_DONTNEED);
  mprotect(reinterpret_cast<void*>(address), bytes, PROT_NONE);
  return kSuccess;
}
Result cuMemSetAccess(Address address, std::size_t bytes, const AccessDescription* access, std::size_t count) {
  ENTER_CONTEXT(cuMemSetAccess, bytes);
  if (s.is_counting && count > 1) s.calls += "  for " + std::to_string(count) + " cards\n";
  auto found = s.mapped.find(address);
  if (found == s.mapped.end() || found->second.bytes != bytes || count == 0) return kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].flags != kReadWrite || access[i].location.id >= s.cards) return kInvalidValue;
  }
  return kSuccess;
}
}
