#include "eager/observer.h"

#include <string>
#include <vector>

#include "device/stream_times.h"
#include "eager/launch.h"
#include "support/catch.h"
#include "support/machine.h"

namespace lutra {
namespace {

// Writes down all that it is told.
class Notes final : public Observer {
 public:
  explicit Notes(Context& context) : context_(context) { context.attach(*this); }
  ~Notes() override {
    if (is_attached) context_.detach(*this);
  }

  void op_begins(const Call& call, const Prepared&) override { note(text("begins ", call.op->name)); }
  void op_ends(const Call& call, const Prepared&, TensorRep* const*, bool ok) override {
    note(text(ok ? "ends " : "fails ", call.op->name));
  }
  void check(const Call& call, const Prepared&, TensorRep* const*) override {
    note(text("check ", call.op->name));
    if (refuses) fail(ErrorCode::InvalidArgument, "refused");
  }
  bool checks() const override { return true; }
  void launches(const Launch& launch) override { note(text("launches ", launch.args.op->name)); }
  void launched(const Launched& launched) override {
    note(text("launched ", launched.launch.args.op->name, launched.ticket ? " on a stream" : ""));
    CHECK(launched.begin_ns <= launched.end_ns);
    last = launched.ticket;
  }
  void copied(const Copied& copied) override {
    note(text("copied ", copied.bytes, " bytes to ", copied.to.spec.local_name()));
    CHECK(copied.first <= copied.last);
  }
  void allocated(const LogicalDevice& device, std::size_t bytes, const Wanted&) override {
    note(text("allocated ", bytes, " bytes on ", device.spec.local_name()));
  }
  void devices_opened() override { note("devices opened"); }
  void context_closes() override { is_attached = false; }

  std::vector<std::string> take() { return std::exchange(seen_, {}); }

  Ticket last;
  bool refuses = false;
  bool is_attached = true;

 private:
  void note(std::string what) { seen_.push_back(std::move(what)); }

  Context& context_;
  std::vector<std::string> seen_;
};

using Lines = std::vector<std::string>;

TEST_CASE("an observer sees an op on the CPU with its kernel", "[observer]") {
  test::Machine machine;
  Tensor x = machine.constant({1, 2, 3});
  Notes notes(machine.context);
  machine.run("Neg", {&x});
  CHECK(notes.take() == Lines{"begins Neg", "launches Neg", "launched Neg", "ends Neg", "check Neg"});
}

TEST_CASE("an observer sees copies, allocations and kernels of a GPU", "[observer]") {
  test::Machine machine({.simulated_gpus = 1});
  Notes notes(machine.context);
  Tensor x = machine.constant({1, 2, 3});
  CHECK(notes.take() ==
        Lines{"devices opened", "allocated 12 bytes on /device:GPU:0", "copied 12 bytes to /device:GPU:0"});
  machine.run("Neg", {&x});
  CHECK(notes.take() == Lines{"begins Neg", "allocated 12 bytes on /device:GPU:0", "launches Neg",
                              "launched Neg on a stream", "ends Neg", "check Neg"});
}

TEST_CASE("a check may refuse an op's result", "[observer]") {
  test::Machine machine;
  Tensor x = machine.constant({1});
  Notes notes(machine.context);
  notes.refuses = true;
  CHECK_THROWS_AS(machine.run("Neg", {&x}), Error);
  CHECK(machine.context.is_checked());
}

TEST_CASE("a detached observer sees nothing, and one that outlives its Context is told so", "[observer]") {
  auto machine = std::make_unique<test::Machine>();
  Notes stays(machine->context);
  { Notes goes(machine->context); }
  Tensor x = machine->constant({1});
  machine->run("Neg", {&x});
  CHECK(stays.take().size() == 6);
  x = Tensor();
  machine.reset();
  CHECK_FALSE(stays.is_attached);
}

TEST_CASE("a stream that keeps times says when each command ran", "[observer]") {
  test::Machine machine({.simulated_gpus = 1});
  Tensor x = machine.constant({1, 2, 3});
  Notes notes(machine.context);
  auto& stream = dynamic_cast<TimedStream&>(*machine.context.devices()[0]->compute);
  stream.keep_times(true);
  machine.run("Neg", {&x});
  Ticket first = notes.last;
  machine.run("Neg", {&x});
  machine.runtime.synchronize(nullptr);
  std::vector<CommandTime> times;
  std::vector<HostWait> waits;
  stream.take_times(times, waits);
  REQUIRE(times.size() >= 2);
  CHECK(times.back().seq == notes.last.seq);
  CHECK(times[times.size() - 2].seq == first.seq);
  for (const CommandTime& time : times) CHECK(time.begin_ns <= time.end_ns);
  CHECK(times[times.size() - 2].end_ns <= times.back().begin_ns);
  times.clear();
  stream.take_times(times, waits);
  CHECK(times.empty());
  stream.keep_times(false);
  machine.run("Neg", {&x});
  machine.runtime.synchronize(nullptr);
  stream.take_times(times, waits);
  CHECK(times.empty());
}

TEST_CASE("copies are counted by device and reason", "[observer]") {
  test::Machine machine({.simulated_gpus = 1});
  Tensor x = machine.constant({1, 2, 3, 4});
  float values[4];
  auto read = [&] {
    machine.runtime.transfer().read(machine.context, x.rep(), reinterpret_cast<std::byte*>(values), 0, sizeof values);
  };
  read();
  read();
  std::vector<CopyTotal> totals = machine.context.copy_totals().list();
  REQUIRE(totals.size() == 2);
  CHECK(totals[0].reason == CopyReason::Read);
  CHECK(totals[0].count == 2);
  CHECK(totals[0].bytes == 32);
  CHECK(totals[1].reason == CopyReason::Constant);
  CHECK(totals[1].bytes == 16);
  machine.context.copy_totals().clear();
  CHECK(machine.context.copy_totals().list().empty());
}

}  // namespace
}  // namespace lutra
