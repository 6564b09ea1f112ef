// What the handles of one interpreter share, and who may use the interpreter now. Handles (tensors, objects) are
// counted and may be released by any thread, also after the interpreter was closed; the Home lives as long as the last
// of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "eager/runtime.h"
#include "embed/lutra.h"
#include "embed/turns.h"
#include "tensor/tensor.h"

namespace lutra::embed {

// The thread that uses an interpreter: for the whole of a call, or to free handles between two calls.
class Gate {
 public:
  enum class Entered : uint8_t { Yes, Nested, Elsewhere };
  // Waits for a thread that only frees handles.
  Entered enter();
  // False if any thread is in.
  bool enter_to_free();
  void leave() { holder_.store(0); }
  bool is_mine() const { return holder_.load(std::memory_order_relaxed) == self(); }

 private:
  static uintptr_t self();
  std::atomic<uintptr_t> holder_{0};  // 0, a thread, or a thread that only frees handles: + 1
};

// In builds with assertions: ends the process when something is freed twice.
class LiveMark {
 public:
#ifdef NDEBUG
  void check(const char*) const {}
#else
  ~LiveMark() { mark_ = kDead; }
  void check(const char* what) const;

 private:
  static constexpr uint64_t kLive = 0x6c75747261206c76, kDead = 0x6c75747261206474;
  volatile uint64_t mark_ = kLive;
#endif
};

class Home;
struct HostOp;
struct DeleteHostOp {
  void operator()(HostOp* op) const;
};

// A counted reference to something of an interpreter.
struct Handle {
  enum Kind : uint8_t { kTensor, kObject };
  static constexpr int kNoRef = -2;  // LUA_NOREF

  Handle(Kind what, Home& where);
  ~Handle();
  Handle(const Handle&) = delete;
  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  void release();

  std::atomic<uint32_t> refs{1};
  const Kind kind;
  int ref = kNoRef;  // in Lua's registry: the object, or the tensor's userdata once it has been in Lua
  Home* const home;
  Handle* next = nullptr;  // of those to be freed
  LiveMark live;
};

class Home {
 public:
  // `turns`: null if the Runtime is not shared.
  Home(std::shared_ptr<Runtime> runtime, std::shared_ptr<Turns> turns, lutra_t* owner, bool is_attached)
      : runtime_(std::move(runtime)), turns_(std::move(turns)), owner_(owner), is_attached_(is_attached) {}

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  Runtime& runtime() { return *runtime_; }
  lutra_t* owner() const { return owner_.load(std::memory_order_relaxed); }
  // The interpreter is being closed: its registry is gone for handles.
  void close() { owner_.store(nullptr, std::memory_order_relaxed); }

  // Keeps the op as long as the Runtime.
  HostOp& keep(std::unique_ptr<HostOp, DeleteHostOp> op) { return *ops_.emplace_back(std::move(op)); }

  Gate gate;
  Turns* turns() { return turns_.get(); }
  // Frees the handle: now if no other thread uses the interpreter (or one that shares its Runtime), else at the end of
  // that use.
  void bury(Handle* handle);
  void free_buried();
  void leave() {
    gate.leave();
    free_what_is_left();
  }
  void free_what_is_left() {
    if (buried().load() != nullptr) [[unlikely]]
      free_if_idle();
  }

 private:
  std::atomic<Handle*>& buried() { return turns_ != nullptr ? turns_->buried() : buried_; }
  bool is_mine() const { return turns_ != nullptr ? turns_->is_mine() : gate.is_mine(); }
  void free_if_idle();

  std::atomic<uint32_t> refs_{1};                           // one is the interpreter's
  std::vector<std::unique_ptr<HostOp, DeleteHostOp>> ops_;  // whose names the Runtime uses
  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<Turns> turns_;
  std::atomic<lutra_t*> owner_;
  const bool is_attached_;  // scripts may run without the gate: only calls of the owner free handles
  std::atomic<Handle*> buried_{nullptr};
};

}  // namespace lutra::embed

struct lutra_tensor : lutra::embed::Handle {
  explicit lutra_tensor(lutra::embed::Home& where) : Handle(kTensor, where) {}
  // Of a tensor that is complete.
  void set_device() { device = &home->runtime().device(tensor.rep().device); }
  lutra::Tensor tensor;
  const lutra::LogicalDevice* device = nullptr;
};

struct lutra_object : lutra::embed::Handle {
  explicit lutra_object(lutra::embed::Home& where) : Handle(kObject, where) {}
};
