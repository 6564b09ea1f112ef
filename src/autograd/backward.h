// One walk over the records of a tape, from the last to the first.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "eager/context.h"
#include "ops/slice.h"

namespace lutra {

class CustomGradients;

class Backward {
 public:
  // `consumes`: what records have saved is let go of in passing.
  Backward(Context& context, Ledger::Tapes tape, bool consumes, CustomGradients* custom);
  ~Backward();
  Backward(const Backward&) = delete;

  // Starts the gradient of `target` with `seed` (ones when null). A target no tape knows adds nothing.
  void seed(const TensorRep& target, const TensorRep* seed);
  std::vector<std::optional<Tensor>> run(std::span<const TensorRep* const> sources);

 private:
  friend class TapeGradient;
  // Where a value's things stand in the lists below; 0 when it is none of this tape's, or came after the walk began.
  std::size_t place_of(uint64_t value) const;
  std::size_t source_place(const TensorRep& source) const;
  // Null: none yet.
  Tensor* gradient_at(std::size_t place) { return slots_[place] != 0 ? &gradients_[slots_[place] - 1] : nullptr; }
  void put_gradient(std::size_t place, Tensor gradient);
  void drop_gradient(std::size_t place);
  // Fails when the walk is not to go on: a finalizer has closed the tape, or the user wants it to end.
  void check_may_go_on() const;
  // Which values depend on a source; and, in uses_, how many ops have taken each of these.
  std::vector<bool> find_needed(std::span<const TensorRep* const> sources);
  void accumulate(std::size_t place, Tensor gradient, LogicalDevice& device);
  // Asks the user's function that a record names.
  void run_custom(const Record& record, const std::vector<bool>& needed);
  // Adds to a part of the gradient of a recorded input.
  void accumulate_part(const Recorded& whole, const SliceAttrs& part, const Tensor& gradient, LogicalDevice& device);
  // Whether a^T b for this place had better wait for others (products.cpp).
  bool gathers(std::size_t place, const TensorRep& a) const;
  void gather_product(std::size_t place, Tensor a, Tensor b, LogicalDevice& device);
  // The transpose of a matrix, where `rows` and others are to be multiplied with it; null where that does not pay.
  const Tensor* transposed(std::size_t place, const Tensor& matrix, const TensorRep& rows, LogicalDevice& device);
  // Adds the products that wait for the gradient of a value, and rounds a sum that is kept in float32. All that a
  // gradient has must be in it when it is read.
  void complete(std::size_t place) {
    if (!products_.empty()) [[unlikely]]
      multiply_gathered(place);
    if (!widened_.empty()) [[unlikely]]
      round_sum(place);
  }
  // The gradient there, to which another is to be added. A sum of many halves is kept in float32: where it has grown,
  // each would be less than half of its last digit.
  Tensor* sum_at(std::size_t place);
  void round_sum(std::size_t place);
  void multiply_gathered(std::size_t place);

  struct Turned {
    Tensor matrix, transpose;
  };
  // Products a^T b that are to be added to one gradient, as one product of all rows.
  struct Products {
    std::vector<Tensor> a, b;
    int64_t rows;
    LogicalDevice* device;
  };

  Context& context_;
  Ledger& ledger_;
  const Ledger::Tapes tape_;
  const bool consumes_;
  CustomGradients* const custom_;
  // The tape's part of the ledger: from where it began to what there was at the start, and what it watches from before.
  const std::size_t first_record_, records_;
  const uint64_t first_value_, values_end_;
  const uint64_t serial_;                // of the tape
  const std::vector<uint64_t> earlier_;  // in order
  std::vector<uint32_t> slots_;          // by place: 1 + where in gradients_; 0: none
  std::vector<Tensor> gradients_;
  std::vector<uint32_t> free_slots_;
  std::vector<Tensor> tensors_;                         // of the rule at work
  std::vector<uint8_t> uses_;                           // by place; 255 stands for more, too
  std::unordered_map<std::size_t, Products> products_;  // by place
  std::unordered_map<std::size_t, Turned> transposed_;  // by place
  std::unordered_map<std::size_t, DType> widened_;      // by place: the dtype that a sum in float32 is rounded to
};

}  // namespace lutra
