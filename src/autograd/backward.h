// One walk over the records of a tape, from the last to the first.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

struct SliceAttrs;

class Backward {
 public:
  // `consumes`: what records have saved is let go of in passing.
  Backward(Context& context, Ledger::Tapes tape, bool consumes);
  ~Backward();
  Backward(const Backward&) = delete;

  // Starts the gradient of `target` with `seed` (ones when null). A target no tape knows adds nothing.
  void seed(const TensorRep& target, const TensorRep* seed);
  std::vector<std::optional<Tensor>> run(std::span<const TensorRep* const> sources);

 private:
  friend class TapeGradient;
  // 0 when the tape does not know it.
  uint32_t source_value(const TensorRep& source) const;
  // Which values a source depends on.
  std::vector<bool> find_needed(std::span<const TensorRep* const> sources) const;
  void accumulate(uint32_t value, Tensor gradient, LogicalDevice& device);
  // Adds to a part of the gradient of a recorded input.
  void accumulate_part(const Recorded& whole, const SliceAttrs& part, const Tensor& gradient, LogicalDevice& device);

  Context& context_;
  Ledger& ledger_;
  const Ledger::Tapes tape_;
  const bool consumes_;
  const std::size_t records_;                     // those there were at the start
  std::vector<std::optional<Tensor>> gradients_;  // by value
  std::vector<Tensor> tensors_;                   // of the rule at work
};

}  // namespace lutra
