// Tensors that other libraries held, and whose last use may end on any thread. Their memory is released on the thread
// of their interpreter, or by the last user once that was closed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "tensor/tensor.h"

namespace lutra {

class Runtime;

class ReturnedTensors {
 public:
  // A tensor on loan; `next` links those that came back.
  struct Held {
    Tensor tensor;
    std::shared_ptr<Runtime> runtime;
    Held* next;
  };

  // Any thread.
  static void give_back(Held* held);
  // On the interpreter's thread. Cheap if there are none.
  void drop_all() {
    if (first_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      drop();
  }
  // The interpreter is gone: from now on give_back drops.
  void close() {
    is_closed_.store(true);
    drop_all();
  }

 private:
  void drop();

  std::atomic<Held*> first_{nullptr};
  std::atomic<bool> is_closed_{false};
  std::mutex dropping_;
};

}  // namespace lutra
