#include "support/cuda_stub/nccl_stub.h"

#include <memory>
#include <set>
#include <vector>

#include "kernels/cuda/libraries/nccl.h"
#include "support/cuda_stub/library_state.h"

using namespace lutra;
using namespace lutra::cuda;

// The library's opaque type.
struct lutra::cuda::ncclComm {
  int rank, count;
};

namespace {

constexpr NcclResult kUnhandledCudaError = 1, kInvalidArgument = 4, kInvalidUsage = 5;

test::LibraryState& stub() {
  static test::LibraryState& one = *new test::LibraryState;
  return one;
}
#define ENTER(name) \
  if (NcclResult told = stub().enter(#name); told != kNcclSuccess) return told

struct Rank {
  Communicator communicator;
  std::byte* data;
  std::size_t count;
  int type;
  StreamHandle stream;
};
// Those of the group that is open.
std::vector<Rank>& group() {
  thread_local std::vector<Rank> ranks;
  return ranks;
}

template <class T> void add_up(const std::vector<Rank>& ranks) {
  for (std::size_t i = 0; i < ranks[0].count; ++i) {
    T sum = reinterpret_cast<T*>(ranks.back().data)[i];
    for (std::size_t r = ranks.size() - 1; r-- > 0;) {
      sum = static_cast<T>(static_cast<float>(sum) + static_cast<float>(reinterpret_cast<T*>(ranks[r].data)[i]));
    }
    for (const Rank& rank : ranks) reinterpret_cast<T*>(rank.data)[i] = sum;
  }
}
void run(const std::vector<Rank>& ranks) {
  switch (ranks.front().type) {
    case kNcclFloat16: return add_up<Float16>(ranks);
    case kNcclBFloat16: return add_up<BFloat16>(ranks);
    case kNcclFloat64: return add_up<double>(ranks);
    default: return add_up<float>(ranks);
  }
}

// The first stream waits for the others, makes the sum, and they wait for that.
NcclResult queue(const std::vector<Rank>& ranks) {
  Result failed = kSuccess;
  auto call = [&](const char* name, auto... arguments) {
    auto* function = reinterpret_cast<Result (*)(decltype(arguments)...)>(dlsym(stub().open_driver(), name));
    if (failed == kSuccess) failed = function(arguments...);
  };
  std::vector<EventHandle> events(ranks.size());
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    call("cuEventCreate", &events[r], 0u);
    call("cuEventRecord", events[r], ranks[r].stream);
    call("cuStreamWaitEvent", ranks[0].stream, events[r], 0u);
  }
  if (failed == kSuccess && !stub().launch(ranks[0].stream, [ranks] { run(ranks); })) failed = 1;
  call("cuEventCreate", &events[0], 0u);
  call("cuEventRecord", events[0], ranks[0].stream);
  for (std::size_t r = 1; r < ranks.size(); ++r) call("cuStreamWaitEvent", ranks[r].stream, events[0], 0u);
  for (EventHandle event : events) call("cuEventDestroy_v2", event);
  return failed == kSuccess ? kNcclSuccess : kUnhandledCudaError;
}

}  // namespace

extern "C" {

void nccl_stub_fail(const char* function, int n, int result) { stub().fail(function, n, result); }
const char* nccl_stub_calls() { return stub().take_calls(); }
int nccl_stub_live() { return stub().live; }
void nccl_stub_driver(const char* library) { stub().driver = library; }

const char* ncclGetErrorString(NcclResult result) {
  return result == kInvalidUsage      ? "invalid usage"
         : result == kInvalidArgument ? "invalid argument"
                                      : "unhandled cuda error";
}
NcclResult ncclCommInitAll(Communicator* all, int count, const int* devices) {
  ENTER(ncclCommInitAll);
  if (std::set<int>(devices, devices + count).size() != static_cast<std::size_t>(count)) return kInvalidUsage;
  for (int rank = 0; rank < count; ++rank) all[rank] = new ncclComm{rank, count};
  stub().count(count);
  return kNcclSuccess;
}
NcclResult ncclCommAbort(Communicator communicator) {
  delete communicator;
  stub().count(-1);
  return kNcclSuccess;
}
NcclResult ncclGroupStart() {
  group().clear();
  return kNcclSuccess;
}
NcclResult ncclAllReduce(const void* from, void* to, std::size_t count, int type, int how, Communicator communicator,
                         StreamHandle stream) {
  ENTER(ncclAllReduce);
  if (from != to || how != kNcclSum || communicator->rank != static_cast<int>(group().size())) return kInvalidArgument;
  group().push_back({communicator, static_cast<std::byte*>(to), count, type, stream});
  return kNcclSuccess;
}
NcclResult ncclGroupEnd() {
  ENTER(ncclGroupEnd);
  std::vector<Rank> ranks = std::move(group());
  if (ranks.empty() || ranks.size() != static_cast<std::size_t>(ranks[0].communicator->count)) return kInvalidUsage;
  for (const Rank& rank : ranks) {
    if (rank.count != ranks[0].count || rank.type != ranks[0].type) return kInvalidArgument;
  }
  stub().note("all_reduce " + std::to_string(ranks.size()) + " " + std::to_string(ranks[0].count));
  return queue(ranks);
}
}
