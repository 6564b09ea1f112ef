// A library with the part of cuBLASLt's interface that Lutra uses (kernels/cuda/libraries/cublas_lt.h) and no card
// behind it: a product runs on the host when its stream comes to it, from the layouts it was given. It is stricter than
// it need be: a call whose parts do not fit each other, a matrix that is not aligned as was promised, and reductions by
// atomics are refused. Of float64 it adds no bias, which the real one may not either.
#pragma once

extern "C" {

// The n-th call from now on of the function of that name answers that status; "" takes all such orders back.
using CublasStubFail = void(const char* function, int n, int status);
// The calls since the last query, one per line: "find ..." for an algorithm, "multiply ..." for a product.
using CublasStubCalls = const char*();
// Handles, descriptions, layouts and preferences that exist.
using CublasStubLive = int();
// The stub of the driver whose streams are used; until then LUTRA_CUDA_DRIVER.
using CublasStubDriver = void(const char* library);

CublasStubFail cublas_stub_fail;
CublasStubCalls cublas_stub_calls;
CublasStubLive cublas_stub_live;
CublasStubDriver cublas_stub_driver;
}
