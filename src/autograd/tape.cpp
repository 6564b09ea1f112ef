#include "autograd/tape.h"

#include <utility>

#include "autograd/backward.h"
#include "core/error.h"

namespace lutra {

Tape::Tape(Context& context, TapeOptions options) : context_(context), options_(options), recording_(options.records) {
  // Garbage tapes may still be open.
  if (!context.ledger().has_room() && context.hooks.collect != nullptr) context.hooks.collect(context.hooks.user);
  bit_ = context.ledger().open(options.watch_accessed_variables, options.records);
}

void Tape::watch(TensorRep& tensor) {
  require(is_inexact(tensor.dtype), "watch: tensor is ", tensor.dtype,
          ", expected a float or complex dtype: only functions of these have gradients");
  if (!recording_) fail(ErrorCode::FailedPrecondition, "watch: the tape has stopped recording; open a new one");
  context_.ledger().watch(tensor, bit_);
}

void Tape::stop() {
  if (bit_ != 0) context_.ledger().stop(bit_);
  recording_ = false;
}

void Tape::close() {
  if (bit_ != 0) context_.ledger().close(bit_);
  bit_ = 0;
  recording_ = false;
}

void Tape::reset() {
  if (!recording_) fail(ErrorCode::FailedPrecondition, "reset: the tape has stopped recording; open a new one");
  Ledger& ledger = context_.ledger();
  ledger.close(bit_);
  bit_ = ledger.open(options_.watch_accessed_variables, options_.records);
}

void Tape::require_may_be_asked(const char* who) const {
  if (asked_ && !options_.persistent) {
    fail(ErrorCode::FailedPrecondition, who,
         ": a tape that is not persistent can compute gradients only once; compute all in one call with a list of "
         "sources, or make the tape with {persistent = true}");
  }
  if (bit_ == 0)
    fail(ErrorCode::FailedPrecondition, who, ": the tape is closed; compute gradients before its block ends");
}

void Tape::hold(const char* who) {
  require_may_be_asked(who);
  held_ = true;
  context_.ledger().stop(bit_);
}

void Tape::let_go() {
  held_ = false;
  if (bit_ == 0) return;
  if (options_.persistent) {
    if (recording_) context_.ledger().resume(bit_, options_.watch_accessed_variables);
    return;
  }
  asked_ = true;
  close();
}

std::vector<std::optional<Tensor>> Tape::gradient(std::span<const Target> targets,
                                                  std::span<const TensorRep* const> sources, CustomGradients* custom) {
  require_may_be_asked("gradient");
  // The tape does not record its own backward pass; a tape around it does.
  Ledger& ledger = context_.ledger();
  bool resumes = recording_ && options_.persistent && !held_;
  ledger.stop(bit_);
  Backward backward(context_, bit_, !options_.persistent && !held_, custom);
  struct Finish {
    Tape& tape;
    bool resumes;
    ~Finish() {
      if (tape.bit_ == 0) return;
      if (tape.held_) return;
      if (tape.options_.persistent) {
        if (resumes) tape.context_.ledger().resume(tape.bit_, tape.options_.watch_accessed_variables);
        return;
      }
      tape.asked_ = true;
      tape.close();
    }
  } finish{*this, resumes};
  for (const Target& target : targets) backward.seed(*target.tensor, target.seed);
  return backward.run(sources, std::exchange(listener_, nullptr));
}

}  // namespace lutra
