// Storages of a host pool whose bytes identify their owner, and a stream whose commands finish when a test says so.
#pragma once

#include <algorithm>
#include <cstring>

#include "device/stream.h"
#include "memory/host_pool.h"

namespace lutra::test {

inline constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

class HeldStream final : public Stream {
 public:
  Ticket submit(void (*)(void*), const void*, std::size_t, void (*)(void*, const void*)) override {
    return Ticket{this, ++tail_};
  }
  Ticket copy(const CopyRequest&, bool) override { return Ticket{this, ++tail_}; }
  void wait_for(Ticket) override {}
  void host_wait(uint64_t seq) override {
    ++waits;
    done_ = std::max(done_, seq);
  }
  bool done(uint64_t seq) override { return seq <= done_; }
  uint64_t tail() const override { return tail_; }

  void finish(uint64_t seq) { done_ = seq; }
  int waits = 0;

 private:
  uint64_t tail_ = 0;
  uint64_t done_ = 0;
};

inline Storage* filled(HostPool& pool, std::size_t bytes, int mark) {
  Storage* storage = pool.allocate(bytes);
  if (storage != nullptr) std::memset(storage->data, mark, bytes);
  return storage;
}

inline bool all(const Storage* storage, int mark) {
  for (std::size_t i = 0; i < storage->bytes; ++i) {
    if (storage->data[i] != static_cast<std::byte>(mark)) return false;
  }
  return true;
}

}  // namespace lutra::test
