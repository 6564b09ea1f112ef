// Interpreters that share a Runtime take turns: nearly all of a Runtime's state is changed by every op and has no
// locks, so at any time one thread uses the Runtime, by one call of a host after another.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "eager/runtime.h"
#include "embed/lutra.h"

namespace lutra::embed {

struct Handle;

// One for each shared Runtime, which lives as long as this.
class Turns {
 public:
  enum class Entered : uint8_t { Yes, InCallback, WouldBlock };

  explicit Turns(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}
  ~Turns() { runtime_->returned_tensors().close(); }
  Turns(const Turns&) = delete;

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  // Waits for the turn of `lutra`, whose log is the Runtime's meanwhile. InCallback: this thread has it for a call that
  // is inside a callback which may use no interpreter. WouldBlock: another thread has it, and this one has the turn of
  // another Runtime, so that each could wait for the other.
  Entered enter(lutra_t& lutra);
  void leave();
  bool is_mine() const { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  // Handles that could not be freed because another thread had the turn.
  std::atomic<Handle*>& buried() { return buried_; }
  // To free handles between two calls: false if any thread has the turn.
  bool enter_to_free();
  void leave_after_freeing();

 private:
  struct Use {
    lutra_t* lutra = nullptr;
    LogSink sink = nullptr;  // of the use around it
    void* sink_user = nullptr;
  };

  static constexpr int kMostUses = 200;  // nested; as C calls in Lua

  std::shared_ptr<Runtime> runtime_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_{};
  Use uses_[kMostUses];  // of the thread that has the turn
  int depth_ = 0;
  std::atomic<Handle*> buried_{nullptr};
};

}  // namespace lutra::embed

struct lutra_runtime_t {
  std::shared_ptr<lutra::embed::Turns> turns;
};
