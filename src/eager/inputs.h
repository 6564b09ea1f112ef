// The inputs of a call on its device: those that live elsewhere are fetched, and the kernel's view of them all is made.
// See Note [Order within one op] in bind.cpp.
#pragma once

#include <vector>

#include "eager/call_arrays.h"
#include "eager/context.h"
#include "eager/prepare.h"

namespace lutra {

class Inputs {
 public:
  Inputs(Context& context, Call& call, const Prepared& prepared)
      : context_(context), call_(call), prepared_(prepared), device_(*prepared.device) {}

  // Fetches those that live elsewhere. Allocates, and so may run finalizers.
  void fetch();
  // Calls `steps`, which fetches, again until no finalizer has assigned a variable meanwhile, so that the op sees one
  // value of each variable.
  template <class Steps> void settle(Steps&& steps) {
    for (int round = 0; round < kMostRounds; ++round) {
      const uint64_t epoch = context_.runtime().epoch;
      steps();
      if (context_.runtime().epoch == epoch) [[likely]]
        return;
    }
    fail_unsettled();
  }
  // Fetches one tensor. The storage is kept as long as this object.
  Storage* fetch(const TensorRep& tensor, bool* was_copied);
  // Writes the kernel's view of each input, and the storage that it lies in, to `arrays`. Returns how many must be
  // cast.
  int take_addresses(Arrays& arrays) const;
  // Input i as a tensor on the device. Its `value` is 0 unless the gradient goes through the inner ops.
  Tensor as_tensor(int i);

  // Keeps memory as long as this object. Takes over one counted reference.
  Storage* keep(Storage* storage) { return held_.keep(storage); }
  // Whether input i keeps its own dtype, and is never cast.
  bool keeps_dtype(int i) const { return (prepared_.op->input(i).flags & kOwnDType) != 0; }
  bool is_cast(int i, const Array& array) const { return array.dtype != prepared_.key && !keeps_dtype(i); }
  bool has_variable() const;
  // The copies that were made; recorded only while something listens to the placement log, or for a big result.
  const std::vector<CopyEvent>& copies() const { return copies_; }

 private:
  static constexpr int kMostRounds = 8;  // a finalizer that assigns at every collection is the script's mistake
  [[noreturn]] void fail_unsettled() const;
  bool passed_in_arguments(const TensorRep& tensor) const;
  bool makes_big_result() const;
  Storage* fetched(int i) const { return fetched_.empty() ? nullptr : fetched_[static_cast<std::size_t>(i)]; }

  Context& context_;
  Call& call_;
  const Prepared& prepared_;
  LogicalDevice& device_;
  Held held_;
  std::vector<Storage*> fetched_;  // empty, or one an input
  std::vector<CopyEvent> copies_;
};

}  // namespace lutra
