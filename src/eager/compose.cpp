#include "eager/compose.h"

#include "eager/bind.h"
#include "eager/eager_builder.h"
#include "ops/composition.h"

namespace lutra {
namespace {

// One call. The first values are its inputs.
class ComposedCall final : public EagerBuilder<Composition> {
 public:
  ComposedCall(Context& context, const Call& call, const Prepared& prepared, std::vector<Tensor>& tensors)
      : EagerBuilder(context, *prepared.device, prepared.reason, tensors),
        call_(call),
        prepared_(prepared),
        results_(prepared.n_out) {
    in_.reserve(static_cast<std::size_t>(call.n_in));
    for (int i = 0; i < call.n_in; ++i) in_.push_back(value(i));
  }

  const OpDef& op() const override { return *prepared_.op; }
  int inputs() const override { return call_.n_in; }
  DType key() const override { return prepared_.key; }
  Value x(int i) override {
    Value& known = in_[static_cast<std::size_t>(i)];
    if ((op().input(i).flags & kOwnDType) == 0) known = cast(known, key());
    return known;
  }
  Shape output_shape(int i) const override { return prepared_.out[i].shape; }
  DType output_dtype(int i) const override { return prepared_.out[i].dtype; }
  bool on_host() const override { return device_.is_host(); }

  void give(int i, Value value) override {
    const OutputMeta& meta = prepared_.out[i];
    if (value.is_number()) value = fill(meta.shape, value.number(), meta.dtype);
    value = cast(value, meta.dtype);
    if (!op().has(kDynamic)) value = broadcast_to(value, meta.shape);
    // An input is another tensor than a result, and an inner op without a kernel here has run on the CPU.
    LogicalDevice& at = context_.runtime().device(tensor(value).rep().device);
    if (id_of(value) < call_.n_in || !at.shares_memory_with(device_)) value = call("Identity", {value});
    results_[static_cast<std::size_t>(i)] = value;
  }

  std::vector<Tensor> results() const {
    check_epoch(context_, call_, prepared_);
    std::vector<Tensor> results;
    for (const Value& result : results_) {
      if (result.is_number()) fail(ErrorCode::Internal, op().name, "'s composition does not give all results");
      results.push_back(tensor(result));
    }
    return results;
  }

 protected:
  const void* raw_attrs() const override { return call_.attrs; }

  void run(const char* name, std::span<const Value> in, const void* attrs, std::size_t attr_bytes,
           std::span<Value> out) override {
    check_epoch(context_, call_, prepared_);
    try {
      run_op(name, in, attrs, attr_bytes, out, false);
    } catch (const Error& error) {
      const std::string who = text(op().called(), ": ");
      const bool has_name = error.message().starts_with(who);  // a hidden op speaks for the op that it is part of
      Error named(error.code(), has_name ? error.message() : who + error.message());
      for (const auto& [key, field] : error.fields()) named.with(key, field);
      throw named;
    }
  }

 private:
  const Call& call_;
  const Prepared& prepared_;
  std::vector<Value> in_;       // cast when they are asked for first
  std::vector<Value> results_;  // a number: not given
};

}  // namespace

std::vector<Tensor> compose(Context& context, const Call& call, const Prepared& prepared, std::vector<Tensor> inputs) {
  ComposedCall composed(context, call, prepared, inputs);
  struct Inside {
    explicit Inside(int& depth) : depth(++depth) {}
    ~Inside() { --depth; }
    int& depth;
  } inside(context.composing);
  prepared.op->compose(composed);
  return composed.results();
}

}  // namespace lutra
