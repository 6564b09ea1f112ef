// The gradient of weights that are used several times, as a recurrent layer's are at each step, is a sum of as many
// products a^T b. With few rows each, the time goes into rewriting the sum; so the rows are gathered and multiplied as
// one product. The gradients of the rows are products with the same transpose, which is cached.

#include "autograd/backward.h"
#include "eager/executor.h"
#include "ops/matmul.h"

namespace lutra {
namespace {

// With more than kFewRows rows a separate product is as fast. Gathered tensors stay in memory until they are
// multiplied: at most kMostRows rows, and as many tensors as an op takes.
constexpr int64_t kFewRows = 256, kMostRows = 1024;
constexpr std::size_t kMostTensors = 64;
// On a CPU a product of few rows with a matrix read by columns takes nearly twice the time, and the transpose costs
// about what one such product loses. On cards there is no difference.
constexpr int kLeastUses = 4;

Tensor joined(Context& context, const std::vector<Tensor>& parts, const ForcedPlace& place) {
  if (parts.size() == 1) return parts[0];
  std::vector<Operand> operands;
  for (const Tensor& part : parts) operands.push_back({&part.rep(), Scalar::of(false)});
  Call call(context.runtime().ops().get("ConcatV2"), operands.data(), static_cast<int>(operands.size()));
  return run_op(context, call, &place);
}

}  // namespace

bool Backward::gathers(std::size_t place, const TensorRep& a) const {
  return uses_[place] > 1 && a.dims[0] <= kFewRows;
}

void Backward::gather_product(std::size_t place, Tensor a, Tensor b, LogicalDevice& device) {
  auto known = products_.find(place);
  if (known != products_.end() && known->second.device != &device) {
    multiply_gathered(place);
    known = products_.end();
  }
  if (known == products_.end()) known = products_.insert({place, {{}, {}, 0, &device}}).first;
  Products& products = known->second;
  products.rows += a.rep().dims[0];
  products.a.push_back(std::move(a));
  products.b.push_back(std::move(b));
  if (products.rows >= kMostRows || products.a.size() == kMostTensors) multiply_gathered(place);
}

const Tensor* Backward::transposed(std::size_t place, const Tensor& matrix, const TensorRep& rows,
                                   LogicalDevice& device) {
  const int64_t columns = rows.rank > 0 ? rows.dims[rows.rank - 1] : 0;
  const bool pays = uses_[place] >= kLeastUses && device.is_host() && columns > 0 && rows.size <= columns * kFewRows;
  if (!pays || matrix.rep().storage == nullptr) return nullptr;
  auto known = transposed_.find(place);
  if (known != transposed_.end()) {
    // The variable may have been assigned between two uses.
    const TensorRep& seen = known->second.matrix.rep();
    const bool is_same = seen.storage == matrix.rep().storage && seen.data == matrix.rep().data;
    return is_same ? &known->second.transpose : nullptr;
  }
  Operand operand[1] = {{&matrix.rep(), Scalar::of(false)}};
  Call call(context_.runtime().ops().get("Transpose"), operand, 1);
  ForcedPlace at{&device, Reason::Gradient};
  Tensor transpose = run_op(context_, call, &at);
  return &transposed_.insert({place, {matrix, std::move(transpose)}}).first->second.transpose;
}

void Backward::multiply_gathered(std::size_t place) {
  auto known = products_.find(place);
  if (known == products_.end()) return;
  Products products = std::move(known->second);
  products_.erase(known);
  ForcedPlace at{products.device, Reason::Gradient};
  // Both lists are in the order of the walk, from the last to the first.
  Tensor a = joined(context_, products.a, at), b = joined(context_, products.b, at);
  Operand operands[2] = {{&a.rep(), Scalar::of(false)}, {&b.rep(), Scalar::of(false)}};
  Call call(context_.runtime().ops().get("MatMul"), operands, 2);
  call.as<MatMulAttrs>() = {true, false};
  accumulate(place, run_op(context_, call, &at), *products.device);
}

}  // namespace lutra
