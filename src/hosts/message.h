// The messages by which ranks agree on a collective, and how they are packed into bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lutra {

struct Message {
  enum Kind : uint8_t {
    Arrive,   // to the coordinator: this rank is at a collective
    GiveUp,   // to the coordinator: it has waited as long as it may
    Final,    // to the coordinator: it has ended, or failed
    Beat,     // to the coordinator, and from it: the process is alive
    Go,       // from the coordinator: all ranks are at this collective, and agree
    Verdict,  // from the coordinator: an error instead
    Bye,      // from the coordinator: all ranks have ended
  };
  Kind kind = Beat;
  bool is_complete = true;       // Arrive: see Meeting; Go: whether that is true for all ranks
  bool has_failed = false;       // Final: with an error
  bool was_interrupted = false;  // Final: that error is an interrupt, as by Ctrl-C
  int32_t rank = 0;              // Verdict: the rank that caused it
  uint64_t sequence = 0;         // the number of the collective, counted by each rank
  uint64_t hash = 0;             // Arrive: what must be equal on all ranks
  uint64_t check = 0;            // Arrive: the same, but 0 is equal to all
  uint64_t note = 0;             // Arrive and Go: rank 0's, for all
  std::string code = {};         // Verdict: the error's code
  std::string what = {};         // what the rank calls; Verdict: the error's text
  std::string where = {};        // its line
};

std::string packed(const Message& message);
// Returns false if these are not the bytes of a message.
bool unpack(std::string_view bytes, Message* out);

}  // namespace lutra
