// What the stubs of NVIDIA's libraries of arithmetic share: which calls are to fail, what was asked, what is alive, and
// how a command gets onto a stream of the driver's stub. Calls of the function that LUTRA_CUDA_STUB_FAILS names fail
// always.
#pragma once

#include <dlfcn.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/half.h"
#include "device/cuda/driver.h"
#include "support/cuda_stub/cuda_stub.h"

namespace lutra::test {

struct LibraryState {
  std::mutex mutex;
  std::string calls, told, driver;
  std::map<std::string, std::pair<int, int>> failures;  // calls to go, what then
  int live = 0;

  // What the function of that name is to answer; 0 unless a test wants otherwise.
  int enter(const char* function) {
    std::lock_guard lock(mutex);
    if (const char* failing = std::getenv("LUTRA_CUDA_STUB_FAILS");
        failing != nullptr && std::string(failing) == function)
      return 1;
    auto failure = failures.find(function);
    if (failure == failures.end() || --failure->second.first > 0) return 0;
    int status = failure->second.second;
    failures.erase(failure);
    return status;
  }
  void fail(const char* function, int n, int status) {
    std::lock_guard lock(mutex);
    if (*function == '\0') failures.clear();
    else failures[function] = {n, status};
  }
  void note(const std::string& line) {
    std::lock_guard lock(mutex);
    calls += line + "\n";
  }
  const char* take_calls() {
    std::lock_guard lock(mutex);
    told = std::exchange(calls, "");
    return told.c_str();
  }
  void count(int by) {
    std::lock_guard lock(mutex);
    live += by;
  }
  // The stub of the driver's library.
  void* open_driver() const {
    const char* named = std::getenv("LUTRA_CUDA_DRIVER");
    std::string library = !driver.empty() ? driver : named != nullptr ? named : "";
    return dlopen(library.c_str(), RTLD_NOW);
  }
  // False when the stream takes no command.
  bool launch(cuda::StreamHandle stream, const std::function<void()>& run) {
    void* handle = open_driver();
    auto* queue = reinterpret_cast<CudaStubKernel*>(handle != nullptr ? dlsym(handle, "cuda_stub_kernel") : nullptr);
    return queue != nullptr && queue(stream, run) == 0;
  }
};

// A float32 without so many of its last bits, to the nearest.
inline float without_bits(float x, int bits) {
  uint32_t whole = std::bit_cast<uint32_t>(x);
  if (bits == 0 || (whole & 0x7f800000u) == 0x7f800000u) return x;
  whole += (uint32_t{1} << (bits - 1)) - 1 + ((whole >> bits) & 1);
  return std::bit_cast<float>(whole & ~((uint32_t{1} << bits) - 1));
}
inline constexpr int kTf32Bits = 13, kBf16Bits = 16;  // that are left out

inline bool is_aligned(const void* at, uint64_t to) { return reinterpret_cast<uintptr_t>(at) % to == 0; }

}  // namespace lutra::test
