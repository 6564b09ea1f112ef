// The part of cuBLASLt that Lutra uses, as a table of functions. It is filled when a card first needs a product, or
// from a stub library in tests. The declarations are our own, so that this compiles without a toolkit; if there is one,
// kernels/cuda/cublas_check.cu compares them with NVIDIA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/cuda/driver.h"

namespace lutra::cuda {

using BlasStatus = int;  // cublasStatus_t
inline constexpr BlasStatus kBlasSuccess = 0;
inline constexpr BlasStatus kBlasAllocFailed = 3;
inline constexpr BlasStatus kBlasInvalidValue = 7;
inline constexpr BlasStatus kBlasNotSupported = 15;

using BlasHandle = struct cublasLtContext*;
using MatmulDescription = struct cublasLtMatmulDescOpaque*;
using MatrixLayout = struct cublasLtMatrixLayoutOpaque*;
using MatmulPreference = struct cublasLtMatmulPreferenceOpaque*;

struct MatmulAlgorithm {  // cublasLtMatmulAlgo_t
  uint64_t data[8];
};
struct MatmulHeuristic {  // cublasLtMatmulHeuristicResult_t
  MatmulAlgorithm algorithm;
  std::size_t workspace_bytes;
  BlasStatus status;
  float waves;
  int reserved[4];
};

// cudaDataType_t
inline constexpr int kRealFloat32 = 0, kRealFloat64 = 1, kRealFloat16 = 2, kRealBFloat16 = 14;
// cublasComputeType_t
inline constexpr int kCompute32 = 68, kCompute64 = 70, kComputeFastBf16 = 75, kComputeFastTf32 = 77;
// cublasLtMatmulDescAttributes_t
inline constexpr int kDescTransA = 3, kDescTransB = 4, kDescEpilogue = 7, kDescBiasPointer = 8;
// cublasOperation_t, cublasLtEpilogue_t
inline constexpr int32_t kOpTransposed = 1;
inline constexpr uint32_t kEpilogueBias = 4;
// cublasLtMatrixLayoutAttribute_t
inline constexpr int kLayoutBatchCount = 5, kLayoutBatchStep = 6;
// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kPreferWorkspaceBytes = 1, kPreferReductionSchemes = 3, kPreferAlignmentA = 5,
                     kPreferAlignmentB = 6, kPreferAlignmentC = 7, kPreferAlignmentD = 8;
// cublasLtReductionScheme_t: partial sums are added in the workspace, in the compute type and in a fixed order.
inline constexpr uint32_t kReduceInComputeType = 2;

// name here, name in the library, parameters
#define LUTRA_CUBLAS_LT(F)                                                                                        \
  F(create, cublasLtCreate, (BlasHandle * handle))                                                                \
  F(destroy, cublasLtDestroy, (BlasHandle handle))                                                                \
  F(create_matmul, cublasLtMatmulDescCreate, (MatmulDescription * matmul, int compute_type, int scale_type))      \
  F(destroy_matmul, cublasLtMatmulDescDestroy, (MatmulDescription matmul))                                        \
  F(set_matmul, cublasLtMatmulDescSetAttribute,                                                                   \
    (MatmulDescription matmul, int attribute, const void* value, std::size_t bytes))                              \
  F(create_layout, cublasLtMatrixLayoutCreate,                                                                    \
    (MatrixLayout * layout, int type, uint64_t rows, uint64_t columns, int64_t ld))                               \
  F(destroy_layout, cublasLtMatrixLayoutDestroy, (MatrixLayout layout))                                           \
  F(set_layout, cublasLtMatrixLayoutSetAttribute,                                                                 \
    (MatrixLayout layout, int attribute, const void* value, std::size_t bytes))                                   \
  F(create_preference, cublasLtMatmulPreferenceCreate, (MatmulPreference * preference))                           \
  F(destroy_preference, cublasLtMatmulPreferenceDestroy, (MatmulPreference preference))                           \
  F(set_preference, cublasLtMatmulPreferenceSetAttribute,                                                         \
    (MatmulPreference preference, int attribute, const void* value, std::size_t bytes))                           \
  F(find_algorithms, cublasLtMatmulAlgoGetHeuristic,                                                              \
    (BlasHandle handle, MatmulDescription matmul, MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d, \
     MatmulPreference preference, int wanted, MatmulHeuristic* found, int* count))                                \
  F(multiply, cublasLtMatmul,                                                                                     \
    (BlasHandle handle, MatmulDescription matmul, const void* alpha, const void* a, MatrixLayout layout_a,        \
     const void* b, MatrixLayout layout_b, const void* beta, const void* c, MatrixLayout layout_c, void* d,       \
     MatrixLayout layout_d, const MatmulAlgorithm* algorithm, void* workspace, std::size_t workspace_bytes,       \
     StreamHandle stream))

struct CublasLt {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) BlasStatus(*name) parameters = nullptr;
  LUTRA_CUBLAS_LT(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  const char* (*status_name)(BlasStatus status) = nullptr;  // cublasLtGetStatusName
};

// Opens the library, which takes tens of milliseconds, and looks up every function. Returns null, and sets *why, on
// failure. The library stays open; later calls return the same table.
const CublasLt* open_cublas_lt(const std::string& file, std::string* why);

}  // namespace lutra::cuda
