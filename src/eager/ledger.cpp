#include "eager/ledger.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace lutra {
namespace {

constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kBlocksKept = 64;
// With at most this many dead records, a pass over all records does not pay.
constexpr std::size_t kFewDead = 64;

const OpDef kCustomOp{.name = "CustomGradient"};

}  // namespace

struct alignas(16) RecordBlock {
  std::size_t bytes;  // of room, after this header
  std::size_t used;
  std::size_t records;  // in it

  std::byte* room() { return reinterpret_cast<std::byte*>(this + 1); }
  static RecordBlock* make(std::size_t bytes) {
    void* memory = ::operator new(sizeof(RecordBlock) + bytes);
    return new (memory) RecordBlock{bytes, 0, 0};
  }
  static void free(RecordBlock* block) { ::operator delete(block); }
};

Ledger::Ledger() { empty_.reserve(kBlocksKept); }  // closing a tape must not fail
Ledger::~Ledger() {
  forget_all();
  for (RecordBlock* block : empty_) RecordBlock::free(block);
  if (block_ != nullptr) RecordBlock::free(block_);
}

Ledger::Tapes Ledger::open(bool watches_variables, bool records) {
  if (!has_room()) {
    fail(ErrorCode::ResourceExhausted,
         "GradientTape: 64 tapes are open already; close those that are not needed: local tape <close> = ...");
  }
  int bit = std::countr_one(open_);
  Tapes tape = Tapes{1} << bit;
  if (tapes_.size() <= static_cast<std::size_t>(bit)) tapes_.resize(static_cast<std::size_t>(bit) + 1);
  OpenTape& entry = opened(tape);
  entry.first_record = records_.size();
  entry.first_value = next_;
  entry.earlier.clear();
  entry.pauses = 0;
  open_ |= tape;
  paused_ &= ~tape;
  if (records) active_ |= tape;
  if (watches_variables) watchers_ |= tape;
  find_who_is_told();
  return tape;
}

void Ledger::find_who_is_told() {
  recording_ = active_ & ~paused_;
  watching_variables_ = watchers_ & ~paused_;
  tells_ = is_recording() || has_policy_;
}

void Ledger::stop(Tapes tape) {
  active_ &= ~tape;
  watchers_ &= ~tape;
  find_who_is_told();
}

void Ledger::resume(Tapes tape, bool watches_variables) {
  active_ |= tape;
  if (watches_variables) watchers_ |= tape;
  find_who_is_told();
}

Ledger::Tapes Ledger::pause(Tapes tapes) {
  tapes &= open_;
  for (Tapes left = tapes; left != 0; left &= left - 1) ++opened(left & -left).pauses;
  paused_ |= tapes;
  find_who_is_told();
  return tapes;
}

void Ledger::unpause(Tapes tapes) {
  // A tape that was closed in the meantime, or a new one with its bit, is not paused.
  for (Tapes left = tapes & paused_; left != 0; left &= left - 1) {
    Tapes tape = left & -left;
    if (--opened(tape).pauses == 0) paused_ &= ~tape;
  }
  find_who_is_told();
}

void Ledger::close(Tapes tape) {
  stop(tape);
  open_ &= ~tape;
  paused_ &= ~tape;
  OpenTape& entry = opened(tape);
  ++entry.serial;
  if (open_ == 0 && readers_ == 0) return forget_all();
  // Another tape will reuse the bit, so it must be cleared everywhere.
  for (std::size_t i = entry.first_record; i < records_.size(); ++i) {
    Record& record = *records_[i];
    if ((record.tapes & tape) == 0) continue;
    record.tapes &= ~tape;
    dead_ += record.tapes == 0;
    if (record.tapes == 0 && readers_ == 0) drop_saved(record);
  }
  for (uint64_t value = std::max(entry.first_value, first_); value < next_; ++value) {
    if (info_of(value) != nullptr) set_tapes(value, tapes_of(value) & ~tape);
    else value |= kChunkValues - 1;
  }
  for (uint64_t value : entry.earlier) {
    if (info_of(value) != nullptr) set_tapes(value, tapes_of(value) & ~tape);
  }
  entry.earlier.clear();
  if (readers_ == 0 && dead_ > kFewDead && dead_ > records_.size() / 2) drop_dead_records();
}

std::size_t Ledger::index_of(Tapes tape) { return static_cast<std::size_t>(std::countr_zero(tape)); }

// From here on these tapes watch the value.
void Ledger::give(uint64_t value, Tapes tapes) {
  Tapes fresh = tapes & ~tapes_of(value);
  if (fresh == 0) return;
  for (Tapes left = fresh; left != 0; left &= left - 1) {
    OpenTape& entry = opened(left & -left);
    if (value < entry.first_value) entry.earlier.push_back(value);
  }
  set_tapes(value, tapes_of(value) | fresh);
}

void Ledger::end_reading() {
  if (--readers_ > 0) return;
  if (open_ == 0) forget_all();
  else if (dead_ > 0) drop_dead_records();
}

void Ledger::forget_all() {
  // Freed storages may be large, but freeing runs no script.
  for (Record* record : records_) {
    drop_saved(*record);
    free_record(record);
  }
  records_.clear();
  dead_ = 0;
  variables_.clear();
  first_ = next_;
  // The last chunk has room for more.
  if (chunks_.size() > 1) {
    first_chunk_ += chunks_.size() - 1;
    chunks_.erase(chunks_.begin(), chunks_.end() - 1);
  }
  if (!chunks_.empty()) chunks_.back()->live = 0;
}

// The cost is amortised over the records that died since the last call.
void Ledger::drop_dead_records() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i <= records_.size(); ++i) {
    // A moved first_record cannot match again: `kept` is at most i.
    for (OpenTape& tape : tapes_) {
      if (tape.first_record == i) tape.first_record = kept;
    }
    if (i == records_.size()) break;
    Record* record = records_[i];
    if (record->tapes != 0) {
      records_[kept++] = record;
      continue;
    }
    drop_saved(*record);
    free_record(record);
  }
  records_.resize(kept);
  dead_ = 0;
}

RecordBlock* Ledger::new_block(std::size_t bytes) {
  RecordBlock* block = RecordBlock::make(bytes);
  meter.took_bytes(static_cast<int64_t>(bytes));
  return block;
}

void Ledger::free_block(RecordBlock* block) {
  meter.took_bytes(-static_cast<int64_t>(block->bytes));
  RecordBlock::free(block);
}

Record* Ledger::new_record(std::size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (block_ == nullptr || block_->used + bytes > block_->bytes) {
    RecordBlock* next = nullptr;
    if (bytes > kBlockBytes) {
      next = new_block(bytes);
    } else if (!empty_.empty()) {
      next = empty_.back();
      empty_.pop_back();
    } else {
      next = new_block(kBlockBytes);
    }
    if (block_ != nullptr && block_->records == 0) recycle(block_);
    block_ = next;
  }
  auto* record = new (block_->room() + block_->used) Record{};
  record->block = block_;
  record->bytes = bytes;
  block_->used += bytes;
  ++block_->records;
  held_bytes_ += static_cast<int64_t>(bytes);
  return record;
}

void Ledger::free_record(Record* record) {
  RecordBlock* block = record->block;
  held_bytes_ -= static_cast<int64_t>(record->bytes);
  if (--block->records > 0) return;
  block->used = 0;
  if (block != block_) recycle(block);
}

void Ledger::recycle(RecordBlock* block) {
  if (block->bytes == kBlockBytes && empty_.size() < kBlocksKept) empty_.push_back(block);
  else free_block(block);
}

uint64_t Ledger::new_value(Tapes tapes) {
  uint64_t number = next_ >> kChunkBits;
  if (chunks_.empty()) first_chunk_ = number;
  if (number - first_chunk_ == chunks_.size()) {
    chunks_.push_back(std::make_unique<Chunk>());
    drop_empty_chunks();
  }
  uint64_t value = next_++;
  Chunk& chunk = *chunks_.back();
  chunk.infos[value & (kChunkValues - 1)] = {tapes, 0};
  chunk.live += tapes != 0;
  return value;
}

void Ledger::set_tapes(uint64_t value, Tapes tapes) {
  std::unique_ptr<Chunk>& chunk = chunks_[(value >> kChunkBits) - first_chunk_];
  ValueInfo& info = chunk->infos[value & (kChunkValues - 1)];
  chunk->live += (tapes != 0) - (info.tapes != 0);
  info.tapes = tapes;
  if (tapes != 0) return;
  if (info.variable != 0) variables_.erase(std::exchange(info.variable, 0));
  if (chunk->live > 0 || chunk == chunks_.back()) return;
  chunk.reset();
  drop_empty_chunks();
}

// The last one stays: it is being filled.
void Ledger::drop_empty_chunks() {
  std::size_t last = chunks_.size() - 1;
  if (last > 0 && chunks_[last - 1] != nullptr && chunks_[last - 1]->live == 0) chunks_[last - 1].reset();
  std::size_t gone = 0;
  while (gone < last && chunks_[gone] == nullptr) ++gone;
  if (gone == 0) return;
  chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(gone));
  first_chunk_ += gone;
  first_ = std::max(first_, first_chunk_ << kChunkBits);
}

std::size_t Ledger::values_kept() const {
  std::size_t chunks = 0;
  for (const std::unique_ptr<Chunk>& chunk : chunks_) chunks += chunk != nullptr;
  return chunks * kChunkValues;
}

uint64_t Ledger::find(const TensorRep& tensor) const {
  if (is_variable(tensor)) {
    auto found = variables_.find(tensor.value);
    return found != variables_.end() ? found->second : 0;
  }
  return info_of(tensor.value) != nullptr ? tensor.value : 0;
}

// As find, but the use of a trainable variable adds it to the ledger.
uint64_t Ledger::of_input(const TensorRep& tensor) {
  if (tensor.value == 0) return 0;
  uint64_t value = find(tensor);
  if (!is_trainable(tensor) || watching_variables_ == 0 || !is_inexact(tensor.dtype)) return value;
  if (value == 0) value = of_new_variable(tensor.value);
  give(value, watching_variables_);
  return value;
}

uint64_t Ledger::of_new_variable(uint64_t identity) {
  uint64_t value = new_value(0);
  variables_.emplace(identity, value);
  chunks_.back()->infos[value & (kChunkValues - 1)].variable = identity;
  return value;
}

std::vector<uint64_t> Ledger::variables_of(Tapes tape) const {
  std::vector<uint64_t> found;
  for (const auto& [identity, value] : variables_) {
    if ((tapes_of(value) & tape) != 0) found.push_back(identity);
  }
  // Identities grow with age, apart from the bit kTrainable.
  auto made_before = [](uint64_t a, uint64_t b) {
    return (a & ~value_bits::kTrainable) < (b & ~value_bits::kTrainable);
  };
  std::sort(found.begin(), found.end(), made_before);
  return found;
}

uint64_t Ledger::of_read(const TensorRep& variable) { return is_recording() ? of_input(variable) : 0; }

void Ledger::watch(TensorRep& tensor, Tapes tape) {
  uint64_t value = find(tensor);
  if (value == 0) {
    if (is_variable(tensor)) value = of_new_variable(tensor.value);
    else value = tensor.value = new_value(0);
  }
  give(value, tape);
}

void Ledger::keep(Recorded& to, const TensorRep& from, bool saved) {
  to.is_saved = saved;
  to.tensor = from;
  if (!saved) {
    to.tensor.storage = nullptr;
  } else if (to.tensor.storage != nullptr) {
    to.tensor.storage->retain();
    held_bytes_ += static_cast<int64_t>(to.tensor.nbytes());
  }
}

void Ledger::drop_saved(Record& record) {
  auto drop_each = [this](Recorded* each, int count) {
    for (int i = 0; i < count; ++i) {
      if (!each[i].is_saved) continue;
      each[i].is_saved = false;
      if (each[i].tensor.storage == nullptr) continue;
      held_bytes_ -= static_cast<int64_t>(each[i].tensor.nbytes());
      drop(each[i].tensor);
    }
  };
  drop_each(record.in, record.n_in);
  drop_each(record.out, record.n_out);
}

void Ledger::record(const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  const OpDef& op = *call.op;
  if (op.gradient == nullptr) return;
  Tapes tapes = 0;
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor != nullptr && tensor->value != 0) tapes |= tapes_of(of_input(*tensor));
  }
  tapes &= recording_;
  if (tapes == 0) return;
  bool any_float = false;
  for (int i = 0; i < prepared.n_out; ++i) any_float |= is_inexact(outs[i]->dtype);
  if (!any_float) return;

  std::size_t attr_bytes = op.attr_bytes(call.attrs);
  std::size_t entries = static_cast<std::size_t>(call.n_in + prepared.n_out);
  if (records_.size() == records_.capacity()) records_.reserve(2 * records_.size() + kFewDead);
  Record* record = new_record(sizeof(Record) + attr_bytes + entries * sizeof(Recorded));
  records_.push_back(record);
  record->op = &op;
  record->device = prepared.device->id;
  record->key = prepared.key;
  record->tapes = tapes;
  try {
    auto* attrs = reinterpret_cast<std::byte*>(record + 1);
    op.copy_attrs(attrs, call.attrs);
    record->attrs = attrs;
    record->in = reinterpret_cast<Recorded*>(attrs + attr_bytes);
    record->out = record->in + call.n_in;
    fill(*record, call, prepared, outs);
  } catch (...) {
    drop_saved(*record);
    record->tapes = 0;
    ++dead_;
    throw;
  }
}

Ledger::Custom Ledger::record_custom(std::span<const TensorRep* const> in, std::span<TensorRep* const> out) {
  Tapes tapes = 0;
  for (const TensorRep* tensor : in) {
    if (is_inexact(tensor->dtype)) tapes |= tapes_of(of_input(*tensor));
  }
  tapes &= recording_;
  for (TensorRep* tensor : out) tensor->value = 0;
  if (tapes == 0) return {0, 0};
  if (records_.size() == records_.capacity()) records_.reserve(2 * records_.size() + kFewDead);
  Record* record = new_record(sizeof(Record) + (in.size() + out.size()) * sizeof(Recorded));
  records_.push_back(record);
  record->op = &kCustomOp;
  record->device = out[0]->device;
  record->key = out[0]->dtype;
  record->tapes = tapes;
  record->custom = ++last_custom_;
  record->in = reinterpret_cast<Recorded*>(record + 1);
  record->out = record->in + in.size();
  auto add = [this](Recorded* place, const TensorRep& tensor, uint64_t value) {
    Recorded& recorded = *new (place) Recorded{};
    recorded.value = value;
    keep(recorded, tensor, false);
  };
  for (const TensorRep* tensor : in) {
    uint64_t value = is_inexact(tensor->dtype) ? find(*tensor) : 0;
    add(&record->in[record->n_in++], *tensor, tapes_of(value) != 0 ? value : 0);
  }
  try {
    for (TensorRep* tensor : out) {
      if (is_inexact(tensor->dtype)) tensor->value = new_value(tapes);
      add(&record->out[record->n_out++], *tensor, tensor->value);
    }
  } catch (...) {
    record->tapes = 0;
    ++dead_;
    throw;
  }
  return {tapes, record->custom};
}

void Ledger::fill(Record& record, const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  const uint16_t saves = call.op->saves;
  for (; record.n_in < call.n_in; ++record.n_in) {
    int i = record.n_in;
    Recorded& in = *new (&record.in[i]) Recorded;
    const TensorRep* tensor = call.in[i].tensor;
    in.is_number = tensor == nullptr;
    if (tensor == nullptr) {
      in.is_saved = false;
      in.number = call.in[i].number;
      in.value = 0;
      in.tensor.clear();
      continue;
    }
    bool saved = (saves & kAllX) == kAllX || (i < 4 && (saves >> i & 1) != 0);
    in.value = find(*tensor);
    if (tapes_of(in.value) == 0) in.value = 0;
    keep(in, *tensor, saved);
  }
  for (; record.n_out < prepared.n_out; ++record.n_out) {
    int i = record.n_out;
    Recorded& out = *new (&record.out[i]) Recorded;
    out.is_number = false;
    out.value = 0;
    if (is_inexact(outs[i]->dtype)) {
      out.value = new_value(record.tapes);
      outs[i]->value = out.value;
    }
    keep(out, *outs[i], (saves >> (8 + i) & 1) != 0);
  }
}

}  // namespace lutra
