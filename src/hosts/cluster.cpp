#include "hosts/cluster.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/blocked_signals.h"
#include "core/error.h"
#include "core/version.h"
#include "hosts/pause.h"

namespace lutra {
namespace {

constexpr auto kBeat = std::chrono::seconds(1);

Cluster* the_cluster = nullptr;

uint64_t hash_of(std::string_view text) {  // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  return hash;
}

double silence_limit() {
  const char* value = std::getenv("LUTRA_RANK_SILENCE");
  if (value == nullptr || *value == '\0') return 10;
  char* end = nullptr;
  double seconds = std::strtod(value, &end);
  require(*end == '\0' && seconds >= 0 && std::isfinite(seconds), "LUTRA_RANK_SILENCE is \"", value,
          "\", expected a number of seconds, 0 for no limit");
  return seconds;
}

}  // namespace

Cluster* Cluster::running() { return the_cluster; }

Cluster::Cluster(const MpiCalls* calls, int rank, int size)
    : calls_(calls),
      rank_(rank),
      size_(size),
      control_(*calls, rank, size),
      last_beat_(Clock::now()),
      last_drive_(last_beat_) {
  heard_.assign(static_cast<std::size_t>(size), last_beat_);
}

Cluster& Cluster::start(const RankLaunch& launch) {
  if (the_cluster != nullptr) return *the_cluster;
  std::string why;
  const MpiCalls* calls = open_mpi_plugin(&why);
  if (calls == nullptr) {
    fail(ErrorCode::FailedPrecondition, launch.launcher, " started this process as rank ", launch.rank, " of ",
         launch.size, ", but MPI cannot be used: ", why);
  }
  const double silence = silence_limit();
  int rank = 0, size = 1;
  {
    const BlockedSignals until_its_threads_run;
    if (const char* problem = calls->start(true, &rank, &size)) fail(ErrorCode::FailedPrecondition, problem);
  }
  if (size != launch.size) {
    fail(ErrorCode::FailedPrecondition, launch.launcher, " started ", launch.size, " processes, but ", calls->library(),
         " found ", size, ": the launcher is of another MPI than the library");
  }
  the_cluster = new Cluster(calls, rank, size);  // lives as long as the process
  the_cluster->silence_ = silence;
  the_cluster->open(launch);
  return *the_cluster;
}

void Cluster::open(const RankLaunch& launch) {
  claim_launch();
  on_exit([](int status, void*) { the_cluster->end(status != 0); }, nullptr);
  const std::vector<std::string> all = all_gather(text(host_name(), "\n", LUTRA_VERSION, "\n", getpid()), {});
  std::vector<std::string> versions;
  for (const std::string& each : all) {
    const std::size_t end = each.find('\n'), last = each.rfind('\n');
    hosts_.push_back(each.substr(0, end));
    versions.push_back(each.substr(end + 1, last - end - 1));
  }
  // Containers may share a host's name, and not its processes.
  const pid_t process = std::atoi(all[0].c_str() + all[0].rfind('\n') + 1);
  if (rank_ != 0 && hosts_[0] == host_name() && is_alive(process)) process_of_rank_0_ = process;
  if (Coordinator* coordinator = control_.coordinator()) coordinator->set_hosts(hosts_);
  for (std::size_t r = 1; r < all.size(); ++r) {
    require(versions[r] == versions[0], launch.launcher, ": rank 0 (host ", hosts_[0], ") runs Lutra ", versions[0],
            ", and rank ", r, " (host ", hosts_[r], ") Lutra ", versions[r], ": all need the same version");
  }
  const BlockedSignals for_the_thread;
  watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

// Sends heartbeats, and handles messages while Lua computes. The thread that waits in a collective does the same
// itself.
void Cluster::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::lock_guard lock(mutex_);
      drive();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// One round of everything that does not wait. The mutex is held.
void Cluster::drive() {
  const Clock::time_point now = Clock::now();
  // This process itself was stopped: nobody else was silent.
  if (now - last_drive_ > 2 * kBeat) std::fill(heard_.begin(), heard_.end(), now);
  last_drive_ = now;
  while (const std::optional<int> from = control_.receive()) heard_[static_cast<std::size_t>(*from)] = now;
  control_.free_sent();
  if (now - last_beat_ < kBeat) return;
  last_beat_ = now;
  beat(now);
}

// Once a second. Rank 0 hears all, and all hear rank 0.
void Cluster::beat(Clock::time_point now) {
  control_.beat();
  check_silence(now);
  Coordinator* const coordinator = control_.coordinator();
  if (coordinator == nullptr || !coordinator->is_ending()) return;
  if (ending_since_ == Clock::time_point{}) ending_since_ = now;
  // They have as long to come to a collective as a rank may be silent.
  const double grace = silence_ > 0 ? silence_ : 10;
  if (std::chrono::duration<double>(now - ending_since_).count() < grace) return;
  std::string seconds;
  append(seconds, grace);
  abort(text("a rank has failed, and ", seconds, " s later the job has not ended: ", coordinator->missing(),
             " has come to no collective"));
}

// Rank 0 watches all others, and they watch rank 0. If that is lost, only one of them should say so.
void Cluster::check_silence(Clock::time_point now) {
  if (silence_ == 0) return;
  auto silent_for = [&](int r) {
    return std::chrono::duration<double>(now - heard_[static_cast<std::size_t>(r)]).count();
  };
  const int first = rank_ == 0 ? 1 : 0, last = rank_ == 0 ? size_ : 1;
  const double limit = silence_ + (rank_ == 0 ? 0.0 : 0.5 * (rank_ - 1));
  double longest = 0;
  for (int r = first; r < last; ++r) longest = std::max(longest, silent_for(r));
  if (longest < limit) return;
  // Others are heard once a second, so those that have been silent for half as long are lost as well.
  std::string lost;
  Coordinator* const coordinator = control_.coordinator();
  for (int r = first; r < last; ++r) {
    if (silent_for(r) < longest / 2) continue;
    const std::string& line = coordinator != nullptr ? coordinator->last_line(r) : last_line_;
    append(lost, text(lost.empty() ? "" : ", ", "rank ", r, " on host ", hosts_[static_cast<std::size_t>(r)],
                      line.empty() ? " (no call yet)" : text(" (last call at ", line, ")")));
  }
  abort(text("nothing has been heard for ", static_cast<int>(longest), " s of ", lost,
             ": the process is stopped, or the host cannot be reached"));
}

void Cluster::abort(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "lutra: %s\n", message.c_str());
  std::fflush(stderr);
  call_launcher();
  kill_daemon_after(5);
  // Where hosts are cut off, MPI may wait for them.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    _exit(EXIT_FAILURE);
  }).detach();
  calls_->abort(EXIT_FAILURE);
  _exit(EXIT_FAILURE);
}

void Cluster::check_thread(const std::string& what) const {
  const std::thread::id only = aside_;
  if (only == std::thread::id() || only == std::this_thread::get_id()) return;
  fail(ErrorCode::FailedPrecondition, what,
       ": the sums of a step's gradients are under way; a gradient function that calls a collective needs "
       "MultiWorkerMirroredStrategy(devices, {overlap = false})");
}

Agreement Cluster::meet(const Meeting& meeting, const Interrupted& interrupted) {
  check_thread(meeting.what);
  if (is_abandoned_ || has_ended_) {
    fail(ErrorCode::FailedPrecondition, meeting.what, ": this rank ",
         has_ended_ ? "has ended" : "was interrupted in a collective, so it is no longer in step with the others");
  }
  Message arrive{.kind = Message::Arrive, .is_complete = meeting.is_complete, .rank = rank_, .sequence = ++sequence_};
  arrive.hash = hash_of(meeting.equal);
  arrive.check = meeting.check;
  arrive.note = meeting.note;
  arrive.what = meeting.what;
  arrive.where = meeting.where;
  const Clock::time_point start = Clock::now();
  {
    std::lock_guard lock(mutex_);
    last_line_ = meeting.where;
    control_.tell(arrive);
  }
  bool gave_up = false;
  std::optional<Message> answer;
  for (Pause pause;; pause.rest(is_aside())) {
    std::lock_guard lock(mutex_);
    if (has_ended_) fail(ErrorCode::Cancelled, meeting.what, ": this process ends");
    // First: where all ranks are interrupted, each is to tell what it waited for, not that another one has failed.
    if (interrupted && interrupted()) {
      is_abandoned_ = true;
      Coordinator* const coordinator = control_.coordinator();
      std::string rest = coordinator != nullptr ? coordinator->missing() : "the others";
      if (process_of_rank_0_ != 0 && !is_alive(process_of_rank_0_)) {
        rest = text("rank 0 on host ", hosts_[0], ", whose process has ended");
      }
      fail(ErrorCode::Cancelled, "interrupted! Rank ", rank_, " waited in ", meeting.what, " (", meeting.where,
           ") for ", rest);
    }
    drive();
    if ((answer = control_.take_answer())) break;
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (meeting.seconds > 0 && waited > meeting.seconds && !gave_up) {
      gave_up = true;
      std::string seconds;
      append(seconds, meeting.seconds);
      control_.tell({.kind = Message::GiveUp, .rank = rank_, .sequence = sequence_, .what = seconds});
    }
  }
  if (answer->kind == Message::Go) return {answer->note, answer->is_complete};
  const ErrorCode code = answer->code == "InvalidArgument"    ? ErrorCode::InvalidArgument
                         : answer->code == "Cancelled"        ? ErrorCode::Cancelled
                         : answer->code == "DeadlineExceeded" ? ErrorCode::DeadlineExceeded
                                                              : ErrorCode::Aborted;
  Error error(code, answer->what);
  error.with("rank", text(answer->rank)).with("line", answer->where);
  throw error.with("host", hosts_[static_cast<std::size_t>(answer->rank)]);
}

void Cluster::exchange(std::span<const Piece> sends, std::span<const Piece> receives, const Interrupted& interrupted) {
  // While ranks tell each other their hosts, none is known.
  auto is_here = [&](int rank) {
    return !hosts_.empty() && hosts_[static_cast<std::size_t>(rank)] == hosts_[static_cast<std::size_t>(rank_)];
  };
  std::optional<Exchange> exchange;
  {
    std::lock_guard lock(mutex_);
    exchange.emplace(*calls_, rank_, sends, receives, is_here);
  }
  // All ranks have agreed to this, so it ends, unless a process is gone. The memory is in use until then.
  std::optional<Clock::time_point> asked;
  // Data moves only while somebody calls MPI.
  for (Pause pause(std::chrono::milliseconds(50), std::chrono::microseconds(100));; pause.rest(is_aside())) {
    std::lock_guard lock(mutex_);
    if (has_ended_) fail(ErrorCode::Cancelled, "this process ends while data is on its way");
    if (exchange->go_on()) break;
    drive();
    if (!asked && interrupted && interrupted()) asked = Clock::now();
    if (asked && Clock::now() - *asked > std::chrono::seconds(2)) {
      abort(text("rank ", rank_, " was interrupted while data was on its way (", last_line_, ")"));
    }
  }
  if (asked) {
    is_abandoned_ = true;
    fail(ErrorCode::Cancelled, "interrupted! Rank ", rank_, " was exchanging data (", last_line_, ")");
  }
}

std::vector<std::string> Cluster::all_gather(std::string_view mine, const Interrupted& interrupted) {
  // Short texts fit beside their length, into the first message.
  struct First {
    uint64_t length;
    char text[248];
  };
  First own{mine.size(), {}};
  std::memcpy(own.text, mine.data(), std::min(mine.size(), sizeof own.text));
  const auto count = static_cast<std::size_t>(size_);
  std::vector<First> firsts(count);
  std::vector<Piece> sends, receives;
  auto add_all = [&](auto&& piece_from, std::byte* data, std::size_t bytes) {
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      if (bytes > 0) sends.push_back({r, data, bytes});
      if (Piece piece = piece_from(r); piece.bytes > 0) receives.push_back(piece);
    }
    exchange(sends, receives, interrupted);
    sends.clear();
    receives.clear();
  };
  add_all(
      [&](int r) {
        return Piece{r, reinterpret_cast<std::byte*>(&firsts[static_cast<std::size_t>(r)]), sizeof(First)};
      },
      reinterpret_cast<std::byte*>(&own), sizeof own);
  std::vector<std::string> all(count);
  bool is_long = mine.size() > sizeof own.text;
  for (std::size_t r = 0; r < count; ++r) {
    if (static_cast<int>(r) == rank_) {
      all[r] = mine;
      continue;
    }
    all[r].resize(firsts[r].length);
    is_long = is_long || firsts[r].length > sizeof own.text;
    std::memcpy(all[r].data(), firsts[r].text, std::min<std::size_t>(firsts[r].length, sizeof own.text));
  }
  if (!is_long) return all;
  // The rest of those that are longer.
  constexpr std::size_t kFirst = sizeof own.text;
  std::string rest(mine.size() > kFirst ? mine.substr(kFirst) : std::string_view());
  add_all(
      [&](int r) {
        std::string& text = all[static_cast<std::size_t>(r)];
        if (text.size() <= kFirst) return Piece{r, nullptr, 0};
        return Piece{r, reinterpret_cast<std::byte*>(text.data() + kFirst), text.size() - kFirst};
      },
      reinterpret_cast<std::byte*>(rest.data()), rest.size());
  return all;
}

void Cluster::note_failure(std::string_view message) {
  if (failure_.empty()) failure_ = message.substr(0, std::min<std::size_t>(message.find('\n'), 400));
}

void Cluster::end(bool has_failed) {
  if (has_ended_.exchange(true)) return;
  {
    std::lock_guard lock(mutex_);
    Message last{.kind = Message::Final, .has_failed = has_failed, .rank = rank_, .sequence = sequence_};
    last.was_interrupted = has_failed && failure_.find("interrupted!") != std::string::npos;
    last.what = failure_;
    last.where = last_line_;
    control_.tell(last);
  }
  for (Pause pause;; pause.rest()) {
    std::lock_guard lock(mutex_);
    drive();
    if (control_.is_over() && control_.free_sent()) break;
  }
  watcher_ = {};  // waits for it
  calls_->finish();
}

}  // namespace lutra
