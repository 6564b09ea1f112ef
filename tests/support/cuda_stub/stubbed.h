// The stub of the driver's library, opened by a unit test: what src/device/cuda calls, and the test's own way in.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"
#include "support/catch.h"
#include "support/cuda_stub/cuda_stub.h"

namespace lutra::test {

// Back to one card of 64 MiB, by default with virtual memory and streams that run at once.
class Stubbed {
 public:
  explicit Stubbed(const std::string& options = "") {
    std::string why;
    driver_ = cuda::open_driver(LUTRA_CUDA_STUB_LIBRARY, &why);
    INFO(why);
    REQUIRE(driver_ != nullptr);
    handle_ = dlopen(LUTRA_CUDA_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    call<CudaStubConfigure>("cuda_stub_configure")(
        ("inline,cards:1,memory:64,taken:0,vmm,driver:13000,capability:90,old:-1,closed:-1," + options).c_str());
    call<CudaStubCalls>("cuda_stub_calls")();
    before_ = live();
  }
  ~Stubbed() {
    call<CudaStubFail>("cuda_stub_fail")("", 0, 0);
    dlclose(handle_);
  }
  Stubbed(const Stubbed&) = delete;

  const cuda::Driver& driver() const { return *driver_; }
  void fail(const char* function, int n, int result) const {
    call<CudaStubFail>("cuda_stub_fail")(function, n, result);
  }
  std::string calls() const { return call<CudaStubCalls>("cuda_stub_calls")(); }
  // Beyond what earlier tests left on a card that they lost.
  int live() const { return call<CudaStubLive>("cuda_stub_live")() - before_; }
  int queued() const { return call<CudaStubQueued>("cuda_stub_queued")(); }
  void lose_card(int card, bool lost = true) const {
    call<CudaStubLoseCard>("cuda_stub_lose_card")(lost ? card : -1 - card);
  }

  // Queues functions on streams as if they were kernels.
  static CudaStubKernel* kernel_queue() {
    static CudaStubKernel* const queue =
        reinterpret_cast<CudaStubKernel*>(dlsym(dlopen(LUTRA_CUDA_STUB_LIBRARY, RTLD_NOW), "cuda_stub_kernel"));
    return queue;
  }

 private:
  template <class F> F* call(const char* name) const { return reinterpret_cast<F*>(dlsym(handle_, name)); }
  const cuda::Driver* driver_ = nullptr;
  void* handle_ = nullptr;
  int before_ = 0;
};

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace lutra::test
