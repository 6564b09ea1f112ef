#include "distribute/all_reduce.h"

#include "autograd/tape.h"
#include "support/catch.h"
#include "support/machine.h"

using namespace lutra;
using lutra::test::Machine;

namespace {

struct Replicas {
  explicit Replicas(int gpus) : machine({.simulated_gpus = gpus}) {
    for (LogicalDevice* device : machine.context.devices()) {
      if (!device->is_host()) devices.push_back(device);
    }
    lists.resize(devices.size());
  }
  void bring(std::size_t replica, const std::vector<float>& values) {
    Machine::Scope scope = machine.scope(devices[replica]->full_name);
    lists[replica].push_back(machine.constant(values));
  }
  std::vector<ReplicaTensors> sums(Reduction how = Reduction::Sum) {
    return all_reduce(machine.context, lists, devices, how);
  }

  Machine machine;
  std::vector<LogicalDevice*> devices;
  std::vector<ReplicaTensors> lists;
};

}  // namespace

TEST_CASE("every replica gets each sum on its own device", "[distribute]") {
  Replicas replicas(3);
  for (std::size_t r = 0; r < 3; ++r) {
    replicas.bring(r, {1.0f * static_cast<float>(r), 10});
    replicas.bring(r, std::vector<float>(1000, 2));
    replicas.bring(r, std::vector<float>(300000, static_cast<float>(r)));  // too large for a bucket of small ones
    replicas.bring(r, {});
  }
  std::vector<ReplicaTensors> sums = replicas.sums();
  for (std::size_t r = 0; r < 3; ++r) {
    REQUIRE(sums[r].size() == 4);
    CHECK(replicas.machine.values(*sums[r][0]) == std::vector<float>{3, 30});
    CHECK(replicas.machine.values(*sums[r][1]) == std::vector<float>(1000, 6));
    CHECK(replicas.machine.values(*sums[r][2]) == std::vector<float>(300000, 3));
    CHECK(sums[r][3]->rep().size == 0);
    for (const std::optional<Tensor>& sum : sums[r]) CHECK(sum->rep().device == replicas.devices[r]->id);
  }
  sums = replicas.sums(Reduction::Mean);
  CHECK(replicas.machine.values(*sums[2][0]) == std::vector<float>{1, 10});
}

TEST_CASE("sums are added up in a tree of pairs", "[distribute]") {
  // (1e8 + 1) + (-1e8 + 1): 1e8 + 1 is 1e8 in float32, so from the first to the last it would be 1.
  Replicas replicas(4);
  const float values[] = {1e8f, 1, -1e8f, 1};
  for (std::size_t r = 0; r < 4; ++r) {
    replicas.bring(r, {values[r]});
    replicas.bring(r, std::vector<float>(20, values[r]));
  }
  for (const ReplicaTensors& sums : replicas.sums()) {
    CHECK(replicas.machine.values(*sums[0]) == std::vector<float>{0});
    CHECK(replicas.machine.values(*sums[1]) == std::vector<float>(20, 0));
  }
}

TEST_CASE("what a replica does not have counts as zeros", "[distribute]") {
  Replicas replicas(2);
  replicas.lists[0].emplace_back();
  replicas.bring(1, {5, 7});
  replicas.lists[0].emplace_back();
  replicas.lists[1].emplace_back();
  std::vector<ReplicaTensors> sums = replicas.sums();
  CHECK(replicas.machine.values(*sums[0][0]) == std::vector<float>{5, 7});
  CHECK(sums[0][0]->rep().device == replicas.devices[0]->id);
  CHECK_FALSE(sums[0][1].has_value());
  CHECK_FALSE(sums[1][1].has_value());
}

TEST_CASE("replicas that bring different things are told apart", "[distribute]") {
  Replicas replicas(2);
  replicas.bring(0, {1, 2});
  replicas.bring(1, {1, 2, 3});
  CHECK_THROWS_WITH(replicas.sums(),
                    "all_reduce: replica 2 has float32 (3,) at place 1, and another one float32 (2,); "
                    "expected one dtype and shape");
  replicas.lists[1].emplace_back();
  CHECK_THROWS_WITH(replicas.sums(), "all_reduce: replica 2 has 2 tensors, and replica 1 1");
}

TEST_CASE("a tape sees the sum", "[distribute]") {
  Replicas replicas(2);
  replicas.bring(0, {1, 2});
  replicas.bring(1, {3, 4});
  Tape tape(replicas.machine.context, {});
  tape.watch(replicas.lists[1][0]->rep());
  std::vector<ReplicaTensors> sums = replicas.sums();
  Tensor square = replicas.machine.run("Square", {&*sums[0][0]});
  Tape::Target target{&square.rep(), nullptr};
  const TensorRep* source = &replicas.lists[1][0]->rep();
  auto gradients = tape.gradient({&target, 1}, {&source, 1}, nullptr);
  REQUIRE(gradients[0].has_value());
  CHECK(replicas.machine.values(*gradients[0]) == std::vector<float>{8, 12});
}

TEST_CASE("sums that are lent lie in the first replica's memory, for all to read", "[distribute]") {
  Replicas replicas(3);
  for (std::size_t r = 0; r < 3; ++r) replicas.bring(r, std::vector<float>(1000, static_cast<float>(r)));
  Context& context = replicas.machine.context;
  std::vector<ReplicaTensors> sums = lend_sums(context, replicas.lists, replicas.devices, Reduction::Sum);
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(sums[r][0]->rep().storage == sums[0][0]->rep().storage);
    CHECK(sums[r][0]->rep().device == replicas.devices[r]->id);
    Machine::Scope scope = replicas.machine.scope(replicas.devices[r]->full_name);
    Tensor square = replicas.machine.run("Square", {&*sums[r][0]});
    CHECK(square.rep().device == replicas.devices[r]->id);
    CHECK(replicas.machine.values(square) == std::vector<float>(1000, 9));
  }
  take_back(replicas.devices);
}

TEST_CASE("links that have a speed are crossed, lent or not", "[distribute]") {
  SimOptions slow;
  slow.link_latency_us = 1;
  Machine other;
  other.runtime.set_simulated_gpus(2, slow);
  std::vector<LogicalDevice*> devices;
  for (LogicalDevice* device : other.context.devices()) {
    if (!device->is_host()) devices.push_back(device);
  }
  std::vector<ReplicaTensors> lists(2);
  for (std::size_t r = 0; r < 2; ++r) {
    Machine::Scope scope = other.scope(devices[r]->full_name);
    lists[r].push_back(other.constant(std::vector<float>(100, 1)));
  }
  std::vector<ReplicaTensors> sums = lend_sums(other.context, lists, devices, Reduction::Sum);
  CHECK(sums[0][0]->rep().storage != sums[1][0]->rep().storage);
  CHECK(other.values(*sums[1][0]) == std::vector<float>(100, 2));
}
