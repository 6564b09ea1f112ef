# One object library per layer, src/<layer> or kernels/<kind>; the products and the tests are put together from these.
# `layer_<name>` carries its objects to whatever links it; LAYER_TARGETS_<layer> lists a layer's targets.
if(LUTRA_SANITIZE)
  add_compile_options("-fsanitize=${LUTRA_SANITIZE}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${LUTRA_SANITIZE}")
endif()
if(LUTRA_WERROR)
  add_compile_options(-Werror)
endif()
# Contracting a*b+c would make results depend on the compiler's mood; kernels ask for fma where they want it.
add_compile_options(-Wall -Wextra -ffp-contract=off)

# What every program or library made of layers links.
set(BASE_LIBRARIES "${DNNL}" "${PNG}" "${ZLIB}" Threads::Threads ${CMAKE_DL_LIBS} m)

function(lutra_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${GENERATED_DIR}")
endfunction()

foreach(family IN LISTS families)  # of generated.cmake
  foreach(source "src/ops/${family}.cpp" "kernels/cpu/${family}.cpp")
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${source}")
      message(FATAL_ERROR "${family} is in OP_FAMILIES (CMakeLists.txt), and ${source} is not there")
    endif()
  endforeach()
endforeach()

set(extra_ops "${GENERATED_DIR}/ops/families.cpp")
set(extra_eager "${GENERATED_DIR}/eager/backends.cpp")
set(extra_lua "${GENERATED_DIR}/lua_sources.cpp")

foreach(layer IN LISTS LAYERS)
  set(LAYER_TARGETS_${layer} "")
  if(layer STREQUAL kernels)
    foreach(kind ${BACKENDS})
      file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/${kind}/*.cpp")
      lutra_objects(layer_kernels_${kind} ${sources})
      list(APPEND LAYER_TARGETS_kernels layer_kernels_${kind})
    endforeach()
    include(cpu_kernels)
    continue()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp")
  list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")  # the program's own: tests have another main
  if(sources)
    lutra_objects(layer_${layer} ${sources} ${extra_${layer}})
    list(APPEND LAYER_TARGETS_${layer} layer_${layer})
  endif()
endforeach()

# lua.h can be found from here on up only.
foreach(layer lua embed cli)
  foreach(target IN LISTS LAYER_TARGETS_${layer})
    target_include_directories(${target} SYSTEM PUBLIC "${LUA_INCLUDE}")
  endforeach()
endforeach()

# All targets of the layers up to and with `last`, in order.
function(lutra_layers_up_to out last)
  set(targets "")
  foreach(layer IN LISTS LAYERS)
    list(APPEND targets ${LAYER_TARGETS_${layer}})
    if(layer STREQUAL last)
      break()
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()
