// The budget beside a model of a collector with generations: what lives through two collections is old, and stays.
#include "lua/border/step_budget.h"

#include <cstdint>
#include <functional>
#include <vector>

#include "support/catch.h"

using namespace lutra;

namespace {

constexpr int64_t kKilo = 1024, kMega = kKilo * kKilo, kMost = 64 * kMega;

struct Program {
  struct Result {
    int64_t bytes, made_at;
    int seen = 0;  // by collections
    bool in_use = true;
  };
  StepBudget budget;
  std::vector<Result> results;
  int64_t live = 0, live_at_step = 0, made = 0, made_at_step = 0, aged = 0;

  // A place for results, of which the last is in use.
  struct Name {
    int64_t made_at = -1;
  };
  void forget(Name& name) {
    for (Result& result : results) {
      if (result.made_at == name.made_at) result.in_use = false;
    }
    name.made_at = -1;
  }
  void make(Name& name, int64_t bytes) {
    if (live - live_at_step > budget.bytes()) collect();
    live += bytes;
    made += bytes;
    results.push_back({bytes, made});
    forget(name);
    name.made_at = made;
  }
  void collect() {
    int64_t freed = 0, first_freed = made;
    std::erase_if(results, [&](const Result& result) {
      if (result.in_use) return false;
      bool is_old = result.seen >= 2;
      if (is_old) {
        aged += result.bytes;
        return true;  // out of sight, but live
      }
      freed += result.bytes;
      first_freed = std::min(first_freed, result.made_at);
      return true;
    });
    for (Result& result : results) ++result.seen;
    int64_t grown = live - live_at_step;
    live -= freed;
    live_at_step = live;
    budget.after({grown, freed, live, std::max<int64_t>(0, made_at_step - first_freed)}, kMost);
    made_at_step = made;
  }
};

void loop(Program& program, int turns, const std::function<void()>& body) {
  program.aged = 0;
  for (int i = 0; i < turns; ++i) body();
}

}  // namespace

TEST_CASE("a loop of one result takes turns in two pieces of memory, whatever their size") {
  for (int64_t bytes : {40 * kKilo, 400 * kKilo, 4 * kMega}) {
    Program program;
    Program::Name r;
    loop(program, 1000, [&] { program.make(r, bytes); });
    CHECK(program.budget.bytes() == StepBudget::kLeast);
    CHECK(program.aged == 0);
    CHECK(program.live <= StepBudget::kLeast + 2 * bytes);
  }
}

TEST_CASE("inputs that stay make the budget grow by one step at most") {
  Program program;
  Program::Name x, y, weights[3], r;
  program.make(x, 32 * kMega);
  for (int i = 0; i < 20; ++i) program.make(r, kMega);
  program.make(y, 16 * kMega);
  for (int i = 0; i < 20; ++i) program.make(r, kMega);
  for (Program::Name& w : weights) {
    program.make(w, 8 * kMega);
    for (int i = 0; i < 20; ++i) program.make(r, kMega);
  }
  CHECK(program.budget.bytes() <= 2 * StepBudget::kLeast);
}

TEST_CASE("a step that holds its results until its end gets a budget of about that size, and little grows old") {
  Program program;
  std::vector<Program::Name> held(40);
  auto step = [&] {
    for (Program::Name& name : held) program.make(name, 500 * kKilo);
    for (Program::Name& name : held) program.forget(name);
  };
  loop(program, 50, step);
  loop(program, 200, step);
  CHECK(program.budget.bytes() >= 5 * kMega);
  // Of 4 GB.
  CHECK(program.aged <= 200 * kMega);
}

TEST_CASE("after a phase of large results a few turns bring the budget down again") {
  Program program;
  std::vector<Program::Name> held(8);
  for (int i = 0; i < 10; ++i) {
    for (Program::Name& name : held) program.make(name, 16 * kMega);
    for (Program::Name& name : held) program.forget(name);
  }
  REQUIRE(program.budget.bytes() >= 32 * kMega);
  Program::Name linear, r;
  // 320 MB: five collections.
  for (int i = 0; i < 160; ++i) {
    program.make(linear, kMega);
    program.make(r, kMega);
    program.forget(linear);
  }
  CHECK(program.budget.bytes() <= 2 * kMega);
  loop(program, 1000, [&] {
    program.make(linear, kMega);
    program.make(r, kMega);
    program.forget(linear);
  });
  CHECK(program.budget.bytes() <= 2 * kMega);
  // Of 2 GB, by budgets that were tried.
  CHECK(program.aged <= 60 * kMega);
}

TEST_CASE("results that live for long in part do not grow old unnoticed") {
  Program program;
  Program::Name lists[4];
  auto turn = [&] {
    for (Program::Name& part : lists) program.make(part, 100 * kKilo);
  };
  loop(program, 500, turn);
  loop(program, 2000, turn);
  CHECK(program.budget.bytes() >= 400 * kKilo);
  CHECK(program.aged <= 80 * kMega);  // of 800
}

TEST_CASE("a phase that needed a large budget again and again does not slow down the next") {
  using Step = StepBudget::Step;
  constexpr int64_t kResult = 400 * kKilo;
  StepBudget budget;
  // Calm steps shrink the budget, and what survives soon makes it grow again: each time more calm bytes are wanted.
  int64_t kept = 30 * kResult;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 600 && budget.bytes() > StepBudget::kLeast; ++j) budget.after({kMega, kMega, kept, 0}, kMost);
    while (budget.bytes() < 4 * kMega) budget.after({kMega, kMega, kept += 2 * budget.bytes(), kMega}, kMost);
  }
  // All of it is garbage now, and a full collection frees it.
  budget.after_full({4 * kMega, kept, kResult, kept}, kMost);
  int64_t calm = 0;
  for (; budget.bytes() > StepBudget::kLeast; calm += kMega) budget.after_full(Step{kMega, kMega, kResult, 0}, kMost);
  CHECK(calm <= 64 * StepBudget::kLeast + kMega);
}
