# The C++ files the build writes into <build>/generated: the lists that follow from OP_FAMILIES and from the back
# ends. A file is rewritten only when its text changes.
set(GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

function(lutra_write path text)
  file(CONFIGURE OUTPUT "${GENERATED_DIR}/${path}" CONTENT "// Written by the build. Do not edit.\n${text}" @ONLY)
endfunction()

# lutra_lines(OUT PATTERN WORD...): one line per word, in order: PATTERN with each % replaced by the word.
function(lutra_lines out pattern)
  set(lines "")
  foreach(word IN LISTS ARGN)
    string(REPLACE "%" "${word}" line "${pattern}")
    string(APPEND lines "${line}\n")
  endforeach()
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

lutra_write(core/version.h "#pragma once\n\n#define LUTRA_VERSION \"${PROJECT_VERSION}\"\n")

set(families "")
set(calls "")
foreach(line IN LISTS OP_FAMILIES)
  string(REGEX MATCH "^([a-z]+): (.+)$" matched "${line}")
  string(REPLACE " " ";" names "${CMAKE_MATCH_2}")
  list(APPEND families ${names})
  lutra_lines(group_calls "  define_%_ops(ops);" ${names})
  string(APPEND calls "  ops.begin_group(\"${CMAKE_MATCH_1}\");\n${group_calls}")
endforeach()
lutra_lines(declarations "void define_%_ops(OpRegistry& ops);" ${families})
lutra_write(ops/families.cpp "#include \"ops/op.h\"

namespace lutra {

${declarations}
void define_all_ops(OpRegistry& ops) {
${calls}}

}  // namespace lutra
")

# Families with kernels: all but those whose ops are composed of others.
set(kernel_families "")
foreach(family IN LISTS families)
  set(entries "${PROJECT_SOURCE_DIR}/src/ops/${family}.cpp")
  set(composed "")
  if(EXISTS "${entries}" AND NOT EXISTS "${PROJECT_SOURCE_DIR}/kernels/cpu/${family}.cpp")
    file(STRINGS "${entries}" composed REGEX "\\.compose = " LIMIT_COUNT 1)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${entries}")
  endif()
  if(composed STREQUAL "")
    list(APPEND kernel_families ${family})
  endif()
endforeach()

# Compiled once per level, each time under the name LUTRA_CPU_ENTRY.
lutra_lines(declarations "void register_%_cpu(KernelRegistry& kernels);" ${kernel_families})
lutra_lines(calls "  register_%_cpu(kernels);" ${kernel_families})
lutra_write(kernels/cpu_families.cpp "#include \"ops/kernel.h\"

namespace lutra {

${declarations}
}  // namespace lutra

extern \"C\" void LUTRA_CPU_ENTRY(lutra::KernelRegistry& kernels) {
  using namespace lutra;
${calls}}
")

lutra_lines(declarations "extern \"C\" void register_cpu_kernels_%(lutra::KernelRegistry& kernels);"
  ${CPU_LEVELS})
lutra_lines(calls "      {\"%\", register_cpu_kernels_%}," ${CPU_LEVELS})
lutra_write(kernels/cpu_levels.cpp "#include \"kernels/cpu_level.h\"

${declarations}
namespace lutra {

std::span<const CpuLevel> linked_cpu_levels() {
  static const CpuLevel levels[] = {
${calls}  };
  return levels;
}

}  // namespace lutra
")

lutra_lines(declarations "const Backend& %_backend();" ${BACKENDS})
lutra_lines(calls "      &%_backend()," ${BACKENDS})
lutra_write(eager/backends.cpp "#include <span>

#include \"ops/backend.h\"

namespace lutra {

${declarations}
std::span<const Backend* const> linked_backends() {
  static const Backend* const backends[] = {
${calls}  };
  return backends;
}

}  // namespace lutra
")
