# cmake -DBUILD=... -DPREFIX=... -P install.cmake: installs into an empty PREFIX, so that nothing left there can help.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install failed:\n${output}")
endif()
file(GLOB_RECURSE installed LIST_DIRECTORIES false RELATIVE "${PREFIX}" "${PREFIX}/*")
set(static "liblutra.a$")
if(SANITIZE)
  set(static "")
endif()
foreach(wanted "bin/lutra$" "include/lutra.h$" "include/lutra.hpp$" "liblutra.so$" "liblutra.so.[0-9]+$" "cmake/lutra/lutraConfig.cmake$"
    "pkgconfig/lutra.pc$" "pkgconfig/lutra-static.pc$" "lua/5.4/lutra.so$" "man/man1/lutra.1(.gz)?$" "bash-completion/completions/lutra$" "zsh/site-functions/_lutra$"
    "fish/vendor_completions.d/lutra.fish$" ${static})
  set(found ${installed})
  list(FILTER found INCLUDE REGEX "${wanted}")
  if(NOT found)
    message(FATAL_ERROR "nothing installed matches ${wanted}; what is there:\n${installed}")
  endif()
endforeach()
