// Decides whether all ranks may enter a collective. It runs on rank 0, knows nothing of MPI, and is fed with messages.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hosts/message.h"

namespace lutra {

class Coordinator {
 public:
  explicit Coordinator(int size);
  void set_hosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }

  // Handles a message of rank `from`.
  void hear(int from, const Message& message);
  // The messages to send, in order, since the last call: to which rank, and what.
  std::vector<std::pair<int, Message>> answers() { return std::exchange(answers_, {}); }

  // The ranks that have neither ended nor arrived, while others wait: "rank 2 (host b; its last line was
  // train.lua:57)".
  std::string missing() const;
  // "rank 2", with its host if there are several.
  std::string name(int rank) const;
  // "train.lua:57", or "" before its first collective.
  const std::string& last_line(int rank) const { return ranks_[static_cast<std::size_t>(rank)].last.where; }
  // Whether a rank has failed and others have not ended yet.
  bool is_ending() const { return has_failed_ && count_final_ < ranks_.size(); }
  // Whether all have ended.
  bool is_over() const { return count_final_ == ranks_.size(); }
  bool is_final(int rank) const { return ranks_[static_cast<std::size_t>(rank)].is_final; }

 private:
  struct Rank {
    bool waits = false, is_final = false;
    Message last;  // its last Arrive or Final
  };

  void arrive(int from, const Message& message);
  void give_up(int from, const Message& message);
  void end(int from, const Message& message);
  void decide();
  void tell_all(const Message& message);
  void tell(int rank, const Message& message);
  // The error for a rank that waits although another one has ended.
  // missing: the others for which the rank waits.
  Message gone(int rank, const std::string& missing = {}) const;

  std::vector<Rank> ranks_;
  std::vector<std::string> hosts_;
  std::vector<std::pair<int, Message>> answers_;
  std::map<uint64_t, Message> timeouts_;  // by sequence: collectives that some rank has given up
  std::size_t count_final_ = 0, count_waiting_ = 0;
  int gone_ = -1;  // the first rank that failed, else the first that ended
  bool has_failed_ = false;
};

}  // namespace lutra
