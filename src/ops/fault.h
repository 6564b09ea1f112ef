// A mistake in values, found by a kernel: an index that is not there, an integer divided by zero. The kernel writes 0
// or nan and tells it here; on the CPU the call raises it, on a GPU the first wait for the tensor does.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/error.h"

namespace lutra {

struct OpDef;

enum class FaultCode : uint32_t {
  None,
  WrongValue,   // what value and limit are is the op's to say (OpDef::fault)
  OutOfMemory,  // for what the kernel needs beside its results
  Injected,     // a simulated GPU was told to fail this command
};

struct Fault {
  std::atomic<FaultCode> code{FaultCode::None};
  int64_t value = 0;
  int64_t limit = 0;

  // The first one told is kept.
  void raise(FaultCode what, int64_t bad_value = 0, int64_t bound = 0) {
    FaultCode expected = FaultCode::None;
    if (code.compare_exchange_strong(expected, what)) {
      value = bad_value;
      limit = bound;
    }
  }
  bool happened() const { return code.load(std::memory_order_relaxed) != FaultCode::None; }
};

// "gather: index 7 is past the axis' end (5)"
Error fault_error(const OpDef& op, const Fault& fault);

}  // namespace lutra
