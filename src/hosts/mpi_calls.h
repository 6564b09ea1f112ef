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

  // Initialises MPI, for calls from several threads, one at a time, if is_threaded. Returns null, or why that is
  // impossible.
  const char* (*start)(bool is_threaded, int* rank, int* size);
  const char* (*library)();  // the MPI that is loaded, one line
  // Both return at once; the memory must stay until the request is done.
  MpiRequest (*send)(const void* from, std::size_t bytes, int to, int tag);
  MpiRequest (*receive)(void* into, std::size_t bytes, int from, int tag);
  // Whether all of so many are done. Those that are done become 0.
  bool (*done)(MpiRequest* requests, std::size_t count);
  // Whether a message with this tag has arrived.
  bool (*probe)(int tag, int* from, std::size_t* bytes);
  // Ends all processes of the job.
  void (*abort)(int status);
  void (*finish)();
};

// The plugin's only export.
using MpiPluginEntry = const MpiCalls*();

}  // namespace lutra
