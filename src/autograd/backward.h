// One walk over the records of a tape, from the last to the first.
#pragma once

#include <optional>
#include <span>
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
  // Which values depend on a source.
  std::vector<bool> find_needed(std::span<const TensorRep* const> sources) const;
  void accumulate(std::size_t place, Tensor gradient, LogicalDevice& device);
  // Asks the user's function that a record names.
  void run_custom(const Record& record, const std::vector<bool>& needed);
  // Adds to a part of the gradient of a recorded input.
  void accumulate_part(const Recorded& whole, const SliceAttrs& part, const Tensor& gradient, LogicalDevice& device);

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
  std::vector<Tensor> tensors_;  // of the rule at work
};

}  // namespace lutra
