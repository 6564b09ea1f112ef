#include "ops/create.h"

#include <cstring>

#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

template <class T> void fill_with(const Array& out, T value) {
  T* to = out.as<T>();
  parallel_for(out.size, kCheapGrain, [=](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
}

template <class T> void run_fill(const KernelArgs& args) { fill_with(args.out[0], *args.in[0].as<T>()); }
template <class T> void run_zeros(const KernelArgs& args) { fill_with(args.out[0], T(0)); }
template <class T> void run_ones(const KernelArgs& args) { fill_with(args.out[0], T(1)); }

template <class T> void run_eye(const KernelArgs& args) {
  const Array& out = args.out[0];
  T* to = out.as<T>();
  std::fill(to, to + out.size, T(0));
  int64_t rows = out.dims[0], columns = out.dims[1];
  for (int64_t i = 0; i < std::min(rows, columns); ++i) to[i * columns + i] = T(1);
}

template <class T> void run_range(const KernelArgs& args) {
  const RangeAttrs& attrs = args.as<RangeAttrs>();
  const Array& out = args.out[0];
  auto is_int = [](const Number& n) { return n.value.kind == Scalar::Kind::Int; };
  if (is_int(attrs.start) && is_int(attrs.step)) {
    // Wraps as integer arithmetic does when a narrow dtype was asked for.
    uint64_t value = static_cast<uint64_t>(attrs.start.value.i);
    for (int64_t i = 0; i < out.size; ++i, value += static_cast<uint64_t>(attrs.step.value.i)) {
      write_element(out.dtype, out.data + static_cast<std::size_t>(i) * sizeof(T),
                    Scalar::of(static_cast<int64_t>(value)));
    }
    return;
  }
  double start = attrs.start.value.as_double(), step = attrs.step.value.as_double();
  for (int64_t i = 0; i < out.size; ++i) {
    double value = start + static_cast<double>(i) * step;
    write_element(out.dtype, out.data + static_cast<std::size_t>(i) * sizeof(T), Scalar::of(value));
  }
}

void run_cast(const KernelArgs& args) {
  const Array& in = args.in[0];
  const Array& out = args.out[0];
  parallel_for(in.size, kCheapGrain, [&](int64_t begin, int64_t end) {
    convert(out.dtype, out.data + static_cast<std::size_t>(begin) * size_of(out.dtype), in.dtype,
            in.data + static_cast<std::size_t>(begin) * size_of(in.dtype), end - begin);
  });
}

void run_copy(const KernelArgs& args) {
  std::size_t bytes = static_cast<std::size_t>(args.out[0].size) * size_of(args.out[0].dtype);
  if (bytes > 0) std::memcpy(args.out[0].data, args.in[0].data, bytes);
}

}  // namespace

void register_create_cpu(KernelRegistry& kernels) {
  auto add_all = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, AllTypes{}, make); };
  add_all("Fill", [](auto tag) { return KernelEntry{.run = run_fill<typename decltype(tag)::type>}; });
  add_all("Eye", [](auto tag) { return KernelEntry{.run = run_eye<typename decltype(tag)::type>}; });
  add_all("Range", [](auto tag) { return KernelEntry{.run = run_range<typename decltype(tag)::type>}; });
  for (const char* name : {"Zeros", "ZerosLike"}) {
    add_all(name, [](auto tag) { return KernelEntry{.run = run_zeros<typename decltype(tag)::type>}; });
  }
  for (const char* name : {"Ones", "OnesLike"}) {
    add_all(name, [](auto tag) { return KernelEntry{.run = run_ones<typename decltype(tag)::type>}; });
  }
  kernels.add("Cast", DeviceType::CPU, kAnyDType, {.run = run_cast});
  for (const char* name : {"Identity", "StopGradient", "_EagerConst"}) kernels.add(name, DeviceType::CPU, kAnyDType, {.run = run_copy});
}

}  // namespace lutra
