// The libraries of one card, with tests/support/cuda_stub's in their place.
#include "kernels/cuda/libraries/vendor_libraries.h"

#include <dlfcn.h>

#include "support/cuda_stub/cublas_lt_stub.h"
#include "support/cuda_stub/cudnn_stub.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::Card;
using cuda::Convolutions;
using cuda::Products;
using cuda::VendorLibraries;

namespace {

template <class F> F* function(const char* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(dlopen(library, RTLD_NOW | RTLD_LOCAL), name));
}
// Handles of cuBLASLt's and of cuDNN's that are open.
std::pair<int, int> live() {
  return {function<CublasStubLive>(LUTRA_CUBLAS_STUB_LIBRARY, "cublas_stub_live")(),
          function<CudnnStubLive>(LUTRA_CUDNN_STUB_LIBRARY, "cudnn_stub_live")()};
}

std::unique_ptr<Card> card_with_libraries(const Stubbed& stub) {
  function<CublasStubDriver>(LUTRA_CUBLAS_STUB_LIBRARY, "cublas_stub_driver")(LUTRA_CUDA_STUB_LIBRARY);
  function<CudnnStubDriver>(LUTRA_CUDNN_STUB_LIBRARY, "cudnn_stub_driver")(LUTRA_CUDA_STUB_LIBRARY);
  auto card = std::make_unique<Card>(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>());
  card->use();
  VendorLibraries& libraries = cuda::libraries_of(*card);
  std::string why;
  libraries.products = Products::create(*cuda::open_cublas_lt(LUTRA_CUBLAS_STUB_LIBRARY, &why), &why);
  libraries.convolutions = Convolutions::create(*cuda::open_cudnn(LUTRA_CUDNN_STUB_LIBRARY, &why), &why);
  INFO(why);
  REQUIRE(libraries.products != nullptr);
  REQUIRE(libraries.convolutions != nullptr);
  CHECK(live() == std::pair(1, 1));
  return card;
}

}  // namespace

TEST_CASE("a card has its own libraries, the same each time", "[cuda]") {
  Stubbed stub("cards:2");
  auto addresses = std::make_shared<cuda::AddressMap>();
  Card first(stub.driver(), 0, 0, addresses), second(stub.driver(), 1, 1, addresses);
  CHECK(first.libraries == nullptr);
  CHECK(&cuda::libraries_of(first) == &cuda::libraries_of(first));
  CHECK(&cuda::libraries_of(first) != &cuda::libraries_of(second));
}

TEST_CASE("a card that ends closes its libraries' handles", "[cuda]") {
  Stubbed stub;
  std::unique_ptr<Card> card = card_with_libraries(stub);
  card.reset();
  CHECK(live() == std::pair(0, 0));
}

TEST_CASE("a card that was lost calls its libraries no more", "[cuda]") {
  Stubbed stub;
  std::unique_ptr<Card> card = card_with_libraries(stub);
  Products* products = cuda::libraries_of(*card).products.get();
  Convolutions* convolutions = cuda::libraries_of(*card).convolutions.get();
  card->lose(700, "cuEventQuery");
  card.reset();
  CHECK(live() == std::pair(1, 1));
  delete products;
  delete convolutions;
  CHECK(live() == std::pair(0, 0));
}
