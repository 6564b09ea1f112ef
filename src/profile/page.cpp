#include "profile/page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "profile/page_text.h"
#include "profile/totals.h"
#include "profile/trace_json.h"

namespace lutra {
namespace {

// A browser draws so many without effort. Of more, the shortest are left out of the lanes, not of the tables.
constexpr std::size_t kMostDrawn = 300'000;
constexpr std::size_t kPageFlushBytes = std::size_t{1} << 20;
constexpr std::string_view kPlace = "/*TRACE*/";

class PageWriter {
 public:
  PageWriter(const Trace& trace, ByteSink& to) : trace_(trace), to_(to), strings_(trace.strings) {}

  void run() {
    std::string_view page = kPageText;
    const std::size_t at = page.find(kPlace);
    to_.write(page.substr(0, at));
    data();
    flush();
    to_.write(page.substr(at + kPlace.size()));
  }

 private:
  // "<" would end the script's element in a string such as "</script>".
  void flush() {
    std::size_t from = 0;
    for (std::size_t at; (at = out_.find('<', from)) != std::string::npos; from = at + 1) {
      to_.write(std::string_view(out_).substr(from, at - from));
      to_.write("\\u003c");
    }
    to_.write(std::string_view(out_).substr(from));
    out_.clear();
  }

  void data() {
    out_ += "{\"command\":";
    append_json_string(out_, trace_.command);
    append(out_, text(",\"length\":", trace_.length_ns, ",\"noted\":", trace_.events.size(),
                      ",\"dropped\":", trace_.dropped, ",\"devices\":["));
    list(trace_.devices, [&](const TracedDevice& device) {
      append(out_,
             text("{\"id\":", device.id, ",\"gpu\":", device.type == DeviceType::GPU ? "true" : "false", ",\"name\":"));
      append_json_string(out_, trace_.device_name(device.id));
      out_ += '}';
    });
    out_ += "],\n\"events\":[";
    events();
    append(out_, text("],\n\"hidden\":", hidden_, ",\"strings\":["));
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      if (i > 0) out_ += ',';
      append_json_string(out_, strings_[static_cast<uint32_t>(i)]);
    }
    out_ += "],\n\"totals\":";
    totals(total_up(trace_));
    out_ += "}";
  }

  void events() {
    const int64_t shortest = shortest_drawn();
    std::size_t hidden = 0;
    bool has_any = false;
    for (const TraceEvent& event : trace_.events) {
      if (!event.has_ended()) continue;
      if (event.kind != EventKind::Memory && event.end_ns - event.begin_ns < shortest) {
        ++hidden;
        continue;
      }
      if (has_any) out_ += ',';
      has_any = true;
      const std::string why = trace_.reason(event);
      append(out_, text("[", static_cast<int>(event.kind), ",", static_cast<int>(event.lane), ",", event.device, ",",
                        event.begin_ns, ",", event.end_ns - event.begin_ns, ",", event.name, ",", event.line, ",",
                        event.detail, ",", event.kind == EventKind::Memory ? event.in_use : event.bytes, ","));
      number(event.flops);
      append(out_, text(",", event.source, ",", strings_.add(why), ",", event.maker, "]"));
      if (out_.size() >= kPageFlushBytes) flush();
    }
    hidden_ = hidden;
  }

  int64_t shortest_drawn() const {
    std::vector<int64_t> lengths;
    for (const TraceEvent& event : trace_.events) {
      if (event.has_ended()) lengths.push_back(event.end_ns - event.begin_ns);
    }
    if (lengths.size() <= kMostDrawn) return 0;
    auto limit = lengths.end() - static_cast<std::ptrdiff_t>(kMostDrawn);
    std::nth_element(lengths.begin(), limit, lengths.end());
    return *limit;
  }

  template <class List, class F> void list(const List& values, const F& write) {
    bool has_any = false;
    for (const auto& value : values) {
      if (has_any) out_ += ',';
      has_any = true;
      write(value);
    }
  }
  void number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", std::isfinite(value) ? value : 0.0);
    out_ += digits;
  }
  void string(const char* key, std::string_view value) {
    append(out_, text("\"", key, "\":"));
    append_json_string(out_, value);
  }

  void kernels(const std::vector<KernelTotal>& totals) {
    list(totals, [&](const KernelTotal& total) {
      out_ += '{';
      string("name", total.name);
      append(out_, text(",\"count\":", total.count, ",\"total\":", total.total_ns, ",\"host\":", total.host_ns,
                        ",\"copied\":", total.copied_bytes, ",\"gflops\":"));
      number(total.gflops());
      out_ += ",\"gbps\":";
      number(total.gbps());
      out_ += ",\"limit\":";
      number(total.share_of_limit());
      out_ += '}';
    });
  }

  void totals(const Totals& sums) {
    out_ += '{';
    string("limits", sums.limits);
    append(out_, text(",\"host_op\":", sums.host_op_ns, ",\"host_kernel\":", sums.host_kernel_ns,
                      ",\"host_wait\":", sums.host_wait_ns, ",\"ops\":["));
    kernels(sums.ops);
    out_ += "],\"lines\":[";
    kernels(sums.lines);
    out_ += "],\"copies\":[";
    list(sums.copies, [&](const CopiesTotal& copy) {
      out_ += '{';
      string("line", copy.line);
      out_ += ',';
      string("from", copy.from);
      out_ += ',';
      string("to", copy.to);
      out_ += ',';
      string("why", copy.why);
      append(out_, text(",\"count\":", copy.count, ",\"bytes\":", copy.bytes, ",\"total\":", copy.total_ns, "}"));
    });
    out_ += "],\"gaps\":[";
    list(sums.gaps, [&](const GapTotal& gap) {
      out_ += '{';
      string("device", gap.device);
      out_ += ',';
      string("cause", gap.cause);
      out_ += ',';
      string("line", gap.line);
      append(out_, text(",\"count\":", gap.count, ",\"total\":", gap.total_ns, ",\"longest\":", gap.longest_ns, "}"));
    });
    out_ += "],\"devices\":[";
    list(sums.devices, [&](const DeviceTotal& device) {
      out_ += '{';
      string("name", device.name);
      append(out_, text(",\"kernels\":", device.kernels, ",\"busy\":", device.busy_ns, ",\"copy\":", device.copy_ns,
                        ",\"wait\":", device.wait_ns, ",\"copied\":", device.copied_bytes,
                        ",\"peak\":", device.peak_bytes, "}"));
    });
    out_ += "]}";
  }

  const Trace& trace_;
  ByteSink& to_;
  Strings strings_;  // the trace's, and the reasons
  std::size_t hidden_ = 0;
  std::string out_;
};

}  // namespace

void write_trace_page(const Trace& trace, ByteSink& to) { PageWriter(trace, to).run(); }

}  // namespace lutra
