# Layers: each is one object library or several, made in src/CMakeLists.txt and kernels/CMakeLists.txt. The products
# (products.cmake) and the tests (tests.cmake) link them, and with them their objects.
if(LUTRA_SANITIZE)
  # Pointers that are null or leave their object are found when they are used, by the address sanitizer. Checks where they
  # are computed would take half of the time that kernels take to compile.
  add_compile_options("-fsanitize=${LUTRA_SANITIZE}" -fno-sanitize-recover=all
    -fno-sanitize=null,object-size,pointer-overflow)
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

# lutra_precompile(TARGET [OWNER]): the headers of the standard library that most files include, read once instead of in
# every file, where they take a quarter of the time. Targets with the options of OWNER use OWNER's. Files must include
# what they use all the same: the dev preset has no precompiled headers, and shows what is missing.
function(lutra_precompile target)
  if(ARGC GREATER 1 AND NOT ARGV1 STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional>
      <limits> <memory> <optional> <span> <string> <string_view> <type_traits> <utility> <vector>)
  endif()
endfunction()

# lutra_unite(TARGET): compiles the files in groups, each as one: they spend most of the time on the same headers, so this
# takes two thirds of the time. Names in unnamed namespaces must differ within a layer therefore. The dev preset compiles
# each file by itself, which takes less time after a change, and shows what a file fails to include.
function(lutra_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LUTRA_UNITE} UNITY_BUILD_BATCH_SIZE 8)
  if(LUTRA_UNITE)
    # GCC takes a type's unnamed namespace for a header's, as the file that it compiles includes ours. And it inlines
    # less in a file that it takes for a large one.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage --param=large-unit-insns=100000>)
  endif()
endfunction()

# lutra_add_to_layer(LAYER TARGET...): adds targets to a layer.
function(lutra_add_to_layer layer)
  set_property(GLOBAL APPEND PROPERTY lutra_targets_of_${layer} ${ARGN})
endfunction()

# lutra_layer(OUT LAYER): the layer's targets; none if it has no files yet.
function(lutra_layer out layer)
  get_property(targets GLOBAL PROPERTY lutra_targets_of_${layer})
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# lutra_layers_up_to(OUT LAST): the targets of all layers up to LAST, LAST included, lowest layer first.
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
