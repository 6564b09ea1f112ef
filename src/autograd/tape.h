// Records what is computed from variables and watched tensors, and computes its gradients (reverse mode; TensorFlow's
// tf.GradientTape).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

struct TapeOptions {
  bool persistent = false;               // gradient may be called more than once
  bool watch_accessed_variables = true;  // trainable variables are watched when they are used
  bool records = true;                   // false: it only notes which variables are used
};

// Calls users' functions that compute the gradients of their own functions (Ledger::record_custom).
class CustomGradients {
 public:
  // The gradients of the `inputs` inputs that function `number` was recorded with, given those of its results; nullopt
  // for an input without a gradient. May throw anything.
  virtual std::vector<std::optional<Tensor>> call(uint64_t number, std::span<const Tensor> dy, int inputs) = 0;

 protected:
  ~CustomGradients() = default;
};

// Hears of each source's gradient as soon as the rest of the backward pass adds nothing to it.
class GradientListener {
 public:
  virtual void ready(std::size_t source, const Tensor& gradient) = 0;

 protected:
  ~GradientListener() = default;
};

class Tape {
 public:
  Tape(Context& context, TapeOptions options);
  ~Tape() { close(); }
  Tape(const Tape&) = delete;

  // Fails (InvalidArgument) unless the tensor is of a float dtype, (FailedPrecondition) once recording has ended.
  void watch(TensorRep& tensor);
  // Ends the recording. The records stay until gradient or close.
  void stop();
  // Forgets everything.
  void close();
  // Forgets everything and continues to record. Fails (FailedPrecondition) once recording has ended.
  void reset();
  bool is_open() const { return bit_ != 0; }
  bool is_recording() const { return recording_; }
  bool is_persistent() const { return options_.persistent; }
  bool is_held() const { return held_; }
  Ledger::Tapes bit() const { return bit_; }

  // Until let_go, gradient may be called several times, and nothing is recorded. `who` is for errors; fails as gradient
  // does.
  void hold(const char* who);
  void let_go();

  struct Target {
    const TensorRep* tensor;
    const TensorRep* seed;  // the gradient it starts with, of its shape; null: ones
  };
  // The gradient of the targets' sum by each source, in the source's shape and dtype; nullopt if the targets do not
  // depend on the source. Fails (FailedPrecondition) on the second call if the tape is not persistent, and once closed.
  std::vector<std::optional<Tensor>> gradient(std::span<const Target> targets,
                                              std::span<const TensorRep* const> sources, CustomGradients* custom);
  // Who hears of the gradients of the next call.
  void tell(GradientListener* listener) { listener_ = listener; }

 private:
  void require_may_be_asked(const char* who) const;

  Context& context_;
  TapeOptions options_;
  Ledger::Tapes bit_;  // 0: closed
  bool recording_ = true;
  bool asked_ = false;
  bool held_ = false;
  GradientListener* listener_ = nullptr;
};

// Zeros as the gradient of a source that the target does not depend on.
Tensor zeros_like(Context& context, const TensorRep& source);

}  // namespace lutra
