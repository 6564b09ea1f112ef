# What a layer is to CMake: one object library or several, which the products and the tests are put together from. A target
# carries its objects to whatever links it. src/CMakeLists.txt and kernels/CMakeLists.txt make them.
if(LUTRA_SANITIZE)
  add_compile_options("-fsanitize=${LUTRA_SANITIZE}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${LUTRA_SANITIZE}")
endif()
if(LUTRA_WERROR)
  add_compile_options(-Werror)
endif()
# Contracting a*b+c would make results depend on the compiler; kernels call fma explicitly.
add_compile_options(-Wall -Wextra -ffp-contract=off)

# Libraries that every program or library made of layers links.
set(BASE_LIBRARIES lutra_onednn PNG::PNG ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)

# lutra_objects(TARGET SOURCE...): an object library of some layer.
function(lutra_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}" "${GENERATED_DIR}")
endfunction()

# lutra_add_to_layer(LAYER TARGET...): the layer is made of these, too.
function(lutra_add_to_layer layer)
  set_property(GLOBAL APPEND PROPERTY lutra_targets_of_${layer} ${ARGN})
endfunction()

# The layer's targets; none where it has no files yet.
function(lutra_layer out layer)
  get_property(targets GLOBAL PROPERTY lutra_targets_of_${layer})
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# All targets of the layers up to and with `last`, in order.
function(lutra_layers_up_to out last)
  set(all "")
  foreach(layer IN LISTS LAYERS)
    lutra_layer(targets ${layer})
    list(APPEND all ${targets})
    if(layer STREQUAL last)
      break()
    endif()
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()
