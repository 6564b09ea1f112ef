// What the host did at each moment of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/trace.h"

namespace lutra {

struct HostSpan {
  const TraceEvent* event;  // the innermost one: an op, a kernel on the CPU, or a wait
  int64_t begin_ns, end_ns;
};

// In order, without overlaps. Between spans the host ran Lua.
std::vector<HostSpan> host_spans(const Trace& trace);

}  // namespace lutra
