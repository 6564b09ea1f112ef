// What is told of everything that a Context does to tensors' memory, so that it can be done again (graph/recording.h).
// Set by Context::observe; while there is none, nothing is told.
#pragma once

#include "eager/launch.h"
#include "eager/observer.h"

namespace lutra {

// Launches come from Observer::launched: their arrays and attributes are valid only during that call.
class LaunchObserver : public Observer {
 public:
  // `copy` has the bytes of `tensor` on another device: copied now or before.
  virtual void mirrored(const TensorRep& tensor, Storage& copy) = 0;
  // The storage is about to be freed; its memory, and itself, may be used again.
  virtual void freed(const Storage& storage) = 0;
  // The variable is about to take the bytes of `value`.
  virtual void assigned(const TensorRep& variable, const TensorRep& value) = 0;
  // A variable is about to be made. May throw.
  virtual void makes_variable() = 0;
  // A script is about to learn a tensor's value. Throws if it must not.
  virtual void reads_value() = 0;
  // The sequence of random numbers was begun anew.
  virtual void seeded() = 0;
  // What has been done cannot be repeated by its launches, because of `reason`, a clause for users.
  virtual void refuse(const char* reason) = 0;
  // In the launches of `op` that follow, an optimiser's step, the numbers come from the source with this index; -1:
  // they stay as they are.
  virtual void takes_numbers(const OpDef* op, int source) = 0;
};

}  // namespace lutra
