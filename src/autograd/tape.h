// Records what is computed from variables and watched tensors, and gives gradients of it (reverse mode; TensorFlow's
// tf.GradientTape).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

struct TapeOptions {
  bool persistent = false;               // may be asked more than once
  bool watch_accessed_variables = true;  // trainable variables are watched when they are used
  bool records = true;                   // else it only notes which variables are used
};

// Calls the functions that users have given for gradients of their own functions (Ledger::record_custom).
class CustomGradients {
 public:
  // The gradients of what function `number` was recorded with, by those of its results; none where there is none.
  // `inputs` says how many there are. May throw anything.
  virtual std::vector<std::optional<Tensor>> call(uint64_t number, std::span<const Tensor> dy, int inputs) = 0;

 protected:
  ~CustomGradients() = default;
};

class Tape {
 public:
  Tape(Context& context, TapeOptions options);
  ~Tape() { close(); }
  Tape(const Tape&) = delete;

  // Fails (InvalidArgument) unless the tensor is of a float dtype, (FailedPrecondition) once recording has ended.
  void watch(TensorRep& tensor);
  // Ends the recording. What is recorded stays until it is asked, or closed.
  void stop();
  // Forgets everything.
  void close();
  // Forgets everything and goes on recording. Fails (FailedPrecondition) once recording has ended.
  void reset();
  bool is_open() const { return bit_ != 0; }
  bool is_recording() const { return recording_; }
  bool is_persistent() const { return options_.persistent; }
  bool is_held() const { return held_; }
  Ledger::Tapes bit() const { return bit_; }

  // From here to let_go it can be asked several times by `who`, and records nothing. Fails as gradient does.
  void hold(const char* who);
  void let_go();

  struct Target {
    const TensorRep* tensor;
    const TensorRep* seed;  // the gradient it starts with, of its shape; null: ones
  };
  // The gradient of the targets' sum by each source, in the source's shape and dtype; nothing where the targets do not
  // depend on it. Fails (FailedPrecondition) when a tape that is not persistent is asked a second time, or closed.
  std::vector<std::optional<Tensor>> gradient(std::span<const Target> targets,
                                              std::span<const TensorRep* const> sources, CustomGradients* custom);

 private:
  void require_may_be_asked(const char* who) const;

  Context& context_;
  TapeOptions options_;
  Ledger::Tapes bit_;  // 0: closed
  bool recording_ = true;
  bool asked_ = false;
  bool held_ = false;
};

// The gradient of a source that the target does not depend on, for those who want one.
Tensor zeros_like(Context& context, const TensorRep& source);

}  // namespace lutra
