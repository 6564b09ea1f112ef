// Runs what a rule or a composition calls: each op at once, on one device. A Value is an index into a list of tensors.
#pragma once

#include <cassert>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "eager/executor.h"
#include "ops/gradient.h"

namespace lutra {

// `Base`: Gradient or Composition.
template <class Base> class EagerBuilder : public Base {
 public:
  EagerBuilder(Context& context, LogicalDevice& device, Reason reason, std::vector<Tensor>& tensors)
      : context_(context), device_(device), reason_(reason), tensors_(tensors) {}

  Shape shape(Value value) const override { return value.is_number() ? Shape() : tensor(value).rep().shape(); }
  DType dtype(Value value) const override { return value.is_number() ? this->key() : tensor(value).rep().dtype; }

 protected:
  void run(const char* name, std::span<const Value> in, const void* attrs, std::size_t attr_bytes,
           std::span<Value> out) override {
    run_op(name, in, attrs, attr_bytes, out, true);
  }

  // `is_logged`: whether the placement log has a line for it.
  void run_op(const char* name, std::span<const Value> in, const void* attrs, std::size_t attr_bytes,
              std::span<Value> out, bool is_logged) {
    constexpr std::size_t kFew = 8;
    Operand few[kFew];
    std::vector<Operand> many(in.size() > kFew ? in.size() : 0);
    Operand* operands = many.empty() ? few : many.data();
    for (std::size_t i = 0; i < in.size(); ++i) {
      operands[i] = in[i].is_number() ? Operand{nullptr, Scalar::of(in[i].number())}
                                      : Operand{&tensor(in[i]).rep(), Scalar::of(false)};
    }
    Call call(context_.runtime().ops().get_literal(name), operands, static_cast<int>(in.size()));
    if (attr_bytes > 0) std::memcpy(call.attrs, attrs, attr_bytes);
    ForcedPlace place{&device_, reason_};
    Prepared prepared;
    prepare(context_, call, &prepared, &place);
    prepared.is_logged = is_logged;
    assert(out.size() <= prepared.n_out);
    if (prepared.n_out == 1) {
      Tensor result;
      TensorRep* filled = &result.rep();
      execute(context_, call, prepared, &filled);
      out[0] = hold(std::move(result));
      return;
    }
    Tensor results[kMaxOutputs];
    TensorRep* filled[kMaxOutputs];
    for (int i = 0; i < prepared.n_out; ++i) filled[i] = &results[i].rep();
    execute(context_, call, prepared, filled);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = hold(std::move(results[i]));
  }

  Value hold(Tensor tensor) {
    tensors_.push_back(std::move(tensor));
    return this->value(static_cast<int>(tensors_.size()) - 1);
  }
  const Tensor& tensor(const Value& value) const { return tensors_[static_cast<std::size_t>(this->id_of(value))]; }

  Context& context_;
  LogicalDevice& device_;
  const Reason reason_;
  std::vector<Tensor>& tensors_;
};

}  // namespace lutra
