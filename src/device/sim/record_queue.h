// The commands of one simulated stream, as records of variable length in chunks that never move: a command may point
// into itself. At most one thread pushes and one takes at any time; they share one counter and never wait for each
// other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace lutra {

struct alignas(16) Record {
  void (*run)(void* args);  // null: the queue continues in the next chunk
  void* args;               // aligned to 16 bytes; behind the record, or in a separate block if large
  std::size_t bytes;        // of args, with padding
  int64_t queued_ns;
  int64_t cost_ns;  // the least time it takes
  bool keeps_time;  // whether to note when it runs
};

class RecordQueue {
 public:
  RecordQueue() = default;
  ~RecordQueue();
  RecordQueue(const RecordQueue&) = delete;

  // Reserves a record. The caller fills in its args and then publishes it.
  Record* push(void (*run)(void* args), std::size_t bytes);
  void publish() { pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // The number of records published.
  uint64_t pushed() const { return pushed_.load(std::memory_order_acquire); }
  // Whether the queue holds so much memory that the pusher should let the taker catch up.
  bool is_crowded() const { return held_bytes_.load(std::memory_order_relaxed) > kMostHeldBytes; }

  // The oldest record, or null. It stays in place until pop().
  Record* front();
  void pop();
  bool is_empty() const { return taken_ == pushed(); }

 private:
  struct Chunk;
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
  static constexpr std::size_t kLargeBytes = std::size_t{16} << 10;
  static constexpr std::size_t kMostHeldBytes = std::size_t{64} << 20;
  static constexpr int kMostSpares = 16;

  Record* push_large(void (*run)(void* args), std::size_t bytes);
  void append_chunk();
  void drop_chunk();

  // Used by the pusher.
  Chunk* last_ = nullptr;
  std::byte* write_ = nullptr;
  std::byte* end_ = nullptr;

  alignas(64) std::atomic<uint64_t> pushed_{0};
  std::atomic<std::size_t> held_bytes_{0};

  // Used by the taker.
  alignas(64) uint64_t taken_ = 0;
  Chunk* chunk_ = nullptr;
  std::byte* read_ = nullptr;

  // Chunks for reuse, as a stack. Only the pusher pops, so the compare-and-swap has no ABA problem.
  alignas(64) std::atomic<Chunk*> spares_{nullptr};
  std::atomic<int> n_spares_{0};
};

inline Record* RecordQueue::push(void (*run)(void* args), std::size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > kLargeBytes) [[unlikely]]
    return push_large(run, bytes);
  std::size_t need = sizeof(Record) + bytes;
  // A chunk keeps room for the record that leads to the next chunk.
  if (need + sizeof(Record) > static_cast<std::size_t>(end_ - write_)) [[unlikely]]
    append_chunk();
  Record* record = new (write_) Record{run, write_ + sizeof(Record), bytes, 0, 0, false};
  write_ += need;
  return record;
}

}  // namespace lutra
