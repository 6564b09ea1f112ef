#include "eager/inputs.h"

#include "eager/bind.h"
#include "eager/constant.h"
#include "eager/move_tensor.h"

namespace lutra {
namespace {

// The dtype of a number as an input that keeps its own.
DType number_dtype(const Scalar& number) {
  if (number.kind == Scalar::Kind::Bool) return DType::Bool;
  return number.kind == Scalar::Kind::Float ? DType::Float32 : DType::Int64;
}

}  // namespace

void Inputs::fetch() {
  for (int i = 0; i < call_.n_in; ++i) {
    const TensorRep* tensor = call_.in[i].tensor;
    if (tensor == nullptr || tensor->device == device_.id) continue;
    if (context_.runtime().device(tensor->device).shares_memory_with(device_) || passed_in_arguments(*tensor)) continue;
    bool was_copied;
    fetched_.resize(static_cast<std::size_t>(call_.n_in), nullptr);
    fetched_[static_cast<std::size_t>(i)] = fetch(*tensor, &was_copied);
    check_epoch(context_, call_, prepared_);
  }
}

void Inputs::fail_unsettled() const {
  fail(ErrorCode::FailedPrecondition, prepared_.op->called(),
       ": finalizers assign variables whenever memory is found for it");
}

Storage* Inputs::fetch(const TensorRep& tensor, bool* was_copied) {
  Storage* copy = keep(context_.runtime().transfer().fetch(context_, tensor, device_, was_copied));
  if (*was_copied && (context_.placement_log().listens() || makes_big_result())) {
    copies_.push_back(copy_event(context_, tensor.device, tensor, device_));
  }
  return copy;
}

// Its origin is kept with its copies whether or not anybody listens.
bool Inputs::makes_big_result() const {
  const OutputMeta& out = prepared_.out[0];
  return static_cast<std::size_t>(out.size) * size_of(out.dtype) >= kBigBytes;
}

// A one-element CPU tensor is passed in the arguments of a GPU op.
bool Inputs::passed_in_arguments(const TensorRep& tensor) const {
  return !device_.is_host() && tensor.size == 1 && context_.recording() == nullptr &&
         context_.runtime().device(tensor.device).is_host();
}

bool Inputs::has_variable() const {
  for (int i = 0; i < call_.n_in; ++i) {
    if (call_.in[i].tensor != nullptr && is_variable(*call_.in[i].tensor)) return true;
  }
  return false;
}

int Inputs::take_addresses(Arrays& arrays) const {
  int casts = 0;
  for (int i = 0; i < call_.n_in; ++i) {
    const Operand& operand = call_.in[i];
    Array& array = arrays.in[i];
    const TensorRep* tensor = operand.tensor;
    arrays.reads[i] = nullptr;
    if (tensor == nullptr) {
      array = {arrays.numbers[i].data(), nullptr, 1, prepared_.key, 0, true};
      if (keeps_dtype(i)) array.dtype = number_dtype(operand.number);
      write_element(array.dtype, array.data, operand.number);
      continue;
    }
    array = array_of(*tensor);
    if (Storage* copy = fetched(i); copy != nullptr) {
      arrays.reads[i] = copy;
      array.data = copy->data;
    } else if (!device_.is_host() && tensor->device != device_.id) {  // passed_in_arguments
      DType to = keeps_dtype(i) ? tensor->dtype : prepared_.key;
      convert(to, arrays.numbers[i].data(), tensor->dtype, tensor->address(), 1);
      array.data = arrays.numbers[i].data();
      array.dtype = to;
      array.immediate = true;
    } else {
      arrays.reads[i] = tensor->storage;
    }
    casts += is_cast(i, array);
  }
  return casts;
}

Tensor Inputs::as_tensor(int i) {
  Tensor held;
  TensorRep& rep = held.rep();
  const TensorRep* given = call_.in[i].tensor;
  if (given == nullptr) {
    const Scalar& number = call_.in[i].number;
    make_host_tensor(context_, keeps_dtype(i) ? number_dtype(number) : prepared_.key, Shape(), &rep);
    write_element(rep.dtype, const_cast<std::byte*>(rep.address()), number);
    return held;
  }
  if (Storage* copy = fetched(i); copy == nullptr) {
    share(rep, *given);
  } else {
    copy->retain();
    rep = *given;
    rep.device = device_.id;
    set_storage(rep, copy, device_);
  }
  // The op has a gradient of its own, or none.
  bool is_watched = prepared_.op->gradient == nullptr && !prepared_.op->has(kNoSlope);
  rep.value = !is_watched ? 0 : is_variable(*given) ? context_.ledger().of_read(*given) : given->value;
  return held;
}

}  // namespace lutra
