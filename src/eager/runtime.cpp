#include "eager/runtime.h"

#include <algorithm>

#include "device/sim/sim_device.h"
#include "device/stream_times.h"
#include "eager/context.h"
#include "memory/host_limit.h"

namespace lutra {
namespace {

// The CPU. The HostPool manages its memory. It has no streams, as its work runs at once.
class CpuDevice final : public Device {
 public:
  CpuDevice() : Device(DeviceType::CPU, 0) {}
  MemoryInfo memory() const override {
    std::size_t bytes = usable_ram_bytes();
    return {bytes, bytes};
  }
};

const Backend& backend_named(std::string_view name) {
  for (const Backend* backend : linked_backends()) {
    if (name == backend->name()) return *backend;
  }
  fail(ErrorCode::Internal, "the back end ", name, " is not linked in");
}

void require_growable(const LogicalDevicePlan& plan) {
  if (!plan.growth || plan.physical->pages() == nullptr || plan.physical->pages()->is_on_demand()) return;
  fail(ErrorCode::FailedPrecondition, plan.physical->name(), ": memory growth needs virtual memory, which this card's ",
       "driver does not have. Leave growth off, and set a limit if others need the card too");
}

std::unique_ptr<KernelRegistry> new_kernels(const OpRegistry& ops) {
  auto kernels = std::make_unique<KernelRegistry>(ops);
  register_all_cpu_kernels(*kernels);
  return kernels;
}

// The CPU's kernels for Lutra's own ops, which have the same numbers in each Runtime. It takes more memory than most of
// the rest.
const KernelRegistry& cpu_kernels() {
  static const OpRegistry ops;
  static const std::unique_ptr<KernelRegistry> kernels = new_kernels(ops);
  return *kernels;
}

// A tensor stores its device as a 16-bit number.
constexpr std::size_t kMostDevices = UINT16_MAX;

}  // namespace

Runtime::Runtime()
    : constant_op_(ops_.get("_EagerConst")),
      cast_op_(ops_.get("Cast")),
      kernels_(&cpu_kernels()),
      registry_(std::make_unique<DeviceRegistry>(std::make_unique<CpuDevice>())),
      pool_(std::make_unique<HostPool>(HostPool::default_limit())),
      transfer_(faults_) {
  observe();
  StorageHooks hooks;
  hooks.set_mirror_hook(
      [](void* user, Storage* storage) { static_cast<Runtime*>(user)->transfer_.drop_mirrors_of(storage); }, this);
  hooks.set_fault_hook([](void* user, uint32_t set) { static_cast<Runtime*>(user)->faults_.release(set); }, this);
  hooks.set_size_hook(
      &told_bytes_,
      [](void* user, Storage* storage) {
        for (Context* context : static_cast<Runtime*>(user)->contexts_) context->freed(storage);
      },
      this);
  hooks_ = hooks;
  pool_->set_hooks(hooks);
  lent_memory_.set_hooks(hooks);
  use_own_cards();
  transfer_.set_limits([this](uint16_t id) {
    LogicalDevice& device = *devices_[id];
    return device.heap != nullptr ? device.heap->limit_bytes() : pool_->stats().limit_bytes;
  });
}

Runtime::~Runtime() {
  // No tensor is left: a script that ends or is interrupted does not wait for its queued work.
  for (auto& device : devices_) {
    if (device->compute == nullptr) continue;
    device->compute->abandon();
    device->copy->abandon();
  }
  for (auto& device : devices_) {
    if (device->is_host() || device->compute == nullptr) continue;
    host_wait(device->copy->tail_ticket());
    host_wait(device->compute->tail_ticket());
  }
}

void Runtime::set_simulated_gpus(std::vector<SimOptions> cards) {
  if (cards == sim_cards_) return;
  for (const SimOptions& card : cards) check_sim_options("set_simulated_gpus", card);
  std::shared_ptr<Schedule> schedule = Schedule::from_environment();
  if (cards.empty()) {
    use_own_cards();
  } else {
    const int count = static_cast<int>(cards.size());
    registry_->set_gpu_source(picked_cards(count, [cards, schedule](int number, int card) -> std::unique_ptr<Device> {
      return std::make_unique<SimDevice>(number, cards[static_cast<std::size_t>(card)], schedule);
    }));
  }
  sim_cards_ = std::move(cards);
  sim_schedule_ = schedule;
}

void Runtime::add_remote_devices(const std::string& job, int task, std::vector<std::unique_ptr<Device>> devices) {
  if (is_initialised())
    fail(ErrorCode::FailedPrecondition, "devices of other processes cannot be added after devices are initialised");
  int index = 0;
  for (std::unique_ptr<Device>& device : devices) {
    LogicalDevicePlan plan;
    plan.spec = DeviceSpec::complete(device->type(), index++, job, task);
    plan.physical = device.get();
    remote_plans_.push_back(std::move(plan));
    remote_.push_back(std::move(device));
  }
}

bool Runtime::has_remote_devices(std::string_view job) const {
  return std::ranges::any_of(remote_plans_, [&](const LogicalDevicePlan& plan) { return plan.spec.job == job; });
}

// Cards are discovered at the first query about GPUs.
void Runtime::use_own_cards() {
  registry_->set_gpu_source([this] { return backend_named("cuda").discover(log_); });
}

KernelRegistry& Runtime::own_kernels() {
  if (own_kernels_ == nullptr) {
    own_kernels_ = new_kernels(ops_);
    kernels_ = own_kernels_.get();
  }
  return *own_kernels_;
}

// The table of kernels has a row for each op, so a new op needs a new table.
const OpDef& Runtime::add_op(OpDef op, DTypes keys, const KernelEntry& kernel) {
  require(ops_.find(op.name) == nullptr, "an op called ", op.name, " is there already");
  added_.push_back({op.name, keys, kernel});
  const OpDef& defined = ops_.define(std::move(op));
  auto kernels = new_kernels(ops_);
  if (gpu_backend_ != nullptr) gpu_backend_->register_kernels(*kernels);
  for (const AddedKernel& added : added_) kernels->add(added.op, DeviceType::CPU, added.keys, added.entry);
  own_kernels_ = std::move(kernels);
  kernels_ = own_kernels_.get();
  return defined;
}

// Replaces the GPU kernels of another back end, if registered before, by this one's.
void Runtime::take_kernels(const Backend& backend) {
  KernelRegistry& kernels = own_kernels();
  bool has_others = gpu_backend_ != nullptr && gpu_backend_ != &backend;
  for (int id = 0; has_others && id < ops_.count(); ++id) {
    if (!ops_.at(id).has(kComposed)) kernels.remove(ops_.at(id).name, DeviceType::GPU);
  }
  gpu_backend_ = &backend;
  backend.register_kernels(kernels);
}

void Runtime::initialise(std::string_view by) {
  if (is_initialised()) return;
  for (const std::string& left_out : registry_->open_gpus())
    log_.line(text("WARNING: ", left_out, "; lutra doctor says who has it"));
  std::vector<LogicalDevicePlan> plans = registry_->plan();
  for (const std::string& warning : registry_->warnings()) log_.line(text("WARNING: ", warning));
  bool any_gpu = false;
  for (const LogicalDevicePlan& plan : plans) any_gpu |= plan.physical->type() == DeviceType::GPU;
  const bool has_own_cards = any_gpu && sim_cards_.empty();
  if (has_own_cards && !remote_plans_.empty()) {
    fail(ErrorCode::FailedPrecondition,
         "GPUs of other processes run the kernels of simulated GPUs, and this process has "
         "cards of its own: hide them by lutra.config.set_visible_devices({}, \"GPU\")");
  }
  if (any_gpu || !remote_plans_.empty()) take_kernels(backend_named(has_own_cards ? "cuda" : "sim"));
  plans.insert(plans.end(), remote_plans_.begin(), remote_plans_.end());
  // Whatever may fail comes first, so that no device is open after a failure.
  std::vector<LogicalDevice*> devices;
  for (const LogicalDevicePlan& plan : plans) {
    require_growable(plan);
    devices.push_back(&device_for(plan));
  }
  for (std::size_t i = 0; i < plans.size(); ++i) open_device(*devices[i], plans[i]);
  // GPUs before CPUs, lowest number first.
  std::stable_sort(devices.begin(), devices.end(), [](const LogicalDevice* a, const LogicalDevice* b) {
    if (a->is_remote() || b->is_remote()) return !a->is_remote();
    return a->type != b->type ? a->type == DeviceType::GPU : a->spec.index < b->spec.index;
  });
  registry_->freeze(by);
  threads_ = registry_->intra_op_threads();
  order_ = std::move(devices);
  ++placement_stamp_;
}

// After a reset, the device with the same number on the same card is the same LogicalDevice. See
// docs/decisions/device-ids-are-never-reused.md
LogicalDevice& Runtime::device_for(const LogicalDevicePlan& plan) {
  LogicalDevice*& known = known_[{plan.physical, plan.spec.index}];
  if (known != nullptr) return *known;
  if (devices_.size() >= kMostDevices) {
    fail(ErrorCode::ResourceExhausted, "no device number is left for ", plan.spec.local_name(), ": an interpreter has ",
         kMostDevices,
         ", and every change of the simulated GPUs takes new ones. Give them the options they had before, ",
         "or start another interpreter");
  }
  auto device = std::make_unique<LogicalDevice>();
  device->id = static_cast<uint16_t>(devices_.size());
  device->type = plan.physical->type();
  device->spec = plan.spec;
  device->full_name = plan.spec.to_string();
  device->physical = plan.physical;
  if (!device->is_host()) {
    device->compute = plan.physical->new_stream();
    device->copy = plan.physical->new_stream();
  }
  devices_.push_back(std::move(device));
  return *(known = devices_.back().get());
}

void Runtime::open_device(LogicalDevice& device, const LogicalDevicePlan& plan) {
  device.retired = false;
  if (device.is_host()) {
    device.inline_below = kInlineBytes + 1;
    device.pool = pool_.get();
    pool_->set_limit(std::min(most_memory_, plan.limit_bytes ? *plan.limit_bytes : HostPool::default_limit()));
    if (cpu_ == nullptr || cpu_->spec.index != 0 || plan.spec.index == 0) cpu_ = &device;
    return;
  }
  device.backend = device.is_remote() ? &backend_named("remote") : gpu_backend_;
  const auto* card = dynamic_cast<const SimDevice*>(plan.physical);
  const bool is_simulated = card != nullptr;
  device.fail_at = is_simulated ? card->options().fail_at : 0;
  device.launches = 0;
  std::size_t limit = plan.limit_bytes ? *plan.limit_bytes : plan.physical->usual_limit_bytes();
  if (plan.memory_fraction > 0) {
    limit = static_cast<std::size_t>(static_cast<double>(plan.physical->memory().total_bytes) * plan.memory_fraction);
  }
  limit = std::min(limit, most_memory_);
  ArenaOptions options{.limit_bytes = limit, .growth = plan.growth, .piece_bytes = 0};
  device.heap = std::make_unique<DeviceHeap>(device.id, *plan.physical->pages(), options, *device.compute, hooks_);
  device.heap->poison_freed(is_simulated && sim_schedule_ != nullptr);
}

void Runtime::observe() {
  bool on = false;
  for (const Context* context : contexts_) on |= context->recording() != nullptr;
  told_bytes_ = on ? 0 : kBigBytes;
  for (auto& device : devices_) {
    if (device->is_host()) device->inline_below = on ? 0 : kInlineBytes + 1;
  }
}

void Runtime::reset() {
  for (IdleMemory* memory : idle_) memory->forget_devices();
  transfer_.drop_mirrors(nullptr);
  for (LogicalDevice* device : order_) {
    if (device->heap == nullptr || device->heap->live() == 0) continue;
    fail(ErrorCode::FailedPrecondition, "reset: tensors live on ", device->full_name, " (", device->heap->live(),
         "); release them first (local t <close>, lutra.tidy, t = nil)");
  }
  for (LogicalDevice* device : order_) {
    if (device->heap != nullptr) device->heap->settle();
  }
  for (LogicalDevice* device : order_) {
    device->retired = true;
    if (device->heap == nullptr) continue;
    host_wait(device->copy->tail_ticket());
    device->heap.reset();
    bool lives_on = device->copy->retire();
    lives_on = device->compute->retire() && lives_on;
    if (!lives_on) known_.erase({device->physical, device->spec.index});
  }
  order_.clear();
  registry_->thaw();
  ++epoch;
  ++placement_stamp_;
}

LogicalDevice& Runtime::successor(LogicalDevice& device) {
  for (LogicalDevice* other : order_) {
    if (other->full_name == device.full_name) return *other;
  }
  return *cpu_;
}

LogicalDevice& Runtime::find(std::string_view name) {
  DeviceSpec wanted = DeviceSpec::parse(name);
  std::vector<LogicalDevice*> found;
  if (!wanted.empty()) {
    for (LogicalDevice* device : order_) {
      if (allows(wanted, *device)) found.push_back(device);
    }
  }
  if (found.empty()) {
    fail(wanted.empty() ? ErrorCode::InvalidArgument : ErrorCode::NotFound, "No matching devices found for '", name,
         "'. Here: ", device_names());
  }
  if (found.size() > 1) {
    fail(ErrorCode::InvalidArgument, "Multiple devices match the provided string '", name, "': '", found[0]->full_name,
         "' and '", found[1]->full_name, "'.");
  }
  return *found[0];
}

bool Runtime::allows(const DeviceSpec& name, const LogicalDevice& device) const {
  if (device.is_remote()) return (!name.job.empty() || name.task >= 0) && name.matches(device.spec);
  if (name.job != "localhost" || device.spec.job == "localhost") return name.matches(device.spec);
  // This process is a task of a job, and localhost is another word for that.
  DeviceSpec own = name;
  own.job = device.spec.job;
  if (own.task == 0) own.task = device.spec.task;
  return own.matches(device.spec);
}

std::string Runtime::device_names() const {
  std::string names;
  for (const LogicalDevice* device : order_) names += text(names.empty() ? "" : ", ", device->full_name);
  return names;
}

void Runtime::synchronize(LogicalDevice* only) {
  for (LogicalDevice* device : order_) {
    if ((only != nullptr && device != only) || device->is_host()) continue;
    host_wait(device->copy->tail_ticket(), "synchronize");
    host_wait(device->compute->tail_ticket(), "synchronize");
    device->compute->check();
  }
  faults_.check_all(only != nullptr ? only->full_name : "");
}

void Runtime::release_memory(LogicalDevice* only) {
  transfer_.drop_mirrors(only);
  release_idle(only);
  for (LogicalDevice* device : order_) {
    if (only == nullptr || device == only) device->trim();
  }
}

std::size_t Runtime::trim_others_on(const LogicalDevice& device) {
  std::size_t given = 0;
  for (LogicalDevice* other : order_) {
    if (other == &device || other->heap == nullptr || other->physical != device.physical) continue;
    given += other->trim();
  }
  return given;
}

}  // namespace lutra
