// The ops, kernels, devices with their memory, and settings of one State (one lua_State's Lutra), or of several that
// share them and take turns (embed/turns.h). A Context is one State's view of it. Devices are initialised by the first
// op, or the first query that needs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/log.h"
#include "device/device_registry.h"
#include "device/sim/sim_options.h"
#include "eager/fault_sets.h"
#include "eager/logical_device.h"
#include "eager/returned_tensors.h"
#include "eager/transfer.h"
#include "memory/host_pool.h"
#include "memory/lent_memory.h"
#include "ops/kernel.h"
#include "ops/op.h"

namespace lutra {

class Schedule;

// Memory that is kept between uses, and can be given back between them.
class IdleMemory {
 public:
  // On the device; null: on all.
  virtual void release_idle(const LogicalDevice* device) = 0;
  // The devices are about to be closed: gives back all memory, for good.
  virtual void forget_devices() = 0;

 protected:
  ~IdleMemory() = default;
};

enum class KernelFallback : uint8_t { Allow, Warn, Error };

class Runtime {
 public:
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const OpRegistry& ops() const { return ops_; }
  const OpDef& constant_op() const { return constant_op_; }  // _EagerConst
  const OpDef& cast_op() const { return cast_op_; }          // Cast, which promotes inputs
  const KernelRegistry& kernels() const { return *kernels_; }
  // The same, to change: all Runtimes without GPUs and ops of hosts read one table.
  KernelRegistry& own_kernels();
  DeviceRegistry& registry() { return *registry_; }
  Log& log() { return log_; }
  FaultSets& faults() { return faults_; }
  Transfer& transfer() { return transfer_; }
  HostPool& pool() { return *pool_; }
  LentMemory& lent_memory() { return lent_memory_; }
  ReturnedTensors& returned_tensors() { return returned_tensors_; }

  // Replaces the machine's GPUs by simulated ones, `count` that are alike or one per entry of `cards`; none restores
  // the machine's. Only before initialisation.
  void set_simulated_gpus(int count, const SimOptions& each = {}) {
    set_simulated_gpus(std::vector<SimOptions>(static_cast<std::size_t>(count), each));
  }
  void set_simulated_gpus(std::vector<SimOptions> cards);

  // Adds the devices of another process, as task `task` of `job`. Only before initialisation. They stay until the
  // Runtime ends. Fails (FailedPrecondition) if the machine's own GPUs have other kernels than theirs.
  void add_remote_devices(const std::string& job, int task, std::vector<std::unique_ptr<Device>> devices);

  bool has_remote_devices(std::string_view job) const;

  // Defines an op of a host's, with its kernel for the CPU in these dtypes. No op may be in progress. Fails
  // (InvalidArgument) if the name is taken. The entry's strings must outlive the Runtime.
  const OpDef& add_op(OpDef op, DTypes keys, const KernelEntry& kernel);

  bool is_initialised() const { return !order_.empty(); }
  // `by`: the script line that caused it, for later error texts.
  void initialise(std::string_view by);
  // Returns to the state before initialisation. Fails (FailedPrecondition) while tensors live on a GPU.
  void reset();

  // GPUs before CPUs, lowest number first, then other processes' devices: the order of placement. Empty before
  // initialisation.
  std::span<LogicalDevice* const> order() const { return order_; }
  LogicalDevice& device(uint16_t id) { return *devices_[id]; }
  LogicalDevice& cpu() { return *cpu_; }
  // The CPU that replaces one retired by a reset: the one with its name, else the first. Only CPUs need this: no tensor
  // on a GPU outlives a reset.
  LogicalDevice& successor(LogicalDevice& retired);
  // Fails unless the name matches exactly one initialised device: NotFound if none, else InvalidArgument.
  LogicalDevice& find(std::string_view name);
  // Whether a name, perhaps partial, allows the device. Without a job and a task it means this process' devices.
  bool allows(const DeviceSpec& name, const LogicalDevice& device) const;
  std::string device_names() const;

  // Blocks until the device (null: all devices) has finished all queued work. Raises the error of work that failed.
  void synchronize(LogicalDevice* device);
  // Releases cached memory: mirrors, and free pages of the device's arena or the CPU's pool. Null: of all devices.
  void release_memory(LogicalDevice* device);
  // Releases free pages of other logical GPUs on the same card. Returns how many bytes.
  std::size_t trim_others_on(const LogicalDevice& device);

  // The Contexts of this Runtime, which must forget a storage when it is freed.
  void attach(Context* context) { contexts_.push_back(context); }
  void detach(Context* context) { std::erase(contexts_, context); }
  // One for each interpreter; several where interpreters share the Runtime.
  std::span<Context* const> contexts() const { return contexts_; }

  // What keeps memory between uses. It is asked to give it back when memory is short, and before a reset.
  void attach(IdleMemory* memory) { idle_.push_back(memory); }
  void detach(IdleMemory* memory) { std::erase(idle_, memory); }
  void release_idle(const LogicalDevice* device) {
    for (IdleMemory* memory : idle_) memory->release_idle(device);
  }
  // While a Context records launches (Context::record), every tensor has a Storage, also one of few bytes. Contexts
  // then hear of each storage that is freed; otherwise only of large ones. Call it when a Context begins or ends a
  // recording.
  void observe();

  // No device gets more memory than this, whatever its settings say. Only before initialisation.
  void set_most_memory(std::size_t bytes) {
    most_memory_ = bytes;
    pool_->set_limit(std::min(pool_->stats().limit_bytes, bytes));
  }

  // The most threads that a loop of this Runtime's ops uses; 0: the calling thread's share (core/parallel.h).
  int threads() const { return threads_; }

  bool soft_placement() const { return soft_placement_; }
  void set_soft_placement(bool on) {
    soft_placement_ = on;
    ++placement_stamp_;
  }
  // Changes whenever a scope may resolve to other devices. Never 0.
  uint64_t placement_stamp() const { return placement_stamp_; }

  KernelFallback kernel_fallback = KernelFallback::Allow;
  bool auto_placement = false;  // lutra.config.set_placement("auto"): fit plans its steps
  MatmulPrecision float32_matmul_precision = MatmulPrecision::Tf32;  // as TensorFlow; the CPU always computes in fp32
  // Counts changes that may invalidate an op in progress: a tensor released by hand, a variable assigned, a reset.
  uint64_t epoch = 0;

 private:
  void use_own_cards();
  void take_kernels(const Backend& backend);
  LogicalDevice& device_for(const LogicalDevicePlan& plan);
  void open_device(LogicalDevice& device, const LogicalDevicePlan& plan);

  // Order matters for destruction: mirrors and fault records go before the streams they wait for.
  OpRegistry ops_;
  const OpDef& constant_op_;
  const OpDef& cast_op_;
  std::unique_ptr<KernelRegistry> own_kernels_;
  const KernelRegistry* kernels_;
  struct AddedKernel {
    const char* op;
    DTypes keys;
    KernelEntry entry;
  };
  std::vector<AddedKernel> added_;  // of hosts' ops
  std::unique_ptr<DeviceRegistry> registry_;
  std::vector<std::unique_ptr<Device>> remote_;  // other processes' devices
  std::vector<LogicalDevicePlan> remote_plans_;
  Log log_;
  StorageHooks hooks_;
  std::vector<std::unique_ptr<LogicalDevice>> devices_;  // by id; kept after a reset, for tensors that refer to them
  std::map<std::pair<const Device*, int>, LogicalDevice*> known_;  // the same, by card and number
  std::vector<LogicalDevice*> order_;
  LogicalDevice* cpu_ = nullptr;
  std::unique_ptr<HostPool> pool_;
  LentMemory lent_memory_;
  ReturnedTensors returned_tensors_;
  FaultSets faults_;
  Transfer transfer_;
  std::vector<Context*> contexts_;
  std::vector<IdleMemory*> idle_;
  std::size_t most_memory_ = SIZE_MAX;  // of each device
  std::size_t told_bytes_ = 0;          // Contexts hear of storages of so many bytes that are freed
  int threads_ = 0;
  bool soft_placement_ = false;
  uint64_t placement_stamp_ = 1;
  const Backend* gpu_backend_ = nullptr;  // of the current GPUs
  std::vector<SimOptions> sim_cards_;     // the simulated GPUs; empty: the machine's own are used
  std::shared_ptr<Schedule> sim_schedule_;
};

}  // namespace lutra
