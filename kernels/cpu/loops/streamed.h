// Large results, written past the caches: whoever reads them next would not find them there, and what is written
// through a cache is read into it first. Ops compute such a result in blocks beside it, which go there from the first
// cache; so kernels are what they are for small ones.
#pragma once

#include "ops/kernel.h"

namespace lutra {

// From so many bytes on. Measured with a last-level cache of 260 MB: with 40 MB an add takes a third less time, and
// what reads the result next no more than before; with 4 MB that read loses what the write won.
inline constexpr int64_t kStreamedBytes = int64_t{32} << 20;

// The same in elements of type R.
template <class R> inline constexpr int64_t kStreamedSize = kStreamedBytes / static_cast<int64_t>(sizeof(R));

// Runs `run` on blocks of a result so large; false, and nothing done, where an input is neither walked as the result
// is nor one element.
bool run_streamed(const KernelArgs& args, void (*run)(const KernelArgs& args));

// Repeats one element all over a result.
void fill_streamed(const Array& out, const std::byte* element);

}  // namespace lutra
