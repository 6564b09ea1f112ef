// Bytes that ranks send each other after a meeting. It calls MPI, never waits, and needs no thread or clock, so that
// tests/bench/smpi_step.cpp can run it on simulated hosts.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "hosts/mpi_calls.h"

namespace lutra {

// Bytes to send to a rank, or memory for those that come from it.
struct Piece {
  int rank;
  std::byte* data;
  std::size_t bytes;
};

// Note [Both directions of a link]
// Open MPI sends a large message after the receiver's answer, and that answer waits behind what the receiver itself
// sends. So two hosts that send each other one large message use one direction of the link after the other. Between
// hosts a message has 256 KB, and some are under way at a time. To ranks of the same host it is as large as possible.
class Exchange {
 public:
  // Prepares to receive all pieces. Pieces between two ranks match in order and size. is_here(r): whether rank r is on
  // this host; both ranks must agree.
  Exchange(const MpiCalls& calls, int rank, std::span<const Piece> sends, std::span<const Piece> receives,
           const std::function<bool(int)>& is_here);
  // Sends what may be under way. Returns whether everything has been sent and received; until then it has to be called
  // again, and the memory must stay.
  bool go_on();

 private:
  struct Outgoing {
    Piece piece;  // what is left of it
    std::size_t message_bytes;
  };

  const MpiCalls& calls_;
  std::vector<Outgoing> outgoing_;
  std::size_t next_ = 0, under_way_ = 0;
  // The messages under way, and the sizes of those that are sent.
  std::vector<MpiRequest> sent_, receives_;
  std::vector<std::size_t> sent_bytes_;
};

}  // namespace lutra
