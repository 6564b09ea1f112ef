#include "device/cuda/cuda_stream.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "core/clock.h"
#include "core/error.h"

namespace lutra::cuda {
namespace {

struct HostCall {
  void (*run)(void* args);
  void* args;
};

void run_host_call(void* user) {
  HostCall* call = static_cast<HostCall*>(user);
  call->run(call->args);
  ::operator delete(call->args);
  delete call;
}

// What the driver has made of a captured graph.
struct GraphBatch final : CommandBatch {
  explicit GraphBatch(std::shared_ptr<Card> its_card) : card(std::move(its_card)) {}
  ~GraphBatch() override { clear(); }
  // One that still runs is destroyed when it has.
  void clear() {
    GraphExecHandle old = std::exchange(exec, nullptr);
    if (old != nullptr && card->try_use()) card->driver.destroy_graph_exec(old);
  }
  std::shared_ptr<Card> card;
  GraphExecHandle exec = nullptr;
};

class CapturedGraph {
 public:
  explicit CapturedGraph(const Driver& driver) : driver_(driver) {}
  ~CapturedGraph() {
    if (handle != nullptr) driver_.destroy_graph(handle);
  }
  CapturedGraph(const CapturedGraph&) = delete;
  GraphHandle handle = nullptr;

 private:
  const Driver& driver_;
};

}  // namespace

CudaStream::CudaStream(std::shared_ptr<Card> card)
    : card_(std::move(card)),
      faults_(*card_),
      small_ring_(*card_, kSmallRingBytes),
      ring_(*card_, kRingBytes),
      times_(*card_) {
  card_->use();
  card_->require(card_->driver.create_stream(&stream_, kStreamNonBlocking), "cuStreamCreate");
}

CudaStream::~CudaStream() {
  host_wait(tail_);
  if (!card_->try_use()) return;
  for (const Mark& mark : marks_) card_->driver.destroy_event(mark.event);
  for (EventHandle event : events_) card_->driver.destroy_event(event);
  card_->driver.destroy_stream(stream_);
}

Ticket CudaStream::queued(Ticket awaited) {
  ++tail_;
  if (times_.is_on()) [[unlikely]]
    times_.end(stream_, tail_, awaited);
  mark_if_due();
  return {this, tail_};
}

void CudaStream::mark_if_due() {
  const uint64_t marked = marks_.empty() ? reached_ : marks_.back().seq;
  if (tail_ - marked < kCommandsPerEvent || is_collecting_) return;
  mark_tail();
  // Even if nobody waits: this returns slots, events and pinned memory.
  ask();
}

void CudaStream::forget_launch(FaultSlot* slot) {
  try {
    queue_collected();
  } catch (const Error&) {  // the failed call has spoilt them
  }
  ++tail_;
  if (card_->driver.synchronize_stream(stream_) == kSuccess) reach(tail_);
  if (slot != nullptr) faults_.give_back(slot);
}

void CudaStream::mark_tail() {
  EventHandle event = nullptr;
  if (events_.empty()) {
    card_->require(card_->driver.create_event(&event, kEventDisableTiming), "cuEventCreate");
  } else {
    event = events_.back();
    events_.pop_back();
  }
  Result result = card_->driver.record_event(event, stream_);
  if (result != kSuccess) events_.push_back(event);
  card_->require(result, "cuEventRecord");
  marks_.push_back({tail_, event});
}

EventHandle CudaStream::event_for(uint64_t seq) {
  if (marks_.empty() || marks_.back().seq < seq) {
    queue_collected();
    mark_tail();
  }
  return std::find_if(marks_.begin(), marks_.end(), [seq](const Mark& mark) { return mark.seq >= seq; })->event;
}

void CudaStream::begin_batch(std::unique_ptr<CommandBatch>& kept) {
  kept_ = &kept;
  collected_after_ = tail_;
  if (times_.is_on()) return;
  card_->use();
  card_->require(card_->driver.begin_capture(stream_, kCaptureRelaxed), "cuStreamBeginCapture");
  is_collecting_ = true;
}

void CudaStream::queue_collected() {
  if (!is_collecting_) return;
  is_collecting_ = false;
  const Driver& driver = card_->driver;
  CapturedGraph graph(driver);
  card_->require(driver.end_capture(stream_, &graph.handle), "cuStreamEndCapture");
  if (tail_ == collected_after_) return;
  if (*kept_ == nullptr) *kept_ = std::make_unique<GraphBatch>(card_);
  GraphBatch& batch = static_cast<GraphBatch&>(**kept_);
  // The driver takes new memory and numbers for the commands it has, but no other commands.
  GraphUpdate update{};
  if (batch.exec != nullptr && driver.update_graph(batch.exec, graph.handle, &update) != kSuccess) batch.clear();
  if (batch.exec == nullptr) {
    card_->require(driver.instantiate_graph(&batch.exec, graph.handle, 0), "cuGraphInstantiate");
  }
  card_->require(driver.launch_graph(batch.exec, stream_), "cuGraphLaunch");
  if (!pending_.empty() && pending_.back().seq > collected_after_) mark_tail();
  else mark_if_due();
}

bool CudaStream::end_batch() {
  const bool is_whole = is_collecting_ && tail_ > collected_after_;
  queue_collected();
  return is_whole;
}

void CudaStream::repeat_batch(CommandBatch& kept) {
  card_->use();
  begin_command();
  card_->require(card_->driver.launch_graph(static_cast<GraphBatch&>(kept).exec, stream_), "cuGraphLaunch");
  queued();
}

// Commands up to `seq` have run.
void CudaStream::reach(uint64_t seq) {
  while (!marks_.empty() && marks_.front().seq <= seq) {
    events_.push_back(marks_.front().event);
    marks_.pop_front();
  }
  reached_ = std::max(reached_, seq);
  small_ring_.release(reached_);
  ring_.release(reached_);
  while (!pending_.empty() && pending_.front().seq <= reached_) {
    PendingFault fault = pending_.front();
    pending_.pop_front();
    if (fault.slot->code != 0) fault.tell(fault.record, *fault.slot);
    faults_.give_back(fault.slot);
  }
}

// Queries how far the stream has come.
void CudaStream::ask() {
  while (!marks_.empty() && !is_dead()) {
    Result result = card_->driver.query_event(marks_.front().event);
    if (result == kNotReady) return;
    if (result != kSuccess) return card_->lose(result, "cuEventQuery");
    reach(marks_.front().seq);
  }
}

bool CudaStream::done(uint64_t seq) {
  if (seq <= reached_ || !card_->try_use()) return true;
  try {
    event_for(seq);
  } catch (const Error&) {
    return is_dead();
  }
  ask();
  return seq <= reached_ || is_dead();
}

void CudaStream::keep_command_times(bool on) {
  if (on) times_.start(stream_);
  else times_.stop();
}

void CudaStream::take_command_times(std::vector<CommandTime>& out) {
  if (!times_.is_on() || is_dead()) return;
  ask();
  times_.take(reached_, out);
}

void CudaStream::host_wait(uint64_t seq) {
  assert(seq <= tail_);
  if (seq <= reached_ || !card_->try_use()) return;
  EventHandle event = nullptr;
  try {
    event = event_for(seq);
  } catch (const Error&) {  // no event is available: wait for the whole stream
    Result result = card_->driver.synchronize_stream(stream_);
    return result == kSuccess ? reach(tail_) : card_->lose(result, "cuStreamSynchronize");
  }
  Result result = card_->driver.synchronize_event(event);
  if (result != kSuccess) return card_->lose(result, "cuEventSynchronize");
  reach(std::find_if(marks_.begin(), marks_.end(), [event](const Mark& mark) { return mark.event == event; })->seq);
}

void CudaStream::wait_for(Ticket ticket) {
  if (ticket.stream == this || !ticket || !card_->try_use()) return;
  CudaStream* other = dynamic_cast<CudaStream*>(ticket.stream);
  if (other == nullptr) return lutra::host_wait(ticket);
  if (ticket.seq <= other->reached_ || other->is_dead()) return;
  if (!other->card_->try_use()) return;
  // Freeing memory calls this, so it must not throw.
  try {
    EventHandle event = other->event_for(ticket.seq);
    card_->use();
    queue_collected();
    begin_command();
    card_->require(card_->driver.wait_event(stream_, event, 0), "cuStreamWaitEvent");
    queued(ticket);
  } catch (const Error&) {
    if (!is_dead()) lutra::host_wait(ticket);
  }
}

Ticket CudaStream::submit(void (*run)(void*), const void* args, std::size_t bytes,
                          void (*relocate)(void*, const void*)) {
  card_->use();
  struct Free {
    void operator()(void* block) const { ::operator delete(block); }
  };
  std::unique_ptr<void, Free> copy(::operator new(std::max<std::size_t>(bytes, 1)));
  if (bytes > 0) std::memcpy(copy.get(), args, bytes);
  if (relocate != nullptr) relocate(copy.get(), args);
  auto call = std::make_unique<HostCall>(HostCall{run, copy.get()});
  queue_collected();
  begin_command();
  card_->require(card_->driver.run_on_host(stream_, run_host_call, call.get()), "cuLaunchHostFunc");
  call.release();
  copy.release();
  return queued();
}

Ticket CudaStream::copy(const CopyRequest& request, bool) {
  card_->use();
  if (request.bytes == 0) return {this, tail_};
  Card* to = card_->addresses().find(request.to);
  Card* from = card_->addresses().find(request.from);
  if (to == nullptr && from == nullptr) fail(ErrorCode::Internal, card_->name(), ": a copy within the host was queued");
  if (to == nullptr || from == nullptr) {
    // If the copy fails, wait for the pieces already queued: nobody has a ticket to wait for them.
    try {
      queue_collected();
      if (to == nullptr) copy_out(request.to, request.from, request.bytes);
      else copy_in(request.to, request.from, request.bytes);
    } catch (...) {
      forget_launch(nullptr);
      throw;
    }
  } else if (to == from) {
    begin_command();
    card_->require(card_->driver.copy_within(address_of(request.to), address_of(request.from), request.bytes, stream_),
                   "cuMemcpyDtoDAsync");
    queued();
  } else {
    queue_collected();
    begin_command();
    card_->require(card_->driver.copy_peer(address_of(request.to), to->context(), address_of(request.from),
                                           from->context(), request.bytes, stream_),
                   "cuMemcpyPeerAsync");
    queued();
  }
  return {this, tail_};
}

// The host copies a piece into pinned memory while the card reads the piece before.
void CudaStream::copy_in(std::byte* to, const std::byte* from, std::size_t bytes) {
  StagingRing& ring = ring_for(bytes);
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
    std::size_t n = std::min(kPieceBytes, bytes - at);
    std::byte* piece = ring.take(n, [this](uint64_t seq) { host_wait(seq); });
    std::memcpy(piece, from + at, n);
    begin_command();
    card_->require(card_->driver.copy_in(address_of(to + at), piece, n, stream_), "cuMemcpyHtoDAsync");
    // Held before it is counted: counting may release finished pieces.
    ring.hold(tail_ + 1);
    queued();
  }
}

// The card fills a piece while the host copies the one before.
void CudaStream::copy_out(std::byte* to, const std::byte* from, std::size_t bytes) {
  struct Piece {
    const std::byte* staged;
    std::byte* to;
    std::size_t bytes;
    uint64_t seq;
  };
  const int64_t begin_ns = keeps_times() ? now_ns() : 0;
  std::deque<Piece> under_way;
  auto finish_first = [&] {
    Piece piece = under_way.front();
    under_way.pop_front();
    host_wait(piece.seq);
    if (!is_dead()) std::memcpy(piece.to, piece.staged, piece.bytes);
  };
  // Fewer pieces than fit the ring, so that taking one never waits for a piece that the host has yet to read.
  constexpr std::size_t kUnderWay = kRingBytes / kPieceBytes / 2;
  StagingRing& ring = ring_for(bytes);
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
    if (under_way.size() == kUnderWay) finish_first();
    std::size_t n = std::min(kPieceBytes, bytes - at);
    std::byte* piece = ring.take(n, [this](uint64_t seq) { host_wait(seq); });
    begin_command();
    card_->require(card_->driver.copy_out(piece, address_of(from + at), n, stream_), "cuMemcpyDtoHAsync");
    ring.hold(tail_ + 1);
    queued();
    mark_tail();  // an event for this piece alone, not for the pieces behind it
    under_way.push_back({piece, to + at, n, tail_});
  }
  while (!under_way.empty()) finish_first();
  if (begin_ns != 0) note_wait(tail_, "read", begin_ns);
}

}  // namespace lutra::cuda
