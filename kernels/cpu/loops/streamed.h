// Writes large results past the caches: they would not stay there until they are read, and a write through a cache
// first reads the line into it. Such a result is computed block by block in a buffer that stays in the L1 cache, and
// each block is copied from there. So kernels need no change for large results.
#pragma once

#include "ops/kernel.h"

namespace lutra {

// The size of a large result. Measured with a last-level cache of 260 MB: at 40 MB an add takes a third less time, and
// reading its result next takes no longer; at 4 MB that read loses what the write won.
inline constexpr int64_t kStreamedBytes = int64_t{32} << 20;

// The same in elements of type R.
template <class R> inline constexpr int64_t kStreamedSize = kStreamedBytes / static_cast<int64_t>(sizeof(R));

// Calls `run` on blocks of such a large result. False, and nothing is done, where it cannot: for example, where an
// input has neither the result's size nor one element.
bool run_streamed(const KernelArgs& args, void (*run)(const KernelArgs& args));

// Fills a result with one element.
void fill_streamed(const Array& out, const std::byte* element);

}  // namespace lutra
