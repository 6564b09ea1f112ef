// Copies a whole tensor, as it is or converted to another dtype.
#pragma once

#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

// Bytes from which a second thread pays off when they are only copied.
inline constexpr int64_t kCopyGrain = 1 << 18;

// Input 0 as it is.
inline void run_copy(const KernelArgs& args) {
  int64_t bytes = args.out[0].size * static_cast<int64_t>(size_of(args.out[0].dtype));
  if (bytes > 0) copy_bytes(args.out[0].data, args.in[0].data, bytes);
}

// Input 0 in the dtype of the output.
inline void run_convert(const KernelArgs& args) {
  const Array& in = args.in[0];
  const Array& out = args.out[0];
  if (out.bytes() >= kStreamedBytes && run_streamed(args, run_convert)) return;
  parallel_for(in.size, kCheapGrain, [&](int64_t begin, int64_t end) {
    convert_elements(out.dtype, out.data + static_cast<std::size_t>(begin) * size_of(out.dtype), in.dtype,
                     in.data + static_cast<std::size_t>(begin) * size_of(in.dtype), end - begin);
  });
}

}  // namespace lutra
