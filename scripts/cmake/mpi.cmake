# liblutra_mpi.so, which calls MPI: built where mpi.h and libmpi are, unless LUTRA_MPI is OFF. The rest of the build does
# not depend on it (src/hosts opens it). Sanitized builds are without: Open MPI replaces functions of the C library that the
# sanitizers intercept, and leaks. CMake's FindMPI would compile and run programs; two files are enough here.
if(LUTRA_MPI AND NOT LUTRA_SANITIZE)
  set(mpi_homes "$ENV{MPI_HOME}" "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi" "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/mpich"
    "/usr/${CMAKE_LIBRARY_ARCHITECTURE}/mpich" /usr/lib64/openmpi)
  find_path(MPI_INCLUDE mpi.h HINTS ${mpi_homes} PATH_SUFFIXES include)
  find_library(MPI_LIBRARY NAMES mpi mpich HINTS ${mpi_homes} PATH_SUFFIXES lib)
endif()
if(LUTRA_MPI AND NOT LUTRA_SANITIZE AND MPI_INCLUDE AND MPI_LIBRARY)
  add_library(lutra_mpi MODULE src/hosts/plugin/mpi_plugin.cpp)
  target_include_directories(lutra_mpi PRIVATE src "${GENERATED_DIR}")
  target_include_directories(lutra_mpi SYSTEM PRIVATE "${MPI_INCLUDE}")
  target_link_libraries(lutra_mpi PRIVATE "${MPI_LIBRARY}")
  # Never unloaded: MPI's own threads and handlers stay.
  target_link_options(lutra_mpi PRIVATE LINKER:-z,nodelete LINKER:-soname,liblutra_mpi.so)
  add_dependencies(lutra lutra_mpi)
  install(TARGETS lutra_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi)
elseif(LUTRA_MPI AND NOT LUTRA_SANITIZE)
  message(STATUS "The MPI plugin is left out: there is no mpi.h (Debian: libopenmpi-dev)")
endif()
