# liblutra_cuda.so, the kernels for NVIDIA's cards: built where nvcc 12 or later is installed, unless LUTRA_CUDA is OFF.
# The rest of the build does not depend on it: memory and queues (src/device/cuda), the code that opens the plugin
# (kernels/cuda/*.cpp) and the calls of NVIDIA's libraries (kernels/cuda/libraries) are in every build, need no toolkit,
# and open nothing where there is no driver.
file(GLOB border_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/core/*.h" "${PROJECT_SOURCE_DIR}/src/ops/*.h"
  "${PROJECT_SOURCE_DIR}/src/device/*.h" "${PROJECT_SOURCE_DIR}/src/device/cuda/*.h" "${PROJECT_SOURCE_DIR}/src/tensor/*.h"
  "${PROJECT_SOURCE_DIR}/src/memory/storage.h"
  "${PROJECT_SOURCE_DIR}/kernels/cuda/launch.h" "${PROJECT_SOURCE_DIR}/kernels/cuda/libraries/convolution.h"
  "${PROJECT_SOURCE_DIR}/kernels/cuda/libraries/product.h")
string(REPLACE ";" "\n" border_list "${border_headers}")
file(CONFIGURE OUTPUT "${GENERATED_DIR}/cuda_border.list" CONTENT "${border_list}\n" @ONLY)
add_custom_command(
  OUTPUT "${GENERATED_DIR}/kernels/cuda_border.h"
  COMMAND "${CMAKE_COMMAND}" "-DLIST=${GENERATED_DIR}/cuda_border.list" "-DOUT=${GENERATED_DIR}/kernels/cuda_border.h"
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${PROJECT_VERSION}"
          -P "${PROJECT_SOURCE_DIR}/scripts/cmake/cuda_border.cmake"
  DEPENDS ${border_headers} "${GENERATED_DIR}/cuda_border.list" "${PROJECT_SOURCE_DIR}/scripts/cmake/cuda_border.cmake"
  COMMENT "Hashing the border to the CUDA plugin" VERBATIM)
add_custom_target(cuda_border DEPENDS "${GENERATED_DIR}/kernels/cuda_border.h")
add_dependencies(layer_kernels_cuda cuda_border)

# The families that have kernels for cards, in the order of OP_FAMILIES.
set(cuda_families "")
foreach(family IN LISTS families)  # of generated.cmake
  if(EXISTS "${PROJECT_SOURCE_DIR}/kernels/cuda/${family}.cu")
    list(APPEND cuda_families ${family})
  endif()
endforeach()
lutra_lines(declarations "void register_%_cuda(CudaKernels& kernels);" ${cuda_families})
lutra_lines(calls "  register_%_cuda(kernels);" ${cuda_families})
lutra_write(kernels/cuda_families.h "#pragma once

#include \"kernels/cuda/kernel_list.h\"

namespace lutra::cuda {

${declarations}
inline void register_all_cuda(CudaKernels& kernels) {
${calls}}

}  // namespace lutra::cuda
")
set(cuda_sources plugin ${cuda_families})
list(TRANSFORM cuda_sources PREPEND "${PROJECT_SOURCE_DIR}/kernels/cuda/")
list(TRANSFORM cuda_sources APPEND ".cu")

# Unless LUTRA_CUDA is REQUIRED, only release builds have the plugin, and only if nvcc works with this compiler.
set(nvcc_found OFF)
if(LUTRA_CUDA STREQUAL REQUIRED OR (LUTRA_CUDA AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT LUTRA_SANITIZE))
  find_program(NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
  if(NVCC AND NOT LUTRA_NVCC_WORKS STREQUAL "${NVCC}")
    file(WRITE "${PROJECT_BINARY_DIR}/cuda/probe.cu" "#include <cuda.h>\n#include <tuple>\n__global__ void probe(int* at) { *at = 1; }
static_assert(CUDA_VERSION >= 12000);\n")
    execute_process(COMMAND "${NVCC}" -std=c++20 -ccbin "${CMAKE_CXX_COMPILER}" -c "${PROJECT_BINARY_DIR}/cuda/probe.cu"
      -o "${PROJECT_BINARY_DIR}/cuda/probe.o" RESULT_VARIABLE probe_result OUTPUT_VARIABLE probe_text ERROR_VARIABLE probe_text)
    if(probe_result EQUAL 0)
      set(LUTRA_NVCC_WORKS "${NVCC}" CACHE INTERNAL "the nvcc that was tried with this compiler, and went well")
    elseif(LUTRA_CUDA STREQUAL REQUIRED)
      message(FATAL_ERROR "LUTRA_CUDA is REQUIRED, and ${NVCC} does not compile (it must be 12.0 or later, and know "
        "${CMAKE_CXX_COMPILER}):\n${probe_text}")
    else()
      message(STATUS "The CUDA plugin is left out: ${NVCC} is older than 12 or does not know ${CMAKE_CXX_COMPILER}")
    endif()
  elseif(NOT NVCC AND LUTRA_CUDA STREQUAL REQUIRED)
    message(FATAL_ERROR "LUTRA_CUDA is REQUIRED and nvcc is missing (looked for in PATH, CUDA_HOME and /usr/local/cuda)")
  endif()
  if(NVCC AND LUTRA_NVCC_WORKS STREQUAL "${NVCC}")
    set(nvcc_found ON)
  endif()
endif()
if(nvcc_found)
  include(cuda_plugin)
endif()
