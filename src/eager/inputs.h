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
  // The same until no finalizer assigns a variable meanwhile, so that the op sees one value of it.
  void fetch_settled();
  // Fetches one tensor. The storage is kept as long as this object. `made`: whether it had to be copied.
  Storage* fetch(const TensorRep& tensor, bool* made);
  // Writes the kernel's view of each input, and the storage that it lies in, to `arrays`. Returns how many must be
  // cast.
  int take_addresses(Arrays& arrays) const;
  // Input i as a tensor on the device. What nobody watches has no value to be recorded.
  Tensor held(int i);

  // Keeps memory as long as this object. Takes over one counted reference.
  Storage* keep(Storage* storage) { return held_.keep(storage); }
  // Whether input i keeps its own dtype, and is never cast.
  bool is_own(int i) const { return (prepared_.op->input(i).flags & kOwnDType) != 0; }
  bool is_cast(int i, const Array& array) const { return array.dtype != prepared_.key && !is_own(i); }
  bool has_variable() const;
  // Those that were made, if somebody listens.
  const std::vector<CopyEvent>& copies() const { return copies_; }

  static constexpr int kMostRounds = 8;  // a finalizer that assigns at every collection is the script's mistake
  [[noreturn]] void fail_unsettled() const;

 private:
  bool rides(const TensorRep& tensor) const;
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
