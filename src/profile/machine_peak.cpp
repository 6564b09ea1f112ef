#include "profile/machine_peak.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lutra {
namespace {

using Vec = float __attribute__((vector_size(64)));
constexpr std::size_t kLanes = sizeof(Vec) / sizeof(float);
constexpr int kChains = 12;  // enough in flight for a latency of four on two units

#if defined(__x86_64__)
// The sanitizers do not work with functions that are chosen while the program loads.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LUTRA_PEAK_CLONES
#else
#define LUTRA_PEAK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

__attribute__((target("avx512f"))) float fma_avx512(long rounds) {
  __m512 sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, term);
  }
  float total = 0;
  for (__m512 sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}

__attribute__((target("avx2,fma"))) float fma_avx2(long rounds) {
  __m256 sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
  }
  float total = 0;
  for (__m256 sum : sums) total += _mm256_cvtss_f32(sum);
  return total;
}
#else
#define LUTRA_PEAK_CLONES
#endif

// Without a fused instruction: a multiplication and an addition.
float fma_plain(long rounds) {
  using Four = float __attribute__((vector_size(16)));
  Four sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = Four{} + static_cast<float>(i);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * 0.999f + 0.001f;
  }
  float total = 0;
  for (const Four& sum : sums) total += sum[0];
  return total;
}

struct Fma {
  float (*run)(long rounds);
  int lanes;
};

Fma choose_fma() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {fma_avx512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {fma_avx2, 8};
#endif
  return {fma_plain, 4};
}

// Of whole vectors; n is their number. Four sums, so that additions do not wait for each other.
LUTRA_PEAK_CLONES float read_all(const Vec* from, std::size_t n) {
  Vec a = {}, b = {}, c = {}, d = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    a += from[i] + from[i + 1];
    b += from[i + 2] + from[i + 3];
    c += from[i + 4] + from[i + 5];
    d += from[i + 6] + from[i + 7];
  }
  for (; i < n; ++i) a += from[i];
  return (a + b + c + d)[0];
}

LUTRA_PEAK_CLONES void write_all(Vec* to, std::size_t n, float value) {
  const Vec filled = Vec{} + value;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; ++i) to[i] = filled;
}

LUTRA_PEAK_CLONES void triad(Vec* to, const Vec* a, const Vec* b, std::size_t n, float factor) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] + b[i] * factor;
}

#if defined(__x86_64__)
// Past the caches: what is written is not read first.
void write_streaming(Vec* to, std::size_t n, float value) {
  auto* at = reinterpret_cast<float*>(to);
  const __m128 filled = _mm_set1_ps(value);
  for (std::size_t i = 0; i < n * kLanes; i += 4) _mm_stream_ps(at + i, filled);
  _mm_sfence();
}

void triad_streaming(Vec* to, const Vec* a, const Vec* b, std::size_t n, float factor) {
  auto* at = reinterpret_cast<float*>(to);
  const auto* x = reinterpret_cast<const float*>(a);
  const auto* y = reinterpret_cast<const float*>(b);
  const __m128 times = _mm_set1_ps(factor);
  for (std::size_t i = 0; i < n * kLanes; i += 4) {
    _mm_stream_ps(at + i, _mm_add_ps(_mm_load_ps(x + i), _mm_mul_ps(_mm_load_ps(y + i), times)));
  }
  _mm_sfence();
}
#endif

// Zeros, in pages of 2 MiB where the system has them, as large tensors are.
class Vectors {
 public:
  explicit Vectors(std::size_t count) {
    std::size_t bytes = (count * sizeof(Vec) + kHugePage - 1) / kHugePage * kHugePage;
    at_ = static_cast<Vec*>(std::aligned_alloc(kHugePage, bytes));
    if (at_ == nullptr) std::abort();
    madvise(at_, bytes, MADV_HUGEPAGE);
    std::memset(at_, 0, bytes);
  }
  ~Vectors() { std::free(at_); }
  Vectors(const Vectors&) = delete;
  Vec* get() const { return at_; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  Vec* at_;
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::atomic<float> g_kept{0};  // so that nothing is left out as unused

// On every thread work(thread), which does `amount` of something, again and again: the best rate of a few pieces.
template <class Work> double best_rate(int threads, double amount, double piece_seconds, const Work& work) {
  constexpr int kPieces = 5;
  std::vector<std::vector<double>> rates(static_cast<std::size_t>(threads));
  std::atomic<int> ready{0};
  auto body = [&](int thread) {
    work(thread);
    double start = seconds();
    work(thread);
    long repeats = std::max(1L, static_cast<long>(piece_seconds / std::max(1e-9, seconds() - start)));
    ++ready;
    while (ready < threads) {
    }
    for (int piece = 0; piece < kPieces; ++piece) {
      start = seconds();
      for (long i = 0; i < repeats; ++i) work(thread);
      rates[static_cast<std::size_t>(thread)].push_back(amount * static_cast<double>(repeats) / (seconds() - start));
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(body, thread);
  body(0);
  for (std::thread& other : others) other.join();
  double best = 0;
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    double all = 0;
    for (const std::vector<double>& rate : rates) all += rate[piece];
    best = std::max(best, all);
  }
  return best;
}

}  // namespace

double peak_gflops(int threads, double piece_seconds) {
  constexpr long kRounds = 100'000;
  const Fma fma = choose_fma();
  double flops = 2.0 * fma.lanes * kChains * kRounds;
  return best_rate(threads, flops, piece_seconds, [&](int) { g_kept = fma.run(kRounds); }) / 1e9;
}

MemoryRates peak_memory_rates(std::size_t elements, int threads, double piece_seconds) {
  const int used = elements < 10'000 ? 1 : threads;
  const std::size_t vectors = std::max<std::size_t>(1, elements / kLanes / static_cast<std::size_t>(used));
  struct Share {
    Vectors to, a, b;
    explicit Share(std::size_t count) : to(count), a(count), b(count) {}
  };
  std::vector<std::unique_ptr<Share>> shares;
  for (int thread = 0; thread < used; ++thread) shares.push_back(std::make_unique<Share>(vectors));
  auto of = [&](int thread) -> Share& { return *shares[static_cast<std::size_t>(thread)]; };
  auto rate = [&](double amount, const auto& work) { return best_rate(used, amount, piece_seconds, work); };
  const auto bytes = static_cast<double>(vectors * sizeof(Vec));
  double read = rate(bytes, [&](int i) { g_kept = read_all(of(i).a.get(), vectors); });
  double write = rate(bytes, [&](int i) { write_all(of(i).to.get(), vectors, 1.5f); });
  double three = rate(3 * bytes, [&](int i) { triad(of(i).to.get(), of(i).a.get(), of(i).b.get(), vectors, 1.5f); });
#if defined(__x86_64__)
  write = std::max(write, rate(bytes, [&](int i) { write_streaming(of(i).to.get(), vectors, 1.5f); }));
  three = std::max(three, rate(3 * bytes, [&](int i) {
                     triad_streaming(of(i).to.get(), of(i).a.get(), of(i).b.get(), vectors, 1.5f);
                   }));
#endif
  return {read / 1e9, write / 1e9, three / 1e9};
}

const MachinePeak& machine_peak(int threads) {
  static std::mutex mutex;
  static std::map<int, MachinePeak> known;
  std::lock_guard lock(mutex);
  auto [found, is_new] = known.try_emplace(threads);
  if (!is_new) return found->second;
  MachinePeak& peak = found->second;
  constexpr double kPieceSeconds = 0.002;
  peak.gflops = peak_gflops(threads, kPieceSeconds);
  std::size_t elements[] = {4'000, 64'000, 1'000'000, 8'000'000};
  for (std::size_t i = 0; i < std::size(elements); ++i) {
    peak.gbps[i] = peak_memory_rates(elements[i], threads, kPieceSeconds).triad;
    peak.up_to_bytes[i] = static_cast<double>(3 * sizeof(float) * elements[i]);
  }
  return peak;
}

double MachinePeak::gbps_for(double bytes) const {
  for (std::size_t i = 0; i < std::size(gbps); ++i) {
    if (bytes <= up_to_bytes[i]) return gbps[i];
  }
  return gbps[std::size(gbps) - 1];
}

}  // namespace lutra
