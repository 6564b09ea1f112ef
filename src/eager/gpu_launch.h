// The last step of an op on a GPU: its inputs are made ready, what its results depend on is united, its kernel is
// queued.
#pragma once

#include <vector>

#include "eager/context.h"

namespace lutra {

// Where a call's inputs lie on the device that runs it.
struct DeviceInputs {
  const Call& call;
  const LogicalDevice& device;
  const std::vector<Storage*>& fetched;  // copies made for the call: empty, or one an input, null where none was needed

  // Null: input i rides in the arguments.
  Storage* storage(int i) const;
};

// Queues the kernel. args->in and out lie on the device or ride; the outputs take the fault set of what they depend on.
void launch(Context& context, LogicalDevice& device, const DeviceInputs& inputs, const KernelEntry& kernel,
            TensorRep* const* outs, KernelArgs* args);

// Queues a cast of one input, before the kernel that wants it so.
void launch_cast(Context& context, LogicalDevice& device, const DeviceInputs& inputs, const KernelEntry& kernel,
                 const KernelArgs& args);

}  // namespace lutra
