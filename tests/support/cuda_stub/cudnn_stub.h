// A library with the part of cuDNN's interface that Lutra uses (kernels/cuda/libraries/cudnn.h) and no card behind it:
// a convolution runs on the host when its stream comes to it. It is stricter than it need be: descriptions that do not
// fit each other, and operands that are not aligned, are refused. It has no way for windows that are both dilated and
// strided. Of its algorithms 0 adds by chance and is said to be the quickest, 3 wants 1 GiB beside the operands, and 1
// wants kCudnnStubWorkspace bytes.
#pragma once

#include <cstddef>

inline constexpr std::size_t kCudnnStubWorkspace = 4096;

extern "C" {

// The n-th call from now on of the function of that name answers that status; "" takes all such orders back.
using CudnnStubFail = void(const char* function, int n, int status);
// The calls since the last query, one per line: "choose" for a list of algorithms, "forward 1" and so on for a
// convolution and its algorithm.
using CudnnStubCalls = const char*();
// Handles and descriptions that exist.
using CudnnStubLive = int();
// The stub of the driver whose streams are used; until then LUTRA_CUDA_DRIVER.
using CudnnStubDriver = void(const char* library);

CudnnStubFail cudnn_stub_fail;
CudnnStubCalls cudnn_stub_calls;
CudnnStubLive cudnn_stub_live;
CudnnStubDriver cudnn_stub_driver;
}
