# Three products of one set of objects: the program, the module for stock lua5.4, the library for hosts. Each exports
# only the few names of its interface (tests: check.exports).
set(EXPORTS "${PROJECT_SOURCE_DIR}/scripts/cmake/exports")
lutra_layers_up_to(everything lua)
lutra_layer(repl_layer repl)
lutra_layer(cli_layer cli)
lutra_layer(embed_layer embed)

# The program contains all of Lua's library, so that C modules that it loads find every lua_* and luaL_* in it.
# lutra_portable is the program for the tree of scripts/dev dist. It and the libraries it loads find libraries in the
# tree's lib folder; that needs the older tag, DT_RPATH. It is a separate file because that search slows down every
# start.
add_executable(lutra src/cli/main.cpp)
add_executable(lutra_portable EXCLUDE_FROM_ALL src/cli/main.cpp)
foreach(program lutra lutra_portable)
  target_link_libraries(${program} PRIVATE ${everything} ${repl_layer} ${cli_layer}
    "$<LINK_LIBRARY:WHOLE_ARCHIVE,${LUA_STATIC}>" ${BASE_LIBRARIES})
  target_include_directories(${program} PRIVATE src "${GENERATED_DIR}")
  target_include_directories(${program} SYSTEM PRIVATE "${LUA_INCLUDE_DIR}")
  target_link_options(${program} PRIVATE "LINKER:--dynamic-list=${EXPORTS}/program.txt")
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS "${EXPORTS}/program.txt")
endforeach()
target_link_options(lutra_portable PRIVATE LINKER:--disable-new-dtags)
set_target_properties(lutra_portable PROPERTIES OUTPUT_NAME lutra RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/portable"
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")

# lutra.so uses lua_* of the interpreter that loads it. It is never unloaded, since its threads and finalizers may run
# later.
add_library(lutra_module MODULE)
target_link_libraries(lutra_module PRIVATE ${everything} ${repl_layer} ${BASE_LIBRARIES})
target_link_options(lutra_module PRIVATE "LINKER:--version-script=${EXPORTS}/module.txt" LINKER:-z,nodelete)
set_target_properties(lutra_module PROPERTIES PREFIX "" OUTPUT_NAME lutra LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/lua" LINK_DEPENDS "${EXPORTS}/module.txt")

install(TARGETS lutra RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS lutra_module LIBRARY DESTINATION lib/lua/5.4)  # where lua5.4 looks, whatever CMAKE_INSTALL_LIBDIR is
install(FILES docs/lutra.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
# The files with which shells complete lutra's command line: the program writes them itself.
set(completions "${PROJECT_BINARY_DIR}/completions")
if(NOT CMAKE_CROSSCOMPILING)
  file(MAKE_DIRECTORY "${completions}")
  add_custom_command(TARGET lutra POST_BUILD
    COMMAND lutra --completion bash > "${completions}/lutra"
    COMMAND lutra --completion zsh > "${completions}/_lutra"
    COMMAND lutra --completion fish > "${completions}/lutra.fish" VERBATIM)
  install(FILES "${completions}/lutra" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${completions}/_lutra" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${completions}/lutra.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# liblutra.so has a C interface (lutra.h), so that its users compile and link against nothing else.
add_library(lutra_shared SHARED)
target_link_libraries(lutra_shared PRIVATE ${everything} ${repl_layer} ${embed_layer} ${LUA_LIBRARIES} ${BASE_LIBRARIES})
target_link_options(lutra_shared PRIVATE "LINKER:--version-script=${EXPORTS}/library.txt" LINKER:-z,nodelete)
set_target_properties(lutra_shared PROPERTIES OUTPUT_NAME lutra EXPORT_NAME lutra LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS "${EXPORTS}/library.txt")
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
  install(FILES "${GENERATED_DIR}/embed/lutra_ops.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lutra")
install(TARGETS lutra_shared EXPORT lutra LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT lutra NAMESPACE lutra:: FILE lutraTargets.cmake DESTINATION "${package_dir}")
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/embed/lutra.h"
  "${PROJECT_SOURCE_DIR}/src/embed/lutra.hpp" "${PROJECT_SOURCE_DIR}/src/embed/lutra_values.hpp")
install(FILES ${public_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
configure_package_config_file(scripts/cmake/lutraConfig.cmake.in "${GENERATED_DIR}/lutraConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${GENERATED_DIR}/lutraConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${GENERATED_DIR}/lutraConfig.cmake" "${GENERATED_DIR}/lutraConfigVersion.cmake"
  DESTINATION "${package_dir}")

# Paths relative to lutra.pc, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(scripts/cmake/lutra.pc.in "${GENERATED_DIR}/lutra.pc" @ONLY)
install(FILES "${GENERATED_DIR}/lutra.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
