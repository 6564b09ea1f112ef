# CPU_LEVELS: the levels of the processor that kernels/cpu is compiled for, lowest first (kernels/CMakeLists.txt).
set(LUTRA_CPU_LEVELS all CACHE STRING
    "processors the CPU kernels are for: all (a program that is carried elsewhere), native (this machine, compiled in a third of the time), two (native and the level below, for tests), or baseline, avx2, avx512")
set_property(CACHE LUTRA_CPU_LEVELS PROPERTY STRINGS all native two baseline avx2 avx512)

# The highest level that this machine runs: what kernels/cpu_level.cpp asks the processor when a program starts.
function(lutra_native_level result)
  if(NOT DEFINED LUTRA_NATIVE_LEVEL)
    set(source "${PROJECT_BINARY_DIR}/native_level.cpp")
    file(WRITE "${source}" "int main() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\");
  const bool avx512 = avx2 && __builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512bw\") &&
      __builtin_cpu_supports(\"avx512cd\") && __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512vl\");
  return avx512 ? 2 : avx2 ? 1 : 0;
}
")
    try_run(status compiles "${PROJECT_BINARY_DIR}" "${source}")
    set(levels baseline avx2 avx512)
    if(NOT compiles OR NOT status MATCHES "^[012]$")
      set(status 0)
    endif()
    list(GET levels ${status} level)
    set(LUTRA_NATIVE_LEVEL ${level} CACHE INTERNAL "the highest CPU level of the machine that configured the build")
  endif()
  set(${result} ${LUTRA_NATIVE_LEVEL} PARENT_SCOPE)
endfunction()

if(LUTRA_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(CPU_LEVELS baseline)
elseif(LUTRA_CPU_LEVELS STREQUAL all OR (LUTRA_CPU_LEVELS MATCHES "^(native|two)$" AND CMAKE_CROSSCOMPILING))
  set(CPU_LEVELS baseline avx2 avx512)
elseif(LUTRA_CPU_LEVELS STREQUAL native)
  lutra_native_level(CPU_LEVELS)
elseif(LUTRA_CPU_LEVELS STREQUAL two)
  lutra_native_level(CPU_LEVELS)
  if(CPU_LEVELS STREQUAL avx512)
    set(CPU_LEVELS avx2 avx512)
  elseif(CPU_LEVELS STREQUAL avx2)
    set(CPU_LEVELS baseline avx2)
  endif()
elseif(LUTRA_CPU_LEVELS MATCHES "^(baseline|avx2|avx512)$")
  set(CPU_LEVELS ${LUTRA_CPU_LEVELS})
else()
  message(FATAL_ERROR "LUTRA_CPU_LEVELS is ${LUTRA_CPU_LEVELS}, expected all, native, two, baseline, avx2 or avx512")
endif()

set(CPU_FLAGS_avx2 -march=x86-64-v3)
set(CPU_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Names that must be unique in a process cannot be made local (kernels/CMakeLists.txt).
  list(APPEND CPU_FLAGS_avx2 -fno-gnu-unique)
  list(APPEND CPU_FLAGS_avx512 -fno-gnu-unique)
  # For kernels/cpu: arrays of lanes are zeroed by register stores. For more than 64 bytes the compiler would use
  # `rep stos`, which takes some 30 cycles to start, a sixth of a short row's time. AVX-512 has registers enough.
  set(CPU_LOOP_FLAGS_avx2 -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
endif()
