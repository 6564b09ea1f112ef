#include "profile/trace_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profile/page.h"
#include "profile/record.h"
#include "support/catch.h"
#include "support/machine.h"

namespace lutra {
namespace {

using nlohmann::json;

std::string text_of(const MemorySink& sink) {
  return {reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()};
}

json json_of(const Trace& trace) {
  MemorySink sink("trace.json");
  write_trace_json(trace, sink);
  return json::parse(text_of(sink));  // throws unless it is strictly JSON and UTF-8
}

// What the Trace Event Format asks for, event by event.
void check_format(const json& whole) {
  REQUIRE(whole.at("traceEvents").is_array());
  CHECK((whole.at("displayTimeUnit") == "ns" || whole.at("displayTimeUnit") == "ms"));
  const std::map<std::string, std::set<std::string>> arguments = {
      {"process_name", {"name"}}, {"thread_name", {"name"}}, {"process_sort_index", {"sort_index"}}};
  std::set<int> named;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> lanes;
  for (const json& event : whole["traceEvents"]) {
    const std::string phase = event.at("ph");
    REQUIRE(event.at("name").is_string());
    REQUIRE(event.at("pid").is_number_integer());
    REQUIRE(event.at("tid").is_number_integer());
    if (phase == "M") {
      auto known = arguments.find(event["name"]);
      REQUIRE(known != arguments.end());
      for (const std::string& key : known->second) CHECK(event.at("args").contains(key));
      if (known->first == "process_name") named.insert(event["pid"].get<int>());
      continue;
    }
    REQUIRE(event.at("ts").is_number());
    CHECK(named.contains(event["pid"].get<int>()));
    if (phase == "C") {
      CHECK(event.at("args").at("bytes").is_number());
      continue;
    }
    REQUIRE(phase == "X");
    REQUIRE(event.at("dur").is_number());
    CHECK(event["dur"].get<double>() >= 0);
    CHECK(event.at("cat").is_string());
    CHECK(event.at("args").is_object());
    const double begin = event["ts"], end = begin + event["dur"].get<double>();
    lanes[{event["pid"].get<int>(), event["tid"].get<int>()}].emplace_back(begin, end);
  }
  // Events of a thread are within each other or apart.
  for (auto& [lane, spans] : lanes) {
    std::ranges::sort(spans, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> open;
    for (const auto& [begin, end] : spans) {
      while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
      if (!open.empty()) CHECK(end <= open.back() + 1e-6);
      open.push_back(end);
    }
  }
}

std::vector<json> events_named(const json& whole, const char* category, const char* name) {
  std::vector<json> found;
  for (const json& event : whole["traceEvents"]) {
    if (event.value("cat", "") == category && event["name"] == name) found.push_back(event);
  }
  return found;
}

TEST_CASE("a trace on the CPU and two GPUs is in the Trace Event Format", "[trace]") {
  test::Machine machine({.simulated_gpus = 2});
  TraceSession session(machine.context);
  Tensor x = machine.constant(std::vector<float>(1000, 2.0F));
  for (int i = 0; i < 50; ++i) machine.run("Neg", {&x});
  {
    auto scope = machine.scope("/GPU:1");
    machine.run("Mul", {&x, &x});
  }
  {
    auto scope = machine.scope("/CPU:0");
    machine.run("AddV2", {&x, &x});
  }
  std::unique_ptr<Trace> trace = session.take(true);
  const json whole = json_of(*trace);
  check_format(whole);
  CHECK(events_named(whole, "kernel", "Neg").size() == 50);
  CHECK(events_named(whole, "op", "Neg").size() == 50);
  CHECK(events_named(whole, "copy", "input").size() == 2);
  CHECK(events_named(whole, "copy", "constant").at(0)["args"]["bytes"] == 4000);
  // Kernels are on the process of their device.
  const json mul = events_named(whole, "kernel", "Mul").at(0);
  bool is_named = false;
  for (const json& event : whole["traceEvents"]) {
    is_named |= event["name"] == "process_name" && event["pid"] == mul["pid"] &&
                event["args"]["name"] == "/job:localhost/replica:0/task:0/device:GPU:1";
  }
  CHECK(is_named);
  CHECK(mul["args"]["shapes"] == "float32(1000) float32(1000) -> float32(1000)");
  CHECK(mul["args"]["reason"] == "scope /device:GPU:1");
}

TEST_CASE("an empty trace, and one of an op that failed, are whole", "[trace]") {
  test::Machine machine({.simulated_gpus = 1, .fail_at = 2});
  TraceSession session(machine.context);
  check_format(json_of(*session.take(true)));
  Tensor x = machine.constant({1, 2, 3});
  machine.run("Neg", {&x});
  Tensor bad = machine.run("Neg", {&x});  // fails late
  CHECK_THROWS_AS(machine.runtime.synchronize(nullptr), Error);
  const json whole = json_of(*session.take(true));
  check_format(whole);
  CHECK(events_named(whole, "kernel", "Neg").size() == 2);
}

TEST_CASE("names with quotes, control characters and bytes that are no UTF-8 stay JSON", "[trace]") {
  Trace trace;
  const std::string odd = "a\"b\\c\n\x01\x7f</script> \xff\xc0\x80\xed\xa0\x80 \xc3\xa9\xf0\x9f\x8e\x89";
  trace.command = odd;
  trace.devices.push_back({0, DeviceType::CPU, "/job:localhost/replica:0/task:0/device:CPU:0"});
  TraceEvent event{.kind = EventKind::Kernel, .lane = Lane::Compute};
  event.name = trace.strings.add(odd);
  event.end_ns = 1234;
  trace.events.push_back(event);
  const json whole = json_of(trace);
  check_format(whole);
  CHECK(whole["otherData"]["command"].get<std::string>().starts_with("a\"b\\c\n\x01\x7f</script> \xef\xbf\xbd"));
  CHECK(whole["otherData"]["command"].get<std::string>().ends_with(" \xc3\xa9\xf0\x9f\x8e\x89"));
  MemorySink page("trace.html");
  write_trace_page(trace, page);
  const std::string html = text_of(page);
  // The only ends of script elements are the page's own two.
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = html.find("</script>", at)) != std::string::npos; ++at) ++ends;
  CHECK(ends == 2);
}

TEST_CASE("the page's data are JSON", "[trace]") {
  test::Machine machine({.simulated_gpus = 1});
  TraceSession session(machine.context);
  Tensor x = machine.constant({1, 2, 3});
  machine.run("Neg", {&x});
  MemorySink page("trace.html");
  write_trace_page(*session.take(true), page);
  const std::string html = text_of(page);
  const std::string begin = "<script type=\"application/json\" id=\"trace\">";
  const std::size_t from = html.find(begin) + begin.size();
  const json data = json::parse(html.substr(from, html.find("</script>", from) - from));
  CHECK(data.at("devices").size() == 2);
  CHECK(data.at("totals").at("ops").size() == 1);
  CHECK(data.at("events").size() >= 4);
  for (const json& event : data["events"]) CHECK(event.size() == 13);
}

}  // namespace
}  // namespace lutra
