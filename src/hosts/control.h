// The messages by which ranks agree, on their way between the ranks and the Coordinator on rank 0. Like Exchange it
// calls MPI and never waits. One thread at a time may use it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hosts/coordinator.h"
#include "hosts/mpi_calls.h"

namespace lutra {

class Control {
 public:
  Control(const MpiCalls& calls, int rank, int size);

  // Sends it to the coordinator, and what the coordinator answers.
  void tell(const Message& message);
  // Sends a Beat to whom the ranks' coordinator is, or, on rank 0, to all others.
  void beat();
  // Handles a message that has arrived. Returns the rank that sent it; nullopt: there is none.
  std::optional<int> receive();
  // The coordinator's answer to what this rank told it, if it has come: Go or Verdict.
  std::optional<Message> take_answer() { return std::exchange(answer_, std::nullopt); }
  // Whether all ranks have ended.
  bool is_over() const { return is_over_; }
  // Frees the messages that MPI has taken; false if it has not taken all.
  bool free_sent();
  // On rank 0; null elsewhere.
  Coordinator* coordinator() { return coordinator_ ? &*coordinator_ : nullptr; }

 private:
  struct Sent {
    MpiRequest request;
    std::string bytes;
  };
  void hear(int from, const Message& message);
  void post(int to, const Message& message);
  void post_answers();

  const MpiCalls& calls_;
  const int rank_, size_;
  std::optional<Coordinator> coordinator_;
  std::optional<Message> answer_;
  bool is_over_ = false;
  std::vector<std::unique_ptr<Sent>> sent_;
};

}  // namespace lutra
