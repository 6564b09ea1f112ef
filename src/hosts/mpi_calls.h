// The interface to liblutra_mpi.so: MPI's calls as plain C functions, so that nothing else includes mpi.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lutra {

// 0: no request, or one that is done.
using MpiRequest = uint64_t;

struct MpiCalls {
  std::size_t bytes;   // sizeof(MpiCalls) of the plugin's build
  const char* build;   // its LUTRA_VERSION
  const char* header;  // the MPI that it was compiled for, as in "Open MPI 4.1.4"

  // Initialises MPI for calls from several threads, one at a time. Returns null, or why it is impossible.
  const char* (*start)(int* rank, int* size);
  const char* (*library)();  // the MPI that is loaded, one line
  // Both return at once; the memory must stay until the request is done.
  MpiRequest (*send)(const void* from, std::size_t bytes, int to, int tag);
  MpiRequest (*receive)(void* into, std::size_t bytes, int from, int tag);
  // Whether it is done; then *request becomes 0.
  bool (*done)(MpiRequest* request);
  // Whether a message with this tag has arrived.
  bool (*probe)(int tag, int* from, std::size_t* bytes);
  // Ends all processes of the job.
  void (*abort)(int status);
  void (*finish)();
};

// The plugin's only export.
using MpiPluginEntry = const MpiCalls*();

}  // namespace lutra
