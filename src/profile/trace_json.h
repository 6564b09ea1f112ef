// A trace in the Trace Event Format, which chrome://tracing and ui.perfetto.dev read: a process for the host and one
// for each device, a thread for each stream, complete events ("X"), and counters ("C") of memory.
#pragma once

#include "io/sink.h"
#include "profile/trace.h"

namespace lutra {

void write_trace_json(const Trace& trace, ByteSink& to);

// Appends the text as a JSON string. Bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace lutra
