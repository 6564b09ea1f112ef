// What ran while somebody was interested: a record per op with its inputs, outputs and attributes. Tapes are its
// readers: each is a bit, and a record is kept when some input is watched by a tape that records. A tensor knows its
// place by TensorRep::value; nothing points from the ledger to a tensor's owner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "eager/prepare.h"

namespace lutra {

// TensorRep::value of a variable: an identity for its life. Else of a result: its number in the ledger, which no other
// value ever has, and which the ledger may have forgotten; 0: nobody watches.
namespace value_bits {
inline constexpr uint64_t kVariable = uint64_t{1} << 63;
inline constexpr uint64_t kTrainable = uint64_t{1} << 62;
}  // namespace value_bits

inline bool is_variable(const TensorRep& tensor) { return (tensor.value & value_bits::kVariable) != 0; }
inline bool is_trainable(const TensorRep& tensor) { return (tensor.value & value_bits::kTrainable) != 0; }

// An input or output of a recorded op. Shape, dtype and device are always there, the bytes only when saved.
struct Recorded {
  TensorRep tensor;  // without storage unless is_saved
  Scalar number;     // of an input that is a number
  uint64_t value;    // its number in the ledger; 0: not watched
  bool is_saved;
  bool is_number;
};

struct RecordBlock;

struct alignas(16) Record {
  RecordBlock* block;  // that it lies in
  std::size_t bytes;   // that it takes there, with its attributes, inputs and outputs
  const OpDef* op;
  const std::byte* attrs;
  Recorded* in;
  Recorded* out;
  uint64_t tapes;   // that are interested
  uint64_t custom;  // which function of the user's gives its gradients; 0: the op's rule does
  uint16_t device;  // that it ran on
  DType key;
  int n_in;
  int n_out;
};

class Ledger {
 public:
  using Tapes = uint64_t;

  Ledger();
  ~Ledger();
  Ledger(const Ledger&) = delete;

  // Whether somebody wants to be told what runs.
  bool is_recording() const { return (recording_ | watching_variables_) != 0; }

  bool has_room() const { return open_ != ~Tapes{0}; }  // for one more tape
  // A new tape; its bit. One that does not record only notes which variables are used. Fails (ResourceExhausted) when
  // 64 are open.
  Tapes open(bool watches_variables, bool records = true);
  // It records no more; what it has recorded stays.
  void stop(Tapes tape);
  // It records again.
  void resume(Tapes tape, bool watches_variables);
  // From here on these tapes, or all that are open, are told nothing, until as many unpause as pause have been called.
  // Gives those that it is about.
  Tapes pause(Tapes tapes = ~Tapes{0});
  void unpause(Tapes tapes);
  // It lets go of its records. What no tape is interested in any more is forgotten, with the last tape everything.
  void close(Tapes tape);

  // From here on `tape` is interested in what is computed from the tensor.
  void watch(TensorRep& tensor, Tapes tape);
  // While a reader walks the records, they stay where they are.
  void begin_reading() { ++readers_; }
  void end_reading();

  // What a tensor carries that was read from a variable: gradients by it are the variable's.
  uint64_t of_read(const TensorRep& variable);

  // Called after each op while a tape records. Sets the outputs' `value`.
  void record(const Call& call, const Prepared& prepared, TensorRep* const* outs);
  // A function of the user's made `out` of `in`, and another one, known by the number that is given, has the gradients.
  struct Custom {
    Tapes tapes;  // that have recorded it; 0: none was interested
    uint64_t number;
  };
  Custom record_custom(std::span<const TensorRep* const> in, std::span<TensorRep* const> out);
  // The identities of the variables that the tape watches, in the order in which they were made.
  std::vector<uint64_t> variables_of(Tapes tape) const;
  // Lets go of what a record has saved for its rule.
  void drop_saved(Record& record);

  // The number of a tensor's or variable's value; 0 when no tape knows it.
  uint64_t find(const TensorRep& tensor) const;
  uint64_t values_end() const { return next_; }  // one past the last number
  std::size_t records() const { return records_.size(); }
  Record& at(std::size_t i) { return *records_[i]; }
  bool watches(uint64_t value, Tapes tape) const {
    const ValueInfo* info = info_of(value);
    return info != nullptr && (info->tapes & tape) != 0;
  }
  // Where a tape began: what came before is none of its business, but for a few values that it watches.
  struct OpenTape {
    std::size_t first_record = 0;
    uint64_t first_value = 0;
    std::vector<uint64_t> earlier;  // values from before that it watches
    uint64_t serial = 0;            // moves on when the tape is closed, so that the next one of its bit is another
    int pauses = 0;
  };
  const OpenTape& tape(Tapes tape) const { return tapes_[index_of(tape)]; }

  // Bytes of the records and of what they have saved; a storage that two have saved counts twice.
  int64_t held_bytes() const { return held_bytes_; }
  // How many values it remembers, to the size of a chunk.
  std::size_t values_kept() const;

 private:
  // Values by number, in chunks: numbers only grow, and a chunk goes when no tape is interested in any of its values.
  struct ValueInfo {
    Tapes tapes = 0;
    uint64_t variable = 0;  // the identity of the variable it is the value of
  };
  static constexpr int kChunkBits = 9;
  static constexpr uint64_t kChunkValues = uint64_t{1} << kChunkBits;
  struct Chunk {
    ValueInfo infos[kChunkValues];
    int live = 0;  // values some tape is interested in
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
  Tapes active_ = 0, watchers_ = 0;  // that want to record, and to know of variables
  Tapes paused_ = 0;
  // What follows from these.
  Tapes recording_ = 0;
  Tapes watching_variables_ = 0;
  uint64_t last_custom_ = 0;
  int readers_ = 0;
  int64_t held_bytes_ = 0;
  std::vector<OpenTape> tapes_;  // by bit
  uint64_t first_ = 1, next_ = 1;
  uint64_t first_chunk_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;        // from first_chunk_ on; null: forgotten
  std::unordered_map<uint64_t, uint64_t> variables_;  // a variable's identity to its value
  std::vector<Record*> records_;
  std::size_t dead_ = 0;  // records that no tape is interested in
  // Records lie in blocks that are used again.
  RecordBlock* block_ = nullptr;     // where the next one goes
  std::vector<RecordBlock*> empty_;  // blocks without records
};

}  // namespace lutra
