// Note [Primitives are kept]
// Making a primitive compiles for milliseconds, so the last kMostPrimitives are kept by what they compute and for how
// many threads. The cache never goes: threads may still compute when the process ends. Each level of processor has its
// own, and one level is used.
#include "kernels/cpu/onednn_conv.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "core/blocked_signals.h"
#include "core/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/omp_threads.h"
#include "kernels/cpu/onednn_memory.h"

namespace lutra {
namespace {

using dnnl::memory;

constexpr std::size_t kMostPrimitives = 128;

// What a primitive depends on.
using Key = std::array<int64_t, 18>;

Key key_of(ConvPart part, const ConvSizes& s, int threads) {
  const WindowAxis &h = s.height, &w = s.width;
  return {static_cast<int64_t>(part),
          threads,
          s.batch,
          s.channels,
          s.out,
          s.groups,
          h.in,
          h.size,
          h.stride,
          h.dilation,
          h.before,
          h.out,
          w.in,
          w.size,
          w.stride,
          w.dilation,
          w.before,
          w.out};
}

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// A convolution that oneDNN has made: weights in an order it likes, and a reorder from or to ours.
struct Convolution {
  dnnl::primitive primitive;
  memory::desc image, weights, result;  // of x, w and y, or of their gradients
  memory::desc our_weights;
  dnnl::primitive reorder;
  bool reorders = false;
  memory::desc scratch;
  std::size_t most_bytes = 0;  // on this number of threads or on one

  std::size_t weights_bytes() const { return reorders ? rounded(weights.get_size()) : 0; }
  std::size_t bytes() const { return weights_bytes() + rounded(scratch.get_size()); }
};

// x, w and y as they lie in memory; for groups, w's out axis is taken apart.
struct Layouts {
  memory::desc x, w, any_w, y;

  explicit Layouts(const ConvSizes& s) {
    auto f32 = memory::data_type::f32;
    x = {{s.batch, s.channels, s.height.in, s.width.in}, f32, memory::format_tag::nhwc};
    y = {{s.batch, s.out, s.height.out, s.width.out}, f32, memory::format_tag::nhwc};
    int64_t in = s.group_in(), out = s.group_out(), column = in * s.out, row = s.width.size * column;
    memory::dims dims = {out, in, s.height.size, s.width.size}, strides = {1, s.out, row, column};
    if (s.groups > 1) {
      dims.insert(dims.begin(), s.groups);
      strides.insert(strides.begin(), out);
    }
    w = {dims, f32, strides};
    any_w = {dims, f32, memory::format_tag::any};
  }
};

struct Windows {
  memory::dims stride, dilation, before, after;

  explicit Windows(const ConvSizes& s)
      : stride{s.height.stride, s.width.stride},
        dilation{s.height.dilation - 1, s.width.dilation - 1},
        before{s.height.before, s.width.before},
        after{rest(s.height), rest(s.width)} {}

 private:
  // Padding that the last window reaches.
  static int64_t rest(const WindowAxis& axis) {
    int64_t reach = (axis.size - 1) * axis.dilation + 1;
    return std::max<int64_t>(0, (axis.out - 1) * axis.stride + reach - axis.in - axis.before);
  }
};

// Version 3 has no descriptors of operations: a primitive's descriptor takes the arguments itself.
template <class Primitive, class... Hint>
typename Primitive::primitive_desc describe(const dnnl::engine& engine, dnnl::prop_kind kind, const memory::desc& x,
                                            const memory::desc& w, const memory::desc& y, const Windows& windows,
                                            const Hint&... hint) {
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  constexpr bool kForward = std::is_same_v<Primitive, dnnl::convolution_forward>;
#if DNNL_VERSION_MAJOR >= 3
  if constexpr (kForward) {
    return {engine, kind, kDirect, x, w, y, windows.stride, windows.dilation, windows.before, windows.after, attr};
  } else {
    return {engine, kDirect, x, w, y, windows.stride, windows.dilation, windows.before, windows.after, hint..., attr};
  }
#else
  if constexpr (kForward) {
    typename Primitive::desc desc(kind, kDirect, x, w, y, windows.stride, windows.dilation, windows.before,
                                  windows.after);
    return {desc, attr, engine};
  } else {
    typename Primitive::desc desc(kDirect, x, w, y, windows.stride, windows.dilation, windows.before, windows.after);
    return {desc, attr, engine, hint...};
  }
#endif
}

// `compiles` false: for the memory it takes alone.
Convolution describe_part(const dnnl::engine& engine, ConvPart part, const ConvSizes& s, bool compiles) {
  Layouts layouts(s);
  Windows windows(s);
  Convolution made;
  auto forward = describe<dnnl::convolution_forward>(
      engine, part == ConvPart::Output ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training,
      layouts.x, layouts.any_w, layouts.y, windows);
  made.image = layouts.x;
  made.result = layouts.y;
  made.our_weights = layouts.w;
  if (part == ConvPart::Output) {
    made.weights = forward.weights_desc();
    made.scratch = forward.scratchpad_desc();
    if (compiles) made.primitive = dnnl::convolution_forward(forward);
  } else if (part == ConvPart::Input) {
    auto backward = describe<dnnl::convolution_backward_data>(engine, dnnl::prop_kind::backward_data, layouts.x,
                                                              layouts.any_w, layouts.y, windows, forward);
    made.weights = backward.weights_desc();
    made.scratch = backward.scratchpad_desc();
    if (compiles) made.primitive = dnnl::convolution_backward_data(backward);
  } else {
    auto backward = describe<dnnl::convolution_backward_weights>(engine, dnnl::prop_kind::backward_weights, layouts.x,
                                                                 layouts.any_w, layouts.y, windows, forward);
    made.weights = backward.diff_weights_desc();
    made.scratch = backward.scratchpad_desc();
    if (compiles) made.primitive = dnnl::convolution_backward_weights(backward);
  }
  made.reorders = made.weights != made.our_weights;
  made.most_bytes = made.bytes();
  return made;
}

std::shared_ptr<const Convolution> make(const dnnl::engine& engine, ConvPart part, const ConvSizes& s, int threads) {
  auto made = std::make_shared<Convolution>(describe_part(engine, part, s, true));
  if (made->reorders) {
    bool is_result = part == ConvPart::Filter;
    const memory::desc &from = is_result ? made->weights : made->our_weights,
                       &to = is_result ? made->our_weights : made->weights;
    made->reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to));
  }
  if (threads > 1) {
    OmpThreads one(1);
    made->most_bytes = std::max(made->most_bytes, describe_part(engine, part, s, false).bytes());
  }
  return made;
}

// The convolutions used last, with those that oneDNN cannot make. Throws bad_alloc.
class Cache {
 public:
  const dnnl::engine& engine() const { return engine_; }

  std::shared_ptr<const Convolution> get(ConvPart part, const ConvSizes& s, int threads) {
    Key key = key_of(part, s, threads);
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].first != key) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_.front().second;
    }
    std::shared_ptr<const Convolution> made;
    if (!has_memory_to_compile()) throw std::bad_alloc();
    try {
      made = make(engine_, part, s, threads);
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      // Remembered as one that oneDNN does not have.
    }
    if (entries_.size() == kMostPrimitives) entries_.pop_back();
    entries_.insert(entries_.begin(), {key, made});
    return made;
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Convolution>>> entries_;
};

Cache& cache() {
  static Cache& cache = *new Cache;
  return cache;
}

void run(const Convolution& conv, ConvPart part, const float* first, const float* second, float* result,
         std::byte* room) {
  BlockedSignals blocked;  // some convolutions are products: see Note [Signals wait for sgemm] in onednn_gemm.cpp
  const dnnl::engine& engine = cache().engine();
  dnnl::stream stream(engine);
  auto over = [&](const memory::desc& desc, const void* data) { return memory(desc, engine, const_cast<void*>(data)); };
  // As oneDNN has it: x or dx, w or dw, y or dy.
  const void* x = part == ConvPart::Input ? result : first;
  const void* w = part == ConvPart::Filter ? result : part == ConvPart::Input ? first : second;
  const void* y = part == ConvPart::Output ? result : second;
  memory ours = over(conv.our_weights, w), weights = ours;
  if (conv.reorders) {
    weights = over(conv.weights, room);
    if (part != ConvPart::Filter) conv.reorder.execute(stream, {{DNNL_ARG_FROM, ours}, {DNNL_ARG_TO, weights}});
  }
  bool is_output = part == ConvPart::Output;
  conv.primitive.execute(stream, {{part == ConvPart::Input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, over(conv.image, x)},
                                  {part == ConvPart::Filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, weights},
                                  {is_output ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, over(conv.result, y)},
                                  {DNNL_ARG_SCRATCHPAD, over(conv.scratch, room + conv.weights_bytes())}});
  if (conv.reorders && part == ConvPart::Filter) {
    conv.reorder.execute(stream, {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, ours}});
  }
  stream.wait();
}

int threads_for(const ConvSizes& s) { return s.multiplications() < kParallelProduct ? 1 : max_threads(); }

}  // namespace

std::size_t onednn_conv_bytes(ConvPart part, const ConvSizes& s) {
  int count = threads_for(s);
  OmpThreads threads(count);
  std::shared_ptr<const Convolution> conv = cache().get(part, s, count);
  return conv == nullptr ? 0 : conv->most_bytes;
}

bool onednn_conv(ConvPart part, const ConvSizes& s, const float* first, const float* second, float* result,
                 std::byte* room) {
  int count = threads_for(s);
  OmpThreads threads(count);
  try {
    std::shared_ptr<const Convolution> conv = cache().get(part, s, count);
    if (conv == nullptr) return false;
    run(*conv, part, first, second, result, room);
    return true;
  } catch (const std::exception&) {
    return false;  // for want of memory
  }
}

}  // namespace lutra
