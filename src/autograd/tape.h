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

  struct Target {
    const TensorRep* tensor;
    const TensorRep* seed;  // the gradient it starts with, of its shape; null: ones
  };
  // The gradient of the targets' sum by each source, in the source's shape and dtype; nothing where the targets do not
  // depend on it. Fails (FailedPrecondition) when a tape that is not persistent is asked a second time, or closed.
  std::vector<std::optional<Tensor>> gradient(std::span<const Target> targets,
                                              std::span<const TensorRep* const> sources);

 private:
  Context& context_;
  TapeOptions options_;
  Ledger::Tapes bit_;  // 0: closed
  bool recording_ = true;
  bool asked_ = false;
};

// The gradient of a source that the target does not depend on, for those who want one.
Tensor zeros_like(Context& context, const TensorRep& source);

}  // namespace lutra
