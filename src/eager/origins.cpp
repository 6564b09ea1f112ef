#include "eager/origins.h"

namespace lutra {

const Origin* Origins::find(const TensorRep& tensor) const {
  if (tensor.storage != nullptr) {
    auto big = big_.find(tensor.storage);
    if (big != big_.end() && big->second.origin.number == tensor.origin) return &big->second.origin;
  }
  if (ring_.empty() || tensor.origin == 0) return nullptr;
  const Origin& slot = ring_[tensor.origin % kRememberedOps];
  return slot.number == tensor.origin ? &slot : nullptr;
}

const OriginDetail* Origins::detail(const TensorRep& tensor) const {
  if (tensor.storage != nullptr) {
    auto big = big_.find(tensor.storage);
    if (big != big_.end() && big->second.origin.number == tensor.origin) return &big->second.detail;
  }
  if (details_.empty() || tensor.origin == 0) return nullptr;
  const OriginDetail& detail = details_[tensor.origin % kRememberedOps];
  return detail.number == tensor.origin ? &detail : nullptr;
}

void Origins::record_detail(uint32_t number, OriginDetail detail) {
  if (details_.empty()) details_.resize(kRememberedOps);
  detail.number = number;
  details_[number % kRememberedOps] = std::move(detail);
}

void Origins::record_big(const Storage* storage, const TensorRep& tensor, OriginDetail detail) {
  const Origin* origin = find(tensor);
  big_[storage] = {origin != nullptr ? *origin : Origin{}, std::move(detail), tensor.shape(), tensor.dtype};
}

}  // namespace lutra
