#include "device/cuda/cuda_pages.h"

#include <algorithm>
#include <cstdio>

#include "core/text.h"

namespace lutra::cuda {
namespace {

// In the words of TensorFlow's log: "failed to allocate 3.66G (3928915968 bytes) from device: CUDA_ERROR_..."
std::string refusal(const Card& card, Result result, std::size_t bytes) {
  constexpr double kGiB = 1 << 30, kMiB = 1 << 20;
  double size = static_cast<double>(bytes);
  char rounded[32];
  std::snprintf(rounded, sizeof rounded, "%.2f%c", size / (size >= kGiB ? kGiB : kMiB), size >= kGiB ? 'G' : 'M');
  return text("failed to allocate ", rounded, " (", bytes, " bytes) from device: ", card.driver.text_of(result));
}

}  // namespace

AllocationProperties CudaPages::properties() const {
  AllocationProperties properties{};
  properties.type = kPinned;
  properties.location = {kLocationDevice, card_->device};
  return properties;
}

std::size_t CudaPages::granularity() const {
  if (granularity_ != 0) return granularity_;
  constexpr std::size_t kUsual = std::size_t{2} << 20;
  AllocationProperties wanted = properties();
  std::size_t step = 0;
  Result result = card_->driver.granularity(&step, &wanted, kGranularityRecommended);
  return granularity_ = result == kSuccess && step % kUsual == 0 ? std::max(step, kUsual) : kUsual;
}

std::byte* CudaPages::reserve(std::size_t bytes) {
  if (!card_->try_use()) return nullptr;
  Address base = 0;
  Result result = card_->driver.reserve(&base, bytes, 0, 0, 0);
  if (result != kSuccess) {
    refuse(result, bytes);
    return nullptr;
  }
  std::byte* at = reinterpret_cast<std::byte*>(base);
  card_->addresses().add(at, bytes, card_.get());
  return at;
}

void CudaPages::release(std::byte* base, std::size_t bytes) {
  card_->addresses().remove(base);
  if (card_->try_use()) card_->driver.free_reserved(address_of(base), bytes);
}

bool CudaPages::map(std::byte* at, std::size_t bytes) {
  if (!card_->try_use()) return false;
  const Driver& driver = card_->driver;
  AllocationProperties wanted = properties();
  MemoryHandle memory = 0;
  if (Result result = driver.create_memory(&memory, bytes, &wanted, 0); result != kSuccess) {
    return refuse(result, bytes);
  }
  Result result = driver.map(address_of(at), bytes, 0, memory, 0);
  // The mapping keeps the memory alive until it is unmapped.
  driver.release_memory(memory);
  if (result != kSuccess) return refuse(result, bytes);
  result = give_access(at, bytes);
  if (result == kSuccess) return true;
  driver.unmap(address_of(at), bytes);
  return refuse(result, bytes);
}

// For its own card, and for those that can access its memory. If access for these is refused, copies between cards pass
// through the driver's memory.
Result CudaPages::give_access(std::byte* at, std::size_t bytes) {
  std::vector<AccessDescription> access{{{kLocationDevice, card_->device}, kReadWrite}};
  for (DeviceHandle peer : card_->peers) access.push_back({{kLocationDevice, peer}, kReadWrite});
  Result result = card_->driver.set_access(address_of(at), bytes, access.data(), access.size());
  if (result == kSuccess || access.size() == 1) return result;
  return card_->driver.set_access(address_of(at), bytes, access.data(), 1);
}

void CudaPages::unmap(std::byte* at, std::size_t bytes) {
  if (card_->try_use()) card_->driver.unmap(address_of(at), bytes);
}

bool CudaPages::refuse(Result result, std::size_t bytes) {
  refused_ = refusal(*card_, result, bytes);
  return false;
}

std::string CudaPages::why() const { return refused_; }

std::byte* WholePages::reserve(std::size_t bytes) {
  if (!card_->try_use()) return nullptr;
  Address base = 0;
  if (Result result = card_->driver.allocate(&base, bytes); result != kSuccess) {
    refused_ = refusal(*card_, result, bytes);
    return nullptr;
  }
  std::byte* at = reinterpret_cast<std::byte*>(base);
  card_->addresses().add(at, bytes, card_.get());
  return at;
}

void WholePages::release(std::byte* base, std::size_t) {
  card_->addresses().remove(base);
  if (card_->try_use()) card_->driver.free(address_of(base));
}

}  // namespace lutra::cuda
