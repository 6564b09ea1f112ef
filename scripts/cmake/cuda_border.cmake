# Run by the build: cmake -DLIST=<file with one path a line> -DCOMPILER=<name> -DOUT=<.h> -P cuda_border.cmake
# Writes a hash of the headers that the program and the CUDA plugin both include. A plugin fits a program if both have
# the same hash.
file(STRINGS "${LIST}" headers)
set(all "${COMPILER}")
foreach(header IN LISTS headers)
  file(SHA256 "${header}" hash)
  string(APPEND all " ${hash}")
endforeach()
string(SHA256 id "${all}")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "// Written by the build. Do not edit.
#pragma once

namespace lutra::cuda {
inline constexpr char kBorderId[] = \"${id}\";
}
")
