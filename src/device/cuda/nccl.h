// The part of NCCL that Lutra uses, as a table of functions: filled when several cards first have a sum to make, or
// from a library of that interface that a test brings. Declarations are our own, so that this compiles where no NCCL
// is; kernels/cuda/nccl_check.cu holds them against NVIDIA's where one is.
#pragma once

#include <cstddef>
#include <string>

#include "device/cuda/driver.h"

namespace lutra::cuda {

using NcclResult = int;  // ncclResult_t
inline constexpr NcclResult kNcclSuccess = 0;
using Communicator = struct ncclComm*;

// ncclDataType_t, ncclRedOp_t
inline constexpr int kNcclFloat16 = 6, kNcclFloat32 = 7, kNcclFloat64 = 8, kNcclBFloat16 = 9, kNcclSum = 0;

// name here, name in the library, parameters
#define LUTRA_NCCL(F)                                                                             \
  F(create_all, ncclCommInitAll, (Communicator * all, int count, const int* devices))             \
  F(abort, ncclCommAbort, (Communicator communicator))                                            \
  F(begin, ncclGroupStart, ())                                                                    \
  F(end, ncclGroupEnd, ())                                                                        \
  F(all_reduce, ncclAllReduce,                                                                    \
    (const void* from, void* to, std::size_t count, int type, int how, Communicator communicator, \
     StreamHandle stream))

struct Nccl {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) NcclResult(*name) parameters = nullptr;
  LUTRA_NCCL(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  const char* (*result_text)(NcclResult result) = nullptr;  // ncclGetErrorString
};

// Opens the library and finds every function in it; null, and why, when that fails. It stays open, and what is opened
// once is returned from then on.
const Nccl* open_nccl(const std::string& file, std::string* why);

}  // namespace lutra::cuda
