// Large convolutions are computed in slabs, between which Ctrl-C ends them. Windows that are products of a column and a
// row are convolved in two steps here; all numbers are small and whole, so every order of the sums is exact.
#include <cstring>
#include <vector>

#include "core/stop_request.h"
#include "ops/conv.h"
#include "ops/kernel.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// More than 2^31 multiplications: several slabs of rows of each image.
constexpr int64_t kImages = 2, kSize = 400, kWindow = 120, kOut = kSize - kWindow + 1;
const int64_t kX[] = {kImages, kSize, kSize, 1}, kW[] = {kWindow, kWindow, 1, 1}, kY[] = {kImages, kOut, kOut, 1};

using Numbers = std::vector<float>;

// -1, 0 or 1.
Numbers numbers(int64_t count, uint32_t state) {
  Numbers list(static_cast<std::size_t>(count));
  for (float& each : list) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<float>(static_cast<int>((state >> 16) % 3) - 1);
  }
  return list;
}

float at(const Numbers& list, int64_t i) { return list[static_cast<std::size_t>(i)]; }

// column[i] row[j] for each image.
Numbers outer(const Numbers& column, const Numbers& row, int64_t images = 1) {
  Numbers made;
  for (int64_t b = 0; b < images; ++b) {
    for (float down : column) {
      for (float across : row) made.push_back(down * across);
    }
  }
  return made;
}

// Each image (size, size): the sums of `column` times rows, then of `row` times columns, at each of (out, out) places.
Numbers sums(const Numbers& x, int64_t size, const Numbers& column, const Numbers& row, int64_t out) {
  Numbers made;
  for (int64_t b = 0; b < kImages; ++b) {
    Numbers rows;
    for (int64_t r = 0; r < out; ++r) {
      for (int64_t c = 0; c < size; ++c) {
        float sum = 0;
        for (std::size_t i = 0; i < column.size(); ++i) {
          sum += column[i] * at(x, (b * size + r + static_cast<int64_t>(i)) * size + c);
        }
        rows.push_back(sum);
      }
    }
    for (int64_t r = 0; r < out; ++r) {
      for (int64_t c = 0; c < out; ++c) {
        float sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * at(rows, r * size + c + static_cast<int64_t>(i));
        made.push_back(sum);
      }
    }
  }
  return made;
}

Numbers run(const char* name, const int64_t* first_dims, const Numbers& first, const int64_t* second_dims,
            const Numbers& second, const int64_t* out_dims) {
  static const OpRegistry ops;
  static const KernelRegistry kernels = [] {
    KernelRegistry all(ops);
    register_all_cpu_kernels(all);
    return all;
  }();
  auto array = [](const Numbers& of, const int64_t* dims) {
    return Array{reinterpret_cast<std::byte*>(const_cast<float*>(of.data())),
                 dims,
                 static_cast<int64_t>(of.size()),
                 DType::Float32,
                 4,
                 false};
  };
  const OpDef& op = ops.get(name);
  const ConvAttrs attrs{};
  Numbers out(static_cast<std::size_t>(out_dims[0] * out_dims[1] * out_dims[2] * out_dims[3]), 99.0f);
  const Array in[] = {array(first, first_dims), array(second, second_dims)}, result = array(out, out_dims);
  KernelArgs args{&op, &attrs, in, &result, nullptr, nullptr, nullptr, 2, 1};
  const KernelEntry& kernel = kernels.find(DeviceType::CPU, op, DType::Float32);
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> scratch(kernel.scratch(args) / sizeof(Line) + 1);
  args.scratch = scratch[0].bytes;
  kernel.run(args);
  return out;
}

const Numbers& column() {
  static const Numbers made = numbers(kWindow, 1);
  return made;
}
const Numbers& row() {
  static const Numbers made = numbers(kWindow, 2);
  return made;
}

}  // namespace

TEST_CASE("a large convolution is the sum that its definition says") {
  const Numbers x = numbers(kImages * kSize * kSize, 3);
  CHECK(run("Conv2D", kX, x, kW, outer(column(), row()), kY) == sums(x, kSize, column(), row(), kOut));
}

TEST_CASE("a large convolution's gradient of x is the same sum of dy with zeros around it, the window reversed") {
  const Numbers dy = numbers(kImages * kOut * kOut, 4);
  constexpr int64_t kWide = kOut + 2 * (kWindow - 1);
  Numbers padded(static_cast<std::size_t>(kImages * kWide * kWide));
  for (int64_t b = 0; b < kImages; ++b) {
    for (int64_t r = 0; r < kOut; ++r) {
      std::memcpy(padded.data() + (b * kWide + r + kWindow - 1) * kWide + kWindow - 1,
                  dy.data() + (b * kOut + r) * kOut, kOut * sizeof(float));
    }
  }
  const Numbers up(column().rbegin(), column().rend()), left(row().rbegin(), row().rend());
  CHECK(run("Conv2DBackpropInput", kY, dy, kW, outer(column(), row()), kX) == sums(padded, kWide, up, left, kSize));
}

TEST_CASE("a large convolution's gradient of its weights is the sum of all slabs") {
  const Numbers x = numbers(kImages * kSize * kSize, 5), down = numbers(kOut, 6), across = numbers(kOut, 7);
  const Numbers each = sums(x, kSize, down, across, kWindow);
  Numbers expected(static_cast<std::size_t>(kWindow * kWindow));
  for (std::size_t i = 0; i < each.size(); ++i) expected[i % expected.size()] += each[i];
  CHECK(run("Conv2DBackpropFilter", kX, x, kY, outer(down, across, kImages), kW) == expected);
}

TEST_CASE("a request ends a large convolution and its gradients") {
  const Numbers x(static_cast<std::size_t>(kImages * kSize * kSize), 1.0f), y(kImages * kOut * kOut, 1.0f);
  const Numbers w(kWindow * kWindow, 1.0f);
  StopRequest::watch(true);
  StopRequest::ask();
  CHECK(run("Conv2D", kX, x, kW, w, kY).back() == 99);
  CHECK(run("Conv2DBackpropInput", kY, y, kW, w, kX).back() == 99);
  CHECK(run("Conv2DBackpropFilter", kX, x, kY, y, kW).back() == 99);
  CHECK(StopRequest::was_heeded());
  StopRequest::watch(false);
  CHECK_FALSE(StopRequest::was_heeded());
}
