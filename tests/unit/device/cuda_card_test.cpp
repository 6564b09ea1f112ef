// What a card does with libraries that kernels have opened on it. Behind the driver's functions is
// tests/support/cuda_stub.
#include "device/cuda/card.h"

#include <sys/wait.h>
#include <unistd.h>

#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::Card;

namespace {

// Notes what is asked of it.
struct Noted final : cuda::CardLibraries {
  explicit Noted(std::string* to) : calls(to) {}
  ~Noted() override { *calls += "destroy "; }
  void abandon() override { *calls += "abandon "; }
  std::string* calls;
};

std::unique_ptr<Card> card_with_libraries(const Stubbed& stub, std::string* calls) {
  auto card = std::make_unique<Card>(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>());
  card->use();
  card->libraries = std::make_unique<Noted>(calls);
  return card;
}

}  // namespace

TEST_CASE("libraries are closed with their card", "[cuda]") {
  Stubbed stub;
  std::string calls;
  std::unique_ptr<Card> card = card_with_libraries(stub, &calls);
  card.reset();
  CHECK(calls == "destroy ");
  CHECK(stub.live() == 0);
}

TEST_CASE("libraries of a lost card are abandoned before they are destroyed", "[cuda]") {
  Stubbed stub;
  std::string calls;
  std::unique_ptr<Card> card = card_with_libraries(stub, &calls);
  card->lose(700, "cuEventQuery");
  card.reset();
  CHECK(calls == "abandon destroy ");
  CHECK(stub.live() == 0);
}

TEST_CASE("a forked child abandons its parent's libraries", "[cuda]") {
  Stubbed stub;
  std::string calls;
  std::unique_ptr<Card> card = card_with_libraries(stub, &calls);
  pid_t child = fork();
  if (child == 0) {
    card.reset();
    _exit(calls == "abandon destroy " ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  card.reset();
  CHECK(calls == "destroy ");
}
