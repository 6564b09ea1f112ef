// Which op made a tensor. The last 65,536 ops of the Context are found by the number that the tensor carries; for
// storages of 1 MB or more, origin and details are kept for the storage's life.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/placement.h"
#include "eager/placement_log.h"
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

// Recorded only while the placement log is on, or for big results.
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
  // Records an op and returns the number that its results carry; never 0.
  uint32_t record(const char* op, uint32_t spec, const LogicalDevice& device, Reason reason) {
    if (ring_.empty()) ring_.resize(kRememberedOps);
    if (++last_ == 0) ++last_;
    ring_[last_ % kRememberedOps] = {op, last_, spec, device.id, reason};
    return last_;
  }
  uint32_t last() const { return last_; }  // the number recorded last
  // Null if the tensor is older than the last 65,536 ops.
  const Origin* find(const TensorRep& tensor) const;
  const OriginDetail* detail(const TensorRep& tensor) const;

  void record_detail(uint32_t number, OriginDetail detail);
  void record_big(const Storage* storage, const TensorRep& tensor, OriginDetail detail);
  // Visits the ids of all scopes that explain() may have to name.
  template <class Visit> void for_each_spec(const Visit& visit) const {
    for (const Origin& origin : ring_) visit(origin.spec);
    for (const auto& [storage, big] : big_) visit(big.origin.spec);
  }
  void forget(const Storage* storage) { big_.erase(storage); }
  // The origin of a storage of 1 MB or more; null for others.
  const BigOrigin* big(const Storage* storage) const {
    if (storage->bytes < kBigBytes) return nullptr;
    auto found = big_.find(storage);
    return found != big_.end() ? &found->second : nullptr;
  }

 private:
  std::vector<Origin> ring_;
  uint32_t last_ = 0;
  std::vector<OriginDetail> details_;  // a ring like ring_; empty until the placement log is first on
  std::unordered_map<const Storage*, BigOrigin> big_;
};

}  // namespace lutra
