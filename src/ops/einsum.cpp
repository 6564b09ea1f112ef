// Einstein sums: parsing, shape, and the gradient (which is an einsum again).

#include "ops/einsum.h"

#include <algorithm>
#include <vector>

#include "ops/create.h"
#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The spec of one operand or of the result: letters before the ellipsis and after it.
struct Subscripts {
  std::string before, after;
  bool has_ellipsis = false;
  std::string letters() const { return before + after; }
};

class Reader {
 public:
  Reader(const char* who, std::string_view spec, std::span<const Shape> operands)
      : who_(who), spec_(spec), operands_(operands) {}

  EinsumPlan read() {
    split();
    require(static_cast<std::size_t>(inputs_.size()) == operands_.size(), who_, ": spec '", spec_, "' is about ",
            inputs_.size(), inputs_.size() == 1 ? " operand, " : " operands, ", operands_.size(),
            operands_.size() == 1 ? " is given" : " are given");
    plan_.n_in = static_cast<int>(operands_.size());
    for (int i = 0; i < plan_.n_in; ++i) measure_ellipsis(i);
    add_ellipsis_labels();
    for (int i = 0; i < plan_.n_in; ++i) label_operand(i);
    label_result();
    return plan_;
  }

 private:
  template <class... Parts> [[noreturn]] void wrong(const Parts&... parts) const {
    fail(ErrorCode::InvalidArgument, who_, ": spec '", spec_, "' ", parts...);
  }

  void split() {
    std::string text;
    for (char c : spec_) {
      if (c != ' ') text += c;
    }
    std::size_t arrow = text.find("->");
    has_result_ = arrow != std::string::npos;
    if (has_result_) result_ = subscripts(std::string_view(text).substr(arrow + 2));
    std::string_view left = std::string_view(text).substr(0, arrow);
    while (true) {
      std::size_t comma = left.find(',');
      inputs_.push_back(subscripts(left.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      left.remove_prefix(comma + 1);
    }
  }

  Subscripts subscripts(std::string_view text) const {
    Subscripts found;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.substr(i, 3) == "...") {
        if (found.has_ellipsis) wrong("has two ellipses in one place");
        found.has_ellipsis = true;
        i += 2;
        continue;
      }
      if (!is_letter(text[i]))
        wrong("has '", text.substr(i, 1),
              "'; axes are letters, operands stand between commas, and -> goes before the result");
      (found.has_ellipsis ? found.after : found.before) += text[i];
    }
    return found;
  }

  std::string operand(int i) const { return text("operand ", i + 1, " ", operands_[static_cast<std::size_t>(i)]); }

  // The number of axes that an operand's ellipsis covers.
  int ellipsis_rank(int i) const {
    const Subscripts& letters = inputs_[static_cast<std::size_t>(i)];
    int named = static_cast<int>(letters.before.size() + letters.after.size());
    return operands_[static_cast<std::size_t>(i)].rank() - named;
  }

  void measure_ellipsis(int i) {
    const Subscripts& letters = inputs_[static_cast<std::size_t>(i)];
    int rest = ellipsis_rank(i);
    if (rest < 0 || (rest > 0 && !letters.has_ellipsis))
      wrong("names ", letters.letters().size(), letters.letters().size() == 1 ? " axis" : " axes", " of ", operand(i),
            ", which has ", operands_[static_cast<std::size_t>(i)].rank());
    for (int axis = 0; axis < rest; ++axis) {
      int from_end = rest - 1 - axis;
      int64_t size = operands_[static_cast<std::size_t>(i)][static_cast<int>(letters.before.size()) + axis];
      int64_t& known = ellipsis_[from_end];
      ellipsis_rank_ = std::max(ellipsis_rank_, from_end + 1);
      if (known != 1 && size != 1 && known != size)
        wrong("has an ellipsis that does not broadcast: ", operand(i), " has ", size, " where another operand has ",
              known);
      if (size != 1) known = size;
    }
  }

  // Labels 0 to ellipsis_rank_ - 1 are the ellipsis' axes, from the first on.
  void add_ellipsis_labels() {
    for (int axis = 0; axis < ellipsis_rank_; ++axis) add_label(0, ellipsis_[ellipsis_rank_ - 1 - axis]);
  }

  int8_t add_label(char letter, int64_t size) {
    if (plan_.labels == kMostLabels) wrong("has more than ", kMostLabels, " different axes");
    plan_.letter[plan_.labels] = letter;
    plan_.size[plan_.labels] = size;
    return static_cast<int8_t>(plan_.labels++);
  }

  int8_t find(char letter) const {
    for (int label = ellipsis_rank_; label < plan_.labels; ++label) {
      if (plan_.letter[label] == letter) return static_cast<int8_t>(label);
    }
    return -1;
  }

  void label_operand(int i) {
    const Subscripts& letters = inputs_[static_cast<std::size_t>(i)];
    const Shape& shape = operands_[static_cast<std::size_t>(i)];
    EinsumPlan::Term& term = plan_.in[i];
    auto name = [&](char letter) {
      int64_t size = shape[term.rank];
      int8_t label = find(letter);
      if (label < 0) label = add_label(letter, size);
      if (plan_.size[label] != size)
        wrong("gives axis ", std::string(1, letter), " two sizes: ", plan_.size[label], ", and ", size, " in ",
              operand(i));
      term.label[term.rank++] = label;
    };
    for (char letter : letters.before) name(letter);
    int rest = ellipsis_rank(i);
    for (int axis = 0; axis < rest; ++axis) {
      term.label[term.rank++] = static_cast<int8_t>(ellipsis_rank_ - rest + axis);
    }
    for (char letter : letters.after) name(letter);
  }

  void add_to_result(int8_t label) {
    if (plan_.out.rank == kMaxRank) wrong("gives more than ", kMaxRank, " axes");
    plan_.out.label[plan_.out.rank++] = label;
  }

  void add_letters(const std::string& letters) {
    for (char letter : letters) {
      int8_t label = find(letter);
      if (label < 0) wrong("has axis ", std::string(1, letter), " in the result and in no operand");
      for (int i = 0; i < plan_.out.rank; ++i) {
        if (plan_.out.label[i] == label) wrong("has axis ", std::string(1, letter), " twice in the result");
      }
      add_to_result(label);
    }
  }

  // Without an arrow: the ellipsis, then the letters that occur once, in the order of their codes.
  void choose_result() {
    result_.has_ellipsis = true;
    std::string all, once;
    for (const Subscripts& letters : inputs_) all += letters.letters();
    std::sort(all.begin(), all.end());
    for (char letter : all) {
      if (std::count(all.begin(), all.end(), letter) == 1) once += letter;
    }
    result_.after = once;
  }

  void label_result() {
    if (!has_result_) choose_result();
    if (!result_.has_ellipsis && ellipsis_rank_ > 0)
      wrong("leaves out the ellipsis' axes; write ... in the result too");
    add_letters(result_.before);
    for (int axis = 0; result_.has_ellipsis && axis < ellipsis_rank_; ++axis) add_to_result(static_cast<int8_t>(axis));
    add_letters(result_.after);
  }

  const char* who_;
  std::string_view spec_;
  std::span<const Shape> operands_;
  std::vector<Subscripts> inputs_;
  Subscripts result_;
  bool has_result_ = false;
  int ellipsis_rank_ = 0;
  std::array<int64_t, kMaxRank> ellipsis_ = {1, 1, 1, 1, 1, 1, 1, 1};  // from the last axis on
  EinsumPlan plan_;
};

void einsum_shape(Inference& inference) {
  Shape shapes[kMostOperands];
  for (int i = 0; i < inference.inputs(); ++i) shapes[i] = inference.shape(i);
  std::span<const Shape> operands(shapes, static_cast<std::size_t>(inference.inputs()));
  std::string_view spec = inference.attrs<EinsumAttrs>().spec.view();
  inference.output(inference.key(), plan_einsum(inference.who(), spec, operands).out_shape());
}

// One multiplication and one addition for each combination of all axes, as if not multiplied in pairs.
Cost einsum_cost(const KernelArgs& args) {
  Shape shapes[kMostOperands];
  double bytes = static_cast<double>(args.out[0].size);
  for (int i = 0; i < args.n_in; ++i) {
    shapes[i].assign(args.in[i].dims, args.in[i].rank);
    bytes += static_cast<double>(args.in[i].size);
  }
  EinsumPlan plan =
      plan_einsum(args.op->called(), args.as<EinsumAttrs>().spec.view(), {shapes, static_cast<std::size_t>(args.n_in)});
  double flops = 2;
  for (int label = 0; label < plan.labels; ++label) flops *= static_cast<double>(plan.size[label]);
  return {.flops = flops, .bytes = bytes * static_cast<double>(size_of(args.out[0].dtype))};
}

// The gradient of one operand: undoes what the sum did with its axes (summed, broadcast, taken as a diagonal).
class OperandGradient {
 public:
  OperandGradient(Gradient& g, const EinsumPlan& plan) : g_(g), plan_(plan) {
    char next = 'a';
    for (int label = 0; label < plan.labels; ++label) letters_ += plan.letter[label];
    for (char& letter : letters_) {
      if (letter != 0) continue;
      while (letters_.find(next) != std::string::npos) next = following(next);
      letter = next;
    }
  }

  void add(int operand) {
    const EinsumPlan::Term& term = plan_.in[operand];
    Shape shape = g_.shape_of(operand);
    // The operand's own axes, each once, without those that the ellipsis broadcasts.
    std::string own, all;
    for (int axis = 0; axis < term.rank; ++axis) {
      if (repeats(term, axis, shape)) continue;
      char letter = letters_[static_cast<std::size_t>(term.label[axis])];
      all += letter;
      if (own.find(letter) == std::string::npos) own += letter;
    }
    Value value = spread(combine(operand, own), own);
    if (all != own) value = put_on_diagonals(value, own, all);
    g_.add(operand, g_.reshape(value, shape));
  }

 private:
  static char following(char letter) { return letter == 'z' ? 'A' : static_cast<char>(letter + 1); }

  bool repeats(const EinsumPlan::Term& term, int axis, const Shape& shape) const {
    return shape[axis] != plan_.size[term.label[axis]];
  }

  // The einsum of dy and the other operands, with those of the operand's axes that they have: `kept_`.
  Value combine(int operand, const std::string& own) {
    std::string spec;
    for (int i = 0; i < plan_.out.rank; ++i) spec += letters_[static_cast<std::size_t>(plan_.out.label[i])];
    std::vector<Value> values = {g_.dy()};
    for (int i = 0; i < plan_.n_in; ++i) {
      if (i == operand) continue;
      spec += ',';
      Shape shape = g_.shape_of(i), narrowed;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (repeats(plan_.in[i], axis, shape)) continue;
        spec += letters_[static_cast<std::size_t>(plan_.in[i].label[axis])];
        narrowed.push(shape[axis]);
      }
      values.push_back(g_.x(i).is_number() ? g_.x(i) : g_.reshape(conj(g_, g_.x(i)), narrowed));
    }
    kept_.clear();
    for (char letter : own) {
      if (spec.find(letter) != std::string::npos) kept_ += letter;
    }
    return einsum(spec + "->" + kept_, values);
  }

  // Adds the axes that only this operand had: along them the gradient is constant.
  Value spread(Value value, const std::string& own) {
    if (kept_ == own) return value;
    Shape narrow, wide;
    for (char letter : own) {
      int64_t size = size_of_letter(letter);
      wide.push(size);
      narrow.push(kept_.find(letter) != std::string::npos ? size : 1);
    }
    return g_.broadcast_to(g_.reshape(value, narrow), wide);
  }

  // ii of the operand: the gradient has i, and is zero off the diagonal.
  Value put_on_diagonals(Value value, const std::string& own, const std::string& all) {
    std::string spec = own, result;
    std::vector<Value> values = {value};
    std::string used = letters_;
    char next = 'a';
    for (char letter : all) {
      if (result.find(letter) == std::string::npos) {
        result += letter;
        continue;
      }
      while (used.find(next) != std::string::npos) next = following(next);
      used += next;
      spec += std::string(",") + letter + next;
      result += next;
      values.push_back(g_.call("Eye", {}, EyeAttrs{size_of_letter(letter), {}, g_.dtype(value)}));
    }
    return einsum(spec + "->" + result, values);
  }

  int64_t size_of_letter(char letter) const { return plan_.size[letters_.find(letter)]; }

  Value einsum(const std::string& spec, const std::vector<Value>& values) {
    EinsumAttrs attrs;
    if (!attrs.spec.assign(spec)) fail(ErrorCode::Internal, "einsum's gradient is longer than ", Text::kMost);
    return g_.call("Einsum", values, attrs);
  }

  Gradient& g_;
  const EinsumPlan& plan_;
  std::string letters_;  // of each label
  std::string kept_;
};

void einsum_gradient(Gradient& g) {
  Shape shapes[kMostOperands];
  for (int i = 0; i < g.inputs(); ++i) shapes[i] = g.shape_of(i);
  EinsumPlan plan =
      plan_einsum(g.op().called(), g.attrs<EinsumAttrs>().spec.view(), {shapes, static_cast<std::size_t>(g.inputs())});
  OperandGradient rule(g, plan);
  for (int i = 0; i < g.inputs(); ++i) {
    if (g.needs(i)) rule.add(i);
  }
}

Shape shape_of(const Array& array) {
  Shape shape;
  shape.assign(array.dims, array.rank);
  return shape;
}

// `operand` gives the shape of an operand by its number.
template <class Operand>
EinsumCall call_of(const char* who, std::string_view spec, int operands, const Operand& operand) {
  Shape shapes[kMostOperands];
  EinsumCall call;
  for (int i = 0; i < operands; ++i) {
    shapes[i] = operand(i);
    std::copy_n(shapes[i].data(), shapes[i].rank(), call.dims[i]);
  }
  call.plan = plan_einsum(who, spec, {shapes, static_cast<std::size_t>(operands)});
  return call;
}

}  // namespace

EinsumPlan plan_einsum(const char* who, std::string_view spec, std::span<const Shape> operands) {
  return Reader(who, spec, operands).read();
}

EinsumCall einsum_call(const KernelArgs& args) {
  return call_of(args.op->called(), args.as<EinsumAttrs>().spec.view(), args.n_in,
                 [&](int i) { return shape_of(args.in[i]); });
}

EinsumCall dot_call(const KernelArgs& args) {
  DotLetters letters(args.in[0].rank, args.in[1].rank);
  return call_of("dot", letters.a + "," + letters.b + "->" + letters.out, 2,
                 [&](int i) { return shape_of(args.in[i]); });
}

EinsumCall outer_call(const KernelArgs& args) {
  return call_of("outer", "a,b->ab", 2, [&](int i) { return Shape{args.in[i].size}; });
}

void define_einsum_ops(OpRegistry& ops) {
  std::vector<InputDef> inputs = {{"a", kEveryNumber, "as many axes as its letters", kNumber}};
  for (const char* name : {"b", "c", "d", "e", "f", "g", "h"}) {
    inputs.push_back({name, kEveryNumber, "as many axes as its letters", kOptional | kNumber});
  }
  ops.define({
      .name = "Einsum",
      .lua_name = "einsum",
      .summary =
          "The sum of products of up to eight operands. Letters name the axes: an axis that is not in the result is "
          "summed over, and a letter that occurs twice in one operand takes its diagonal. An ellipsis covers any other "
          "axes, which broadcast. Without an arrow the result has the ellipsis, then the letters that occur once: "
          "capitals first, then in alphabetical order. Operands are multiplied in pairs, the cheapest pair first.",
      .inputs = inputs,
      .attrs = attrs<EinsumAttrs>(
          {attr("spec", &EinsumAttrs::spec, "letters of each operand, commas between, -> and the result's letters")
               .before_inputs()}),
      .output = "the axes that spec names; the promoted dtype, in which integers wrap",
      .errors =
          "InvalidArgument if spec is malformed, does not fit the operands' axes, gives a letter two sizes, or lacks "
          "the ellipsis in the result, and if all operands are bool.",
      .source = "numpy.einsum; a letter's sizes must be equal, as in tf.einsum",
      .example = "lutra.einsum(\"ij,jk->ik\", {{1, 2}, {3, 4}}, {{5}, {6}})  --> {{17}, {39}}",
      .shape = einsum_shape,
      .gradient = einsum_gradient,
      .saves = kAllX,
      .cost = einsum_cost,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
