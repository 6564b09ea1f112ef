// cuBLASLt's matrices are column-major, so a row-major matrix looks transposed to it. To get a row-major c, it is asked
// for b times a, with rows and columns exchanged.
#include "kernels/cuda/libraries/products.h"

#include <bit>
#include <cstring>
#include <utility>

#include "core/text.h"

namespace lutra::cuda {
namespace {

int real_type(DType type) {
  switch (type) {
    case DType::Float16: return kRealFloat16;
    case DType::BFloat16: return kRealBFloat16;
    case DType::Float64: return kRealFloat64;
    default: return kRealFloat32;
  }
}

int compute_type(DType operands, MatmulPrecision precision) {
  if (operands == DType::Float64) return kCompute64;
  if (operands != DType::Float32 || precision == MatmulPrecision::Fp32) return kCompute32;
  return precision == MatmulPrecision::Tf32 ? kComputeFastTf32 : kComputeFastBf16;
}

// The library uses no alignment above 256 bytes.
uint8_t alignment_bits(const std::byte* at) {
  return static_cast<uint8_t>(std::countr_zero(reinterpret_cast<uintptr_t>(at) | 256));
}

}  // namespace

struct Products::Plan {
  const CublasLt& library;
  MatmulDescription matmul = nullptr;
  MatrixLayout a = nullptr, b = nullptr, c = nullptr;  // named as in Product; the library's first operand is b
  MatmulAlgorithm algorithm{};
  const std::byte* bias = nullptr;   // currently set in the description
  BlasStatus status = kBlasSuccess;  // of finding the algorithm

  explicit Plan(const CublasLt& of) : library(of) {}
  Plan(const Plan&) = delete;
  ~Plan() {
    if (matmul != nullptr) library.destroy_matmul(matmul);
    for (MatrixLayout layout : {a, b, c}) {
      if (layout != nullptr) library.destroy_layout(layout);
    }
  }

  // Each call keeps the first status that is not success.
  void keep(BlasStatus answer) {
    if (status == kBlasSuccess) status = answer;
  }
  template <class T> void set_matmul(int attribute, T value) {
    if (status == kBlasSuccess) keep(library.set_matmul(matmul, attribute, &value, sizeof value));
  }
  void set_bias(const std::byte* at) {
    if (at == bias) return;
    set_matmul(kDescBiasPointer, at);
    bias = at;
  }
  // For a row-major matrix with `columns` columns and ld elements from row to row.
  void lay_out(MatrixLayout* layout, DType type, int64_t rows, int64_t columns, int64_t ld, int64_t batch,
               int64_t step) {
    if (status != kBlasSuccess) return;
    keep(library.create_layout(layout, real_type(type), static_cast<uint64_t>(columns), static_cast<uint64_t>(rows),
                               ld));
    if (status != kBlasSuccess || batch == 1) return;
    // A batch that does not fit 32 bits becomes 0, which the library refuses.
    int32_t count = std::in_range<int32_t>(batch) ? static_cast<int32_t>(batch) : 0;
    keep(library.set_layout(*layout, kLayoutBatchCount, &count, sizeof count));
    if (status == kBlasSuccess) keep(library.set_layout(*layout, kLayoutBatchStep, &step, sizeof step));
  }
  void find_algorithm(BlasHandle handle, const Key& key);
};

std::size_t Products::Hash::operator()(const Key& key) const {
  static_assert(sizeof(Key) == 12 * sizeof(uint64_t), "no padding");
  uint64_t words[12], hash = 0;
  std::memcpy(words, &key, sizeof words);
  for (uint64_t word : words) hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

Products::Products(const CublasLt& library, BlasHandle handle) : library_(library), handle_(handle) {}

std::unique_ptr<Products> Products::create(const CublasLt& library, std::string* why) {
  BlasHandle handle = nullptr;
  BlasStatus status = library.create(&handle);
  if (status == kBlasSuccess) return std::unique_ptr<Products>(new Products(library, handle));
  *why = text("cuBLASLt does not start on this card",
              library.status_name != nullptr ? text(" (", library.status_name(status), ")") : std::string());
  return nullptr;
}

Products::~Products() {
  plans_.clear();
  library_.destroy(handle_);
}

Products::Key Products::key_of(const Product& p) {
  bool is_rounded = p.operands == DType::Float32;
  bool is_batch = p.batch > 1;
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .lda = p.lda,
          .ldb = p.ldb,
          .ldc = p.ldc,
          .batch = p.batch,
          .step_a = is_batch ? p.step_a : 0,
          .step_b = is_batch ? p.step_b : 0,
          .step_c = is_batch ? p.step_c : 0,
          .workspace_bytes = p.workspace_bytes,
          .operands = static_cast<uint8_t>(p.operands),
          .result = static_cast<uint8_t>(p.result),
          .precision = static_cast<uint8_t>(is_rounded ? p.precision : MatmulPrecision::Fp32),
          .transposes = static_cast<uint8_t>(p.transpose_a + 2 * p.transpose_b),
          .alignment_a = alignment_bits(p.a),
          .alignment_b = alignment_bits(p.b),
          .alignment_c = alignment_bits(p.c),
          .alignment_bias = p.bias != nullptr ? static_cast<uint8_t>(alignment_bits(p.bias) + 1) : uint8_t{0}};
}

void Products::Plan::find_algorithm(BlasHandle handle, const Key& key) {
  if (status != kBlasSuccess) return;
  MatmulPreference preference = nullptr;
  keep(library.create_preference(&preference));
  if (status != kBlasSuccess) return;
  auto prefer = [&](int attribute, auto value) {
    if (status == kBlasSuccess) keep(library.set_preference(preference, attribute, &value, sizeof value));
  };
  prefer(kPreferWorkspaceBytes, key.workspace_bytes);
  prefer(kPreferReductionSchemes, kReduceInComputeType);
  prefer(kPreferAlignmentA, uint32_t{1} << key.alignment_b);
  prefer(kPreferAlignmentB, uint32_t{1} << key.alignment_a);
  prefer(kPreferAlignmentC, uint32_t{1} << key.alignment_c);
  prefer(kPreferAlignmentD, uint32_t{1} << key.alignment_c);
  MatmulHeuristic found{};
  int count = 0;
  if (status == kBlasSuccess) {
    keep(library.find_algorithms(handle, matmul, b, a, c, c, preference, 1, &found, &count));
    if (status == kBlasSuccess) keep(count > 0 ? found.status : kBlasNotSupported);
  }
  algorithm = found.algorithm;
  library.destroy_preference(preference);
}

std::unique_ptr<Products::Plan> Products::make_plan(const Key& key, const Product& p) const {
  auto plan = std::make_unique<Plan>(library_);
  int scale = p.operands == DType::Float64 ? kRealFloat64 : kRealFloat32;
  plan->keep(library_.create_matmul(&plan->matmul, compute_type(p.operands, p.precision), scale));
  if (p.transpose_b) plan->set_matmul(kDescTransA, kOpTransposed);
  if (p.transpose_a) plan->set_matmul(kDescTransB, kOpTransposed);
  if (p.bias != nullptr) {
    plan->set_matmul(kDescEpilogue, kEpilogueBias);
    plan->set_bias(p.bias);
  }
  plan->lay_out(&plan->a, p.operands, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, p.lda, p.batch, p.step_a);
  plan->lay_out(&plan->b, p.operands, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, p.ldb, p.batch, p.step_b);
  plan->lay_out(&plan->c, p.result, p.m, p.n, p.ldc, p.batch, p.step_c);
  plan->find_algorithm(handle_, key);
  return plan;
}

BlasStatus Products::multiply(const Product& product, StreamHandle stream, std::string* why) {
  Key key = key_of(product);
  // Some algorithms read a bias 16 bytes at a time whatever alignment was given, and a fault would lose the card.
  if (product.bias != nullptr && alignment_bits(product.bias) < 4) {
    *why = told("has no way to compute", product, kBlasNotSupported);
    return kBlasNotSupported;
  }
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    if (plans_.size() >= kMostPlans) plans_.clear();
    std::unique_ptr<Plan> made = make_plan(key, product);
    // The library's status for a bias that none of its algorithms supports.
    if (product.bias != nullptr && made->status == kBlasInvalidValue) made->status = kBlasNotSupported;
    // A refusal is cached too. Other errors may not occur the next time.
    if (made->status != kBlasSuccess && made->status != kBlasNotSupported) {
      *why = told("cannot plan", product, made->status);
      return made->status;
    }
    found = plans_.emplace(key, std::move(made)).first;
  }
  Plan& plan = *found->second;
  if (plan.status != kBlasSuccess) {
    *why = told("has no way to compute", product, plan.status);
    return plan.status;
  }
  if (product.bias != nullptr) plan.set_bias(product.bias);
  const double numbers[2] = {product.adds ? 1.0 : 0.0, 1.0};
  const float singles[2] = {product.adds ? 1.0f : 0.0f, 1.0f};
  bool is_double = product.operands == DType::Float64;
  const void* beta = is_double ? static_cast<const void*>(numbers) : singles;
  const void* one = is_double ? static_cast<const void*>(numbers + 1) : singles + 1;
  BlasStatus status =
      plan.status != kBlasSuccess
          ? plan.status
          : library_.multiply(handle_, plan.matmul, one, product.b, plan.b, product.a, plan.a, beta, product.c, plan.c,
                              product.c, plan.c, &plan.algorithm, product.workspace, product.workspace_bytes, stream);
  if (status != kBlasSuccess) {
    *why = told("failed at", product, status);
    plans_.erase(key);
  }
  return status == kBlasNotSupported ? kBlasInvalidValue : status;
}

// "cuBLASLt has no way to compute 2 products of (3, 4) and (4, 5) in float32 (CUBLAS_STATUS_NOT_SUPPORTED)"
std::string Products::told(const char* what, const Product& p, BlasStatus status) const {
  std::string count = p.batch == 1 ? std::string("a product") : text(p.batch, " products");
  std::string name =
      library_.status_name != nullptr ? std::string(library_.status_name(status)) : text("status ", status);
  return text("cuBLASLt ", what, " ", count, " of (", p.m, ", ", p.k, ") and (", p.k, ", ", p.n, ") in ",
              lutra::name(p.operands), p.bias != nullptr ? " with a bias" : "", " (", name, ")");
}

}  // namespace lutra::cuda
