// The processes of one launch, which are called ranks: they agree on each collective before data moves, exchange bytes,
// and notice when one of them is gone. One per process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hosts/control.h"
#include "hosts/exchange.h"
#include "hosts/launch.h"

namespace lutra {

// A collective, as one rank sees it.
struct Meeting {
  std::string what;         // for errors: "barrier", "a sum of 4 tensors"
  std::string where = {};   // the script's line: "train.lua:57"
  std::string equal = {};   // what must be equal on all ranks
  uint64_t check = 0;       // likewise, but 0 is equal to everything
  bool is_complete = true;  // any flag: Agreement says whether all ranks have it
  uint64_t note = 0;        // rank 0's reaches all
  double seconds = 0;       // the most to wait; 0: no limit
};
struct Agreement {
  uint64_t note;
  bool is_complete;
};

// Whether the user wants to stop what waits; may be empty.
using Interrupted = std::function<bool()>;

// Finds and opens liblutra_mpi.so. Null: *why says why not and what to do.
const MpiCalls* open_mpi_plugin(std::string* why);

class Cluster {
 public:
  // The one that has been started; null before.
  static Cluster* running();
  // Starts it on all ranks of the launch, which wait for each other. Fails (FailedPrecondition) if MPI is missing, and
  // (InvalidArgument) if ranks run different versions of Lutra.
  static Cluster& start(const RankLaunch& launch);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::vector<std::string>& hosts() const { return hosts_; }  // of each rank
  std::string library() const { return calls_->library(); }

  // Waits until all ranks are in this collective. Fails with InvalidArgument if they are in different ones, Aborted if
  // one has ended or failed, DeadlineExceeded after m.seconds, Cancelled if this or another rank was interrupted.
  Agreement meet(const Meeting& meeting, const Interrupted& interrupted);
  // After a meeting: sends and receives (Exchange).
  void exchange(std::span<const Piece> sends, std::span<const Piece> receives, const Interrupted& interrupted);
  // After a meeting: what all ranks pass, by rank.
  std::vector<std::string> all_gather(std::string_view mine, const Interrupted& interrupted);

  // Until take_back, only the given thread may take part in collectives, beside one that computes. It sleeps while it
  // waits, until `hurry`.
  void lend_to(std::thread::id thread) {
    hurries_ = false;
    aside_ = thread;
  }
  void hurry() { hurries_ = true; }
  void take_back() { aside_ = std::thread::id(); }

  // Remembers the error for end().
  void note_failure(std::string_view message);
  // Tells the others that this rank has ended, and waits until all have. Nothing else may be called afterwards.
  void end(bool has_failed);

 private:
  using Clock = std::chrono::steady_clock;

  Cluster(const MpiCalls* calls, int rank, int size);
  void open(const RankLaunch& launch);
  void watch(const std::stop_token& stop);
  void drive();
  void beat(Clock::time_point now);
  void check_silence(Clock::time_point now);
  [[noreturn]] void abort(const std::string& message);
  // Whether the thread to which it has been lent should give way to others.
  bool is_aside() const { return !hurries_ && aside_.load() == std::this_thread::get_id(); }
  void check_thread(const std::string& what) const;

  const MpiCalls* const calls_;
  const int rank_, size_;
  std::vector<std::string> hosts_;
  pid_t process_of_rank_0_ = 0;  // if it is another one and on this host
  double silence_ = 10;          // seconds after which a rank that says nothing is lost; 0: never
  std::string failure_, last_line_;
  uint64_t sequence_ = 0;
  bool is_abandoned_ = false;
  std::atomic<bool> has_ended_ = false, hurries_ = false;
  std::atomic<std::thread::id> aside_;

  // What follows, and all of MPI, is used by one thread at a time. See docs/decisions/ranks-agree-first.md.
  std::mutex mutex_;
  Control control_;
  std::vector<Clock::time_point> heard_;
  Clock::time_point last_beat_, last_drive_, ending_since_{};
  std::jthread watcher_;
};

}  // namespace lutra
