// The part of NCCL that Lutra uses, as a table of functions. It is filled when a sum over several cards is first
// needed, or from a stub library in tests. The declarations are our own, so that this compiles without NCCL; if there
// is one, kernels/cuda/nccl_check.cu compares them with NVIDIA's.
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

// Opens the library and looks up every function. Returns null, and sets *why, on failure. The library stays open; later
// calls return the same table.
const Nccl* open_nccl(const std::string& file, std::string* why);

}  // namespace lutra::cuda
