// Pages for an arena that a benchmark watches: addresses without memory, since an arena never looks at what it hands
// out.
#pragma once

#include <cstddef>
#include <string>

#include "device/page_source.h"

namespace lutra::bench {

class AddressesOnly final : public PageSource {
 public:
  std::byte* reserve(std::size_t) override { return reinterpret_cast<std::byte*>(std::size_t{1} << 40); }
  void release(std::byte*, std::size_t) override {}
  bool map(std::byte*, std::size_t) override { return true; }
  void unmap(std::byte*, std::size_t) override {}
  std::size_t granularity() const override { return std::size_t{2} << 20; }
  std::string why() const override { return "it has no end"; }
};

}  // namespace lutra::bench
