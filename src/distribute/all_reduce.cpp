#include "distribute/all_reduce.h"

#include "distribute/collective.h"
#include "distribute/sum_tree.h"
#include "eager/executor.h"
#include "eager/move_tensor.h"
#include "ops/shape.h"

namespace lutra {
namespace {

// Tensors up to this size are packed into buckets. For larger ones packing costs more than the commands it saves.
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
// The first bucket is small, so that the sums begin early.
constexpr std::size_t kFirstBucketBytes = std::size_t{1} << 20, kBucketBytes = std::size_t{25} << 20;

Operand operand(const Tensor& tensor) { return {&tensor.rep(), Scalar::of(false)}; }

Tensor run(Context& context, const char* op, std::span<const Operand> in, LogicalDevice& device) {
  Call call(context.runtime().ops().get_literal(op), in.data(), static_cast<int>(in.size()));
  ForcedPlace place{&device, Reason::Replicas};
  return run_op(context, call, &place);
}

void order(LogicalDevice& device, Ticket ticket) {
  if (!is_done(ticket)) device.compute->wait_for(ticket);
}

// The replicas' tensors, for commands of `reader`. Memory that it can read directly is not copied: the command waits
// for the other device's queued work, and that device reuses no memory that is still read (see DeviceHeap::free).
class Borrowed {
 public:
  Borrowed(Context& context, LogicalDevice& reader) : context_(context), reader_(reader) {}

  Tensor borrow(const Tensor& tensor) {
    LogicalDevice& owner = context_.runtime().device(tensor.rep().device);
    Tensor held(tensor);
    if (&owner == &reader_ || context_.ledger().is_recording() || tensor.rep().storage == nullptr ||
        !reader_.physical->reads_memory_of(*owner.physical)) {
      return held;
    }
    Storage& storage = *tensor.rep().storage;
    context_.runtime().transfer().make_ready(owner, storage);
    come_after(owner.compute->tail_ticket());
    // `reading` is one ticket for all readers, so this one must come after the last.
    if (storage.reading.stream != reader_.compute.get()) come_after(storage.reading);
    held.rep().device = reader_.id;
    read_.push_back(held);
    return held;
  }
  // To be called when the commands that read borrowed tensors are queued.
  void queued() {
    for (const Tensor& tensor : read_) tensor.rep().storage->reading = reader_.compute->tail_ticket();
    read_.clear();
  }

 private:
  void come_after(Ticket ticket) {
    for (Ticket before : waited_) {
      if (before.stream == ticket.stream && before.seq >= ticket.seq) return;
    }
    order(reader_, ticket);
    waited_.push_back(ticket);
  }

  Context& context_;
  LogicalDevice& reader_;
  std::vector<Tensor> read_;
  std::vector<Ticket> waited_;
};

// The sum of the parts, on `device`; Mean: divided by the number of replicas.
Tensor sum_up(Context& context, Borrowed& borrowed, std::span<const Tensor* const> parts, LogicalDevice& device,
              Reduction how, std::size_t replicas) {
  std::vector<SumNode> nodes;
  for (std::size_t k = 0; k < parts.size(); ++k)
    nodes.push_back({k, k + 1, parts.size() > 1 ? borrowed.borrow(*parts[k]) : *parts[k]});
  Tensor sum = sum_from(nodes, 0, parts.size(), [&](const Tensor& a, const Tensor& b) {
    const Operand operands[] = {operand(a), operand(b)};
    return run(context, "AddN", operands, device);
  });
  borrowed.queued();
  if (how == Reduction::Sum) return sum;
  const Operand operands[] = {operand(sum), {nullptr, Scalar::of(static_cast<double>(replicas))}};
  return run(context, "RealDiv", operands, device);
}

// `size` elements of a tensor from `first` on, with `shape`, sharing its memory.
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
      : context_(context),
        lists_(lists),
        devices_(devices),
        how_(how),
        borrowed_(context, *devices[0]),
        out_(lists.size()) {
    for (ReplicaTensors& list : out_) list.resize(lists[0].size());
  }

  // The sums are not copied; see lend_sums.
  std::vector<ReplicaTensors> lend_all() {
    lends_ = !context_.ledger().is_recording();
    for (LogicalDevice* device : devices_) {
      lends_ = lends_ && !device->is_host() && device->physical->reads_memory_of(*devices_[0]->physical);
    }
    std::vector<ReplicaTensors> sums = run_all();
    for (std::size_t r = 1; lends_ && r < devices_.size(); ++r)
      order(*devices_[r], devices_[0]->compute->tail_ticket());
    return sums;
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

  // Not while tapes record, as they know whole tensors only; nor where memory is shared, as nothing is sent.
  bool may_travel_together(std::size_t i, const Tensor& some) const {
    if (lends_ || context_.ledger().is_recording() || some.rep().size == 0) return false;
    for (std::size_t r = 0; r < lists_.size(); ++r) {
      if (devices_[r]->is_host() || !lists_[r][i]) return false;
    }
    return some.rep().nbytes() <= kSmallBytes;
  }

  // The sum of the parts, on every device with the same bits.
  std::vector<Tensor> sum_over_devices(std::span<const std::optional<Tensor>* const> parts) {
    if (auto sums = sum_by_backend(context_, parts, devices_, how_)) return std::move(*sums);
    std::vector<const Tensor*> tensors;
    for (const std::optional<Tensor>* part : parts) {
      if (part->has_value()) tensors.push_back(&**part);
    }
    Tensor sum = sum_up(context_, borrowed_, tensors, *devices_[0], how_, devices_.size());
    std::vector<Tensor> out(devices_.size());
    // If there is only one part, its bytes may still be in flight.
    if (lends_ && tensors.size() == 1 && sum.rep().device == devices_[0]->id && sum.rep().storage != nullptr)
      context_.runtime().transfer().make_ready(*devices_[0], *sum.rep().storage);
    for (std::size_t r = 0; r < devices_.size(); ++r) {
      if (lends_ && sum.rep().device == devices_[0]->id) {
        out[r] = sum;
        out[r].rep().device = devices_[r]->id;
      } else {
        move_tensor(context_, sum.rep(), *devices_[r], &out[r].rep());
      }
    }
    return out;
  }

  void alone(std::size_t i) {
    std::vector<const std::optional<Tensor>*> parts;
    for (const ReplicaTensors& list : lists_) parts.push_back(&list[i]);
    std::vector<Tensor> sums = sum_over_devices(parts);
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
      std::vector<Tensor> sums = sum_over_devices(parts);
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
  Borrowed borrowed_;
  bool lends_ = false;
  std::vector<ReplicaTensors> out_;
  std::vector<std::size_t> bucket_;  // the entries of the current bucket, all of dtype_
  DType dtype_ = DType::Float32;
  std::size_t bytes_ = 0, most_ = kFirstBucketBytes;
};

void check_lengths(std::span<const ReplicaTensors> lists) {
  for (std::size_t r = 1; r < lists.size(); ++r) {
    require(lists[r].size() == lists[0].size(), "all_reduce: replica ", r + 1, " has ", lists[r].size(),
            " tensors, and replica 1 ", lists[0].size());
  }
}

}  // namespace

std::vector<ReplicaTensors> all_reduce(Context& context, std::span<const ReplicaTensors> lists,
                                       std::span<LogicalDevice* const> devices, Reduction how) {
  check_lengths(lists);
  context.cannot_repeat("it sums over replicas");
  return Sums(context, lists, devices, how).run_all();
}

std::vector<ReplicaTensors> lend_sums(Context& context, std::span<const ReplicaTensors> lists,
                                      std::span<LogicalDevice* const> devices, Reduction how) {
  check_lengths(lists);
  return Sums(context, lists, devices, how).lend_all();
}

// Memory that the first device frees from now on is reused only after the others' commands.
void take_back(std::span<LogicalDevice* const> devices) {
  if (devices[0]->is_host()) return;
  for (LogicalDevice* device : devices.subspan(1)) {
    bool may_read = !device->is_host() && device->physical->reads_memory_of(*devices[0]->physical);
    if (may_read) order(*devices[0], device->compute->tail_ticket());
  }
}

}  // namespace lutra
