// The random kernels' numbers as a sample of the distribution they promise. Seeds are fixed, so a test passes or fails
// always; the bounds are those a good generator misses once in a thousand seeds or less.

#include "ops/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "ops/kernel.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr int64_t kCount = 1000000;

template <class T, class Attrs> std::vector<T> sample(const char* name, int64_t count, Attrs attrs) {
  static const OpRegistry ops;
  static const KernelRegistry kernels = [] {
    KernelRegistry all(ops);
    register_all_cpu_kernels(all);
    return all;
  }();
  const OpDef& op = ops.get(name);
  std::vector<T> out(static_cast<std::size_t>(count));
  Array array{reinterpret_cast<std::byte*>(out.data()), &count, count, dtype_of<T>, 1, false};
  kernels.find(DeviceType::CPU, op, dtype_of<T>).run({&op, &attrs, nullptr, &array, nullptr, nullptr, nullptr, 0, 1});
  return out;
}

template <class T> std::vector<T> normal(uint64_t key, int64_t count = kCount, uint64_t counter = 0) {
  NormalAttrs attrs;
  attrs.rng = {key, counter};
  return sample<T>("RandomStandardNormal", count, attrs);
}

template <class T> std::vector<T> uniform(uint64_t key, double low, double high, int64_t count = kCount) {
  UniformAttrs attrs;
  attrs.minval = low;
  attrs.maxval = high;
  attrs.rng = {key, 0};
  return sample<T>("RandomUniform", count, attrs);
}

struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};
template <class T> Moments moments(const std::vector<T>& x) {
  Moments m;
  double n = static_cast<double>(x.size());
  for (T v : x) m.mean += v / n;
  for (T v : x) {
    double d = v - m.mean;
    m.variance += d * d / n;
    m.skewness += d * d * d / n;
    m.kurtosis += d * d * d * d / n;
  }
  m.skewness /= std::pow(m.variance, 1.5);
  m.kurtosis /= m.variance * m.variance;
  return m;
}

// Kolmogorov and Smirnov's statistic times sqrt(n): above 1.95 once in a thousand samples.
template <class T, class Cdf> double distance(std::vector<T> x, const Cdf& cdf) {
  std::sort(x.begin(), x.end());
  double worst = 0, n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double p = cdf(static_cast<double>(x[i]));
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst * std::sqrt(n);
}

template <class T> double correlation(const std::vector<T>& x, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i - lag]);
  return sum / std::sqrt(static_cast<double>(x.size() - lag));
}

}  // namespace

TEMPLATE_TEST_CASE("normal numbers are distributed normally", "[random]", float, double) {
  for (uint64_t key : {uint64_t{1}, uint64_t{0}, ~uint64_t{0}}) {
    std::vector<TestType> x = normal<TestType>(key);
    Moments m = moments(x);
    double sigma = 1 / std::sqrt(static_cast<double>(kCount));
    CHECK(std::abs(m.mean) < 3.3 * sigma);
    CHECK(std::abs(m.variance - 1) < 3.3 * std::sqrt(2.0) * sigma);
    CHECK(std::abs(m.skewness) < 3.3 * std::sqrt(6.0) * sigma);
    CHECK(std::abs(m.kurtosis - 3) < 3.3 * std::sqrt(24.0) * sigma);
    CHECK(distance(x, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }) < 1.95);
    for (std::size_t lag : {1, 2, 3, 4, 256}) CHECK(std::abs(correlation(x, lag)) < 3.5);
    CHECK(*std::max_element(x.begin(), x.end()) > 4);
    CHECK(*std::min_element(x.begin(), x.end()) < -4);
  }
}

TEMPLATE_TEST_CASE("uniform numbers are distributed evenly", "[random]", float, double) {
  std::vector<TestType> x = uniform<TestType>(1, -2, 6);
  CHECK(std::abs(moments(x).mean - 2) < 3.3 * 8 / std::sqrt(12.0 * kCount));
  CHECK(distance(x, [](double v) { return (v + 2) / 8; }) < 1.95);
  CHECK(*std::min_element(x.begin(), x.end()) >= TestType(-2));
  CHECK(*std::max_element(x.begin(), x.end()) < TestType(6));
}

TEST_CASE("uniform bounds hold after rounding", "[random]") {
  // Between 1 and 1 + 2^-22 float32 has three numbers to give.
  for (float x : uniform<float>(3, 1, 1 + 0x1p-22, 1000)) CHECK((x >= 1.0f && x < 1 + 0x1p-22f));
  // 0.7 as float32 lies below 0.7.
  for (float x : uniform<float>(3, 0.7, 0.8, 100000)) {
    if (static_cast<double>(x) < 0.7 || static_cast<double>(x) >= 0.8) FAIL(x);
  }
  // No float32 lies between these two: both become the nearest.
  for (float x : uniform<float>(3, 1 + 0x1p-30, 1 + 0x1p-29, 10)) CHECK(x == 1.0f);
}

TEMPLATE_TEST_CASE("random numbers do not depend on threads, length or where the call begins", "[random]", float,
                   double) {
  set_max_threads(1);
  std::vector<TestType> one = normal<TestType>(5, 100003);
  set_max_threads(4);
  std::vector<TestType> four = normal<TestType>(5, 100003);
  set_max_threads(0);
  CHECK(one == four);
  for (int64_t count : {1, 2, 3, 127, 128, 255, 256, 257, 4097}) {
    std::vector<TestType> part = normal<TestType>(5, count);
    CHECK(std::equal(part.begin(), part.end(), one.begin()));
  }
  // A call whose counter is ten blocks ahead gives the numbers after ten blocks.
  std::vector<TestType> later = normal<TestType>(5, 1000, 10);
  CHECK(std::equal(later.begin(), later.end(), one.begin() + 10 * 16 / (sizeof(TestType) == 4 ? 4 : 8)));
  CHECK(normal<TestType>(6, 1000) != normal<TestType>(5, 1000));
}

TEST_CASE("a counter that passes 2^32 goes on", "[random]") {
  std::vector<float> across = normal<float>(5, 8, 0xffffffff), after = normal<float>(5, 4, 0x100000000);
  CHECK(std::equal(after.begin(), after.end(), across.begin() + 4));
}
