// Reductions are fixed trees: the same bits for any number of threads, and for float32 nearly those of a sum in
// float64.

#include "ops/reduce.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/parallel.h"
#include "ops/argmax.h"
#include "ops/kernel.h"
#include "ops/scan.h"
#include "ops/vector_norm.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// Outer, middle and inner axes, of which the middle is taken away; sizes around lanes, runs, blocks and tiles.
struct Case {
  int64_t dims[3];
};
constexpr Case kCases[] = {{{1, 300000, 1}}, {{3, 70001, 1}}, {{700, 33, 1}},   {{9000, 5, 1}},
                           {{1, 40000, 3}},  {{2, 5000, 31}}, {{2, 3001, 600}}, {{1, 7, 60001}}};

class Threads {
 public:
  explicit Threads(int count) { set_max_threads(count); }
  ~Threads() { set_max_threads(0); }
};

// A scan's result has x's shape.
enum class Result { WithoutTheAxis, OfSameShape };

template <class Out, class Attrs>
std::vector<Out> reduce(const char* name, const std::vector<float>& x, const Case& shape, int threads,
                        Result form = Result::WithoutTheAxis) {
  static const OpRegistry ops;
  static const KernelRegistry kernels = [] {
    KernelRegistry all(ops);
    register_all_cpu_kernels(all);
    return all;
  }();
  Threads limit(threads);
  const OpDef& op = ops.get(name);
  Attrs attrs;
  attrs.axis.count = 1;
  attrs.axis.v[0] = 1;
  bool is_scan = form == Result::OfSameShape;
  int64_t out_dims[3] = {shape.dims[0], is_scan ? shape.dims[1] : shape.dims[2], shape.dims[2]};
  std::vector<Out> out(static_cast<std::size_t>(out_dims[0] * out_dims[1] * (is_scan ? out_dims[2] : 1)));
  Array in{const_cast<std::byte*>(reinterpret_cast<const std::byte*>(x.data())),
           shape.dims,
           static_cast<int64_t>(x.size()),
           DType::Float32,
           3,
           false};
  Array result{reinterpret_cast<std::byte*>(out.data()), out_dims, static_cast<int64_t>(out.size()), dtype_of<Out>,
               static_cast<uint8_t>(is_scan ? 3 : 2),    false};
  KernelArgs args{&op, &attrs, &in, &result, nullptr, nullptr, nullptr, 1, 1};
  const KernelEntry& kernel = kernels.find(DeviceType::CPU, op, DType::Float32);
  std::vector<double> scratch(kernel.scratch(args) / sizeof(double) + 1);
  args.scratch = reinterpret_cast<std::byte*>(scratch.data());
  kernel.run(args);
  return out;
}

std::vector<float> values(const Case& shape) {
  std::vector<float> x(static_cast<std::size_t>(shape.dims[0] * shape.dims[1] * shape.dims[2]));
  uint32_t state = 1;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return x;
}

template <class Out, class Attrs> void check_threads(const char* name, Result form = Result::WithoutTheAxis) {
  for (const Case& shape : kCases) {
    std::vector<float> x = values(shape);
    std::vector<Out> one = reduce<Out, Attrs>(name, x, shape, 1, form);
    for (int threads : {2, 3, 8}) {
      std::vector<Out> several = reduce<Out, Attrs>(name, x, shape, threads, form);
      INFO(name << " of " << shape.dims[0] << ", " << shape.dims[1] << ", " << shape.dims[2] << " on " << threads);
      CHECK(std::memcmp(one.data(), several.data(), one.size() * sizeof(Out)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("a reduction gives the same bits on any number of threads", "[reduce]") {
  check_threads<float, ReduceAttrs>("Sum");
  check_threads<float, ReduceAttrs>("Mean");
  check_threads<float, ReduceAttrs>("Max");
  check_threads<float, ReduceAttrs>("Prod");
  check_threads<int64_t, ArgMaxAttrs>("ArgMax");
  check_threads<int64_t, ArgMaxAttrs>("ArgMin");
}

TEST_CASE("variances, logsumexp and norms give the same bits on any number of threads", "[reduce]") {
  check_threads<float, VarAttrs>("Var");
  check_threads<float, VarAttrs>("Std");
  check_threads<float, ReduceAttrs>("Logsumexp");
  check_threads<float, NormAttrs>("Norm");
}

TEST_CASE("running sums and products give the same bits on any number of threads", "[reduce]") {
  check_threads<float, ScanAttrs>("Cumsum", Result::OfSameShape);
  check_threads<float, ScanAttrs>("Cumprod", Result::OfSameShape);
}

TEST_CASE("a float32 sum is within four roundings of the exact one", "[reduce]") {
  for (const Case& shape : kCases) {
    std::vector<float> x = values(shape);
    std::vector<float> got = reduce<float, ReduceAttrs>("Sum", x, shape, 2);
    int64_t n = shape.dims[1], inner = shape.dims[2];
    double worst = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i) {
      double exact = 0;
      for (int64_t r = 0; r < n; ++r)
        exact += static_cast<double>(x[static_cast<std::size_t>((i / inner * n + r) * inner + i % inner)]);
      worst = std::max(worst, std::fabs(static_cast<double>(got[static_cast<std::size_t>(i)]) - exact) / exact);
    }
    INFO(shape.dims[0] << ", " << n << ", " << inner);
    CHECK(worst < 4 * 0x1p-24);
  }
}
