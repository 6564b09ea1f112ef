// The stub's cards when several programs have them: a file says how much of each card's memory every program has. What
// a program had is free again when it has ended, however it did.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

inline constexpr int kMostCards = 8;

class SharedCards {
 public:
  explicit SharedCards(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0 || ftruncate(file_, sizeof(Table)) != 0) std::abort();
    void* at = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (at == MAP_FAILED) std::abort();
    programs_ = static_cast<Table*>(at)->programs;
    Lock lock(this);
    while (own_ < kMostPrograms && is_alive(programs_[own_].process)) ++own_;
    if (own_ == kMostPrograms) std::abort();
    for (auto& bytes : programs_[own_].bytes) bytes = 0;
    programs_[own_].process = getpid();
  }
  SharedCards(const SharedCards&) = delete;

  std::size_t of_others(int card) const {
    std::size_t sum = 0;
    for (int i = 0; i < kMostPrograms; ++i) {
      if (i != own_ && is_alive(programs_[i].process)) sum += programs_[i].bytes[card];
    }
    return sum;
  }
  void tell(int card, std::size_t bytes) { programs_[own_].bytes[card] = bytes; }

  // While it lives no other program takes memory. Null: there are no others.
  class Lock {
   public:
    explicit Lock(SharedCards* cards) : file_(cards != nullptr ? cards->file_ : -1) {
      if (file_ >= 0) flock(file_, LOCK_EX);
    }
    ~Lock() {
      if (file_ >= 0) flock(file_, LOCK_UN);
    }
    Lock(const Lock&) = delete;

   private:
    int file_;
  };

 private:
  static constexpr int kMostPrograms = 16;
  struct Program {
    std::atomic<int> process;
    std::atomic<std::size_t> bytes[kMostCards];
  };
  struct Table {
    Program programs[kMostPrograms];
  };
  static bool is_alive(int process) { return process != 0 && kill(process, 0) == 0; }

  int file_;
  Program* programs_ = nullptr;
  int own_ = 0;
};
