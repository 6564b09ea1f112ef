#include "kernels/cuda/plugin_host.h"

#include <atomic>

#include "kernels/cuda/libraries/vendor_libraries.h"
#include "kernels/cuda/plugin_file.h"

namespace lutra::cuda {
namespace {

// Opens the library for the first product.
Products* products_of(Card& card, std::string* why) {
  VendorLibraries& libraries = libraries_of(card);
  if (libraries.products != nullptr) [[likely]]
    return libraries.products.get();
  std::string file = cublas_lt_file(card.driver.version());
  if (file.empty()) {
    *why = "cuBLASLt is not where it was when Lutra started";
    return nullptr;
  }
  const CublasLt* library = open_cublas_lt(file, why);
  if (library == nullptr) return nullptr;
  libraries.products = Products::create(*library, why);
  return libraries.products.get();
}

int multiply(const CudaLaunch& on, const Product& product) {
  ProductQueue& queue = *on.products;
  Products* products = products_of(queue.card, &queue.why);
  queue.status = products != nullptr ? products->multiply(product, queue.stream, &queue.why) : kBlasInvalidValue;
  if (queue.status == kBlasSuccess) return 0;
  return queue.status == kBlasNotSupported ? kNoSuchProduct : kProductFailed;
}

// Searches for cuDNN once.
const std::string& known_cudnn() {
  static const std::string& file = *new std::string(cudnn_file());
  return file;
}
// The file that was found could not be opened as cuDNN: from then on convolutions ask for no memory for it.
std::atomic<bool> cannot_open_cudnn{false};

bool has_convolutions() { return !cannot_open_cudnn.load(std::memory_order_relaxed) && !known_cudnn().empty(); }

// Opens the library for the first convolution. If it cannot be opened, or does not start on the card, it is not tried
// again: convolutions are computed otherwise, and the log says so once.
Convolutions* convolutions_of(Card& card) {
  VendorLibraries& libraries = libraries_of(card);
  std::unique_ptr<Convolutions>& convolutions = libraries.convolutions;
  if (convolutions != nullptr || libraries.without_convolutions) return convolutions.get();
  std::string why;
  if (const Cudnn* library = open_cudnn(known_cudnn(), &why); library != nullptr) {
    convolutions = Convolutions::create(*library, &why);
    if (convolutions == nullptr) card.warn(text(card.name(), ": cuDNN is not used: ", why, "; ", kWithoutCudnn));
  } else if (!cannot_open_cudnn.exchange(true, std::memory_order_relaxed)) {
    card.warn(text("cuDNN is not used: ", why, "; ", kWithoutCudnn));
  }
  libraries.without_convolutions = convolutions == nullptr;
  return convolutions.get();
}

bool can_convolve(const CudaLaunch& on, const Convolution& convolution) {
  ProductQueue& queue = *on.products;
  Convolutions* convolutions = convolutions_of(queue.card);
  return convolutions != nullptr && convolutions->can(convolution, &queue.why);
}

int convolve(const CudaLaunch& on, const Convolution& convolution) {
  ProductQueue& queue = *on.products;
  switch (convolutions_of(queue.card)->convolve(convolution, queue.stream, &queue.why)) {
    case Convolutions::Answer::Queued: return 0;
    case Convolutions::Answer::Refused: return kNoSuchProduct;
    default: return kProductFailed;
  }
}

}  // namespace

const CudaHost& cuda_host() {
  static const CudaHost host{multiply, has_convolutions, can_convolve, convolve, einsum_call, dot_call, outer_call};
  return host;
}

}  // namespace lutra::cuda
