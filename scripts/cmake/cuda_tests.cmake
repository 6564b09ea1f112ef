# Tests of the CUDA back end without a card (cuda.*): on stubs of the driver's library, of cuBLASLt, cuDNN and NCCL
# (tests/support/cuda_stub), with the plugin's kernels compiled for the host. Specifications thus test all of it, from
# the driver's calls to the kernels' indices, with the streams' commands in a random legal order. And tests on the
# machine's own cards (gpu.*).
set(CUDA_TEST_DIR "${PROJECT_BINARY_DIR}/cuda/tests")

# lutra_stub(TARGET OUTPUT SUFFIX SOURCE...): a stub of a library, lib<OUTPUT><SUFFIX>, of sources in
# tests/support/cuda_stub.
function(lutra_stub target output suffix)
  list(TRANSFORM ARGN PREPEND "${TESTS}/support/cuda_stub/" OUTPUT_VARIABLE sources)
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${TESTS}")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX lib OUTPUT_NAME ${output} SUFFIX ${suffix}
    CXX_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY "${CUDA_TEST_DIR}")
endfunction()

lutra_stub(cuda_stub cuda_stub .so cuda_stub.cpp cuda_memory_stub.cpp cuda_streams_stub.cpp)
lutra_stub(nvml_stub nvml_stub .so nvml_stub.cpp)
# They are built into the plugin's folder, where they are found before the machine's own libraries.
lutra_stub(cublas_stub cublasLt .so.13 cublas_lt_stub.cpp)
lutra_stub(cudnn_stub cudnn .so.9 cudnn_stub.cpp)
lutra_stub(nccl_stub nccl .so.2 nccl_stub.cpp)
if(TARGET unit_device)
  add_dependencies(unit_device cuda_stub)
  target_compile_definitions(unit_device PRIVATE "LUTRA_CUDA_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libcuda_stub.so\"")
endif()
if(TARGET unit_kernels)
  add_dependencies(unit_kernels cuda_stub nvml_stub cublas_stub cudnn_stub nccl_stub)
  target_compile_definitions(unit_kernels PRIVATE "LUTRA_CUDA_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libcuda_stub.so\""
    "LUTRA_NVML_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libnvml_stub.so\""
    "LUTRA_CUBLAS_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libcublasLt.so.13\""
    "LUTRA_CUDNN_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libcudnn.so.9\""
    "LUTRA_NCCL_STUB_LIBRARY=\"${CUDA_TEST_DIR}/libnccl.so.2\"")
endif()
# This compiles the kernels once more; the sanitizers' builds leave it out.
if(LUTRA_SANITIZE)
  return()
endif()

add_library(cuda_on_host MODULE ${cuda_sources})
set_source_files_properties(${cuda_sources} PROPERTIES LANGUAGE CXX)
target_compile_options(cuda_on_host PRIVATE -x c++ -O1)
lutra_precompile(cuda_on_host)
target_compile_definitions(cuda_on_host PRIVATE LUTRA_CUDA_ON_HOST "LUTRA_CUDA_ARCHITECTURES=\"host\"")
target_include_directories(cuda_on_host PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${GENERATED_DIR}")
target_link_options(cuda_on_host PRIVATE "LINKER:--version-script=${EXPORTS}/cuda.txt")
add_dependencies(cuda_on_host cuda_border)
set_target_properties(cuda_on_host PROPERTIES OUTPUT_NAME lutra_cuda PREFIX lib LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${CUDA_TEST_DIR}")
if(TARGET unit_kernels)
  add_dependencies(unit_kernels cuda_on_host)
  target_compile_definitions(unit_kernels PRIVATE
    "LUTRA_CUDA_ON_HOST_LIBRARY=\"${CUDA_TEST_DIR}/liblutra_cuda.so\"")
endif()

function(lutra_cuda_variables name options)
  lutra_test_variable(${name} LUTRA_CUDA_DRIVER "${CUDA_TEST_DIR}/libcuda_stub.so")
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "LUTRA_PLUGIN_PATH=set:${CUDA_TEST_DIR}" "LUTRA_CUDA_STUB=set:${options}")
endfunction()

# A test on the machine's own cards, as limited by CUDA_VISIBLE_DEVICES, with the libraries that the user's environment
# chooses. Only one runs at a time, since each takes nearly all of a card's memory.
function(lutra_gpu_test name)
  lutra_test(gpu.${name} gpu lutra ${ARGN})
  set(modification ${unset_variables})
  list(FILTER modification EXCLUDE REGEX "^(CUDA_VISIBLE_DEVICES|LUTRA_CUDA_PATH|LUTRA_CUDNN|LUTRA_NCCL)=")
  set_property(TEST gpu.${name} PROPERTY ENVIRONMENT_MODIFICATION ${modification} LUTRA_CUDA_DRIVER=unset:)
  set_property(TEST gpu.${name} PROPERTY RESOURCE_LOCK gpu)
endfunction()

# Two kinds of tests run on the stub, and (gpu.*) on the machine's cards. scripts/lib/gpu_check.sh lists the same where
# nothing is built. First the specifications of families that have CUDA kernels, or are composed of ops that have.
foreach(family IN LISTS families)
  if(family IN_LIST cuda_families OR NOT family IN_LIST kernel_families)
    lutra_test(cuda.${family} cuda lutra tests/support/run/run_spec.lua tests/ops/${family}.lua)
    lutra_cuda_variables(cuda.${family} random:1,cards:2)
    lutra_gpu_test(${family} tests/support/run/on_card.lua tests/support/run/run_spec.lua tests/ops/${family}.lua)
  endif()
endforeach()

# And scripts that need one or two cards of any kind: memory, mistakes, lines, copies between cards, programs side by side.
# A line of theirs says which cards the stub shows.
file(GLOB scripts CONFIGURE_DEPENDS "${TESTS}/cuda/on_card/*.lua")
foreach(script IN LISTS scripts)
  get_filename_component(name "${script}" NAME_WE)
  file(STRINGS "${script}" cards REGEX "^-- Stub: " LIMIT_COUNT 1)
  string(REPLACE "-- Stub: " "" cards "${cards}")
  lutra_test(cuda.${name} cuda lutra tests/cuda/on_card/${name}.lua)
  lutra_cuda_variables(cuda.${name} "${cards}")
  lutra_gpu_test(${name} tests/support/run/on_card.lua tests/cuda/on_card/${name}.lua)
endforeach()

# Convolutions again without cuDNN, by cuBLASLt alone.
lutra_test(cuda.conv_laid_out cuda lutra tests/support/run/run_spec.lua tests/ops/conv.lua)
lutra_cuda_variables(cuda.conv_laid_out random:1,cards:2)
set_property(TEST cuda.conv_laid_out APPEND PROPERTY ENVIRONMENT_MODIFICATION LUTRA_CUDNN=set:0)
lutra_gpu_test(conv_laid_out tests/support/run/on_card.lua tests/support/run/run_spec.lua tests/ops/conv.lua)
set_property(TEST gpu.conv_laid_out APPEND PROPERTY ENVIRONMENT_MODIFICATION LUTRA_CUDNN=set:0)

# The guide's programs print the same on cards as on simulated GPUs.
file(GLOB goldens CONFIGURE_DEPENDS "${TESTS}/guide/*.golden")
foreach(golden IN LISTS goldens)
  get_filename_component(name "${golden}" NAME_WE)
  lutra_test(cuda.guide_${name} cuda lutra tests/support/run/run_guide.lua ${name} --stub)
  lutra_cuda_variables(cuda.guide_${name} inline)
  lutra_gpu_test(guide_${name} tests/support/run/run_guide.lua ${name} --cards)
endforeach()

# The benchmark for cards must run to its end; its times mean nothing here.
lutra_test(cuda.gpu_bench cuda lutra scripts/lib/gpu_bench.lua --trial)
lutra_cuda_variables(cuda.gpu_bench inline)
set_property(TEST cuda.gpu_bench APPEND PROPERTY ENVIRONMENT_MODIFICATION "LUTRA_BUILD=set:${PROJECT_BINARY_DIR}")
set_property(TEST cuda.gpu_bench PROPERTY PASS_REGULAR_EXPRESSION "memory in use, by|what is given back")

# So must scripts/dev gpu-check.
lutra_test(cuda.gpu_check cuda bash scripts/lib/gpu_check.sh --trial)
lutra_cuda_variables(cuda.gpu_check inline)
set_property(TEST cuda.gpu_check APPEND PROPERTY ENVIRONMENT_MODIFICATION "LUTRA_BUILD=set:${PROJECT_BINARY_DIR}")
set_property(TEST cuda.gpu_check PROPERTY PASS_REGULAR_EXPRESSION
  "doctor . ok in .*tests . ok in .* 3 passed, 0 failed.*libraries . ok in .*bench . ok in ")

file(GLOB scripts CONFIGURE_DEPENDS "${TESTS}/cuda/*.lua")
foreach(script IN LISTS scripts)
  get_filename_component(name "${script}" NAME_WE)
  file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${script}")
  lutra_test(cuda.${name} cuda lutra "${path}")
  lutra_cuda_variables(cuda.${name} inline,cards:2,taken:1024)
endforeach()
# It tests convolutions whose windows are laid out piece by piece, which those of cuDNN are not.
set_property(TEST cuda.cards APPEND PROPERTY ENVIRONMENT_MODIFICATION LUTRA_CUDNN=set:0)
