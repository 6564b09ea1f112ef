// For tests: runs kernels on the host, one thread after the other, queued on a stream of the test's driver library.
// This finds mistakes in a kernel's indices and arithmetic, but not those that show only on a card.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <functional>

namespace lutra::cuda::on_host {

struct Here {
  int64_t thread = 0;
  int64_t threads = 0;
};
inline thread_local Here here;

inline int launch(void* stream, int64_t threads, std::function<void()> kernel) {
  using QueueKernel = int(void* stream, const std::function<void()>& kernel);
  static QueueKernel* const queue_kernel = [] {
    void* library = dlopen(std::getenv("LUTRA_CUDA_DRIVER"), RTLD_NOW);
    return reinterpret_cast<QueueKernel*>(library != nullptr ? dlsym(library, "cuda_stub_kernel") : nullptr);
  }();
  if (queue_kernel == nullptr) return 999;
  return queue_kernel(stream, [threads, kernel = std::move(kernel)] {
    here.threads = threads;
    for (here.thread = 0; here.thread < threads; ++here.thread) kernel();
  });
}

}  // namespace lutra::cuda::on_host
