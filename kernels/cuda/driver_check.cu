// Our declarations of the driver's interface against NVIDIA's, where those are.
#include <cuda.h>

#include <type_traits>

#include "device/cuda/driver.h"

namespace lutra::cuda {
namespace {

// Pointers count as pointers, enumerations as numbers: what the other side of a C call sees.
template <class A, class B> constexpr bool is_alike() {
  using X = std::remove_cv_t<std::remove_pointer_t<A>>;
  using Y = std::remove_cv_t<std::remove_pointer_t<B>>;
  if (std::is_pointer_v<A> != std::is_pointer_v<B>) return false;
  if constexpr (std::is_void_v<X> || std::is_void_v<Y> || std::is_function_v<X>) return std::is_pointer_v<A>;
  else if constexpr (std::is_pointer_v<A>) {
    if constexpr (requires {
                    sizeof(X);
                    sizeof(Y);
                  })
      return sizeof(X) == sizeof(Y);
    else return true;  // handles: incomplete on both sides
  } else {
    return sizeof(A) == sizeof(B);
  }
}

template <class Ours, class Theirs> struct Alike;
template <class R, class S, class... A, class... B> struct Alike<R (*)(A...), S (*)(B...)> {
  static constexpr bool all() {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return is_alike<R, S>() && (is_alike<A, B>() && ...);
  }
};

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

static_assert(kSuccess == CUDA_SUCCESS && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY &&
              kNotReady == CUDA_ERROR_NOT_READY);
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
