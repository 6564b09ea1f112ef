#include "io/row_thread.h"

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include "core/blocked_signals.h"
#include "core/error.h"
#include "core/forks.h"

namespace lutra {
namespace {

struct Job {
  std::vector<int64_t> places;
  std::vector<std::byte*> to;
  std::exception_ptr error;
};

}  // namespace

// A ring of jobs: the caller writes from index `submitted` on, the thread reads those before.
struct RowThread::Shared {
  static constexpr uint64_t kStop = uint64_t{1} << 63;

  std::vector<Column> columns;
  std::vector<Job> ring;
  std::atomic<uint64_t> submitted{0}, done{0};
  pthread_t thread{};
  UncutWork reading;

  void run(uint64_t number) {
    Job& job = ring[number % ring.size()];
    try {
      gather(job);
    } catch (...) {
      job.error = std::current_exception();
    }
  }
  void gather(const Job& job) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::byte* to = job.to[k];
      if (to == nullptr) continue;
      const Column& column = columns[k];
      for (int64_t place : job.places) {
        if (column.file != nullptr) column.file->read_range(place, 1, to);
        else std::memcpy(to, column.rows + static_cast<std::size_t>(place) * column.bytes, column.bytes);
        to += column.bytes;
      }
    }
  }
  static void* work(void* argument) {
    Shared& shared = *static_cast<Shared*>(argument);
    for (uint64_t next = 0;; ++next) {
      uint64_t submitted = shared.submitted.load(std::memory_order_acquire);
      while (submitted == next) {
        shared.submitted.wait(submitted, std::memory_order_acquire);
        submitted = shared.submitted.load(std::memory_order_acquire);
      }
      // Jobs still queued are no longer needed.
      if (submitted & kStop) return nullptr;
      shared.reading.run([&] { shared.run(next); });
      shared.done.store(next + 1, std::memory_order_release);
      shared.done.notify_one();
    }
  }
};

RowThread::RowThread(std::vector<Column> columns, std::size_t most)
    : most_(most), born_(count_forks()), shared_(std::make_unique<Shared>()) {
  shared_->columns = std::move(columns);
  shared_->ring.resize(most);
}

RowThread::~RowThread() {
  if (!is_started_) return;
  if (is_forked()) {
    // There is no thread to join. What it was using when the process forked may be inconsistent, so it is not
    // destroyed.
    shared_.release();
    return;
  }
  shared_->submitted.store(Shared::kStop, std::memory_order_release);
  shared_->submitted.notify_one();
  pthread_join(shared_->thread, nullptr);
}

bool RowThread::is_forked() const { return count_forks() != born_; }

void RowThread::start() {
  int problem = 0;
  {
    BlockedSignals blocked;  // signals belong to the program
    problem = pthread_create(&shared_->thread, nullptr, Shared::work, shared_.get());
  }
  if (problem != 0) fail(ErrorCode::ResourceExhausted, "prefetch: cannot start its thread: ", std::strerror(problem));
  is_started_ = true;
}

void RowThread::submit(std::vector<int64_t> places, std::vector<std::byte*> to) {
  if (!is_started_ && !is_forked()) start();
  shared_->ring[submitted_ % most_] = {std::move(places), std::move(to), nullptr};
  ++submitted_;
  shared_->submitted.store(submitted_, std::memory_order_release);
  shared_->submitted.notify_one();
}

void RowThread::wait() {
  uint64_t number = taken_++;
  if (is_forked()) {
    if (shared_->done.load(std::memory_order_acquire) <= number) shared_->run(number);
  } else {
    wait_for_thread(number);
  }
  if (std::exception_ptr error = std::exchange(shared_->ring[number % most_].error, nullptr))
    std::rethrow_exception(error);
}

void RowThread::wait_for_thread(uint64_t number) {
  for (uint64_t done = shared_->done.load(std::memory_order_acquire); done <= number;
       done = shared_->done.load(std::memory_order_acquire)) {
    shared_->done.wait(done, std::memory_order_acquire);
  }
}

}  // namespace lutra
