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

bool are_alike(const AttrDef& def, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  auto are_equal = [&]<class T>(TypeTag<T>) { return read<T>(a, def) == read<T>(b, def); };
  switch (def.type) {
    case AttrType::Bool: return are_equal(TypeTag<bool>{});
    case AttrType::Int: return are_equal(TypeTag<int64_t>{});
    case AttrType::Float: return are_equal(TypeTag<uint64_t>{});  // by their bits: a nan is equal to itself
    case AttrType::DType: return are_equal(TypeTag<DType>{});
    case AttrType::Number: return are_alike(read<Number>(a, def).value, read<Number>(b, def).value);
    case AttrType::Scalar: return are_alike(read<Scalar>(a, def), read<Scalar>(b, def));
    case AttrType::Axes: return are_equal(TypeTag<Axes>{});
    case AttrType::Dims: return are_equal(TypeTag<Dims>{});
    case AttrType::Counts: return are_equal(TypeTag<Counts>{});
    case AttrType::Text: return are_equal(TypeTag<Text>{});
    case AttrType::Ints: return are_equal(TypeTag<Ints>{});
    case AttrType::Pads: return are_equal(TypeTag<Pads>{});
    case AttrType::Part: return are_equal(TypeTag<Part>{});
    case AttrType::Pair: return are_equal(TypeTag<Pair>{});
    case AttrType::Padding: return are_equal(TypeTag<Padding>{});
    case AttrType::Rng: return are_equal(TypeTag<Rng>{});
    case AttrType::Seed: return are_equal(TypeTag<Seed>{});
    case AttrType::IndexBase: return are_equal(TypeTag<IndexBase>{});
  }
  return false;
}

// Attribute by attribute, since there may be anything between them and behind the ends of their lists.
bool are_attrs_alike(const Step& a, const Step& b) {
  if (a.attrs.size() != b.attrs.size()) return false;
  if (a.op == nullptr) return true;
  const AttrTable& table = a.op->attrs;
  if (table.are_equal != nullptr) return table.are_equal(a.attrs.data(), b.attrs.data());
  return std::all_of(table.defs.begin(), table.defs.end(),
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

std::string difference_of(Context& context, const Program& a, const Program& b) {
  auto are_cells_alike = [&](const Cell& x, const Cell& y) {
    // The bytes of a constant on a GPU are not here to compare.
    const bool has_bytes = context.runtime().device(x.device).is_host();
    if (x.kind == Cell::Kind::Constant && !has_bytes) return x.constant.rep().storage == y.constant.rep().storage;
    return are_alike(x, y);
  };
  auto name = [](const Program& program, std::size_t i) {
    if (i >= program.steps.size()) return std::string("nothing");
    const Step& step = program.steps[i];
    const char* what = step.kind == Step::Kind::Copy ? "a copy"
                       : step.op != nullptr          ? step.op->logged()
                                                     : "an assignment";
    const std::string& line = program.lines[step.line];
    return line.empty() ? std::string(what) : text(what, " at ", line);
  };
  for (std::size_t i = 0; i < std::max(a.steps.size(), b.steps.size()); ++i) {
    if (i < a.steps.size() && i < b.steps.size() && are_alike(a.steps[i], b.steps[i])) continue;
    const std::string first = name(a, i), second = name(b, i);
    if (first == second) return text(first, " has other numbers, shapes or operands");
    return text(second, " runs where ", first, " was recorded");
  }
  if (!std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(), are_cells_alike))
    return "a tensor from outside the function is another";
  const bool same_variables =
      std::equal(a.variables.begin(), a.variables.end(), b.variables.begin(), b.variables.end(),
                 [](const auto& x, const auto& y) { return x.identity == y.identity && x.last == y.last; });
  if (!same_variables) return "it uses other variables";
  const bool same_results = std::equal(
      a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
      [](const auto& x, const auto& y) { return x.place.cell == y.place.cell && x.place.offset == y.place.offset; });
  if (!same_results) return "it returns other tensors";
  const bool same_random = a.random_blocks == b.random_blocks && a.is_seeded == b.is_seeded;
  return same_random ? "" : "it draws other random numbers";
}

bool does_the_same(Context& context, const Program& a, const Program& b) {
  return difference_of(context, a, b).empty();
}

}  // namespace lutra::graph
