// Tensors created without inputs, and casts, on cards.
#include "kernels/element/element.h"
#include "ops/create.h"

#include <cmath>

#include "kernels/cuda/cast.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/indexed.h"
#include "ops/axes.h"

namespace lutra::cuda {

void run_convert(const KernelArgs& args);

namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

void run_zeros(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&](auto tag) {
    using E = typename decltype(tag)::type;
    run_indexed<E>(launch_of(args), Everywhere<E>{E{}});
  });
}
template <class T> void run_ones(const KernelArgs& args) {
  run_indexed<Stored<T>>(launch_of(args), Everywhere<Stored<T>>{Stored<T>(1)});
}

template <class E> struct Diagonal {
  E one;
  int64_t columns;
  constexpr E at(int64_t i) const { return i / columns == i % columns ? one : E(); }
};
template <class T> void run_eye(const KernelArgs& args) {
  run_indexed<Stored<T>>(launch_of(args), Diagonal<Stored<T>>{Stored<T>(1), args.out[0].dims[1]});
}

template <class T> struct Steps {
  uint64_t start, step;
  constexpr Stored<T> at(int64_t i) const {
    return converted<T, int64_t>(static_cast<int64_t>(start + static_cast<uint64_t>(i) * step));
  }
};
template <class T> struct FloatSteps {
  double start, step;
  constexpr Stored<T> at(int64_t i) const { return converted<T, double>(start + static_cast<double>(i) * step); }
};
template <class T> void run_range(const KernelArgs& args) {
  const RangeAttrs& attrs = args.as<RangeAttrs>();
  auto is_int = [](const Number& n) { return n.value.kind == Scalar::Kind::Int; };
  if (is_int(attrs.start) && is_int(attrs.step)) {
    // Wraps, as integer arithmetic does, if the dtype is narrow.
    run_indexed<Stored<T>>(launch_of(args), Steps<T>{static_cast<uint64_t>(attrs.start.value.i),
                                                     static_cast<uint64_t>(attrs.step.value.i)});
  } else {
    run_indexed<Stored<T>>(launch_of(args), FloatSteps<T>{attrs.start.value.as_double(), attrs.step.value.as_double()});
  }
}

// As in kernels/cpu/create.cpp: the ends are exactly as given, which a double may not hold, and there are two formulas
// for the values between.
template <class T> struct Line {
  double start, stop, parts, step;
  Stored<T> first, last;
  int64_t last_at;
  bool is_far;  // the distance between the ends overflows a double
  constexpr Stored<T> at(int64_t i) const {
    if (i == 0) return first;
    if (i == last_at) return last;
    double place = static_cast<double>(i);
    double value = is_far ? start * ((parts - place) / parts) + stop * (place / parts) : start + place * step;
    return converted<T, double>(std::is_integral_v<T> ? std::floor(value) : value);
  }
};
template <class T> Stored<T> end_of(Scalar value) {
  if (value.kind != Scalar::Kind::Float) return converted<T, int64_t>(value.i);
  return converted<T, double>(std::is_integral_v<T> ? std::floor(value.d) : value.d);
}
template <class T> void run_linspace(const KernelArgs& args) {
  const LinSpaceAttrs& attrs = args.as<LinSpaceAttrs>();
  int64_t last = args.out[0].size - 1;
  Line<T> line{};
  line.start = attrs.start.value.as_double();
  line.stop = attrs.stop.value.as_double();
  line.parts = static_cast<double>(std::max<int64_t>(last, 1));
  line.step = (line.stop - line.start) / line.parts;
  line.first = end_of<T>(attrs.start.value);
  line.last = end_of<T>(attrs.stop.value);
  line.last_at = last;
  line.is_far = !std::isfinite(line.step);
  run_indexed<Stored<T>>(launch_of(args), line);
}

// Blocks of depth rows of `inner` elements, one for each label.
template <class E> struct Labels {
  const std::byte* labels;
  DType type;
  int64_t depth, inner, base;
  E one;
  constexpr int64_t label(int64_t i) const {
    switch (type) {
      case DType::Int8: return reinterpret_cast<const int8_t*>(labels)[i];
      case DType::UInt8: return reinterpret_cast<const uint8_t*>(labels)[i];
      case DType::Int16: return reinterpret_cast<const int16_t*>(labels)[i];
      case DType::Int32: return reinterpret_cast<const int32_t*>(labels)[i];
      default: return reinterpret_cast<const int64_t*>(labels)[i];
    }
  }
  constexpr E at(int64_t i) const {
    int64_t row = i / inner, place = row / depth;
    int64_t wanted = row - place * depth + base;
    return label(place * inner + (i - row * inner)) == wanted ? one : E();
  }
};
template <class T> struct OneLabel {  // a label passed by value
  int64_t label, inner, base;
  Stored<T> one;
  constexpr Stored<T> at(int64_t i) const { return i / inner + base == label ? one : Stored<T>(); }
};
template <class T> void run_one_hot(const KernelArgs& args) {
  const OneHotAttrs& attrs = args.as<OneHotAttrs>();
  const Array& labels = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t inner = 1;
  for (int axis = axis_of(attrs.axis, out.rank, -1) + 1; axis < out.rank; ++axis) inner *= out.dims[axis];
  Labels<Stored<T>> rule{labels.data, labels.dtype, attrs.depth, inner, attrs.base.value, Stored<T>(1)};
  if (!labels.immediate) return run_indexed<Stored<T>>(launch_of(args), rule);
  run_indexed<Stored<T>>(launch_of(args), OneLabel<T>{rule.label(0), inner, rule.base, rule.one});
}

template <class From> void convert_from(const KernelArgs& args) {
  visit_dtype(args.out[0].dtype, [&](auto tag) {
    using To = typename decltype(tag)::type;
    if constexpr (std::is_same_v<To, From>) {
      run_copy(args);
    } else {
      run_cast<To, From>(launch_of(args));
    }
  });
}

}  // namespace

// Input 0 in the dtype of the output.
void run_convert(const KernelArgs& args) {
  visit_dtype(args.in[0].dtype, [&](auto tag) { convert_from<typename decltype(tag)::type>(args); });
}

void register_create_cuda(CudaKernels& kernels) {
  auto add_all = [&](const char* name, auto make) { kernels.add_each(name, AllTypes{}, make); };
  add_all("Ones", [](auto tag) { return KernelEntry{.run = run_ones<typename decltype(tag)::type>}; });
  add_all("OnesLike", [](auto tag) { return KernelEntry{.run = run_ones<typename decltype(tag)::type>}; });
  add_all("Eye", [](auto tag) { return KernelEntry{.run = run_eye<typename decltype(tag)::type>}; });
  add_all("OneHot", [](auto tag) { return KernelEntry{.run = run_one_hot<typename decltype(tag)::type>}; });
  add_all("Range", [](auto tag) { return KernelEntry{.run = run_range<typename decltype(tag)::type>}; });
  kernels.add_each("LinSpace", AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_linspace<typename decltype(tag)::type>}; });
  for (const char* name : {"Zeros", "ZerosLike"}) kernels.add(name, kAnyDType, {.run = run_zeros});
  for (const char* name : {"Fill", "Identity", "StopGradient", "_EagerConst"})
    kernels.add(name, kAnyDType, {.run = run_copy});
  kernels.add("Cast", kAnyDType, {.run = run_convert});
}

}  // namespace lutra::cuda
