#include "distribute/checksums.h"

#include <array>
#include <bit>
#include <cstring>

#include "distribute/flat.h"

namespace lutra {
namespace {

constexpr uint64_t kPrime1 = 11400714785074694791u, kPrime2 = 14029467366897019727u;

uint64_t mixed(uint64_t sum, uint64_t word) { return std::rotl(sum + word * kPrime2, 31) * kPrime1; }

// The rounds of xxHash64 (Collet, 2012). Its four sums do not wait for each other, so memory limits the speed.
uint64_t checksum(const std::byte* data, std::size_t bytes) {
  std::array<uint64_t, 4> sums{1, 2, 3, 4}, words{};
  const std::size_t whole = bytes - bytes % sizeof words;
  for (std::size_t at = 0; at < whole; at += sizeof words) {
    std::memcpy(words.data(), data + at, sizeof words);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = mixed(sums[i], words[i]);
  }
  words = {};
  if (whole < bytes) std::memcpy(words.data(), data + whole, bytes - whole);
  uint64_t sum = bytes;
  for (std::size_t i = 0; i < sums.size(); ++i) sum = mixed(mixed(sum, sums[i]), words[i]);
  return sum ^ (sum >> 32);
}

}  // namespace

std::vector<uint64_t> checksums_of(Context& context, std::span<const TensorRep* const> tensors) {
  std::vector<uint64_t> sums;
  for (const TensorRep* tensor : tensors) {
    const std::size_t bytes = tensor->nbytes();
    if (context.runtime().device(tensor->device).is_host()) {
      sums.push_back(checksum(tensor->address(), bytes));
      continue;
    }
    Tensor copy = host_tensor(context, tensor->dtype, static_cast<std::size_t>(tensor->size));
    context.runtime().transfer().read_all(context, {&tensor, 1}, bytes_of(copy));
    sums.push_back(checksum(bytes_of(copy), bytes));
  }
  return sums;
}

}  // namespace lutra
