// Sums over cards by calls of NCCL, with tests/support/cuda_stub's library in its place.
#include "kernels/cuda/libraries/communicators.h"

#include <dlfcn.h>

#include "core/error.h"
#include "core/half.h"
#include "device/cuda/cuda_pages.h"
#include "support/cuda_stub/nccl_stub.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::Communicators;
using cuda::CudaStream;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Three cards with some memory and a stream each, and the library.
class Machine {
 public:
  explicit Machine(const std::string& options = "inline")
      : stub("cards:3," + options), handle_(dlopen(LUTRA_NCCL_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(handle_ != nullptr);
    call<NcclStubDriver>("nccl_stub_driver")(LUTRA_CUDA_STUB_LIBRARY);
    std::string why;
    library = cuda::open_nccl(LUTRA_NCCL_STUB_LIBRARY, &why);
    INFO(why);
    REQUIRE(library != nullptr);
    auto addresses = std::make_shared<cuda::AddressMap>();
    for (int i = 0; i < 3; ++i) {
      cards.push_back(std::make_shared<cuda::Card>(stub.driver(), i, i, addresses));
      cards[static_cast<std::size_t>(i)]->use();
      pages.push_back(std::make_unique<cuda::CudaPages>(cards.back()));
      memory.push_back(pages.back()->reserve(2 * kMiB));
      REQUIRE(pages.back()->map(memory.back(), 2 * kMiB));
      streams.push_back(std::make_unique<CudaStream>(cards.back()));
      queues.push_back(streams.back().get());
    }
    asked();
  }
  ~Machine() {
    fail("", 0, 0);
    communicators.reset();
    CHECK(call<NcclStubLive>("nccl_stub_live")() == 0);
    for (std::size_t i = 0; i < 3; ++i) {
      streams[i].reset();
      cards[i]->use();
      stub.driver().unmap(cuda::address_of(memory[i]), 2 * kMiB);
      pages[i]->release(memory[i], 2 * kMiB);
    }
  }
  Machine(const Machine&) = delete;

  Communicators& open() {
    std::string why;
    communicators = Communicators::create(*library, queues, &why);
    INFO(why);
    REQUIRE(communicators != nullptr);
    return *communicators;
  }
  template <class T> void put(std::size_t card, const std::vector<T>& values) {
    streams[card]->copy({memory[card], reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)},
                        true);
  }
  template <class T> std::vector<T> take(std::size_t card, std::size_t count) {
    std::vector<T> values(count);
    Ticket done =
        streams[card]->copy({reinterpret_cast<std::byte*>(values.data()), memory[card], count * sizeof(T)}, false);
    streams[card]->host_wait(done.seq);
    return values;
  }
  std::string asked() const { return call<NcclStubCalls>("nccl_stub_calls")(); }
  void fail(const char* function, int n, int result) const {
    call<NcclStubFail>("nccl_stub_fail")(function, n, result);
  }

  Stubbed stub;
  const cuda::Nccl* library = nullptr;
  std::vector<std::shared_ptr<cuda::Card>> cards;
  std::vector<std::unique_ptr<cuda::CudaPages>> pages;
  std::vector<std::byte*> memory;
  std::vector<std::unique_ptr<CudaStream>> streams;
  std::vector<CudaStream*> queues;
  std::unique_ptr<Communicators> communicators;

 private:
  template <class F> F* call(const char* name) const { return reinterpret_cast<F*>(dlsym(handle_, name)); }
  void* handle_;
};

}  // namespace

TEST_CASE("every card gets the sum, whatever order the queues run in", "[cuda]") {
  for (int seed = 1; seed <= 20; ++seed) {
    Machine machine("random:" + std::to_string(seed));
    Communicators& all = machine.open();
    for (std::size_t r = 0; r < 3; ++r) machine.put<float>(r, {1.0f + static_cast<float>(r), 10, -1});
    all.sum(machine.queues, machine.memory, 3, DType::Float32);
    // Commands queued after it see the sum.
    all.sum(machine.queues, machine.memory, 2, DType::Float32);
    for (std::size_t r = 0; r < 3; ++r) CHECK(machine.take<float>(r, 3) == std::vector<float>{18, 90, -3});
    CHECK(machine.asked() == "all_reduce 3 3\nall_reduce 3 2\n");
  }
}

TEST_CASE("halves and float64 are summed as what they are", "[cuda]") {
  Machine machine;
  Communicators& all = machine.open();
  for (std::size_t r = 0; r < 3; ++r) machine.put<BFloat16>(r, {BFloat16(1.5f)});
  all.sum(machine.queues, machine.memory, 1, DType::BFloat16);
  CHECK(static_cast<float>(machine.take<BFloat16>(2, 1)[0]) == 4.5f);
  for (std::size_t r = 0; r < 3; ++r) machine.put<Float16>(r, {Float16(2.25f)});
  all.sum(machine.queues, machine.memory, 1, DType::Float16);
  CHECK(static_cast<float>(machine.take<Float16>(1, 1)[0]) == 6.75f);
  for (std::size_t r = 0; r < 3; ++r) machine.put<double>(r, {0.5});
  all.sum(machine.queues, machine.memory, 1, DType::Float64);
  CHECK(machine.take<double>(0, 1)[0] == 1.5);
  CHECK(Communicators::takes(DType::Float16));
  CHECK_FALSE(Communicators::takes(DType::Int32));
}

TEST_CASE("what NCCL cannot do is told in its words", "[cuda]") {
  Machine machine;
  std::string why;
  machine.fail("ncclCommInitAll", 1, 1);
  int before = machine.stub.live();
  CHECK(Communicators::create(*machine.library, machine.queues, &why) == nullptr);
  CHECK(why == "NCCL does not start on these cards (unhandled cuda error)");
  CHECK(machine.stub.live() == before);
  std::vector<CudaStream*> twice = {machine.queues[0], machine.queues[0]};
  CHECK(Communicators::create(*machine.library, twice, &why) == nullptr);
  CHECK(why == "NCCL does not start on these cards (invalid usage)");
  Communicators& all = machine.open();
  for (const char* function : {"ncclAllReduce", "ncclGroupEnd"}) {
    machine.fail(function, 1, 4);
    std::string told;
    try {
      all.sum(machine.queues, machine.memory, 7, DType::Float32);
    } catch (const Error& error) {
      told = error.message();
    }
    CHECK(told ==
          "GPU:0: NCCL failed at a sum of 7 elements of float32 over 3 cards (invalid argument). LUTRA_NCCL=0 adds up "
          "on the first of them");
  }
  CHECK(cuda::open_nccl("libm.so.6", &why) == nullptr);
  CHECK(why == "libm.so.6 has no ncclCommInitAll: it is no NCCL, or one older than 2.4");
}
