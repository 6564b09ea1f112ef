// The part of NVIDIA's driver interface that Lutra uses, as a table of functions. It is filled from libcuda.so.1 when a
// GPU is first needed, or from a stub library in tests. The declarations are our own, so that this compiles without a
// toolkit; if there is one, kernels/cuda/driver_check.cu compares them with NVIDIA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lutra::cuda {

using Result = int;  // of CUresult
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kNotReady = 600;

using DeviceHandle = int;
using Context = struct CUctx_st*;
using StreamHandle = struct CUstream_st*;
using EventHandle = struct CUevent_st*;
using Address = unsigned long long;
using MemoryHandle = unsigned long long;
using HostFunction = void (*)(void* user);
using GraphHandle = struct CUgraph_st*;
using GraphNodeHandle = struct CUgraphNode_st*;
using GraphExecHandle = struct CUgraphExec_st*;

// CUdevice_attribute
inline constexpr int kClockKHz = 13;
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kPciBusId = 33;
inline constexpr int kMemoryClockKHz = 36;
inline constexpr int kMemoryBusBits = 37;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kVirtualMemorySupported = 102;

struct Location {  // CUmemLocation
  int type;
  int id;
};
inline constexpr int kLocationDevice = 1;

struct AllocationProperties {  // CUmemAllocationProp
  int type;
  int handle_types;
  Location location;
  void* win32_metadata;
  unsigned char compression, rdma_capable;
  unsigned short usage;
  unsigned char reserved[4];
};
inline constexpr int kPinned = 1;

struct AccessDescription {  // CUmemAccessDesc
  Location location;
  int flags;
};
inline constexpr int kReadWrite = 3;

struct GraphUpdate {  // CUgraphExecUpdateResultInfo
  int result;
  GraphNodeHandle node, from;
};
inline constexpr int kCaptureRelaxed = 2;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostPortable = 1, kHostMapped = 2;
inline constexpr int kGranularityRecommended = 1;

// name here, name in the library, parameters
#define LUTRA_CUDA_DRIVER(F)                                                                                      \
  F(init, cuInit, (unsigned flags))                                                                               \
  F(driver_version, cuDriverGetVersion, (int* version))                                                           \
  F(error_name, cuGetErrorName, (Result result, const char** text))                                               \
  F(error_text, cuGetErrorString, (Result result, const char** text))                                             \
  F(device_count, cuDeviceGetCount, (int* count))                                                                 \
  F(device, cuDeviceGet, (DeviceHandle * device, int ordinal))                                                    \
  F(device_name, cuDeviceGetName, (char* name, int length, DeviceHandle device))                                  \
  F(device_bus, cuDeviceGetPCIBusId, (char* id, int length, DeviceHandle device))                                 \
  F(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, DeviceHandle device))                     \
  F(device_memory, cuDeviceTotalMem_v2, (std::size_t * bytes, DeviceHandle device))                               \
  F(retain_context, cuDevicePrimaryCtxRetain, (Context * context, DeviceHandle device))                           \
  F(release_context, cuDevicePrimaryCtxRelease_v2, (DeviceHandle device))                                         \
  F(set_context, cuCtxSetCurrent, (Context context))                                                              \
  F(memory_info, cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                      \
  F(allocate, cuMemAlloc_v2, (Address * address, std::size_t bytes))                                              \
  F(free, cuMemFree_v2, (Address address))                                                                        \
  F(allocate_host, cuMemHostAlloc, (void** host, std::size_t bytes, unsigned flags))                              \
  F(free_host, cuMemFreeHost, (void* host))                                                                       \
  F(granularity, cuMemGetAllocationGranularity,                                                                   \
    (std::size_t * bytes, const AllocationProperties* properties, int option))                                    \
  F(reserve, cuMemAddressReserve,                                                                                 \
    (Address * address, std::size_t bytes, std::size_t alignment, Address hint, unsigned long long flags))        \
  F(free_reserved, cuMemAddressFree, (Address address, std::size_t bytes))                                        \
  F(create_memory, cuMemCreate,                                                                                   \
    (MemoryHandle * handle, std::size_t bytes, const AllocationProperties* properties, unsigned long long flags)) \
  F(release_memory, cuMemRelease, (MemoryHandle handle))                                                          \
  F(map, cuMemMap,                                                                                                \
    (Address address, std::size_t bytes, std::size_t offset, MemoryHandle handle, unsigned long long flags))      \
  F(unmap, cuMemUnmap, (Address address, std::size_t bytes))                                                      \
  F(set_access, cuMemSetAccess,                                                                                   \
    (Address address, std::size_t bytes, const AccessDescription* access, std::size_t count))                     \
  F(can_access_peer, cuDeviceCanAccessPeer, (int* can, DeviceHandle device, DeviceHandle peer))                   \
  F(copy_in, cuMemcpyHtoDAsync_v2, (Address to, const void* from, std::size_t bytes, StreamHandle stream))        \
  F(copy_out, cuMemcpyDtoHAsync_v2, (void* to, Address from, std::size_t bytes, StreamHandle stream))             \
  F(copy_within, cuMemcpyDtoDAsync_v2, (Address to, Address from, std::size_t bytes, StreamHandle stream))        \
  F(copy_peer, cuMemcpyPeerAsync,                                                                                 \
    (Address to, Context to_context, Address from, Context from_context, std::size_t bytes, StreamHandle stream)) \
  F(create_stream, cuStreamCreate, (StreamHandle * stream, unsigned flags))                                       \
  F(destroy_stream, cuStreamDestroy_v2, (StreamHandle stream))                                                    \
  F(synchronize_stream, cuStreamSynchronize, (StreamHandle stream))                                               \
  F(wait_event, cuStreamWaitEvent, (StreamHandle stream, EventHandle event, unsigned flags))                      \
  F(run_on_host, cuLaunchHostFunc, (StreamHandle stream, HostFunction function, void* user))                      \
  F(create_event, cuEventCreate, (EventHandle * event, unsigned flags))                                           \
  F(destroy_event, cuEventDestroy_v2, (EventHandle event))                                                        \
  F(record_event, cuEventRecord, (EventHandle event, StreamHandle stream))                                        \
  F(query_event, cuEventQuery, (EventHandle event))                                                               \
  F(synchronize_event, cuEventSynchronize, (EventHandle event))                                                   \
  F(elapsed_time, cuEventElapsedTime, (float* milliseconds, EventHandle begin, EventHandle end))                  \
  F(begin_capture, cuStreamBeginCapture_v2, (StreamHandle stream, int mode))                                      \
  F(end_capture, cuStreamEndCapture, (StreamHandle stream, GraphHandle * graph))                                  \
  F(destroy_graph, cuGraphDestroy, (GraphHandle graph))                                                           \
  F(instantiate_graph, cuGraphInstantiateWithFlags,                                                               \
    (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))                                        \
  F(update_graph, cuGraphExecUpdate_v2, (GraphExecHandle exec, GraphHandle graph, GraphUpdate * update))          \
  F(launch_graph, cuGraphLaunch, (GraphExecHandle exec, StreamHandle stream))                                     \
  F(destroy_graph_exec, cuGraphExecDestroy, (GraphExecHandle exec))

struct Driver {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) Result(*name) parameters = nullptr;
  LUTRA_CUDA_DRIVER(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION

  // 13000 is CUDA 13.0; 0: not known.
  int version() const;
  // "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
  std::string text_of(Result result) const;
};

// Opens the library and looks up every function. Returns null, and sets *why, on failure. The library stays open; later
// calls return the same table.
const Driver* open_driver(const char* library, std::string* why);

}  // namespace lutra::cuda
