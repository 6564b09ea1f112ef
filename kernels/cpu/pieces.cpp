// Split and unstack along an axis on the CPU.

#include "ops/pieces.h"

#include "kernels/cpu/loops/strided.h"
#include "ops/axes.h"

namespace lutra {
namespace {

// Copies a range of an axis of x.
void run_piece(const KernelArgs& args, const Axes& axes, const Part& part) {
  const Array& x = args.in[0];
  if (args.out[0].size == 0) return;
  auto [outer, size, inner] = Extent::around(x.dims, x.rank, axis_of(axes, x.rank, 0));
  std::size_t element = size_of(x.dtype);
  StridedCopy copy;
  copy.push(inner * part.size, 1);
  copy.push(outer, inner * size);
  copy.run(element, x.data + part.first * inner * static_cast<int64_t>(element), args.out[0].data);
}

void run_split(const KernelArgs& args) {
  const SplitAttrs& attrs = args.as<SplitAttrs>();
  run_piece(args, attrs.axis, attrs.part);
}

void run_unstack(const KernelArgs& args) {
  const UnstackAttrs& attrs = args.as<UnstackAttrs>();
  run_piece(args, attrs.axis, attrs.part);
}

}  // namespace

void register_pieces_cpu(KernelRegistry& kernels) {
  kernels.add("Split", DeviceType::CPU, kEveryDType, {.run = run_split});
  kernels.add("Unpack", DeviceType::CPU, kEveryDType, {.run = run_unstack});
}

}  // namespace lutra
