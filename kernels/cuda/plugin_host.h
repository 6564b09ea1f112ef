// What the CUDA plugin asks of Lutra while it queues an op.
#pragma once

#include <string>

#include "device/cuda/card.h"
#include "device/cuda/products.h"
#include "kernels/cuda/launch.h"

namespace lutra::cuda {

// Where the products of one launch go.
struct ProductQueue {
  Card& card;
  StreamHandle stream;
  BlasStatus status = kBlasSuccess;  // and why it is none: the end of a sentence
  std::string why;
};

const CudaHost& cuda_host();

}  // namespace lutra::cuda
