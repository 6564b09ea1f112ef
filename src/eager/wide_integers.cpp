#include "eager/wide_integers.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "eager/context.h"

namespace lutra {
namespace {

// Whether all are in [-2^24, 2^24), without a branch for each.
template <class T> bool are_narrow(const T* x, int64_t count) {
  using Bits = std::make_unsigned_t<T>;
  constexpr int64_t kBlock = 128;
  constexpr Bits kHeld = Bits{1} << 24;
  auto excess = [](T value) { return static_cast<Bits>(static_cast<Bits>(value) + kHeld) >> 25; };
  for (; count >= kBlock; x += kBlock, count -= kBlock) {
    Bits any = 0;
    for (int64_t i = 0; i < kBlock; ++i) any |= excess(x[i]);
    if (any != 0) return false;
  }
  Bits any = 0;
  for (int64_t i = 0; i < count; ++i) any |= excess(x[i]);
  return any == 0;
}

bool is_narrow(Context& context, const TensorRep& tensor) {
  if (tensor.dtype != DType::Int32 && tensor.dtype != DType::Int64) return true;
  if (!context.runtime().device(tensor.device).is_host()) return false;
  const std::byte* at = tensor.address();
  return tensor.dtype == DType::Int32 ? are_narrow(reinterpret_cast<const int32_t*>(at), tensor.size)
                                      : are_narrow(reinterpret_cast<const int64_t*>(at), tensor.size);
}

bool is_narrow(const Scalar& number) {
  double value = number.as_double();
  if (!std::isfinite(value)) return true;
  return std::abs(value) <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(value)) == value;
}

}  // namespace

bool has_wide_integers(Context& context, const Call& call) {
  bool has_integers = false;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor == nullptr || (call.op->input(i).flags & kOwnDType) != 0) continue;
    if (is_float(tensor->dtype)) return false;
    has_integers |= tensor->dtype == DType::Int32 || tensor->dtype == DType::Int64;
  }
  if (!has_integers) return false;
  for (int i = 0; i < call.n_in; ++i) {
    if ((call.op->input(i).flags & kOwnDType) != 0) continue;
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor != nullptr ? !is_narrow(context, *tensor) : !is_narrow(call.in[i].number)) return true;
  }
  return false;
}

}  // namespace lutra
