// Forks of this process: what a device's threads and drivers run stays behind in the parent.
#pragma once

#include <cstdint>
#include <mutex>

namespace lutra {

// How often the process was forked. Counts from the first call on; cheap.
uint64_t count_forks();

// The work of one thread, in pieces that no fork cuts in two: a fork waits for the piece under way (a second at most:
// it may itself wait for who forks), and the next begins when it is over. Else the child could find a lock that the
// piece had taken (the allocator's, a library's) held for ever. It lives on the heap, never on its thread's stack: a
// child has the list of all of them, and gives that stack to other threads.
class UncutWork {
 public:
  UncutWork();
  ~UncutWork();
  UncutWork(const UncutWork&) = delete;

  // A piece must not fork.
  template <class Piece> void run(const Piece& piece) {
    let_forks_pass();
    std::lock_guard lock(piece_);
    piece();
  }

 private:
  static void stop_all();
  static void go_on();
  static void let_forks_pass();

  std::mutex piece_;
  bool is_stopped_ = false;    // by the fork under way
  UncutWork* next_ = nullptr;  // in the list of all of them
  UncutWork** place_ = nullptr;
};

}  // namespace lutra
