# kernels/cpu is compiled once per level of the processor (CPU_LEVELS, lowest first); the highest that the machine has is
# picked when a Runtime starts (kernels/cpu_level.h). Loops are plain C++ that the compiler vectorises, without intrinsics but
# for those of kernels/cpu/loops/instructions.h, and give the same bits at every level, since the compiler contracts and reorders
# nothing. Exceptions: kernels/eigen, which goes with them, and functions made of kernels/element/muladd.h.
#
# All levels define the same names. So that a linker never takes one level's copy of an inline function for another's, each
# level above the first becomes one object in which every name but its entry is local. A single level needs none of that.
file(GLOB_RECURSE cpu_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/cpu/*.cpp")
list(APPEND cpu_sources "${GENERATED_DIR}/kernels/cpu_families.cpp")

function(lutra_cpu_objects target level)
  lutra_objects(${target} ${cpu_sources})
  target_compile_definitions(${target} PRIVATE LUTRA_CPU_ENTRY=register_cpu_kernels_${level})
  # Not -ffast-math: nan, inf and the order of sums are part of what an op promises.
  target_compile_options(${target} PRIVATE
    $<$<CONFIG:Release,RelWithDebInfo>:-O3> -fno-math-errno -fno-trapping-math ${ARGN})
endfunction()

lutra_objects(layer_kernels_level "${PROJECT_SOURCE_DIR}/kernels/cpu_level.cpp" "${GENERATED_DIR}/kernels/cpu_levels.cpp")
set(levels_above ${CPU_LEVELS})
list(POP_FRONT levels_above lowest)
lutra_cpu_objects(layer_kernels_cpu ${lowest} ${CPU_FLAGS_${lowest}} ${CPU_LOOP_FLAGS_${lowest}})

# Eigen's results depend on the width of vectors and on fused multiply-adds: levels differ within the tolerance of
# tests/lua/factorise_levels.lua. Its headers take half a minute, and -O3 would double that. MPL2_ONLY leaves out what has
# another licence; threads are parallel_for's business.
file(GLOB eigen_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/eigen/*.cpp")
function(lutra_eigen_objects target)
  lutra_objects(${target} ${eigen_sources})
  target_include_directories(${target} SYSTEM PRIVATE "${EIGEN_INCLUDE}")
  target_compile_definitions(${target} PRIVATE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)
  # GCC 12 warns of its own AVX-512 header (GCC bug 105593).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized -Wno-maybe-uninitialized> ${ARGN})
endfunction()
lutra_eigen_objects(layer_kernels_eigen ${CPU_FLAGS_${lowest}})

# What they call of the system's LAPACK is the same at every level.
file(GLOB lapack_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/lapack/*.cpp")
lutra_objects(layer_kernels_lapack ${lapack_sources})

list(APPEND LAYER_TARGETS_kernels layer_kernels_level layer_kernels_cpu layer_kernels_eigen layer_kernels_lapack)

foreach(level IN LISTS levels_above)
  set(objects cpu_objects_${level})
  lutra_cpu_objects(${objects} ${level} ${CPU_FLAGS_${level}} ${CPU_LOOP_FLAGS_${level}})
  set(eigen_objects eigen_objects_${level})
  lutra_eigen_objects(${eigen_objects} ${CPU_FLAGS_${level}})
  set(both "$<TARGET_OBJECTS:${objects}>" "$<TARGET_OBJECTS:${eigen_objects}>")
  set(joined "${PROJECT_BINARY_DIR}/cpu_kernels_${level}.o")
  add_custom_command(
    OUTPUT "${joined}"
    COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${joined}.tmp" ${both}
    COMMAND "${CMAKE_OBJCOPY}" --keep-global-symbol=register_cpu_kernels_${level} "${joined}.tmp" "${joined}"
    DEPENDS ${objects} ${eigen_objects} ${both}
    COMMENT "Joining the ${level} kernels"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(joined_${level} DEPENDS "${joined}")
  set_source_files_properties("${joined}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(layer_kernels_cpu_${level} INTERFACE)
  target_sources(layer_kernels_cpu_${level} INTERFACE "${joined}")
  add_dependencies(layer_kernels_cpu_${level} joined_${level})
  list(APPEND LAYER_TARGETS_kernels layer_kernels_cpu_${level})
endforeach()
