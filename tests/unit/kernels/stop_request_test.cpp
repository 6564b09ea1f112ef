// Large products are cut while Ctrl-C may stop them: the result is the same, and a request ends them early.
#include "core/stop_request.h"

#include <atomic>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/gemm/gemm.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// More than 2^30 multiplications; the last range has fewer rows than the others.
constexpr int64_t kRows = 1100, kColumns = 1024, kTerms = 1024;

template <class T> std::vector<T> numbers(int64_t count) {
  std::vector<T> list(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<T>((i * 7 + i / 1024) % 5) - 2;
  return list;
}

template <class T> std::vector<T> product(bool transpose_a) {
  MatMulSizes sizes{};
  sizes.m = kRows;
  sizes.n = kColumns;
  sizes.k = kTerms;
  sizes.transpose_a = transpose_a;
  sizes.lda = transpose_a ? kRows : kTerms;
  sizes.ldb = kColumns;
  const std::vector<T> a = numbers<T>(kRows * kTerms), b = numbers<T>(kTerms * kColumns);
  std::vector<T> c(kRows * kColumns, T(99));
  gemm(sizes, a.data(), b.data(), c.data());
  return c;
}

}  // namespace

// Small whole numbers: every order of the sums is exact.
TEMPLATE_TEST_CASE("a product that is cut is the same", "", float, double, int32_t) {
  for (bool transpose_a : {false, true}) {
    const std::vector<TestType> whole = product<TestType>(transpose_a);
    StopRequest::watch(true);
    const std::vector<TestType> cut = product<TestType>(transpose_a);
    StopRequest::watch(false);
    CHECK(whole == cut);
  }
}

TEST_CASE("a request ends a product, but not one of another thread or a small one") {
  StopRequest::watch(true);
  StopRequest::ask();
  CHECK(product<float>(false).back() == 99);
  const float a = 2, b = 3;
  float c = 0;
  MatMulSizes one{};
  one.m = one.n = one.k = one.lda = one.ldb = 1;
  gemm(one, &a, &b, &c);
  CHECK(c == 6);
  StopRequest::answer();
  CHECK(product<float>(false).back() != 99);
  StopRequest::watch(false);
  StopRequest::ask();
  CHECK(product<float>(false).back() != 99);
  StopRequest::answer();
}

TEST_CASE("a request ends a batch of products, and those that other threads compute") {
  MatMulSizes sizes{};
  sizes.m = sizes.n = sizes.k = 512;  // 2^27 multiplications each
  constexpr int64_t kProducts = 64;
  StopRequest::watch(true);
  std::atomic<int64_t> computed{0};
  auto multiply = [&](int64_t begin, int64_t end) { computed += end - begin; };
  for_products(kProducts, sizes, multiply);
  CHECK(computed == kProducts);

  // The request comes with the first product, on whatever thread.
  computed = 0;
  std::atomic<bool>& flag = StopRequest::flag();
  for_products(kProducts, sizes, [&](int64_t begin, int64_t end) {
    flag = true;
    multiply(begin, end);
  });
  CHECK(computed <= max_threads());
  CHECK(StopRequest::was_heeded());

  parallel_for(kProducts, 1, [&](int64_t, int64_t) {
    if (!StopRequest::is_wanted()) computed = -1;
  });
  CHECK(computed >= 0);
  StopRequest::watch(false);
  parallel_for(kProducts, 1, [&](int64_t, int64_t) {
    if (StopRequest::is_wanted()) computed = -1;
  });
  CHECK(computed >= 0);
}
