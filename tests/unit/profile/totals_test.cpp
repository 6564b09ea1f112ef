#include "profile/totals.h"

#include <algorithm>
#include <cmath>

#include "profile/host_time.h"
#include "profile/machine_peak.h"
#include "support/catch.h"

namespace lutra {
namespace {

// A trace by hand, in microseconds.
class Made {
 public:
  Made() {
    trace.devices.push_back({0, DeviceType::GPU, "/job:localhost/replica:0/task:0/device:GPU:0", 100, 10, true, 1});
    trace.devices.push_back({1, DeviceType::CPU, "/job:localhost/replica:0/task:0/device:CPU:0", 50, 5, false, 1});
    trace.length_ns = 1'000'000;
  }
  TraceEvent& add(EventKind kind, Lane lane, uint16_t device, const char* name, int64_t begin_us, int64_t end_us) {
    TraceEvent event{.kind = kind, .lane = lane};
    event.device = device;
    event.name = trace.strings.add(name);
    event.begin_ns = begin_us * 1000;
    event.end_ns = end_us * 1000;
    event.line = trace.strings.add("a.lua:1");
    trace.events.push_back(event);
    return trace.events.back();
  }
  Trace trace;
};

bool is_near(double got, double wanted) { return std::abs(got - wanted) <= 1e-6 * wanted; }

const KernelTotal& named(const std::vector<KernelTotal>& list, const char* name) {
  auto found = std::ranges::find_if(list, [&](const KernelTotal& each) { return each.name == name; });
  REQUIRE(found != list.end());
  return *found;
}

TEST_CASE("GPUs are compared by the ops that others computed too", "[profile]") {
  Made made;
  made.trace.devices.push_back({2, DeviceType::GPU, "/job:localhost/replica:0/task:0/device:GPU:1", 100, 10, true, 1});
  for (int64_t step : {0, 1}) {
    made.add(EventKind::Kernel, Lane::Compute, 0, "MatMul", 1000 * step, 1000 * step + 100);
    made.add(EventKind::Kernel, Lane::Compute, 2, "MatMul", 1000 * step, 1000 * step + 300);
    made.add(EventKind::Kernel, Lane::Compute, 2, "Exp", 1000 * step + 300, 1000 * step + 900);  // on no other
    made.add(EventKind::Kernel, Lane::Compute, 1, "MatMul", 1000 * step, 1000 * step + 500);     // on the CPU
  }
  const Totals totals = total_up(made.trace);
  REQUIRE(totals.devices.size() == 3);
  CHECK(is_near(totals.devices[0].of_others, 1.0 / 3));
  CHECK(totals.devices[1].of_others == 0);
  CHECK(is_near(totals.devices[2].of_others, 3));
}

TEST_CASE("each moment of the host belongs to the innermost event", "[totals]") {
  Made made;
  made.add(EventKind::Op, Lane::Host, 1, "Outer", 0, 100);
  made.add(EventKind::Op, Lane::Host, 1, "Inner", 10, 60);
  made.add(EventKind::Kernel, Lane::Compute, 1, "Inner", 20, 50);
  made.add(EventKind::HostWait, Lane::Host, 0, "read", 70, 90);
  made.add(EventKind::Op, Lane::Host, 1, "Next", 100, 110);
  int64_t at = -1, sum = 0;
  for (const HostSpan& span : host_spans(made.trace)) {
    CHECK(span.begin_ns >= at);
    CHECK(span.end_ns > span.begin_ns);
    at = span.end_ns;
    sum += span.end_ns - span.begin_ns;
  }
  CHECK(sum == 110'000);
  const Totals totals = total_up(made.trace);
  CHECK(totals.host_kernel_ns == 30'000);
  CHECK(totals.host_wait_ns == 20'000);
  CHECK(totals.host_op_ns == 60'000);
  CHECK(named(totals.ops, "Outer on CPU").host_ns == 30'000);
  CHECK(named(totals.ops, "Inner on CPU").host_ns == 20'000);
  CHECK(named(totals.ops, "Inner on CPU").total_ns == 30'000);
}

TEST_CASE("rates and shares of the limit follow from the op table's flops and bytes", "[totals]") {
  Made made;
  TraceEvent& bound_by_flops = made.add(EventKind::Kernel, Lane::Compute, 0, "MatMul", 0, 100);
  bound_by_flops.flops = 5e6;  // 50 us at 100 GFLOP/s
  bound_by_flops.bytes = 1000;
  TraceEvent& bound_by_bytes = made.add(EventKind::Kernel, Lane::Compute, 0, "Add", 100, 300);
  bound_by_bytes.flops = 100;
  bound_by_bytes.bytes = 1'000'000;  // 100 us at 10 GB/s
  TraceEvent& in_float64 = made.add(EventKind::Kernel, Lane::Compute, 0, "Sub", 300, 400);
  in_float64.flops = 5e6;
  in_float64.dtype = DType::Float64;
  const Totals totals = total_up(made.trace);
  CHECK(is_near(named(totals.ops, "MatMul on GPU").share_of_limit(), 0.5));
  CHECK(is_near(named(totals.ops, "MatMul on GPU").gflops(), 50));
  CHECK(is_near(named(totals.ops, "Add on GPU").share_of_limit(), 0.5));
  CHECK(is_near(named(totals.ops, "Add on GPU").gbps(), 5));
  CHECK(is_near(named(totals.ops, "Sub on GPU").share_of_limit(), 1.0));
  CHECK(totals.lines.at(0).count == 3);
  CHECK(totals.lines.at(0).total_ns == 400'000);
  CHECK(totals.devices.at(0).busy_ns == 400'000);
}

TEST_CASE("a gap has the cause that took most of it", "[totals]") {
  Made made;
  auto kernel = [&](int64_t begin, int64_t end) { made.add(EventKind::Kernel, Lane::Compute, 0, "K", begin, end); };
  kernel(0, 10);
  kernel(11, 20);  // too short a gap
  // Lua.
  kernel(120, 130);
  // The host waits for a read.
  TraceEvent& wait = made.add(EventKind::HostWait, Lane::Host, 0, "read", 131, 195);
  wait.detail = made.trace.strings.add("read (copy) on GPU:0");
  kernel(200, 210);
  // A kernel on the CPU.
  made.add(EventKind::Op, Lane::Host, 1, "Unique", 210, 300);
  made.add(EventKind::Kernel, Lane::Compute, 1, "Unique", 212, 299);
  kernel(301, 310);
  // An op is prepared.
  made.add(EventKind::Op, Lane::Host, 0, "Slow", 310, 400);
  kernel(401, 410);
  // A copy stream.
  TraceEvent& stream = made.add(EventKind::DeviceWait, Lane::Compute, 0, "wait", 410, 500);
  stream.detail = made.trace.strings.add("input (copy) on GPU:0");
  kernel(500, 510);
  const std::vector<GapTotal> gaps = total_up(made.trace).gaps;
  auto total = [&](const char* cause) {
    auto found =
        std::ranges::find_if(gaps, [&](const GapTotal& gap) { return gap.cause == cause && gap.device == "GPU:0"; });
    return found != gaps.end() ? found->total_ns : -1;
  };
  CHECK(total("the host runs Lua") == 100'000);
  CHECK(total("the host waits (read) for read (copy) on GPU:0") == 70'000);
  CHECK(total("the host computes Unique on CPU:0") == 91'000);
  CHECK(total("the host prepares Slow") == 91'000);
  CHECK(total("waits for input (copy) on GPU:0") == 90'000);
}

TEST_CASE("copies are summed by line and direction", "[totals]") {
  Made made;
  for (int i = 0; i < 3; ++i) {
    TraceEvent& copy = made.add(EventKind::Copy, Lane::Copy, 1, "read", i * 10, i * 10 + 5);
    copy.source = copy.maker = 0;
    copy.bytes = 100;
  }
  TraceEvent& unfinished = made.add(EventKind::Copy, Lane::Copy, 0, "input", 50, 49);
  unfinished.source = 1;
  unfinished.maker = 0;
  unfinished.bytes = 7;
  const Totals totals = total_up(made.trace);
  REQUIRE(totals.copies.size() == 2);
  CHECK(totals.copies[0].count == 3);
  CHECK(totals.copies[0].bytes == 300);
  CHECK(totals.copies[0].total_ns == 15'000);
  CHECK(totals.copies[0].from == "GPU:0");
  CHECK(totals.copies[1].total_ns == 0);
  CHECK(totals.devices[0].copied_bytes == 307);
  CHECK(totals.lines.at(0).copied_bytes == 307);
}

TEST_CASE("the machine's peak is some of everything, and more in caches than beyond", "[totals]") {
  const MachinePeak& peak = machine_peak(1);
  CHECK(peak.gflops > 0.1);
  for (double rate : peak.gbps) CHECK(rate > 0.01);
  CHECK(peak.gbps_for(1) == peak.gbps[0]);
  CHECK(peak.gbps_for(1e12) == peak.gbps[3]);
  CHECK(&machine_peak(1) == &peak);
}

}  // namespace
}  // namespace lutra
