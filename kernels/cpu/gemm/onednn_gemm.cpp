// Note [Chunks of a product]
// oneDNN's own threads wait for each other at barriers: on a busy machine a product of 20 us took milliseconds. So each
// call of sgemm uses one thread, and parallel_for's threads claim chunks of the result. sgemm packs what each chunk
// reads, so chunks are large.
//
// Note [Who has the weights]
// A layer's weights are updated, and their gradient is computed, by threads that each take a range of their rows, and
// keep those in the caches of their cores. If each thread computed a range of columns of the layer's own product, half
// of what it reads would be in the other core's cache, and fetching that would cost what the second thread saves. So if
// b fits into those caches and a has few rows, each thread multiplies with its own rows of b, and the sums are added up
// afterwards. 784-128-10 with 32 rows and SGD then takes 83 us a step, and 113 otherwise.
//
// Note [Signals wait for sgemm]
// oneDNN 2.6's sgemm for AVX-512 keeps its stack in memory from malloc. A signal's frame there, of some KB, overwrites
// what is below: a Ctrl-C, a timer or a profiler during a product corrupted the heap. So signals are blocked until a
// product is done, and helpers (core/thread_team.cpp) never get any.
#include "kernels/cpu/gemm/onednn_gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "core/blocked_signals.h"
#include "core/parallel.h"
#include "core/thread_owned.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/gemm/gemm_shares.h"
#include "kernels/cpu/gemm/omp_threads.h"
#include "kernels/cpu/gemm/onednn_memory.h"

namespace lutra {
namespace {

bool call_sgemm(const MatMulSizes& s, const float* a, const float* b, float* c, int64_t ldc) {
  BlockedSignals blocked;  // See Note [Signals wait for sgemm]
  OneOmpThread one;
  return dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', s.m, s.n, s.k, 1.0f, a, s.lda, b, s.ldb, 0.0f,
                    c, ldc) == dnnl_success;
}

// Computes on this thread alone. Rows of c are `ldc` apart. Each kind of product compiles once, one after the other, so
// that the memory found for one is not taken by another (onednn_memory.h).
bool multiply(const MatMulSizes& s, const float* a, const float* b, float* c, int64_t ldc) {
  static std::mutex compiling;
  static std::atomic<unsigned> compiled{0};
  const int kind = (s.transpose_a ? 1 : 0) + (s.transpose_b ? 2 : 0) + (s.m == 1 ? 4 : 0) + (s.n == 1 ? 8 : 0);
  if ((compiled.load(std::memory_order_acquire) >> kind & 1) != 0) return call_sgemm(s, a, b, c, ldc);
  std::lock_guard lock(compiling);
  if (!has_memory_to_compile() || !call_sgemm(s, a, b, c, ldc)) return false;
  compiled.fetch_or(1u << kind, std::memory_order_release);
  return true;
}

// See Note [Chunks of a product]
bool multiply_in_chunks(const MatMulSizes& s, const float* a, const float* b, float* c, int64_t least, int64_t most) {
  constexpr double kLeastChunk = 1 << 20;
  constexpr int64_t kRows = 8, kColumns = 48;  // of a chunk: multiples of sgemm's tiles
  auto wanted = static_cast<int64_t>(multiplications(s) / kLeastChunk);
  Shares chunks(s.m, s.n, std::clamp(wanted, least, most), kRows, kColumns);
  std::atomic<bool> succeeded{true};
  parallel_for(chunks.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      Share chunk = chunks[at];
      MatMulSizes part = s;
      part.m = chunk.rows;
      part.n = chunk.columns;
      const float *rows = a + chunk.i * (s.transpose_a ? 1 : s.lda),
                  *columns = b + chunk.j * (s.transpose_b ? s.ldb : 1);
      if (!multiply(part, rows, columns, c + chunk.i * s.n + chunk.j, s.n)) succeeded = false;
    }
  });
  return succeeded;
}

// The number of chunks that k is cut into, one per thread; 1: cut the result instead.
int64_t parts_of_k(const MatMulSizes& s, int64_t threads) {
  constexpr int64_t kMostRows = 256, kLeastDepth = 256, kMostParts = 8;
  constexpr double kCachedMatrix = 1 << 18;
  bool is_kept = static_cast<double>(s.k) * static_cast<double>(s.n) <= kCachedMatrix;
  if (s.transpose_a || s.transpose_b || s.m > kMostRows || !is_kept) return 1;
  return std::clamp(s.k / kLeastDepth, int64_t{1}, std::min(threads, kMostParts));
}

bool multiply_in_parts(const MatMulSizes& s, const float* a, const float* b, float* c, int64_t parts) {
  // Kept for the next product.
  static ThreadOwned<std::vector<float>> owned;
  std::vector<float>* room = owned.get();
  if (room == nullptr) return false;
  const int64_t size = s.m * s.n;
  try {
    room->resize(static_cast<std::size_t>((parts - 1) * size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  float* sums = room->data();
  std::atomic<bool> succeeded{true};
  parallel_for(parts, 1, [&, sums](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      int64_t first = at * s.k / parts;
      MatMulSizes part = s;
      part.k = (at + 1) * s.k / parts - first;
      if (!multiply(part, a + first, b + first * s.ldb, at == 0 ? c : sums + (at - 1) * size, s.n)) succeeded = false;
    }
  });
  for (int64_t at = 0; at + 1 < parts; ++at) {
    const float* sum = sums + at * size;
    for (int64_t i = 0; i < size; ++i) c[i] += sum[i];
  }
  return succeeded;
}

}  // namespace

bool onednn_gemm(const MatMulSizes& s, Cuts cuts, const float* a, const float* b, float* c) {
  constexpr int64_t kMostEach = 4, kMostBySizes = 8;
  if (cuts == Cuts::BySizes) return multiply_in_chunks(s, a, b, c, 1, kMostBySizes);
  const int64_t threads = multiplications(s) < kSharedProduct ? 1 : max_threads();
  if (int64_t parts = parts_of_k(s, threads); parts > 1) return multiply_in_parts(s, a, b, c, parts);
  if (threads > 1) return multiply_in_chunks(s, a, b, c, threads, kMostEach * threads);
  return multiply(s, a, b, c, s.n);
}

}  // namespace lutra
