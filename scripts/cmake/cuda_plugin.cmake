# The plugin itself. nvcc is called by custom commands, not as a language of CMake's, because enabling the language
# fails the whole build where a toolkit is broken. The plugin links only to the toolkit's static runtime; every name
# except its entry is hidden.
set(LUTRA_CUDA_ARCHITECTURES "sm_90;compute_80" CACHE STRING
  "what the CUDA kernels are compiled for: sm_XX is machine code, compute_XX what the driver compiles for later cards")
set(cuda_flags -std=c++20 -O3 -DNDEBUG -Xcompiler=-fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden,-ffp-contract=off
  --expt-relaxed-constexpr --fmad=false --cudart=static -ccbin "${CMAKE_CXX_COMPILER}"
  # Silences warnings about an attribute and a pragma of the host's compiler, and about templates that compare unsigned
  # numbers with 0.
  -diag-suppress=1835,1675,186
  "-I${PROJECT_SOURCE_DIR}/src" "-I${PROJECT_SOURCE_DIR}" "-I${GENERATED_DIR}")
foreach(architecture IN LISTS LUTRA_CUDA_ARCHITECTURES)
  string(REGEX MATCH "^(sm|compute)_([0-9]+[af]?)$" known "${architecture}")
  if(NOT known)
    message(FATAL_ERROR "LUTRA_CUDA_ARCHITECTURES has ${architecture}; expected sm_90, compute_80 and the like")
  endif()
  list(APPEND cuda_flags "-gencode=arch=compute_${CMAKE_MATCH_2},code=${architecture}")
endforeach()
list(JOIN LUTRA_CUDA_ARCHITECTURES " " cuda_architectures)
set(nvcc_launcher "")
if(CCACHE)
  set(nvcc_launcher "${CCACHE}")
endif()

set(cuda_objects "")
foreach(source IN LISTS cuda_sources ITEMS
    "${PROJECT_SOURCE_DIR}/kernels/cuda/driver_check.cu" "${PROJECT_SOURCE_DIR}/kernels/cuda/cublas_check.cu"
    "${PROJECT_SOURCE_DIR}/kernels/cuda/cudnn_check.cu" "${PROJECT_SOURCE_DIR}/kernels/cuda/nccl_check.cu")
  get_filename_component(name "${source}" NAME_WE)
  set(object "${PROJECT_BINARY_DIR}/cuda/${name}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${nvcc_launcher} "${NVCC}" ${cuda_flags} "-DLUTRA_CUDA_ARCHITECTURES=\"${cuda_architectures}\""
            -MD -MF "${object}.d" -c "${source}" -o "${object}"
    DEPENDS "${source}" cuda_border DEPFILE "${object}.d"
    COMMENT "Building CUDA kernels: ${name}" VERBATIM)
  list(APPEND cuda_objects "${object}")
endforeach()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/cuda")

set(plugin "${PROJECT_BINARY_DIR}/lib/liblutra_cuda.so")
add_custom_command(
  OUTPUT "${plugin}"
  COMMAND "${NVCC}" -shared --cudart=static -ccbin "${CMAKE_CXX_COMPILER}" -o "${plugin}" ${cuda_objects}
          "-Xlinker=--version-script=${EXPORTS}/cuda.txt,--exclude-libs=ALL,-z,nodelete,-soname=liblutra_cuda.so,-s"
  DEPENDS ${cuda_objects} "${EXPORTS}/cuda.txt"
  COMMENT "Linking liblutra_cuda.so" VERBATIM)
add_custom_target(lutra_cuda_plugin ALL DEPENDS "${plugin}")
install(FILES "${plugin}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cuda)
