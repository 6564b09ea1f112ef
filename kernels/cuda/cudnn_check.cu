// Compares our declarations of cuDNN's interface with NVIDIA's, where those are installed.
#if __has_include(<cudnn.h>)
#include <cudnn.h>

#include "kernels/cuda/alike.h"
#include "kernels/cuda/libraries/cudnn.h"

namespace lutra::cuda {
namespace {

#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) \
  static_assert(Alike<decltype(Cudnn::name), decltype(&::symbol)>::all(), #symbol);
LUTRA_CUDNN(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
static_assert(Alike<decltype(Cudnn::status_text), decltype(&::cudnnGetErrorString)>::all());

static_assert(CUDNN_MAJOR == 9);
static_assert(kDnnSuccess == CUDNN_STATUS_SUCCESS && kDnnBadParameter == CUDNN_STATUS_BAD_PARAM &&
              kDnnNotSupported == CUDNN_STATUS_NOT_SUPPORTED && kDnnInternalError == CUDNN_STATUS_INTERNAL_ERROR &&
              kDnnExecutionFailed == CUDNN_STATUS_EXECUTION_FAILED);
static_assert(kDnnFloat32 == CUDNN_DATA_FLOAT && kDnnFloat16 == CUDNN_DATA_HALF && kDnnBFloat16 == CUDNN_DATA_BFLOAT16);
static_assert(kDefaultMath == CUDNN_DEFAULT_MATH && kTensorOpMath == CUDNN_TENSOR_OP_MATH &&
              kFmaMath == CUDNN_FMA_MATH);
static_assert(kChannelsLast == CUDNN_TENSOR_NHWC && kCrossCorrelation == CUDNN_CROSS_CORRELATION &&
              kDeterministic == CUDNN_DETERMINISTIC);

template <class Theirs> constexpr bool is_choice() {
  return sizeof(ConvolutionChoice) == sizeof(Theirs) &&
         offsetof(ConvolutionChoice, algorithm) == offsetof(Theirs, algo) &&
         offsetof(ConvolutionChoice, status) == offsetof(Theirs, status) &&
         offsetof(ConvolutionChoice, workspace_bytes) == offsetof(Theirs, memory) &&
         offsetof(ConvolutionChoice, determinism) == offsetof(Theirs, determinism) &&
         offsetof(ConvolutionChoice, math_type) == offsetof(Theirs, mathType);
}
static_assert(is_choice<cudnnConvolutionFwdAlgoPerf_t>() && is_choice<cudnnConvolutionBwdDataAlgoPerf_t>() &&
              is_choice<cudnnConvolutionBwdFilterAlgoPerf_t>());

}  // namespace
}  // namespace lutra::cuda
#endif
