# Run by the build: cmake -DROOT=<repository> -DLIST=<file with one path a line> -DOUT=<.cpp> -P embed_lua.cmake
# Writes the files' texts as kLuaSources (src/lua/border/lua_sources.h). In CMake, so that the build needs neither
# Python nor xxd.
file(STRINGS "${LIST}" paths)
set(entries "")
set(count 0)
foreach(path IN LISTS paths)
  file(READ "${ROOT}/${path}" text)
  string(FIND "${text}" ")=lutra=\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path} holds )=lutra=\" which ends the raw string it is embedded in")
  endif()
  string(REGEX REPLACE "^lua/" "" name "${path}")
  string(REGEX REPLACE "\\.lua$" "" name "${name}")
  set(is_part false)
  if(name MATCHES "^lutra/[a-z]+/init$")
    set(is_part true)
  endif()
  string(REGEX REPLACE "/init$" "" name "${name}")
  string(REPLACE "/" "." name "${name}")
  string(APPEND entries "constexpr char kText${count}[] = R\"=lutra=(${text})=lutra=\";\n")
  string(APPEND table "    {\"${name}\", kText${count}, sizeof kText${count} - 1, ${is_part}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUT}" "// Written by scripts/cmake/embed_lua.cmake from lua/lutra. Do not edit.
#include \"lua/border/lua_sources.h\"

namespace lutra {
namespace {
${entries}}  // namespace

const LuaSource kLuaSources[] = {
${table}    {nullptr, nullptr, 0, false},
};
const std::size_t kLuaSourceCount = ${count};

}  // namespace lutra
")
