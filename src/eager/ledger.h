// What ran while somebody was interested: a record per op with its inputs, outputs and attributes. Tapes are its
// readers: each is a bit, and a record is kept when some input is watched by a tape that records. A tensor knows its
// place by TensorRep::value; nothing points from the ledger to a tensor's owner.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "eager/prepare.h"

namespace lutra {

// TensorRep::value of a variable: an identity for its life. Else of a result: {serial | index}, and good only while the
// ledger's serial is the same; 0: nobody watches.
namespace value_bits {
inline constexpr uint64_t kVariable = uint64_t{1} << 63;
inline constexpr uint64_t kTrainable = uint64_t{1} << 62;
inline constexpr int kIndexBits = 26;
inline constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;
}  // namespace value_bits

inline bool is_variable(const TensorRep& tensor) { return (tensor.value & value_bits::kVariable) != 0; }
inline bool is_trainable(const TensorRep& tensor) { return (tensor.value & value_bits::kTrainable) != 0; }

// An input or output of a recorded op. Shape, dtype and device are always there, the bytes only when saved.
struct Recorded {
  TensorRep tensor;  // without storage unless is_saved
  Scalar number;     // of an input that is a number
  uint32_t value;    // its index in the ledger; 0: not watched
  bool is_saved;
  bool is_number;
};

struct alignas(16) Record {
  const OpDef* op;
  const std::byte* attrs;
  Recorded* in;
  Recorded* out;
  uint64_t tapes;   // that are interested
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

  bool is_recording() const { return recording_ != 0; }

  // A new tape, which records; its bit. Fails (ResourceExhausted) when 64 are open.
  Tapes open(bool watches_variables);
  // It records no more; what it has recorded stays.
  void stop(Tapes tape);
  // It records again.
  void resume(Tapes tape, bool watches_variables);
  // It lets go of its records. With the last tape all is forgotten.
  void close(Tapes tape);

  // From here on `tape` is interested in what is computed from the tensor.
  void watch(TensorRep& tensor, Tapes tape);
  // While a reader walks the records, nothing is forgotten.
  void begin_reading() { ++readers_; }
  void end_reading();

  // What a tensor carries that was read from a variable: gradients by it are the variable's.
  uint64_t of_read(const TensorRep& variable);

  // Called after each op while a tape records. Sets the outputs' `value`.
  void record(const Call& call, const Prepared& prepared, TensorRep* const* outs);
  // Lets go of what a record has saved for its rule.
  static void drop_saved(Record& record);

  // The index of a tensor's or variable's value; 0 when no tape knows it.
  uint32_t find(const TensorRep& tensor) const;
  // What a tensor of this value carries.
  uint64_t value_of(uint32_t index) const { return encode(index); }
  uint32_t values() const { return static_cast<uint32_t>(values_.size()); }  // one past the last index
  std::size_t records() const { return records_.size(); }
  Record& at(std::size_t i) { return *records_[i]; }
  bool watches(uint32_t value, Tapes tape) const { return (values_[value].tapes & tape) != 0; }

 private:
  struct ValueInfo {
    Tapes tapes;
  };
  uint32_t new_value(Tapes tapes);
  uint64_t encode(uint32_t index) const { return serial_ << value_bits::kIndexBits | index; }
  uint32_t of_input(const TensorRep& tensor);
  void* allocate(std::size_t bytes);
  static void keep(Recorded& to, const TensorRep& from, bool saved);
  void fill(Record& record, const Call& call, const Prepared& prepared, TensorRep* const* outs);
  void forget_all();

  // Where a tape began, so that closing it looks at no more than it can have touched.
  struct OpenTape {
    std::size_t first_record = 0;
    uint32_t first_value = 0;
    std::vector<uint32_t> earlier;  // values from before that it watches
  };
  OpenTape& opened(Tapes tape);
  void give(uint32_t value, Tapes tapes);

  Tapes recording_ = 0;
  Tapes open_ = 0;
  Tapes watching_variables_ = 0;  // of those recording
  uint64_t serial_ = 1;
  int readers_ = 0;
  bool forget_later_ = false;
  std::vector<OpenTape> tapes_;    // by bit
  std::vector<ValueInfo> values_;  // entry 0 is nobody's
  std::vector<Record*> records_;
  std::unordered_map<uint64_t, uint32_t> variables_;  // a variable's identity to its value
  // Records lie in blocks that are used again.
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t block_ = 0, used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> large_;  // records that fit no block
};

}  // namespace lutra
