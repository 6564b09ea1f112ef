// Who made a tensor: one of the last 65,536 ops of the Context by the number the tensor carries, and for storages from
// 1 MB up all of it for the storage's life.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/placement_log.h"
#include "eager/placer.h"
#include "tensor/tensor.h"

namespace lutra {

inline constexpr std::size_t kRememberedOps = 65536;
inline constexpr std::size_t kBigBytes = std::size_t{1} << 20;

struct Origin {
  const char* op = nullptr;  // as the placement log prints it
  uint32_t number = 0;
  uint32_t spec = 0;
  uint16_t device = 0;
  Reason reason = Reason::OnlyCpu;
};

// What is only written down while somebody listens, or for big results.
struct OriginDetail {
  uint32_t number = 0;  // of the op
  std::string line;
  std::vector<CopyEvent> copies;
};

struct BigOrigin {
  Origin origin;
  OriginDetail detail;
  Shape shape;
  DType dtype;
};

class Origins {
 public:
  // The number a result of this op carries; never 0.
  uint32_t record(const char* op, uint32_t spec, const LogicalDevice& device, Reason reason) {
    if (ring_.empty()) ring_.resize(kRememberedOps);
    if (++last_ == 0) ++last_;
    ring_[last_ % kRememberedOps] = {op, last_, spec, device.id, reason};
    return last_;
  }
  uint32_t last() const { return last_; }  // the number recorded last
  // Null when it was more than 65,536 ops ago.
  const Origin* find(const TensorRep& tensor) const;
  const OriginDetail* detail(const TensorRep& tensor) const;

  void record_detail(uint32_t number, OriginDetail detail);
  void record_big(const Storage* storage, const TensorRep& tensor, OriginDetail detail);
  // The ids of scopes that explain() may be asked for.
  template <class Visit> void for_each_spec(const Visit& visit) const {
    for (const Origin& origin : ring_) visit(origin.spec);
    for (const auto& [storage, big] : big_) visit(big.origin.spec);
  }
  void forget(const Storage* storage) { big_.erase(storage); }
  // What is kept for the life of a storage of 1 MB or more; null for others.
  const BigOrigin* big(const Storage* storage) const {
    if (storage->bytes < kBigBytes) return nullptr;
    auto found = big_.find(storage);
    return found != big_.end() ? &found->second : nullptr;
  }

 private:
  std::vector<Origin> ring_;
  uint32_t last_ = 0;
  std::vector<OriginDetail> details_;  // the same ring; empty until somebody listens
  std::unordered_map<const Storage*, BigOrigin> big_;
};

}  // namespace lutra
