// The numbers 0 to n - 1 in the order of 64 random bits each, equal ones in their own. Random bits are spread evenly,
// so a radix sort by few of them leaves next to nothing to be put right by comparing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/cpu/random_words.h"

namespace lutra {

// The upper half of a number's random bits and the number, below 2^32, in one integer; the lower half, which hardly
// ever counts, is drawn again.
struct ShortTicket {
  uint64_t bits;
  ShortTicket() = default;
  ShortTicket(uint64_t random, int64_t place) : bits((random & ~kPlace) | static_cast<uint64_t>(place)) {}
  int64_t place() const { return static_cast<int64_t>(bits & kPlace); }
  bool goes_before(const ShortTicket& other, const Rng& rng) const {
    if ((bits ^ other.bits) > kPlace) return bits < other.bits;
    uint64_t own = rest(rng), others = other.rest(rng);
    return own != others ? own < others : bits < other.bits;
  }

 private:
  static constexpr uint64_t kPlace = 0xffffffff;
  uint32_t rest(const Rng& rng) const {
    PhiloxBlock block = philox_block(rng.key, rng.counter + static_cast<uint64_t>(place() / 2));
    return block.word[place() % 2 * 2 + 1];
  }
};
// The same for more numbers than that.
struct LongTicket {
  uint64_t bits;
  int64_t number;
  LongTicket() = default;
  LongTicket(uint64_t random, int64_t place) : bits(random), number(place) {}
  int64_t place() const { return number; }
  bool goes_before(const LongTicket& other, const Rng&) const {
    return bits != other.bits ? bits < other.bits : number < other.number;
  }
};

// Memory for random_order's tickets, twice.
template <class Ticket> std::size_t order_bytes(int64_t n) { return 2 * static_cast<std::size_t>(n) * sizeof(Ticket); }

namespace order_detail {

inline constexpr int64_t kFewTickets = 24;  // compared at once
// More than a core's caches hold are shared out first; fewer, where other threads wait for a share.
inline constexpr int64_t kManyTickets = 1 << 18, kSharedTickets = 1 << 15;
inline constexpr int kMostDigitBits = 12;

template <class Ticket> void put_right(Ticket* tickets, int64_t n, const Rng& rng) {
  for (int64_t i = 1; i < n; ++i) {
    if (!tickets[i].goes_before(tickets[i - 1], rng)) continue;
    Ticket moved = tickets[i];
    int64_t at = i;
    do {
      tickets[at] = tickets[at - 1];
      --at;
    } while (at > 0 && moved.goes_before(tickets[at - 1], rng));
    tickets[at] = moved;
  }
}

// Tickets whose bits from `top` on are alike: by their next two digits, then by comparing.
template <class Ticket> void sort_tickets(Ticket* tickets, Ticket* other, int64_t n, int top, const Rng& rng) {
  if (n > kFewTickets) {
    int digit_bits = std::min((static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) + 3) / 2, kMostDigitBits);
    int64_t digits = int64_t{1} << digit_bits;
    uint64_t mask = static_cast<uint64_t>(digits - 1);
    int high = top - digit_bits, low = high - digit_bits;
    int64_t next_low[1 << kMostDigitBits], next_high[1 << kMostDigitBits];
    std::fill(next_low, next_low + digits, 0);
    std::fill(next_high, next_high + digits, 0);
    for (int64_t i = 0; i < n; ++i) {
      ++next_low[tickets[i].bits >> low & mask];
      ++next_high[tickets[i].bits >> high & mask];
    }
    int64_t before_low = 0, before_high = 0;
    for (int64_t d = 0; d < digits; ++d) {
      before_low += std::exchange(next_low[d], before_low);
      before_high += std::exchange(next_high[d], before_high);
    }
    for (int64_t i = 0; i < n; ++i) other[next_low[tickets[i].bits >> low & mask]++] = tickets[i];
    for (int64_t i = 0; i < n; ++i) tickets[next_high[other[i].bits >> high & mask]++] = other[i];
  }
  put_right(tickets, n, rng);
}

}  // namespace order_detail

// The ticket at place i is that of the number which comes there. They lie in `memory`, of order_bytes.
template <class Ticket> const Ticket* random_order(const Rng& rng, int64_t n, std::byte* memory) {
  using namespace order_detail;
  Ticket* tickets = reinterpret_cast<Ticket*>(memory);
  Ticket* other = tickets + n;
  for_random_words<2>(rng, n, [=](const Words& words, int64_t first, int64_t count) {
    Ticket batch[2 * kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
      batch[2 * i] = Ticket(uint64_t{words.word[0][i]} << 32 | words.word[1][i], first + 2 * i);
      batch[2 * i + 1] = Ticket(uint64_t{words.word[2][i]} << 32 | words.word[3][i], first + 2 * i + 1);
    }
    std::copy(batch, batch + count, tickets + first);
  });
  if (n <= (max_threads() > 1 ? kSharedTickets : kManyTickets)) {
    sort_tickets(tickets, other, n, 64, rng);
    return tickets;
  }
  // Buckets by the first eight bits, each then sorted by a thread.
  constexpr int kBuckets = 256;
  int64_t ends[kBuckets + 1] = {}, next[kBuckets];
  for (int64_t i = 0; i < n; ++i) ++ends[(tickets[i].bits >> 56) + 1];
  for (int b = 0; b < kBuckets; ++b) ends[b + 1] += ends[b];
  std::copy(ends, ends + kBuckets, next);
  for (int64_t i = 0; i < n; ++i) other[next[tickets[i].bits >> 56]++] = tickets[i];
  parallel_for(kBuckets, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      sort_tickets(other + ends[b], tickets + ends[b], ends[b + 1] - ends[b], 56, rng);
    }
  });
  return other;
}

}  // namespace lutra
