# liblutra for hosts, shared and static, with its headers, its CMake package and its files for pkg-config. Its interface
# is C (lutra.h), so that users compile and link against nothing else.

# The ABI's version is lutra.h's, and the number in liblutra.so.N.
file(STRINGS "${PROJECT_SOURCE_DIR}/src/embed/lutra.h" abi_line REGEX "^#define LUTRA_ABI_VERSION [0-9]+$")
string(REGEX MATCH "[0-9]+$" LUTRA_ABI_VERSION "${abi_line}")
if(LUTRA_ABI_VERSION STREQUAL "")
  message(FATAL_ERROR "src/embed/lutra.h defines no LUTRA_ABI_VERSION")
endif()
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/embed/lutra.h")

add_library(lutra_shared SHARED)
target_link_libraries(lutra_shared PRIVATE ${everything} ${repl_layer} ${embed_layer} ${LUA_LIBRARIES} ${BASE_LIBRARIES})
target_link_options(lutra_shared PRIVATE "LINKER:--version-script=${EXPORTS}/library.txt" LINKER:-z,nodelete)
set_target_properties(lutra_shared PROPERTIES OUTPUT_NAME lutra EXPORT_NAME lutra LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${LUTRA_ABI_VERSION} LINK_DEPENDS "${EXPORTS}/library.txt")
target_include_directories(lutra_shared INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/embed>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
add_library(lutra::lutra ALIAS lutra_shared)

# The op table as C++ functions, for lutra.hpp. A program of the build machine writes it.
lutra_layers_up_to(up_to_ops ops)
add_executable(ops_header EXCLUDE_FROM_ALL scripts/cmake/ops_header.cpp)
target_link_libraries(ops_header PRIVATE ${up_to_ops} ${BASE_LIBRARIES})
target_include_directories(ops_header PRIVATE src "${GENERATED_DIR}")
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT "${GENERATED_DIR}/embed/lutra_ops.hpp"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${GENERATED_DIR}/embed"
    COMMAND ops_header > "${GENERATED_DIR}/embed/lutra_ops.hpp"
    DEPENDS ops_header VERBATIM)
  add_custom_target(lutra_ops_header ALL DEPENDS "${GENERATED_DIR}/embed/lutra_ops.hpp")
  add_dependencies(lutra_shared lutra_ops_header)
  target_include_directories(lutra_shared INTERFACE "$<BUILD_INTERFACE:${GENERATED_DIR}/embed>")
  install(FILES "${GENERATED_DIR}/embed/lutra_ops.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
endif()

# liblutra.a is one object in which every name but lutra_* is local. lutra.hpp has classes of the same names as Lutra's
# own (lutra::Tensor): a linker must not take one for the other. objcopy keeps names that are unique in a process global,
# unless they are made weak first. Not with a sanitizer, which keeps lists of all globals.
set(static_objects "")
set(static_needs "")
foreach(target IN LISTS everything repl_layer embed_layer)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)  # the joined kernels of a CPU level
    get_target_property(sources ${target} INTERFACE_SOURCES)
    list(APPEND static_objects ${sources})
    list(APPEND static_needs ${sources})
  else()
    # Without precompiled headers, which CMake counts among a target's objects.
    list(APPEND static_objects "$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,[.]gch$>")
    list(APPEND static_needs ${target})
  endif()
endforeach()
set(static_library "${PROJECT_BINARY_DIR}/lib/liblutra.a")
add_custom_command(
  OUTPUT "${static_library}"
  COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${PROJECT_BINARY_DIR}/lutra_all.o" ${static_objects}
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--weaken-symbol=_Z*" "${PROJECT_BINARY_DIR}/lutra_all.o"
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=lutra_*" "$<$<CONFIG:Release>:--strip-unneeded>"
          "${PROJECT_BINARY_DIR}/lutra_all.o" "${PROJECT_BINARY_DIR}/lutra.o"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${static_library}" "${PROJECT_BINARY_DIR}/lutra_all.o"
  COMMAND "${CMAKE_AR}" qc "${static_library}" "${PROJECT_BINARY_DIR}/lutra.o"
  COMMAND "${CMAKE_RANLIB}" "${static_library}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${PROJECT_BINARY_DIR}/lutra.o"
  DEPENDS ${static_needs} ${static_objects}
  COMMENT "Joining liblutra.a"
  COMMAND_EXPAND_LISTS VERBATIM)
if(NOT LUTRA_SANITIZE)
  add_custom_target(lutra_static ALL DEPENDS "${static_library}")
  install(FILES "${static_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endif()

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lutra")
install(TARGETS lutra_shared EXPORT lutra LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
  NAMELINK_COMPONENT development)
install(EXPORT lutra NAMESPACE lutra:: FILE lutraTargets.cmake DESTINATION "${package_dir}" COMPONENT development)
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/embed/lutra.h"
  "${PROJECT_SOURCE_DIR}/src/embed/lutra.hpp" "${PROJECT_SOURCE_DIR}/src/embed/lutra_values.hpp")
install(FILES ${public_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)

# What a host links besides liblutra.a, by the names that linkers know.
list(GET LUA_LIBRARIES 0 lua_library)
get_filename_component(lua_name "${lua_library}" NAME_WLE)
string(REGEX REPLACE "^lib" "" lua_name "${lua_name}")
set(static_libraries dnnl ${lua_name} png z stdc++ m ${CMAKE_DL_LIBS})

configure_package_config_file(scripts/cmake/lutraConfig.cmake.in "${GENERATED_DIR}/lutraConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${GENERATED_DIR}/lutraConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${GENERATED_DIR}/lutraConfig.cmake" "${GENERATED_DIR}/lutraConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# Paths relative to lutra.pc, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
list(TRANSFORM static_libraries PREPEND "-l" OUTPUT_VARIABLE pc_static_libraries)
list(JOIN pc_static_libraries " " pc_static_libraries)
foreach(file lutra.pc lutra-static.pc)
  configure_file(scripts/cmake/${file}.in "${GENERATED_DIR}/${file}" @ONLY)
  install(FILES "${GENERATED_DIR}/${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()
