// Convolutions by cuDNN, called through CudaHost, where cuDNN can compute them; others are computed as in conv.cu.
// cuDNN's weights are [out, height, width, in], so ours, or those that it returns, are transposed.
#pragma once

#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/room.h"
#include "kernels/cuda/strided.h"
#include "kernels/element/element.h"
#include "ops/conv.h"

namespace lutra::cuda {

inline ConvolutionAxis axis_of(const WindowAxis& axis) {
  return {axis.in, axis.out, axis.size, axis.stride, axis.dilation, axis.before};
}

// The roles of the op's arrays in a convolution.
struct ConvolutionArrays {
  const Array &x, &w, &y;

  static ConvolutionArrays of(const KernelArgs& args, ConvolutionKind kind) {
    switch (kind) {
      case ConvolutionKind::Forward: return {args.in[0], args.in[1], args.out[0]};
      case ConvolutionKind::Input: return {args.out[0], args.in[1], args.in[0]};
      default: return {args.in[0], args.out[0], args.in[1]};
    }
  }
  // No array is empty, or has one element (which may be passed by value).
  bool are_whole() const { return x.size > 1 && w.size > 1 && y.size > 1; }
};

// Memory for the transposed weights, and for cuDNN as much as copying windows out may take: as x, w and y have, at
// least 1 MiB and at most 64 MiB. 0: do not use cuDNN.
template <class T> std::size_t convolution_bytes(const KernelArgs& args, ConvolutionKind kind) {
  ConvolutionArrays arrays = ConvolutionArrays::of(args, kind);
  if (!host->has_convolutions() || !arrays.are_whole()) return 0;
  double all = arrays.x.bytes() + arrays.w.bytes() + arrays.y.bytes();
  Room room(nullptr, nullptr);
  room.take<T>(arrays.w.size);
  room.take(static_cast<std::size_t>(std::clamp(all, 0x1p20, 0x1p26)));
  return room.bytes();
}

// Transposes a matrix (rows, columns).
template <class T> void turn(const CudaLaunch& on, const T* from, T* to, int64_t rows, int64_t columns) {
  Steps steps;
  steps.push(rows, columns, 1);
  steps.push(columns, 1, rows);
  by_size(sizeof(T), [&]<class E>(TypeTag<E>) {
    run_strided<E, false>(on, steps, Input<E>{reinterpret_cast<const E*>(from), E{}}, reinterpret_cast<E*>(to));
  });
}

// False, and nothing is queued, if it must be computed otherwise.
template <class T> bool convolve(const CudaLaunch& on, ConvolutionKind kind) {
  std::size_t bytes = convolution_bytes<T>(on, kind);
  if (bytes == 0) return false;
  ConvolutionArrays arrays = ConvolutionArrays::of(on, kind);
  ConvSizes s(on.as<ConvAttrs>(), arrays.x.dims, arrays.w.dims);
  Room room(&on, on.scratch);
  T* turned = room.take<T>(arrays.w.size);
  Convolution c{.kind = kind,
                .dtype = dtype_of<T>,
                .precision = on.precision,
                .batch = s.batch,
                .channels = s.channels,
                .out = s.out,
                .groups = s.groups,
                .height = axis_of(s.height),
                .width = axis_of(s.width),
                .x = arrays.x.data,
                .w = reinterpret_cast<std::byte*>(turned),
                .y = arrays.y.data,
                .workspace = room.rest(),
                .workspace_bytes = bytes - room.bytes()};
  if (!host->can_convolve(on, c)) return false;
  int64_t rows = s.taps() * s.group_in();
  if (kind != ConvolutionKind::Filter) turn(on, arrays.w.as<T>(), turned, rows, s.out);
  if (on.error != 0) return true;
  int error = host->convolve(on, c);
  if (error == kNoSuchProduct) return false;
  on.error = error;
  if (kind == ConvolutionKind::Filter) turn(on, turned, arrays.w.as<T>(), s.out, rows);
  return true;
}

// The kernel of a convolution. Where cuDNN does not compute it, `kOtherwise` does, in its own memory.
template <class T, ConvolutionKind kKind, void (*kOtherwise)(const KernelArgs& args, Room& room)>
KernelEntry convolution_kernel() {
  if constexpr (std::is_same_v<T, double>) return in_room<kOtherwise>();
  return {.run =
              [](const KernelArgs& args) {
                const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
                if (!convolve<T>(on, kKind)) in_room<kOtherwise>().run(args);
              },
          .scratch =
              [](const KernelArgs& args) {
                return std::max(convolution_bytes<T>(args, kKind), in_room<kOtherwise>().scratch(args));
              }};
}

}  // namespace lutra::cuda
