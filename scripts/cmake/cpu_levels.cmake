# The levels kernels/cpu is compiled for, lowest first. With sanitizers, and on other processors than x86-64, one.
# -fno-gnu-unique: names that must be unique in a process cannot be made local (cpu_kernels.cmake).
set(CPU_LEVEL_FIRST baseline)
set(CPU_LEVELS_ABOVE "")
option(LUTRA_ALL_CPU_LEVELS "compile the CPU kernels for AVX2 and AVX-512 too; without, builds are quicker" ON)
if(LUTRA_ALL_CPU_LEVELS AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND CMAKE_CXX_COMPILER_ID STREQUAL GNU
   AND NOT LUTRA_SANITIZE)
  set(CPU_LEVELS_ABOVE avx2 avx512)
  set(CPU_FLAGS_avx2 -march=x86-64-v3 -fno-gnu-unique)
  # For kernels/cpu: its arrays of lanes are emptied by registers. For more than 64 bytes the compiler would take
  # `rep stos`, which takes some 30 cycles to begin with, a sixth of a short row's time. AVX-512 has registers enough.
  set(CPU_LOOP_FLAGS_avx2 -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
  set(CPU_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512 -fno-gnu-unique)
endif()
