// Convolution and its gradients on cards: by cuDNN if it is there and can compute them (convolve.h), else as matrix
// products. The elements in windows are copied to rows, a range of positions at a time, group by group, and the rows
// are multiplied by the weights. A window of one position needs no copies.
#include "kernels/cuda/cast.h"
#include "kernels/cuda/convolve.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/strided.h"
#include "kernels/cuda/windows.h"
#include "kernels/element/element.h"
#include "kernels/indexing/window_ways.h"

namespace lutra::cuda {
namespace {

// Element `at` of [groups, places, taps, from], in units of E: what the tap reads of a group's channels.
template <class Way, class E> struct LayOut {
  ConvSizes s;
  const E* source;
  E* to;
  int64_t from, first, places;  // channels of a group, in units; the range of positions

  LUTRA_DEVICE void run(int64_t at) const {
    const Place p = place_of(at, places, s.taps(), from);  // group, place, tap, channel
    const int64_t height = Way::results(s.height), width = Way::results(s.width), place = first + p.row;
    const int64_t h = Way::source(s.height, place / width % height, p.column / s.width.size);
    const int64_t w = Way::source(s.width, place % width, p.column % s.width.size);
    E value{};
    if (h >= 0 && w >= 0) {
      const int64_t image = place / (height * width);
      const int64_t seen = (image * Way::sources(s.height) + h) * Way::sources(s.width) + w;
      value = source[(seen * s.groups + p.image) * from + p.channel];
    }
    to[at] = value;
  }
};

// `from`: channels of a group in the source. Only bytes move, up to 16 at a time.
template <class Way, class T>
void lay_out(const CudaLaunch& on, const ConvSizes& s, const T* source, int64_t from, int64_t first, int64_t places,
             T* to) {
  constexpr int64_t kBytes = sizeof(T);
  int64_t size = s.groups * places * s.taps() * from;
  auto run_as = [&]<class E>(TypeTag<E>) {
    constexpr int64_t kElements = static_cast<int64_t>(sizeof(E)) / kBytes;
    LayOut<Way, E> args{s,     reinterpret_cast<const E*>(source), reinterpret_cast<E*>(to), from / kElements, first,
                        places};
    run_elements(on, args, size / kElements);
  };
  auto moves = [&](std::size_t bytes) {
    return from * kBytes % static_cast<int64_t>(bytes) == 0 && is_aligned(source, bytes) && is_aligned(to, bytes);
  };
  if (moves(16)) return run_as(TypeTag<Pack<uint64_t, 2>>{});
  if (moves(8)) return run_as(TypeTag<uint64_t>{});
  if constexpr (kBytes <= 4) {
    if (moves(4)) return run_as(TypeTag<uint32_t>{});
  }
  if constexpr (kBytes <= 2) run_as(TypeTag<uint16_t>{});
}

// How many rows of that size are copied at a time: they take at most 64 MiB.
int64_t places_together(int64_t places, int64_t row_bytes) {
  constexpr int64_t kMost = int64_t{64} << 20;
  return std::clamp<int64_t>(kMost / std::max<int64_t>(row_bytes, 1), 1, std::max<int64_t>(places, 1));
}

// Whether each result depends only on the source at its position, so that the source itself is the rows.
bool sees_itself(const ConvSizes& s) {
  auto of_axis = [](const WindowAxis& axis) { return axis.stride == 1 && axis.before == 0 && axis.out == axis.in; };
  return s.taps() == 1 && of_axis(s.height) && of_axis(s.width);
}

// For each group c (m, n) = a (m, k) b (k, n), all to be set.
template <class T> Product product_of_groups(const ConvSizes& s, int64_t m, int64_t n, int64_t k, Room& room) {
  MatMulSizes sizes{
      .m = m, .n = n, .k = k, .k_of_b = k, .lda = k, .ldb = n, .transpose_a = false, .transpose_b = false};
  Product p = product_of<T>(sizes, nullptr, nullptr, nullptr, room, s.groups);
  p.batch = s.groups;
  return p;
}
template <class T> std::byte* bytes_of(const T* at) { return reinterpret_cast<std::byte*>(const_cast<T*>(at)); }

// result[place, :] = the elements in its window times the weights; `p` has the weights for b. `from`, `to`: channels of
// a group in the source and in the result.
template <class Way, class T>
void windows_times(const ConvSizes& s, const T* source, int64_t from, int64_t to, Product p, T* result, Room& room) {
  int64_t places = s.batch * Way::results(s.height) * Way::results(s.width), all_to = to * s.groups;
  p.ldc = all_to;
  p.step_c = to;
  if (sees_itself(s)) {
    p.a = bytes_of(source);
    p.lda = from * s.groups;
    p.step_a = from;
    p.c = bytes_of(result);
    if (!room.counts()) multiply<T>(room.on(), p);
    return;
  }
  T* rows = room.take<T>(p.m * p.k * s.groups);
  if (room.counts()) return;
  p.a = bytes_of(rows);
  p.lda = p.k;
  int64_t together = p.m;
  for (int64_t first = 0; first < places; first += together) {
    p.m = std::min(together, places - first);
    p.step_a = p.m * p.k;
    p.c = bytes_of(result + first * all_to);
    lay_out<Way>(room.on(), s, source, from, first, p.m, rows);
    multiply<T>(room.on(), p);
  }
}
template <class Way, class T> int64_t rows_of_product(const ConvSizes& s, int64_t from) {
  int64_t places = s.batch * Way::results(s.height) * Way::results(s.width);
  int64_t row_bytes = s.taps() * from * s.groups * static_cast<int64_t>(sizeof(T));
  return sees_itself(s) ? places : places_together(places, row_bytes);
}

template <class T> void conv(const KernelArgs& args, Room& room) {
  const Array &x = args.in[0], &w = args.in[1], &out = args.out[0];
  if (out.size == 0) return;
  ConvSizes s(args.as<ConvAttrs>(), x.dims, w.dims);
  const T *images = room.input<T>(x), *weights = room.input<T>(w);
  int64_t from = s.group_in(), to = s.group_out();
  Product p = product_of_groups<T>(s, rows_of_product<Forward, T>(s, from), to, s.taps() * from, room);
  p.b = bytes_of(weights);
  p.ldb = s.out;
  p.step_b = to;
  windows_times<Forward>(s, images, from, to, p, out.as<T>(), room);
}

// dx comes from the results whose windows contain it, with the weights of each tap transposed.
template <class T> void conv_input(const KernelArgs& args, Room& room) {
  const Array &dy = args.in[0], &w = args.in[1], &out = args.out[0];
  if (out.size == 0) return;
  ConvSizes s(args.as<ConvAttrs>(), out.dims, w.dims);
  const T *weights = room.input<T>(w), *slopes = room.input<T>(dy);
  int64_t from = s.group_out(), to = s.group_in();
  Product p = product_of_groups<T>(s, rows_of_product<Backward, T>(s, from), to, s.taps() * from, room);
  if (s.taps() == 1) {
    p.b = bytes_of(weights);
    p.transpose_b = true;
    p.ldb = s.out;
    p.step_b = from;
  } else {
    T* turned = room.take<T>(w.size);
    Steps steps;
    steps.push(to, s.out, 1);
    steps.push(from, 1, to);
    steps.push(s.taps(), to * s.out, from * to);
    steps.push(s.groups, from, s.taps() * from * to);
    if (!room.counts()) {
      by_size(sizeof(T), [&]<class E>(TypeTag<E>) {
        Input<E> input{reinterpret_cast<const E*>(weights), E{}};
        run_strided<E, false>(room.on(), steps, input, reinterpret_cast<E*>(turned));
      });
    }
    p.b = bytes_of(turned);
    p.ldb = to;
    p.step_b = s.taps() * from * to;
  }
  windows_times<Backward>(s, slopes, from, to, p, out.as<T>(), room);
}

// The sum over all positions of the window's elements times dy, a range of positions at a time. Halves are added up in
// float until the end.
template <class T> void conv_filter(const KernelArgs& args, Room& room) {
  using C = ComputeType<T>;
  const Array &x = args.in[0], &dy = args.in[1], &out = args.out[0];
  if (out.size == 0) return;
  ConvSizes s(args.as<ConvAttrs>(), x.dims, out.dims);
  const T *images = room.input<T>(x), *slopes = room.input<T>(dy);
  int64_t from = s.group_in(), to = s.group_out(), places = s.results(), depth = s.taps() * from;
  int64_t together = std::min(rows_of_product<Forward, T>(s, from), places);
  bool is_whole = together == places;
  Product p = product_of_groups<T>(s, depth, to, together, room);
  p.transpose_a = true;
  p.ldb = p.ldc = s.out;
  p.step_b = p.step_c = to;
  p.c = out.data;
  if (sees_itself(s)) {
    p.a = bytes_of(images);
    p.lda = s.channels;
    p.step_a = from;
    p.b = bytes_of(slopes);
    if (!room.counts()) multiply<T>(room.on(), p);
    return;
  }
  T* rows = room.take<T>(together * depth * s.groups);
  C* sums = nullptr;
  if (!is_whole && !std::is_same_v<T, C>) {
    sums = room.take<C>(out.size);
    p.c = bytes_of(sums);
    p.result = dtype_of<C>;
  }
  if (room.counts()) return;
  const CudaLaunch& on = room.on();
  p.a = bytes_of(rows);
  p.lda = depth;
  if (places == 0) multiply<T>(on, p);  // zeros
  for (int64_t first = 0; first < places; first += together) {
    p.k = std::min(together, places - first);
    p.step_a = p.k * depth;
    p.b = bytes_of(slopes + first * s.out);
    lay_out<Forward>(on, s, images, from, first, p.k, rows);
    if (sums != nullptr) multiply<T, C>(on, p);
    else multiply<T>(on, p);
    p.adds = true;
  }
  if (sums == nullptr || on.error != 0) return;
  queue_cast<T, C>(on, Input<C>{sums, C{}}, out.as<T>(), out.size);
}

}  // namespace

void register_conv_cuda(CudaKernels& kernels) {
  kernels.add_products("Conv2D", AllFloats{},
                       []<class T>(TypeTag<T>) { return convolution_kernel<T, ConvolutionKind::Forward, conv<T>>(); });
  kernels.add_products("Conv2DBackpropInput", AllFloats{}, []<class T>(TypeTag<T>) {
    return convolution_kernel<T, ConvolutionKind::Input, conv_input<T>>();
  });
  kernels.add_products("Conv2DBackpropFilter", AllFloats{}, []<class T>(TypeTag<T>) {
    return convolution_kernel<T, ConvolutionKind::Filter, conv_filter<T>>();
  });
}

}  // namespace lutra::cuda
