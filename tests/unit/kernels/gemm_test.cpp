#include "kernels/cpu/gemm/gemm.h"

#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <vector>

#include "core/parallel.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// Small integers: every sum is exact in every type, so that results must be equal whatever the order.
template <class T> std::vector<T> numbers(int64_t count, uint32_t seed) {
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& value : out) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<T>(static_cast<int>(seed >> 28) - 8);
  }
  return out;
}

// `gap`: elements between one row and the next of a and b, which belong to neither.
template <class T>
void check_product(int64_t m, int64_t n, int64_t k, bool transpose_a, bool transpose_b, int64_t gap = 0) {
  CAPTURE(m, n, k, transpose_a, transpose_b, gap);
  int64_t lda = (transpose_a ? m : k) + gap, ldb = (transpose_b ? k : n) + gap;
  MatMulSizes sizes{m, n, k, k, lda, ldb, transpose_a, transpose_b};
  std::vector<T> a = numbers<T>((transpose_a ? k : m) * lda, 1), b = numbers<T>((transpose_b ? n : k) * ldb, 2),
                 c(static_cast<std::size_t>(m * n), T(77));
  gemm(sizes, a.data(), b.data(), c.data());
  int64_t wrong = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        T x = a[static_cast<std::size_t>(transpose_a ? p * lda + i : i * lda + p)];
        T y = b[static_cast<std::size_t>(transpose_b ? j * ldb + p : p * ldb + j)];
        sum += x * y;
      }
      wrong += c[static_cast<std::size_t>(i * n + j)] != sum;
    }
  }
  CHECK(wrong == 0);
}

constexpr int64_t kShapes[][3] = {
    {1, 1, 1},     {2, 2, 2},     {2, 2, 3},    {1, 9, 4},     {9, 1, 4},      {5, 4, 0},    {3, 5, 7},
    {16, 16, 16},  {17, 15, 16},  {31, 33, 29}, {1, 700, 300}, {700, 1, 300},  {64, 64, 64}, {65, 257, 130},
    {257, 9, 131}, {7, 600, 129}, {1, 130, 67}, {1, 1, 64},    {1, 1, 1000},   {3, 4, 300},  {1, 1, 9000},
    {4, 24, 11},   {15, 33, 300}, {29, 79, 70}, {14, 48, 513}, {2, 64, 64},    {3, 40, 70},  {300, 1, 90},
    {2, 200, 150}, {64, 3, 3},    {40, 2, 300}, {8, 8, 8},     {130, 150, 256}};

}  // namespace

TEMPLATE_TEST_CASE("gemm is the plain triple loop", "[matmul]", float, double, int32_t, int64_t) {
  for (const auto& [m, n, k] : kShapes) {
    for (int flags = 0; flags < 4; ++flags) check_product<TestType>(m, n, k, (flags & 1) != 0, (flags & 2) != 0);
  }
}

TEMPLATE_TEST_CASE("gemm reads matrices whose rows are apart", "[matmul]", float, double, int32_t, int64_t) {
  for (const auto& [m, n, k] : kShapes) {
    for (int flags = 0; flags < 4; ++flags) check_product<TestType>(m, n, k, (flags & 1) != 0, (flags & 2) != 0, 3);
  }
}

// Large enough for threads, and rows of b that collide in the caches.
TEMPLATE_TEST_CASE("tiles of a wide product", "[matmul]", float, double) {
  check_product<TestType>(50, 2048, 1030, false, false);
}

// Many rows as well: several blocks of rows and what is left at every edge, either operand transposed.
TEMPLATE_TEST_CASE("tiles of a large product", "[matmul]", float, double) {
  for (int threads : {1, 5}) {
    set_max_threads(threads);
    for (int flags = 0; flags < 4; ++flags) {
      bool transpose_a = (flags & 1) != 0, transpose_b = (flags & 2) != 0;
      check_product<TestType>(512, 37, 259, transpose_a, transpose_b, 219);
      check_product<TestType>(301, 27, 513, transpose_a, transpose_b, 229);
      check_product<TestType>(270, 300, 512, transpose_a, transpose_b);  // rows that collide
    }
  }
  set_max_threads(0);
  check_product<TestType>(259, 1100, 385, false, false, 180);
}

TEST_CASE("products of a large transposed matrix", "[matmul]") {
  for (int threads : {1, 3}) {
    set_max_threads(threads);
    for (int64_t gap : {0, 5}) {
      check_product<float>(263, 300, 141, true, false, gap);
      check_product<float>(263, 300, 141, false, true, gap);
      check_product<float>(128, 256, 1024, true, false, gap);
      check_product<float>(256, 1024, 128, false, true, gap);
    }
  }
  set_max_threads(0);
}

// The same bits of a product of dense matrices on one thread and on three.
template <class T> void check_threads(int64_t m, int64_t n, int64_t k) {
  MatMulSizes sizes{m, n, k, k, k, n, false, false};
  std::vector<T> a = numbers<T>(m * k, 3), b = numbers<T>(k * n, 4);
  for (T& x : a) x = 1 / (x + T(9.5));
  for (T& x : b) x = 1 / (x + T(8.3));
  std::vector<T> one(static_cast<std::size_t>(m * n)), three(one);
  set_max_threads(1);
  gemm(sizes, a.data(), b.data(), one.data());
  set_max_threads(3);
  gemm(sizes, a.data(), b.data(), three.data());
  set_max_threads(0);
  CHECK(one == three);
}

TEST_CASE("tiles are the same bits on any number of threads", "[matmul]") {
  check_threads<float>(50, 2048, 1030);
  check_threads<float>(300, 256, 515);
}

TEST_CASE("integers wrap in products", "[matmul]") {
  MatMulSizes sizes{1, 1, 2, 2, 2, 1, false, false};
  int32_t a[] = {INT32_MAX, 1}, b[] = {2, 3}, c[1];
  gemm(sizes, a, b, c);
  CHECK(c[0] == 1);
  int64_t wide_a[] = {INT64_MAX, 1}, wide_b[] = {2, 3}, wide_c[1];
  gemm(sizes, wide_a, wide_b, wide_c);
  CHECK(wide_c[0] == 1);
}

TEST_CASE("float64 products do not depend on the number of threads", "[matmul]") {
  check_threads<double>(150, 90, 210);
  check_threads<double>(90, 150, 210);
  check_threads<double>(600, 300, 512);
  check_threads<double>(300, 1, 700);
  check_threads<double>(2, 500, 700);
  check_threads<double>(3, 700, 64);
}

// See Note [Signals wait for sgemm] in onednn_gemm.cpp.
TEST_CASE("signals during products harm nothing", "[matmul]") {
  static std::atomic<int> ticks{0};
  struct sigaction tick = {}, before = {};
  tick.sa_handler = [](int) { ticks.fetch_add(1, std::memory_order_relaxed); };
  tick.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &tick, &before);
  itimerval often{{0, 200}, {0, 200}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int threads : {1, 2}) {
    set_max_threads(threads);
    for (int64_t size : {100, 300, 600}) {
      const int turns = size < 600 ? 20 : 3;
      for (int turn = 0; turn < turns; ++turn) {
        check_product<float>(size, size, size, turn % 3 == 1, turn % 3 == 2);
      }
    }
  }
  set_max_threads(0);
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  CHECK(ticks > 0);
}
