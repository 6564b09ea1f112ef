// Matrix products on one card, by cuBLASLt. For each kind of product the library is asked once how to compute it; the
// answer, a plan, is cached. Used by one thread at a time, in the card's context.
//
// Results are the same every time: partial sums are added in the workspace, in a fixed order.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "kernels/cuda/libraries/cublas_lt.h"
#include "kernels/cuda/libraries/product.h"

namespace lutra::cuda {

// When more plans than this are cached, all are dropped.
inline constexpr std::size_t kMostPlans = 4096;

class Products {
 public:
  // Returns null, and sets *why, if the library gives no handle.
  static std::unique_ptr<Products> create(const CublasLt& library, std::string* why);
  ~Products();
  Products(const Products&) = delete;

  // Queues it and returns the library's status. If that is not success, *why is the message. kBlasNotSupported: nothing
  // was queued, because the library cannot compute this.
  BlasStatus multiply(const Product& product, StreamHandle stream, std::string* why);

  std::size_t plans() const { return plans_.size(); }

 private:
  // All that the choice of an algorithm depends on.
  struct Key {
    int64_t m, n, k, lda, ldb, ldc, batch, step_a, step_b, step_c;
    uint64_t workspace_bytes;
    uint8_t operands, result, precision, transposes;
    uint8_t alignment_a, alignment_b, alignment_c, alignment_bias;  // of addresses, in bits; alignment_bias 0: no bias
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Plan;

  Products(const CublasLt& library, BlasHandle handle);
  static Key key_of(const Product& product);
  std::unique_ptr<Plan> make_plan(const Key& key, const Product& product) const;
  std::string told(const char* what, const Product& product, BlasStatus status) const;

  const CublasLt& library_;
  BlasHandle handle_;
  std::unordered_map<Key, std::unique_ptr<Plan>, Hash> plans_;
};

}  // namespace lutra::cuda
