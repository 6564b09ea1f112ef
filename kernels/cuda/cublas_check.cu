// Compares our declarations of cuBLASLt's interface with NVIDIA's, where those are installed: a toolkit may come
// without them.
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

#include "kernels/cuda/alike.h"
#include "kernels/cuda/libraries/cublas_lt.h"

namespace lutra::cuda {
namespace {

#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) \
  static_assert(Alike<decltype(CublasLt::name), decltype(&::symbol)>::all(), #symbol);
LUTRA_CUBLAS_LT(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
static_assert(Alike<decltype(CublasLt::status_name), decltype(&::cublasLtGetStatusName)>::all());

static_assert(sizeof(MatmulAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(MatmulHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(MatmulHeuristic, workspace_bytes) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(MatmulHeuristic, status) == offsetof(cublasLtMatmulHeuristicResult_t, state));

static_assert(kBlasSuccess == CUBLAS_STATUS_SUCCESS && kBlasAllocFailed == CUBLAS_STATUS_ALLOC_FAILED &&
              kBlasInvalidValue == CUBLAS_STATUS_INVALID_VALUE && kBlasNotSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(kRealFloat32 == CUDA_R_32F && kRealFloat64 == CUDA_R_64F && kRealFloat16 == CUDA_R_16F &&
              kRealBFloat16 == CUDA_R_16BF);
static_assert(kCompute32 == CUBLAS_COMPUTE_32F && kCompute64 == CUBLAS_COMPUTE_64F &&
              kComputeFastBf16 == CUBLAS_COMPUTE_32F_FAST_16BF && kComputeFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(kDescTransA == CUBLASLT_MATMUL_DESC_TRANSA && kDescTransB == CUBLASLT_MATMUL_DESC_TRANSB &&
              kDescEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE && kDescBiasPointer == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(kOpTransposed == CUBLAS_OP_T && kEpilogueBias == CUBLASLT_EPILOGUE_BIAS);
static_assert(kLayoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT &&
              kLayoutBatchStep == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(kPreferWorkspaceBytes == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES &&
              kPreferReductionSchemes == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK &&
              kPreferAlignmentA == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
              kPreferAlignmentB == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES &&
              kPreferAlignmentC == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES &&
              kPreferAlignmentD == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(kReduceInComputeType == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);

}  // namespace
}  // namespace lutra::cuda
#endif
