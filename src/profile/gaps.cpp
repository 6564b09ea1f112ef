#include "profile/gaps.h"

#include <algorithm>
#include <map>

#include "core/text.h"
#include "profile/host_time.h"

namespace lutra {
namespace {

// Shorter ones are the time between two kernels that are queued back to back.
constexpr int64_t kShortestGapNs = 2000;

using Intervals = std::vector<const TraceEvent*>;

void sort_by_begin(Intervals& list) {
  std::ranges::stable_sort(list, {}, [](const TraceEvent* event) { return event->begin_ns; });
}

class Gaps {
 public:
  explicit Gaps(const Trace& trace) : trace_(trace), host_(host_spans(trace)) {
    for (const TraceEvent& event : trace.events) {
      if (!event.has_ended()) continue;
      if (event.kind == EventKind::Kernel) kernels_[event.device].push_back(&event);
      if (event.kind == EventKind::DeviceWait && event.lane == Lane::Compute) waits_[event.device].push_back(&event);
    }
  }

  std::vector<GapTotal> run() {
    for (auto& [device, kernels] : kernels_) find(device, kernels);
    std::vector<GapTotal> list;
    for (auto& [key, total] : totals_) list.push_back(std::move(total));
    std::ranges::sort(list, [](const GapTotal& a, const GapTotal& b) { return a.total_ns > b.total_ns; });
    return list;
  }

 private:
  void find(uint16_t device, Intervals& kernels) {
    sort_by_begin(kernels);
    Intervals& waits = waits_[device];
    sort_by_begin(waits);
    int64_t free_since = INT64_MAX;
    for (const TraceEvent* kernel : kernels) {
      if (kernel->begin_ns - kShortestGapNs >= free_since) add(device, waits, free_since, *kernel);
      free_since = free_since == INT64_MAX ? kernel->end_ns : std::max(free_since, kernel->end_ns);
    }
  }

  void add(uint16_t device, const Intervals& waits, int64_t begin, const TraceEvent& next) {
    const std::string name = trace_.device_name(device);
    const std::string& line = trace_.strings[next.line];
    std::string cause = cause_of(waits, begin, next.begin_ns);
    GapTotal& total = totals_[text(name, '\n', cause, '\n', line)];
    if (total.count == 0) total = {name, std::move(cause), line};
    const int64_t took = next.begin_ns - begin;
    ++total.count;
    total.total_ns += took;
    total.longest_ns = std::max(total.longest_ns, took);
  }

  static int64_t overlap(int64_t a_begin, int64_t a_end, int64_t begin, int64_t end) {
    return std::max<int64_t>(0, std::min(a_end, end) - std::max(a_begin, begin));
  }

  // What the host did for some part of a gap: the time of all such events, and the longest of them.
  struct Share {
    int64_t total = 0, most = 0;
    const TraceEvent* longest = nullptr;
    void add(const TraceEvent* event, int64_t ns) {
      total += ns;
      if (ns <= most) return;
      most = ns;
      longest = event;
    }
  };

  std::string cause_of(const Intervals& waits, int64_t begin, int64_t end) const {
    auto wait = std::ranges::lower_bound(waits, begin, {}, [](const TraceEvent* event) { return event->end_ns; });
    for (; wait != waits.end() && (*wait)->begin_ns < end; ++wait) {
      if (2 * overlap((*wait)->begin_ns, (*wait)->end_ns, begin, end) > end - begin) {
        return text("waits for ", trace_.strings[(*wait)->detail]);
      }
    }
    Share waited, computed, prepared;
    auto span = std::ranges::lower_bound(host_, begin, {}, &HostSpan::end_ns);
    for (; span != host_.end() && span->begin_ns < end; ++span) {
      const EventKind kind = span->event->kind;
      Share& share = kind == EventKind::HostWait ? waited : kind == EventKind::Kernel ? computed : prepared;
      share.add(span->event, overlap(span->begin_ns, span->end_ns, begin, end));
    }
    const int64_t rest = end - begin - waited.total - computed.total - prepared.total;
    const int64_t most = std::max({waited.total, computed.total, prepared.total, rest});
    if (most == rest) return "the host runs Lua";
    if (most == waited.total) {
      return text("the host waits (", trace_.strings[waited.longest->name], ") for ",
                  trace_.strings[waited.longest->detail]);
    }
    if (most == computed.total) {
      return text("the host computes ", trace_.strings[computed.longest->name], " on ",
                  trace_.device_name(computed.longest->device));
    }
    return text("the host prepares ", trace_.strings[prepared.longest->name]);
  }

  const Trace& trace_;
  const std::vector<HostSpan> host_;
  std::map<uint16_t, Intervals> kernels_, waits_;
  std::map<std::string, GapTotal> totals_;
};

}  // namespace

std::vector<GapTotal> find_gaps(const Trace& trace) { return Gaps(trace).run(); }

}  // namespace lutra
