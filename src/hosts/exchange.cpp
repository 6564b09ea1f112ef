#include "hosts/exchange.h"

#include <algorithm>

namespace lutra {
namespace {

constexpr int kDataTag = 2;
// A message has fewer bytes than an int can count.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kBetweenHosts = std::size_t{1} << 18;
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 19;

}  // namespace

Exchange::Exchange(const MpiCalls& calls, int rank, std::span<const Piece> sends, std::span<const Piece> receives,
                   const std::function<bool(int)>& is_here)
    : calls_(calls) {
  auto message_bytes = [&](int other) { return is_here(other) ? kMostBytes : kBetweenHosts; };
  for (const Piece& piece : receives) {
    const std::size_t most = message_bytes(piece.rank);
    for (std::size_t at = 0; at < piece.bytes; at += most) {
      const std::size_t bytes = std::min(most, piece.bytes - at);
      receives_.push_back(calls.receive(piece.data + at, bytes, piece.rank, kDataTag));
    }
  }
  for (const Piece& piece : sends) {
    if (piece.bytes > 0) outgoing_.push_back({piece, message_bytes(piece.rank)});
  }
  // First to the ranks after its own, so that no rank gets the messages of all others at once, which fill the queues of
  // its link.
  std::stable_partition(outgoing_.begin(), outgoing_.end(),
                        [=](const Outgoing& each) { return each.piece.rank > rank; });
}

bool Exchange::go_on() {
  while (next_ < outgoing_.size() && (sent_.size() < 2 || under_way_ < kBytesAtOnce)) {
    auto& [piece, message_bytes] = outgoing_[next_];
    const std::size_t bytes = std::min(message_bytes, piece.bytes);
    sent_.push_back(calls_.send(piece.data, bytes, piece.rank, kDataTag));
    sent_bytes_.push_back(bytes);
    under_way_ += bytes;
    piece.data += bytes;
    piece.bytes -= bytes;
    if (piece.bytes == 0) ++next_;
  }
  if (!sent_.empty()) {
    calls_.done(sent_.data(), sent_.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      if (sent_[i] == 0) {
        under_way_ -= sent_bytes_[i];
        continue;
      }
      sent_bytes_[kept] = sent_bytes_[i];
      sent_[kept++] = sent_[i];
    }
    sent_.resize(kept);
    sent_bytes_.resize(kept);
  }
  if (next_ < outgoing_.size() || !sent_.empty()) return false;
  // Meanwhile MPI has received.
  if (receives_.empty() || calls_.done(receives_.data(), receives_.size())) return true;
  std::erase(receives_, MpiRequest{0});
  return false;
}

}  // namespace lutra
