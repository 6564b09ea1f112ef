#include "support/cuda_stub/cuda_stub.h"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "support/cuda_stub/driver_state.h"

using namespace lutra::cuda;

thread_local CUctx_st* Stub::current = nullptr;
Stub& lutra::cuda::stub() {
  static Stub& one = *new Stub;
  return one;
}

extern "C" {

void cuda_stub_fail(const char* function, int n, int result) {
  std::lock_guard lock(stub().mutex);
  if (*function == '\0') stub().failures.clear();
  else stub().failures[function] = {n, result};
}
const char* cuda_stub_calls() {
  std::lock_guard lock(stub().mutex);
  stub().is_counting = true;
  stub().told = std::exchange(stub().calls, "");
  return stub().told.c_str();
}
int cuda_stub_live() {
  Stub& s = stub();
  std::lock_guard lock(s.mutex);
  std::size_t count = s.streams.size() + s.events.size() + s.graphs.size() + s.execs.size() + s.handles.size() +
                      s.mapped.size() + s.allocated.size() + s.reserved.size() + s.pinned.size();
  for (int uses : s.context_uses) count += static_cast<std::size_t>(uses);
  return static_cast<int>(count);
}
int cuda_stub_queued() {
  std::lock_guard lock(stub().mutex);
  std::size_t count = 0;
  for (const CUstream_st* stream : stub().streams) count += stream->queue.size();
  return static_cast<int>(count);
}
void cuda_stub_lose_card(int card) { stub().lost[card < 0 ? -1 - card : card] = card >= 0; }
void cuda_stub_configure(const char* options) { stub().configure(options); }

Result cuInit(unsigned) {
  ENTER(cuInit, 0);
  return s.cards > 0 ? kSuccess : kNoDevice;
}
Result cuDriverGetVersion(int* version) {
  ENTER(cuDriverGetVersion, 0);
  *version = s.driver_version;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** text) {
  *text = result == kOutOfMemory         ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kNoDevice          ? "CUDA_ERROR_NO_DEVICE"
          : result == kDeviceUnavailable ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
          : result == kIllegalAddress    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                         : "CUDA_ERROR_INVALID_VALUE";
  return kSuccess;
}
Result cuGetErrorString(Result result, const char** text) {
  *text = result == kOutOfMemory         ? "out of memory"
          : result == kNoDevice          ? "no CUDA-capable device is detected"
          : result == kDeviceUnavailable ? "CUDA-capable device(s) is/are busy or unavailable"
          : result == kIllegalAddress    ? "an illegal memory access was encountered"
                                         : "invalid argument";
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  ENTER(cuDeviceGetCount, 0);
  *count = s.cards;
  return s.cards > 0 ? kSuccess : kNoDevice;
}
Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  ENTER(cuDeviceGet, static_cast<std::size_t>(ordinal));
  *device = ordinal;
  return ordinal < s.cards ? kSuccess : kInvalidValue;
}
Result cuDeviceGetName(char* name, int length, DeviceHandle device) {
  std::string text = "Stub " + std::to_string(device);
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(length));
  return kSuccess;
}
Result cuDeviceGetPCIBusId(char* id, int length, DeviceHandle device) {
  std::string text = "0000:0" + std::to_string(device) + ":00.0";
  std::strncpy(id, text.c_str(), static_cast<std::size_t>(length));
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, int attribute, DeviceHandle device) {
  int capability = device == stub().old_card ? 70 : stub().capability;
  *value = attribute == kComputeCapabilityMajor   ? capability / 10
           : attribute == kComputeCapabilityMinor ? capability % 10
           : attribute == kMultiprocessorCount    ? 2
           : attribute == kVirtualMemorySupported ? stub().has_vmm
                                                  : 0;
  return kSuccess;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
  *bytes = stub().memory_bytes;
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(Context* context, DeviceHandle device) {
  ENTER(cuDevicePrimaryCtxRetain, static_cast<std::size_t>(device));
  if (device == s.closed_card) return kDeviceUnavailable;
  ++s.context_uses[device];
  *context = &s.contexts[device];
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  ENTER(cuDevicePrimaryCtxRelease, static_cast<std::size_t>(device));
  --s.context_uses[device];
  return kSuccess;
}
Result cuCtxSetCurrent(Context context) {
  stub().current = context;
  return kSuccess;
}
Result cuDeviceCanAccessPeer(int* can, DeviceHandle, DeviceHandle) {
  *can = stub().has_peers ? 1 : 0;
  return kSuccess;
}
}
