// Note [Replays in batches]
// A replay whose launches are all on one card gives them to its stream as a batch, a CUDA graph
// (device/stream_batch.h): queuing a kernel alone costs the host some microseconds. If addresses and attributes are
// those of the last run, the kept batch is queued again, and no launch is made. To that end arguments and results have
// memory that stays: arguments are copied to it before the launches, results from it afterwards. Else the launches are
// queued anew, and the stream updates the batch that it kept.
#include <algorithm>
#include <utility>

#include "eager/executor.h"
#include "graph/element_at.h"
#include "graph/replay.h"
#include "ops/elementwise.h"

namespace lutra::graph {
namespace {

constexpr int kMostMisses = 4;  // runs in a row that do not repeat the kept batch
constexpr int kLeastBatch = 4;  // launches; fewer cost less one by one
// Of arguments and results together: copying more takes longer than queuing launches anew.
constexpr std::size_t kMostFixedBytes = std::size_t{16} << 20;

// Ends a batch whatever happens, as launches that were queued one by one would run too.
class OpenBatch {
 public:
  OpenBatch(BatchingStream* stream, std::unique_ptr<CommandBatch>& kept) : stream_(stream) {
    stream_->begin_batch(kept);
  }
  ~OpenBatch() {
    try {
      close();
    } catch (const Error&) {  // another error is on its way
    }
  }
  OpenBatch(const OpenBatch&) = delete;
  bool close() {
    BatchingStream* stream = std::exchange(stream_, nullptr);
    return stream != nullptr && stream->end_batch();
  }

 private:
  BatchingStream* stream_;
};

}  // namespace

void Replay::place_fixed() {
  for (const std::vector<int>* cells : {&own_, &arguments_}) {
    for (int cell : *cells) {
      if (at(fixed_, cell) != nullptr || at(program_.cells, cell).device != batch_device_->id) continue;
      Storage* storage = allocate(at(program_.cells, cell));
      if (!is_valid_ || at(fixed_, cell) != nullptr) {
        storage->release();
        continue;
      }
      at(fixed_, cell) = storage;
      move(cell, {storage->data, storage});
    }
  }
}

void Replay::release_fixed() {
  for (Storage*& storage : fixed_) {
    if (storage != nullptr) std::exchange(storage, nullptr)->release();
  }
}

// Queues the copy of an argument to its fixed memory. False if the launches read it elsewhere.
bool Replay::fix_argument(int cell, const TensorRep& given) {
  Storage* fixed = at(fixed_, cell);
  if (fixed == nullptr || given.storage == nullptr || given.storage->device != batch_device_->id) return false;
  Runtime& runtime = context_.runtime();
  runtime.transfer().make_ready(*batch_device_, *given.storage);
  batch_device_->compute->copy({fixed->data, given.data, given.nbytes()}, false);
  runtime.faults().retain(given.storage->fault_set);
  runtime.faults().release(std::exchange(fixed->fault_set, given.storage->fault_set));
  return true;
}

// Queues the copies of results from their fixed memory.
void Replay::give_fixed() {
  Runtime& runtime = context_.runtime();
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const Storage& fixed = *at(fixed_, own_[i]);
    batch_device_->compute->copy({fresh_[i]->data, fixed.data, at(program_.cells, own_[i]).bytes}, false);
    runtime.faults().retain(fixed.fault_set);
    runtime.faults().release(std::exchange(fresh_[i]->fault_set, fixed.fault_set));
  }
}

void Replay::find_batch() {
  LogicalDevice* device = nullptr;
  int launches = 0;
  bool assigns = false;
  for (const Step& step : program_.steps) {
    assigns |= step.kind == Step::Kind::Assign;
    if (step.kind == Step::Kind::Assign) continue;
    if (step.kind == Step::Kind::Copy || (device != nullptr && step.device != device)) return;
    device = step.device;
    ++launches;
    const DType dtype = step.in.empty() ? step.out[0].dtype : step.in[0].dtype;
    has_fresh_args_ |= step.rng_at >= 0 || may_find_fault(*step.op, dtype);
  }
  if (launches < kLeastBatch || device->is_host()) return;
  batching_ = dynamic_cast<BatchingStream*>(device->compute.get());
  if (batching_ == nullptr) return;
  batch_device_ = device;
  // A variable may keep the memory of what is assigned to it.
  if (assigns || has_fresh_args_) return;
  std::size_t bytes = 0;
  for (const Cell& cell : program_.cells) {
    if (cell.kind == Cell::Kind::Argument || cell.is_own) bytes += cell.bytes;
  }
  has_fixed_ = bytes <= kMostFixedBytes;
  fixed_.assign(program_.cells.size(), nullptr);
}

std::vector<std::byte> Replay::numbers() const {
  std::vector<std::byte> bytes;
  for (const Step& step : program_.steps) {
    if (step.numbers >= 0) bytes.insert(bytes.end(), step.attrs.begin(), step.attrs.end());
  }
  return bytes;
}

void Replay::note_batch(bool is_whole) {
  is_batch_whole_ = is_whole;
  has_moved_ = false;
  kept_numbers_ = numbers();
}

// Whether the batch of the last run is this run's too.
bool Replay::can_repeat() {
  if (!is_batch_whole_ || has_moved_ || has_fresh_args_ || kept_numbers_ != numbers()) return false;
  LogicalDevice& device = *batch_device_;
  if (device.fail_at != 0) return false;
  auto is_plain = [&](int cell) {
    Storage* storage = at(bases_, cell).storage;  // null: its value is part of the launches
    return storage != nullptr && storage->fault_set == 0 && storage->device == device.id;
  };
  auto is_plain_variable = [&](const Program::Variable& variable) { return is_plain(variable.cell); };
  if (!std::all_of(arguments_.begin(), arguments_.end(), is_plain)) return false;
  if (!std::all_of(program_.variables.begin(), program_.variables.end(), is_plain_variable)) return false;
  Transfer& transfer = context_.runtime().transfer();
  for (int cell : arguments_) transfer.make_ready(device, *at(bases_, cell).storage);
  for (const Program::Variable& variable : program_.variables) {
    transfer.make_ready(device, *at(bases_, variable.cell).storage);
  }
  return true;
}

void Replay::run_everywhere() {
  if (batching_ == nullptr || context_.is_observed()) return run_nodes();
  if (can_repeat()) {
    misses_ = 0;
    batching_->repeat_batch(*kept_);
    for (const Step& step : program_.steps) {
      if (step.kind == Step::Kind::Assign) assign(step);
    }
    return;
  }
  ++misses_;
  is_batch_whole_ = false;
  OpenBatch batch(batching_, kept_);
  run_nodes();
  note_batch(batch.close());
}

// Memory that stays is of no use to a program whose addresses or numbers are others at each run.
void Replay::drop_useless_fixed() {
  if (!has_fixed_ || misses_ < kMostMisses) return;
  has_fixed_ = false;
  release_fixed();
}

// Where the caller finds a cell: not in memory that the next run writes over.
Replay::Base Replay::base_for_caller(int cell, std::span<const TensorRep* const> arguments) const {
  if (!has_fixed_ || at(fixed_, cell) == nullptr) return at(bases_, cell);
  const Cell& of = at(program_.cells, cell);
  if (of.kind == Cell::Kind::Argument) {
    const TensorRep& given = *arguments[static_cast<std::size_t>(of.index)];
    return {const_cast<std::byte*>(given.address()), given.storage};
  }
  const auto own = std::find(own_.begin(), own_.end(), cell) - own_.begin();
  Storage* fresh = fresh_[static_cast<std::size_t>(own)];
  return {fresh->data, fresh};
}

}  // namespace lutra::graph
