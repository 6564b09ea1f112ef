// A library with the driver's interface (src/device/cuda/driver.h) and no card behind it, for tests: memory is the
// host's, and a stream's commands run when somebody waits for them, those of several streams in an order drawn at
// random (LUTRA_CUDA_STUB=random:SEED), or at once (inline, the default). Between commands the cards' memory cannot be
// touched: who reads it on the host crashes.
//   LUTRA_CUDA_STUB = [inline | random:SEED][,cards:N][,memory:MB][,taken:MB][,no-vmm][,driver:13000][,capability:90]
//                     [,old:CARD][,closed:CARD][,faulty:CARD,fault-at:N][,shared:FILE]
// `taken` is what other programs have of each card's memory, `driver` the version of CUDA that the driver is for. The
// card `old` has compute capability 7.0, the card `closed` gives no context; -1: none is. Of the card `faulty` the N-th
// copy or kernel is a fault, after which it does nothing more and every call on it fails. Programs with the same
// `shared` file have the cards' memory between them (shared_cards.h).
// A unit test opens the library, too, and finds these functions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

extern "C" {

// Queues a kernel that runs on the host, in a graph perhaps more than once. The stream is the driver's.
using CudaStubKernel = int(void* stream, const std::function<void()>& kernel);

// The n-th call from now on of the function of that name fails with the result; "" takes all such orders back.
using CudaStubFail = void(const char* function, int n, int result);
// The calls since the last time, one a line, "cuMemMap 2097152"; they are counted from the first call of this on.
using CudaStubCalls = const char*();
// Streams, events, graphs, contexts, mappings and blocks of memory that exist.
using CudaStubLive = int();
// Commands that wait in streams.
using CudaStubQueued = int();
// From now on all calls on the card fail, as after a fault of a kernel (700); -1 - card mends it again.
using CudaStubLoseCard = void(int card);
// As LUTRA_CUDA_STUB says it.
using CudaStubConfigure = void(const char* options);

CudaStubFail cuda_stub_fail;
CudaStubCalls cuda_stub_calls;
CudaStubLive cuda_stub_live;
CudaStubQueued cuda_stub_queued;
CudaStubLoseCard cuda_stub_lose_card;
CudaStubConfigure cuda_stub_configure;
}
