#include "distribute/all_reduce.h"

#include "eager/executor.h"
#include "eager/move_tensor.h"
#include "ops/shape.h"

namespace lutra {
namespace {

// Up to this size tensors travel together: for larger ones putting them into one would cost more than a command saves.
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
// The first bucket is small, so that the sums begin early.
constexpr std::size_t kFirstBucketBytes = std::size_t{1} << 20, kBucketBytes = std::size_t{25} << 20;

Operand operand(const Tensor& tensor) { return {&tensor.rep(), Scalar::of(false)}; }

Tensor run(Context& context, const char* op, std::span<const Operand> in, LogicalDevice& device) {
  Call call(context.runtime().ops().get_literal(op), in.data(), static_cast<int>(in.size()));
  ForcedPlace place{&device, Reason::Replicas};
  return run_op(context, call, &place);
}

// What replicas bring, for a command of `reader`. Memory that it can read where it lies is not copied: the command
// comes after what the other device has queued, and that frees nothing which is still read (see DeviceHeap::free).
class Borrowed {
 public:
  Borrowed(Context& context, LogicalDevice& reader) : context_(context), reader_(reader) {}

  void add(const Tensor& tensor) {
    LogicalDevice& owner = context_.runtime().device(tensor.rep().device);
    Tensor& held = tensors_.emplace_back(tensor);
    if (&owner == &reader_ || context_.ledger().is_recording() || tensor.rep().storage == nullptr ||
        !reader_.physical->reads_memory_of(*owner.physical)) {
      return;
    }
    Storage& storage = *tensor.rep().storage;
    context_.runtime().transfer().make_ready(owner, storage);
    order(owner.compute->tail_ticket());
    // One ticket stands for all readers: this one comes after the last.
    if (storage.reading.stream != reader_.compute.get()) order(storage.reading);
    held.rep().device = reader_.id;
    read_.push_back(&storage);
  }
  std::vector<Operand> operands() const {
    std::vector<Operand> list;
    for (const Tensor& tensor : tensors_) list.push_back(operand(tensor));
    return list;
  }
  // The command is queued.
  void queued() {
    for (Storage* storage : read_) storage->reading = reader_.compute->tail_ticket();
  }

 private:
  void order(Ticket ticket) {
    if (!is_done(ticket)) reader_.compute->wait_for(ticket);
  }

  Context& context_;
  LogicalDevice& reader_;
  std::vector<Tensor> tensors_;
  std::vector<Storage*> read_;
};

// The sum of what the replicas have, on the first of them that brings something; Mean: divided by how many replicas
// there are.
Tensor sum_up(Context& context, std::span<const Tensor* const> parts, LogicalDevice& device, Reduction how,
              std::size_t replicas) {
  Tensor sum(*parts[0]);
  if (parts.size() > 1) {
    Borrowed borrowed(context, device);
    for (const Tensor* part : parts) borrowed.add(*part);
    sum = run(context, "AddN", borrowed.operands(), device);
    borrowed.queued();
  }
  if (how == Reduction::Sum) return sum;
  const Operand operands[] = {operand(sum), {nullptr, Scalar::of(static_cast<double>(replicas))}};
  return run(context, "RealDiv", operands, device);
}

// parts[r] on every device: the same bits.
std::vector<Tensor> sum_over_devices(Context& context, std::span<const std::optional<Tensor>* const> parts,
                                     std::span<LogicalDevice* const> devices, Reduction how) {
  std::vector<const Tensor*> tensors;
  for (const std::optional<Tensor>* part : parts) {
    if (part->has_value()) tensors.push_back(&**part);
  }
  Tensor sum = sum_up(context, tensors, *devices[0], how, devices.size());
  std::vector<Tensor> out(devices.size());
  for (std::size_t r = 0; r < devices.size(); ++r) move_tensor(context, sum.rep(), *devices[r], &out[r].rep());
  return out;
}

// `size` elements of a tensor from `first` on, in `shape`, in its own memory.
Tensor view(const Tensor& tensor, int64_t first, int64_t size, const Shape& shape) {
  Tensor part(tensor);
  TensorRep& rep = part.rep();
  rep.data += static_cast<std::size_t>(first) * size_of(rep.dtype);
  rep.size = size;
  rep.set_shape(shape);
  rep.value = 0;
  return part;
}

class Sums {
 public:
  Sums(Context& context, std::span<const ReplicaTensors> lists, std::span<LogicalDevice* const> devices, Reduction how)
      : context_(context), lists_(lists), devices_(devices), how_(how), out_(lists.size()) {
    for (ReplicaTensors& list : out_) list.resize(lists[0].size());
  }

  std::vector<ReplicaTensors> run_all() {
    for (std::size_t i = 0; i < lists_[0].size(); ++i) {
      const Tensor* some = check(i);
      if (some == nullptr) continue;
      if (!may_travel_together(i, *some)) {
        alone(i);
        continue;
      }
      const std::size_t bytes = some->rep().nbytes();
      if (!bucket_.empty() && (some->rep().dtype != dtype_ || bytes_ + bytes > most_)) send();
      dtype_ = some->rep().dtype;
      bucket_.push_back(i);
      bytes_ += bytes;
    }
    send();
    return std::move(out_);
  }

 private:
  // One of the entries i; null: there is none.
  const Tensor* check(std::size_t i) const {
    const Tensor* some = nullptr;
    for (std::size_t r = 0; r < lists_.size(); ++r) {
      if (!lists_[r][i]) continue;
      const TensorRep& rep = lists_[r][i]->rep();
      require(some == nullptr || (rep.shape() == some->rep().shape() && rep.dtype == some->rep().dtype),
              "all_reduce: replica ", r + 1, " has ", rep.dtype, " ", rep.shape(), " at place ", i + 1,
              ", and another one ", some != nullptr ? some->rep().dtype : rep.dtype, " ",
              some != nullptr ? some->rep().shape() : Shape(), "; expected one dtype and shape");
      some = &*lists_[r][i];
    }
    return some;
  }

  // Tapes know whole tensors only, and where memory is shared there is nothing to send.
  bool may_travel_together(std::size_t i, const Tensor& some) const {
    if (context_.ledger().is_recording() || some.rep().size == 0) return false;
    for (std::size_t r = 0; r < lists_.size(); ++r) {
      if (devices_[r]->is_host() || !lists_[r][i]) return false;
    }
    return some.rep().nbytes() <= kSmallBytes;
  }

  void alone(std::size_t i) {
    std::vector<const std::optional<Tensor>*> parts;
    for (const ReplicaTensors& list : lists_) parts.push_back(&list[i]);
    std::vector<Tensor> sums = sum_over_devices(context_, parts, devices_, how_);
    for (std::size_t r = 0; r < sums.size(); ++r) out_[r][i] = std::move(sums[r]);
  }

  Tensor packed(std::size_t r) const {
    std::vector<Tensor> flat;
    for (std::size_t i : bucket_) {
      const Tensor& tensor = *lists_[r][i];
      flat.push_back(view(tensor, 0, tensor.rep().size, Shape{tensor.rep().size}));
    }
    std::vector<Operand> operands;
    for (const Tensor& tensor : flat) operands.push_back(operand(tensor));
    return run(context_, "ConcatV2", operands, *devices_[r]);
  }

  void send() {
    if (bucket_.size() == 1) alone(bucket_[0]);
    if (bucket_.size() > 1) {
      std::vector<std::optional<Tensor>> flat;
      for (std::size_t r = 0; r < lists_.size(); ++r) flat.push_back(packed(r));
      std::vector<const std::optional<Tensor>*> parts;
      for (const std::optional<Tensor>& tensor : flat) parts.push_back(&tensor);
      std::vector<Tensor> sums = sum_over_devices(context_, parts, devices_, how_);
      int64_t first = 0;
      for (std::size_t i : bucket_) {
        const TensorRep& part = lists_[0][i]->rep();
        for (std::size_t r = 0; r < sums.size(); ++r) out_[r][i] = view(sums[r], first, part.size, part.shape());
        first += part.size;
      }
    }
    if (!bucket_.empty()) most_ = kBucketBytes;
    bucket_.clear();
    bytes_ = 0;
  }

  Context& context_;
  std::span<const ReplicaTensors> lists_;
  std::span<LogicalDevice* const> devices_;
  Reduction how_;
  std::vector<ReplicaTensors> out_;
  std::vector<std::size_t> bucket_;  // the entries that are to travel together, of dtype_
  DType dtype_ = DType::Float32;
  std::size_t bytes_ = 0, most_ = kFirstBucketBytes;
};

}  // namespace

std::vector<ReplicaTensors> all_reduce(Context& context, std::span<const ReplicaTensors> lists,
                                       std::span<LogicalDevice* const> devices, Reduction how) {
  for (std::size_t r = 1; r < lists.size(); ++r) {
    require(lists[r].size() == lists[0].size(), "all_reduce: replica ", r + 1, " has ", lists[r].size(),
            " tensors, and replica 1 ", lists[0].size());
  }
  return Sums(context, lists, devices, how).run_all();
}

}  // namespace lutra
