// Weights that are used several times, as a recurrent layer's are at each step, have for a gradient the sum of as many
// products a^T b. Each of few rows takes little more time than to write the sum anew; so their rows are gathered, and
// multiplied together.

#include <algorithm>

#include "autograd/backward.h"
#include "eager/executor.h"
#include "ops/matmul.h"

namespace lutra {
namespace {

// Of more rows than that, a product by itself is as fast. What is gathered is held in memory until it has been
// multiplied: so many rows at most, and as many tensors as an op takes.
constexpr int64_t kFewRows = 256, kMostRows = 1024;
constexpr std::size_t kMostTensors = 64;

Tensor joined(Context& context, const std::vector<Tensor>& parts, const ForcedPlace& place) {
  if (parts.size() == 1) return parts[0];
  std::vector<Operand> operands;
  for (const Tensor& part : parts) operands.push_back({&part.rep(), Scalar::of(false)});
  Call call(context.runtime().ops().get("ConcatV2"), operands.data(), static_cast<int>(operands.size()));
  return run_op(context, call, &place);
}

}  // namespace

bool Backward::gathers(std::size_t place, const TensorRep& a) const { return reused_[place] && a.dims[0] <= kFewRows; }

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

void Backward::multiply_gathered(std::size_t place) {
  auto known = products_.find(place);
  if (known == products_.end()) return;
  Products products = std::move(known->second);
  products_.erase(known);
  ForcedPlace at{products.device, Reason::Gradient};
  // As the walk came by them, from the last to the first: both lists alike.
  Tensor a = joined(context_, products.a, at), b = joined(context_, products.b, at);
  Operand operands[2] = {{&a.rep(), Scalar::of(false)}, {&b.rep(), Scalar::of(false)}};
  Call call(context_.runtime().ops().get("MatMul"), operands, 2);
  call.as<MatMulAttrs>() = {true, false};
  accumulate(place, run_op(context_, call, &at), *products.device);
}

}  // namespace lutra
