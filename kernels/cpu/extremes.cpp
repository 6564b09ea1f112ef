// Running maxima and minima on the CPU. Lines side by side are taken column by column, up to kTile of them.

#include "ops/extremes.h"

#include <cmath>

#include "kernels/cpu/loops/reduce.h"
#include "ops/axes.h"

namespace lutra {
namespace {

template <bool largest, class C> [[gnu::always_inline]] inline bool takes_over(C next, C best) {
  bool is_further = largest ? next >= best : next <= best;
  if constexpr (std::is_floating_point_v<C>) return (best == best) & (is_further | (next != next));
  else return is_further;
}

template <class T, bool largest> void run_extremes(const KernelArgs& args) {
  using C = ComputeType<T>;
  const Array& x = args.in[0];
  if (x.size == 0) return;
  const ExtremeAttrs& attrs = args.as<ExtremeAttrs>();
  Extent extent{1, x.size, 1};
  if (attrs.axis.given()) extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, 0));
  const int64_t base = attrs.base.value, tiles = (extent.inner + kTile - 1) / kTile;
  const T* from = x.as<T>();
  T* values = args.out[0].as<T>();
  int64_t* places = args.out[1].as<int64_t>();
  parallel_for(extent.outer * tiles, row_grain(kCheapGrain, extent.size * std::min(extent.inner, kTile)),
               [=](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   int64_t column = item % tiles * kTile, columns = std::min(kTile, extent.inner - column);
                   int64_t at = item / tiles * extent.size * extent.inner + column;
                   if (columns == 1) {
                     C best = static_cast<C>(from[at]);
                     int64_t place = base;
                     for (int64_t i = 0; i < extent.size; ++i, at += extent.inner) {
                       C next = static_cast<C>(from[at]);
                       bool takes = takes_over<largest>(next, best);
                       best = takes ? next : best;
                       place = takes ? base + i : place;
                       values[at] = static_cast<T>(best);
                       places[at] = place;
                     }
                     continue;
                   }
                   C best[kTile];
                   int64_t place[kTile];
                   for (int64_t k = 0; k < columns; ++k) {
                     best[k] = static_cast<C>(from[at + k]);
                     place[k] = base;
                   }
                   for (int64_t i = 0; i < extent.size; ++i, at += extent.inner) {
                     for (int64_t k = 0; k < columns; ++k) {
                       C next = static_cast<C>(from[at + k]);
                       bool takes = takes_over<largest>(next, best[k]);
                       best[k] = takes ? next : best[k];
                       place[k] = takes ? base + i : place[k];
                       values[at + k] = static_cast<T>(best[k]);
                       places[at + k] = place[k];
                     }
                   }
                 }
               });
}

}  // namespace

void register_extremes_cpu(KernelRegistry& kernels) {
  kernels.add_each("Cummax", DeviceType::CPU, AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_extremes<typename decltype(tag)::type, true>}; });
  kernels.add_each("Cummin", DeviceType::CPU, AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_extremes<typename decltype(tag)::type, false>}; });
}

}  // namespace lutra
