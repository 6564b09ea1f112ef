# Products of one set of objects: the program, the module for stock lua5.4, the libraries for hosts (library.cmake). Each
# exports only the few names of its interface (tests: check.exports).
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
# The tree also runs on systems with an older glibc (scripts/lib/glibc). The first library of the program is looked in
# first.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  add_library(lutra_glibc SHARED EXCLUDE_FROM_ALL scripts/lib/glibc/glibc.cpp)
  target_compile_options(lutra_glibc PRIVATE -Wall -Wextra -fno-exceptions -fno-rtti)
  target_link_options(lutra_glibc PRIVATE -nodefaultlibs LINKER:--no-as-needed)
  target_link_libraries(lutra_glibc PRIVATE -l:libpthread.so.0 -l:libdl.so.2 c)
  target_link_options(lutra_portable PRIVATE LINKER:--push-state,--no-as-needed "$<TARGET_FILE:lutra_glibc>" LINKER:--pop-state)
  add_dependencies(lutra_portable lutra_glibc)
  set_property(TARGET lutra_portable APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:lutra_glibc>")
endif()

# lutra.so uses lua_* of the interpreter that loads it. It is never unloaded, since its threads and finalizers may run
# later.
add_library(lutra_module MODULE)
target_link_libraries(lutra_module PRIVATE ${everything} ${repl_layer} ${BASE_LIBRARIES})
target_link_options(lutra_module PRIVATE "LINKER:--version-script=${EXPORTS}/module.txt" LINKER:-z,nodelete)
set_target_properties(lutra_module PROPERTIES PREFIX "" OUTPUT_NAME lutra LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/lua" LINK_DEPENDS "${EXPORTS}/module.txt")

# Components: program, library, development, cuda, jupyter; each becomes a package (packages.cmake).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS lutra RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS lutra_module LIBRARY DESTINATION lib/lua/5.4)  # where lua5.4 looks, whatever CMAKE_INSTALL_LIBDIR is
# Compressed where gzip is found, as Debian wants it.
find_program(GZIP gzip)
if(GZIP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/lutra.1")
  execute_process(COMMAND "${GZIP}" -9nc "${PROJECT_SOURCE_DIR}/docs/lutra.1" OUTPUT_FILE "${PROJECT_BINARY_DIR}/lutra.1.gz")
  install(FILES "${PROJECT_BINARY_DIR}/lutra.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
else()
  install(FILES docs/lutra.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
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
