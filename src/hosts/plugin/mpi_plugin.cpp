// liblutra_mpi.so: the calls of mpi_calls.h by the MPI that is installed. Built only where mpi.h is.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstring>
#include <vector>

#include "core/version.h"
#include "hosts/mpi_calls.h"

namespace lutra {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(MpiRequest));

// Lutra's messages are on a communicator of their own, apart from those of other libraries in the process.
MPI_Comm world = MPI_COMM_NULL;

MpiRequest packed(MPI_Request request) {
  MpiRequest bits = 0;
  std::memcpy(&bits, &request, sizeof request);
  return bits;
}

MPI_Request unpacked(MpiRequest bits) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (bits != 0) std::memcpy(&request, &bits, sizeof request);
  return request;
}

const char* start(bool is_threaded, int* rank, int* size) {
  int is_there = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_there);
  if (is_there != 0) MPI_Query_thread(&level);
  else MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (is_threaded && level < MPI_THREAD_SERIALIZED)
    return "this MPI takes calls from one thread only; Lutra makes them from two";
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(world, rank);
  MPI_Comm_size(world, size);
  return nullptr;
}

const char* library() {
  static char line[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(line, &length);
  line[std::strcspn(line, ",\n")] = '\0';
  return line;
}

MpiRequest send(const void* from, std::size_t bytes, int to, int tag) {
  MPI_Request request;
  MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to, tag, world, &request);
  return packed(request);
}

MpiRequest receive(void* into, std::size_t bytes, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, from, tag, world, &request);
  return packed(request);
}

bool done(MpiRequest* bits, std::size_t count) {
  static std::vector<MPI_Request> requests;
  static std::vector<int> indices;
  requests.resize(count);
  indices.resize(count);
  for (std::size_t i = 0; i < count; ++i) requests[i] = unpacked(bits[i]);
  int found = 0;
  MPI_Testsome(static_cast<int>(count), requests.data(), &found, indices.data(), MPI_STATUSES_IGNORE);
  bool are_all_done = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) bits[i] = 0;
    else are_all_done = false;
  }
  return are_all_done;
}

bool probe(int tag, int* from, std::size_t* bytes) {
  int is_there = 0, count = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, world, &is_there, &status);
  if (is_there == 0) return false;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *bytes = static_cast<std::size_t>(count);
  return true;
}

void abort_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void finish() { MPI_Finalize(); }

#define LUTRA_WORDS_(x) #x
#define LUTRA_WORDS(x) LUTRA_WORDS_(x)
#if defined OPEN_MPI
constexpr const char* kHeader = "Open MPI " LUTRA_WORDS(OMPI_MAJOR_VERSION) "." LUTRA_WORDS(OMPI_MINOR_VERSION);
#elif defined MPICH_VERSION
constexpr const char* kHeader = "MPICH " MPICH_VERSION;
#else
constexpr const char* kHeader = "an MPI";
#endif

constexpr MpiCalls kCalls = {sizeof(MpiCalls), LUTRA_VERSION, kHeader, start,     library, send,
                             receive,          done,          probe,   abort_job, finish};

}  // namespace
}  // namespace lutra

extern "C" [[gnu::visibility("default")]] const lutra::MpiCalls* lutra_mpi_plugin() { return &lutra::kCalls; }
