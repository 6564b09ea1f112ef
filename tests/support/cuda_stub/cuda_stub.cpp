#include "support/cuda_stub/cuda_stub.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/driver.h"
#include "support/cuda_stub/shared_cards.h"

using namespace lutra::cuda;

// The driver's opaque types.
struct lutra::cuda::CUctx_st {
  int card = 0;
};
struct lutra::cuda::CUstream_st {
  struct Command {
    std::function<void()> run;
    std::shared_ptr<bool> waits_for;  // an event's moment; null: none
    bool is_work = true;              // what a lost card does no more
  };
  int card = 0;
  std::deque<Command> queue;
};
struct lutra::cuda::CUevent_st {
  std::shared_ptr<bool> moment;  // of the last record; null: never recorded
  CUstream_st* stream = nullptr;
};

namespace {

constexpr Result kInvalidValue = 1, kDeviceUnavailable = 46, kIllegalAddress = 700;
constexpr std::size_t kStep = std::size_t{2} << 20;
struct Memory {
  std::size_t bytes;
  int card;
};

struct Stub {
  std::recursive_mutex mutex;
  int cards = 1;
  std::size_t memory_bytes = std::size_t{4096} << 20, taken_bytes = 0;
  int driver_version = 13000, capability = 90, old_card = -1, closed_card = -1;
  int faulty_card = -1;
  uint64_t fault_at = 0, work_done[kMostCards] = {};
  bool has_vmm = true, is_random = false, has_peers = true;
  std::unique_ptr<SharedCards> shared;
  std::mt19937_64 random{1};
  bool is_counting = false;
  std::string calls, told;
  std::map<std::string, std::pair<int, Result>> failures;  // calls to go, what then
  bool lost[kMostCards] = {};
  CUctx_st contexts[kMostCards];
  int context_uses[kMostCards] = {};
  thread_local static CUctx_st* current;
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::map<MemoryHandle, Memory> handles;
  MemoryHandle next_handle = 1;
  std::map<Address, Memory> mapped, allocated;  // by address
  std::map<Address, std::size_t> reserved;
  std::map<void*, std::size_t> pinned;

  Stub() {
    for (int i = 0; i < kMostCards; ++i) contexts[i].card = i;
    if (const char* options = std::getenv("LUTRA_CUDA_STUB")) configure(options);
  }

  void configure(std::string_view options) {
    while (!options.empty()) {
      std::string_view word = options.substr(0, options.find(','));
      options.remove_prefix(std::min(options.size(), word.size() + 1));
      auto number = [&] { return std::strtoull(std::string(word.substr(word.find(':') + 1)).c_str(), nullptr, 10); };
      if (word == "inline") is_random = false;
      else if (word.starts_with("random:")) is_random = true, random.seed(number());
      else if (word.starts_with("cards:")) cards = static_cast<int>(std::min<uint64_t>(number(), kMostCards));
      else if (word.starts_with("memory:")) memory_bytes = number() << 20;
      else if (word.starts_with("taken:")) taken_bytes = number() << 20;
      else if (word.starts_with("driver:")) driver_version = static_cast<int>(number());
      else if (word.starts_with("capability:")) capability = static_cast<int>(number());
      else if (word.starts_with("old:")) old_card = static_cast<int>(number());
      else if (word.starts_with("closed:")) closed_card = static_cast<int>(number());
      else if (word.starts_with("faulty:")) faulty_card = static_cast<int>(number());
      else if (word.starts_with("fault-at:")) fault_at = number();
      else if (word.starts_with("shared:")) shared = std::make_unique<SharedCards>(std::string(word.substr(7)));
      else if (word == "vmm") has_vmm = true;
      else if (word == "no-vmm") has_vmm = false;
      else if (word == "peers") has_peers = true;
      else if (word == "no-peers") has_peers = false;
      else std::abort();
    }
  }

  // What the function of that name is to answer; success unless a test wants otherwise.
  Result enter(const char* function, std::size_t number = 0) {
    if (is_counting) calls += std::string(function) + " " + std::to_string(number) + "\n";
    auto failure = failures.find(function);
    if (failure == failures.end() || --failure->second.first > 0) return kSuccess;
    Result result = failure->second.second;
    failures.erase(failure);
    return result;
  }

  std::size_t own(int card) const {
    std::size_t sum = 0;
    for (const auto& [at, memory] : mapped) sum += memory.card == card ? memory.bytes : 0;
    for (const auto& [at, memory] : allocated) sum += memory.card == card ? memory.bytes : 0;
    for (const auto& [at, memory] : handles) sum += memory.card == card ? memory.bytes : 0;
    return sum;
  }
  std::size_t used(int card) const {
    std::size_t sum = taken_bytes + own(card) + (shared != nullptr ? shared->of_others(card) : 0);
    return std::min(sum, memory_bytes);
  }
  // Runs take() where the card has so much left, and nobody else can take it meanwhile.
  template <class Take> Result take(int card, std::size_t bytes, const Take& take) {
    SharedCards::Lock lock(shared.get());
    if (bytes > memory_bytes - used(card)) return kOutOfMemory;
    take();
    tell_others(card);
    return kSuccess;
  }
  void tell_others(int card) {
    if (shared != nullptr) shared->tell(card, own(card));
  }

  // Commands alone may touch the cards' memory.
  void let_touch(bool may) {
    int access = may ? PROT_READ | PROT_WRITE : PROT_NONE;
    for (const auto& [at, memory] : mapped) mprotect(reinterpret_cast<void*>(at), memory.bytes, access);
    for (const auto& [at, memory] : allocated) mprotect(reinterpret_cast<void*>(at), memory.bytes, access);
  }
  void run(CUstream_st::Command& command, int card) {
    if (command.is_work && card == faulty_card && ++work_done[card] == fault_at) lost[card] = true;
    if (command.is_work && lost[card]) return;
    let_touch(true);
    command.run();
    let_touch(false);
  }

  static bool may_run(const CUstream_st& stream) {
    return !stream.queue.empty() && (stream.queue.front().waits_for == nullptr || *stream.queue.front().waits_for);
  }
  // False when nothing can run.
  bool run_one() {
    std::vector<CUstream_st*> ready;
    for (CUstream_st* stream : streams) {
      if (may_run(*stream)) ready.push_back(stream);
    }
    if (ready.empty()) return false;
    CUstream_st& stream = *ready[random() % ready.size()];
    CUstream_st::Command command = std::move(stream.queue.front());
    stream.queue.pop_front();
    run(command, stream.card);
    return true;
  }
  void some() {
    if (!is_random || random() % 2 == 0) return;
    for (uint64_t left = random() % 4; left > 0 && run_one(); --left) {
    }
  }
  template <class Done> void until(const Done& done) {
    while (!done() && run_one()) {
    }
    if (!done()) std::abort();  // streams that wait for each other
  }

  // Of a call that has seen commands run: a fault of theirs is told from then on.
  Result answer() const { return lost[current->card] ? kIllegalAddress : kSuccess; }

  Result queue(CUstream_st* stream, std::function<void()> what, std::shared_ptr<bool> waits_for = nullptr,
               bool is_work = true) {
    if (streams.count(stream) == 0) return kInvalidValue;
    if (lost[stream->card]) return kIllegalAddress;
    stream->queue.push_back({std::move(what), std::move(waits_for), is_work});
    if (is_random) some();
    else until([stream] { return stream->queue.empty(); });
    return kSuccess;
  }
};
thread_local CUctx_st* Stub::current = nullptr;

Stub& stub() {
  static Stub& one = *new Stub;
  return one;
}

#define ENTER(name, number)      \
  Stub& s = stub();              \
  std::lock_guard lock(s.mutex); \
  if (Result told = s.enter(#name, number); told != kSuccess) return told
// The same where a context is needed.
#define ENTER_CONTEXT(name, number)     \
  ENTER(name, number);                  \
  if (s.current == nullptr) return 201; \
  if (s.lost[s.current->card]) return kIllegalAddress

}  // namespace

extern "C" {

void cuda_stub_fail(const char* function, int n, int result) {
  std::lock_guard lock(stub().mutex);
  if (*function == '\0') stub().failures.clear();
  else stub().failures[function] = {n, result};
}
const char* cuda_stub_calls() {
  std::lock_guard lock(stub().mutex);
  stub().is_counting = true;
  stub().told = std::exchange(stub().calls, "");
  return stub().told.c_str();
}
int cuda_stub_live() {
  Stub& s = stub();
  std::lock_guard lock(s.mutex);
  std::size_t count = s.streams.size() + s.events.size() + s.handles.size() + s.mapped.size() + s.allocated.size() +
                      s.reserved.size() + s.pinned.size();
  for (int uses : s.context_uses) count += static_cast<std::size_t>(uses);
  return static_cast<int>(count);
}
int cuda_stub_queued() {
  std::lock_guard lock(stub().mutex);
  std::size_t count = 0;
  for (const CUstream_st* stream : stub().streams) count += stream->queue.size();
  return static_cast<int>(count);
}
void cuda_stub_lose_card(int card) { stub().lost[card < 0 ? -1 - card : card] = card >= 0; }
void cuda_stub_configure(const char* options) { stub().configure(options); }

Result cuInit(unsigned) {
  ENTER(cuInit, 0);
  return s.cards > 0 ? kSuccess : kNoDevice;
}
Result cuDriverGetVersion(int* version) {
  ENTER(cuDriverGetVersion, 0);
  *version = s.driver_version;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** text) {
  *text = result == kOutOfMemory         ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kNoDevice          ? "CUDA_ERROR_NO_DEVICE"
          : result == kDeviceUnavailable ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
          : result == kIllegalAddress    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                         : "CUDA_ERROR_INVALID_VALUE";
  return kSuccess;
}
Result cuGetErrorString(Result result, const char** text) {
  *text = result == kOutOfMemory         ? "out of memory"
          : result == kNoDevice          ? "no CUDA-capable device is detected"
          : result == kDeviceUnavailable ? "CUDA-capable device(s) is/are busy or unavailable"
          : result == kIllegalAddress    ? "an illegal memory access was encountered"
                                         : "invalid argument";
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  ENTER(cuDeviceGetCount, 0);
  *count = s.cards;
  return s.cards > 0 ? kSuccess : kNoDevice;
}
Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  ENTER(cuDeviceGet, static_cast<std::size_t>(ordinal));
  *device = ordinal;
  return ordinal < s.cards ? kSuccess : kInvalidValue;
}
Result cuDeviceGetName(char* name, int length, DeviceHandle device) {
  std::string text = "Stub " + std::to_string(device);
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(length));
  return kSuccess;
}
Result cuDeviceGetPCIBusId(char* id, int length, DeviceHandle device) {
  std::string text = "0000:0" + std::to_string(device) + ":00.0";
  std::strncpy(id, text.c_str(), static_cast<std::size_t>(length));
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, int attribute, DeviceHandle device) {
  int capability = device == stub().old_card ? 70 : stub().capability;
  *value = attribute == kComputeCapabilityMajor   ? capability / 10
           : attribute == kComputeCapabilityMinor ? capability % 10
           : attribute == kMultiprocessorCount    ? 2
           : attribute == kVirtualMemorySupported ? stub().has_vmm
                                                  : 0;
  return kSuccess;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
  *bytes = stub().memory_bytes;
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(Context* context, DeviceHandle device) {
  ENTER(cuDevicePrimaryCtxRetain, static_cast<std::size_t>(device));
  if (device == s.closed_card) return kDeviceUnavailable;
  ++s.context_uses[device];
  *context = &s.contexts[device];
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  ENTER(cuDevicePrimaryCtxRelease, static_cast<std::size_t>(device));
  --s.context_uses[device];
  return kSuccess;
}
Result cuCtxSetCurrent(Context context) {
  stub().current = context;
  return kSuccess;
}
Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER_CONTEXT(cuMemGetInfo, 0);
  *total = s.memory_bytes;
  *free = s.memory_bytes - s.used(s.current->card);
  return kSuccess;
}
Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAlloc, bytes);
  return s.take(s.current->card, bytes, [&] {
    void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *address = reinterpret_cast<Address>(at);
    s.allocated[*address] = {bytes, s.current->card};
  });
}
Result cuMemFree_v2(Address address) {
  ENTER_CONTEXT(cuMemFree, 0);
  auto found = s.allocated.find(address);
  if (found == s.allocated.end()) return kInvalidValue;
  int card = found->second.card;
  munmap(reinterpret_cast<void*>(address), found->second.bytes);
  s.allocated.erase(found);
  s.tell_others(card);
  return kSuccess;
}
Result cuMemHostAlloc(void** host, std::size_t bytes, unsigned) {
  ENTER_CONTEXT(cuMemHostAlloc, bytes);
  *host = std::malloc(bytes);
  s.pinned[*host] = bytes;
  return kSuccess;
}
Result cuMemFreeHost(void* host) {
  ENTER_CONTEXT(cuMemFreeHost, 0);
  if (s.pinned.erase(host) == 0) return kInvalidValue;
  std::free(host);
  return kSuccess;
}
Result cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationProperties*, int) {
  *bytes = kStep;
  return kSuccess;
}
Result cuMemAddressReserve(Address* address, std::size_t bytes, std::size_t, Address, unsigned long long) {
  ENTER_CONTEXT(cuMemAddressReserve, bytes);
  if (bytes == 0 || bytes % kStep != 0) return kInvalidValue;
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return kOutOfMemory;
  *address = reinterpret_cast<Address>(at);
  s.reserved[*address] = bytes;
  return kSuccess;
}
Result cuMemAddressFree(Address address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAddressFree, bytes);
  auto found = s.reserved.find(address);
  if (found == s.reserved.end() || found->second != bytes) return kInvalidValue;
  for (const auto& [at, memory] : s.mapped) {
    if (at >= address && at < address + bytes) return kInvalidValue;  // still in use
  }
  munmap(reinterpret_cast<void*>(address), bytes);
  s.reserved.erase(found);
  return kSuccess;
}
Result cuMemCreate(MemoryHandle* handle, std::size_t bytes, const AllocationProperties* properties,
                   unsigned long long) {
  ENTER_CONTEXT(cuMemCreate, bytes);
  if (bytes == 0 || bytes % kStep != 0 || properties->type != kPinned) return kInvalidValue;
  return s.take(properties->location.id, bytes, [&] {
    *handle = s.next_handle++;
    s.handles[*handle] = {bytes, properties->location.id};
  });
}
Result cuMemRelease(MemoryHandle handle) {
  ENTER_CONTEXT(cuMemRelease, 0);
  auto found = s.handles.find(handle);
  if (found == s.handles.end()) return kInvalidValue;
  int card = found->second.card;
  s.handles.erase(found);
  s.tell_others(card);
  return kSuccess;
}
Result cuMemMap(Address address, std::size_t bytes, std::size_t offset, MemoryHandle handle, unsigned long long) {
  ENTER_CONTEXT(cuMemMap, bytes);
  auto found = s.handles.find(handle);
  if (found == s.handles.end() || offset != 0 || found->second.bytes != bytes) return kInvalidValue;
  for (const auto& [at, memory] : s.mapped) {
    if (at < address + bytes && address < at + memory.bytes) return kInvalidValue;
  }
  s.mapped[address] = found->second;
  return kSuccess;
}
Result cuMemUnmap(Address address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemUnmap, bytes);
  auto found = s.mapped.find(address);
  if (found == s.mapped.end() || found->second.bytes != bytes) return kInvalidValue;
  int card = found->second.card;
  s.mapped.erase(found);
  s.tell_others(card);
  madvise(reinterpret_cast<void*>(address), bytes, MADV_DONTNEED);
  mprotect(reinterpret_cast<void*>(address), bytes, PROT_NONE);
  return kSuccess;
}
Result cuMemSetAccess(Address address, std::size_t bytes, const AccessDescription* access, std::size_t count) {
  ENTER_CONTEXT(cuMemSetAccess, bytes);
  if (s.is_counting && count > 1) s.calls += "  for " + std::to_string(count) + " cards\n";
  auto found = s.mapped.find(address);
  if (found == s.mapped.end() || found->second.bytes != bytes || count == 0) return kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].flags != kReadWrite || access[i].location.id >= s.cards) return kInvalidValue;
  }
  return kSuccess;
}
Result cuDeviceCanAccessPeer(int* can, DeviceHandle, DeviceHandle) {
  *can = stub().has_peers ? 1 : 0;
  return kSuccess;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync, bytes);
  return s.queue(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync, bytes);
  return s.queue(stream, [=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync, bytes);
  return s.queue(stream, [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}
Result cuMemcpyPeerAsync(Address to, Context, Address from, Context, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyPeerAsync, bytes);
  return s.queue(stream, [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}
Result cuStreamCreate(StreamHandle* stream, unsigned) {
  ENTER_CONTEXT(cuStreamCreate, 0);
  *stream = new CUstream_st{s.current->card, {}};
  s.streams.insert(*stream);
  return kSuccess;
}
Result cuStreamDestroy_v2(StreamHandle stream) {
  ENTER_CONTEXT(cuStreamDestroy, 0);
  if (s.streams.count(stream) == 0 || !stream->queue.empty()) return kInvalidValue;
  s.streams.erase(stream);
  delete stream;
  return kSuccess;
}
Result cuStreamSynchronize(StreamHandle stream) {
  ENTER_CONTEXT(cuStreamSynchronize, 0);
  s.until([stream] { return stream->queue.empty(); });
  return s.answer();
}
Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  ENTER_CONTEXT(cuStreamWaitEvent, 0);
  return s.queue(
      stream, [] {}, event->moment, false);
}
Result cuLaunchHostFunc(StreamHandle stream, HostFunction function, void* user) {
  ENTER_CONTEXT(cuLaunchHostFunc, 0);
  return s.queue(stream, [=] { function(user); });
}
Result cuEventCreate(EventHandle* event, unsigned) {
  ENTER_CONTEXT(cuEventCreate, 0);
  *event = new CUevent_st;
  s.events.insert(*event);
  return kSuccess;
}
Result cuEventDestroy_v2(EventHandle event) {
  ENTER_CONTEXT(cuEventDestroy, 0);
  if (s.events.erase(event) == 0) return kInvalidValue;
  delete event;
  return kSuccess;
}
Result cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER_CONTEXT(cuEventRecord, 0);
  auto moment = std::make_shared<bool>(false);
  event->moment = moment;
  event->stream = stream;
  return s.queue(
      stream, [moment] { *moment = true; }, nullptr, false);
}
Result cuEventQuery(EventHandle event) {
  ENTER_CONTEXT(cuEventQuery, 0);
  s.some();
  return event->moment == nullptr || *event->moment ? s.answer() : kNotReady;
}
Result cuEventSynchronize(EventHandle event) {
  ENTER_CONTEXT(cuEventSynchronize, 0);
  s.until([event] { return event->moment == nullptr || *event->moment; });
  return s.answer();
}
}
