// Convolution and its gradients on the CPU. Those that are matrix products are computed as such. Of the others oneDNN
// computes float32, and halves as float32, except where our own loops are faster (conv_tiles.h, conv_depthwise.h).
// Products of copied windows (im2col.h) compute float64, small images, for which making a primitive would take longer,
// and what oneDNN cannot do. docs/decisions/which-convolution-computes.md gives the reasons.

#include "ops/conv.h"

#include <algorithm>

#include "core/stop_request.h"
#include "kernels/cpu/conv/conv_cuts.h"
#include "kernels/cpu/conv/conv_depthwise.h"
#include "kernels/cpu/conv/conv_products.h"
#include "kernels/cpu/conv/conv_tiles.h"
#include "kernels/cpu/conv/im2col.h"
#include "kernels/cpu/conv/onednn_conv.h"
#include "kernels/cpu/loops/add_kernels.h"

namespace lutra {
namespace {

// Below this many multiplications oneDNN is not used.
constexpr double kSmallConvolution = 1 << 16;

ConvSizes sizes_of(ConvPart part, const KernelArgs& args) {
  const Array& x = part == ConvPart::Input ? args.out[0] : args.in[0];
  const Array& w = part == ConvPart::Filter ? args.out[0] : args.in[1];
  return plainest(ConvSizes(args.as<ConvAttrs>(), x.dims, w.dims));
}

enum class Way : uint8_t { Product, Products, Depthwise, Tiles, OneDnn, LaidOut };

template <class C> Way way_of(ConvPart part, const ConvSizes& s) {
  if (is_product(s)) return Way::Product;
  if constexpr (std::is_same_v<C, float>) {
    if (part == ConvPart::Output && is_sum_of_products(s)) return Way::Products;
    if (depthwise_pays(part, s)) return Way::Depthwise;
    if (part == ConvPart::Output && tiles_convolve(s)) return Way::Tiles;
    if (s.multiplications() >= kSmallConvolution) return Way::OneDnn;
  }
  return Way::LaidOut;
}

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// The scratch memory of `compute_slab`: for oneDNN, or for the transposed weights of Input.
template <class C> std::size_t slab_scratch(ConvPart part, const ConvSizes& s, int64_t weights) {
  std::size_t bytes = part == ConvPart::Input ? static_cast<std::size_t>(weights) * sizeof(C) : 0;
  return way_of<C>(part, s) == Way::OneDnn ? std::max(bytes, onednn_conv_bytes(part, s)) : bytes;
}

// False if there is no memory for it, or oneDNN has no such convolution.
bool compute_float(Way way, ConvPart part, const ConvSizes& s, const float* first, const float* second, float* result,
                   std::byte* scratch) {
  if (way == Way::Products) return sum_of_products(s, first, second, result);
  if (way == Way::Tiles) return conv_in_tiles(s, first, second, result);
  if (way == Way::OneDnn) return onednn_conv(part, s, first, second, result, scratch);
  depthwise(part, s, first, second, result);
  return true;
}

template <class C>
void compute_slab(ConvPart part, const ConvSizes& s, const C* first, const C* second, C* result, std::byte* scratch) {
  Way way = way_of<C>(part, s);
  if (way == Way::Product) return conv_product(part, s, first, second, result);
  if constexpr (std::is_same_v<C, float>) {
    if (way != Way::LaidOut && compute_float(way, part, s, first, second, result, scratch)) return;
  }
  if (part == ConvPart::Output) own_conv(s, first, second, result);
  else if (part == ConvPart::Input) own_conv_input(s, first, second, result, reinterpret_cast<C*>(scratch));
  else own_conv_filter(s, first, second, result);
}

int64_t weights_of(const ConvSizes& s) { return s.taps() * s.group_in() * s.out; }

// Of Filter, the gradient of a slab.
template <class C> std::size_t term_bytes(ConvPart part, const ConvSizes& s) {
  return part == ConvPart::Filter ? rounded(static_cast<std::size_t>(weights_of(s)) * sizeof(C)) : 0;
}

template <class C> std::size_t scratch_of(ConvPart part, const ConvSizes& s) {
  if (is_one_slab(part, s)) return slab_scratch<C>(part, s, weights_of(s));
  std::size_t bytes = 0;
  for (const ConvCut& slab : slabs_of(part, s)) {
    bytes = std::max(bytes, slab_scratch<C>(part, slab.sizes, weights_of(s)));
  }
  return term_bytes<C>(part, s) + bytes;
}

template <class C>
void compute(ConvPart part, const ConvSizes& s, const C* first, const C* second, C* result, std::byte* scratch) {
  if (part == ConvPart::Input) std::swap(first, second);  // weights go first
  if (is_one_slab(part, s)) return compute_slab(part, s, first, second, result, scratch);
  C* const term = reinterpret_cast<C*>(scratch);
  scratch += term_bytes<C>(part, s);
  bool is_first = true;
  for (const ConvCut& slab : slabs_of(part, s)) {
    if (StopRequest::is_wanted()) return;
    if (part == ConvPart::Output) {
      compute_slab(part, slab.sizes, first + slab.image, second, result + slab.result, scratch);
    } else if (part == ConvPart::Input) {
      compute_slab(part, slab.sizes, first, second + slab.result, result + slab.image, scratch);
    } else {
      compute_slab(part, slab.sizes, first + slab.image, second + slab.result, is_first ? result : term, scratch);
      if (!is_first) {
        parallel_for(weights_of(s), kCheapGrain, [=](int64_t begin, int64_t end) {
          for (int64_t at = begin; at < end; ++at) result[at] += term[at];
        });
      }
    }
    is_first = false;
  }
}

template <class T, ConvPart kPart> struct Conv {
  using C = ComputeType<T>;
  static constexpr bool kConverts = !std::is_same_v<T, C>;

  // Halves as floats, and the scratch memory to compute those.
  static std::size_t scratch(const KernelArgs& args) {
    if (args.out[0].size == 0) return 0;
    return converted_bytes(args) + scratch_of<C>(kPart, sizes_of(kPart, args));
  }
  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    ConvSizes s = sizes_of(kPart, args);
    std::byte* scratch = args.scratch + converted_bytes(args);
    if constexpr (kConverts) {
      C* first = reinterpret_cast<C*>(args.scratch);
      C *second = first + args.in[0].size, *result = second + args.in[1].size;
      widen(args.in[0], first);
      widen(args.in[1], second);
      compute(kPart, s, first, second, result, scratch);
      parallel_for(out.size, kCheapGrain, [=, to = out.as<T>()](int64_t begin, int64_t end) {
        store(result + begin, end - begin, to + begin);
      });
    } else {
      compute(kPart, s, args.in[0].as<C>(), args.in[1].as<C>(), out.as<C>(), scratch);
    }
  }

 private:
  static std::size_t converted_bytes(const KernelArgs& args) {
    int64_t count = kConverts ? args.in[0].size + args.in[1].size + args.out[0].size : 0;
    return rounded(static_cast<std::size_t>(count) * sizeof(C));
  }
  static void widen(const Array& from, C* to) {
    parallel_for(from.size, kCheapGrain,
                 [=, x = from.as<T>()](int64_t begin, int64_t end) { load(x + begin, end - begin, to + begin); });
  }
};

template <class T> struct Output : Conv<T, ConvPart::Output> {};
template <class T> struct Input : Conv<T, ConvPart::Input> {};
template <class T> struct Filter : Conv<T, ConvPart::Filter> {};

}  // namespace

void register_conv_cpu(KernelRegistry& kernels) {
  add_kernels<Output>(kernels, "Conv2D", AllFloats{});
  add_kernels<Input>(kernels, "Conv2DBackpropInput", AllFloats{});
  add_kernels<Filter>(kernels, "Conv2DBackpropFilter", AllFloats{});
}

}  // namespace lutra
