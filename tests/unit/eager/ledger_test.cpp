#include "eager/ledger.h"

#include "eager/variable.h"
#include "support/catch.h"
#include "support/machine.h"

using namespace lutra;
using lutra::test::Machine;

namespace {

// A step of some training: x w, and that squared, by a tape of its own.
struct Steps {
  Machine machine;
  Ledger& ledger = machine.context.ledger();
  Tensor w, x = machine.constant(std::vector<float>(100, 2));

  Steps() { make_variable(machine.context, machine.constant(std::vector<float>(100, 3)).rep(), true, &w.rep()); }
  void forward() {
    Tensor y = machine.run("Mul", {&x, &w});
    machine.run("Mul", {&y, &y});
  }
};

}  // namespace

TEST_CASE("tapes that come and go inside a tape leave nothing behind", "[ledger]") {
  Steps steps;
  Ledger::Tapes outer = steps.ledger.open(false);
  std::size_t most_records = 0, most_values = 0;
  for (int i = 0; i < 2000; ++i) {
    Ledger::Tapes inner = steps.ledger.open(true);
    steps.forward();
    CHECK(steps.ledger.records() - steps.ledger.tape(inner).first_record == 2);
    most_records = std::max(most_records, steps.ledger.records());
    most_values = std::max(most_values, steps.ledger.values_kept());
    steps.ledger.close(inner);
  }
  CHECK(most_records < 200);
  CHECK(most_values <= 1024);
  CHECK(steps.ledger.held_bytes() < 200'000);
  steps.ledger.close(outer);
  CHECK(steps.ledger.held_bytes() == 0);
}

TEST_CASE("tapes that overlap without end leave nothing behind", "[ledger]") {
  Steps steps;
  Ledger::Tapes last = steps.ledger.open(true);
  std::size_t most_records = 0, most_values = 0;
  for (int i = 0; i < 2000; ++i) {
    Ledger::Tapes next = steps.ledger.open(true);
    steps.forward();
    steps.ledger.close(last);
    last = next;
    most_records = std::max(most_records, steps.ledger.records());
    most_values = std::max(most_values, steps.ledger.values_kept());
  }
  CHECK(most_records < 200);
  CHECK(most_values <= 1024);
  steps.ledger.close(last);
  CHECK(steps.ledger.held_bytes() == 0);
}

TEST_CASE("an outer tape keeps its own records when those between them go", "[ledger]") {
  Steps steps;
  Ledger::Tapes outer = steps.ledger.open(false);
  Tensor z = steps.machine.constant(std::vector<float>(100, 5));
  steps.ledger.watch(z.rep(), outer);
  for (int i = 0; i < 1000; ++i) {
    z = steps.machine.run("Neg", {&z});
    Ledger::Tapes inner = steps.ledger.open(true);
    for (int k = 0; k < 5; ++k) steps.forward();
    steps.ledger.close(inner);
  }
  CHECK(steps.ledger.records() >= 1000);
  CHECK(steps.ledger.records() < 2500);
  CHECK(steps.ledger.watches(steps.ledger.find(z.rep()), outer));
  steps.ledger.close(outer);
  CHECK(steps.ledger.find(z.rep()) == 0);
}

TEST_CASE("a reader's records stay where they are when tapes are closed", "[ledger]") {
  Steps steps;
  Ledger::Tapes outer = steps.ledger.open(true);
  Ledger::Tapes inner = steps.ledger.open(true);
  for (int i = 0; i < 200; ++i) steps.forward();
  steps.ledger.stop(outer);
  for (int i = 0; i < 200; ++i) steps.forward();
  steps.ledger.begin_reading();
  Record* last = &steps.ledger.at(799);
  steps.ledger.close(inner);
  CHECK(steps.ledger.records() == 800);
  CHECK(&steps.ledger.at(799) == last);
  CHECK(last->out[0].tensor.size == 100);
  steps.ledger.end_reading();
  CHECK(steps.ledger.records() == 400);
  steps.ledger.close(outer);
}
