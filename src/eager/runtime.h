// What a State (one lua_State's Lutra) computes with: the ops, the kernels, the devices with their memory, the
// settings. A Context (one thread's view) stands on it. Devices are initialised by the first op, or the first question
// that needs them.
#pragma once

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
#include "eager/transfer.h"
#include "memory/host_pool.h"
#include "ops/kernel.h"
#include "ops/op.h"

namespace lutra {

class Schedule;

enum class KernelFallback : uint8_t { Allow, Warn, Error };

class Runtime {
 public:
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const OpRegistry& ops() const { return ops_; }
  const OpDef& constant_op() const { return constant_op_; }  // _EagerConst
  const OpDef& cast_op() const { return cast_op_; }          // Cast, which promotes inputs
  KernelRegistry& kernels() { return *kernels_; }
  DeviceRegistry& registry() { return *registry_; }
  Log& log() { return log_; }
  FaultSets& faults() { return faults_; }
  Transfer& transfer() { return transfer_; }
  HostPool& pool() { return *pool_; }

  // The only GPUs from now on, all alike; before initialisation. 0 takes them away again: then the machine's own are.
  void set_simulated_gpus(int count, const SimOptions& each = {});

  bool is_initialised() const { return !order_.empty(); }
  // `by`: the script line that does it, for later error texts.
  void initialise(std::string_view by);
  // Back to before initialisation. Fails (FailedPrecondition) while tensors live on a GPU.
  void reset();

  // GPUs before CPUs, lowest number first: the order of placement. Empty before initialisation.
  std::span<LogicalDevice* const> order() const { return order_; }
  LogicalDevice& device(uint16_t id) { return *devices_[id]; }
  LogicalDevice& cpu() { return *cpu_; }
  // What stands for a CPU that a reset has retired: the one of its name, else the first. No tensor of a GPU outlives a
  // reset.
  LogicalDevice& successor(LogicalDevice& retired);
  // Fails (InvalidArgument) unless exactly one initialised device is meant.
  LogicalDevice& find(std::string_view name);
  std::string device_names() const;

  // Blocks until the device (all of them when null) has finished what was queued; raises what failed.
  void synchronize(LogicalDevice* device);
  // Gives cached pages back: mirrors, arenas, the CPU's pool. Null: everywhere.
  void release_memory(LogicalDevice* device);
  // The pages that are free in the arenas of other logical GPUs of the same card go back to it; how many bytes.
  std::size_t trim_others_on(const LogicalDevice& device);

  // The Contexts that stand on this Runtime, so that a freed storage can be forgotten by them.
  void attach(Context* context) { contexts_.push_back(context); }
  void detach(Context* context) { std::erase(contexts_, context); }

  // On how many threads loops of this Runtime's ops run at most; 0: the calling thread's share (core/parallel.h).
  int threads() const { return threads_; }

  bool soft_placement() const { return soft_placement_; }
  void set_soft_placement(bool on) {
    soft_placement_ = on;
    ++placement_stamp_;
  }
  // Moves on with every change to what a scope's devices are. Never 0.
  uint64_t placement_stamp() const { return placement_stamp_; }

  KernelFallback kernel_fallback = KernelFallback::Allow;
  MatmulPrecision float32_matmul_precision = MatmulPrecision::Tf32;  // as TensorFlow; the CPU always computes in fp32
  // Counts what may pull the ground from under an op in progress: a tensor released by hand, a variable assigned, a
  // reset.
  uint64_t epoch = 0;

 private:
  void use_own_cards();
  void take_kernels(const Backend& backend);
  LogicalDevice& device_for(const LogicalDevicePlan& plan);
  void open_device(LogicalDevice& device, const LogicalDevicePlan& plan);

  // Destroyed from the last to the first: mirrors and fault records before the streams they wait for.
  OpRegistry ops_;
  const OpDef& constant_op_;
  const OpDef& cast_op_;
  std::unique_ptr<KernelRegistry> kernels_;
  std::unique_ptr<DeviceRegistry> registry_;
  Log log_;
  StorageHooks hooks_;
  std::vector<std::unique_ptr<LogicalDevice>> devices_;  // by id; they stay after a reset, for the tensors they made
  std::map<std::pair<const Device*, int>, LogicalDevice*> known_;  // the same, by card and number
  std::vector<LogicalDevice*> order_;
  LogicalDevice* cpu_ = nullptr;
  std::unique_ptr<HostPool> pool_;
  FaultSets faults_;
  Transfer transfer_;
  std::vector<Context*> contexts_;
  int threads_ = 0;
  bool soft_placement_ = false;
  uint64_t placement_stamp_ = 1;
  const Backend* gpu_backend_ = nullptr;  // of the GPUs there are
  int sim_count_ = 0;
  SimOptions sim_;  // each of them
  std::shared_ptr<Schedule> sim_schedule_;
};

}  // namespace lutra
