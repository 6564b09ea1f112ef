// Note [Plans are kept]
// Making a primitive takes up to milliseconds, so the last kMostPlans plans are cached. The cache is never destroyed:
// threads may still compute when the process ends. Each CPU level has its own cache, and one level is used.
#include "kernels/cpu/conv/onednn_conv.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "core/blocked_signals.h"
#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/conv/conv_cuts.h"
#include "kernels/cpu/gemm/omp_threads.h"
#include "kernels/cpu/gemm/onednn_memory.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {
namespace {

using dnnl::memory;

constexpr std::size_t kMostPlans = 128;

// Everything that a plan depends on.
using Key = std::array<int64_t, 17>;

Key key_of(ConvPart part, const ConvSizes& s) {
  const WindowAxis &h = s.height, &w = s.width;
  return {static_cast<int64_t>(part),
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

// A convolution that oneDNN has made, for one thread, with weights in an order it prefers, and a reorder from or to
// ours.
struct Convolution {
  dnnl::primitive primitive;
  memory::desc image, weights, result;  // of x, w and y, or of their gradients
  memory::desc our_weights;
  dnnl::primitive reorder;
  bool reorders = false;
  memory::desc scratch;

  std::size_t weights_bytes() const { return reorders ? rounded(weights.get_size()) : 0; }
};

// x, w and y as they lie in memory; with groups, w's out axis is split in two.
struct Layouts {
  memory::desc x, w, any_w, y;

  // Rows of w are `columns` apart.
  Layouts(const ConvSizes& s, int64_t columns) {
    auto f32 = memory::data_type::f32;
    x = {{s.batch, s.channels, s.height.in, s.width.in}, f32, memory::format_tag::nhwc};
    y = {{s.batch, s.out, s.height.out, s.width.out}, f32, memory::format_tag::nhwc};
    int64_t in = s.group_in(), out = s.group_out(), column = in * columns, row = s.width.size * column;
    memory::dims dims = {out, in, s.height.size, s.width.size}, strides = {1, columns, row, column};
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
  // The padding at the end that the last window reaches.
  static int64_t rest(const WindowAxis& axis) {
    int64_t reach = (axis.size - 1) * axis.dilation + 1;
    return std::max<int64_t>(0, (axis.out - 1) * axis.stride + reach - axis.in - axis.before);
  }
};

// oneDNN 3 has no descriptors of operations: a primitive's descriptor takes the arguments itself.
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

std::shared_ptr<const Convolution> make(const dnnl::engine& engine, ConvPart part, const ConvSizes& s,
                                        int64_t columns) {
  Layouts layouts(s, columns);
  Windows windows(s);
  auto made = std::make_shared<Convolution>();
  auto forward = describe<dnnl::convolution_forward>(
      engine, part == ConvPart::Output ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training,
      layouts.x, layouts.any_w, layouts.y, windows);
  made->image = layouts.x;
  made->result = layouts.y;
  made->our_weights = layouts.w;
  if (part == ConvPart::Output) {
    made->weights = forward.weights_desc();
    made->scratch = forward.scratchpad_desc();
    made->primitive = dnnl::convolution_forward(forward);
  } else if (part == ConvPart::Input) {
    auto backward = describe<dnnl::convolution_backward_data>(engine, dnnl::prop_kind::backward_data, layouts.x,
                                                              layouts.any_w, layouts.y, windows, forward);
    made->weights = backward.weights_desc();
    made->scratch = backward.scratchpad_desc();
    made->primitive = dnnl::convolution_backward_data(backward);
  } else {
    auto backward = describe<dnnl::convolution_backward_weights>(engine, dnnl::prop_kind::backward_weights, layouts.x,
                                                                 layouts.any_w, layouts.y, windows, forward);
    made->weights = backward.diff_weights_desc();
    made->scratch = backward.scratchpad_desc();
    made->primitive = dnnl::convolution_backward_weights(backward);
  }
  made->reorders = made->weights != made->our_weights;
  if (made->reorders) {
    bool is_result = part == ConvPart::Filter;
    const memory::desc &from = is_result ? made->weights : made->our_weights,
                       &to = is_result ? made->our_weights : made->weights;
    made->reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to));
  }
  return made;
}

// How a convolution is computed, as its sizes alone decide: a primitive for each of its cuts.
struct Plan {
  std::vector<ConvCut> cuts;
  std::vector<std::shared_ptr<const Convolution>> made;  // for each cut
  std::vector<std::size_t> weights_at;  // for each cut, where its reordered weights are in the shared memory
  std::vector<std::size_t> ordering;    // one cut for each order
  std::size_t shared = 0, room = 0;     // bytes for all cuts together, and for each

  std::size_t bytes() const { return shared + room * cuts.size(); }
};

std::shared_ptr<const Plan> plan_of(const dnnl::engine& engine, ConvPart part, const ConvSizes& s,
                                    const std::vector<ConvCut>& cuts) {
  OneOmpThread one;  // primitives are made for one thread
  auto plan = std::make_shared<Plan>();
  plan->cuts = cuts;
  for (const ConvCut& cut : cuts) {
    const std::size_t before = plan->made.size();
    std::shared_ptr<const Convolution> made;
    for (std::size_t i = 0; i < before && made == nullptr; ++i) {
      if (key_of(part, cuts[i].sizes) == key_of(part, cut.sizes)) made = plan->made[i];
    }
    if (made == nullptr) made = make(engine, part, cut.sizes, s.out);
    std::size_t own = rounded(made->scratch.get_size());
    if (part == ConvPart::Filter) own += made->weights_bytes() + rounded(cut.own_bytes);
    plan->room = std::max(plan->room, own);
    std::size_t same = 0;
    while (same < before && plan->made[same]->weights != made->weights) ++same;
    plan->weights_at.push_back(same < before ? plan->weights_at[same] : plan->shared);
    if (same == before && part != ConvPart::Filter && made->reorders) {
      plan->ordering.push_back(before);
      plan->shared += made->weights_bytes();
    }
    plan->made.push_back(std::move(made));
  }
  return plan;
}

// The plans used last, including those of convolutions that oneDNN cannot make. Throws bad_alloc.
class Cache {
 public:
  const dnnl::engine& engine() const { return engine_; }

  std::shared_ptr<const Plan> get(ConvPart part, const ConvSizes& s) {
    Key key = key_of(part, s);
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].first != key) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_.front().second;
    }
    std::shared_ptr<const Plan> made = try_plan(part, s, cuts_of(part, s));
    if (made == nullptr) made = try_plan(part, s, {whole_cut(s)});
    if (entries_.size() == kMostPlans) entries_.pop_back();
    entries_.insert(entries_.begin(), {key, made});
    return made;
  }

 private:
  // Null if oneDNN has no such convolutions.
  std::shared_ptr<const Plan> try_plan(ConvPart part, const ConvSizes& s, const std::vector<ConvCut>& cuts) const {
    if (!has_memory_to_compile()) throw std::bad_alloc();
    try {
      return plan_of(engine_, part, s, cuts);
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      return nullptr;
    }
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Plan>>> entries_;
};

Cache& cache() {
  static Cache& cache = *new Cache;
  return cache;
}

memory over(const memory::desc& desc, const void* data) {
  return memory(desc, cache().engine(), const_cast<void*>(data));
}

// oneDNN's names for x or dx, w or dw, y or dy.
struct Arrays {
  const void *x, *w, *y;
};

void execute(const Convolution& conv, ConvPart part, const Arrays& at, std::byte* scratch, dnnl::stream& stream) {
  bool is_output = part == ConvPart::Output;
  conv.primitive.execute(
      stream, {{part == ConvPart::Input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, over(conv.image, at.x)},
               {part == ConvPart::Filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, over(conv.weights, at.w)},
               {is_output ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, over(conv.result, at.y)},
               {DNNL_ARG_SCRATCHPAD, over(conv.scratch, scratch)}});
}

void reorder(const Convolution& conv, const memory::desc& from_desc, const void* from, const memory::desc& to_desc,
             void* to, dnnl::stream& stream) {
  conv.reorder.execute(stream, {{DNNL_ARG_FROM, over(from_desc, from)}, {DNNL_ARG_TO, over(to_desc, to)}});
}

// Computes y or dx.
void run_cut(const Plan& plan, std::size_t at, ConvPart part, const float* x, const void* w, const float* y,
             std::byte* room) {
  dnnl::stream stream(cache().engine());
  const ConvCut& cut = plan.cuts[at];
  execute(*plan.made[at], part, {x + cut.image, w, y + cut.result}, room, stream);
  stream.wait();
}

// Computes dw, or the cut's term of it.
void run_filter_cut(const ConvSizes& s, const Convolution& conv, const ConvCut& cut, const float* x, const float* dy,
                    float* dw, std::byte* room) {
  dnnl::stream stream(cache().engine());
  const float* y = dy + cut.result;
  auto* own = reinterpret_cast<float*>(room);
  if (cut.sizes.out < s.out) {
    for (int64_t place = 0; place < s.results(); ++place) {
      std::copy_n(dy + place * s.out + cut.column, cut.sizes.out, own + place * cut.sizes.out);
    }
    y = own;
  }
  std::byte* ordered = room + rounded(cut.own_bytes);
  float* to = cut.adds ? own : dw + cut.column;
  execute(conv, ConvPart::Filter, {x + cut.image, conv.reorders ? static_cast<void*>(ordered) : to, y},
          ordered + conv.weights_bytes(), stream);
  if (conv.reorders) reorder(conv, conv.weights, ordered, conv.our_weights, to, stream);
  stream.wait();
}

// Adds up the sums of all cuts, from the first to the last.
void add_up(const Plan& plan, int64_t size, const std::byte* rooms, float* dw) {
  parallel_for(size, kCheapGrain, [&](int64_t begin, int64_t end) {
    for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
      const float* sums = reinterpret_cast<const float*>(rooms + i * plan.room);
      if (i == 0) std::copy(sums + begin, sums + end, dw + begin);
      else
        for (int64_t at = begin; at < end; ++at) dw[at] += sums[at];
    }
  });
}

// Runs each cut on one thread: oneDNN's own threads would wait for each other (Note [Chunks of a product],
// onednn_gemm.cpp).
template <class Run> bool for_cuts(const Plan& plan, const Run& run) {
  std::atomic<bool> succeeded{true};
  parallel_for(static_cast<int64_t>(plan.cuts.size()), 1, [&](int64_t begin, int64_t end) {
    OneOmpThread one;
    try {
      for (int64_t at = begin; at < end && !StopRequest::is_wanted(); ++at) {
        BlockedSignals blocked;  // some convolutions are products: see Note [Signals wait for sgemm] in onednn_gemm.cpp
        run(static_cast<std::size_t>(at));
      }
    } catch (const std::exception&) {
      succeeded = false;  // out of memory
    }
  });
  return succeeded;
}

}  // namespace

std::size_t onednn_conv_bytes(ConvPart part, const ConvSizes& s) {
  std::shared_ptr<const Plan> plan = cache().get(part, s);
  return plan == nullptr ? 0 : plan->bytes();
}

bool onednn_conv(ConvPart part, const ConvSizes& s, const float* first, const float* second, float* result,
                 std::byte* room) {
  try {
    std::shared_ptr<const Plan> plan = cache().get(part, s);
    if (plan == nullptr) return false;
    std::byte* rooms = room + plan->shared;
    if (part == ConvPart::Filter) {
      bool adds = plan->cuts[0].adds;
      bool done = for_cuts(*plan, [&](std::size_t i) {
        run_filter_cut(s, *plan->made[i], plan->cuts[i], first, second, result, rooms + i * plan->room);
      });
      if (done && adds) add_up(*plan, s.taps() * s.group_in() * s.out, rooms, result);
      return done;
    }
    const float* weights = part == ConvPart::Input ? first : second;
    if (!plan->ordering.empty()) {
      OneOmpThread one;
      dnnl::stream stream(cache().engine());
      for (std::size_t i : plan->ordering) {
        const Convolution& conv = *plan->made[i];
        reorder(conv, conv.our_weights, weights, conv.weights, room + plan->weights_at[i], stream);
      }
      stream.wait();
    }
    const float *x = part == ConvPart::Input ? result : first, *y = part == ConvPart::Input ? second : result;
    return for_cuts(*plan, [&](std::size_t i) {
      const void* w = plan->made[i]->reorders ? static_cast<void*>(room + plan->weights_at[i]) : weights;
      run_cut(*plan, i, part, x, w, y, rooms + i * plan->room);
    });
  } catch (const std::exception&) {
    return false;  // out of memory
  }
}

}  // namespace lutra
