// Forks of this process. A forked child has none of its parent's threads, and a device's driver does not work in it.
#pragma once

#include <cstdint>
#include <mutex>

namespace lutra {

// The number of forks since the first call, counted in the child: a fork does not change the parent's count. Cheap.
uint64_t count_forks();

// The work of one thread, divided into pieces that no fork interrupts. A fork waits until the current piece has ended,
// and the next piece starts after the fork. Otherwise the child could inherit a lock (the allocator's, a library's)
// that the piece held and that nobody will ever release. The wait is at most a second, because the piece may itself
// wait for the forking thread. Objects live on the heap, never on their thread's stack: the child still has the list of
// all of them, but reuses that stack for other threads.
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
  bool is_stopped_ = false;    // by the current fork
  UncutWork* next_ = nullptr;  // in the list of all objects
  UncutWork** place_ = nullptr;
};

}  // namespace lutra
