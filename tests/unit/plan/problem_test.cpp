// What compile refuses, and how it says so.
#include <cmath>

#include "core/error.h"
#include "plan/problem.h"
#include "tests/support/catch.h"

using namespace lutra;
using namespace lutra::plan;

namespace {

Spec good() {
  Spec spec;
  spec.devices = {{"g0", "GPU", 100}, {"g1", "GPU", 100}, {"cpu", "CPU", 1000}};
  spec.nodes.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    spec.nodes[i].name = std::string(1, static_cast<char>('a' + i));
    spec.nodes[i].time_us = {{"GPU", 1}, {"CPU", 10}};
    spec.nodes[i].bytes = 4;
  }
  spec.nodes[1].inputs = {"a"};
  spec.nodes[2].inputs = {"a", "b"};
  return spec;
}

template <class Change> std::string refused(const Change& change) {
  Spec spec = good();
  change(spec);
  try {
    compile(spec);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    return error.message();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a cycle is named with its nodes", "[plan]") {
  CHECK(refused([](Spec& s) { s.nodes[0].inputs = {"c"}; }).find("the graph has a cycle: ") != std::string::npos);
  CHECK(refused([](Spec& s) {
          s.nodes[1].inputs = {"c"};
          s.nodes[2].inputs = {"b"};
        }) == "plan: the graph has a cycle: c -> b -> c");
  CHECK(refused([](Spec& s) { s.nodes[1].inputs = {"b"}; }) == "plan: the graph has a cycle: b -> b");
}

TEST_CASE("names must be known and unique", "[plan]") {
  CHECK(refused([](Spec& s) { s.nodes[1].inputs = {"aa"}; }).find("node 'b' reads 'aa', which is no node") !=
        std::string::npos);
  CHECK(refused([](Spec& s) { s.nodes[1].name = "a"; }) == "plan: two nodes are named 'a'");
  CHECK(refused([](Spec& s) { s.devices[1].name = "g0"; }) == "plan: two devices are named 'g0'");
  CHECK(refused([](Spec& s) { s.nodes[0].name = ""; }) == "plan: node 1 has no name");
  CHECK(refused([](Spec& s) { s.nodes[1].colocate = {"z"}; }).find("is colocated with 'z'") != std::string::npos);
  CHECK(refused([](Spec& s) { s.nodes[1].device = "g7"; }).find("which is neither a device nor a type of device") !=
        std::string::npos);
  CHECK(refused([](Spec& s) { s.outputs = {"q"}; }) == "plan: output 'q' is no node");
  CHECK(refused([](Spec& s) { s.links = {{"g0", "q", {}}}; }) == "plan: a link names 'q', which is no device");
}

TEST_CASE("numbers must be numbers", "[plan]") {
  const double nan = std::nan("");
  CHECK(refused([&](Spec& s) { s.nodes[0].bytes = -1; }).find("bytes is -1") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.nodes[0].bytes = nan; }).find("bytes is ") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.nodes[0].bytes = kUnlimited; }) == "plan: node 'a': bytes is not finite");
  CHECK(refused([&](Spec& s) { s.nodes[0].time_us[0].second = -2; }).find("time_us of GPU is -2") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.nodes[0].time_us[0].second = nan; }).find("time_us of GPU") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.devices[0].memory = -3; }).find("device 'g0': memory is -3") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.link.latency_us = -1; }).find("latency_us is -1") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.link.bytes_per_us = 0; }).find("bytes_per_us is 0") != std::string::npos);
  CHECK(refused([&](Spec& s) { s.devices.clear(); }) == "plan: there are no devices");
}

TEST_CASE("a node that no device can run is an error", "[plan]") {
  CHECK(refused([](Spec& s) {
          s.nodes[1].time_us = {{"TPU", 1}};
        }) == "plan: node 'b' runs on no device: it has time_us for TPU, and the devices' types are GPU, CPU");
  CHECK(refused([](Spec& s) { s.nodes[1].time_us.clear(); }).find("it has no time_us") != std::string::npos);
}

TEST_CASE("constraints that contradict each other are named", "[plan]") {
  CHECK(refused([](Spec& s) {
          s.nodes[0].device = "g0";
          s.nodes[1].device = "g1";
          s.nodes[1].colocate = {"a"};
        }) == "plan: 'b' cannot be colocated: 'a' runs on 'g0', and 'b' runs on 'g1': no device meets all of that");
  CHECK(refused([](Spec& s) {
          s.nodes[0].time_us = {{"CPU", 1}};
          s.nodes[2].time_us = {{"GPU", 1}};
          s.nodes[0].colocate = {"c"};
        }).find("'a' runs on CPU, and 'c' runs on GPU") != std::string::npos);
  CHECK(refused([](Spec& s) {
          s.nodes[0].device = "cpu";
          s.nodes[0].time_us = {{"GPU", 1}};
        }).find("node 'a' is fixed to 'cpu', and it has no time_us for the type CPU") != std::string::npos);
  // A chain of colocations, of which only the ends contradict each other.
  CHECK(refused([](Spec& s) {
          s.nodes[0].device = "g0";
          s.nodes[2].device = "cpu";
          s.nodes[1].colocate = {"a", "c"};
        }).find("'a' runs on 'g0', and 'c' runs on 'cpu'") != std::string::npos);
}

TEST_CASE("what no output needs is left out, and said", "[plan]") {
  Spec spec = good();
  spec.outputs = {"b"};
  Problem problem = compile(spec);
  CHECK(problem.names == std::vector<std::string>{"a", "b"});
  CHECK(problem.ignored == std::vector<std::string>{"c"});
  CHECK(problem.keep[1] == 1);
}

TEST_CASE("a type constrains to the devices of the type; links have two directions", "[plan]") {
  Spec spec = good();
  spec.nodes[0].device = "GPU";
  spec.links = {{"g0", "cpu", {3, 10}}, {"g1", "cpu", {5, 10}}, {"cpu", "g1", {7, 10}}};
  Problem problem = compile(spec);
  CHECK(problem.feasible(problem.component[0]) == std::vector<int>{0, 1});
  CHECK(problem.link(2, 0).latency_us == 3);
  CHECK(problem.link(1, 2).latency_us == 5);
  CHECK(problem.link(2, 1).latency_us == 7);
  CHECK(problem.link(0, 1).latency_us == 0);
}
