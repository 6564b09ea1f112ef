// Combines elements at positions with updates on the CPU.

#include "kernels/cpu/loops/scatter.h"
#include "kernels/element/arithmetic.h"
#include "ops/index.h"

namespace lutra {
namespace {

struct Last {
  template <class C> static C apply(C, C update) { return update; }
};

// The indices, the number of slices that they point to, and the elements of each.
struct Slices {
  NdPlaces places;
  int64_t parts, length;

  explicit Slices(const KernelArgs& args)
      : places(args.in[1], args.as<IndexAttrs>().base.value, args.in[0].dims),
        parts(places.parts()),
        length(product(args.in[0].dims, static_cast<int>(places.depth), args.in[0].rank)) {}

  // A variable that is updated in place keeps its value if an index is out of range.
  bool are_there() const {
    int64_t at[kPlacesAtOnce];
    for (int64_t i = 0, count = places.count(); i < count; i += kPlacesAtOnce) {
      int64_t together = std::min(kPlacesAtOnce, count - i);
      places.read(i, together, at);
      if (!all_are_places(at, together)) return false;
    }
    return true;
  }
};

// Only bytes move, so there is one version per element size.
template <class E> void update_elements(const KernelArgs& args, const Slices& slices) {
  const Array &x = args.in[0], &out = args.out[0], &updates = args.in[2];
  if (out.data != x.data) {
    parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
      copy_bytes(out.as<E>() + begin, x.as<E>() + begin, (end - begin) * static_cast<int64_t>(sizeof(E)));
    });
  }
  add_rows<Last>(slices.places, updates.as<E>(), updates.rank == 0, out.as<E>(), 1, slices.parts, slices.length);
}

void run_update(const KernelArgs& args) {
  Slices slices(args);
  if (args.in[0].size == 0 || !slices.are_there()) return slices.places.report(*args.fault);
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { update_elements<E>(args, slices); });
}

template <class T, class How> void run_combine(const KernelArgs& args) {
  const Array& updates = args.in[2];
  Slices slices(args);
  if (args.in[0].size == 0) return slices.places.report(*args.fault);
  Sums<T> sums(args);
  sums.start(args.in[0].as<T>());
  bool repeats = updates.rank == 0;
  bool all_found = add_rows<How>(slices.places, updates.as<T>(), repeats, sums.at, 1, slices.parts, slices.length);
  sums.finish();
  if (!all_found) slices.places.report(*args.fault);
}

template <class How, class Types> void add_combine(KernelRegistry& kernels, const char* op, Types types) {
  kernels.add_each(op, DeviceType::CPU, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_combine<T, How>, .scratch = Sums<T>::kApart ? Sums<T>::scratch : nullptr};
  });
}

}  // namespace

void register_scatter_nd_cpu(KernelRegistry& kernels) {
  kernels.add("TensorScatterUpdate", DeviceType::CPU, kEveryDType, {.run = run_update});
  add_combine<Plus>(kernels, "TensorScatterAdd", EveryNumber{});
  add_combine<Maximum>(kernels, "TensorScatterMax", AllNumbers{});
  add_combine<Minimum>(kernels, "TensorScatterMin", AllNumbers{});
}

}  // namespace lutra
