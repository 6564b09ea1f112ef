// A trace as one HTML file that needs no network: lanes of what ran, memory, the hottest ops and lines, copies, gaps.
#pragma once

#include "io/sink.h"
#include "profile/trace.h"

namespace lutra {

void write_trace_page(const Trace& trace, ByteSink& to);

}  // namespace lutra
