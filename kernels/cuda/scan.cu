// Running sums and products on cards, and ops for their gradients. A line (the elements along the axis, in the order of
// the scan) is scanned by one thread, or by a block: each thread then has a chunk, whose length follows from the
// line's. Chunks are totalled first, then the totals are scanned, then each chunk is scanned from there. Accumulators
// are float64, or 64 bits that wrap.
#include "ops/scan.h"

#include "kernels/cuda/reduce.h"
#include "kernels/element/running.h"

namespace lutra::cuda {
namespace {

// The axis in the order of the scan: position r is at r * step from the start.
struct Walk {
  Extent extent{1, 1, 1};
  int64_t first = 0, step = 1, lines = 1;

  Walk(const Array& x, const ScanAttrs& attrs) {
    extent.size = x.size;
    if (attrs.axis.given()) extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, 0));
    step = attrs.reverse ? -extent.inner : extent.inner;
    first = attrs.reverse ? (extent.size - 1) * extent.inner : 0;
    lines = extent.lines();
  }
  constexpr int64_t start(int64_t line) const {
    return line / extent.inner * extent.size * extent.inner + line % extent.inner + first;
  }
};

template <class S> struct ScanArgs {
  Input<typename S::In> in;
  typename S::Out* out;
  Walk walk;
  bool exclusive;

  LUTRA_DEVICE typename S::Acc value(int64_t at) const {
    return S::lift(opened<S>(in.data != nullptr ? in.data[at] : in.number));
  }
  // Writes positions [begin, end) of a line that starts at `start`, continuing from `before`.
  LUTRA_DEVICE void write(int64_t start, int64_t begin, int64_t end, typename S::Acc before) const {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = start + i * walk.step;
      typename S::Acc after = S::merge(before, value(at));
      out[at] = result_of<S>(exclusive ? before : after);
      before = after;
    }
  }
  LUTRA_DEVICE typename S::Acc total(int64_t start, int64_t begin, int64_t end, typename S::Acc before) const {
    for (int64_t i = begin; i < end; ++i) before = S::merge(before, value(start + i * walk.step));
    return before;
  }
  // Replaces each chunk's total by the total before it.
  LUTRA_DEVICE void pass_on(int64_t start, int64_t piece, typename S::Acc* totals) const {
    typename S::Acc before = S::kStart;
    for (int t = 0; t < kBlockThreads; ++t) {
      int64_t begin = std::min(t * piece, walk.extent.size), end = std::min(begin + piece, walk.extent.size);
      typename S::Acc after = S::merge(before, totals[t]);
      if (!S::stands(before, totals[t])) after = total(start, begin, end, before);
      totals[t] = before;
      before = after;
    }
  }
};

template <class S> LUTRA_GLOBAL void scan_lines(const ScanArgs<S> args) {
  for (int64_t line = thread_index(); line < args.walk.lines; line += thread_count()) {
    args.write(args.walk.start(line), 0, args.walk.extent.size, S::kStart);
  }
}

template <class S> LUTRA_GLOBAL void scan_blocks(const ScanArgs<S> args) {
  using Acc = typename S::Acc;
  const int64_t size = args.walk.extent.size, piece = (size + kBlockThreads - 1) / kBlockThreads;
  for (int64_t line = block_index(); line < args.walk.lines; line += block_count()) {
    const int64_t start = args.walk.start(line);
    auto begin = [&](int t) { return std::min(t * piece, size); };
    LUTRA_SHARED Acc totals[kBlockThreads];
    for_threads([&](int t) { totals[t] = args.total(start, begin(t), begin(t + 1), S::kStart); });
    for_threads([&](int t) {
      if (t == 0) args.pass_on(start, piece, totals);
    });
    for_threads([&](int t) { args.write(start, begin(t), begin(t + 1), totals[t]); });
  }
}

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

template <class S> void run_scan(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  const CudaLaunch& on = launch_of(args);
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  ScanArgs<S> scan{input_of<typename S::In>(args.in[0]), args.out[0].as<typename S::Out>(), Walk(args.in[0], attrs),
                   attrs.exclusive};
  const Extent& extent = scan.walk.extent;
  constexpr int64_t kShort = 64, kMany = 8192;
  if (extent.size <= kShort || scan.walk.lines >= kMany) launch(on, grid_for(on, scan.walk.lines), scan_lines<S>, scan);
  else launch_blocks(on, scan.walk.lines, scan_blocks<S>, scan);
}

// out[i] = b[i] + carry, carry = x[i] out[i]; exclusive: out[i] = carry, carry = b[i] + x[i] carry.
template <class T> struct Recurrence {
  Input<T> x, b;
  T* out;
  Walk walk;
  bool exclusive;
};
template <class T> LUTRA_DEVICE double wide(const Input<T>& in, int64_t at) {
  return static_cast<double>(computed_in(in.data != nullptr ? in.data[at] : in.number));
}
template <class T> LUTRA_GLOBAL void recurrence_kernel(const Recurrence<T> args) {
  for (int64_t line = thread_index(); line < args.walk.lines; line += thread_count()) {
    const int64_t start = args.walk.start(line);
    double carry = 0;
    for (int64_t i = 0; i < args.walk.extent.size; ++i) {
      int64_t at = start + i * args.walk.step;
      double factor = wide(args.x, at), sum = wide(args.b, at) + (args.exclusive ? factor * carry : carry);
      args.out[at] = rounded<T>(args.exclusive ? carry : sum);
      carry = args.exclusive ? sum : factor * sum;
    }
  }
}
template <class T> void run_recurrence(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  Recurrence<T> recurrence{input_of<T>(args.in[0]), input_of<T>(args.in[1]), args.out[0].as<T>(),
                           Walk(args.in[0], attrs), attrs.exclusive};
  const CudaLaunch& on = launch_of(args);
  launch(on, grid_for(on, recurrence.walk.lines), recurrence_kernel<T>, recurrence);
}

// The product of all elements before, kept in scratch memory, times that of all after.
template <class T> struct Others {
  Input<T> x;
  double* before;
  T* out;
  Walk walk;
};
template <class T> LUTRA_GLOBAL void others_kernel(const Others<T> args) {
  for (int64_t line = thread_index(); line < args.walk.lines; line += thread_count()) {
    const int64_t start = args.walk.start(line);
    double product = 1;
    for (int64_t i = 0; i < args.walk.extent.size; ++i) {
      int64_t at = start + i * args.walk.step;
      args.before[at] = product;
      product *= wide(args.x, at);
    }
    product = 1;
    for (int64_t i = args.walk.extent.size - 1; i >= 0; --i) {
      int64_t at = start + i * args.walk.step;
      args.out[at] = rounded<T>(args.before[at] * product);
      product *= wide(args.x, at);
    }
  }
}
template <class T> void run_others(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  Others<T> others{input_of<T>(args.in[0]), reinterpret_cast<double*>(args.scratch), args.out[0].as<T>(),
                   Walk(args.in[0], args.as<ScanAttrs>())};
  const CudaLaunch& on = launch_of(args);
  launch(on, grid_for(on, others.walk.lines), others_kernel<T>, others);
}
std::size_t others_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(args.in[0].size) * sizeof(double);
}

}  // namespace

void register_scan_cuda(CudaKernels& kernels) {
  kernels.add_each("Cumsum", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_scan<RunningSum<T>>}; });
  kernels.add_each("Cumprod", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_scan<RunningProduct<T>>}; });
  kernels.add_each("LinearRecurrence", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_recurrence<T>}; });
  kernels.add_each("ProdOthers", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_others<T>, .scratch = others_scratch}; });
}

}  // namespace lutra::cuda
