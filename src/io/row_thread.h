// A thread that gathers rows of tensors into batches, in the order requested, while the caller does something else. One
// caller at a time. The thread holds no lock and no reference, and calls none of the caller's functions. The caller
// must keep the memory that a job reads and writes until it has waited for the job, or the RowThread is destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/tensor_file.h"

namespace lutra {

class RowThread {
 public:
  // Rows of `bytes` each, contiguous in memory, or in a file that has_rows().
  struct Column {
    const std::byte* rows;
    std::size_t bytes;
    FileReader* file = nullptr;
  };

  // At most `most` jobs may be queued. The first one starts the thread.
  RowThread(std::vector<Column> columns, std::size_t most);
  ~RowThread();
  RowThread(const RowThread&) = delete;

  bool is_full() const { return submitted_ - taken_ == most_; }
  bool is_empty() const { return submitted_ == taken_; }
  // Copies the rows `places` (from 0) of each column, one after the other, to that column's memory in `to`; null skips
  // the column. Fails (ResourceExhausted) if the system gives no thread.
  void submit(std::vector<int64_t> places, std::vector<std::byte*> to);
  // Waits for the oldest job, and rethrows an error of reading its file. A forked child has no such thread: there the
  // job runs here.
  void wait();

 private:
  struct Shared;
  void start();
  void wait_for_thread(uint64_t number);
  bool is_forked() const;

  const std::size_t most_;
  const uint64_t born_;  // the number of forks at creation
  uint64_t submitted_ = 0, taken_ = 0;
  bool is_started_ = false;
  std::unique_ptr<Shared> shared_;
};

}  // namespace lutra
