#include "profile/record.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/clock.h"
#include "core/parallel.h"
#include "device/stream_times.h"
#include "eager/launch.h"
#include "profile/event_texts.h"

namespace lutra {

class Recorder final : public Observer {
 public:
  Recorder(Context& context, const TraceOptions& options) : context_(&context), options_(options) {
    context.attach(*this);
    open_devices();
  }
  ~Recorder() override {
    if (context_ == nullptr) return;
    for (StreamState& each : streams_) each.stream->keep_times(false);
    context_->detach(*this);
  }

  // Null if the Context has none.
  static std::shared_ptr<Recorder> find(Context& context) {
    std::shared_ptr<Recorder> found;
    context.tell_observers([&](Observer& each) {
      if (auto* recorder = dynamic_cast<Recorder*>(&each)) found = recorder->self.lock();
    });
    return found;
  }
  void widen(const TraceOptions& options) {
    options_.memory |= options.memory;
    options_.shapes |= options.shapes;
    options_.most_events = std::max(options_.most_events, options.most_events);
  }

  std::weak_ptr<Recorder> self;

  uint64_t next() const { return first_ + events_.size(); }

  // The events from `first` on, with times since `begin_ns`.
  std::unique_ptr<Trace> copy(uint64_t first, int64_t begin_ns, bool waits) {
    if (context_ != nullptr) {
      if (waits) {
        for (StreamState& each : streams_) each.stream->host_wait(each.stream->tail());
      }
      read_times();
      note_freed_everywhere();
    }
    auto trace = std::make_unique<Trace>(texts_.strings());
    trace->devices = devices_;
    trace->dropped = static_cast<int64_t>(first_ > first ? first_ - first : 0);
    trace->length_ns = now_ns() - begin_ns;
    const std::size_t skipped = first > first_ ? static_cast<std::size_t>(first - first_) : 0;
    trace->events.reserve(events_.size() - skipped);
    for (std::size_t i = skipped; i < events_.size(); ++i) {
      TraceEvent event = events_[i];
      if (event.begin_ns == kUnknown) event.begin_ns = event.end_ns = begin_ns, --event.end_ns;
      event.begin_ns -= begin_ns;
      event.end_ns = event.end_ns == kUnknown ? event.begin_ns - 1 : event.end_ns - begin_ns;
      trace->events.push_back(event);
    }
    return trace;
  }

  void op_begins(const Call& call, const Prepared& prepared) override {
    if (depth_ >= kMostNested) {
      ++depth_;
      return;
    }
    Frame& frame = frames_[static_cast<std::size_t>(depth_++)];
    frame = {};
    quietly([&] {
      frame.line = depth_ > 1 ? frames_[static_cast<std::size_t>(depth_) - 2].line : texts_.line(*context_);
      TraceEvent event{.kind = EventKind::Op, .lane = Lane::Host};
      event.reason = prepared.reason;
      event.dtype = prepared.key;
      event.device = prepared.device->id;
      event.name = texts_.literal(call.op->logged(call));
      event.line = frame.line;
      if (prepared.spec != 0) event.requested = texts_.requested(*context_, prepared.spec);
      event.begin_ns = now_ns();
      if (options_.memory) note_freed(*prepared.device, event.begin_ns);
      event.end_ns = kUnknown;
      frame.op = call.op;
      frame.requested = event.requested;
      frame.reason = event.reason;
      frame.number = push(event);
    });
  }

  void op_ends(const Call& call, const Prepared& prepared, TensorRep* const* outs, bool ok) override {
    // An op that had begun before the observer was attached, by a finalizer within it.
    if (depth_ == 0) return;
    if (--depth_ >= kMostNested) return;
    const Frame& frame = frames_[static_cast<std::size_t>(depth_)];
    quietly([&] {
      TraceEvent* event = find(frame.number);
      if (event == nullptr || event->kind != EventKind::Op) return;
      // Clocks take a good part of what a trace costs: an op whose kernel ran here ends with it.
      event->end_ns = ok && frame.kernel_end_ns != kUnknown ? frame.kernel_end_ns : now_ns();
      event->has_failed = !ok;
      event->detail = frame.shapes;
      if (options_.shapes && frame.shapes == 0) event->detail = texts_.shapes_of(call, prepared, ok ? outs : nullptr);
    });
    if (next() - read_at_ > kReadEvery) quietly([&] { read_times(); });
  }

  void launched(const Launched& launched) override {
    quietly([&] {
      const KernelArgs& args = launched.launch.args;
      TraceEvent event{.kind = EventKind::Kernel, .lane = Lane::Compute};
      event.device = launched.launch.device->id;
      event.name = texts_.literal(args.op->logged());
      event.dtype = args.n_in > 0 ? args.in[0].dtype : args.n_out > 0 ? args.out[0].dtype : DType::Float32;
      const Cost cost = cost_of(args);
      event.flops = cost.flops;
      event.bytes = static_cast<int64_t>(cost.bytes);
      if (options_.shapes) event.detail = texts_.shapes_of(args);
      if (Frame* frame = innermost()) {
        event.line = frame->line;
        event.reason = frame->reason;
        event.requested = frame->requested;
        if (frame->op == args.op) frame->shapes = event.detail;
        if (!launched.ticket) frame->kernel_end_ns = launched.end_ns;
      } else {
        event.line = texts_.line(*context_);
      }
      if (!launched.ticket) {
        event.begin_ns = launched.begin_ns;
        event.end_ns = launched.end_ns;
        push(event);
        return;
      }
      event.begin_ns = event.end_ns = kUnknown;
      expect(launched.ticket.stream, launched.ticket.seq, launched.ticket.seq, event);
    });
  }

  void copied(const Copied& copied) override {
    quietly([&] {
      TraceEvent event{.kind = EventKind::Copy, .lane = Lane::Copy};
      event.device = copied.to.id;
      event.source = copied.from.id;
      event.name = texts_.literal(text_of(copied.reason));
      event.dtype = copied.tensor.dtype;
      event.bytes = copied.bytes;
      event.line = line_now();
      if (options_.shapes) event.detail = texts_.shape_of(copied.tensor);
      event.begin_ns = event.end_ns = kUnknown;
      expect(copied.stream, copied.first, copied.last, event);
    });
  }

  void allocated(const LogicalDevice& device, std::size_t bytes, const Wanted& wanted) override {
    if (!options_.memory) return;
    quietly([&] { note_memory(device, static_cast<int64_t>(bytes), texts_.literal(wanted.op), now_ns()); });
  }

  void waited() override {
    quietly([&] { read_times(); });
  }
  void devices_opened() override {
    quietly([&] { open_devices(); });
  }
  void context_closes() override {
    quietly([&] { read_times(); });
    for (StreamState& each : streams_) each.stream->keep_times(false);
    context_ = nullptr;
  }

 private:
  static constexpr int64_t kUnknown = INT64_MIN;
  static constexpr int kMostNested = 64;
  static constexpr uint64_t kReadEvery = 1024;
  // Waits of streams that took less are left out.
  static constexpr int64_t kShortestWaitNs = 1000;
  static constexpr std::size_t kRecent = 256;

  // An op that has begun and not ended.
  struct Frame {
    const OpDef* op = nullptr;
    uint64_t number = UINT64_MAX;
    int64_t kernel_end_ns = kUnknown;  // of its last kernel, if that ran on the host's thread
    uint32_t line = 0, requested = 0, shapes = 0;
    Reason reason = Reason::OnlyCpu;
  };

  // Commands first..last of a stream belong to the event.
  struct Expected {
    uint64_t first, last, number;
    uint32_t name;
  };
  struct StreamState {
    TimedStream* stream;
    uint16_t device;
    Lane lane;
    std::deque<Expected> expected;  // not known to have ended
    std::deque<Expected> recent;    // the last that have
  };

  // A trace must not make ops fail: what there is no memory for is dropped.
  template <class F> void quietly(const F& f) noexcept {
    try {
      f();
    } catch (...) {
      ++first_;
      if (!events_.empty()) events_.pop_front();
    }
  }

  uint64_t push(const TraceEvent& event) {
    events_.push_back(event);
    while (static_cast<int64_t>(events_.size()) > options_.most_events) {
      events_.pop_front();
      ++first_;
    }
    return next() - 1;
  }
  TraceEvent* find(uint64_t number) {
    return number >= first_ && number < next() ? &events_[static_cast<std::size_t>(number - first_)] : nullptr;
  }
  Frame* innermost() {
    return depth_ > 0 && depth_ <= kMostNested ? &frames_[static_cast<std::size_t>(depth_) - 1] : nullptr;
  }

  uint32_t line_now() {
    const Frame* frame = innermost();
    return frame != nullptr ? frame->line : texts_.line(*context_);
  }

  // In the order of placement, the devices that ops may run on.
  void open_devices() {
    if (!context_->runtime().is_initialised()) return;
    for (LogicalDevice* device : context_->runtime().order()) {
      if (std::ranges::none_of(devices_, [&](const TracedDevice& each) { return each.id == device->id; })) {
        TracedDevice traced{device->id, device->type, device->full_name};
        const bool is_simulated = device->backend != nullptr && std::strcmp(device->backend->name(), "sim") == 0;
        traced.is_simulated = is_simulated;
        traced.threads = device->is_host() ? max_threads() : is_simulated ? 1 : 0;
        const DeviceSpeed speed = device->physical->speed();
        traced.gflops = speed.gflops;
        traced.gbps = speed.gbps;
        devices_.push_back(std::move(traced));
      }
      if (device->is_host()) continue;
      add_stream(device->compute.get(), device->id, Lane::Compute);
      add_stream(device->copy.get(), device->id, Lane::Copy);
    }
  }
  void add_stream(Stream* stream, uint16_t device, Lane lane) {
    auto* timed = dynamic_cast<TimedStream*>(stream);
    if (timed == nullptr) return;
    if (state_of(stream) == nullptr) streams_.push_back({timed, device, lane, {}, {}});
    timed->keep_times(true);
  }
  StreamState* state_of(const Stream* stream) {
    auto found = std::ranges::find_if(streams_, [&](const StreamState& each) { return each.stream == stream; });
    return found != streams_.end() ? &*found : nullptr;
  }

  void expect(Stream* stream, uint64_t first, uint64_t last, TraceEvent event) {
    StreamState* state = state_of(stream);
    if (state == nullptr) return;
    event.maker = state->device;
    const uint64_t number = push(event);
    state->expected.push_back({first, last, number, event.name});
    if (number - read_at_ > kReadEvery) read_times();
  }

  // Takes the times of what devices have done since the last call.
  void read_times() {
    read_at_ = next();
    for (StreamState& state : streams_) {
      times_.clear();
      waits_.clear();
      state.stream->take_times(times_, waits_);
      for (const CommandTime& time : times_) take(state, time);
      for (const HostWait& wait : waits_) {
        if (wait.end_ns - wait.begin_ns < kShortestWaitNs) continue;
        TraceEvent event{.kind = EventKind::HostWait, .lane = Lane::Host};
        event.device = state.device;
        event.name = texts_.strings().add(wait.why);
        event.line = line_now();
        event.detail = what_is(state, wait.seq);
        event.begin_ns = wait.begin_ns;
        event.end_ns = wait.end_ns;
        push(event);
      }
    }
  }

  void take(StreamState& state, const CommandTime& time) {
    while (!state.expected.empty() && state.expected.front().last < time.seq) retire(state);
    if (!state.expected.empty() && state.expected.front().first <= time.seq) {
      const Expected& expected = state.expected.front();
      if (TraceEvent* event = find(expected.number)) {
        if (event->begin_ns == kUnknown) event->begin_ns = time.begin_ns;
        if (time.seq == expected.last) event->end_ns = time.end_ns;
      }
      if (time.seq == expected.last) retire(state);
      return;
    }
    if (time.awaited && time.end_ns - time.begin_ns < kShortestWaitNs) return;
    TraceEvent event{.kind = time.awaited ? EventKind::DeviceWait : EventKind::Kernel, .lane = state.lane};
    event.device = state.device;
    event.name = texts_.literal(time.awaited ? "wait" : "other work");  // a sum over cards, for one
    if (time.awaited) {
      if (StreamState* other = state_of(time.awaited.stream)) event.detail = what_is(*other, time.awaited.seq);
    }
    event.begin_ns = time.begin_ns;
    event.end_ns = time.end_ns;
    push(event);
  }

  void retire(StreamState& state) {
    state.recent.push_back(state.expected.front());
    state.expected.pop_front();
    if (state.recent.size() > kRecent) state.recent.pop_front();
  }

  // "MatMul on GPU:0", for the command of that number.
  uint32_t what_is(const StreamState& state, uint64_t seq) {
    uint32_t name = 0;
    for (const std::deque<Expected>* list : {&state.expected, &state.recent}) {
      for (const Expected& each : *list) {
        // A wait for a tail may end with a command that only waits: then the one before it counts.
        if (each.first <= seq) name = each.name;
        if (each.first <= seq && seq <= each.last) break;
      }
      if (name != 0) break;
    }
    const char* what = state.lane == Lane::Copy ? "copy" : "work";
    const LogicalDevice& device = context_->runtime().device(state.device);
    const std::string on =
        text(device.spec.device_type.empty() ? "GPU" : device.spec.device_type, ":", device.spec.index);
    if (name == 0) return texts_.strings().add(text(what, " on ", on));
    return texts_.strings().add(text(texts_.strings()[name], state.lane == Lane::Copy ? " (copy) on " : " on ", on));
  }

  int64_t bytes_in_use(const LogicalDevice& device) const {
    if (device.heap != nullptr) return static_cast<int64_t>(device.heap->stats().bytes_in_use);
    return static_cast<int64_t>(context_->runtime().pool().stats().bytes_in_use);
  }
  void note_memory(const LogicalDevice& device, int64_t bytes, uint32_t name, int64_t at_ns) {
    TraceEvent event{.kind = EventKind::Memory, .lane = Lane::Host};
    event.device = device.is_host() ? context_->runtime().cpu().id : device.id;
    event.name = name;
    event.line = line_now();
    event.bytes = bytes;
    event.in_use = in_use_[event.device] = bytes_in_use(device);
    event.begin_ns = event.end_ns = at_ns;
    push(event);
  }
  // Memory freed on the device since its last event.
  void note_freed(const LogicalDevice& device, int64_t at_ns) {
    const uint16_t id = device.is_host() ? context_->runtime().cpu().id : device.id;
    auto known = in_use_.find(id);
    if (known == in_use_.end() || (!device.is_host() && device.heap == nullptr)) return;
    const int64_t now = bytes_in_use(device), before = known->second;
    if (now != before) note_memory(device, now - before, texts_.literal("free"), at_ns);
  }
  void note_freed_everywhere() {
    if (!options_.memory) return;
    const int64_t at_ns = now_ns();
    for (LogicalDevice* device : context_->runtime().order()) note_freed(*device, at_ns);
  }

  Context* context_;
  TraceOptions options_;
  EventTexts texts_;
  std::vector<TracedDevice> devices_;
  std::deque<TraceEvent> events_;
  uint64_t first_ = 0;    // number of events_[0]
  uint64_t read_at_ = 0;  // the next number when times were last read
  std::array<Frame, kMostNested> frames_;
  int depth_ = 0;
  std::vector<StreamState> streams_;
  std::vector<CommandTime> times_;  // kept for their memory
  std::vector<HostWait> waits_;
  std::unordered_map<uint16_t, int64_t> in_use_;  // by device, at its last event
};

namespace {

std::shared_ptr<Recorder> recorder_of(Context& context, const TraceOptions& options) {
  if (std::shared_ptr<Recorder> known = Recorder::find(context)) {
    known->widen(options);
    return known;
  }
  auto made = std::make_shared<Recorder>(context, options);
  made->self = made;
  return made;
}

}  // namespace

TraceSession::TraceSession(Context& context, const TraceOptions& options)
    : recorder_(recorder_of(context, options)),
      first_(recorder_->next()),
      begin_ns_(now_ns()),
      began_unix_ms_(
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count()) {}

TraceSession::~TraceSession() = default;

std::unique_ptr<Trace> TraceSession::take(bool waits) {
  std::unique_ptr<Trace> trace = recorder_->copy(first_, begin_ns_, waits);
  trace->began_unix_ms = began_unix_ms_;
  return trace;
}

}  // namespace lutra
