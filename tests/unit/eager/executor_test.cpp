#include "eager/executor.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

#include "device/sim/sim_device.h"
#include "eager/move_tensor.h"
#include "support/catch.h"
#include "support/machine.h"

using namespace lutra;
using lutra::test::Machine;

namespace {

constexpr std::size_t MB = std::size_t{1} << 20;

std::vector<float> ramp(int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i);
  return values;
}

// Pages that refuse the n-th request for memory; 0 refuses none.
class RefusingPages final : public PageSource {
 public:
  explicit RefusingPages(std::size_t bytes) : pages_(bytes) {}
  std::byte* reserve(std::size_t bytes) override { return pages_.reserve(bytes); }
  void release(std::byte* base, std::size_t bytes) override { pages_.release(base, bytes); }
  bool map(std::byte* at, std::size_t bytes) override { return ++asked != refused && pages_.map(at, bytes); }
  void unmap(std::byte* at, std::size_t bytes) override { pages_.unmap(at, bytes); }
  std::size_t granularity() const override { return pages_.granularity(); }
  std::string why() const override { return "refused"; }

  int asked = 0;
  int refused = 0;

 private:
  HostPages pages_;
};

// A simulated card on such pages.
class RefusingCard final : public Device {
 public:
  RefusingCard(int number, RefusingPages& pages)
      : Device(DeviceType::GPU, number), pages_(pages), card_(number, SimOptions{}, nullptr) {}
  MemoryInfo memory() const override { return {64 * MB, 64 * MB}; }
  PageSource* pages() override { return &pages_; }
  std::unique_ptr<Stream> new_stream() override { return card_.new_stream(); }

 private:
  RefusingPages& pages_;
  SimDevice card_;
};

}  // namespace

TEST_CASE("results are the same wherever the inputs are", "[executor]") {
  Machine machine({.cpus = 2, .simulated_gpus = 2});
  const char* places[] = {"/CPU:0", "/CPU:1", "/GPU:0", "/GPU:1"};
  for (const char* left : places) {
    for (const char* right : places) {
      for (const char* at : places) {
        Tensor a, b;
        {
          Machine::Scope scope = machine.scope(left);
          a = machine.constant(ramp(100));
        }
        {
          Machine::Scope scope = machine.scope(right);
          b = machine.constant(ramp(100));
        }
        Machine::Scope scope = machine.scope(at);
        Tensor sum = machine.run("AddV2", {&a, &b});
        CHECK(machine.device_of(sum) == "/device" + std::string(at).replace(0, 1, ":"));
        std::vector<float> values = machine.values(sum);
        CHECK(values[0] == 0);
        CHECK(values[99] == 198);
      }
    }
  }
}

TEST_CASE("nothing is alive after a machine is gone", "[executor]") {
  int64_t before = live_storages();
  {
    Machine machine({.cpus = 1, .simulated_gpus = 2});
    Tensor here;
    {
      Machine::Scope scope = machine.scope("/CPU:0");
      here = machine.constant(ramp(1000));
    }
    for (const char* at : {"/GPU:0", "/GPU:1", "/CPU:0"}) {
      Machine::Scope scope = machine.scope(at);
      here = machine.run("AddV2", {&here, &here});
    }
    CHECK(machine.values(here)[10] == 80);
    CHECK(live_storages() > before);
  }
  CHECK(live_storages() == before);
}

TEST_CASE("an update is not written over memory of another dtype", "[executor]") {
  Machine machine;
  Tensor bytes = machine.constant(ramp(1000)), floats = machine.constant(ramp(1000));
  Operand cast[1] = {{&bytes.rep(), Scalar::of(false)}};
  Call narrow(machine.runtime.ops().get("Cast"), cast, 1);
  *reinterpret_cast<DType*>(narrow.attrs) = DType::Int8;
  bytes = run_op(machine.context, narrow);
  REQUIRE(bytes.rep().nbytes() == 1000);
  // Two of them: a result of int8 may take the place, one of float32 must not.
  for (const Tensor* other : {&bytes, &floats}) {
    Operand operands[2] = {{&bytes.rep(), Scalar::of(false)}, {&other->rep(), Scalar::of(false)}};
    Call call(machine.runtime.ops().get("AddV2"), operands, 2);
    Prepared prepared;
    prepare(machine.context, call, &prepared);
    const TensorRep* const into[] = {&bytes.rep()};
    prepared.into = into;
    Tensor result;
    TensorRep* out = &result.rep();
    execute(machine.context, call, prepared, &out);
    CHECK((result.rep().storage == bytes.rep().storage) == (other == &bytes));
    CHECK(result.rep().nbytes() <= result.rep().storage->bytes);
  }
}

TEST_CASE("a chain of copies to and fro is freed without deep recursion", "[executor]") {
  int64_t before = live_storages();
  Machine machine({.cpus = 1, .simulated_gpus = 2});
  machine.context.devices();
  std::vector<Tensor> chain;
  chain.push_back(machine.constant(ramp(20)));
  for (int i = 1; i < 50000; ++i) {
    Tensor next;
    LogicalDevice& to = machine.runtime.find(i % 2 == 0 ? "GPU:0" : "GPU:1");
    move_tensor(machine.context, chain.back().rep(), to, &next.rep());
    chain.push_back(std::move(next));
  }
  CHECK(machine.values(chain.back())[19] == 19);
  while (!chain.empty()) chain.pop_back();
  machine.runtime.release_memory(nullptr);
  CHECK(live_storages() == before);
}

TEST_CASE("a command that fails late is told of by what depends on it, and by nothing else", "[executor]") {
  for (uint64_t fail_at = 1; fail_at <= 4; ++fail_at) {
    Machine machine({.cpus = 1, .simulated_gpus = 1, .gpu_mb = 64, .fail_at = fail_at});
    Tensor x = machine.constant(ramp(100));
    std::vector<Tensor> results;
    for (int i = 0; i < 4; ++i) results.push_back(machine.run("AddV2", {&x, &x}));
    for (uint64_t i = 0; i < 4; ++i) {
      for (int again = 0; again < 2; ++again) {
        if (i + 1 == fail_at) CHECK_THROWS_AS(machine.values(results[i]), Error);
        else CHECK(machine.values(results[i])[99] == 198);
      }
    }
    CHECK_THROWS_AS(machine.runtime.synchronize(nullptr), Error);
    results.clear();
    machine.runtime.synchronize(nullptr);
    CHECK(machine.values(x)[99] == 99);
  }
}

TEST_CASE("tensors of several devices are read together, each whole, with one wait a device", "[executor]") {
  Machine machine({.cpus = 1, .simulated_gpus = 2});
  std::vector<Tensor> tensors;
  std::vector<const TensorRep*> reps;
  for (int i = 0; i < 30; ++i) {
    Machine::Scope scope = machine.scope(i % 3 == 0 ? "/CPU:0" : i % 3 == 1 ? "/GPU:0" : "/GPU:1");
    Tensor x = machine.constant(ramp(i + 1));
    tensors.push_back(machine.run("AddV2", {&x, &x}));
  }
  std::size_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    reps.push_back(&tensor.rep());
    bytes += tensor.rep().nbytes();
  }
  Stream& copies = *machine.runtime.find("GPU:0").copy;
  const uint64_t before = copies.tail();
  std::vector<std::byte> read(bytes);
  machine.runtime.transfer().read_all(machine.context, reps, read.data());
  CHECK(copies.tail() <= before + 10 + 1);
  const float* at = reinterpret_cast<const float*>(read.data());
  for (int i = 0; i < 30; ++i) {
    for (int k = 0; k <= i; ++k) CHECK(*at++ == static_cast<float>(2 * k));
  }
}

TEST_CASE("reading many tensors raises what one of them depends on", "[executor]") {
  Machine machine({.cpus = 1, .simulated_gpus = 1, .gpu_mb = 64, .fail_at = 2});
  Tensor x = machine.constant(ramp(100));
  std::vector<Tensor> results;
  std::vector<const TensorRep*> reps;
  for (int i = 0; i < 3; ++i) results.push_back(machine.run("AddV2", {&x, &x}));
  for (const Tensor& tensor : results) reps.push_back(&tensor.rep());
  std::vector<float> read(300);
  auto* to = reinterpret_cast<std::byte*>(read.data());
  CHECK_THROWS_AS(machine.runtime.transfer().read_all(machine.context, reps, to), Error);
  reps.erase(reps.begin() + 1);
  machine.runtime.transfer().read_all(machine.context, reps, to);
  CHECK(read[199] == 198);
}

TEST_CASE("memory that the card refuses at any step is an error, leaks nothing, and comes back", "[executor]") {
  bool reached_end = false;
  for (int refused = 1; !reached_end; ++refused) {
    REQUIRE(refused < 200);
    RefusingPages pages(64 * MB);
    int64_t before = live_storages();
    {
      Machine machine({.cpus = 1, .simulated_gpus = 1});  // whose kernels the card below has
      machine.runtime.registry().set_gpu_source(
          picked_cards(1, [&pages](int number, int) { return std::make_unique<RefusingCard>(number, pages); }));
      machine.runtime.registry().set_memory_growth(machine.runtime.registry().find_physical("GPU:0"), true);
      Tensor here;
      {
        Machine::Scope scope = machine.scope("/CPU:0");
        here = machine.constant(ramp(1 << 19));
      }
      auto work = [&] {
        Machine::Scope scope = machine.scope("/GPU:0");
        Tensor there = machine.run("AddV2", {&here, &here});
        for (int i = 0; i < 5; ++i) there = machine.run("Mul", {&there, &here});
        return machine.values(there)[2];
      };
      pages.refused = refused;
      try {
        CHECK(work() == 128);
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::ResourceExhausted);
      }
      reached_end = pages.asked < refused;
      pages.refused = 0;
      CHECK(work() == 128);
    }
    CHECK(live_storages() == before);
  }
}

namespace {

// A GPU of 64 MB that garbage fills. A collection frees that, and calls a finalizer.
struct FullMachine {
  FullMachine() : machine({.cpus = 1, .simulated_gpus = 1, .gpu_mb = 64}) {
    for (int i = 0; i < 12; ++i) garbage.push_back(machine.constant(ramp(1 << 20)));
    machine.context.hooks.user = this;
    machine.context.hooks.collect = [](void* user) {
      FullMachine& self = *static_cast<FullMachine*>(user);
      self.garbage.clear();
      self.finalizer();
      return true;
    };
  }
  Machine machine;
  std::vector<Tensor> garbage;
  std::function<void()> finalizer = [] {};
};

// What run() raises; "" where it raises nothing.
template <class Run> std::string failure_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::FailedPrecondition);
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("an op goes on after a finalizer that ran while it looked for memory", "[executor]") {
  FullMachine full;
  Tensor a = full.machine.constant(ramp(1 << 20)), b = full.machine.constant(ramp(1 << 20));
  bool ran = false;
  full.finalizer = [&] { ran = true; };
  std::vector<Tensor> sums;
  while (!ran) sums.push_back(full.machine.run("AddV2", {&a, &b}));
  CHECK(full.machine.values(sums.back())[7] == 14);
}

TEST_CASE("an op whose input a finalizer releases while it looks for memory fails, and names the input", "[executor]") {
  FullMachine full;
  Tensor a = full.machine.constant(ramp(1 << 20)), b = full.machine.constant(ramp(1 << 20));
  full.finalizer = [&] {
    drop(b.rep());
    b.rep().size = -1;  // as State::release does
    ++full.machine.runtime.epoch;
  };
  std::vector<Tensor> sums;
  CHECK(failure_of([&] {
          while (true) sums.push_back(full.machine.run("AddV2", {&a, &b}));
        }) == "add: b was released by a finalizer while the op was being set up");
  b.rep().size = 0;
}

TEST_CASE("an op on its way to devices that a finalizer resets fails", "[executor]") {
  FullMachine full;
  full.finalizer = [&] { full.machine.runtime.reset(); };
  LogicalDevice& gpu = full.machine.runtime.device(full.garbage.front().rep().device);
  auto scope = full.machine.scope("/CPU:0");
  std::string failure;
  for (int i = 0; i < 8 && failure.empty(); ++i) {
    Tensor source = full.machine.constant(ramp(1 << 20)), moved;
    failure = failure_of([&] { move_tensor(full.machine.context, source.rep(), gpu, &moved.rep()); });
    full.garbage.push_back(moved);
  }
  CHECK(failure.find("a finalizer reset the devices while memory was being found") != std::string::npos);
}

TEST_CASE("an out-of-memory report names the five largest holders", "[executor]") {
  Machine machine({.cpus = 1, .simulated_gpus = 1, .gpu_mb = 64});
  machine.context.hooks.line = [](void*) { return std::string("a.lua:3"); };
  std::vector<Tensor> held;
  for (int mb : {1, 5, 3, 7, 2, 6, 4}) held.push_back(machine.constant(ramp(mb << 18)));
  try {
    machine.constant(ramp(48 << 18));
    FAIL("64 MB hold 76 MB");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::ResourceExhausted);
    std::size_t at = 0;
    for (const char* holder : {"7.00MiB", "6.00MiB", "5.00MiB", "4.00MiB", "3.00MiB"}) {
      at = error.message().find(holder, at);
      REQUIRE(at != std::string::npos);
    }
    CHECK(error.message().find("2.00MiB  (") == std::string::npos);
    CHECK(error.message().find("made by _EagerConst at a.lua:3") != std::string::npos);
  }
  CHECK(machine.values(held[0])[5] == 5);
}

TEST_CASE("an out-of-memory report counts small tensors too", "[executor]") {
  Machine machine({.cpus = 1, .simulated_gpus = 1, .gpu_mb = 8});
  std::vector<Tensor> held;
  for (int kb : {100, 300, 200}) held.push_back(machine.constant(ramp(kb << 8)));
  held[1].rep().storage->tensor = &held[1].rep();  // as Lua's tensors do
  try {
    machine.constant(ramp(8 << 18));
    FAIL("8 MB hold 8.6 MB");
  } catch (const Error& error) {
    CHECK(error.message().find("\nLargest live tensors:"
                               "\n  300.0KiB  (76800,) float32  made by _EagerConst"
                               "\n  200.0KiB  (held by a slice, a copy or an op in progress)"
                               "\n  100.0KiB  (held by ") != std::string::npos);
  }
}

TEST_CASE("a device that gives no pages within its limit is named as the reason", "[executor]") {
  RefusingPages pages(4 * MB);  // of the 64 MB that the card says it has
  Machine machine({.cpus = 1, .simulated_gpus = 1});
  machine.runtime.registry().set_gpu_source(
      picked_cards(1, [&pages](int number, int) { return std::make_unique<RefusingCard>(number, pages); }));
  machine.runtime.registry().set_memory_growth(machine.runtime.registry().find_physical("GPU:0"), true);
  try {
    machine.constant(ramp(8 << 18));
    FAIL("4 MB hold 8 MB");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::ResourceExhausted);
    CHECK(error.message().find("limit 64.00MiB (67108864 bytes), in use 0B (0 bytes); the limit leaves room, but the "
                               "device gave no pages: refused.") != std::string::npos);
    CHECK(error.message().find("end other programs") != std::string::npos);
  }
  CHECK(machine.values(machine.constant(ramp(1 << 18)))[7] == 7);
}

TEST_CASE("a kernel that is refused memory on a simulated GPU fails who reads its result, and nobody else",
          "[executor]") {
  Machine machine({.simulated_gpus = 2});
  Machine::Scope scope = machine.scope("/GPU:1");
  Tensor x = machine.constant(ramp(100));
  machine.values(machine.run("Neg", {&x}));
  static int runs;
  runs = 0;
  machine.runtime.own_kernels().add("Sqrt", DeviceType::GPU, DTypes{DType::Float32}, {[](const KernelArgs& args) {
                                      if (runs++ == 0) throw std::bad_alloc();
                                      std::copy_n(args.in[0].as<float>(), args.out[0].size, args.out[0].as<float>());
                                    }});
  Tensor failed = machine.run("Sqrt", {&x}), from_it = machine.run("AddV2", {&x, &failed});
  Tensor elsewhere;
  {
    Machine::Scope other = machine.scope("/GPU:0");
    elsewhere = machine.run("Neg", {&from_it});
  }
  auto error_of = [&](const Tensor& tensor) {
    try {
      machine.values(tensor);
    } catch (const Error& error) {
      return std::string(name(error.code())) + ": " + error.message();
    }
    return std::string();
  };
  for (const Tensor* tensor : {&failed, &from_it, &elsewhere, &failed}) {
    CHECK(error_of(*tensor) ==
          "ResourceExhausted: sqrt: out of memory while computing on a simulated GPU (malloc failed)");
  }
  CHECK(machine.values(x)[99] == 99);
  // What takes its memory is well.
  failed = from_it = elsewhere = Tensor();
  for (int i = 0; i < 4; ++i) CHECK(error_of(machine.run("Sqrt", {&x})) == "");
}
