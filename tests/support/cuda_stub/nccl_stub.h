// A library with the part of NCCL's interface that Lutra uses (kernels/cuda/libraries/nccl.h) and no card behind it:
// when the streams of all ranks have come to a sum, it is made on the host, from the last rank to the first, and the
// streams go on. It starts on different cards only, and wants every rank's call within one group.
#pragma once

extern "C" {

// The n-th call from now on of the function of that name answers that result; "" takes all such orders back.
using NcclStubFail = void(const char* function, int n, int result);
// The calls since the last query, one per line: "all_reduce 3 1000" for 1000 elements over 3 ranks.
using NcclStubCalls = const char*();
// Communicators that exist.
using NcclStubLive = int();
// The stub of the driver whose streams are used; until then LUTRA_CUDA_DRIVER.
using NcclStubDriver = void(const char* library);

NcclStubFail nccl_stub_fail;
NcclStubCalls nccl_stub_calls;
NcclStubLive nccl_stub_live;
NcclStubDriver nccl_stub_driver;
}
