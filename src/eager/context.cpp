#include "eager/context.h"

#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "core/stop_request.h"
#include "device/stream_times.h"
#include "eager/memory_report.h"

namespace lutra {

Context::Context(Runtime& runtime) : runtime_(runtime), placement_log_(runtime.log()) {
  intern(DeviceSpec{});
  runtime_.attach(this);
}

Context::~Context() {
  while (observers_ != nullptr) {
    Observer& first = *observers_;
    detach(first);
    first.context_closes();
  }
  runtime_.detach(this);
}

void Context::attach(Observer& observer) {
  Observer** end = &observers_;
  while (*end != nullptr) end = &(*end)->next_;
  *end = &observer;
  observer.next_ = nullptr;
}

void Context::detach(Observer& observer) {
  for (Observer** at = &observers_; *at != nullptr; at = &(*at)->next_) {
    if (*at != &observer) continue;
    *at = observer.next_;
    return;
  }
}

void Context::initialise() {
  runtime_.initialise(line());
  for (Context* context : runtime_.contexts()) context->tell_observers([](Observer& each) { each.devices_opened(); });
}

void Context::wait_for(const LogicalDevice& device, const char* why) const {
  if (device.is_host() || !StopRequest::ends_waits()) return;
  constexpr int kMilliseconds = 10;
  for (Stream* stream : {device.copy.get(), device.compute.get()}) {
    const NotedWait noted(stream->tail_ticket(), why);
    while (!ends_within(stream->tail_ticket(), kMilliseconds)) {
      if (take_interrupt()) fail(ErrorCode::Cancelled, "interrupted! The device goes on with the work in its queue");
    }
  }
}

void Context::fail_stopped() const {
  take_interrupt();  // so that Lua does not raise it once more
  fail(ErrorCode::Cancelled, "interrupted!");
}

void Context::record(Observer* by) {
  devices();
  if (recording_ != nullptr) detach(*recording_);
  recording_ = by;
  runtime_.observe();
  if (recording_ != nullptr) attach(*recording_);
}

void Context::freed(const Storage* storage) {
  if (storage->bytes >= kBigBytes) origins_.forget(storage);
  tell_observers([=](Observer& each) { each.freed(*storage); });
}

uint32_t Context::intern(const DeviceSpec& spec) {
  std::string text = spec.to_string();
  auto known = spec_ids_.find(text);
  if (known != spec_ids_.end()) return known->second;
  if (free_specs_.empty()) {
    free_specs_.reserve(1);  // so that the push below cannot fail after specs_ has grown
    specs_.push_back(std::make_unique<Spec>());
    free_specs_.push_back(static_cast<uint32_t>(specs_.size() - 1));
  }
  uint32_t id = free_specs_.back();
  spec_ids_.emplace(text, id);
  free_specs_.pop_back();
  specs_[id]->spec = spec;
  specs_[id]->text = std::move(text);
  return id;
}

void Context::forget_specs(std::span<const uint32_t> in_use) {
  std::vector<bool> stays(specs_.size());
  stays[0] = true;
  for (uint32_t id : in_use) stays[id] = true;
  origins_.for_each_spec([&](uint32_t id) { stays[id] = true; });
  free_specs_.reserve(specs_.size());
  merged_.clear();
  for (auto at = spec_ids_.begin(); at != spec_ids_.end();) {
    uint32_t id = at->second;
    if (stays[id]) {
      ++at;
      continue;
    }
    at = spec_ids_.erase(at);
    *specs_[id] = Spec{};
    free_specs_.push_back(id);
  }
  // The next call comes after at least as many new names as remain now: amortised, a name costs O(1).
  many_specs_ = std::max(kManySpecs, 2 * spec_ids_.size());
}

uint32_t Context::scope_inside(uint32_t outer, uint32_t inner) {
  if (outer == 0) return inner;
  uint64_t key = (static_cast<uint64_t>(outer) << 32) | inner;
  auto known = merged_.find(key);
  if (known != merged_.end()) return known->second;
  uint32_t merged = intern(specs_[inner]->spec.inside(specs_[outer]->spec));
  merged_[key] = merged;
  return merged;
}

const Context::Target& Context::resolve(Spec& entry) {
  std::span<LogicalDevice* const> all = devices();

  Target target;
  const DeviceSpec& spec = entry.spec;
  auto matching = [&](const DeviceSpec& wanted) {
    std::vector<LogicalDevice*> found;
    for (LogicalDevice* device : all) {
      if (runtime_.allows(wanted, *device)) found.push_back(device);
    }
    return found;
  };
  target.devices = matching(spec);
  if (target.devices.empty() && runtime_.soft_placement()) {
    // First devices of the same type, then any; job, replica and task must still match.
    DeviceSpec wider = spec;
    wider.index = -1;
    target.devices = matching(wider);
    wider.device_type.clear();
    for (LogicalDevice* device : matching(wider)) {
      if (std::find(target.devices.begin(), target.devices.end(), device) == target.devices.end()) {
        target.devices.push_back(device);
      }
    }
    target.soft = true;
  }
  if (target.devices.empty()) {
    DeviceSpec asked = spec;
    const std::string own_job = runtime_.registry().job();
    const int own_task = runtime_.registry().task();
    if (asked.job.empty()) asked.job = own_job;
    if (asked.replica < 0) asked.replica = 0;
    if (asked.task < 0) asked.task = own_task;
    std::transform(asked.device_type.begin(), asked.device_type.end(), asked.device_type.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
    // Soft placement chooses among types and numbers; a foreign job, replica or task stays an error.
    bool local = asked.job == own_job && asked.replica == 0 && asked.task == own_task;
    std::string hint = runtime_.soft_placement() || !local
                           ? ""
                           : "lutra.config.set_soft_device_placement(true) would choose one of them";
    throw Error(ErrorCode::NotFound, text(asked.to_string(), " unknown device. Here: ", runtime_.device_names(),
                                          hint.empty() ? "" : ". ", hint))
        .with("requested", entry.text)
        .with("hint", hint);
  }
  bool gpu = target.devices.front()->type == DeviceType::GPU;
  target.reason = target.soft     ? Reason::SoftPlacement
                  : !spec.empty() ? Reason::Scope
                  : gpu           ? Reason::GpuFirst
                                  : Reason::OnlyCpu;
  entry.target = std::move(target);
  entry.resolved = runtime_.placement_stamp();
  return entry.target;
}

void Context::set_seed(uint64_t seed) {
  random_ = {seed, 0, true};
  tell_observers([](Observer& each) { each.seeded(); });
}

void Context::seed_if_need_be() {
  if (random_.seeded) return;
  uint64_t from_system = 0;
  if (getrandom(&from_system, sizeof from_system, 0) != sizeof from_system) {
    from_system = reinterpret_cast<uintptr_t>(this);
  }
  random_ = {from_system, 0, true};
}

Context::RandomPlace Context::random_place() {
  seed_if_need_be();
  return random_;
}

Rng Context::random_range(const Seed& seed, uint64_t blocks) {
  RandomPart part = std::exchange(part_, {});
  if (seed.given) return {static_cast<uint64_t>(seed.value), part.skip};
  seed_if_need_be();
  if (part.began) return {random_.seed, *part.began + part.skip};
  Rng range{random_.seed, random_.counter + part.skip};
  random_.counter += part.whole != 0 ? part.whole : blocks;
  return range;
}

Storage* Context::allocate_under_pressure(LogicalDevice& device, std::size_t bytes, const Wanted& wanted) {
  auto attempt = [&] {
    if (!device.is_host() && device.heap == nullptr) {
      fail(ErrorCode::FailedPrecondition, wanted.op, ": a finalizer reset the devices while memory was being found");
    }
    return device.allocate(bytes);
  };
  std::size_t limit = device.heap != nullptr ? device.heap->stats().limit_bytes : runtime_.pool().stats().limit_bytes;
  // A request above the limit can never succeed, so do not collect for it.
  if (bytes > limit) throw out_of_memory(*this, device, bytes, wanted);
  if (hooks.collect != nullptr && hooks.collect(hooks.user)) {
    if (Storage* storage = attempt()) return storage;
  }
  for (Context* other : runtime_.contexts()) {
    if (other == this || other->hooks.collect == nullptr || !other->hooks.collect(other->hooks.user)) continue;
    if (Storage* storage = attempt()) return storage;
  }
  if (runtime_.transfer().drop_mirrors(&device)) {
    if (Storage* storage = attempt()) return storage;
  }
  runtime_.release_idle(&device);
  device.trim();
  if (Storage* storage = attempt()) return storage;
  // If the limit leaves room, the card is full: other logical GPUs on it may hold free pages.
  bool limit_has_room = device.heap != nullptr && bytes <= device.heap->stats().largest_free_bytes;
  if (limit_has_room && runtime_.trim_others_on(device) > 0) {
    if (Storage* storage = attempt()) return storage;
  }
  throw out_of_memory(*this, device, bytes, wanted);
}

}  // namespace lutra
