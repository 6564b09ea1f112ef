// Note [Order within one op]
// Allocation may collect garbage, and a finalizer may run ops, release tensors by hand, or reset the devices. So:
// outputs are allocated first; inputs that live elsewhere are fetched next, each held by a counted reference; addresses
// are taken after that; scratch memory, and fresh memory for variables, come last. After each of these the epoch must
// still be the one of prepare: then nothing was released. A finalizer may also assign a variable, which moves the epoch
// too and frees what the variable held: then fetching and taking addresses begin anew with all memory in hand, so that
// an op sees one value of a variable. Nothing is read, cast or written before that holds.
// A composed op holds its inputs as they are once all are fetched. Each of its inner ops is an op of its own in this
// sense, and runs only while the outer op's inputs and device are still there.
#include "eager/bind.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "eager/compose.h"
#include "eager/constant.h"
#include "eager/executor.h"
#include "eager/inputs.h"
#include "eager/launch.h"
#include "eager/move_tensor.h"
#include "ops/create.h"

namespace lutra {
namespace {

// One call, step by step.
class Binder {
 public:
  Binder(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs)
      : context_(context),
        call_(call),
        op_(*prepared.op),
        prepared_(prepared),
        device_(*prepared.device),
        outs_(outs),
        inputs_(context, call, prepared),
        arrays_(call.n_in, prepared.n_out) {}

  void run() {
    if (prepared_.kernel == nullptr) return share_input();
    if (op_.has(kComposed)) return run_composed();
    if (prepared_.kernel->count != nullptr) return run_counted();
    allocate_outputs();
    check_epoch(context_, call_, prepared_);
    fill_random();
    set_up();
    cast_inputs();
    report();
    launch();
    if (prepared_.is_widened) round_outputs();
    record_big();
  }

 private:
  void share_input() {
    const TensorRep& input = *call_.in[0].tensor;
    TensorRep& out = *outs_[0];
    LogicalDevice& from = context_.runtime().device(input.device);
    if (from.shares_memory_with(device_)) {
      share(out, input);
    } else {
      bool was_copied;
      Storage* copy = inputs_.fetch(input, &was_copied);
      check_epoch(context_, call_, prepared_);
      copy->retain();
      out = input;
      set_storage(out, copy, device_);
    }
    std::size_t offset = static_cast<std::size_t>(prepared_.shared_from) * size_of(input.dtype);
    out.set_shape(prepared_.out[0].shape);
    out.size = prepared_.out[0].size;
    out.value = 0;
    if (out.is_inline()) {
      if (offset > 0) std::memmove(out.bytes, out.bytes + offset, out.nbytes());
    } else {
      out.data += offset;
    }
    finish_meta(out);
    report();
    record_big();
  }

  void finish_meta(TensorRep& out) {
    out.device = device_.id;
    out.value = 0;
    out.origin =
        number_ != 0
            ? number_
            : (number_ = context_.origins().record(op_.logged(call_), prepared_.spec, device_, prepared_.reason));
  }

  // An op on the CPU whose results' sizes only the values tell: they are counted first.
  void run_counted() {
    inputs_.fetch();
    take_addresses();
    for (int i = 0; i < prepared_.n_out; ++i) finish_meta(*outs_[i]);
    report();
    int64_t counts[kMaxOutputs];
    count(counts);
    OutputMeta metas[kMaxOutputs];
    for (int i = 0; i < prepared_.n_out; ++i) {
      metas[i] = prepared_.out[i];
      metas[i].shape[0] = counts[i];
      metas[i].size = element_count(op_.called(), metas[i].shape.dims(), static_cast<int64_t>(size_of(metas[i].dtype)));
    }
    allocate_outputs(metas);
    check_epoch(context_, call_, prepared_);
    take_addresses();
    require_counts(counts);
    launch();
    record_big();
  }

  void count(int64_t* counts) {
    Fault fault;
    args_.fault = &fault;
    args_.out_count = counts;
    compute_on_host(context_, [&] { prepared_.kernel->count(args_); });
    args_.fault = nullptr;
    if (fault.happened()) throw fault_error(op_, fault);
  }

  // Tensors never change, but a finalizer that ran during allocation may have assigned a variable.
  void require_counts(const int64_t* before) {
    if (!inputs_.has_variable()) return;
    int64_t now[kMaxOutputs];
    count(now);
    if (!std::equal(now, now + prepared_.n_out, before)) fail_assigned();
  }

  [[noreturn]] void fail_assigned() const {
    fail(ErrorCode::FailedPrecondition, op_.called(), ": a finalizer assigned an input while the op was being set up");
  }

  void allocate_outputs() { allocate_outputs(prepared_.out); }
  void allocate_outputs(const OutputMeta* metas) {
    for (int i = 0; i < prepared_.n_out; ++i) {
      const OutputMeta& meta = metas[i];
      TensorRep& out = *outs_[i];
      out.dtype = meta.dtype;
      out.size = meta.size;
      out.set_shape(meta.shape);
      std::size_t bytes = out.nbytes();
      if (device_.keeps_inline(bytes) || prepared_.into != nullptr) {
        out.storage = nullptr;
      } else {
        Storage* storage = context_.allocate(device_, bytes, {op_.called(), meta.dtype, meta.shape});
        out.data = storage->data;
        out.storage = storage;
      }
      finish_meta(out);
    }
  }

  // Inner ops allocate, and so may run finalizers: the op holds its inputs, and variables' values, as they are now. Its
  // results stay empty until all inner ops have run.
  void run_composed() {
    inputs_.settle([&] { inputs_.fetch(); });
    number_ = context_.origins().record(op_.logged(call_), prepared_.spec, device_, prepared_.reason);
    std::vector<Tensor> inputs;
    inputs.reserve(static_cast<std::size_t>(call_.n_in) + kUsualInnerOps);
    for (int i = 0; i < call_.n_in; ++i) inputs.push_back(inputs_.as_tensor(i));
    report();
    const uint64_t epoch = context_.runtime().epoch;
    std::vector<Tensor> results = compose(context_, call_, prepared_, std::move(inputs));
    // The op's own rule reads the inputs when they are recorded, which is after this.
    if (context_.runtime().epoch != epoch && op_.gradient != nullptr && inputs_.has_variable()) fail_assigned();
    for (int i = 0; i < prepared_.n_out; ++i) take_result(*outs_[i], results[static_cast<std::size_t>(i)]);
    if (!shares_input()) record_big();
  }

  bool shares_input() const {
    for (int i = 0; i < call_.n_in; ++i) {
      const Storage* input = call_.in[i].tensor != nullptr ? call_.in[i].tensor->storage : nullptr;
      for (int o = 0; input != nullptr && o < prepared_.n_out; ++o) {
        if (outs_[o]->storage == input) return true;
      }
    }
    return false;
  }

  // A CPU result that carries its bytes must not hold memory: Lua gives it no finalizer.
  void take_result(TensorRep& out, const Tensor& result) {
    share(out, result.rep());
    if (out.storage != nullptr && device_.keeps_inline(out.nbytes())) {
      std::memcpy(out.bytes, out.data, out.nbytes());
      drop(out);
    }
    out.device = device_.id;
    out.origin = number_;
  }

  void fill_random() {
    if ((op_.flags & kRandom) == 0) return;
    Rng* range = nullptr;
    Seed seed;
    for (const AttrDef& def : op_.attrs.defs) {
      if (def.type == AttrType::Rng) range = reinterpret_cast<Rng*>(call_.attrs + def.offset);
      if (def.type == AttrType::Seed) std::memcpy(&seed, call_.attrs + def.offset, sizeof seed);
    }
    assert(range != nullptr);  // a random op has such an option
    // Four 32-bit words a block, at most two words an element.
    *range = context_.random_range(seed, static_cast<uint64_t>(prepared_.out[0].size) / 2 + 1);
  }

  void take_addresses() {
    casts_ = inputs_.take_addresses(arrays_);
    for (int o = 0; o < prepared_.n_out; ++o) {
      arrays_.out[o] = array_of(*outs_[o]);
    }
    args_ = {&op_,    call_.attrs, arrays_.in, arrays_.out,     nullptr,
             nullptr, nullptr,     call_.n_in, prepared_.n_out, context_.runtime().float32_matmul_precision};
  }

  // Everything that may allocate. See Note [Order within one op].
  void set_up() {
    inputs_.settle([&] {
      inputs_.fetch();
      take_addresses();
      allocate_scratch();
      if (prepared_.into != nullptr) allocate_for_variables();
    });
    if (prepared_.into != nullptr) write_over_variables();
  }

  // What comes behind a cast tensor lies as a fresh block would: libraries want that of their memory to work in.
  std::size_t cast_bytes(const Array& array) const { return cast_bytes(array, prepared_.key); }
  std::size_t cast_bytes(const Array& array, DType dtype) const {
    const std::size_t step = device_.is_host() ? 64 : 256;
    return (static_cast<std::size_t>(array.size) * size_of(dtype) + step - 1) / step * step;
  }

  // Memory for cast inputs, for results that are yet to be rounded and for what the kernel wants.
  void allocate_scratch() {
    std::size_t wanted = prepared_.kernel->scratch != nullptr ? prepared_.kernel->scratch(args_) : 0;
    if ((casts_ == 0 && !prepared_.is_widened && wanted == 0) || scratch_ != nullptr) return;
    std::size_t bytes = wanted;
    for (int i = 0; i < call_.n_in; ++i) {
      if (is_cast(i)) bytes += cast_bytes(arrays_.in[i]);
    }
    for (int o = 0; o < prepared_.n_out; ++o) {
      if (is_rounded(o)) bytes += cast_bytes(arrays_.out[o], unrounded(o));
    }
    scratch_ = scratch_here_;
    if (!device_.is_host() || bytes > sizeof scratch_here_) {
      Shape shape{static_cast<int64_t>(bytes)};
      scratch_ = inputs_.keep(context_.allocate(device_, bytes, {op_.called(), DType::UInt8, shape}))->data;
      check_epoch(context_, call_, prepared_);
    }
  }

  void cast_inputs() {
    std::byte* memory = scratch_;
    for (int i = 0; casts_ > 0 && i < call_.n_in; ++i) {
      if (!is_cast(i)) continue;
      Array& array = arrays_.in[i];
      cast(array, arrays_.reads[i], memory, prepared_.key);
      array.data = memory;
      memory += cast_bytes(array);
      array.dtype = prepared_.key;
    }
    for (int o = 0; o < prepared_.n_out; ++o) {
      if (!is_rounded(o)) continue;
      Array& array = arrays_.out[o];
      array.data = memory;
      memory += cast_bytes(array, unrounded(o));
      array.dtype = unrounded(o);
    }
    args_.scratch = memory;
  }

  bool is_rounded(int o) const { return prepared_.is_widened && real_dtype(prepared_.out[o].dtype) == DType::Float32; }
  // The dtype in which such a result is computed.
  DType unrounded(int o) const { return is_complex(prepared_.out[o].dtype) ? DType::Complex128 : prepared_.key; }

  void round_outputs() {
    for (int o = 0; o < prepared_.n_out; ++o) {
      TensorRep& out = *outs_[o];
      if (is_rounded(o)) cast(arrays_.out[o], nullptr, const_cast<std::byte*>(out.address()), out.dtype);
    }
  }

  // The results take the places of the variables' values: in their memory where nobody else holds that, else in fresh
  // memory. Where is decided for all of them after the last allocation, since a finalizer may read a variable while an
  // op is being set up.
  bool needs_memory(int i) const { return !prepared_.is_inline(i) && outs_[i]->storage == nullptr; }
  bool can_reuse(int i) const {
    const TensorRep& out = *outs_[i];
    const TensorRep& variable = *prepared_.into[i];
    Storage* storage = variable.storage;
    // Never in memory of another dtype, nor in too little.
    return storage != nullptr && variable.device == device_.id && variable.dtype == out.dtype &&
           storage->refs.load(std::memory_order_acquire) == 1 && variable.data == storage->data &&
           out.nbytes() <= storage->bytes && !context_.runtime().lent_memory().owns(*storage);
  }

  void allocate_for_variables() {
    for (int i = 0; i < prepared_.n_out; ++i) {
      if (!needs_memory(i) || can_reuse(i)) continue;
      TensorRep& out = *outs_[i];
      Storage* storage = context_.allocate(device_, out.nbytes(), {op_.called(), out.dtype, out.shape()});
      out.storage = storage;
      out.data = storage->data;
      check_epoch(context_, call_, prepared_);
      i = -1;  // what could be reused may have been read meanwhile
    }
  }

  void write_over_variables() {
    for (int i = 0; i < prepared_.n_out; ++i) {
      TensorRep& out = *outs_[i];
      if (needs_memory(i)) {
        Storage* storage = prepared_.into[i]->storage;
        context_.runtime().transfer().before_overwrite(device_, *storage);
        storage->retain();
        out.storage = storage;
        out.data = storage->data;
      }
      arrays_.out[i].data = const_cast<std::byte*>(out.address());
    }
  }

  bool is_cast(int i) const { return inputs_.is_cast(i, arrays_.in[i]); }

  void cast(const Array& from, Storage* read, std::byte* to, DType dtype) {
    const OpDef& op = context_.runtime().cast_op();
    CastAttrs attrs{dtype};
    Array result{to, from.dims, from.size, dtype, from.rank, false};
    Launch cast{&context_.runtime().kernels().find(device_.type, op, from.dtype),
                &device_,
                {&op, &attrs, &from, &result, nullptr, nullptr, nullptr, 1, 1},
                &read};
    submit(context_, cast);
  }

  void report() {
    if (!context_.placement_log().listens()) return;
    if (prepared_.is_logged) report_inputs();
    PlacementEvent event{op_.logged(call_), device_.full_name, context_.spec_text(prepared_.spec), "",
                         context_.line(),   inputs_.copies()};
    event.reason = reason_text(prepared_.reason, event.op.c_str(), event.requested);
    context_.origins().record_detail(number_, {number_, event.line, inputs_.copies()});
    if (prepared_.is_logged) context_.placement_log().executes(std::move(event));
  }

  // Constants made for the call come first; a variable used as an input is read where it lives.
  void report_inputs() {
    for (int i = 0; i < call_.n_in; ++i) {
      const TensorRep* tensor = call_.in[i].tensor;
      if (tensor != nullptr && !is_variable(*tensor) && call_.literals.has(*tensor)) report_constant(context_, *tensor);
    }
    for (int i = 0; prepared_.into == nullptr && i < call_.n_in; ++i) {
      const TensorRep* tensor = call_.in[i].tensor;
      if (tensor == nullptr || !is_variable(*tensor)) continue;
      report_op(context_, "ReadVariableOp", context_.runtime().device(tensor->device), Reason::Variable);
    }
  }

  void launch() {
    for (int i = 0; i < prepared_.n_out; ++i) arrays_.writes[i] = outs_[i]->storage;
    Launch launch{prepared_.kernel, &device_, args_, arrays_.reads, arrays_.writes};
    int64_t counts[kMaxOutputs];
    submit(context_, launch, counts);
    if ((op_.flags & kDynamic) != 0 && prepared_.kernel->count == nullptr) {
      for (int i = 0; i < prepared_.n_out; ++i) shrink(*outs_[i], counts[i]);
    }
  }

  void shrink(TensorRep& out, int64_t first_axis) {
    int64_t row = 1;
    for (int axis = 1; axis < out.rank; ++axis) row *= out.dims[axis];
    out.dims[0] = first_axis;
    out.size = first_axis * row;
    if (out.storage == nullptr) return;
    std::size_t bytes = out.nbytes();
    if (device_.keeps_inline(bytes)) {
      std::memcpy(out.bytes, out.data, bytes);
      drop(out);
    } else if (2 * bytes < out.storage->bytes) {
      // Most of the memory was not needed: the result is not to keep it.
      Storage* exact = context_.allocate(device_, bytes, {op_.called(), out.dtype, out.shape()});
      std::memcpy(exact->data, out.data, bytes);
      out.data = exact->data;
      std::exchange(out.storage, exact)->release();
    }
  }

  void record_big() {
    for (int i = 0; i < prepared_.n_out; ++i) {
      TensorRep& out = *outs_[i];
      if (out.storage == nullptr || out.storage->bytes < kBigBytes || prepared_.kernel == nullptr) continue;
      const OriginDetail* known = context_.placement_log().listens() ? context_.origins().detail(out) : nullptr;
      context_.origins().record_big(out.storage, out,
                                    known != nullptr ? *known : OriginDetail{0, context_.line(), inputs_.copies()});
    }
  }

  Context& context_;
  Call& call_;
  const OpDef& op_;
  const Prepared& prepared_;
  LogicalDevice& device_;
  TensorRep* const* outs_;
  Inputs inputs_;
  Arrays arrays_;
  KernelArgs args_;
  int casts_ = 0;
  std::byte* scratch_ = nullptr;  // inputs that are cast, one after the other, results to be rounded, the kernel's
  uint32_t number_ = 0;
  alignas(64) std::byte scratch_here_[256];
};

}  // namespace

[[gnu::cold]] void check_again(const Call& call, const Prepared& prepared) {
  const OpDef& op = *prepared.op;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr || tensor->size >= 0) continue;
    fail(ErrorCode::FailedPrecondition, op.called(), ": ", op.input(i).name,
         " was released by a finalizer while the op was being set up");
  }
  if (!prepared.device->is_host() && prepared.device->heap == nullptr) {
    fail(ErrorCode::FailedPrecondition, op.called(), ": a finalizer reset the devices while the op was being set up");
  }
}

[[gnu::noinline]] void bind_and_submit(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs) {
  Binder(context, call, prepared, outs).run();
}

}  // namespace lutra
