// The numbers 0 to n - 1 in the order of 64 random bits each, equal ones in their own. Random bits are spread evenly,
// so a radix sort by few of them leaves next to nothing to be put right by comparing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/loops/random_words.h"

namespace lutra {

// The upper half of a number's random bits and the number, below 2^32, in one integer; the lower half, which hardly
// ever counts, is drawn again.
struct ShortTicket {
  static constexpr uint64_t kUnlike = 0xffffffff;  // bits that are no part of the random ones
  uint64_t bits;
  ShortTicket() = default;
  // One a lane, of the random bits in the lower halves of upper and lower.
  [[gnu::always_inline]] static void write(WideLanes upper, WideLanes, WideLanes place, ShortTicket* to) {
    WideLanes all = upper << 32 | place;
    std::memcpy(to, &all, sizeof all);
  }
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
  static constexpr uint64_t kUnlike = 0;
  uint64_t bits;
  int64_t number;
  LongTicket() = default;
  static void write(WideLanes upper, WideLanes lower, WideLanes place, LongTicket* to) {
    WideLanes all = upper << 32 | (lower & 0xffffffffu);
    for (int lane = 0; lane < kLanesOf64; ++lane) {
      to[lane].bits = all[lane];
      to[lane].number = static_cast<int64_t>(place[lane]);
    }
  }
  int64_t place() const { return number; }
  bool goes_before(const LongTicket& other, const Rng&) const {
    return bits != other.bits ? bits < other.bits : number < other.number;
  }
};

namespace order_detail {

inline constexpr int64_t kFewTickets = 24;  // compared at once
// More than a core's caches hold are shared out first; fewer, where other threads wait for a share.
inline constexpr int64_t kManyTickets = 1 << 18, kSharedTickets = 1 << 15;
inline constexpr int kBucketBits = 8, kBuckets = 1 << kBucketBits;
inline constexpr int kMostDigitBits = 12;
inline constexpr int64_t kAskedAhead = 16;  // where tickets go is asked for that many before they do
inline constexpr int64_t kTicketBatch = 2 * kBlocks;

// Moves tickets[i] to its place among those before, which are in order.
template <class Ticket> void put_right(Ticket* tickets, int64_t i, const Rng& rng) {
  Ticket moved = tickets[i];
  for (; i > 0 && moved.goes_before(tickets[i - 1], rng); --i) tickets[i] = tickets[i - 1];
  tickets[i] = moved;
}

// Most are right, so eight are looked at together.
template <class Ticket> void put_all_right(Ticket* tickets, int64_t n, const Rng& rng) {
  constexpr int64_t kAtOnce = 8;
  int64_t i = 1;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    uint64_t wrong = 0;
    for (int64_t k = i; k < i + kAtOnce; ++k) {
      wrong += (tickets[k - 1].bits | Ticket::kUnlike) >= tickets[k].bits ? 1 : 0;
    }
    if (wrong == 0) continue;
    for (int64_t k = i; k < i + kAtOnce; ++k) put_right(tickets, k, rng);
  }
  for (; i < n; ++i) put_right(tickets, i, rng);
}

// Tickets whose bits from `top` on are alike: by their next two digits, then by comparing.
template <class Ticket> void sort_tickets(Ticket* tickets, Ticket* other, int64_t n, int top, const Rng& rng) {
  if (n > kFewTickets) {
    int digit_bits = std::min((static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) + 5) / 2, kMostDigitBits);
    int64_t digits = int64_t{1} << digit_bits;
    uint64_t mask = static_cast<uint64_t>(digits - 1);
    int high = top - digit_bits, low = high - digit_bits;
    // Of 32 bits, half of the first cache at most: never so many are sorted at once.
    uint32_t next_low[1 << kMostDigitBits], next_high[1 << kMostDigitBits];
    std::fill(next_low, next_low + digits, 0);
    std::fill(next_high, next_high + digits, 0);
    for (int64_t i = 0; i < n; ++i) {
      ++next_low[tickets[i].bits >> low & mask];
      ++next_high[tickets[i].bits >> high & mask];
    }
    uint32_t before_low = 0, before_high = 0;
    for (int64_t d = 0; d < digits; ++d) {
      before_low += std::exchange(next_low[d], before_low);
      before_high += std::exchange(next_high[d], before_high);
    }
    auto move = [n, mask](const Ticket* from, Ticket* to, int shift, uint32_t* next) {
      auto place = [=](int64_t i) -> uint32_t& { return next[from[i].bits >> shift & mask]; };
      const int64_t asked = std::max<int64_t>(n - kAskedAhead, 0);
      for (int64_t i = 0; i < asked; ++i) {
        __builtin_prefetch(to + place(i + kAskedAhead), 1);
        to[place(i)++] = from[i];
      }
      for (int64_t i = asked; i < n; ++i) to[place(i)++] = from[i];
    };
    move(tickets, other, low, next_low);
    move(other, tickets, high, next_high);
  }
  put_all_right(tickets, n, rng);
}

// Calls take(tickets, how many) for batches that cover the numbers from begin, where a batch begins, to end.
template <class Ticket, class Take>
[[gnu::always_inline]] inline void draw_tickets(const Rng& rng, int64_t begin, int64_t end, Take take) {
  for (; begin < end; begin += kTicketBatch) {
    Ticket batch[kTicketBatch];
    WideLanes lanes{}, front{}, back{};  // front and back: of two registers' lanes in turn
    for (int lane = 0; lane < kLanesOf64; ++lane) {
      lanes[lane] = static_cast<uint64_t>(lane);
      front[lane] = static_cast<uint64_t>(lane / 2 + lane % 2 * kLanesOf64);
      back[lane] = front[lane] + kLanesOf64 / 2;
    }
    for_word_lanes(
        rng.key, rng.counter + static_cast<uint64_t>(begin / 2),
        [&](int at, const WideLanes* word) __attribute__((always_inline)) {
          const WideLanes place = lanes + static_cast<uint64_t>(begin + 2 * at);
          Ticket* to = batch + 2 * at;
          Ticket::write(__builtin_shuffle(word[0], word[2], front), __builtin_shuffle(word[1], word[3], front), place,
                        to);
          Ticket::write(__builtin_shuffle(word[0], word[2], back), __builtin_shuffle(word[1], word[3], back),
                        place + kLanesOf64, to + kLanesOf64);
        });
    take(batch, std::min(kTicketBatch, end - begin));
  }
}

// The tickets lie in buckets by their first bits: ends[b] is where bucket b ends. They are drawn twice, which takes
// less time than memory that has not been touched before.
template <class Ticket> void fill_buckets(const Rng& rng, int64_t n, Ticket* tickets, int64_t* ends) {
  const int64_t batches = (n + kTicketBatch - 1) / kTicketBatch, parts = std::min<int64_t>(max_threads(), batches);
  std::vector<std::array<int64_t, kBuckets>> next(static_cast<std::size_t>(parts));
  auto for_parts = [&](const auto& each) {
    parallel_for(parts, 1, [&](int64_t part, int64_t end) {
      for (; part < end; ++part) {
        each(batches * part / parts * kTicketBatch, std::min(n, batches * (part + 1) / parts * kTicketBatch),
             next[static_cast<std::size_t>(part)].data());
      }
    });
  };
  for_parts([&](int64_t begin, int64_t end, int64_t* counts) {
    draw_tickets<Ticket>(rng, begin, end, [=](const Ticket* drawn, int64_t count) {
      for (int64_t i = 0; i < count; ++i) ++counts[drawn[i].bits >> (64 - kBucketBits)];
    });
  });
  int64_t before = 0;
  for (int b = 0; b < kBuckets; ++b) {
    for (auto& part : next) before += std::exchange(part[static_cast<std::size_t>(b)], before);
    ends[b] = before;
  }
  for_parts([&](int64_t begin, int64_t end, int64_t* places) {
    draw_tickets<Ticket>(rng, begin, end, [=](const Ticket* drawn, int64_t count) {
      for (int64_t i = 0; i < count; ++i) tickets[places[drawn[i].bits >> (64 - kBucketBits)]++] = drawn[i];
    });
  });
}

}  // namespace order_detail

// How many tickets random_order needs room for beside those of the order.
inline int64_t other_tickets(int64_t n) { return n <= order_detail::kManyTickets ? n : 0; }

// Calls take(first, tickets, how many), from several threads, for ranges that cover [0, n): the ticket for place
// first + i is that of the number which comes there. `tickets` has room for n; take may write over those it is given.
template <class Ticket, class Take>
void random_order(const Rng& rng, int64_t n, Ticket* tickets, Ticket* other, const Take& take) {
  using namespace order_detail;
  if (n <= (max_threads() > 1 ? kSharedTickets : kManyTickets)) {
    parallel_for(n, 16 * kTicketBatch, kTicketBatch, [=](int64_t begin, int64_t end) {
      draw_tickets<Ticket>(rng, begin, end, [to = tickets + begin](const Ticket* drawn, int64_t count) mutable {
        to = std::copy(drawn, drawn + count, to);
      });
    });
    sort_tickets(tickets, other, n, 64, rng);
    take(int64_t{0}, tickets, n);
    return;
  }
  int64_t ends[kBuckets], most = 0;
  fill_buckets(rng, n, tickets, ends);
  for (int b = 0; b < kBuckets; ++b) most = std::max(most, ends[b] - (b > 0 ? ends[b - 1] : 0));
  parallel_for(kBuckets, 1, [&](int64_t bucket, int64_t end) {
    auto room = std::make_unique_for_overwrite<Ticket[]>(static_cast<std::size_t>(most));
    for (; bucket < end; ++bucket) {
      int64_t first = bucket > 0 ? ends[bucket - 1] : 0, count = ends[bucket] - first;
      sort_tickets(tickets + first, room.get(), count, 64 - kBucketBits, rng);
      take(first, tickets + first, count);
    }
  });
}

}  // namespace lutra
