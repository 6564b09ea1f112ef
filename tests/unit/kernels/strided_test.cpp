#include "kernels/cpu/loops/strided.h"

#include <numeric>
#include <vector>

#include "support/catch.h"

using namespace lutra;

namespace {

// The result of walking 0, 1, 2 ... with the given sizes and steps, outermost first, one element after the other.
template <class E>
std::vector<E> walked(const std::vector<E>& from, const std::vector<int64_t>& dims, const std::vector<int64_t>& steps,
                      int64_t start) {
  std::vector<E> out;
  std::vector<int64_t> index(dims.size());
  int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = start;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) at += index[axis] * steps[axis];
    out.push_back(from[static_cast<std::size_t>(at)]);
    for (std::size_t axis = dims.size(); axis-- > 0 && ++index[axis] == dims[axis];) index[axis] = 0;
  }
  return out;
}

template <class E>
void check(std::size_t size, const std::vector<int64_t>& dims, const std::vector<int64_t>& steps, int64_t start = 0) {
  CAPTURE(sizeof(E), dims, steps);
  std::vector<E> from(size);
  for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<E>(i * 7 + i / 251);
  std::vector<E> expected = walked(from, dims, steps, start);
  std::vector<E> got(expected.size());
  StridedCopy copy;
  for (std::size_t axis = dims.size(); axis-- > 0;) copy.push(dims[axis], steps[axis]);
  copy.run(sizeof(E), reinterpret_cast<const std::byte*>(from.data() + start),
           reinterpret_cast<std::byte*>(got.data()));
  CHECK(got == expected);
}

}  // namespace

TEMPLATE_TEST_CASE("a strided copy takes the elements in order", "[shape]", uint8_t, uint16_t, uint32_t, uint64_t) {
  check<TestType>(1, {}, {});
  check<TestType>(12, {12}, {1});
  check<TestType>(12, {12}, {-1}, 11);
  check<TestType>(20, {4, 3}, {5, 1});      // rows of a wider matrix
  check<TestType>(20, {2, 2}, {10, 2}, 1);  // every second of every second
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{2, 2}, {3, 5}, {4, 4}, {16, 64}, {17, 33}, {130, 257}}) {
    check<TestType>(static_cast<std::size_t>(rows * columns), {columns, rows}, {1, columns});
  }
  check<TestType>(2 * 3 * 4, {4, 3, 2}, {1, 4, 12});
  check<TestType>(2 * 3 * 4, {3, 2, 4}, {4, 12, 1});
  check<TestType>(5 * 6 * 7 * 9, {7, 5, 9, 6}, {9, 378, 1, 63});
  check<TestType>(5 * 6 * 7 * 9, {9, 6, 5, 7}, {1, 63, 378, 9});
  check<TestType>(256, {2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128});
  check<TestType>(200 * 190, {190, 200}, {-1, 190}, 189);
}
