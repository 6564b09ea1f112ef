#include "eager/ledger.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lutra {
namespace {

constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kBlocksKept = 64;

}  // namespace

Ledger::Ledger() { values_.push_back({0}); }
Ledger::~Ledger() { forget_all(); }

Ledger::Tapes Ledger::open(bool watches_variables) {
  if (open_ == ~Tapes{0}) {
    fail(ErrorCode::ResourceExhausted,
         "GradientTape: 64 tapes are open already; close those that are not needed: local tape <close> = ...");
  }
  int bit = std::countr_one(open_);
  Tapes tape = Tapes{1} << bit;
  if (tapes_.size() <= static_cast<std::size_t>(bit)) tapes_.resize(static_cast<std::size_t>(bit) + 1);
  OpenTape& entry = opened(tape);
  entry.first_record = records_.size();
  entry.first_value = values();
  entry.earlier.clear();
  open_ |= tape;
  recording_ |= tape;
  if (watches_variables) watching_variables_ |= tape;
  return tape;
}

void Ledger::stop(Tapes tape) {
  recording_ &= ~tape;
  watching_variables_ &= ~tape;
}

void Ledger::resume(Tapes tape, bool watches_variables) {
  recording_ |= tape;
  if (watches_variables) watching_variables_ |= tape;
}

void Ledger::close(Tapes tape) {
  stop(tape);
  open_ &= ~tape;
  if (open_ == 0) {
    if (readers_ > 0) forget_later_ = true;
    else forget_all();
    return;
  }
  // The bit will be another tape's: nothing may remember it.
  OpenTape& entry = opened(tape);
  for (std::size_t i = entry.first_record; i < records_.size(); ++i) {
    records_[i]->tapes &= ~tape;
    if (records_[i]->tapes == 0 && readers_ == 0) drop_saved(*records_[i]);
  }
  for (std::size_t i = entry.first_value; i < values_.size(); ++i) values_[i].tapes &= ~tape;
  for (uint32_t value : entry.earlier) values_[value].tapes &= ~tape;
  entry.earlier.clear();
}

Ledger::OpenTape& Ledger::opened(Tapes tape) { return tapes_[static_cast<std::size_t>(std::countr_zero(tape))]; }

// From here on these tapes are interested in the value.
void Ledger::give(uint32_t value, Tapes tapes) {
  Tapes fresh = tapes & ~values_[value].tapes;
  values_[value].tapes |= tapes;
  for (; fresh != 0; fresh &= fresh - 1) {
    OpenTape& entry = opened(fresh & -fresh);
    if (value < entry.first_value) entry.earlier.push_back(value);
  }
}

void Ledger::end_reading() {
  if (--readers_ > 0 || !forget_later_) return;
  forget_later_ = false;
  if (open_ == 0) forget_all();
}

void Ledger::forget_all() {
  // Freed storages may be large, but freeing runs no script.
  for (Record* record : records_) drop_saved(*record);
  records_.clear();
  values_.resize(1);
  variables_.clear();
  large_.clear();
  if (blocks_.size() > kBlocksKept) blocks_.resize(kBlocksKept);
  block_ = used_ = 0;
  ++serial_;
}

void* Ledger::allocate(std::size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > kBlockBytes) {
    large_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    return large_.back().get();
  }
  if (block_ < blocks_.size() && used_ + bytes > kBlockBytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
  void* place = blocks_[block_].get() + used_;
  used_ += bytes;
  return place;
}

uint32_t Ledger::new_value(Tapes tapes) {
  if (values_.size() > value_bits::kIndexMask) {
    fail(ErrorCode::ResourceExhausted,
         "GradientTape: more results are recorded than tapes can number (2^26); open a tape per step");
  }
  values_.push_back({tapes});
  return static_cast<uint32_t>(values_.size() - 1);
}

uint32_t Ledger::find(const TensorRep& tensor) const {
  if (is_variable(tensor)) {
    auto found = variables_.find(tensor.value);
    return found != variables_.end() ? found->second : 0;
  }
  if (tensor.value >> value_bits::kIndexBits != serial_) return 0;
  return static_cast<uint32_t>(tensor.value & value_bits::kIndexMask);
}

// As find; a trainable variable becomes known by being used.
uint32_t Ledger::of_input(const TensorRep& tensor) {
  if (tensor.value == 0) return 0;
  uint32_t value = find(tensor);
  if (!is_trainable(tensor) || watching_variables_ == 0 || !is_float(tensor.dtype)) return value;
  if (value == 0) {
    value = new_value(0);
    variables_.emplace(tensor.value, value);
  }
  give(value, watching_variables_);
  return value;
}

uint64_t Ledger::of_read(const TensorRep& variable) {
  uint32_t value = is_recording() ? of_input(variable) : 0;
  return value != 0 ? encode(value) : 0;
}

void Ledger::watch(TensorRep& tensor, Tapes tape) {
  uint32_t value = find(tensor);
  if (value == 0) {
    value = new_value(0);
    if (is_variable(tensor)) variables_.emplace(tensor.value, value);
    else tensor.value = encode(value);
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
  }
}

void Ledger::drop_saved(Record& record) {
  auto drop_each = [](Recorded* each, int count) {
    for (int i = 0; i < count; ++i) {
      if (each[i].is_saved) drop(each[i].tensor);
      each[i].is_saved = false;
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
    if (tensor != nullptr && tensor->value != 0) tapes |= values_[of_input(*tensor)].tapes;
  }
  tapes &= recording_;
  if (tapes == 0) return;
  bool any_float = false;
  for (int i = 0; i < prepared.n_out; ++i) any_float |= is_float(outs[i]->dtype);
  if (!any_float) return;

  std::size_t attr_bytes = op.attr_bytes(call.attrs);
  std::size_t entries = static_cast<std::size_t>(call.n_in + prepared.n_out);
  auto* memory = static_cast<std::byte*>(allocate(sizeof(Record) + attr_bytes + entries * sizeof(Recorded)));
  auto* record = new (memory) Record{};
  std::byte* attrs = memory + sizeof(Record);
  op.copy_attrs(attrs, call.attrs);
  record->op = &op;
  record->attrs = attrs;
  record->in = reinterpret_cast<Recorded*>(attrs + attr_bytes);
  record->out = record->in + call.n_in;
  record->tapes = tapes;
  record->device = prepared.device->id;
  record->key = prepared.key;
  records_.push_back(record);
  try {
    fill(*record, call, prepared, outs);
  } catch (...) {
    drop_saved(*record);
    record->tapes = 0;
    throw;
  }
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
    keep(in, *tensor, saved);
  }
  for (; record.n_out < prepared.n_out; ++record.n_out) {
    int i = record.n_out;
    Recorded& out = *new (&record.out[i]) Recorded;
    out.is_number = false;
    out.value = 0;
    if (is_float(outs[i]->dtype)) {
      out.value = new_value(record.tapes);
      outs[i]->value = encode(out.value);
    }
    keep(out, *outs[i], (saves >> (8 + i) & 1) != 0);
  }
}

}  // namespace lutra
