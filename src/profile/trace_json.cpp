#include "profile/trace_json.h"

#include <charconv>
#include <cmath>

#include "core/text.h"
#include "core/version.h"

namespace lutra {
namespace {

constexpr std::size_t kTraceFlushBytes = std::size_t{1} << 20;
constexpr int kHostProcess = 1, kFirstDevice = 2;

// The number of bytes of a valid UTF-8 sequence at the start; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool is_surrogate = first == 0xed && byte(1) > 0x9f;
  return is_overlong || is_surrogate || (first == 0xf4 && byte(1) > 0x8f) ? 0 : length;
}

// Microseconds with three decimals.
void append_us(std::string& out, int64_t ns) {
  if (ns < 0) {
    out += '-';
    ns = -ns;
  }
  append(out, ns / 1000);
  const int rest = static_cast<int>(ns % 1000);
  if (rest == 0) return;
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

const char* category(EventKind kind) {
  switch (kind) {
    case EventKind::Op: return "op";
    case EventKind::Kernel: return "kernel";
    case EventKind::Copy: return "copy";
    case EventKind::HostWait: return "wait";
    case EventKind::DeviceWait: return "wait";
    case EventKind::Memory: return "memory";
  }
  return "";
}

class TraceWriter {
 public:
  TraceWriter(const Trace& trace, ByteSink& to) : trace_(trace), to_(to) {}

  void run() {
    out_ += "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"Lutra " LUTRA_VERSION "\",\"command\":";
    append_json_string(out_, trace_.command);
    append(out_, text(",\"began_unix_ms\":\"", trace_.began_unix_ms, "\",\"dropped_events\":\"", trace_.dropped,
                      "\"},\n\"traceEvents\":[\n"));
    name_processes();
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == EventKind::Memory) counter(event);
      else if (event.has_ended()) complete(event);
      if (out_.size() >= kTraceFlushBytes) flush();
    }
    out_ += "\n]}\n";
    flush();
  }

 private:
  void flush() {
    to_.write(out_);
    out_.clear();
  }
  void next() {
    if (has_any_) out_ += ",\n";
    has_any_ = true;
  }

  void metadata(const char* what, int pid, int tid, const char* key, std::string_view name, int number) {
    next();
    append(out_,
           text("{\"ph\":\"M\",\"name\":\"", what, "\",\"pid\":", pid, ",\"tid\":", tid, ",\"args\":{\"", key, "\":"));
    if (name.empty()) append(out_, number);
    else append_json_string(out_, name);
    out_ += "}}";
  }
  void name_processes() {
    metadata("process_name", kHostProcess, 0, "name", "host (Lua)", 0);
    metadata("process_sort_index", kHostProcess, 0, "sort_index", "", 0);
    metadata("thread_name", kHostProcess, 0, "name", "ops and waits", 0);
    for (const TracedDevice& device : trace_.devices) {
      const int pid = process(device.id);
      metadata("process_name", pid, 0, "name", device.name, 0);
      metadata("process_sort_index", pid, 0, "sort_index", "", pid);
      metadata("thread_name", pid, 1, "name", "compute", 0);
      if (device.type == DeviceType::GPU) metadata("thread_name", pid, 2, "name", "copy", 0);
    }
  }
  static int process(uint16_t device) { return kFirstDevice + device; }

  void complete(const TraceEvent& event) {
    next();
    out_ += "{\"ph\":\"X\",\"name\":";
    append_json_string(out_, trace_.strings[event.name]);
    append(out_, text(",\"cat\":\"", category(event.kind), "\",\"ts\":"));
    append_us(out_, event.begin_ns);
    out_ += ",\"dur\":";
    append_us(out_, event.end_ns - event.begin_ns);
    const bool is_host = event.lane == Lane::Host;
    const uint16_t device = event.kind == EventKind::Copy ? event.maker : event.device;
    append(out_, text(",\"pid\":", is_host ? kHostProcess : process(device), ",\"tid\":",
                      is_host                       ? 0
                      : event.lane == Lane::Compute ? 1
                                                    : 2,
                      ",\"args\":{"));
    arguments(event);
    out_ += "}}";
  }

  void arguments(const TraceEvent& event) {
    bool has_any = false;
    auto key = [&](const char* name) {
      append(out_, text(has_any ? ",\"" : "\"", name, "\":"));
      has_any = true;
    };
    auto string = [&](const char* name, std::string_view value) {
      if (value.empty()) return;
      key(name);
      append_json_string(out_, value);
    };
    string("line", trace_.strings[event.line]);
    const bool is_wait = event.kind == EventKind::HostWait || event.kind == EventKind::DeviceWait;
    string(is_wait ? "for" : "shapes", trace_.strings[event.detail]);
    if (event.kind == EventKind::Op) string("device", trace_.device_name(event.device));
    if (event.kind == EventKind::Copy) {
      string("from", trace_.device_name(event.source));
      string("to", trace_.device_name(event.device));
    }
    string("reason", trace_.reason(event));
    if (event.has_failed) {
      key("failed");
      out_ += "true";
    }
    if (event.kind == EventKind::Kernel || event.kind == EventKind::Copy) {
      key("bytes");
      append(out_, event.bytes);
    }
    if (event.kind == EventKind::Kernel && std::isfinite(event.flops)) {
      key("flops");
      append(out_, event.flops);
    }
  }

  void counter(const TraceEvent& event) {
    next();
    out_ += "{\"ph\":\"C\",\"name\":\"memory\",\"ts\":";
    append_us(out_, event.begin_ns);
    append(out_, text(",\"pid\":", process(event.device), ",\"tid\":0,\"args\":{\"bytes\":", event.in_use, "}}"));
  }

  const Trace& trace_;
  ByteSink& to_;
  std::string out_;
  bool has_any_ = false;
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned char byte = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[0];
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte / 16];
      out += kHex[byte % 16];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

void write_trace_json(const Trace& trace, ByteSink& to) { TraceWriter(trace, to).run(); }

}  // namespace lutra
