# Lua, oneDNN, zlib, libpng, nlohmann's json, threads. oneDNN is found by file, since Debian's dnnl-config.cmake
# insists on OpenCL, which nothing here uses.
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache stores no file that uses a precompiled header. The inode cache keeps it from reading
  # that header again for each file.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=true "${CCACHE}")
endif()

find_package(Lua 5.4 QUIET)
find_library(LUA_STATIC NAMES liblua5.4.a)  # FindLua knows the shared one
find_package(ZLIB QUIET)
find_package(PNG QUIET)
find_package(nlohmann_json QUIET)
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.h)
find_library(DNNL NAMES dnnl)

set(missing "")
if(NOT LUA_FOUND OR NOT LUA_STATIC)
  list(APPEND missing liblua5.4-dev)
endif()
if(NOT DNNL_INCLUDE OR NOT DNNL)
  list(APPEND missing libdnnl-dev)
endif()
if(NOT TARGET ZLIB::ZLIB)
  list(APPEND missing zlib1g-dev)
endif()
if(NOT TARGET PNG::PNG)
  list(APPEND missing libpng-dev)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  list(APPEND missing nlohmann-json3-dev)
endif()
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "Missing Debian packages: ${missing}. scripts/run installs them, or: apt-get install ${missing}")
endif()

add_library(lutra_onednn INTERFACE)
target_include_directories(lutra_onednn SYSTEM INTERFACE "${DNNL_INCLUDE}")
target_link_libraries(lutra_onednn INTERFACE "${DNNL}")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Version 3 has a library; version 2 (Debian 12) is one header.
find_path(CATCH2_INCLUDE NAMES catch2/catch_all.hpp catch2/catch.hpp)
set(CATCH2_FOUND OFF)
set(CATCH2_LIBRARIES "")
if(CATCH2_INCLUDE)
  set(CATCH2_FOUND ON)
  if(EXISTS "${CATCH2_INCLUDE}/catch2/catch_all.hpp")
    find_package(Catch2 3 REQUIRED)
    set(CATCH2_LIBRARIES Catch2::Catch2)
  endif()
endif()
