// oneDNN compiles its code on first use, and ends the process if there is no memory for that.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace lutra {

// Whether the system has the memory now that compiling a convolution, or the first product, takes (6 MB were measured).
inline bool has_memory_to_compile() {
  constexpr std::size_t kBytes = std::size_t{24} << 20;
  void* room = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && munmap(room, kBytes) == 0;
}

}  // namespace lutra
