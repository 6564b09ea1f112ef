// The index arithmetic of CUDA kernels, compiled for the host.
#include "kernels/cuda/index_plan.h"

#include <random>

#include "support/catch.h"

using namespace lutra;
using namespace lutra::cuda;

TEST_CASE("division by a multiplication is division, for all numerators below 2^31", "[cuda]") {
  std::mt19937 random(1);
  std::vector<uint32_t> divisors = {1,   2,   3,     5,     7,     10,       255,           256,
                                    257, 641, 65535, 65536, 65537, 1u << 30, (1u << 31) - 1};
  for (int i = 0; i < 300; ++i) divisors.push_back(random() % ((1u << 31) - 1) + 1);
  for (uint32_t d : divisors) {
    Divider divider(d);
    std::vector<uint32_t> numbers = {0, 1, d - 1, d, (1u << 31) - 1, (1u << 31) - 1 - (1u << 31) % d};
    for (int i = 0; i < 200; ++i) {
      numbers.push_back(random() >> 1);
      numbers.push_back(static_cast<uint32_t>(uint64_t{random()} * d % (1u << 31)));
    }
    for (uint32_t n : numbers) {
      if (n >= 1u << 31) continue;
      if (divider.divide(n) != n / d) {
        INFO(n << " / " << d);
        REQUIRE(divider.divide(n) == n / d);
      }
    }
  }
}

TEST_CASE("units of an output find their inputs' elements as broadcasting says", "[cuda]") {
  struct Case {
    std::vector<int64_t> out, a, b;
  };
  for (const Case& c :
       {Case{{6}, {6}, {1}}, Case{{4, 8}, {4, 8}, {8}}, Case{{4, 8}, {4, 1}, {8}}, Case{{3, 4, 8}, {3, 1, 8}, {4, 8}},
        Case{{5, 3, 2, 12}, {5, 1, 2, 1}, {3, 1, 12}}, Case{{2, 3, 2, 3, 4}, {2, 1, 2, 1, 4}, {1, 3, 1, 3, 1}}}) {
    auto array = [](const std::vector<int64_t>& dims) {
      int64_t size = 1;
      for (int64_t dim : dims) size *= dim;
      return Array{nullptr, dims.data(), size, DType::Float32, static_cast<uint8_t>(dims.size()), false};
    };
    Array out = array(c.out), in[2] = {array(c.a), array(c.b)};
    BroadcastPlan<2> plan(out, in);
    // Where element `at` of the output comes from, axis by axis.
    auto expected = [&](int64_t at, const Array& from) {
      int64_t offset = 0, step = 1, rest = at;
      for (int axis = out.rank - 1; axis >= 0; --axis) {
        int64_t index = rest % out.dims[axis];
        rest /= out.dims[axis];
        int own = axis - (out.rank - from.rank);
        if (own < 0) continue;
        if (from.dims[own] > 1) offset += index * step;
        step *= from.dims[own];
      }
      return offset;
    };
    for (int width : {1, 2, 4}) {
      if (plan.rank > 1 && plan.dims[0] % width != 0) continue;
      IndexPlan<2> units(plan, width);
      for (int64_t unit = 0; unit < out.size / width; ++unit) {
        int64_t offset[2];
        units.offsets(unit, offset);
        CHECK(offset[0] == expected(unit * width, in[0]));
        CHECK(offset[1] == expected(unit * width, in[1]));
      }
    }
  }
}
