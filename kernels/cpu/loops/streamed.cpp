#include "kernels/cpu/loops/streamed.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/loops/instructions.h"

namespace lutra {
namespace {

// A block's inputs and result stay in the L1 cache; kernels run so few elements on one thread.
constexpr int64_t kBlockElements = 2048;
constexpr int kMostInputs = 3;

// Streams the whole lines of a result, which is aligned to 64 bytes as all host memory is, and copies the incomplete
// last one.
void stream(std::byte* to, const std::byte* from, int64_t bytes) {
  int64_t lines = bytes / kStreamedLine, whole = lines * kStreamedLine;
  stream_lines(to, from, lines);
  std::memcpy(to + whole, from + whole, static_cast<std::size_t>(bytes - whole));
}

// Calls block(first, n, to, bytes) for the blocks of `out`.
template <class Block> void for_blocks(const Array& out, const Block& block) {
  int64_t element = static_cast<int64_t>(size_of(out.dtype));
  parallel_for(out.size, 8 * kBlockElements, kBlockElements, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kBlockElements) {
      int64_t n = std::min(kBlockElements, end - begin);
      block(begin, n, out.data + begin * element, n * element);
    }
    finish_streaming();
  });
}

bool is_aligned(const Array& out) { return reinterpret_cast<uintptr_t>(out.data) % kStreamedLine == 0; }

}  // namespace

bool run_streamed(const KernelArgs& args, void (*run)(const KernelArgs& args)) {
  const Array& out = args.out[0];
  if (args.n_in > kMostInputs || args.n_out != 1 || !is_aligned(out)) return false;
  auto is_plain = [&](const Array& in) { return in.size == out.size || in.size == 1; };
  if (!std::all_of(args.in, args.in + args.n_in, is_plain)) return false;
  for_blocks(out, [&](int64_t first, int64_t n, std::byte* to, int64_t bytes) {
    alignas(64) std::byte result[kBlockElements * kMostElementBytes];
    Array in[kMostInputs],
        part{.data = result, .dims = &n, .size = n, .dtype = out.dtype, .rank = 1, .immediate = false};
    for (int i = 0; i < args.n_in; ++i) {
      in[i] = args.in[i];
      if (in[i].size == 1) continue;
      in[i].data += first * static_cast<int64_t>(size_of(in[i].dtype));
      in[i].dims = &n;
      in[i].size = n;
      in[i].rank = 1;
    }
    KernelArgs block = args;
    block.in = in;
    block.out = &part;
    run(block);
    stream(to, result, bytes);
  });
  return true;
}

void fill_streamed(const Array& out, const std::byte* element) {
  int64_t size = static_cast<int64_t>(size_of(out.dtype));
  alignas(64) std::byte pattern[kBlockElements * kMostElementBytes];
  for (int64_t i = 0; i < kBlockElements; ++i) std::memcpy(pattern + i * size, element, static_cast<std::size_t>(size));
  for_blocks(out, [&](int64_t, int64_t, std::byte* to, int64_t bytes) { stream(to, pattern, bytes); });
}

}  // namespace lutra
