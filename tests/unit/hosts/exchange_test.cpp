#include "hosts/exchange.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "support/catch.h"

using namespace lutra;

namespace {

// Messages between ranks of one process. Their receivers are there first.
struct Message {
  int from, to, tag;
  void* into;
  std::size_t bytes;
  const void* data;
};
std::deque<Message> messages;  // a request is 1 + its index
int current = 0;               // the rank that calls

MpiRequest receive(void* into, std::size_t bytes, int from, int tag) {
  messages.push_back({from, current, tag, into, bytes, nullptr});
  return messages.size();
}
MpiRequest send(const void* from, std::size_t bytes, int to, int tag) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Message& message = messages[i];
    if (message.from != current || message.to != to || message.tag != tag || message.data != nullptr) continue;
    REQUIRE(message.bytes == bytes);
    message.data = from;
    return i + 1;
  }
  FAIL("nobody receives it");
  return 0;
}
bool done(MpiRequest* requests, std::size_t count) {
  bool are_all = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (requests[i] == 0) continue;
    const Message& message = messages[requests[i] - 1];
    if (message.data == nullptr) {
      are_all = false;
      continue;
    }
    std::memcpy(message.into, message.data, message.bytes);
    requests[i] = 0;
  }
  return are_all;
}

}  // namespace

TEST_CASE("ranks exchange pieces that are longer than a message, and empty ones", "[hosts]") {
  constexpr int kRanks = 3;
  constexpr std::size_t kLongest = 700000;
  MpiCalls calls{};
  calls.send = send;
  calls.receive = receive;
  calls.done = done;
  auto length = [&](int from, int to) { return from == 0 && to == 2 ? 0 : kLongest - 1000 * (3 * from + to); };
  for (const bool is_here : {false, true}) {
    messages.clear();
    std::vector<std::vector<std::byte>> data(kRanks), into(kRanks * kRanks);
    std::deque<Exchange> exchanges;
    for (int r = 0; r < kRanks; ++r) {
      for (std::size_t i = 0; i < kLongest; ++i) data[r].push_back(static_cast<std::byte>(i * 7 + r * 31 + i / 256));
      std::vector<Piece> sends, receives;
      for (int other = 0; other < kRanks; ++other) {
        if (other == r) continue;
        sends.push_back({other, data[r].data(), length(r, other)});
        into[r * kRanks + other].resize(length(other, r));
        receives.push_back({other, into[r * kRanks + other].data(), length(other, r)});
      }
      current = r;
      exchanges.emplace_back(calls, r, sends, receives, [=](int) { return is_here; });
    }
    std::vector<bool> have_ended(kRanks);
    for (int round = 0; round < 100 && std::count(have_ended.begin(), have_ended.end(), false) > 0; ++round) {
      for (current = 0; current < kRanks; ++current)
        have_ended[current] = have_ended[current] || exchanges[current].go_on();
    }
    CHECK(std::count(have_ended.begin(), have_ended.end(), true) == kRanks);
    for (int r = 0; r < kRanks; ++r) {
      for (int other = 0; other < kRanks; ++other) {
        const std::vector<std::byte>& got = into[r * kRanks + other];
        CHECK(std::equal(got.begin(), got.end(), data[other].begin()));
      }
    }
    CHECK(messages.size() == (is_here ? 5 : 5 * 3));
  }
}
