#include "device/sim/record_queue.h"

#include <memory>

namespace lutra {

struct alignas(16) RecordQueue::Chunk {
  Chunk* next;
  std::byte* first() { return reinterpret_cast<std::byte*>(this + 1); }
};

namespace {

bool is_large(const Record* record) { return record->args != record + 1; }

}  // namespace

RecordQueue::~RecordQueue() {
  while (front() != nullptr) pop();
  for (Chunk* list : {chunk_, spares_.load()}) {
    while (list != nullptr) {
      Chunk* next = list->next;
      ::operator delete(list);
      list = next;
    }
  }
}

Record* RecordQueue::push_large(void (*run)(void* args), std::size_t bytes) {
  struct Free {
    void operator()(void* block) const { ::operator delete(block); }
  };
  std::unique_ptr<void, Free> block(::operator new(bytes));
  Record* record = push(run, 0);
  held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  record->args = block.release();
  record->bytes = bytes;
  return record;
}

void RecordQueue::append_chunk() {
  Chunk* chunk = spares_.load(std::memory_order_acquire);
  while (chunk != nullptr && !spares_.compare_exchange_weak(chunk, chunk->next, std::memory_order_acquire)) {
  }
  if (chunk != nullptr) {
    n_spares_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    chunk = static_cast<Chunk*>(::operator new(kChunkBytes));
  }
  new (chunk) Chunk{nullptr};
  held_bytes_.fetch_add(kChunkBytes, std::memory_order_relaxed);
  if (last_ != nullptr) {
    new (write_) Record{};
    last_->next = chunk;
  } else {  // nothing is published yet, so the taker has not read these
    chunk_ = chunk;
    read_ = chunk->first();
  }
  last_ = chunk;
  write_ = chunk->first();
  end_ = reinterpret_cast<std::byte*>(chunk) + kChunkBytes;
}

void RecordQueue::drop_chunk() {
  Chunk* old = chunk_;
  chunk_ = old->next;
  read_ = chunk_->first();
  held_bytes_.fetch_sub(kChunkBytes, std::memory_order_relaxed);
  if (n_spares_.load(std::memory_order_relaxed) >= kMostSpares) {
    ::operator delete(old);
    return;
  }
  n_spares_.fetch_add(1, std::memory_order_relaxed);
  old->next = spares_.load(std::memory_order_relaxed);
  while (!spares_.compare_exchange_weak(old->next, old, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

Record* RecordQueue::front() {
  if (is_empty()) return nullptr;
  if (reinterpret_cast<Record*>(read_)->run == nullptr) drop_chunk();
  return reinterpret_cast<Record*>(read_);
}

void RecordQueue::pop() {
  const Record* record = reinterpret_cast<Record*>(read_);
  ++taken_;
  read_ += sizeof(Record);
  if (!is_large(record)) {
    read_ += record->bytes;
    return;
  }
  held_bytes_.fetch_sub(record->bytes, std::memory_order_relaxed);
  ::operator delete(record->args);
}

}  // namespace lutra
