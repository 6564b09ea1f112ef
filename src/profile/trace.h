// What ran, when, and why: the events of a trace, as plain data that outlives the devices. Times are nanoseconds since
// the trace began. record.h makes traces; trace_json.h, page.h and totals.h show them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/dtype.h"
#include "device/device_spec.h"
#include "eager/placement.h"

namespace lutra {

enum class EventKind : uint8_t {
  Op,          // the host prepares, queues or computes an op
  Kernel,      // a device computes
  Copy,        // between memories
  HostWait,    // the host waits for a device; `name` is why, `detail` for what
  DeviceWait,  // a stream waits for another stream; `detail` says for what
  Memory,      // an allocation, or memory freed since the last event of the device: `bytes` is negative
};

// Where an event is drawn: the host's lane, or one of a device's two streams.
enum class Lane : uint8_t { Host, Compute, Copy };
const char* text_of(Lane lane);  // "host", "compute", "copy"

struct TraceEvent {
  EventKind kind;
  Lane lane;
  Reason reason = Reason::OnlyCpu;                         // of ops and kernels
  DType dtype = DType::Float32;                            // that it is computed in
  uint16_t device = 0;                                     // LogicalDevice::id. Of an op: where it was placed
  uint16_t source = 0;                                     // of copies: the device that they come from
  uint16_t maker = 0;                                      // of copies: the device whose stream makes them
  bool has_failed = false;                                 // of ops
  uint32_t name = 0, line = 0, detail = 0, requested = 0;  // Trace::strings. detail: shapes
  int64_t begin_ns = 0;
  int64_t end_ns = 0;  // < begin_ns: not known, because it had not ended
  int64_t bytes = 0;   // kernels: touched, by the op table's estimate; copies: moved
  int64_t in_use = 0;  // of Memory: bytes in use on the device afterwards
  double flops = 0;    // kernels: by the op table's estimate

  bool has_ended() const { return end_ns >= begin_ns; }
};

// Texts by number. 0 is "". When there are very many, further ones become "(other)".
class Strings {
 public:
  Strings() {
    add("");
    add("(other)");
  }
  Strings(const Strings& other) : Strings() {
    for (std::size_t i = 2; i < other.texts_.size(); ++i) add(other.texts_[i]);
  }
  Strings& operator=(const Strings&) = delete;
  uint32_t add(std::string_view text);
  const std::string& operator[](uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::size_t kMost = 1'000'000;
  static constexpr uint32_t kOther = 1;
  std::deque<std::string> texts_;  // never move
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

struct TracedDevice {
  uint16_t id;
  DeviceType type;
  std::string name;  // full
  // Its limits, where the device knows them; else 0.
  double gflops = 0, gbps = 0;
  bool is_simulated = false;
  int threads = 1;  // that compute on it, of the machine's cores; 0: it computes by itself
};

struct Trace {
  Strings strings;
  std::vector<TracedDevice> devices;
  std::vector<TraceEvent> events;  // in the order in which they were noted
  int64_t dropped = 0;             // events before the first one, which there was no room for
  int64_t length_ns = 0;
  int64_t began_unix_ms = 0;
  std::string command;  // what was run: a script's name; may be ""

  const TracedDevice* device(uint16_t id) const;
  std::string device_name(uint16_t id) const;  // "GPU:0"
  std::string reason(const TraceEvent& event) const;
};

}  // namespace lutra
