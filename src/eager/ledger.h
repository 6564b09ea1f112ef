// What ran while tapes recorded: one record per op, with its inputs, outputs and attributes. Tapes read it. A tape is a
// bit; a record is kept if a recording tape watches one of its inputs. TensorRep::value identifies a tensor in the
// ledger; the ledger does not point to a tensor's owner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eager/prepare.h"

namespace lutra {

// TensorRep::value is, for a variable, its identity for life; for any other tensor, its number in the ledger, or 0 if
// no tape watches it. A number is never reused; the ledger may have forgotten it.
namespace value_bits {
inline constexpr uint64_t kVariable = uint64_t{1} << 63;
inline constexpr uint64_t kTrainable = uint64_t{1} << 62;
}  // namespace value_bits

inline bool is_variable(const TensorRep& tensor) { return (tensor.value & value_bits::kVariable) != 0; }
inline bool is_trainable(const TensorRep& tensor) { return (tensor.value & value_bits::kTrainable) != 0; }

// An input or output of a recorded op. Shape, dtype and device are always valid, the bytes only if saved.
struct Recorded {
  TensorRep tensor;  // without storage unless is_saved
  Scalar number;     // if is_number
  uint64_t value;    // its number in the ledger; 0: not watched
  bool is_saved;
  bool is_number;
};

struct RecordBlock;

struct alignas(16) Record {
  RecordBlock* block;  // that contains it
  std::size_t bytes;   // of the block that it takes, with its attributes, inputs and outputs
  const OpDef* op;
  const std::byte* attrs;
  Recorded* in;
  Recorded* out;
  uint64_t tapes;   // that keep it
  uint64_t custom;  // the number of the user's function that computes its gradients; 0: the op's rule does
  uint16_t device;  // that it ran on
  DType key;
  int n_in;
  int n_out;
};

// Hears of the memory that records take, of tapes and of graphs, where it has a limit. Not of the tensors they hold.
struct RecordMeter {
  // bytes: negative if they are freed. False once a limit is passed. Null: there is no limit.
  bool (*took)(void* user, int64_t bytes) = nullptr;
  void* user = nullptr;

  bool took_bytes(int64_t bytes) const { return took == nullptr || took(user, bytes); }
};

// Bytes that a RecordMeter was told of, until this is destroyed.
class MeteredBytes {
 public:
  MeteredBytes() = default;
  MeteredBytes(MeteredBytes&& other) noexcept : meter_(other.meter_), bytes_(std::exchange(other.bytes_, 0)) {}
  MeteredBytes& operator=(MeteredBytes&& other) noexcept {
    std::swap(meter_, other.meter_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MeteredBytes() {
    if (bytes_ != 0) meter_->took_bytes(-bytes_);
  }
  // All with the same meter, which must live as long. False once a limit is passed.
  bool add(const RecordMeter& meter, int64_t bytes) {
    meter_ = &meter;
    bytes_ += bytes;
    return meter.took_bytes(bytes);
  }

 private:
  const RecordMeter* meter_ = nullptr;
  int64_t bytes_ = 0;
};

class Ledger {
 public:
  using Tapes = uint64_t;

  Ledger();
  ~Ledger();
  Ledger(const Ledger&) = delete;

  // Before anything is recorded.
  RecordMeter meter;

  // Whether some tape wants to know which ops run.
  bool is_recording() const { return (recording_ | watching_variables_) != 0; }
  // Whether the executor must report which op has run, to a tape or to the Context's PlacementPolicy.
  bool tells() const { return tells_; }
  void tell_policy(bool on) {
    has_policy_ = on;
    find_who_is_told();
  }

  bool has_room() const { return open_ != ~Tapes{0}; }  // for one more tape
  // Opens a tape and returns its bit. One with `records` false only notes which variables are used. Fails
  // (ResourceExhausted) if 64 are open.
  Tapes open(bool watches_variables, bool records = true);
  // Ends the recording; the records stay.
  void stop(Tapes tape);
  // Records again.
  void resume(Tapes tape, bool watches_variables);
  // Pauses these tapes, or all open ones, until unpause has been called as often as pause. Returns the paused tapes.
  Tapes pause(Tapes tapes = ~Tapes{0});
  void unpause(Tapes tapes);
  // Closes a tape. Forgets records and values that no other tape needs; with the last tape, everything.
  void close(Tapes tape);

  // From here on `tape` records what is computed from the tensor.
  void watch(TensorRep& tensor, Tapes tape);
  // Between these, records are neither moved nor freed.
  void begin_reading() { ++readers_; }
  void end_reading();

  // The `value` of a tensor that was read from a variable: gradients by the tensor are gradients by the variable.
  uint64_t of_read(const TensorRep& variable);

  // Called after each op while a tape records. Sets the outputs' `value`.
  void record(const Call& call, const Prepared& prepared, TensorRep* const* outs);
  // Records that a user's function computed `out` from `in`; another function, identified by the returned number,
  // computes its gradients.
  struct Custom {
    Tapes tapes;  // that have recorded it; 0: none
    uint64_t number;
  };
  Custom record_custom(std::span<const TensorRep* const> in, std::span<TensorRep* const> out);
  // The identities of the variables that the tape watches, in the order in which they were made.
  std::vector<uint64_t> variables_of(Tapes tape) const;
  // Releases the tensors that a record has saved for its rule.
  void drop_saved(Record& record);

  // The number of a tensor's or variable's value; 0 if no tape watches it.
  uint64_t find(const TensorRep& tensor) const;
  uint64_t values_end() const { return next_; }  // one past the last number
  std::size_t records() const { return records_.size(); }
  Record& at(std::size_t i) { return *records_[i]; }
  bool watches(uint64_t value, Tapes tape) const {
    const ValueInfo* info = info_of(value);
    return info != nullptr && (info->tapes & tape) != 0;
  }
  // Where a tape began. It ignores what came before, except for the values in `earlier`.
  struct OpenTape {
    std::size_t first_record = 0;
    uint64_t first_value = 0;
    std::vector<uint64_t> earlier;  // watched values from before
    uint64_t serial = 0;            // incremented by close, to tell apart tapes that use the same bit
    int pauses = 0;
  };
  const OpenTape& tape(Tapes tape) const { return tapes_[index_of(tape)]; }

  // Bytes of the records and the tensors they have saved; a storage saved by two records counts twice.
  int64_t held_bytes() const { return held_bytes_; }
  // How many values it remembers, rounded up to whole chunks.
  std::size_t values_kept() const;

 private:
  // Values by number, in chunks. Numbers only grow; a chunk is freed when no tape watches any of its values.
  struct ValueInfo {
    Tapes tapes = 0;
    uint64_t variable = 0;  // the identity of its variable, or 0
  };
  static constexpr int kChunkBits = 9;
  static constexpr uint64_t kChunkValues = uint64_t{1} << kChunkBits;
  struct Chunk {
    ValueInfo infos[kChunkValues];
    int live = 0;  // values that some tape watches
  };
  // Null: forgotten.
  const ValueInfo* info_of(uint64_t value) const {
    if (value < first_ || value >= next_) return nullptr;
    const Chunk* chunk = chunks_[(value >> kChunkBits) - first_chunk_].get();
    return chunk != nullptr ? &chunk->infos[value & (kChunkValues - 1)] : nullptr;
  }
  Tapes tapes_of(uint64_t value) const {
    const ValueInfo* info = info_of(value);
    return info != nullptr ? info->tapes : 0;
  }
  uint64_t new_value(Tapes tapes);
  void set_tapes(uint64_t value, Tapes tapes);
  void drop_empty_chunks();
  uint64_t of_input(const TensorRep& tensor);
  uint64_t of_new_variable(uint64_t identity);
  void give(uint64_t value, Tapes tapes);

  RecordBlock* new_block(std::size_t bytes);
  void free_block(RecordBlock* block);
  Record* new_record(std::size_t bytes);
  void free_record(Record* record);
  void recycle(RecordBlock* block);
  void keep(Recorded& to, const TensorRep& from, bool saved);
  void fill(Record& record, const Call& call, const Prepared& prepared, TensorRep* const* outs);
  void forget_all();
  void drop_dead_records();
  static std::size_t index_of(Tapes tape);
  OpenTape& opened(Tapes tape) { return tapes_[index_of(tape)]; }

  void find_who_is_told();

  Tapes open_ = 0;
  Tapes active_ = 0, watchers_ = 0;  // tapes that record, and that watch variables, unless paused
  Tapes paused_ = 0;
  // The same without paused tapes.
  Tapes recording_ = 0;
  Tapes watching_variables_ = 0;
  bool has_policy_ = false;
  bool tells_ = false;
  uint64_t last_custom_ = 0;
  int readers_ = 0;
  int64_t held_bytes_ = 0;
  std::vector<OpenTape> tapes_;  // by bit
  uint64_t first_ = 1, next_ = 1;
  uint64_t first_chunk_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;        // from first_chunk_ on; null: forgotten
  std::unordered_map<uint64_t, uint64_t> variables_;  // a variable's identity to its value
  std::vector<Record*> records_;
  std::size_t dead_ = 0;  // records that no tape keeps
  // Records are allocated in blocks, which are reused.
  RecordBlock* block_ = nullptr;     // the one being filled
  std::vector<RecordBlock*> empty_;  // blocks without records
};

}  // namespace lutra
