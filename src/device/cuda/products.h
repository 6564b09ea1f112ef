// Products of matrices on one card, by cuBLASLt. How a product is computed is asked of the library once for each kind
// of it, and kept: the plan. Used by one thread at a time, in the card's context.
//
// Results are the same every time: parts of a sum are added up in the workspace, never in an order of chance.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "device/cuda/cublas_lt.h"
#include "device/cuda/product.h"

namespace lutra::cuda {

// The plans of more kinds than this are forgotten, all at once.
inline constexpr std::size_t kMostPlans = 4096;

class Products {
 public:
  // Null, and why, when the library gives no handle.
  static std::unique_ptr<Products> create(const CublasLt& library, std::string* why);
  ~Products();
  Products(const Products&) = delete;

  // Queues it. What the library answers, and why in *why when that is not success: the end of a sentence.
  // kBlasNotSupported: nothing was queued, for it has no way to compute this.
  BlasStatus multiply(const Product& product, StreamHandle stream, std::string* why);

  std::size_t plans() const { return plans_.size(); }

 private:
  // What the choice of an algorithm depends on.
  struct Key {
    int64_t m, n, k, lda, ldb, ldc, batch, step_a, step_b, step_c;
    uint64_t workspace_bytes;
    uint8_t operands, result, precision, transposes;
    uint8_t alignment_a, alignment_b, alignment_c, alignment_bias;  // of addresses, in bits; of bias 0: there is none
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
