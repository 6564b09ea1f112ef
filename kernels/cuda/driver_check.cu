// Compares our declarations of the driver's interface with NVIDIA's, where those are installed.
#include <cuda.h>

#include "device/cuda/driver.h"
#include "kernels/cuda/alike.h"

namespace lutra::cuda {
namespace {

#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) \
  static_assert(Alike<decltype(Driver::name), decltype(&::symbol)>::all(), #symbol);
LUTRA_CUDA_DRIVER(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION

static_assert(sizeof(Location) == sizeof(CUmemLocation) && offsetof(Location, id) == offsetof(CUmemLocation, id));
static_assert(sizeof(AllocationProperties) == sizeof(CUmemAllocationProp));
static_assert(offsetof(AllocationProperties, location) == offsetof(CUmemAllocationProp, location));
static_assert(offsetof(AllocationProperties, compression) == offsetof(CUmemAllocationProp, allocFlags));
static_assert(sizeof(AccessDescription) == sizeof(CUmemAccessDesc));
static_assert(offsetof(AccessDescription, flags) == offsetof(CUmemAccessDesc, flags));

static_assert(sizeof(GraphUpdate) == sizeof(CUgraphExecUpdateResultInfo));
static_assert(kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);

static_assert(kSuccess == CUDA_SUCCESS && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY &&
              kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kClockKHz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(kMemoryClockKHz == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(kMemoryBusBits == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(kMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kVirtualMemorySupported == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
static_assert(kLocationDevice == CU_MEM_LOCATION_TYPE_DEVICE && kPinned == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(kReadWrite == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
static_assert(kGranularityRecommended == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING && kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kHostPortable == CU_MEMHOSTALLOC_PORTABLE && kHostMapped == CU_MEMHOSTALLOC_DEVICEMAP);

}  // namespace
}  // namespace lutra::cuda
