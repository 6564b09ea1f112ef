// How a call's dtype is found, its shapes are inferred and its device is chosen.
#include "eager/prepare.h"

#include "eager/context.h"
#include "eager/placer.h"

namespace lutra {
namespace {

// "a number", "bool", "float32 or float64"
std::string expected(DTypes types, DType got) {
  if (types == kNumbers) return is_complex(got) ? "a real number" : "a number";
  if (types == kBool) return "bool";
  if (types == kEveryNumber) return "a number";
  if (types == kAnyDType) return "a real number or bool";
  if (types == kInts) return "an integer";
  if (types == (kInts | kBool)) return "an integer or bool";
  return text_of(types);
}

DType own_dtype(const Operand& operand) {
  return operand.tensor != nullptr ? operand.tensor->dtype : literal_dtype(operand.number);
}

// Whether input `i` and another one would each be accepted in the other's place.
bool is_swapped(const Call& call, int i) {
  const InputDef& def = call.op->input(i);
  DType own = own_dtype(call.in[i]);
  for (int j = 0; j < call.n_in; ++j) {
    const InputDef& other = call.op->input(j);
    if (other.dtypes == def.dtypes) continue;
    if (other.dtypes.has(own) && def.dtypes.has(own_dtype(call.in[j]))) return true;
  }
  return false;
}

// "; the order is cross_entropy(labels, logits)" if input `i` and another one may be swapped, else "".
std::string order_hint(const Call& call, int i) {
  if (!is_swapped(call, i)) return "";
  std::string order;
  for (const InputDef& input : call.op->inputs) append(order, text(order.empty() ? "" : ", ", input.name));
  return text("; the order is ", call.op->called(), "(", order, ")");
}

// "a", "tensors[2]"
std::string name_of(const Call& call, int i) {
  const InputDef& def = call.op->input(i);
  if ((def.flags & kVariadic) == 0) return def.name;
  return text(def.name, "[", i + 2 - static_cast<int>(call.op->inputs.size()), "]");
}

// How to convert input `i`, a tensor of a dtype that the op does not take; or "".
std::string cast_hint(const Call& call, int i, DType got, DTypes wanted) {
  std::string name = name_of(call, i);
  if (call.in[i].tensor == nullptr) return "";
  if (wanted == kBool) return text("; ", name, ":ne(0) is bool, true where ", name, " is not 0");
  if (wanted == kComplex) return text("; cast it first: ", name, ":cast(\"complex64\")");
  if (got == DType::Bool) return text("; cast it first: ", name, ":cast(\"int32\")");
  if (is_complex(got))
    return text("; take its parts: ", name, ":real(), ", name, ":imag(), ", name, ":abs() or ", name, ":angle()");
  if (is_float(got) && (wanted & kFloats).empty()) return text("; cast it first: ", name, ":cast(\"int64\")");
  return "";
}

// "float32" of a tensor, "3" or "the float 1.5" of a number.
std::string given_text(const Operand& operand, DType got) {
  const Scalar& number = operand.number;
  if (operand.tensor != nullptr) return text(got);
  if (number.kind == Scalar::Kind::Bool) return number.i != 0 ? "true" : "false";
  return number.kind == Scalar::Kind::Int ? text(number.i) : text("the float ", number.d);
}

[[noreturn, gnu::cold]] void fail_dtype(const Call& call, int i, DType got, DTypes wanted) {
  fail(ErrorCode::InvalidArgument, call.op->called(), ": ", name_of(call, i), " is ", given_text(call.in[i], got),
       ", expected ", expected(wanted, got), cast_hint(call, i, got, wanted), order_hint(call, i));
}

// A Lua number takes the tensors' dtype where it can.
DType with_number(DType tensors, const Scalar& number) {
  if (number.kind == Scalar::Kind::Float && !is_inexact(tensors)) return DType::Float32;
  if (number.kind == Scalar::Kind::Int && tensors == DType::Bool) return DType::Int32;
  return tensors;
}

// The dtype that the inputs without kOwnDType promote to.
DType promoted_dtype(const Call& call) {
  const OpDef& op = *call.op;
  bool any_tensor = false;
  DType type = DType::Float32;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr || (op.input(i).flags & kOwnDType) != 0) continue;
    type = any_tensor ? promote(type, tensor->dtype) : tensor->dtype;
    any_tensor = true;
  }
  bool any_number = false;
  DType tensors = type;
  for (int i = 0; i < call.n_in; ++i) {
    if (call.in[i].tensor != nullptr || (op.input(i).flags & kOwnDType) != 0) continue;
    const Scalar& number = call.in[i].number;
    if (any_tensor) {
      type = promote(type, with_number(tensors, number));
    } else {
      type = any_number ? promote(type, literal_dtype(number)) : literal_dtype(number);
    }
    any_number = true;
  }
  return type;
}

void check_number_fits(const Call& call, int input, DType type) {
  const Scalar& number = call.in[input].number;
  require(number.kind != Scalar::Kind::Int || !is_integer(type) || fits(type, number), call.op->called(), ": ",
          call.op->input(input).name, " is ", number.i, ", which does not fit ", type, " (", lowest_of(type), " to ",
          highest_of(type), ")");
}

// `input` would be computed in `got`, which the op does not take: blames an input of that dtype, preferably a tensor,
// which can be cast, over a number.
[[noreturn, gnu::cold]] void fail_promoted(const Call& call, int input, DType got) {
  const OpDef& op = *call.op;
  int blamed = -1;
  for (int i = 0; i < call.n_in; ++i) {
    if (((op.input(i).flags | op.input(input).flags) & kOwnDType) != 0) continue;
    DType own = own_dtype(call.in[i]);
    if (own != got || op.input(i).dtypes.has(own)) continue;
    if (blamed < 0 || (call.in[blamed].tensor == nullptr && call.in[i].tensor != nullptr)) blamed = i;
  }
  if (blamed < 0) blamed = input;
  fail_dtype(call, blamed, got, op.input(blamed).dtypes);
}

// Whether there are int32 or int64 tensors, not all of whose values float32 can hold, and no float or complex tensor.
bool has_wide_integers(const Call& call) {
  bool has_wide = false;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr || (call.op->input(i).flags & kOwnDType) != 0) continue;
    if (is_inexact(tensor->dtype)) return false;
    has_wide |= tensor->dtype == DType::Int32 || tensor->dtype == DType::Int64;
  }
  return has_wide;
}

struct ComputeKey {
  DType dtype;
  bool is_widened;  // its results are float32; it is computed in float64
};

// Also checks the inputs' dtypes.
[[gnu::noinline]] ComputeKey mixed_key(const Call& call) {
  const OpDef& op = *call.op;
  if (op.inputs.empty()) return {DType::Float32, false};  // prepare takes the result's dtype instead
  DType type = promoted_dtype(call);
  for (int i = 0; i < call.n_in; ++i) {
    const InputDef& def = op.input(i);
    bool own = (def.flags & kOwnDType) != 0;
    const TensorRep* tensor = call.in[i].tensor;
    DType checked = !own ? type : tensor != nullptr ? tensor->dtype : literal_dtype(call.in[i].number);
    if (!def.dtypes.has(checked)) [[unlikely]]
      fail_promoted(call, i, checked);
    if (tensor == nullptr && !own) check_number_fits(call, i, type);
  }
  if (op.compute == Compute::Float && !is_inexact(type)) type = DType::Float32;
  return {type, type == DType::Float32 && has_wide_integers(call)};
}

// The same for the common case: one or two tensors of one dtype that the op takes as it is.
inline ComputeKey key_of(const Call& call) {
  const OpDef& op = *call.op;
  const TensorRep* first = call.n_in > 0 ? call.in[0].tensor : nullptr;
  if (op.plain_inputs && first != nullptr && call.n_in <= 2) [[likely]] {
    const TensorRep* last = call.in[call.n_in - 1].tensor;
    if (last != nullptr && last->dtype == first->dtype && op.inputs[0].dtypes.has(first->dtype) &&
        (op.compute == Compute::Same || is_inexact(first->dtype))) [[likely]] {
      return {first->dtype, false};
    }
  }
  return mixed_key(call);
}

}  // namespace

void prepare(Context& context, const Call& call, Prepared* prepared, const ForcedPlace* forced) {
  const OpDef& op = *call.op;
  auto [key, is_widened] = key_of(call);
  Inference inference(call, key, prepared->out);
  op.shape(inference);
  prepared->op = &op;
  prepared->n_out = static_cast<uint8_t>(inference.outputs());
  // An op without inputs computes in its result's dtype.
  if (op.inputs.empty() || (op.flags & kKeyIsOutput) != 0) key = prepared->out[0].dtype;
  if (is_widened) key = DType::Float64;
  prepared->key = key;
  prepared->spec = context.scopes->spec();
  prepared->into = nullptr;
  prepared->is_logged = true;
  prepared->is_widened = is_widened;
  prepared->epoch = context.runtime().epoch;
  const TensorRep* viewed = inference.shared_from() >= 0 ? call.in[0].tensor : nullptr;
  prepared->shared_from = viewed != nullptr ? inference.shared_from() : -1;
  Placement placement = viewed == nullptr ? place(context, op, key, &call, forced)
                                          : place_view(context, context.runtime().device(viewed->device), forced);
  prepared->device = placement.device;
  prepared->reason = placement.reason;
  prepared->kernel = placement.kernel;
}

}  // namespace lutra
