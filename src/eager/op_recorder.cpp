#include "eager/op_recorder.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "eager/launch.h"

namespace lutra {
namespace {

double bytes_of(const TensorRep& tensor) { return static_cast<double>(tensor.nbytes()); }

std::string shape_text(const TensorRep& tensor) { return text(tensor.shape(), " ", name(tensor.dtype)); }

}  // namespace

std::string operands_text(const Call& call) {
  std::string all;
  for (int i = 0; i < call.n_in; ++i) {
    if (i > 0) all += ", ";
    const TensorRep* tensor = call.in[i].tensor;
    // A number's value may change from run to run: a learning rate, a step.
    append(all, tensor != nullptr ? shape_text(*tensor) : std::string("a number"));
  }
  return all;
}

OpRecorder::OpRecorder(Context& context)
    : context_(context), first_origin_(context.origins().last()), began_ns_(now_ns()) {
  for (LogicalDevice* device : context.devices()) {
    if (device->compute == nullptr) continue;
    host_wait(device->compute->tail_ticket());
    auto* stream = dynamic_cast<TimedStream*>(device->compute.get());
    if (stream == nullptr || stream->keeps_times()) continue;
    stream->keep_times(true);
    noting_.push_back(stream);
  }
  context.attach(*this);
  began_ns_ = launched_ns_ = now_ns();
}

OpRecorder::~OpRecorder() {
  if (is_finished_) return;
  context_.detach(*this);
  for (TimedStream* stream : noting_) stream->keep_times(false);
}

int OpRecorder::outside_index(const TensorRep& tensor) {
  if (is_variable(tensor)) {
    auto [found, is_new] = by_variable_.try_emplace(tensor.value, static_cast<int>(outside_.size()));
    if (is_new) outside_.push_back({tensor.value, tensor.device, bytes_of(tensor), false, shape_text(tensor)});
    // What a tape saved of it, or was read from it, shares its memory.
    if (tensor.storage != nullptr) by_storage_[tensor.storage] = found->second;
    return found->second;
  }
  // Small tensors carry their bytes and have no identity but their origin.
  const void* identity = tensor.storage;
  if (identity == nullptr) {
    outside_.push_back({0, tensor.device, bytes_of(tensor), true, shape_text(tensor)});
    return static_cast<int>(outside_.size()) - 1;
  }
  auto [found, is_new] = by_storage_.try_emplace(identity, static_cast<int>(outside_.size()));
  if (is_new) {
    const bool is_made_here =
        tensor.origin != 0 && tensor.origin - first_origin_ - 1 < context_.origins().last() - first_origin_;
    outside_.push_back({0, tensor.device, bytes_of(tensor), is_made_here, shape_text(tensor)});
  }
  return found->second;
}

RecordedSource OpRecorder::source_of(const TensorRep& tensor) {
  if (is_variable(tensor)) return {RecordedSource::kOutside, outside_index(tensor)};
  if (auto known = by_origin_.find(tensor.origin); tensor.origin != 0 && known != by_origin_.end())
    return known->second;
  // What t:to(device) made of a tensor from outside.
  if (auto original = copies_.find(tensor.storage); tensor.storage != nullptr && original != copies_.end())
    return source_of(original->second);
  return {RecordedSource::kOutside, outside_index(tensor)};
}

void OpRecorder::freed(const Storage& storage) {
  copies_.erase(&storage);
  std::erase_if(copies_, [&](const auto& each) { return each.second.storage == &storage; });
}

int OpRecorder::maker(const TensorRep& tensor) const {
  auto known = by_origin_.find(tensor.origin);
  return known != by_origin_.end() && known->second.kind == RecordedSource::kOp ? known->second.index : -1;
}

int OpRecorder::find_outside(const TensorRep& tensor) const {
  if (is_variable(tensor)) {
    auto known = by_variable_.find(tensor.value);
    return known != by_variable_.end() ? known->second : -1;
  }
  auto known = by_storage_.find(tensor.storage);
  return tensor.storage != nullptr && known != by_storage_.end() ? known->second : -1;
}

void OpRecorder::executed(const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  const bool is_open = std::exchange(was_asked_, false);
  if (is_finished_) return;
  if (inner_ != nullptr) inner_->executed(call, prepared, outs);
  if (prepared.kernel == nullptr) {  // a view: its readers read what it shows
    by_origin_[outs[0]->origin] = source_of(*call.in[0].tensor);
    return;
  }
  const OpDef& op = *prepared.op;
  const int index = static_cast<int>(ops_.size());
  RecordedOp made;
  made.op = &op;
  made.name = op.logged(call);
  made.line = context_.line();
  made.inputs = operands_text(call);
  made.requested = context_.spec_text(prepared.spec);
  made.device = prepared.device->id;
  made.reason = prepared.reason;
  made.key = prepared.key;
  made.is_open = is_open;
  const KernelRegistry& kernels = context_.runtime().kernels();
  made.has_cpu_kernel = kernels.find(DeviceType::CPU, op, prepared.key).run != nullptr || op.has(kComposed);
  made.has_gpu_kernel = kernels.find(DeviceType::GPU, op, prepared.key).run != nullptr;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr) continue;
    const RecordedSource source = source_of(*tensor);
    made.reads.push_back(source);
    if (source.kind == RecordedSource::kOutside && outside_[static_cast<std::size_t>(source.index)].last_writer >= 0) {
      made.reads.push_back({RecordedSource::kOp, outside_[static_cast<std::size_t>(source.index)].last_writer});
    }
  }
  for (int i = 0; i < prepared.n_out; ++i) {
    append(made.outputs, text(i > 0 ? ", " : "", shape_text(*outs[i])));
    if (prepared.into == nullptr) {
      made.bytes += bytes_of(*outs[i]);
      continue;
    }
    const int variable = outside_index(*prepared.into[i]);
    made.writes.push_back(variable);
    outside_[static_cast<std::size_t>(variable)].last_writer = index;
  }
  if (prepared.into == nullptr) by_origin_[outs[0]->origin] = {RecordedSource::kOp, index};
  made.flops = std::exchange(flops_, 0);
  made.touched_bytes = std::exchange(touched_, 0);
  made.us = std::exchange(us_, 0);
  made.launches = std::exchange(launches_, 0);
  made.start_ns = std::exchange(start_ns_, 0);
  for (auto timed = pending_.rbegin(); timed != pending_.rend() && timed->op < 0; ++timed) timed->op = index;
  ops_.push_back(std::move(made));
}

void OpRecorder::launches(const Launch&) { gaps_us_.push_back(static_cast<double>(now_ns() - launched_ns_) * 1e-3); }

void OpRecorder::launched(const Launched& launched) {
  const Cost cost = cost_of(launched.launch.args);
  flops_ += cost.flops;
  touched_ += cost.bytes;
  ++launches_;
  auto noting = std::find(noting_.begin(), noting_.end(), launched.launch.device->compute.get());
  if (noting != noting_.end()) {
    pending_.push_back({*noting, launched.ticket.seq, -1});
  } else {
    int64_t end_ns = launched.end_ns;
    if (!launched.launch.device->is_host()) {
      host_wait(launched.ticket);
      end_ns = now_ns();
    }
    us_ += static_cast<double>(end_ns - launched.begin_ns) * 1e-3;
    if (start_ns_ == 0) start_ns_ = launched.begin_ns;
  }
  launched_ns_ = now_ns();
}

void OpRecorder::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  context_.detach(*this);
  for (LogicalDevice* device : context_.devices()) {
    if (device->compute != nullptr) host_wait(device->compute->tail_ticket());
  }
  ended_ns_ = now_ns();
  std::vector<HostWait> waits;
  for (TimedStream* stream : noting_) {
    std::vector<CommandTime> commands;
    stream->take_times(commands, waits);
    stream->keep_times(false);
    std::unordered_map<uint64_t, CommandTime> times;
    for (const CommandTime& time : commands) times.emplace(time.seq, time);
    for (const Timed& timed : pending_) {
      auto found = times.find(timed.seq);
      if (timed.stream != stream || timed.op < 0 || found == times.end()) continue;
      RecordedOp& op = ops_[static_cast<std::size_t>(timed.op)];
      op.us += static_cast<double>(found->second.end_ns - found->second.begin_ns) * 1e-3;
      if (op.start_ns == 0 || found->second.begin_ns < op.start_ns) op.start_ns = found->second.begin_ns;
    }
  }
}

double OpRecorder::issue_us() const {
  if (gaps_us_.empty()) return 0;
  // With few ops, most gaps may have something that happens once: memory that grows, or a library that loads.
  constexpr std::size_t kFewGaps = 8;
  if (gaps_us_.size() < kFewGaps) return std::ranges::min(gaps_us_);
  std::vector<double> gaps = gaps_us_;
  auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

}  // namespace lutra
