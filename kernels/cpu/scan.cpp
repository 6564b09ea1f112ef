// Running sums on the CPU, recurrences, and ops for their gradients. Running products are in scan/, so that no file
// takes long to compile.

#include "ops/scan.h"

#include "kernels/cpu/scan/scans.h"

namespace lutra {
namespace {

using scans::Lines;

// Calls each(first element of the line or tile, columns) for all lines, in parallel.
template <class Each> void for_lines(const Lines& lines, const Each& each) {
  const Extent& extent = lines.extent;
  int64_t tiles = lines.tiles();
  parallel_for(extent.outer * tiles, row_grain(kCheapGrain / 4, extent.size * std::min(extent.inner, kTile)),
               [=](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   int64_t column = item % tiles * kTile;
                   each(lines.at(item / tiles, 0) + column, std::min(kTile, extent.inner - column));
                 }
               });
}

// out[i] = b[i] + carry, carry = x[i] out[i]; exclusive: out[i] = carry, carry = b[i] + x[i] carry.
template <class T> void run_recurrence(const KernelArgs& args) {
  const ScanAttrs& attrs = args.as<ScanAttrs>();
  if (args.in[0].size == 0) return;
  Lines lines(args.in[0], attrs);
  const T* x = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  for_lines(lines, [=](int64_t first, int64_t columns) {
    double carry[kTile] = {};
    for (int64_t i = 0; i < lines.extent.size; ++i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        double factor = static_cast<double>(static_cast<ComputeType<T>>(x[at + k]));
        double term = static_cast<double>(static_cast<ComputeType<T>>(b[at + k]));
        double sum = term + (attrs.exclusive ? factor * carry[k] : carry[k]);
        out[at + k] = rounded<T>(attrs.exclusive ? carry[k] : sum);
        carry[k] = attrs.exclusive ? sum : factor * sum;
      }
    }
  });
}

// The product of all elements before, kept in scratch memory, times that of all after.
template <class T> void run_prod_others(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  Lines lines(args.in[0], args.as<ScanAttrs>());
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  double* before = reinterpret_cast<double*>(args.scratch);
  for_lines(lines, [=](int64_t first, int64_t columns) {
    double product[kTile];
    auto value = [=](int64_t at) { return static_cast<double>(static_cast<ComputeType<T>>(x[at])); };
    std::fill(product, product + columns, 1.0);
    for (int64_t i = 0; i < lines.extent.size; ++i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        before[at + k] = product[k];
        product[k] *= value(at + k);
      }
    }
    std::fill(product, product + columns, 1.0);
    for (int64_t i = lines.extent.size - 1; i >= 0; --i) {
      int64_t at = first + i * lines.step;
      for (int64_t k = 0; k < columns; ++k) {
        out[at + k] = rounded<T>(before[at + k] * product[k]);
        product[k] *= value(at + k);
      }
    }
  });
}

std::size_t prod_others_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(args.in[0].size) * sizeof(double);
}

}  // namespace

void register_scan_cpu(KernelRegistry& kernels) {
  scans::add_scans<RunningSum>(kernels, "Cumsum", AllTypes{});
  add_running_products(kernels);
  kernels.add_each("LinearRecurrence", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_recurrence<typename decltype(tag)::type>}; });
  kernels.add_each("ProdOthers", DeviceType::CPU, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_prod_others<typename decltype(tag)::type>, .scratch = prod_others_scratch};
  });
}

}  // namespace lutra
