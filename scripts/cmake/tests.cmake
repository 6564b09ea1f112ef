# The tests of CTest: unit.<layer>, ops.*, schedule.*, lua.*, session.*, repl.*, notebook.*, guide.*, embed.*, packages.*,
# fuzz.*, dist.*, check.*, and cuda.* and gpu.* (cuda_tests.cmake). A test's label is the first word of its name; schedule.* has the
# label ops.
set(TESTS "${PROJECT_SOURCE_DIR}/tests")
set(seconds_limit 300)
if(LUTRA_SANITIZE)
  set(seconds_limit 1200)
endif()

# The user's environment must not change what tests print.
file(STRINGS "${TESTS}/support/unset_variables.txt" unset_variables)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${TESTS}/support/unset_variables.txt")
list(TRANSFORM unset_variables APPEND "=unset:")

set(test_environment
  "LUTRA=$<TARGET_FILE:lutra>"
  LUTRA_NUM_THREADS=2
  LUTRA_CUDA_DRIVER=none   # only the tests about the machine's own cards use them
  LC_ALL=C.UTF-8             # plots are drawn in braille, whatever the locale is here
  OPENBLAS_THREAD_TIMEOUT=4  # OpenBLAS' idle threads sleep soon: tests share the cores
  "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:check_initialization_order=1"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.txt:print_suppressions=0"
  "UBSAN_OPTIONS=print_stacktrace=1")
if(LUTRA_SANITIZE STREQUAL thread)
  # OpenBLAS' pool is not compiled with the thread sanitizer, which cannot see its barriers. One thread has no barriers.
  list(APPEND test_environment OPENBLAS_NUM_THREADS=1 "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
endif()

# Specifications run each case again with the collector at its most aggressive, which takes nine tenths of their time.
# The sanitizers' builds and dev do so; release, which would notice less, does not.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT LUTRA_SANITIZE)
  list(APPEND test_environment LUTRA_TEST_GC=0)
endif()

# Tests that the thread sanitizer cannot run. Each Lua error longjmps past frames that the sanitizer goes on counting,
# so tests that raise tens of thousands do not finish. It delays signals until the program calls the C library, which a
# loop of plain Lua never does. And it believes that the parent's threads run in a forked child, where new threads then
# clash with them.
set(not_under_tsan lua.errors lua.made_up_names lua.cli_interrupt embed.fork_host embed.limits_host
    embed.sandbox_host lua.sandbox lua.sandbox_libraries lua.replica_timeouts)

# Programs that compute for minutes under a sanitizer, with ops and layers whose own tests run there.
set(not_sanitized lua.experiments lua.data_parallel lua.factorise_large_by_loops lua.plan_programs)

function(lutra_test name label)
  if((LUTRA_SANITIZE MATCHES thread AND name IN_LIST not_under_tsan) OR (LUTRA_SANITIZE AND name IN_LIST not_sanitized))
    return()
  endif()
  add_test(NAME "${name}" COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties("${name}" PROPERTIES LABELS ${label} TIMEOUT ${seconds_limit} SKIP_RETURN_CODE 77
    ENVIRONMENT "${test_environment}" ENVIRONMENT_MODIFICATION "${unset_variables}")
endfunction()

# Sets a variable for one test. ENVIRONMENT alone would not do: the modifications that unset variables come after it.
function(lutra_test_variable name variable value)
  if(NOT TEST "${name}")
    return()
  endif()
  set(modification ${unset_variables})
  list(FILTER modification EXCLUDE REGEX "^${variable}=")
  set_property(TEST "${name}" PROPERTY ENVIRONMENT_MODIFICATION "${modification}" "${variable}=set:${value}")
endfunction()

# tests/unit/<layer>: one program per layer, which links that layer and those below it. Compiled without optimisation,
# since Catch2 takes as long to compile as to run, and with a precompiled header. Tests that compute much are optimised;
# they cannot use a header with other options. Those of functions of one number touch no memory, and go without the
# sanitizers, which would take ten times as long.
foreach(test elementary falling_exp power)
  list(APPEND tests_of_numbers "${TESTS}/unit/kernels/${test}_test.cpp")
endforeach()
set(tests_that_compute ${tests_of_numbers} "${TESTS}/unit/kernels/gemm_test.cpp" "${TESTS}/unit/plan/quality_test.cpp")
set_source_files_properties(${tests_that_compute} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
if(LUTRA_SANITIZE)
  set_source_files_properties(${tests_of_numbers} PROPERTIES COMPILE_OPTIONS "-O1;-fno-sanitize=all")
  # Catch2's own code takes a minute to compile with the sanitizers' checks.
  set_source_files_properties("${TESTS}/support/main.cpp" PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
endif()
add_library(catch_main OBJECT "${TESTS}/support/main.cpp")
target_compile_options(catch_main PUBLIC -O0)
target_include_directories(catch_main PUBLIC "${TESTS}")
target_include_directories(catch_main SYSTEM PUBLIC "${CATCH2_INCLUDE}")
target_link_libraries(catch_main PUBLIC ${CATCH2_LIBRARIES})
foreach(layer IN LISTS LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${TESTS}/unit/${layer}/*.cpp")
  if(NOT sources)
    continue()
  endif()
  lutra_layers_up_to(targets ${layer})
  set(lua_library "")
  if(layer MATCHES "^(lua|repl|embed|cli)$")
    set(lua_library "${LUA_STATIC}")
  endif()
  add_executable(unit_${layer} ${sources})
  target_link_libraries(unit_${layer} PRIVATE catch_main ${targets} ${lua_library} ${BASE_LIBRARIES})
  if(layer STREQUAL core)
    target_precompile_headers(unit_core PRIVATE "${TESTS}/support/catch.h")
  else()
    target_precompile_headers(unit_${layer} REUSE_FROM unit_core)
  endif()
  lutra_test(unit.${layer} unit unit_${layer})
endforeach()

# The elementary functions again, with the fused multiply-adds that levels above baseline use.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT LUTRA_SANITIZE)
  add_executable(unit_fused "${TESTS}/unit/kernels/elementary_test.cpp" "${TESTS}/unit/kernels/power_test.cpp"
                 "${TESTS}/unit/kernels/falling_exp_test.cpp")
  target_include_directories(unit_fused PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(unit_fused PRIVATE catch_main)
  target_compile_options(unit_fused PRIVATE -mfma)
  lutra_test(unit.fused unit bash -c "grep -qw fma /proc/cpuinfo && exec $<TARGET_FILE:unit_fused> || exit 77")
endif()

# lutra_scripts(GLOB LABEL COMMAND...): adds one test per file of GLOB. In COMMAND, % is the file's path and @ its name.
function(lutra_scripts glob label)
  file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${glob}")
  foreach(script IN LISTS scripts)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${script}")
    get_filename_component(name "${script}" NAME_WE)
    string(REPLACE "%" "${path}" command "${ARGN}")
    string(REPLACE "@" "${name}" command "${command}")
    lutra_test(${label}.${name} ${label} ${command})
  endforeach()
endfunction()

lutra_scripts(tests/ops/*.lua ops lutra tests/support/run/run_spec.lua %)
# The same specs with the simulated GPU's queues run in a random legal order and freed memory poisoned. This finds
# reproducibly what real threads find only now and then. It runs in release only, the build that users get.
if(NOT LUTRA_SANITIZE)
  file(GLOB specs CONFIGURE_DEPENDS "${TESTS}/ops/*.lua")
  foreach(spec IN LISTS specs)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${spec}")
    get_filename_component(name "${spec}" NAME_WE)
    lutra_test(schedule.${name} ops lutra tests/support/run/run_spec.lua ${path})
    lutra_test_variable(schedule.${name} LUTRA_SIM_SCHEDULE random:1)
  endforeach()
  lutra_test(schedule.is_on ops lutra -e "assert(os.getenv('LUTRA_SIM_SCHEDULE') == 'random:1', 'not set')")
  lutra_test_variable(schedule.is_on LUTRA_SIM_SCHEDULE random:1)
endif()
# And with every call of an op recorded and replayed: these here, all of them with -Dreplayed_specs=all.
set(replayed_specs activations arrange binary index linalg losses random reduce variable CACHE STRING
    "The specifications that are also run replayed; all runs every one")
if(NOT LUTRA_SANITIZE)
  foreach(spec IN LISTS specs)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${spec}")
    get_filename_component(name "${spec}" NAME_WE)
    if(replayed_specs STREQUAL "all" OR name IN_LIST replayed_specs)
      lutra_test(replayed.${name} ops lutra tests/support/run/run_spec.lua ${path})
      lutra_test_variable(replayed.${name} LUTRA_GRAPH always)
    endif()
  endforeach()
endif()
lutra_scripts(tests/lua/*.lua lua lutra %)
# Factorisations again without the system's LAPACK.
lutra_test(ops.factorise_by_loops ops lutra tests/support/run/run_spec.lua tests/ops/factorise.lua)
lutra_test(lua.factorise_large_by_loops lua lutra tests/lua/factorise_large.lua)
lutra_test(lua.factorise_small_by_loops lua lutra tests/lua/factorise_small.lua)
lutra_test(lua.complex_matrices_by_loops lua lutra tests/lua/complex_matrices.lua)
foreach(name ops.factorise_by_loops lua.factorise_large_by_loops lua.factorise_small_by_loops lua.complex_matrices_by_loops)
  lutra_test_variable(${name} LUTRA_LAPACK off)
endforeach()
lutra_scripts(tests/sessions/*.session session lutra tests/support/run/run_session.lua %)
lutra_scripts(tests/guide/*.golden guide lutra tests/support/run/run_guide.lua @)

# Whole programs that are refused memory; `scripts/dev check --all` tries more of their calls. The thread sanitizer's
# own allocator cannot be interposed.
if(NOT LUTRA_SANITIZE MATCHES thread)
  add_library(refuse_memory MODULE "${TESTS}/support/run/refuse_memory.cpp")
  if(LUTRA_SANITIZE)
    target_compile_options(refuse_memory PRIVATE -fno-sanitize=all)
    target_link_options(refuse_memory PRIVATE -fno-sanitize=all)
  endif()
  set_target_properties(refuse_memory PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
  lutra_test(lua.refused_memory lua lutra tests/support/run/refused_memory.lua "$<TARGET_FILE:refuse_memory>")
endif()

include(cuda_tests)

add_subdirectory("${TESTS}/repl" repl)  # uses lutra_test
add_subdirectory("${TESTS}/notebook" notebook)

# Hosts are built against an installed tree; tests/embed/CMakeLists.txt uses lutra_test too.
add_subdirectory("${TESTS}/embed" embed)
add_subdirectory("${TESTS}/packages" packages)

# The module in Debian's interpreter. Not with a sanitizer, whose library would have to be preloaded into the
# interpreter.
find_program(STOCK_LUA lua5.4)
if(STOCK_LUA AND NOT LUTRA_SANITIZE)
  lutra_test(embed.stock_lua embed "${STOCK_LUA}" tests/embed/stock_lua.lua)
  lutra_test(embed.stock_example embed "${STOCK_LUA}" tests/embed/examples/stock.lua)
  lutra_test_variable(embed.stock_lua LUA_CPATH_5_4 "${PROJECT_BINARY_DIR}/lib/lua/?.so")
  lutra_test_variable(embed.stock_example LUA_CPATH_5_4 "${PROJECT_BINARY_DIR}/lib/lua/?.so")
endif()

# A C module that uses what the program exports of Lua's library.
add_library(lua_libraries MODULE "${TESTS}/support/run/lua_libraries.cpp")
target_include_directories(lua_libraries SYSTEM PRIVATE "${LUA_INCLUDE_DIR}")
set_target_properties(lua_libraries PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
if(LUTRA_SANITIZE)
  target_compile_options(lua_libraries PRIVATE -fno-sanitize=all)
  target_link_options(lua_libraries PRIVATE -fno-sanitize=all)
endif()
lutra_test(lua.luaopen_exports lua lutra -e
  "assert(assert(package.loadlib([[$<TARGET_FILE:lua_libraries>]], 'luaopen_lua_libraries'))() == 10)")

# Fuzzing takes one minute in all, shared by the fuzzers. Without a sanitizer it would find little.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${TESTS}/fuzz/*_fuzz.cpp")
list(LENGTH fuzz_sources fuzz_count)
if(LUTRA_SANITIZE MATCHES address AND fuzz_count GREATER 0)
  math(EXPR fuzz_seconds "(60 + ${fuzz_count} - 1) / ${fuzz_count}")
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name "${name}")
    add_executable(fuzz_${name} "${source}")
    target_include_directories(fuzz_${name} PRIVATE "${TESTS}")
    target_link_libraries(fuzz_${name} PRIVATE ${everything} "${LUA_STATIC}" ${BASE_LIBRARIES})
    if(LUTRA_LIBFUZZER)  # scripts/dev fuzz: its main takes other options
      target_compile_definitions(fuzz_${name} PRIVATE LUTRA_LIBFUZZER)
      target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
      lutra_test(fuzz.${name} fuzz fuzz_${name} -seconds=${fuzz_seconds})
    endif()
  endforeach()
endif()

# The tree of scripts/dev dist, from the build that users get, run where nothing else is installed.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT LUTRA_SANITIZE)
  add_custom_target(portable ALL)
  add_dependencies(portable lutra_portable)
  lutra_test(dist.portable dist bash tests/dist/portable.sh "${PROJECT_BINARY_DIR}" "${CUDA_TEST_DIR}")
endif()

# The parts of `scripts/dev check`, in release only.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT LUTRA_SANITIZE)
  foreach(part layers families fmt exports docs variables count)
    lutra_test(check.${part} check bash scripts/lib/check.sh ${part})
    set_property(TEST check.${part} APPEND PROPERTY ENVIRONMENT "LUTRA_BUILD=${PROJECT_BINARY_DIR}")
  endforeach()
endif()

# Built and run by scripts/dev bench only.
add_custom_target(bench)
file(GLOB bench_sources CONFIGURE_DEPENDS "${TESTS}/bench/*_bench.cpp")
foreach(source IN LISTS bench_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  target_include_directories(${name} PRIVATE "${TESTS}")
  target_link_libraries(${name} PRIVATE ${everything} "${LUA_STATIC}" ${BASE_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  add_dependencies(bench ${name})
endforeach()
add_dependencies(bench lutra)

# Long tests start first, so that none of them runs alone at the end. CTest knows the times of a build tested before.
foreach(test check.count fuzz.ops fuzz.device_spec ops.binary schedule.binary unit.kernels lua.memory)
  if(TEST ${test})
    set_property(TEST ${test} PROPERTY COST 100)
  endif()
endforeach()
