#include "eager/returned_tensors.h"

#include <utility>

#include "eager/runtime.h"

namespace lutra {

void ReturnedTensors::give_back(Held* held) {
  const std::shared_ptr<Runtime> runtime = held->runtime;  // it lives until this call ends
  ReturnedTensors& own = runtime->returned_tensors();
  held->next = own.first_.load(std::memory_order_relaxed);
  while (!own.first_.compare_exchange_weak(held->next, held)) {
  }
  if (own.is_closed_.load()) own.drop();
}

void ReturnedTensors::drop() {
  // A tensor of lent memory may give back another one: that is dropped by the loop that runs already.
  static thread_local const ReturnedTensors* running = nullptr;
  if (running == this) return;
  std::lock_guard lock(dropping_);
  const ReturnedTensors* outer = std::exchange(running, this);
  while (Held* held = first_.exchange(nullptr)) {
    while (held != nullptr) {
      Held* next = held->next;
      delete held;
      held = next;
    }
  }
  running = outer;
}

}  // namespace lutra
