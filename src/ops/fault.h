// A mistake in values, found by a kernel: an index that is not there, an integer divided by zero. The kernel writes 0
// or nan and tells it here; on the CPU the call raises it, on a GPU the first wait for the tensor does.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/error.h"

namespace lutra {

enum class FaultCode : uint32_t {
  None,
  DivideByZero,
  NegativePower,        // value: the exponent
  NegativeShift,        // value: the count
  IndexZero,            // counting from 1
  IndexOutOfRange,      // value: the index as the user gave it; limit: the axis' size
  ValueBelowFirst,      // limit: the first that is counted
  LabelOutOfRange,      // value: the label as the user gave it; limit: how many classes there are
  IdOutOfRange,         // value: the id as the user gave it; limit: the table's rows
  NoDistribution,       // logits without a finite largest element
  Singular,             // value: which matrix of the batch, from 1 on; limit: how many there are
  NotPositiveDefinite,  // the same
  OutOfMemory,          // for what the kernel needs beside its results
  Injected,             // a simulated GPU was told to fail this command
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
Error fault_error(const char* lua_name, const Fault& fault);

}  // namespace lutra
