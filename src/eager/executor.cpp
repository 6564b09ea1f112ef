#include "eager/executor.h"

#include "core/parallel.h"
#include "eager/bind.h"
#include "eager/call_arrays.h"
#include "eager/launch.h"
#include "eager/placement_policy.h"

namespace lutra {
namespace {

// The plain case, without the cost of the others (bind.h): a CPU kernel with one output on CPU tensors, without casts,
// scratch memory or a report. In any other case it does nothing and returns false.
inline bool execute_plain(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs) {
  constexpr uint8_t kSpecial = kDynamic | kRandom | kComposed;
  const OpDef& op = *prepared.op;
  LogicalDevice& device = *prepared.device;
  // Not below on a GPU, and not while launches are recorded.
  if (device.inline_below == 0 || prepared.kernel == nullptr || prepared.n_out != 1 || call.n_in > 3 ||
      (op.flags & kSpecial) != 0 || !op.plain_inputs || prepared.into != nullptr || context.placement_log().listens()) {
    return false;
  }
  Array in[3];
  alignas(8) std::byte numbers[3][kMostElementBytes];
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr) {
      in[i] = {numbers[i], nullptr, 1, prepared.key, 0, true};
      write_element(prepared.key, numbers[i], call.in[i].number);
      continue;
    }
    if (tensor->dtype != prepared.key ||
        (tensor->device != device.id && !context.runtime().device(tensor->device).is_host())) {
      return false;
    }
  }
  const OutputMeta& meta = prepared.out[0];
  TensorRep& out = *outs[0];
  std::size_t bytes = static_cast<std::size_t>(meta.size) * size_of(meta.dtype);
  out.dtype = meta.dtype;
  out.size = meta.size;
  out.set_shape(meta.shape);
  out.device = device.id;
  Array result;
  Launch launch{prepared.kernel, &device, {&op, call.attrs, in, &result, nullptr, nullptr, nullptr, call.n_in, 1}};
  auto take_addresses = [&] {
    for (int i = 0; i < call.n_in; ++i) {
      if (call.in[i].tensor != nullptr) in[i] = array_of(*call.in[i].tensor);
    }
    result = array_of(out);
  };
  if (prepared.kernel->scratch != nullptr) {
    take_addresses();
    if (prepared.kernel->scratch(launch.args) > 0) return false;
  }
  if (!fits_inline(bytes)) {
    Storage* storage = context.allocate(device, bytes, {op.called(), meta.dtype, meta.shape});
    out.data = storage->data;
    out.storage = storage;
    check_epoch(context, call, prepared);
  }
  // See Note [Order within one op] (bind.cpp): the inputs' addresses are taken only now.
  take_addresses();
  run_on_host(context, launch);
  out.origin = context.origins().record(op.logged(call), prepared.spec, device, prepared.reason);
  if (bytes >= kBigBytes) context.origins().record_big(out.storage, out, {0, context.line(), {}});
  return true;
}

[[gnu::noinline]] void execute_observed(Context& context, Call& call, const Prepared& prepared,
                                        TensorRep* const* outs) {
  context.tell_observers([&](Observer& each) { each.op_begins(call, prepared); });
  auto tell_end = [&](bool ok) {
    context.tell_observers([&](Observer& each) { each.op_ends(call, prepared, outs, ok); });
  };
  try {
    bind_and_submit(context, call, prepared, outs);
  } catch (...) {
    tell_end(false);
    throw;
  }
  tell_end(true);
  context.tell_observers([&](Observer& each) { each.check(call, prepared, outs); });
}

[[gnu::noinline]] void tell(Context& context, const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  if (context.ledger().is_recording()) context.ledger().record(call, prepared, outs);
  if (PlacementPolicy* policy = context.policy()) policy->executed(call, prepared, outs);
}

}  // namespace

void execute(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs) {
  set_max_threads(context.runtime().threads());  // several Runtimes may take turns on this thread
  if (context.is_observed()) [[unlikely]]
    execute_observed(context, call, prepared, outs);
  else if (!execute_plain(context, call, prepared, outs)) [[unlikely]] bind_and_submit(context, call, prepared, outs);
  if (context.ledger().tells()) [[unlikely]]
    tell(context, call, prepared, outs);
}

void report_op(Context& context, const char* op, const LogicalDevice& device, Reason reason,
               std::vector<CopyEvent> copies) {
  if (!context.placement_log().listens()) return;
  const std::string& requested = context.spec_text(context.scopes->spec());
  PlacementEvent event{op, device.full_name, requested, "", context.line(), std::move(copies)};
  event.reason = reason_text(reason, op, event.requested);
  context.placement_log().executes(std::move(event));
}

Tensor run_op(Context& context, Call& call, const ForcedPlace* forced) {
  Prepared prepared;
  prepare(context, call, &prepared, forced);
  Tensor result;
  TensorRep* out = &result.rep();
  execute(context, call, prepared, &out);
  return result;
}

}  // namespace lutra
