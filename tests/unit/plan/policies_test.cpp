// Placements computed by hand: the whitepaper's greedy, m-ETF, memory, and what a plan says of itself.
#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/unit/plan/graphs.h"

using namespace lutra;
using namespace lutra::plan;
using namespace lutra::plan::test;

namespace {

NodeSpec node(std::string name, std::vector<std::string> inputs, double us, double bytes = 0) {
  NodeSpec made;
  made.name = std::move(name);
  made.inputs = std::move(inputs);
  made.time_us = {{"", us}};
  made.bytes = bytes;
  return made;
}

Spec machine(int gpus, Link link = {}, double memory = kUnlimited) {
  Spec spec;
  for (int i = 0; i < gpus; ++i) spec.devices.push_back({"g" + std::to_string(i), "GPU", memory});
  spec.link = link;
  return spec;
}

Plan planned(const Spec& spec, Policy policy, double budget_ms = -1) {
  return make_plan(compile(spec), {policy, budget_ms});
}

std::string where(const Spec& spec, const Plan& plan) {
  std::string all;
  for (int device : plan.simulation.device) append(all, text(all.empty() ? "" : " ", spec.devices[at(device)].name));
  return all;
}

std::string error_of(const Spec& spec, Policy policy = Policy::kBest) {
  try {
    planned(spec, policy);
  } catch (const Error& error) {
    return text(name(error.code()), ": ", error.message());
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the greedy takes nodes by when their inputs are done, to where they finish soonest", "[plan]") {
  // a (10 us, 100 bytes) feeds b (20) and c (20); a copy takes 5 + 100/20 = 10.
  // a: g0, 0..10. Then b and c are ready at 10, b first: g0 10..30, on g1 20..40: g0. c: g0 30..50, g1 20..40: g1.
  // d reads both: on g0 max(30, 40+5+40/20=47) = 47..52; on g1 max(40, 30+5+60/20=38) = 40..45: g1.
  Spec spec = machine(2, {5, 20});
  spec.nodes = {node("a", {}, 10, 100), node("b", {"a"}, 20, 60), node("c", {"a"}, 20, 40), node("d", {"b", "c"}, 5)};
  Plan plan = planned(spec, Policy::kGreedy);
  CHECK(where(spec, plan) == "g0 g0 g1 g1");
  CHECK(plan.simulation.start == std::vector<double>{0, 10, 20, 40});
  CHECK(plan.simulation.makespan_us == 45);
  // g0 holds a and b; g1 the copy of a, c, the copy of b, d. Nothing is freed.
  CHECK(plan.simulation.peak_bytes == std::vector<double>{160, 200});
}

TEST_CASE("among equals the greedy takes a GPU before a CPU, then the first device", "[plan]") {
  Spec spec;
  spec.devices = {{"c", "CPU"}, {"g0", "GPU"}, {"g1", "GPU"}};
  spec.nodes = {node("a", {}, 10), node("b", {}, 10), node("c", {}, 10)};
  CHECK(where(spec, planned(spec, Policy::kGreedy)) == "g0 g1 c");
}

TEST_CASE("the greedy counts one copy per result and device", "[plan]") {
  // b and c both read a on g1, where they are fixed: one copy of 100 bytes. Memory for two copies is not there.
  Spec spec = machine(2, {1, 100}, 130);
  spec.nodes = {node("a", {}, 1, 100), node("b", {"a"}, 1, 10), node("c", {"a"}, 1, 10)};
  spec.nodes[0].device = "g0";
  spec.nodes[1].device = spec.nodes[2].device = "g1";
  Plan plan = planned(spec, Policy::kGreedy);
  CHECK(plan.simulation.peak_bytes == std::vector<double>{100, 120});
  CHECK(plan.simulation.copies.size() == 1);
}

TEST_CASE("the greedy frees nothing, and says how much it lacks", "[plan]") {
  // Three results of 40 in a row never need more than 80 at a time, but the greedy counts 120.
  Spec spec = machine(1, {}, 100);
  spec.nodes = {node("a", {}, 1, 40), node("b", {"a"}, 1, 40), node("c", {"b"}, 1, 40)};
  std::string error = error_of(spec, Policy::kGreedy);
  CHECK(has(error, "ResourceExhausted: plan: greedy finds no memory for 'c'"));
  CHECK(has(error, "20B too little"));
  Plan best = planned(spec, Policy::kBest);
  CHECK(best.simulation.peak_bytes == std::vector<double>{80});
}

TEST_CASE("m-ETF places the pair that can start earliest, and passes over a full device", "[plan]") {
  Spec spec = machine(2, {}, 100);
  spec.nodes = {node("long", {}, 9, 10), node("two", {}, 2, 10), node("three", {}, 3, 10), node("four", {}, 4, 95)};
  // two: g0, 0..2. three: g1, 0..3. Then four (95) fits neither beside two nor beside three.
  CHECK(has(error_of(spec, Policy::kEtf), "m-etf finds no memory for 'four'"));
  // With 85 it fits beside one of them: g0, 2..6; long (10) no longer fits there, and takes g1, 3..12.
  spec.nodes[3].bytes = 85;
  Plan plan = planned(spec, Policy::kEtf);
  CHECK(where(spec, plan) == "g1 g0 g1 g0");
  CHECK(plan.simulation.makespan_us == 12);
}

TEST_CASE("m-ETF counts the copies of a node's inputs", "[plan]") {
  // After a (g0, 0..10), b can start on g0 at 10, on g1 at 10 + 30: b goes to g0 although g1 is idle; c, which would
  // wait for b until 50 on g0, starts on g1 at 40.
  Spec spec = machine(2, {30, kUnlimited});
  spec.nodes = {node("a", {}, 10), node("b", {"a"}, 40), node("c", {"a"}, 41)};
  Plan plan = planned(spec, Policy::kEtf);
  CHECK(where(spec, plan) == "g0 g0 g1");
  CHECK(plan.simulation.start == std::vector<double>{0, 10, 40});
}

TEST_CASE("the best plan may stay on one device", "[plan]") {
  Spec spec = machine(4, {1000, 1});
  for (int i = 0; i < 12; ++i) {
    spec.nodes.push_back(node(
        "n" + std::to_string(i),
        i > 0 ? std::vector<std::string>{"n" + std::to_string((i - 1) / 2)} : std::vector<std::string>{}, 10, 1000));
  }
  Plan plan = planned(spec, Policy::kBest);
  CHECK(plan.simulation.makespan_us == 120);
  CHECK(plan.simulation.copies.empty());
  CHECK(plan.alone[2].makespan_us == 120);
}

TEST_CASE("a plan says why a device alone cannot do it", "[plan]") {
  Spec spec;
  spec.devices = {{"g", "GPU", 50}, {"c", "CPU"}, {"g2", "GPU"}};
  spec.nodes = {node("a", {}, 10, 40), node("b", {"a"}, 10, 40)};
  spec.nodes[1].time_us = {{"CPU", 5}, {"GPU", 10}};
  Plan plan = planned(spec, Policy::kBest);
  CHECK(plan.alone[0].reason == "it needs 80B and has 50B");
  CHECK(plan.alone[1].makespan_us == 15);
  spec.nodes[1].device = "c";
  plan = planned(spec, Policy::kBest);
  CHECK(has(plan.alone[2].reason, "'b' is fixed to another device"));
}

TEST_CASE("what does not fit says by how much", "[plan]") {
  Spec spec = machine(2, {}, 100);
  spec.nodes = {node("a", {}, 1, 150)};
  std::string error = error_of(spec);
  CHECK(has(error, "ResourceExhausted"));
  CHECK(has(error, "50B too little"));
}

TEST_CASE("colocated nodes share a device, and a budget of zero gives a plan", "[plan]") {
  Spec spec = machine(2, {1, 1000});
  spec.nodes = {node("a", {}, 10), node("b", {}, 10), node("c", {}, 10)};
  spec.nodes[1].colocate = {"a"};
  for (Policy policy : {Policy::kBest, Policy::kGreedy, Policy::kEtf}) {
    Plan plan = planned(spec, policy, 0);
    CHECK(plan.simulation.device[0] == plan.simulation.device[1]);
    CHECK(plan.simulation.makespan_us == 20);
    CHECK(plan.search_steps == 0);
  }
}

TEST_CASE("variables are in memory all the time", "[plan]") {
  Spec spec = machine(1);
  spec.nodes = {node("w", {}, 0, 100), node("x", {}, 5, 10), node("y", {"x"}, 5, 20), node("z", {"w", "y"}, 5, 1)};
  spec.nodes[0].resident = true;
  CHECK(planned(spec, Policy::kBest).simulation.peak_bytes == std::vector<double>{130});
}

TEST_CASE("the critical path leads from the first node to the last finish", "[plan]") {
  Spec spec = machine(2, {1, kUnlimited});
  spec.nodes = {node("a", {}, 10), node("b", {"a"}, 30), node("c", {"a"}, 5), node("d", {"b", "c"}, 1)};
  Plan plan = planned(spec, Policy::kBest);
  CHECK(plan.simulation.critical_path == std::vector<int>{0, 1, 3});
}
