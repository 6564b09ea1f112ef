// memcpy for kernels: every way it takes, at every alignment of both sides.
#include "kernels/cpu/loops/copy_bytes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "support/catch.h"

using namespace lutra;

TEST_CASE("copy_bytes copies so many bytes and touches no others", "[copy_bytes]") {
  constexpr std::size_t kRoom = 256, kMost = std::size_t{1} << 20;
  std::vector<std::byte> from(kMost + kRoom), to(kMost + 2 * kRoom), wanted(kMost + 2 * kRoom);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251 + 1);
  std::vector<std::array<std::size_t, 3>> wrong;
  auto check = [&](std::size_t n, std::size_t at_from, std::size_t at_to) {
    std::fill(to.begin(), to.end(), std::byte{0});
    wanted = to;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at_from), n,
                wanted.begin() + static_cast<std::ptrdiff_t>(kRoom + at_to));
    copy_bytes(to.data() + kRoom + at_to, from.data() + at_from, static_cast<int64_t>(n));
    if (to != wanted) wrong.push_back({n, at_from, at_to});
  };
  SECTION("lengths around those where the way changes") {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1023}, kMost - 1, kMost, kMost + 1})
      check(n, 3, 5);
    from.resize(8 * 1024);
    to.resize(8 * 1024);
    for (std::size_t n = 1000; n < 1700; ++n) check(n, n % 37, n % 61);
  }
  SECTION("alignments") {
    from.resize(8 * 1024);
    to.resize(8 * 1024);
    for (std::size_t at_from = 0; at_from < 66; ++at_from) {
      for (std::size_t at_to = 0; at_to < 66; ++at_to) check(1024 + at_from * 5 % 128, at_from, at_to);
    }
  }
  CHECK(wrong == std::vector<std::array<std::size_t, 3>>{});  // length, where from, where to
}
