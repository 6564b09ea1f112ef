#include "eager/transfer.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "device/stream_times.h"
#include "eager/context.h"

namespace lutra {
namespace {

// Mirrors on one GPU may take 1 / kMirrorShare of its limit.
constexpr std::size_t kMirrorShare = 4;
// Mirrors found by their contents. Each takes a block of the device's memory.
constexpr std::size_t kMaxSmallMirrors = 256;

void order_after(Stream& stream, Ticket ticket) {
  if (!is_done(ticket)) stream.wait_for(ticket);
}

template <class Map, class Key> void erase(Map& map, const Key& key, const Mirror* mirror) {
  auto [first, last] = map.equal_range(key);
  while (first != last && first->second != mirror) ++first;
  if (first != last) map.erase(first);
}

// Makes a copy on `stream` that reads `source` wait until the source is written.
void wait_for_source(LogicalDevice& from, const Storage& source, Stream& stream) {
  order_after(stream, from.compute->tail_ticket());
  order_after(stream, source.ready);
}

// Counts a copy from its construction on, and reports it to observers, when `queued` is called.
class NotedCopy {
 public:
  NotedCopy(Context& context, const LogicalDevice& from, const LogicalDevice& to, const TensorRep& tensor,
            std::size_t bytes, CopyReason why, Stream& stream)
      : context_(context),
        from_(from),
        to_(to),
        tensor_(tensor),
        bytes_(static_cast<int64_t>(bytes)),
        why_(why),
        stream_(stream),
        before_(stream.tail()),
        begin_ns_(context.is_observed() ? now_ns() : 0) {}

  void queued() noexcept {
    try {
      context_.copy_totals().add(context_.position(), from_, to_, why_, bytes_);
    } catch (...) {
      // No memory to count it. The copy is in flight, so it must not fail.
    }
    // Without bytes there may be no command.
    if (!context_.is_observed() || stream_.tail() == before_) return;
    const Copied copied{from_, to_, tensor_, bytes_, why_, &stream_, before_ + 1, stream_.tail(), begin_ns_, now_ns()};
    context_.tell_observers([&](Observer& each) { each.copied(copied); });
  }

 private:
  Context& context_;
  const LogicalDevice &from_, &to_;
  const TensorRep& tensor_;
  const int64_t bytes_;
  const CopyReason why_;
  Stream& stream_;
  const uint64_t before_;
  const int64_t begin_ns_;
};

// A copy of a GPU tensor's bytes to host memory, in flight. The host memory must live until it is done; the destructor
// waits for it.
class Arrival {
 public:
  Arrival(Context& context, FaultSets& sets, LogicalDevice& from, const TensorRep& tensor, std::byte* to,
          std::size_t offset, std::size_t bytes, CopyReason why)
      : sets_(sets), from_(from), source_(*tensor.storage), to_(to), unchecked_bytes_(bytes) {
    source_.retain();
    faults_ = source_.fault_set;
    sets_.retain(faults_);
    try {
      wait_for_source(from, source_, *from.copy);
      NotedCopy noted(context, from, context.runtime().cpu(), tensor, bytes, why, *from.copy);
      ticket_ = from.copy->copy({to, tensor.data + offset, bytes}, false);
      noted.queued();
    } catch (...) {
      let_go();
      throw;
    }
  }
  Arrival(const Arrival&) = delete;
  ~Arrival() {
    wait();
    try {
      check_arrived();
    } catch (...) {
      // check() was not called, as another copy has failed.
    }
    let_go();
  }

  void wait() { host_wait(ticket_, "read"); }
  // Raises the error of a failed launch that the tensor depends on.
  void check() {
    from_.copy->check();
    sets_.check(faults_);
    check_arrived();
  }

 private:
  void check_arrived() {
    std::size_t bytes = std::exchange(unchecked_bytes_, 0);
    if (bytes > 0) from_.copy->check_arrived(to_, bytes);
  }
  void let_go() {
    source_.release();
    sets_.release(faults_);
  }

  FaultSets& sets_;
  LogicalDevice& from_;
  Storage& source_;
  std::byte* to_;
  std::size_t unchecked_bytes_;
  uint32_t faults_;
  Ticket ticket_;
};

}  // namespace

void Transfer::make_ready(LogicalDevice& device, Storage& storage) {
  if (!storage.ready) return;
  if (!is_done(storage.ready)) device.compute->wait_for(storage.ready);
  storage.ready = {};
}

void Transfer::before_overwrite(LogicalDevice& device, Storage& storage) {
  drop_mirrors_of(&storage);
  if (!device.is_host()) make_ready(device, storage);
  if (!storage.reading) return;
  if (device.is_host()) host_wait(storage.reading, "memory");
  else if (!is_done(storage.reading)) device.compute->wait_for(storage.reading);
  storage.reading = {};
}

void Transfer::write(Context& context, const TensorRep& from, LogicalDevice& to, Storage& storage, CopyReason why) {
  const std::size_t bytes = from.nbytes();
  if (to.is_host()) {
    if (bytes > 0) std::memcpy(storage.data, from.address(), bytes);
    return;
  }
  order_after(*to.copy, to.heap->idle(storage));
  NotedCopy noted(context, context.runtime().device(from.device), to, from, bytes, why, *to.copy);
  storage.ready = to.copy->copy({storage.data, from.address(), bytes}, true);
  noted.queued();
}

void Transfer::read(Context& context, const TensorRep& tensor, std::byte* to, std::size_t offset, std::size_t bytes) {
  context.tell_observers([](Observer& each) { each.reads_value(); });
  read_as(context, tensor, to, offset, bytes, CopyReason::Read);
}

void Transfer::read_as(Context& context, const TensorRep& tensor, std::byte* to, std::size_t offset, std::size_t bytes,
                       CopyReason why) {
  LogicalDevice& from = context.runtime().device(tensor.device);
  if (from.is_host()) {
    if (bytes > 0) std::memcpy(to, tensor.address() + offset, bytes);
    return;
  }
  context.wait_for(from, "read");
  Arrival arrival(context, faults_, from, tensor, to, offset, bytes, why);
  arrival.wait();
  context.tell_observers([](Observer& each) { each.waited(); });
  arrival.check();
}

void Transfer::read_all(Context& context, std::span<const TensorRep* const> tensors, std::byte* to) {
  context.tell_observers([](Observer& each) { each.reads_value(); });
  std::deque<Arrival> arrivals;
  for (const TensorRep* tensor : tensors) {
    LogicalDevice& from = context.runtime().device(tensor->device);
    const std::size_t bytes = tensor->nbytes();
    if (from.is_host()) read_as(context, *tensor, to, 0, bytes, CopyReason::Read);
    else arrivals.emplace_back(context, faults_, from, *tensor, to, 0, bytes, CopyReason::Read);
    to += bytes;
  }
  // Backwards, as the last copy of a device ends last: then no wait for an earlier one sleeps.
  for (auto arrival = arrivals.rbegin(); arrival != arrivals.rend(); ++arrival) arrival->wait();
  context.tell_observers([](Observer& each) { each.waited(); });
  for (Arrival& arrival : arrivals) arrival.check();
}

Storage* Transfer::fetch(Context& context, const TensorRep& tensor, LogicalDevice& to, bool* was_copied,
                         CopyReason why) {
  Storage* copy = fetch_mirror(context, tensor, to, was_copied, why);
  context.tell_observers([&](Observer& each) { each.mirrored(tensor, *copy); });
  return copy;
}

Storage* Transfer::fetch_mirror(Context& context, const TensorRep& tensor, LogicalDevice& to, bool* was_copied,
                                CopyReason why) {
  *was_copied = false;
  if (Mirror* known = find(tensor, to)) {
    recent_.splice(recent_.begin(), recent_, known->place);
    known->copy->retain();
    return known->copy;
  }
  *was_copied = true;
  LogicalDevice& from = context.runtime().device(tensor.device);
  std::size_t bytes = tensor.nbytes();
  if (tensor.storage != nullptr) tensor.storage->retain();  // a finalizer may release the tensor by hand
  TensorRep source = tensor;
  Storage* copy = nullptr;
  try {
    copy = context.allocate(to, bytes, {"copy", source.dtype, source.shape()});
    if (from.is_host() && source.storage == nullptr) {
      write(context, source, to, *copy, why);
    } else if (from.is_host()) {
      order_after(*to.copy, to.heap->idle(*copy));
      // `reading` is one ticket for all readers, so a reader on another stream must come after the last one.
      if (!to.is_remote() && source.storage->reading.stream != to.copy.get())
        order_after(*to.copy, source.storage->reading);
      NotedCopy noted(context, from, to, source, bytes, why, *to.copy);
      copy->ready = to.copy->copy({copy->data, source.data, bytes}, to.is_remote());
      // Another process is sent the bytes at once.
      if (!to.is_remote()) source.storage->reading = copy->ready;
      noted.queued();
    } else if (to.is_host()) {
      read_as(context, source, copy->data, 0, bytes, why);
    } else if (from.physical->process() != to.physical->process()) {
      // By way of this process' memory.
      std::vector<std::byte> here(bytes);
      read_as(context, source, here.data(), 0, bytes, why);
      order_after(*to.copy, to.heap->idle(*copy));
      NotedCopy noted(context, from, to, source, bytes, why, *to.copy);
      copy->ready = to.copy->copy({copy->data, here.data(), bytes}, true);
      noted.queued();
    } else {
      Stream& stream = *from.copy;
      wait_for_source(from, *source.storage, stream);
      order_after(stream, to.heap->idle(*copy));
      NotedCopy noted(context, from, to, source, bytes, why, stream);
      copy->ready = source.storage->reading = stream.copy({copy->data, source.data, bytes}, false);
      noted.queued();
      copy->fault_set = faults_.unite(source.storage->fault_set, 0);
    }
    remember(source, copy);
  } catch (...) {
    if (copy != nullptr) copy->release();
    drop(source);
    throw;
  }
  drop(source);
  return copy;
}

Mirror* Transfer::find(const TensorRep& tensor, const LogicalDevice& to) {
  if (tensor.storage == nullptr) {
    std::string key(reinterpret_cast<const char*>(tensor.bytes), tensor.nbytes());
    auto [first, last] = small_.equal_range(key);
    for (; first != last; ++first) {
      if (first->second->copy->device == to.id) return first->second;
    }
    return nullptr;
  }
  if (tensor.storage->mirrors == nullptr) return nullptr;
  auto [first, last] = parts_.equal_range(tensor.data);
  for (; first != last; ++first) {
    Mirror* mirror = first->second;
    if (mirror->source == tensor.storage && mirror->copy->device == to.id && mirror->bytes == tensor.nbytes())
      return mirror;
  }
  return nullptr;
}

// Whatever may throw comes first; only then is the mirror linked into the lists.
void Transfer::remember(const TensorRep& tensor, Storage* copy) {
  auto made = std::make_unique<Mirror>();
  Mirror* mirror = made.get();
  mirror->source = tensor.storage;
  mirror->bytes = tensor.nbytes();
  mirror->copy = copy;
  std::list<Mirror*> place{mirror};
  std::size_t& held = bytes_[copy->device];
  if (tensor.storage != nullptr) {
    parts_.emplace(tensor.data, mirror);
    mirror->offset = static_cast<std::size_t>(tensor.data - tensor.storage->data);
    mirror->next = tensor.storage->mirrors;
    mirror->link = &tensor.storage->mirrors;
    if (mirror->next != nullptr) mirror->next->link = &mirror->next;
    tensor.storage->mirrors = mirror;
  } else {
    mirror->contents.assign(reinterpret_cast<const char*>(tensor.bytes), tensor.nbytes());
    small_.emplace(mirror->contents, mirror);
  }
  static_cast<void>(made.release());  // the lists own it now
  recent_.splice(recent_.begin(), place);
  mirror->place = recent_.begin();
  copy->retain();

  held += mirror->bytes;
  std::size_t most = SIZE_MAX;
  if (copy->owner != nullptr && limit_of_) most = limit_of_(copy->device) / kMirrorShare;
  while (recent_.size() > 1 && (held > most || small_.size() > kMaxSmallMirrors)) {
    auto oldest = std::find_if(recent_.rbegin(), recent_.rend(), [&](Mirror* other) {
      return other != mirror && (held > most ? other->copy->device == copy->device : other->source == nullptr);
    });
    if (oldest == recent_.rend()) break;
    forget(*oldest);
  }
}

void Transfer::forget(Mirror* mirror) {
  if (mirror->source != nullptr) {
    *mirror->link = mirror->next;
    if (mirror->next != nullptr) mirror->next->link = mirror->link;
    erase(parts_, mirror->source->data + mirror->offset, mirror);
  } else {
    erase(small_, mirror->contents, mirror);
  }
  recent_.erase(mirror->place);
  bytes_[mirror->copy->device] -= mirror->bytes;
  mirror->next = forgotten_;
  forgotten_ = mirror;
  // Freeing a copy forgets the copy's own mirrors. A loop, not recursion, as the chain of copies may be long.
  if (releasing_) return;
  releasing_ = true;
  release_forgotten();
}

void Transfer::release_forgotten() {
  while (forgotten_ != nullptr) {
    std::unique_ptr<Mirror> mirror(std::exchange(forgotten_, forgotten_->next));
    mirror->copy->release();
  }
  releasing_ = false;
}

bool Transfer::drop_mirrors(const LogicalDevice* device) {
  bool any = false;
  // Copies are released after the loop: freeing one forgets its own mirrors, which may come next in the list.
  bool outermost = !std::exchange(releasing_, true);
  for (auto at = recent_.begin(); at != recent_.end();) {
    Mirror* mirror = *at++;
    if (device != nullptr && mirror->copy->device != device->id) continue;
    forget(mirror);
    any = true;
  }
  if (outermost) release_forgotten();
  return any;
}

void Transfer::drop_mirrors_of(Storage* storage) {
  while (storage->mirrors != nullptr) forget(storage->mirrors);
}

}  // namespace lutra
