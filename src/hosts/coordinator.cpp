#include "hosts/coordinator.h"

#include <algorithm>
#include <set>

#include "core/text.h"

namespace lutra {
namespace {

std::string at(const std::string& where) { return where.empty() ? "" : text(" (", where, ")"); }

}  // namespace

Coordinator::Coordinator(int size) : ranks_(static_cast<std::size_t>(size)) {}

void Coordinator::hear(int from, const Message& message) {
  switch (message.kind) {
    case Message::Arrive: return arrive(from, message);
    case Message::GiveUp: return give_up(from, message);
    case Message::Final: return end(from, message);
    default: return;
  }
}

void Coordinator::arrive(int from, const Message& message) {
  Rank& rank = ranks_[static_cast<std::size_t>(from)];
  rank.last = message;
  if (auto late = timeouts_.find(message.sequence); late != timeouts_.end()) return tell(from, late->second);
  if (gone_ >= 0) return tell(from, gone(from));
  rank.waits = true;
  ++count_waiting_;
  if (count_waiting_ == ranks_.size()) decide();
}

// All ranks wait. They are in the same collective, since each counts one for each answer.
void Coordinator::decide() {
  const Message& first = ranks_[0].last;
  std::size_t checked = 0;
  bool is_complete = true;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const Message& other = ranks_[r].last;
    is_complete = is_complete && other.is_complete;
    std::size_t differs = ranks_.size();
    if (other.hash != first.hash) differs = 0;
    if (ranks_[checked].last.check == 0) checked = r;
    if (other.check != 0 && other.check != ranks_[checked].last.check) differs = checked;
    if (differs == ranks_.size()) continue;
    const Message& one = ranks_[differs].last;
    Message verdict{.kind = Message::Verdict, .rank = static_cast<int32_t>(r), .sequence = first.sequence};
    verdict.code = "InvalidArgument";
    verdict.what = text("ranks differ: ", name(static_cast<int>(differs)), " calls ", one.what, at(one.where), ", and ",
                        name(static_cast<int>(r)), " calls ", other.what, at(other.where),
                        ": all ranks must take the same collectives in the same order, with the same arguments");
    verdict.where = other.where;
    return tell_all(verdict);
  }
  Message go{.kind = Message::Go, .is_complete = is_complete, .sequence = first.sequence, .note = first.note};
  tell_all(go);
}

void Coordinator::give_up(int from, const Message& message) {
  Rank& rank = ranks_[static_cast<std::size_t>(from)];
  if (!rank.waits) return;  // the answer is on its way
  Message verdict{.kind = Message::Verdict, .rank = from, .sequence = message.sequence};
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (!ranks_[r].waits) verdict.rank = static_cast<int32_t>(r);
  }
  verdict.code = "DeadlineExceeded";
  verdict.where = last_line(verdict.rank);
  verdict.what =
      text(rank.last.what, ": ", name(from), at(rank.last.where), " has waited ", message.what, " s for ", missing());
  timeouts_[message.sequence] = verdict;
  tell_all(verdict);
}

void Coordinator::end(int from, const Message& message) {
  Rank& rank = ranks_[static_cast<std::size_t>(from)];
  if (rank.is_final) return;
  if (rank.waits) --count_waiting_;
  rank.waits = false;
  rank.is_final = true;
  rank.last = message;
  ++count_final_;
  const std::string others = missing();
  // Ranks that failed because another one had gone are not the cause.
  if (gone_ < 0 || (message.has_failed && !has_failed_ && count_final_ == 1)) gone_ = from;
  has_failed_ = has_failed_ || message.has_failed;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].waits) tell(static_cast<int>(r), gone(static_cast<int>(r), others));
  }
  if (is_over()) tell_all(Message{.kind = Message::Bye});
}

Message Coordinator::gone(int rank, const std::string& missing) const {
  const Message& cause = ranks_[static_cast<std::size_t>(gone_)].last;
  const Message& waiting = ranks_[static_cast<std::size_t>(rank)].last;
  Message verdict{.kind = Message::Verdict, .rank = gone_, .sequence = waiting.sequence};
  verdict.where = cause.where;
  if (cause.was_interrupted) {
    // Ctrl-C reaches one rank earlier than another. Whichever is first, all tell the same.
    verdict.code = "Cancelled";
    verdict.what =
        text("interrupted! R", name(rank).substr(1), " waited in ", waiting.what, at(waiting.where), " for ",
             missing.empty() ? "" : missing + "; ", name(gone_), missing.empty() ? ", which" : "", " was interrupted",
             cause.where.empty() ? "" : text(" (its last call was at ", cause.where, ")"));
    return verdict;
  }
  verdict.code = "Aborted";
  verdict.what = text(name(gone_), cause.has_failed ? " has failed" : " has ended", at(cause.where),
                      cause.what.empty() ? "" : ": ", cause.what, cause.what.empty() ? ", while " : "; ", name(rank),
                      " calls ", waiting.what, at(waiting.where));
  return verdict;
}

void Coordinator::tell_all(const Message& message) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].waits || message.kind == Message::Bye) tell(static_cast<int>(r), message);
  }
}

void Coordinator::tell(int rank, const Message& message) {
  Rank& told = ranks_[static_cast<std::size_t>(rank)];
  if (told.waits) --count_waiting_;
  told.waits = false;
  answers_.emplace_back(rank, message);
}

std::string Coordinator::missing() const {
  std::string list;
  std::size_t count = 0;
  constexpr std::size_t kMostNamed = 4;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].waits || ranks_[r].is_final || ++count > kMostNamed) continue;
    const std::string& line = ranks_[r].last.where;
    append(list, text(list.empty() ? "" : ", ", name(static_cast<int>(r)),
                      line.empty() ? " (it has called nothing yet)" : text(" (its last call was at ", line, ")")));
  }
  if (count > kMostNamed) append(list, text(" and ", count - kMostNamed, " more"));
  return list;
}

std::string Coordinator::name(int rank) const {
  const bool several = std::set<std::string>(hosts_.begin(), hosts_.end()).size() > 1;
  if (!several) return text("rank ", rank);
  return text("rank ", rank, " (host ", hosts_[static_cast<std::size_t>(rank)], ")");
}

}  // namespace lutra
