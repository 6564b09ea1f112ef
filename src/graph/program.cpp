#include "graph/program.h"

#include <algorithm>
#include <cstring>

namespace lutra::graph {
namespace {

// Cells are numbered in the order in which they are met, so equal recordings have equal numbers.
bool are_alike(const StepArray& a, const StepArray& b) {
  return a.place.cell == b.place.cell && a.place.offset == b.place.offset && a.dtype == b.dtype && a.size == b.size &&
         a.rank == b.rank && a.immediate == b.immediate && a.has_dims == b.has_dims &&
         (!a.has_dims || std::equal(a.dims, a.dims + a.rank, b.dims));
}

bool are_alike(const std::vector<StepArray>& a, const std::vector<StepArray>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StepArray& x, const StepArray& y) { return are_alike(x, y); });
}

template <class T> const T& read(const std::vector<std::byte>& attrs, const AttrDef& def) {
  return *reinterpret_cast<const T*>(attrs.data() + def.offset);
}

bool are_alike(const Scalar& a, const Scalar& b) { return a.kind == b.kind && a.i == b.i; }

template <class T> bool are_lists_alike(const T& a, const T& b) {
  return a.count == b.count && (a.count < 1 || std::equal(a.v, a.v + a.count, b.v));
}

bool are_alike(const AttrDef& def, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  auto both = [&]<class T>(TypeTag<T>, auto compare) { return compare(read<T>(a, def), read<T>(b, def)); };
  auto equal = [](const auto& x, const auto& y) { return x == y; };
  switch (def.type) {
    case AttrType::Bool: return both(TypeTag<bool>{}, equal);
    case AttrType::Int: return both(TypeTag<int64_t>{}, equal);
    case AttrType::Float:
      return both(TypeTag<double>{}, [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; });
    case AttrType::DType: return both(TypeTag<DType>{}, equal);
    case AttrType::Number:
      return both(TypeTag<Number>{}, [](const Number& x, const Number& y) { return are_alike(x.value, y.value); });
    case AttrType::Scalar:
      return both(TypeTag<Scalar>{}, [](const Scalar& x, const Scalar& y) { return are_alike(x, y); });
    case AttrType::Axes:
      return both(TypeTag<Axes>{}, [](const Axes& x, const Axes& y) { return are_lists_alike(x, y); });
    case AttrType::Dims:
      return both(TypeTag<Dims>{}, [](const Dims& x, const Dims& y) { return are_lists_alike(x, y); });
    case AttrType::Counts:
      return both(TypeTag<Counts>{}, [](const Counts& x, const Counts& y) { return are_lists_alike(x, y); });
    case AttrType::Text:
      return both(TypeTag<Text>{}, [](const Text& x, const Text& y) { return x.view() == y.view(); });
    case AttrType::Ints:
      return both(TypeTag<Ints>{}, [](const Ints& x, const Ints& y) {
        return x.is_list() == y.is_list() && (x.is_list() ? are_lists_alike(x, y) : x.one == y.one);
      });
    case AttrType::Pads:
      return both(TypeTag<Pads>{}, [](const Pads& x, const Pads& y) {
        return x.count == y.count && std::equal(&x.v[0][0], &x.v[0][0] + 2 * x.count, &y.v[0][0]);
      });
    case AttrType::Part:
      return both(TypeTag<Part>{}, [](const Part& x, const Part& y) { return x.first == y.first && x.size == y.size; });
    case AttrType::Pair:
      return both(TypeTag<Pair>{}, [](const Pair& x, const Pair& y) {
        return x.given == y.given && x.v[0] == y.v[0] && x.v[1] == y.v[1];
      });
    case AttrType::Padding:
      return both(TypeTag<Padding>{}, [](const Padding& x, const Padding& y) {
        return x.kind == y.kind && x.v[0] == y.v[0] && x.v[1] == y.v[1];
      });
    case AttrType::Rng:
      return both(TypeTag<Rng>{}, [](const Rng& x, const Rng& y) { return x.key == y.key && x.counter == y.counter; });
    case AttrType::Seed:
      return both(TypeTag<Seed>{},
                  [](const Seed& x, const Seed& y) { return x.given == y.given && x.value == y.value; });
    case AttrType::IndexBase:
      return both(TypeTag<IndexBase>{}, [](IndexBase x, IndexBase y) { return x.value == y.value; });
  }
  return false;
}

// Attribute by attribute, since there may be anything between them and behind the ends of their lists. Attributes
// without a definition are those of hidden ops, and follow from the ops and shapes before.
bool are_attrs_alike(const Step& a, const Step& b) {
  if (a.attrs.size() != b.attrs.size()) return false;
  return a.op == nullptr || std::all_of(a.op->attrs.defs.begin(), a.op->attrs.defs.end(),
                                        [&](const AttrDef& def) { return are_alike(def, a.attrs, b.attrs); });
}

bool are_alike(const Step& a, const Step& b) {
  // The numbers of an optimiser's step change from call to call.
  return a.kind == b.kind && a.op == b.op && a.device == b.device && a.variable == b.variable && a.rng_at == b.rng_at &&
         a.numbers == b.numbers && a.scratch == b.scratch && a.literals == b.literals && are_alike(a.in, b.in) &&
         are_alike(a.out, b.out) && (a.numbers >= 0 || are_attrs_alike(a, b));
}

// Constants that the function makes anew at each call have the same bytes.
bool are_alike(const Cell& a, const Cell& b) {
  if (a.kind != b.kind || a.bytes != b.bytes || a.device != b.device || a.is_own != b.is_own) return false;
  if (a.kind != Cell::Kind::Constant) return true;
  const TensorRep &left = a.constant.rep(), &right = b.constant.rep();
  if (left.storage != nullptr && left.storage == right.storage) return left.data == right.data;
  return left.nbytes() == right.nbytes() &&
         (left.nbytes() == 0 || std::memcmp(left.address(), right.address(), left.nbytes()) == 0);
}

}  // namespace

bool does_the_same(Context& context, const Program& a, const Program& b) {
  auto are_cells_alike = [&](const Cell& x, const Cell& y) {
    // The bytes of a constant on a GPU are not here to compare.
    const bool has_bytes = context.runtime().device(x.device).is_host();
    if (x.kind == Cell::Kind::Constant && !has_bytes) return x.constant.rep().storage == y.constant.rep().storage;
    return are_alike(x, y);
  };
  return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [](const Step& x, const Step& y) { return are_alike(x, y); }) &&
         std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(), are_cells_alike) &&
         std::equal(a.variables.begin(), a.variables.end(), b.variables.begin(), b.variables.end(),
                    [](const auto& x, const auto& y) { return x.identity == y.identity && x.last == y.last; }) &&
         a.results.size() == b.results.size() && a.random_blocks == b.random_blocks && a.is_seeded == b.is_seeded;
}

}  // namespace lutra::graph
