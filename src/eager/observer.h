// Sees what a Context runs, while it is attached: for traces, checks of values, recorded graphs, measured costs. Every
// function is optional and is called on the Context's thread; those that may throw say so. A Context without observers
// pays one test of a null pointer for each op, launch, allocation and release of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/stream.h"
#include "tensor/tensor.h"

namespace lutra {

class Context;
struct Call;
struct Launch;
struct LogicalDevice;
struct OpDef;
struct Prepared;
struct Storage;
struct Wanted;

// A kernel that `submit` has run or queued.
struct Launched {
  const Launch& launch;  // its arrays and attributes are valid only during the call
  // On a GPU: the command. TimedStream::take_times tells when it ran. Empty on the CPU.
  Ticket ticket;
  // On the CPU: while the kernel ran. On a GPU: while it was queued.
  int64_t begin_ns, end_ns;
};

enum class CopyReason : uint8_t {
  Input,     // an op needs it on its device
  Read,      // the host reads values
  Constant,  // bytes from Lua go to a GPU
  Moved,     // t:to(device), variables and others that ask for a copy
};

// A copy between memories, queued or made.
struct Copied {
  const LogicalDevice& from;
  const LogicalDevice& to;
  const TensorRep& tensor;  // its source
  int64_t bytes;
  CopyReason reason;
  // The commands that copy, of one stream: first..last; empty if the host copied.
  Stream* stream;
  uint64_t first, last;
  int64_t begin_ns, end_ns;  // while it was queued or made
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Around each op, from the placed call to its results. Ops that others are composed of are nested in theirs. `ok`:
  // false if it has failed; then the results may be empty. An optimiser's step of many variables has n_out 0.
  virtual void op_begins(const Call&, const Prepared&) {}
  virtual void op_ends(const Call&, const Prepared&, [[maybe_unused]] TensorRep* const* outs,
                       [[maybe_unused]] bool ok) {}
  // After op_ends of all observers, for an op that has not failed. May throw: the op then fails.
  virtual void check(const Call&, const Prepared&, [[maybe_unused]] TensorRep* const* outs) {}
  // Whether it overrides `check`: then optimisers' steps are made one by one, as ops with results.
  virtual bool checks() const { return false; }

  // Around each kernel. A launch that failed is not `launched`.
  virtual void launches(const Launch&) {}
  virtual void launched(const Launched&) {}

  virtual void copied(const Copied&) {}
  // `copy` has the bytes of `tensor` on another device: copied now or before.
  virtual void mirrored(const TensorRep&, [[maybe_unused]] Storage& copy) {}
  virtual void allocated(const LogicalDevice&, [[maybe_unused]] std::size_t bytes, const Wanted&) {}
  // The storage is about to be freed; its memory, and itself, may be used again.
  virtual void freed(const Storage&) {}
  // The host may have waited for a device: its streams know (TimedStream::take_times).
  virtual void waited() {}

  // A variable is about to be made. May throw.
  virtual void makes_variable() {}
  // The variable is about to take the bytes of `value`.
  virtual void assigned([[maybe_unused]] const TensorRep& variable, [[maybe_unused]] const TensorRep& value) {}
  // A script is about to learn a tensor's value. Throws if it must not.
  virtual void reads_value() {}
  // The sequence of random numbers was seeded.
  virtual void seeded() {}
  // The recorded launches cannot repeat what was done, because of `reason`, a clause for users.
  virtual void cannot_repeat([[maybe_unused]] const char* reason) {}
  // The launches of `op` that follow, an optimiser's steps, take their numbers (such as the learning rate) from the
  // source with this index at each replay; -1: they stay as they are.
  virtual void takes_numbers(const OpDef*, [[maybe_unused]] int source) {}

  // Devices were initialised.
  virtual void devices_opened() {}
  // The Context is going away, and the observer is detached. Devices are still there.
  virtual void context_closes() {}

 private:
  friend class Context;
  Observer* next_ = nullptr;
};

}  // namespace lutra
