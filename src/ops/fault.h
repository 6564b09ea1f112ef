// A wrong value found by a kernel: an index out of range, an integer divided by zero. The kernel writes 0 or nan and
// records the fault here. On the CPU the call raises it, on a GPU the first wait for the tensor does.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/error.h"

namespace lutra {

struct OpDef;

enum class FaultCode : uint32_t {
  None,
  WrongValue,   // OpDef::fault says what value and limit mean
  OutOfMemory,  // no memory for what the kernel needs besides its results
  Injected,     // a simulated GPU was told to fail this command
};

struct Fault {
  std::atomic<FaultCode> code{FaultCode::None};
  int64_t value = 0;
  int64_t limit = 0;

  // Only the first fault is kept.
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
