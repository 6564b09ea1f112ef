// The functions that the CUDA plugin calls while it queues an op.
#pragma once

#include <string>

#include "device/cuda/card.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/libraries/products.h"

namespace lutra::cuda {

// The queue for the products of one launch.
struct ProductQueue {
  Card& card;
  StreamHandle stream;
  BlasStatus status = kBlasSuccess;  // if it is another, `why` is the reason: the end of a sentence
  std::string why;
};

const CudaHost& cuda_host();

}  // namespace lutra::cuda
