# cpack makes Debian packages of what is installed, one per component: lutra, liblutraN, liblutra-dev, and lutra-cuda,
# lutra-mpi and lutra-jupyter where these parts are built. scripts/dev release builds for all processors first, with the
# prefix /usr.
find_program(GZIP gzip)
find_program(DPKG_DEB dpkg-deb)
if(NOT GZIP OR NOT DPKG_DEB)
  return()
endif()
set(LUTRA_MAINTAINER "The Lutra authors <lutra@users.noreply.example>" CACHE STRING "who maintains the Debian packages: Name <address>")

# The changelogs' date is the last commit's, so that the same tree gives the same packages; or SOURCE_DATE_EPOCH, which
# string(TIMESTAMP) reads.
set(commit_date "")
find_program(GIT git)
if(GIT AND "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  execute_process(COMMAND "${GIT}" log -1 "--format=%cD" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE commit_date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(commit_date STREQUAL "")
  string(TIMESTAMP commit_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
set(package_release 1)
set(full_version "${PROJECT_VERSION}-${package_release}")

function(lutra_gzip from to)
  execute_process(COMMAND "${GZIP}" -9nc "${from}" OUTPUT_FILE "${to}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "gzip of ${from} failed")
  endif()
endfunction()

set(debian_dir "${PROJECT_BINARY_DIR}/debian")
file(MAKE_DIRECTORY "${debian_dir}")
file(CONFIGURE OUTPUT "${debian_dir}/changelog" CONTENT
"lutra (${full_version}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}; changelog.gz lists its changes.

 -- ${LUTRA_MAINTAINER}  ${commit_date}
" @ONLY)
lutra_gzip("${debian_dir}/changelog" "${debian_dir}/changelog.Debian.gz")
lutra_gzip("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${debian_dir}/changelog.gz")

# lutra_package(COMPONENT NAME SECTION SUMMARY DEPENDS RECOMMENDS DESCRIPTION)
set(CPACK_COMPONENTS_ALL "")
macro(lutra_package component name section summary depends recommends description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${recommends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
  install(FILES scripts/cmake/debian/copyright "${debian_dir}/changelog.Debian.gz" "${debian_dir}/changelog.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

set(about "Lutra runs each tensor operation at once, on a CPU or a GPU. The rules of
placement, the names and the log are those of TensorFlow's guide to GPUs. GPUs
can be simulated.")
file(WRITE "${debian_dir}/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${debian_dir}/triggers")
set(CPACK_DEBIAN_CUDA_PACKAGE_CONTROL_EXTRA "${debian_dir}/triggers")
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA "${debian_dir}/triggers")
set(library_name liblutra${LUTRA_ABI_VERSION})
lutra_package(program lutra interpreters "eager tensor interpreter with Lua 5.4" "" "libopenblas0-pthread | libblas3"
  "${about}\nThis package has the program, and the module for lua5.4.")
lutra_package(library ${library_name} libs "eager tensor runtime with Lua 5.4 (library)" "" "libopenblas0-pthread | libblas3"
  "${about}\nThis package has the library for programs that embed Lutra.")
lutra_package(development liblutra-dev libdevel "eager tensor runtime with Lua 5.4 (development files)"
  "${library_name} (= ${full_version}), libdnnl-dev, liblua5.4-dev, libpng-dev, zlib1g-dev" ""
  "${about}\nThis package has the headers for C and C++, and the static library.")
if(TARGET lutra_cuda_plugin)
  lutra_package(cuda lutra-cuda libs "kernels of Lutra for NVIDIA's cards"
    "lutra (= ${full_version}) | ${library_name} (= ${full_version})" ""
    "${about}\nThis package has the kernels for NVIDIA's cards; they need NVIDIA's driver and\ncuBLASLt.")
  # NVIDIA's licence of the static runtime in the plugin.
  get_filename_component(cuda_home "${NVCC}" REALPATH)
  get_filename_component(cuda_home "${cuda_home}/../.." ABSOLUTE)
  file(GLOB eula "${cuda_home}/EULA.txt" "${cuda_home}/dist-info/nvidia_cublas-*/licenses/License.txt")
  if(eula)
    list(GET eula 0 eula)
    install(FILES "${eula}" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/lutra-cuda" COMPONENT cuda RENAME NVIDIA-EULA.txt)
  endif()
endif()
if(TARGET lutra_mpi)
  lutra_package(mpi lutra-mpi libs "MPI for Lutra"
    "lutra (= ${full_version}) | ${library_name} (= ${full_version})" ""
    "${about}\nThis package lets several processes compute together by MPI.")
endif()
if(TARGET lutra_kernel)
  lutra_package(jupyter lutra-jupyter interpreters "kernel of Lutra for Jupyter" "lutra (= ${full_version})" ""
    "${about}\nThis package has the kernel for Jupyter; lutra kernel install tells Jupyter of\nit.")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lutra)
set(CPACK_PACKAGE_VENDOR "the Lutra authors")
# CPack's own default, which it does not put before the packages' descriptions.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_PACKAGE_CONTACT "${LUTRA_MAINTAINER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${package_release})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE lutra)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
include(CPack)
