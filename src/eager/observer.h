// Sees what a Context runs, while it is attached: for traces, checks of values, recorded graphs, measured costs. Every
// function is optional and is called on the Context's thread; only `check` may throw. A Context without observers pays
// one test of a null pointer for each op, launch and allocation.
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
struct Prepared;
struct Wanted;

// A kernel that `submit` has run or queued.
struct Launched {
  const Launch& launch;
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
  virtual void allocated(const LogicalDevice&, [[maybe_unused]] std::size_t bytes, const Wanted&) {}
  // The host may have waited for a device: its streams know (TimedStream::take_times).
  virtual void waited() {}
  // Devices were initialised.
  virtual void devices_opened() {}
  // The Context is going away, and the observer is detached. Devices are still there.
  virtual void context_closes() {}

 private:
  friend class Context;
  Observer* next_ = nullptr;
};

}  // namespace lutra
