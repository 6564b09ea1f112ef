// The part of cuDNN 9 that Lutra uses, as a table of functions. It is filled when a card first needs a convolution, or
// from a stub library in tests. These are the calls of cuDNN 7, which 9 still has: one function per convolution, where
// the graph interface needs dozens of descriptors. The declarations are our own, so that this compiles without cuDNN;
// if there is one, kernels/cuda/cudnn_check.cu compares them with NVIDIA's.
#pragma once

#include <cstddef>
#include <string>

#include "device/cuda/driver.h"

namespace lutra::cuda {

using DnnStatus = int;  // cudnnStatus_t
inline constexpr DnnStatus kDnnSuccess = 0;
inline constexpr DnnStatus kDnnBadParameter = 2000, kDnnNotSupported = 3000, kDnnInternalError = 4000,
                           kDnnExecutionFailed = 5000;  // each is the first of a range of 1000

using DnnHandle = struct cudnnContext*;
using TensorDescription = struct cudnnTensorStruct*;
using FilterDescription = struct cudnnFilterStruct*;
using ConvolutionDescription = struct cudnnConvolutionStruct*;

// cudnnDataType_t
inline constexpr int kDnnFloat32 = 0, kDnnFloat16 = 2, kDnnBFloat16 = 9;
// cudnnMathType_t: what tensor cores may do. The default also rounds float32 to tf32.
inline constexpr int kDefaultMath = 0, kTensorOpMath = 1, kFmaMath = 3;
// cudnnTensorFormat_t, cudnnConvolutionMode_t, cudnnDeterminism_t
inline constexpr int kChannelsLast = 1, kCrossCorrelation = 1, kDeterministic = 1;

// cudnnConvolutionFwdAlgoPerf_t, and those of the gradients, which have the same layout
struct ConvolutionChoice {
  int algorithm;
  DnnStatus status;
  float time;
  std::size_t workspace_bytes;
  int determinism;
  int math_type;
  int reserved[3];
};

// name here, name in the library, parameters
#define LUTRA_CUDNN(F)                                                                                                \
  F(create, cudnnCreate, (DnnHandle * handle))                                                                        \
  F(destroy, cudnnDestroy, (DnnHandle handle))                                                                        \
  F(set_stream, cudnnSetStream, (DnnHandle handle, StreamHandle stream))                                              \
  F(create_tensor, cudnnCreateTensorDescriptor, (TensorDescription * tensor))                                         \
  F(destroy_tensor, cudnnDestroyTensorDescriptor, (TensorDescription tensor))                                         \
  F(set_tensor, cudnnSetTensor4dDescriptor,                                                                           \
    (TensorDescription tensor, int format, int type, int images, int channels, int height, int width))                \
  F(create_filter, cudnnCreateFilterDescriptor, (FilterDescription * filter))                                         \
  F(destroy_filter, cudnnDestroyFilterDescriptor, (FilterDescription filter))                                         \
  F(set_filter, cudnnSetFilter4dDescriptor,                                                                           \
    (FilterDescription filter, int type, int format, int out, int in, int height, int width))                         \
  F(create_convolution, cudnnCreateConvolutionDescriptor, (ConvolutionDescription * convolution))                     \
  F(destroy_convolution, cudnnDestroyConvolutionDescriptor, (ConvolutionDescription convolution))                     \
  F(set_convolution, cudnnSetConvolution2dDescriptor,                                                                 \
    (ConvolutionDescription convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,            \
     int dilation_w, int mode, int compute_type))                                                                     \
  F(set_groups, cudnnSetConvolutionGroupCount, (ConvolutionDescription convolution, int groups))                      \
  F(set_math, cudnnSetConvolutionMathType, (ConvolutionDescription convolution, int math_type))                       \
  F(choose_forward, cudnnGetConvolutionForwardAlgorithm_v7,                                                           \
    (DnnHandle handle, TensorDescription x, FilterDescription w, ConvolutionDescription convolution,                  \
     TensorDescription y, int wanted, int* count, ConvolutionChoice* found))                                          \
  F(choose_input, cudnnGetConvolutionBackwardDataAlgorithm_v7,                                                        \
    (DnnHandle handle, FilterDescription w, TensorDescription dy, ConvolutionDescription convolution,                 \
     TensorDescription dx, int wanted, int* count, ConvolutionChoice* found))                                         \
  F(choose_filter, cudnnGetConvolutionBackwardFilterAlgorithm_v7,                                                     \
    (DnnHandle handle, TensorDescription x, TensorDescription dy, ConvolutionDescription convolution,                 \
     FilterDescription dw, int wanted, int* count, ConvolutionChoice* found))                                         \
  F(workspace_of_forward, cudnnGetConvolutionForwardWorkspaceSize,                                                    \
    (DnnHandle handle, TensorDescription x, FilterDescription w, ConvolutionDescription convolution,                  \
     TensorDescription y, int algorithm, std::size_t* bytes))                                                         \
  F(workspace_of_input, cudnnGetConvolutionBackwardDataWorkspaceSize,                                                 \
    (DnnHandle handle, FilterDescription w, TensorDescription dy, ConvolutionDescription convolution,                 \
     TensorDescription dx, int algorithm, std::size_t* bytes))                                                        \
  F(workspace_of_filter, cudnnGetConvolutionBackwardFilterWorkspaceSize,                                              \
    (DnnHandle handle, TensorDescription x, TensorDescription dy, ConvolutionDescription convolution,                 \
     FilterDescription dw, int algorithm, std::size_t* bytes))                                                        \
  F(forward, cudnnConvolutionForward,                                                                                 \
    (DnnHandle handle, const void* alpha, TensorDescription x_is, const void* x, FilterDescription w_is,              \
     const void* w, ConvolutionDescription convolution, int algorithm, void* workspace, std::size_t workspace_bytes,  \
     const void* beta, TensorDescription y_is, void* y))                                                              \
  F(backward_input, cudnnConvolutionBackwardData,                                                                     \
    (DnnHandle handle, const void* alpha, FilterDescription w_is, const void* w, TensorDescription dy_is,             \
     const void* dy, ConvolutionDescription convolution, int algorithm, void* workspace, std::size_t workspace_bytes, \
     const void* beta, TensorDescription dx_is, void* dx))                                                            \
  F(backward_filter, cudnnConvolutionBackwardFilter,                                                                  \
    (DnnHandle handle, const void* alpha, TensorDescription x_is, const void* x, TensorDescription dy_is,             \
     const void* dy, ConvolutionDescription convolution, int algorithm, void* workspace, std::size_t workspace_bytes, \
     const void* beta, FilterDescription dw_is, void* dw))

struct Cudnn {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) DnnStatus(*name) parameters = nullptr;
  LUTRA_CUDNN(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  const char* (*status_text)(DnnStatus status) = nullptr;  // cudnnGetErrorString
};

// Opens the library and looks up every function. Returns null, and sets *why, on failure. The library stays open; later
// calls return the same table.
const Cudnn* open_cudnn(const std::string& file, std::string* why);

}  // namespace lutra::cuda
