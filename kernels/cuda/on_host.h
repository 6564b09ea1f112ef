// For tests: runs kernels on the host, one thread after the other, queued as host functions on a stream of the test's
// driver library. This finds mistakes in a kernel's indices and arithmetic, but not those that show only on a card.
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

struct Queued {
  std::function<void()> kernel;
  int64_t threads;
};

inline void run(void* user) {
  Queued* queued = static_cast<Queued*>(user);
  here.threads = queued->threads;
  for (here.thread = 0; here.thread < here.threads; ++here.thread) queued->kernel();
  delete queued;
}

inline int launch(void* stream, int64_t threads, std::function<void()> kernel) {
  using LaunchHostFunc = int(void* stream, void (*function)(void*), void* user);
  static LaunchHostFunc* const launch_host_func = [] {
    void* library = dlopen(std::getenv("LUTRA_CUDA_DRIVER"), RTLD_NOW);
    return reinterpret_cast<LaunchHostFunc*>(library != nullptr ? dlsym(library, "cuLaunchHostFunc") : nullptr);
  }();
  if (launch_host_func == nullptr) return 999;
  return launch_host_func(stream, run, new Queued{std::move(kernel), threads});
}

}  // namespace lutra::cuda::on_host
