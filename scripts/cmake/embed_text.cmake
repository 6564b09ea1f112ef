# Run by the build: cmake -DFROM=<file> -DOUT=<.cpp> -DHEADER=<header> -DNAME=<constant> -P embed_text.cmake
# Writes the file's text as a constant.
file(READ "${FROM}" text)
string(FIND "${text}" ")=lutra=\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${FROM} holds )=lutra=\" which ends the raw string it is embedded in")
endif()
file(WRITE "${OUT}" "// Written by scripts/cmake/embed_text.cmake. Do not edit.
#include \"${HEADER}\"

namespace lutra {

const char ${NAME}[] = R\"=lutra=(${text})=lutra=\";

}  // namespace lutra
")
