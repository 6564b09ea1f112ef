#include "kernels/cuda/plugin_host.h"

#include "kernels/cuda/plugin_file.h"

namespace lutra::cuda {
namespace {

// The library is opened by the first product.
Products* products_of(Card& card, std::string* why) {
  if (card.products != nullptr) [[likely]]
    return card.products.get();
  std::string file = cublas_lt_file(card.driver.version());
  if (file.empty()) {
    *why = "cuBLASLt is not where it was when Lutra started";
    return nullptr;
  }
  const CublasLt* library = open_cublas_lt(file, why);
  if (library == nullptr) return nullptr;
  card.products = Products::create(*library, why);
  return card.products.get();
}

int multiply(const CudaLaunch& on, const Product& product) {
  ProductQueue& queue = *on.products;
  Products* products = products_of(queue.card, &queue.why);
  queue.status = products != nullptr ? products->multiply(product, queue.stream, &queue.why) : kBlasInvalidValue;
  if (queue.status == kBlasSuccess) return 0;
  return queue.status == kBlasNotSupported ? kNoSuchProduct : kProductFailed;
}

}  // namespace

const CudaHost& cuda_host() {
  static const CudaHost host{multiply, einsum_call, dot_call, outer_call};
  return host;
}

}  // namespace lutra::cuda
