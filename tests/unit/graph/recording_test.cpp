#include "graph/recording.h"

#include <algorithm>
#include <vector>

#include "eager/variable.h"
#include "graph/chains.h"
#include "graph/replay.h"
#include "ops/slice.h"
#include "support/catch.h"
#include "support/machine.h"

namespace lutra::graph {
namespace {

using test::Machine;

std::vector<float> filled(std::size_t n, float value) { return std::vector<float>(n, value); }

// (x + c) * v, and v += x.
Program record(Machine& machine, const Tensor& x, const Tensor& c, TensorRep* variable, std::vector<Step>* steps) {
  Recording recording(machine.context);
  recording.begin({&variable, 1});
  Tensor argument;
  recording.add_argument(x.rep(), &argument.rep());
  Tensor sum = machine.run("AddV2", {&argument, &c});
  Operand operands[2] = {{&sum.rep(), Scalar::of(false)}, {variable, Scalar::of(false)}};
  Call call(machine.runtime.ops().get("Mul"), operands, 2);
  Tensor product = run_op(machine.context, call);
  assign(machine.context, "v", *variable, {&argument.rep(), Scalar::of(false)}, Assign::Add, {});
  CHECK(recording.add_result(product.rep()).kind == Recording::Returned::Kind::Result);
  CHECK(recording.add_result(c.rep()).kind == Recording::Returned::Kind::Constant);
  Program program = recording.finish();
  CHECK(recording.refused().empty());
  if (steps != nullptr) *steps = program.steps;
  plan_memory(machine.context, program);
  return program;
}

void replays(Machine& machine, std::size_t size) {
  Tensor x = machine.constant(filled(size, 1)), c = machine.constant(filled(size, 2));
  Tensor initial = machine.constant(filled(size, 10));
  TensorRep variable;
  make_variable(machine.context, initial.rep(), true, &variable);
  Program program = record(machine, x, c, &variable, nullptr);
  Replay replay(machine.context, std::move(program), {&variable});
  float value = 11;
  for (float next : {3.0F, -1.0F, 0.5F}) {
    Tensor argument = machine.constant(filled(size, next)), result;
    const TensorRep* arguments[] = {&argument.rep()};
    TensorRep* results[] = {&result.rep()};
    replay.prepare();
    replay.run(arguments, results);
    replay.end();
    CHECK(machine.values(result) == filled(size, (next + 2) * value));
    value += next;
    Tensor now;
    read_variable(machine.context, variable, &now.rep());
    CHECK(machine.values(now) == filled(size, value));
  }
  drop(variable);
}

TEST_CASE("a program is a graph of launches and the cells between them", "[graph]") {
  Machine machine;
  Tensor x = machine.constant(filled(64, 1)), c = machine.constant(filled(64, 2));
  TensorRep variable;
  make_variable(machine.context, machine.constant(filled(64, 10)).rep(), true, &variable);
  std::vector<Step> steps;
  Program program = record(machine, x, c, &variable, &steps);
  REQUIRE(steps.size() == 3);
  auto kind_of = [&](const StepArray& array) { return program.cell(array.place).kind; };
  CHECK(std::string(steps[0].op->name) == "AddV2");
  CHECK(kind_of(steps[0].in[0]) == Cell::Kind::Argument);
  CHECK(kind_of(steps[0].in[1]) == Cell::Kind::Constant);
  CHECK(std::string(steps[1].op->name) == "Mul");
  CHECK(steps[1].in[0].place.cell == steps[0].out[0].place.cell);
  CHECK(kind_of(steps[1].in[1]) == Cell::Kind::Variable);
  // The variable is written over in place.
  CHECK(steps[2].out[0].place.cell == steps[1].in[1].place.cell);
  CHECK(program.cell(steps[0].out[0].place).bytes == 256);
  CHECK(steps[0].cost.bytes == 3 * 256);
  REQUIRE(program.variables.size() == 1);
  CHECK(program.variables[0].identity == variable.value);
  drop(variable);
}

TEST_CASE("recordings that slice differently do not do the same", "[graph]") {
  Machine machine;
  auto record_slice = [&](int64_t first) {
    Recording recording(machine.context);
    recording.begin({});
    Tensor x = machine.constant(filled(64, 1)), argument;
    recording.add_argument(x.rep(), &argument.rep());
    Operand operand[1] = {{&argument.rep(), Scalar::of(false)}};
    Call call(machine.runtime.ops().get("StridedSlice"), operand, 1);
    SliceAttrs& slice = call.as<SliceAttrs>();
    slice.count = 1;
    slice.axis[0] = {first, first + 60, 2};
    Tensor result = run_op(machine.context, call);
    recording.add_result(result.rep());
    return recording.finish();
  };
  Program program = record_slice(0), same = record_slice(0), other = record_slice(1);
  CHECK(does_the_same(machine.context, program, same));
  CHECK_FALSE(does_the_same(machine.context, program, other));
}

TEST_CASE("a program is replayed with other arguments", "[graph]") {
  for (std::size_t size : {1, 16, 17, 1000}) {
    Machine host;
    replays(host, size);
    Machine card({.simulated_gpus = 1});
    replays(card, size);
  }
}

TEST_CASE("cells that are never needed at once share memory", "[graph]") {
  Machine machine;
  Recording recording(machine.context);
  recording.begin({});
  Tensor x = machine.constant(filled(1000, 1)), argument;
  recording.add_argument(x.rep(), &argument.rep());
  Tensor y = machine.run("Exp", {&argument});
  for (int i = 0; i < 9; ++i) y = machine.run("Tanh", {&y});
  recording.add_result(y.rep());
  Program program = recording.finish();
  plan_memory(machine.context, program);
  REQUIRE(program.blocks.size() == 1);
  CHECK(program.blocks[0].bytes == 2 * 4032);
  CHECK(program.blocks[0].unshared == 9 * 4032);
  // No two cells that are alive at the same step overlap.
  for (const Cell& a : program.cells) {
    for (const Cell& b : program.cells) {
      if (&a == &b || a.kind != Cell::Kind::Made || b.kind != Cell::Kind::Made || a.is_own || b.is_own) continue;
      const bool at_once = a.first <= b.last && b.first <= a.last;
      const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      CHECK_FALSE((at_once && overlap));
    }
  }
}

TEST_CASE("elementwise steps of large tensors become a chain", "[graph]") {
  Machine machine;
  const std::size_t size = 100003;
  std::vector<float> ramp(size);
  for (std::size_t i = 0; i < size; ++i) ramp[i] = static_cast<float>(i) / 50000.0F - 1.0F;
  Tensor x = machine.constant(ramp);
  auto chain = [&](const Tensor& from) {
    Tensor a = machine.run("Tanh", {&from});
    Tensor b = machine.run("Mul", {&a, &from});
    Tensor c = machine.run("Exp", {&b});
    Tensor d = machine.run("Sub", {&c, &a});
    return machine.run("Sum", {&d}).rep().size == 1 ? d : a;
  };
  Tensor wanted = chain(x);
  Recording recording(machine.context);
  recording.begin({});
  Tensor argument;
  recording.add_argument(x.rep(), &argument.rep());
  Tensor y = chain(argument);
  recording.add_result(y.rep());
  Program program = recording.finish();
  plan_memory(machine.context, program);
  REQUIRE(program.chains.size() == 1);
  CHECK(program.chains[0].last - program.chains[0].first == 3);
  CHECK(program.chains[0].slots >= 2);
  Replay replay(machine.context, std::move(program), {});
  for (int i = 0; i < 2; ++i) {
    Tensor result;
    const TensorRep* arguments[] = {&x.rep()};
    TensorRep* results[] = {&result.rep()};
    replay.prepare();
    replay.run(arguments, results);
    replay.end();
    CHECK(machine.values(result) == machine.values(wanted));
  }
}

TEST_CASE("what cannot be repeated is refused", "[graph]") {
  Machine machine;
  Tensor x = machine.constant({0, 1, 2});
  Recording recording(machine.context);
  recording.begin({});
  CHECK_THROWS_AS(machine.values(x), Error);
  machine.run("Where", {&x});
  CHECK_FALSE(recording.refused().empty());
}

}  // namespace
}  // namespace lutra::graph
