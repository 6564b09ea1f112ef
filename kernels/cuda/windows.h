// Windows that move over images [batch, height, width, channels] on cards: the position of an element, and the elements
// in its window, in the CPU's order (kernels/cpu/pool.cpp).
#pragma once

#include "kernels/cuda/room.h"
#include "ops/conv.h"

namespace lutra::cuda {

struct Place {
  int64_t image, row, column, channel;
};
// For dividing numbers below 2^31: any larger divisor gives the same.
constexpr uint32_t narrow(int64_t size) { return static_cast<uint32_t>(std::min<int64_t>(size, UINT32_MAX)); }
// The position of element `at`.
constexpr Place place_of(int64_t at, int64_t height, int64_t width, int64_t channels) {
  if (at <= INT32_MAX) {  // 32 bits divide quicker
    const uint32_t all = static_cast<uint32_t>(at), c = narrow(channels), w = narrow(width), h = narrow(height);
    const uint32_t place = all / c, line = place / w;
    return {line / h, line % h, place % w, all % c};
  }
  const int64_t place = at / channels, line = place / width;
  return {line / height, line % height, place % width, at % channels};
}

// A pool's windows over elements of T.
template <class T> struct Pooled {
  using C = ComputeType<T>;
  PoolSizes sizes;

  LUTRA_DEVICE Place source(int64_t at) const { return place_of(at, sizes.height.in, sizes.width.in, sizes.channels); }
  LUTRA_DEVICE Place result(int64_t at) const {
    return place_of(at, sizes.height.out, sizes.width.out, sizes.channels);
  }
  // Calls each(element) for the elements in the window of a result.
  template <class Each> LUTRA_DEVICE void for_window(const Place& p, const Each& each) const {
    for (int64_t h = sizes.height.first_place(p.row); h < sizes.height.last_place(p.row); ++h) {
      for (int64_t w = sizes.width.first_place(p.column); w < sizes.width.last_place(p.column); ++w) {
        each(((p.image * sizes.height.in + h) * sizes.width.in + w) * sizes.channels + p.channel);
      }
    }
  }
  LUTRA_DEVICE int64_t window_count(int64_t row, int64_t column) const {
    return (sizes.height.last_place(row) - sizes.height.first_place(row)) *
           (sizes.width.last_place(column) - sizes.width.first_place(column));
  }
  // Calls each(element of the result, row, column) for the windows that contain a position of x.
  template <class Each> LUTRA_DEVICE void for_cover(const Place& p, const Each& each) const {
    for (int64_t row = sizes.height.first_result(p.row); row < sizes.height.last_result(p.row); ++row) {
      for (int64_t column = sizes.width.first_result(p.column); column < sizes.width.last_result(p.column); ++column) {
        each(((p.image * sizes.height.out + row) * sizes.width.out + column) * sizes.channels + p.channel, row, column);
      }
    }
  }
};

// op.run(at) for every element.
template <class Op> LUTRA_GLOBAL void elements_kernel(const Op op, int64_t size) {
  for (int64_t at = thread_index(); at < size; at += thread_count()) op.run(at);
}
template <class Op> void run_elements(const CudaLaunch& on, const Op& op, int64_t size) {
  if (size == 0 || on.error != 0) return;
  launch(on, grid_for(on, size), elements_kernel<Op>, op, size);
}

}  // namespace lutra::cuda
