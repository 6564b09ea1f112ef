// Rows of tensors put together in batches on a thread of its own, in the order in which they were asked for, while the
// caller does something else. One caller at a time. The thread holds no lock and no reference and calls nothing of the
// caller's: memory that a job reads and writes is the caller's to keep until the job has been waited for, or the
// RowThread is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/tensor_file.h"

namespace lutra {

class RowThread {
 public:
  // Rows of `bytes` each, one after the other in memory, or in a file that has_rows().
  struct Column {
    const std::byte* rows;
    std::size_t bytes;
    FileReader* file = nullptr;
  };

  // At most `most` jobs wait. The thread starts with the first one.
  RowThread(std::vector<Column> columns, std::size_t most);
  ~RowThread();
  RowThread(const RowThread&) = delete;

  bool is_full() const { return submitted_ - taken_ == most_; }
  bool is_empty() const { return submitted_ == taken_; }
  // Rows `places` (from 0) of each column, one after the other, to the memory of that column; null: not of this one.
  // Fails (ResourceExhausted) when the system gives no thread.
  void submit(std::vector<int64_t> places, std::vector<std::byte*> to);
  // Until the oldest job is done; raises what reading a file for it raised. In a forked child, which has no such
  // thread, the job is done here.
  void wait();

 private:
  struct Shared;
  void start();
  void wait_for_thread(uint64_t number);
  bool is_forked() const;

  const std::size_t most_;
  const uint64_t born_;  // forks of the process by then
  uint64_t submitted_ = 0, taken_ = 0;
  bool is_started_ = false;
  std::unique_ptr<Shared> shared_;
};

}  // namespace lutra
