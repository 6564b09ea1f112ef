// A card's memory as the arena wants it, on the stub of the driver's library.
#include "device/cuda/cuda_pages.h"

#include "core/error.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::shared_ptr<cuda::Card> make_card(const Stubbed& stub) {
  auto card = std::make_shared<cuda::Card>(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>());
  card->use();
  return card;
}

}  // namespace

TEST_CASE("pages are made, mapped and given access, and go when they are unmapped", "[cuda]") {
  Stubbed stub;
  {
    auto card = make_card(stub);
    cuda::CudaPages pages(card);
    CHECK(pages.granularity() == 2 * kMiB);
    std::byte* base = pages.reserve(128 * kMiB);
    REQUIRE(base != nullptr);
    CHECK(card->addresses().find(base + 5) == card.get());
    CHECK(card->addresses().find(base + 128 * kMiB) == nullptr);
    stub.calls();
    REQUIRE(pages.map(base, 32 * kMiB));
    CHECK(stub.calls() == "cuMemCreate 33554432\ncuMemMap 33554432\ncuMemRelease 0\ncuMemSetAccess 33554432\n");
    CHECK(stub.live() == 3);  // context, addresses, mapping: the handle is gone
    std::size_t free = 0, total = 0;
    stub.driver().memory_info(&free, &total);
    CHECK(free == 32 * kMiB);
    pages.unmap(base, 32 * kMiB);
    stub.driver().memory_info(&free, &total);
    CHECK(free == 64 * kMiB);
    pages.release(base, 128 * kMiB);
    CHECK(card->addresses().find(base) == nullptr);
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("a card that is full says so as TensorFlow's log does", "[cuda]") {
  Stubbed stub;
  cuda::CudaPages pages(make_card(stub));
  std::byte* base = pages.reserve(128 * kMiB);
  CHECK_FALSE(pages.map(base, 66 * kMiB));
  CHECK(pages.why() ==
        "failed to allocate 66.00M (69206016 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory");
  pages.release(base, 128 * kMiB);
}

TEST_CASE("a failure half way through mapping leaves nothing behind", "[cuda]") {
  for (const char* function : {"cuMemCreate", "cuMemMap", "cuMemSetAccess"}) {
    Stubbed stub;
    INFO(function);
    cuda::CudaPages pages(make_card(stub));
    std::byte* base = pages.reserve(4 * kMiB);
    int before = stub.live();
    stub.fail(function, 1, 2);
    CHECK_FALSE(pages.map(base, 2 * kMiB));
    CHECK(stub.live() == before);
    CHECK(pages.map(base, 2 * kMiB));
    pages.unmap(base, 2 * kMiB);
    pages.release(base, 4 * kMiB);
  }
}

TEST_CASE("a card's memory is open to the cards that can reach it", "[cuda]") {
  for (bool refused : {false, true}) {
    Stubbed stub("cards:3,peers");
    cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
    std::unique_ptr<Stream> stream = found.devices[1]->new_stream();
    PageSource& pages = *found.devices[1]->pages();
    std::byte* base = pages.reserve(4 * kMiB);
    if (refused) stub.fail("cuMemSetAccess", 1, 2);
    stub.calls();
    REQUIRE(pages.map(base, 2 * kMiB));
    std::string calls = stub.calls();
    // Where the others are refused, the card itself still has it.
    CHECK(calls.substr(calls.find("cuMemSetAccess")) ==
          (refused ? "cuMemSetAccess 2097152\ncuMemSetAccess 2097152\n" : "cuMemSetAccess 2097152\n  for 3 cards\n"));
    pages.unmap(base, 2 * kMiB);
    pages.release(base, 4 * kMiB);
  }
  Stubbed stub("cards:3,no-peers");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  std::unique_ptr<Stream> stream = found.devices[1]->new_stream();
  PageSource& pages = *found.devices[1]->pages();
  std::byte* base = pages.reserve(4 * kMiB);
  stub.calls();
  REQUIRE(pages.map(base, 2 * kMiB));
  CHECK(stub.calls().find("for") == std::string::npos);
  pages.unmap(base, 2 * kMiB);
  pages.release(base, 4 * kMiB);
}

TEST_CASE("without virtual memory a card's memory is one allocation", "[cuda]") {
  Stubbed stub("no-vmm");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  std::unique_ptr<Stream> stream = found.devices[0]->new_stream();
  PageSource& pages = *found.devices[0]->pages();
  CHECK_FALSE(pages.is_on_demand());
  stub.calls();
  std::byte* base = pages.reserve(48 * kMiB);
  REQUIRE(base != nullptr);
  CHECK(pages.map(base, 48 * kMiB));
  CHECK(stub.calls() == "cuMemAlloc 50331648\n");
  CHECK(pages.reserve(48 * kMiB) == nullptr);
  CHECK(pages.why().find("failed to allocate 48.00M (50331648 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY") == 0);
  pages.unmap(base, 48 * kMiB);
  pages.release(base, 48 * kMiB);
  CHECK(stub.calls() == "cuMemAlloc 50331648\ncuMemFree 0\n");
}
