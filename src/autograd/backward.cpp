#include "autograd/backward.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "autograd/tape.h"
#include "eager/eager_builder.h"
#include "eager/executor.h"
#include "ops/create.h"
#include "ops/gradient.h"
#include "ops/matmul.h"
#include "ops/slice.h"

namespace lutra {
namespace {

Tensor zeros(Context& context, const TensorRep& like, LogicalDevice& device) {
  const DType dtype = like.dtype;
  Operand zero[1] = {{nullptr, is_inexact(dtype)      ? Scalar::of(0.0)
                               : dtype == DType::Bool ? Scalar::of(false)
                                                      : Scalar::of(int64_t{0})}};
  Call fill(context.runtime().ops().get("Fill"), zero, 1);
  FillAttrs& attrs = fill.as<FillAttrs>();
  attrs.dtype = dtype;
  attrs.shape = Dims::of(like.shape());
  ForcedPlace place{&device, Reason::Gradient};
  return run_op(context, fill, &place);
}

Tensor filled_like(Context& context, const char* op, const TensorRep& tensor, LogicalDevice& device) {
  Operand operands[1] = {{&tensor, Scalar::of(false)}};
  Call call(context.runtime().ops().get(op), operands, 1);
  ForcedPlace place{&device, Reason::Gradient};
  return run_op(context, call, &place);
}

// On the tensor's own device.
Tensor cast(Context& context, const Tensor& tensor, DType dtype) {
  Operand operands[1] = {{&tensor.rep(), Scalar::of(false)}};
  Call call(context.runtime().cast_op(), operands, 1);
  call.as<CastAttrs>().dtype = dtype;
  ForcedPlace place{&context.runtime().device(tensor.rep().device), Reason::Gradient};
  return run_op(context, call, &place);
}

std::vector<uint64_t> in_order(std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

// Runs the rule of one record. A Value is an index into tensors that live until the rule has run.
class TapeGradient final : public EagerBuilder<Gradient> {
 public:
  TapeGradient(Backward& backward, const Record& record, const std::vector<bool>& needed)
      : EagerBuilder(backward.context_, backward.context_.runtime().device(record.device), Reason::Gradient,
                     backward.tensors_),
        backward_(backward),
        record_(record),
        needed_(needed) {}
  ~TapeGradient() override { tensors_.clear(); }

  const OpDef& op() const override { return *record_.op; }
  int inputs() const override { return record_.n_in; }
  DType key() const override { return record_.key; }
  bool is_recorded() const override { return context_.recording() != nullptr || context_.has_policy(); }
  Value x(int i) override { return saved(record_.in[i]); }
  Value y(int i) override { return saved(record_.out[i]); }
  bool has_dy(int i) const override { return gradient_of(i) != nullptr; }
  Value dy(int i) override {
    if (const Tensor* known = gradient_of(i)) return hold(*known);
    const TensorRep& out = record_.out[i].tensor;
    return fill(out.shape(), 0, out.dtype);
  }
  Shape shape_of(int i) const override { return record_.in[i].is_number ? Shape() : record_.in[i].tensor.shape(); }
  DType dtype_of(int i) const override { return record_.in[i].tensor.dtype; }
  Shape output_shape(int i) const override { return record_.out[i].tensor.shape(); }
  bool needs(int i) const override {
    const Recorded& in = record_.in[i];
    return needed_[backward_.place_of(in.value)] && is_inexact(in.tensor.dtype);
  }
  void add(int i, Value gradient) override {
    if (!needs(i)) return;
    Value fitted = cast(sum_to(gradient, shape_of(i)), dtype_of(i));
    backward_.accumulate(backward_.place_of(record_.in[i].value), tensor(fitted), device_);
  }

  void add_part(int i, const SliceAttrs& part, Value gradient) override {
    if (!needs(i)) return;
    Tensor fitted = tensor(cast(gradient, dtype_of(i)));
    backward_.accumulate_part(record_.in[i], part, fitted, device_);
  }

  void add_product(int i, Value a, Value b) override {
    if (!needs(i)) return;
    const std::size_t place = backward_.place_of(record_.in[i].value);
    const DType dtype = dtype_of(i);
    if (this->dtype(a) != dtype || this->dtype(b) != dtype || !backward_.gathers(place, tensor(a).rep())) {
      return add(i, call("MatMul", {a, b}, MatMulAttrs{true, false}));
    }
    backward_.gather_product(place, tensor(a), tensor(b), device_);
  }

  Value times_transposed(Value rows, int i) override {
    Value weights = x_in_key(i);
    const std::size_t place = backward_.place_of(record_.in[i].value);
    if (const Tensor* turned = backward_.transposed(place, tensor(weights), tensor(rows).rep(), device_)) {
      return call("MatMul", {rows, hold(*turned)}, MatMulAttrs{false, false});
    }
    return call("MatMul", {rows, weights}, MatMulAttrs{false, true});
  }

 protected:
  const void* raw_attrs() const override { return record_.attrs; }

 private:
  const Tensor* gradient_of(int i) const { return backward_.gradient_at(backward_.place_of(record_.out[i].value)); }

  Value saved(const Recorded& recorded) {
    if (recorded.is_number) return Value(recorded.number.as_double());
    if (!recorded.is_saved) {
      fail(ErrorCode::Internal, record_.op->name, "'s gradient reads what its entry does not save");
    }
    Tensor copy;
    share(copy.rep(), recorded.tensor);
    // The tapes around this one know the tensor by its number when the op ran.
    copy.rep().value = recorded.value;
    return hold(std::move(copy));
  }

  // Sums over the axes along which an input of shape `to` was broadcast.
  Value sum_to(Value gradient, const Shape& to) {
    if (gradient.is_number()) return fill(to, gradient.number(), record_.key);
    Shape from = shape(gradient);
    if (from == to) return gradient;
    if (from.rank() == 0) return broadcast_to(gradient, to);
    uint32_t axes = 0;
    int extra = from.rank() - to.rank();
    for (int axis = 0; axis < from.rank(); ++axis) {
      if (axis < extra || (to[axis - extra] == 1 && from[axis] != 1)) axes |= 1u << axis;
    }
    return broadcast_to(reshape(sum(gradient, axes), narrowed(from, to, extra)), to);
  }

  // The shape after the sum: `to`, but 1 on axes where the gradient itself has size 1 and still has to be broadcast.
  static Shape narrowed(const Shape& from, const Shape& to, int extra) {
    Shape shape;
    for (int axis = 0; axis < to.rank(); ++axis) {
      bool is_short = axis + extra < 0 || from[axis + extra] == 1;
      shape.push(is_short ? 1 : to[axis]);
    }
    return shape;
  }

  Backward& backward_;
  const Record& record_;
  const std::vector<bool>& needed_;
};

Tensor zeros_like(Context& context, const TensorRep& source) {
  return filled_like(context, "ZerosLike", source, context.runtime().device(source.device));
}

Backward::Backward(Context& context, Ledger::Tapes tape, bool consumes, CustomGradients* custom)
    : context_(context),
      ledger_(context.ledger()),
      tape_(tape),
      consumes_(consumes),
      custom_(custom),
      first_record_(ledger_.tape(tape).first_record),
      records_(ledger_.records()),
      first_value_(ledger_.tape(tape).first_value),
      values_end_(ledger_.values_end()),
      serial_(ledger_.tape(tape).serial),
      earlier_(in_order(ledger_.tape(tape).earlier)) {
  // Enough for a rule's tensors, and for the gradients of a small net.
  tensors_.reserve(16);
  gradients_.reserve(16);
  slots_.resize(1 + earlier_.size() + static_cast<std::size_t>(values_end_ - first_value_));
  ledger_.begin_reading();
}

Backward::~Backward() { ledger_.end_reading(); }

std::size_t Backward::place_of(uint64_t value) const {
  if (value >= values_end_) return 0;
  if (value >= first_value_) return 1 + earlier_.size() + static_cast<std::size_t>(value - first_value_);
  auto at = std::lower_bound(earlier_.begin(), earlier_.end(), value);
  return at != earlier_.end() && *at == value ? 1 + static_cast<std::size_t>(at - earlier_.begin()) : 0;
}

void Backward::put_gradient(std::size_t place, Tensor gradient) {
  if (free_slots_.empty()) {
    gradients_.push_back(std::move(gradient));
    slots_[place] = static_cast<uint32_t>(gradients_.size());
    return;
  }
  slots_[place] = free_slots_.back();
  free_slots_.pop_back();
  gradients_[slots_[place] - 1] = std::move(gradient);
}

void Backward::drop_gradient(std::size_t place) {
  if (slots_[place] == 0) return;
  free_slots_.push_back(slots_[place]);
  gradients_[slots_[place] - 1] = Tensor();
  slots_[place] = 0;
}

void Backward::check_may_go_on() const {
  if (context_.take_interrupt()) fail(ErrorCode::Cancelled, "gradient: interrupted!");
  if (ledger_.tape(tape_).serial != serial_) {
    fail(ErrorCode::FailedPrecondition,
         "gradient: the tape was closed while it computed gradients, by a finalizer or a gradient function");
  }
}

void Backward::seed(const TensorRep& target, const TensorRep* seed) {
  // A value that this tape has not seen depends on no value that it watches.
  std::size_t place = place_of(ledger_.find(target));
  if (place == 0 || !is_inexact(target.dtype)) return;
  LogicalDevice& device = context_.runtime().device(target.device);
  if (seed == nullptr) return accumulate(place, filled_like(context_, "OnesLike", target, device), device);
  Tensor copy;
  share(copy.rep(), *seed);
  copy.rep().value = is_variable(*seed) ? ledger_.of_read(*seed) : seed->value;
  accumulate(place, std::move(copy), device);
}

std::size_t Backward::source_place(const TensorRep& source) const {
  uint64_t value = ledger_.find(source);
  return ledger_.watches(value, tape_) ? place_of(value) : 0;
}

std::vector<bool> Backward::find_needed(std::span<const TensorRep* const> sources) {
  std::vector<bool> needed(slots_.size());
  uses_.assign(slots_.size(), 0);
  for (const TensorRep* source : sources) needed[source_place(*source)] = true;
  needed[0] = false;
  for (std::size_t i = first_record_; i < records_; ++i) {
    const Record& record = ledger_.at(i);
    if ((record.tapes & tape_) == 0) continue;
    bool any = false;
    for (int in = 0; in < record.n_in; ++in) {
      const std::size_t place = place_of(record.in[in].value);
      if (!needed[place]) continue;
      any = true;
      if (uses_[place] < UINT8_MAX) ++uses_[place];
    }
    for (int out = 0; any && out < record.n_out; ++out) {
      if (record.out[out].value != 0) needed[place_of(record.out[out].value)] = true;
    }
  }
  return needed;
}

std::vector<Backward::LastRecord> Backward::last_records(std::span<const TensorRep* const> sources) const {
  std::unordered_multimap<std::size_t, std::size_t> waiting;  // by place
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (const std::size_t place = source_place(*sources[s]); place != 0) waiting.emplace(place, s);
  }
  std::vector<LastRecord> list;
  for (std::size_t i = first_record_; i < records_ && !waiting.empty(); ++i) {
    const Record& record = ledger_.at(i);
    if ((record.tapes & tape_) == 0) continue;
    for (int in = 0; in < record.n_in; ++in) {
      const auto [begin, end] = waiting.equal_range(place_of(record.in[in].value));
      for (auto at = begin; at != end; ++at) list.push_back({i, at->second});
      waiting.erase(begin, end);
    }
  }
  return list;
}

Tensor* Backward::sum_at(std::size_t place) {
  constexpr uint8_t kFewUses = 8;  // a sum of so few halves loses some digits, but always grows
  Tensor* sum = gradient_at(place);
  if (sum == nullptr || !kHalves.has(sum->rep().dtype) || place >= uses_.size() || uses_[place] <= kFewUses) return sum;
  widened_[place] = sum->rep().dtype;
  *sum = cast(context_, *sum, DType::Float32);
  return sum;
}

void Backward::round_sum(std::size_t place) {
  auto known = widened_.find(place);
  if (known == widened_.end()) return;
  Tensor* sum = gradient_at(place);
  *sum = cast(context_, *sum, known->second);
  widened_.erase(known);
}

void Backward::accumulate(std::size_t place, Tensor gradient, LogicalDevice& device) {
  Tensor* sum = sum_at(place);
  if (sum == nullptr) return put_gradient(place, std::move(gradient));
  Operand operands[2] = {{&sum->rep(), Scalar::of(false)}, {&gradient.rep(), Scalar::of(false)}};
  Call call(context_.runtime().ops().get("AddV2"), operands, 2);
  ForcedPlace at{&device, Reason::Gradient};
  *sum = run_op(context_, call, &at);
}

void Backward::accumulate_part(const Recorded& whole, const SliceAttrs& part, const Tensor& gradient,
                               LogicalDevice& device) {
  std::size_t at = place_of(whole.value);
  ForcedPlace place{&device, Reason::Gradient};
  if (gradient_at(at) == nullptr) put_gradient(at, zeros(context_, whole.tensor, device));
  Tensor* sum = sum_at(at);
  Operand operands[2] = {{&sum->rep(), Scalar::of(false)}, {&gradient.rep(), Scalar::of(false)}};
  Call call(context_.runtime().ops().get("StridedSliceAdd"), operands, 2);
  call.as<SliceAttrs>() = part;
  Prepared prepared;
  prepare(context_, call, &prepared, &place);
  // In place if nothing else holds the memory: so n parts do not cost n copies of the whole.
  const TensorRep* const into[] = {&sum->rep()};
  prepared.into = into;
  Tensor result;
  TensorRep* out = &result.rep();
  execute(context_, call, prepared, &out);
  *sum = std::move(result);
}

void Backward::run_custom(const Record& record, const std::vector<bool>& needed) {
  LogicalDevice& device = context_.runtime().device(record.device);
  std::vector<Tensor> dy;
  for (int i = 0; i < record.n_out; ++i) {
    const Tensor* known = gradient_at(place_of(record.out[i].value));
    dy.push_back(known != nullptr ? *known : zeros(context_, record.out[i].tensor, device));
  }
  assert(custom_ != nullptr);
  std::vector<std::optional<Tensor>> dx = custom_->call(record.custom, dy, record.n_in);
  check_may_go_on();
  for (int i = 0; i < record.n_in; ++i) {
    std::size_t place = place_of(record.in[i].value);
    std::optional<Tensor>& gradient = dx[static_cast<std::size_t>(i)];
    if (gradient && needed[place]) accumulate(place, std::move(*gradient), device);
  }
}

std::vector<std::optional<Tensor>> Backward::run(std::span<const TensorRep* const> sources,
                                                 GradientListener* listener) {
  std::vector<bool> needed = find_needed(sources);
  std::vector<bool> wanted(slots_.size());
  for (const TensorRep* source : sources) wanted[source_place(*source)] = true;
  std::vector<LastRecord> last;
  if (listener != nullptr) last = last_records(sources);
  for (std::size_t i = records_; i-- > first_record_;) {
    Record& record = ledger_.at(i);
    check_may_go_on();
    if ((record.tapes & tape_) == 0) continue;
    bool reached = false, leads = false;
    for (int out = 0; out < record.n_out; ++out) {
      std::size_t place = place_of(record.out[out].value);
      complete(place);
      reached |= gradient_at(place) != nullptr;
      leads |= needed[place];
    }
    if (reached && leads && record.custom != 0) {
      run_custom(record, needed);
    } else if (reached && leads) {
      TapeGradient rule(*this, record, needed);
      record.op->gradient(rule);
    }
    for (int out = 0; out < record.n_out; ++out) {
      std::size_t place = place_of(record.out[out].value);
      if (!wanted[place]) drop_gradient(place);
    }
    if (consumes_ && record.tapes == tape_) ledger_.drop_saved(record);
    for (; !last.empty() && last.back().record == i; last.pop_back()) {
      const std::size_t source = last.back().source, place = source_place(*sources[source]);
      complete(place);
      if (const Tensor* found = gradient_at(place)) listener->ready(source, *found);
    }
  }
  check_may_go_on();
  std::vector<std::optional<Tensor>> results(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t place = source_place(*sources[i]);
    complete(place);
    if (const Tensor* found = gradient_at(place)) results[i] = *found;
  }
  return results;
}

}  // namespace lutra
