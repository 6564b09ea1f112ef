// A card's memory, mapped at reserved addresses (cuMemCreate, cuMemMap); or, if the driver does not support that, one
// allocation of the whole reserved size.
#pragma once

#include <map>
#include <memory>

#include "device/cuda/card.h"
#include "device/page_source.h"

namespace lutra::cuda {

class CudaPages final : public PageSource {
 public:
  explicit CudaPages(std::shared_ptr<Card> card) : card_(std::move(card)) {}

  std::byte* reserve(std::size_t bytes) override;
  void release(std::byte* base, std::size_t bytes) override;
  bool map(std::byte* at, std::size_t bytes) override;
  void unmap(std::byte* at, std::size_t bytes) override;
  std::size_t granularity() const override;
  std::string why() const override;

 private:
  AllocationProperties properties() const;
  Result give_access(std::byte* at, std::size_t bytes);
  bool refuse(Result result, std::size_t bytes);

  std::shared_ptr<Card> card_;
  mutable std::size_t granularity_ = 0;
  std::string refused_;
};

// reserve() takes the memory; map() and unmap() do nothing.
class WholePages final : public PageSource {
 public:
  explicit WholePages(std::shared_ptr<Card> card) : card_(std::move(card)) {}

  std::byte* reserve(std::size_t bytes) override;
  void release(std::byte* base, std::size_t bytes) override;
  bool map(std::byte*, std::size_t) override { return true; }
  void unmap(std::byte*, std::size_t) override {}
  std::size_t granularity() const override { return std::size_t{2} << 20; }
  bool is_on_demand() const override { return false; }
  std::string why() const override { return refused_; }

 private:
  std::shared_ptr<Card> card_;
  std::string refused_;
};

}  // namespace lutra::cuda
