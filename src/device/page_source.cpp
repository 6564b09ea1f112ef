#include "device/page_source.h"

#include <sys/mman.h>

#include "core/text.h"
#include "device/sim/uncomputed.h"

namespace lutra {

std::byte* HostPages::reserve(std::size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

void HostPages::release(std::byte* base, std::size_t bytes) {
  Uncomputed::all().remove(base, bytes);
  munmap(base, bytes);
}

bool HostPages::map(std::byte* at, std::size_t bytes) {
  if (bytes > capacity_bytes_ - mapped_bytes_ || mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) {
    refused_bytes_ = bytes;
    return false;
  }
  mapped_bytes_ += bytes;
  return true;
}

void HostPages::unmap(std::byte* at, std::size_t bytes) {
  // MADV_DONTNEED gives the pages back. Without access rights, a stray write faults at once.
  madvise(at, bytes, MADV_DONTNEED);
  mprotect(at, bytes, PROT_NONE);
  mapped_bytes_ -= bytes;
}

std::string HostPages::why() const {
  if (refused_bytes_ <= capacity_bytes_ - mapped_bytes_) {
    return text("the host has no ", bytes_text(static_cast<int64_t>(refused_bytes_)), " more for this process");
  }
  return text("the card has ", bytes_text(static_cast<int64_t>(capacity_bytes_ - mapped_bytes_)), " left of ",
              bytes_text(static_cast<int64_t>(capacity_bytes_)), ", ", bytes_text(static_cast<int64_t>(refused_bytes_)),
              " were requested");
}

}  // namespace lutra
