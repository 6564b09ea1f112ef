#include "profile/host_time.h"

#include <algorithm>

namespace lutra {

std::vector<HostSpan> host_spans(const Trace& trace) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) {
    const TracedDevice* device = trace.device(event.device);
    const bool is_cpu = device != nullptr && device->type == DeviceType::CPU;
    const bool is_host =
        event.kind == EventKind::Op || event.kind == EventKind::HostWait || (event.kind == EventKind::Kernel && is_cpu);
    if (is_host && event.has_ended()) events.push_back(&event);
  }
  std::ranges::stable_sort(events, [](const TraceEvent* a, const TraceEvent* b) {
    return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a->end_ns > b->end_ns;
  });
  std::vector<HostSpan> spans;
  std::vector<const TraceEvent*> open;
  int64_t at = INT64_MIN;
  auto pass_until = [&](int64_t when) {
    if (!open.empty() && when > at) spans.push_back({open.back(), at, when});
    at = std::max(at, when);
  };
  auto close_until = [&](int64_t when) {
    while (!open.empty() && open.back()->end_ns <= when) {
      pass_until(open.back()->end_ns);
      open.pop_back();
    }
  };
  for (const TraceEvent* event : events) {
    close_until(event->begin_ns);
    pass_until(event->begin_ns);
    open.push_back(event);
  }
  close_until(INT64_MAX);
  return spans;
}

}  // namespace lutra
