#include "profile/totals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "core/text.h"
#include "profile/gaps.h"
#include "profile/host_time.h"
#include "profile/machine_peak.h"

namespace lutra {
namespace {

// The limits of each device.
class Limits {
 public:
  explicit Limits(const Trace& trace) : trace_(trace) {}

  // The least time for the kernel; 0 if its device's limits are not known.
  double least_ns(const TraceEvent& kernel) {
    const Limit& limit = of(kernel.device);
    const double flops = kernel.dtype == DType::Float64 ? 2 * kernel.flops : kernel.flops;
    const double bytes = static_cast<double>(kernel.bytes);
    const double gbps = limit.peak != nullptr ? limit.peak->gbps_for(bytes) : limit.gbps;
    return std::max(limit.gflops > 0 ? flops / limit.gflops : 0, gbps > 0 ? bytes / gbps : 0);
  }

  std::string text_of(const TracedDevice& device) {
    const Limit& limit = of(device.id);
    if (limit.gflops <= 0 && limit.gbps <= 0) return text(trace_.device_name(device.id), ": not known");
    const double gbps = limit.peak != nullptr ? limit.peak->gbps[std::size(limit.peak->gbps) - 1] : limit.gbps;
    char flops[48] = "", bytes[32] = "";
    if (limit.gflops > 0) std::snprintf(flops, sizeof flops, "%.3g GFLOP/s of float32", limit.gflops);
    if (gbps > 0) std::snprintf(bytes, sizeof bytes, "%.3g GB/s", gbps);
    return text(trace_.device_name(device.id), ": ", flops, *flops != 0 && *bytes != 0 ? ", " : "", bytes,
                limit.peak == nullptr ? device.is_simulated ? ", as simulated" : ", by the card's clocks"
                : device.is_simulated ? ", as measured on one of this machine's cores"
                                      : text(", as measured on this machine with ", device.threads,
                                             device.threads == 1 ? " thread" : " threads"));
  }

 private:
  struct Limit {
    double gflops = 0, gbps = 0;
    const MachinePeak* peak = nullptr;
  };
  const Limit& of(uint16_t id) {
    auto [found, is_new] = known_.try_emplace(id);
    if (!is_new) return found->second;
    const TracedDevice* device = trace_.device(id);
    if (device == nullptr) return found->second;
    found->second = {device->gflops, device->gbps, nullptr};
    if (device->gflops <= 0 && device->gbps <= 0 && device->threads > 0) {
      found->second.peak = &machine_peak(device->threads);
      found->second.gflops = found->second.peak->gflops;
    }
    return found->second;
  }

  const Trace& trace_;
  std::unordered_map<uint16_t, Limit> known_;
};

void sort_by_time(std::vector<KernelTotal>& totals) {
  std::ranges::sort(totals, [](const KernelTotal& a, const KernelTotal& b) {
    const int64_t of_a = a.total_ns + a.host_ns, of_b = b.total_ns + b.host_ns;
    return of_a != of_b ? of_a > of_b : a.name < b.name;
  });
}

class Sums {
 public:
  explicit Sums(const Trace& trace) : trace_(trace), limits_(trace) {}

  Totals run() {
    totals_.length_ns = trace_.length_ns;
    for (const TracedDevice& device : trace_.devices) devices_[device.id].name = trace_.device_name(device.id);
    for (const TraceEvent& event : trace_.events) add(event);
    for (const HostSpan& span : host_spans(trace_)) add_host_time(*span.event, span.end_ns - span.begin_ns);
    for (auto& [key, total] : ops_) totals_.ops.push_back(std::move(total));
    for (auto& [key, total] : lines_) totals_.lines.push_back(std::move(total));
    for (auto& [key, total] : copies_) totals_.copies.push_back(std::move(total));
    compare_gpus();
    for (const TracedDevice& device : trace_.devices) {
      totals_.devices.push_back(devices_[device.id]);
      if (devices_[device.id].kernels == 0) continue;
      append(totals_.limits, text(totals_.limits.empty() ? "" : "; ", limits_.text_of(device)));
    }
    sort_by_time(totals_.ops);
    sort_by_time(totals_.lines);
    std::ranges::sort(totals_.copies, [](const CopiesTotal& a, const CopiesTotal& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.bytes > b.bytes;
    });
    totals_.gaps = find_gaps(trace_);
    return std::move(totals_);
  }

 private:
  KernelTotal& op_of(const TraceEvent& event) {
    const TracedDevice* device = trace_.device(event.device);
    const bool is_gpu = device != nullptr && device->type == DeviceType::GPU;
    KernelTotal& total = ops_[event.name * 2 + (is_gpu ? 1 : 0)];
    if (total.name.empty()) total.name = text(trace_.strings[event.name], is_gpu ? " on GPU" : " on CPU");
    return total;
  }
  KernelTotal& line_of(const TraceEvent& event) {
    KernelTotal& total = lines_[event.line];
    if (total.name.empty()) total.name = event.line != 0 ? trace_.strings[event.line] : "(no script)";
    return total;
  }

  void add(const TraceEvent& event) {
    switch (event.kind) {
      case EventKind::Kernel:
        if (event.has_ended()) add_kernel(event);
        return;
      case EventKind::Copy: return add_copy(event);
      case EventKind::Memory: {
        DeviceTotal& device = devices_[event.device];
        device.peak_bytes = std::max(device.peak_bytes, event.in_use);
        return;
      }
      case EventKind::DeviceWait:
        if (event.lane == Lane::Compute) devices_[event.device].wait_ns += event.end_ns - event.begin_ns;
        return;
      case EventKind::Op:
      case EventKind::HostWait: return;
    }
  }

  void add_kernel(const TraceEvent& event) {
    const int64_t took = event.end_ns - event.begin_ns;
    const double least = limits_.least_ns(event);
    for (KernelTotal* total : {&op_of(event), &line_of(event)}) {
      ++total->count;
      total->total_ns += took;
      total->longest_ns = std::max(total->longest_ns, took);
      total->flops += event.flops;
      total->bytes += static_cast<double>(event.bytes);
      if (least <= 0) continue;
      total->limit_ns += least;
      total->known_ns += took;
    }
    DeviceTotal& device = devices_[event.device];
    ++device.kernels;
    device.busy_ns += took;
    const TracedDevice* traced = trace_.device(event.device);
    if (traced == nullptr || traced->type != DeviceType::GPU) return;
    Share& share = shares_[{event.name, event.line}][event.device];
    ++share.kernels;
    share.total_ns += took;
  }

  // Each op of a line counts with as many kernels as the device computed.
  void compare_gpus() {
    std::map<uint16_t, double> took, others_took;
    for (const auto& [key, by_device] : shares_) {
      if (by_device.size() < 2) continue;
      Share all;
      for (const auto& [device, share] : by_device) {
        all.kernels += share.kernels;
        all.total_ns += share.total_ns;
      }
      for (const auto& [device, share] : by_device) {
        const double others =
            static_cast<double>(all.total_ns - share.total_ns) / static_cast<double>(all.kernels - share.kernels);
        took[device] += static_cast<double>(share.total_ns);
        others_took[device] += others * static_cast<double>(share.kernels);
      }
    }
    for (const auto& [device, others] : others_took) {
      if (others > 0) devices_[device].of_others = took[device] / others;
    }
  }

  void add_copy(const TraceEvent& event) {
    const std::string& line = trace_.strings[event.line];
    const std::string from = trace_.device_name(event.source), to = trace_.device_name(event.device);
    CopiesTotal& total = copies_[text(line, '\n', from, '\n', to, '\n', event.name)];
    if (total.count == 0) total = {line, from, to, trace_.strings[event.name]};
    const int64_t took = event.has_ended() ? event.end_ns - event.begin_ns : 0;
    ++total.count;
    total.bytes += event.bytes;
    total.total_ns += took;
    line_of(event).copied_bytes += event.bytes;
    DeviceTotal& device = devices_[event.maker];
    device.copy_ns += took;
    device.copied_bytes += event.bytes;
  }

  void add_host_time(const TraceEvent& event, int64_t ns) {
    if (event.kind == EventKind::HostWait) {
      totals_.host_wait_ns += ns;
    } else if (event.kind == EventKind::Kernel) {
      totals_.host_kernel_ns += ns;
    } else {
      totals_.host_op_ns += ns;
      op_of(event).host_ns += ns;
      line_of(event).host_ns += ns;
    }
  }

  const Trace& trace_;
  Limits limits_;
  Totals totals_;
  std::unordered_map<uint32_t, KernelTotal> ops_, lines_;
  std::map<std::string, CopiesTotal> copies_;
  std::map<uint16_t, DeviceTotal> devices_;
  struct Share {
    int64_t kernels = 0, total_ns = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint16_t, Share>> shares_;  // by op and line: of each GPU
};

}  // namespace

Totals total_up(const Trace& trace) { return Sums(trace).run(); }

}  // namespace lutra
