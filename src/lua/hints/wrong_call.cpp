#include "lua/hints/wrong_call.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "lua/border/args.h"
#include "lua/border/own_entries.h"
#include "lua/ops/attr_reader.h"
#include "ops/inference.h"

namespace lutra {
namespace {

// What to write if a required argument is missing.
struct Instead {
  const char *op, *input, *words;
};
constexpr const char* kWhereAlone = "where(cond) alone gives the indices of the true elements of a tensor or table";
constexpr Instead kInstead[] = {
    {"clip", "min", "without a lower bound write minimum(x, max)"},
    {"clip", "max", "without an upper bound write maximum(x, min)"},
    {"where", "x", kWhereAlone},
    {"where", "y", kWhereAlone},
};

std::string without_value(const OpDef& op, std::string_view input) {
  for (const Instead& each : kInstead) {
    if (std::strcmp(each.op, op.called()) == 0 && input == each.input) return text("; ", each.words);
  }
  return "";
}

// A positional option may be given by position or by name; without a default it must be given in one of these ways.
bool may_be_left_out(const AttrDef& def) { return !def.is_required && *def.fallback != '\0'; }

// Visits the op's positional arguments in order: f(name, whether it may be left out).
template <class F> void each_place(const OpDef& op, F&& f) {
  for (const AttrDef& def : op.attrs.defs) {
    if (def.is_before_inputs) f(def.name, false);
  }
  for (const InputDef& input : op.inputs) f(input.name, (input.flags & kOptional) != 0);
  for (const AttrDef& def : op.attrs.defs) {
    if (def.is_positional && !def.is_before_inputs) f(def.name, may_be_left_out(def));
  }
}

const char* name_at(const OpBinding& binding, int place) {
  const OpBinding::Place& at = binding.places[static_cast<std::size_t>(place)];
  return at.attr != nullptr ? at.attr->name : binding.op->inputs[static_cast<std::size_t>(at.input)].name;
}

bool is_plain(lua_State* L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TNUMBER || type == LUA_TBOOLEAN || type == LUA_TSTRING;
}

// "axis = 2" for the key and value on top of the stack; the value is abbreviated.
std::string entry_text(lua_State* L) {
  return text(std::string_view(lua_tostring(L, -2)).substr(0, 40), " = ", is_plain(L, -1) ? what_is(L, -1) : "...");
}

// "{axis = 2}" for a table of options.
std::string options_text(lua_State* L, int index) {
  std::vector<std::string> entries;
  for (lua_pushnil(L); lua_next(L, index) != 0 && entries.size() < 4; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    entries.push_back(entry_text(L));
  }
  std::sort(entries.begin(), entries.end());
  std::string all;
  for (const std::string& each : entries) append(all, text(all.empty() ? "" : ", ", each));
  return text("{", all, "}");
}

// Whether the op takes these axes, for the tensor that is its first argument.
bool takes_axes(lua_State* L, const OpBinding& binding, const AttrDef& attr, std::span<const int64_t> axes) {
  const OpDef& op = *binding.op;
  Box* box = to_live_box(L, 1);
  if (op.inputs.size() != 1 || op.shape == nullptr || box == nullptr) return false;
  Operand x = {&box->tensor, {}};
  Call call(op, &x, 1, 1);
  Axes* list = reinterpret_cast<Axes*>(call.attrs + attr.offset);
  list->count = static_cast<int8_t>(axes.size());
  list->is_list = true;
  for (std::size_t i = 0; i < axes.size(); ++i) list->v[i] = axes[i] > 0 ? axes[i] - 1 : axes[i];
  OutputMeta outs[kMaxOutputs];
  Inference inference(call, x.tensor->dtype, outs);
  try {
    op.shape(inference);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Converts axes counted from 0, as in other libraries, to ours.
bool count_from_one(std::span<int64_t> axes) {
  bool has_zero = std::find(axes.begin(), axes.end(), 0) != axes.end();
  if (has_zero) {
    for (int64_t& axis : axes) axis += axis >= 0 && axis <= kMaxRank ? 1 : 0;
  }
  return has_zero;
}

// "; write t:reshape{4, 6}" if sizes or axes were given as separate arguments, else "". `callee`: "reshape" or
// "t:reshape".
std::string list_hint(lua_State* L, const OpBinding& binding, int given, const std::string& options,
                      const std::string& callee, bool is_method) {
  int last = static_cast<int>(binding.places.size()) - 1;
  const AttrDef* attr = last >= 0 ? binding.places[static_cast<std::size_t>(last)].attr : nullptr;
  bool are_axes = attr != nullptr && attr->type == AttrType::Axes;
  if (last > 1 || attr == nullptr || !(are_axes || attr->type == AttrType::Dims)) return "";
  if (given <= last + 1 || given - last > kMaxRank) return "";
  std::vector<int64_t> values;
  for (int i = last; i < given; ++i) {
    std::optional<int64_t> value = integral(L, i + 1);
    if (!value) return "";
    values.push_back(*value);
  }
  bool from_zero = are_axes && count_from_one(values);
  if (are_axes && !takes_axes(L, binding, *attr, values)) return "";
  std::string list;
  for (int64_t value : values) append(list, text(list.empty() ? "" : ", ", value));
  list = text("{", list, "}");
  bool is_alone = last == (is_method ? 1 : 0);
  if (!options.empty()) list = text("(", is_alone ? "" : text(name_at(binding, 0), ", "), list, ", ", options, ")");
  else if (!is_alone) list = text("(", name_at(binding, 0), ", ", list, ")");
  std::string hint = text(from_zero ? "; axes count from 1: write " : "; write ", callee, list);
  // random.normal(3, 0, 1) may also have meant mean and stddev.
  if (is_alone && attr->type == AttrType::Dims && options.empty()) {
    std::string named;
    int next = 1;
    for (const AttrDef& def : binding.op->attrs.defs) {
      bool is_number = def.type == AttrType::Float || def.type == AttrType::Number;
      if (!is_number || !is_users(def) || def.is_positional || next >= static_cast<int>(values.size())) continue;
      append(named, text(named.empty() ? "" : ", ", def.name, " = ", values[static_cast<std::size_t>(next++)]));
    }
    if (!named.empty() && next == static_cast<int>(values.size())) {
      append(hint, text(" for a tensor of that shape, or ", callee, "({", values[0], "}, {", named, "})"));
    }
  }
  return hint;
}

bool may_be(lua_State* L, int index, AttrType type) {
  int kind = lua_type(L, index);
  switch (type) {
    case AttrType::Bool: return kind == LUA_TBOOLEAN;
    case AttrType::Int:
    case AttrType::Seed: return integral(L, index).has_value();
    case AttrType::Float:
    case AttrType::Number:
    case AttrType::Scalar: return kind == LUA_TNUMBER;
    case AttrType::Pair: return integral(L, index).has_value();
    case AttrType::DType: return kind == LUA_TSTRING && parse_dtype(lua_tostring(L, index)).has_value();
    case AttrType::Padding:
      return kind == LUA_TSTRING &&
             (std::strcmp(lua_tostring(L, index), "same") == 0 || std::strcmp(lua_tostring(L, index), "valid") == 0);
    default: return false;
  }
}

// "; options stand in a table: write sum(x, axis, {keepdims = true})" if options were given as separate arguments, in
// order, after the last positional one; else "".
std::string option_hint(lua_State* L, const OpBinding& binding, int given, const std::string& callee, bool is_method) {
  int places = static_cast<int>(binding.places.size());
  const std::vector<AttrDef>& defs = binding.op->attrs.defs;
  std::size_t next = 0;
  std::string options;
  for (int i = places; i < given; ++i) {
    auto is_next = [&](const AttrDef& def) {
      return is_users(def) && !def.is_positional && may_be(L, i + 1, def.type);
    };
    while (next < defs.size() && !is_next(defs[next])) ++next;
    if (next == defs.size()) return "";
    append(options, text(options.empty() ? "" : ", ", defs[next++].name, " = ", what_is(L, i + 1)));
  }
  if (options.empty()) return "";
  std::string arguments;
  for (int i = is_method ? 1 : 0; i < places; ++i) append(arguments, text(name_at(binding, i), ", "));
  return text("; options stand in a table: write ", callee, "(", arguments, "{", options, "})");
}

// What to write if a required argument is missing.
std::string missing_hint(const OpBinding& binding, int given) {
  for (int i = given; i < static_cast<int>(binding.places.size()); ++i) {
    const OpBinding::Place& place = binding.places[static_cast<std::size_t>(i)];
    if (place.required && place.attr == nullptr) return without_value(*binding.op, name_at(binding, i));
  }
  return "";
}

// A hint if `name` is a positional argument, else "".
std::string place_hint(const OpDef& op, std::string_view name) {
  return has_place(op, name) ? text("; ", name, " is a positional argument: ", signature(op, op.called())) : "";
}

bool has_option(const OpDef& op, std::string_view name) {
  auto is_it = [&](const AttrDef& def) { return is_option(def) && name == def.name; };
  return std::any_of(op.attrs.defs.begin(), op.attrs.defs.end(), is_it);
}

// A hint about names among the entries of the list at `index`: where to write them; "" if there are none.
std::string name_hint(lua_State* L, int index, const OpDef& op) {
  std::string hint;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (!hint.empty() || lua_type(L, -2) != LUA_TSTRING) continue;
    hint = place_hint(op, lua_tostring(L, -2));
    if (hint.empty()) {
      hint = has_option(op, lua_tostring(L, -2)) ? options_apart(L, op.called())
                                                 : text("; there is no option ", what_is(L, -2));
    }
  }
  return hint;
}

}  // namespace

std::string hint_at_place(lua_State* L, int index, const OpDef& op) {
  if (lua_type(L, index) != LUA_TTABLE) return "";
  std::string hint;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (hint.empty() && lua_type(L, -2) == LUA_TSTRING) hint = place_hint(op, lua_tostring(L, -2));
  }
  return hint;
}

std::string signature(const OpDef& op, std::string_view callee, bool is_method) {
  std::string out = text(callee, "(");
  int skipped = is_method ? 1 : 0, count = 0;
  auto add = [&](const char* name, bool may_be_left_out) {
    if (skipped-- > 0) return;
    append(out, text(count++ > 0 ? ", " : "", may_be_left_out ? "[" : "", name, may_be_left_out ? "]" : ""));
  };
  each_place(op, add);
  bool any_option = std::any_of(op.attrs.defs.begin(), op.attrs.defs.end(),
                                [](const AttrDef& def) { return !def.is_positional && is_users(def); });
  if (any_option) add("options", true);
  return out + ")";
}

bool has_place(const OpDef& op, std::string_view name) {
  bool found = false;
  each_place(op, [&](const char* each, bool) { found |= name == each; });
  for (const AttrDef& def : op.attrs.defs) found &= !(is_option(def) && name == def.name);
  return found;
}

std::string options_apart(lua_State* L, const char* who) {
  return text("; options stand in a table of their own: ", who, "({...}, {", entry_text(L), "})");
}

// A method's arguments are counted as written, without the tensor before the colon.
[[gnu::cold]] void fail_count(lua_State* L, const OpBinding& binding, int given, int options) {
  const OpDef& op = *binding.op;
  bool has_tensor_first = !binding.places.empty() && binding.places[0].attr == nullptr;
  bool is_method = given > 0 && has_tensor_first && is_method_call(L);
  std::string callee = text(is_method ? "t:" : "", op.called());
  std::string hint = missing_hint(binding, given);
  if (hint.empty()) {
    hint = list_hint(L, binding, given, options != 0 ? options_text(L, options) : "", callee, is_method);
  }
  if (hint.empty() && options == 0) hint = option_hint(L, binding, given, callee, is_method);
  int written = given + (options != 0 ? 1 : 0) - (is_method ? 1 : 0);
  fail(ErrorCode::InvalidArgument, op.called(), ": ", written,
       written == 1 ? " argument given, expected " : " arguments given, expected ", signature(op, callee, is_method),
       hint);
}

[[gnu::cold, gnu::noinline]] void fail_operand(lua_State* L, int index, const OpDef& op, const InputDef& def,
                                               int entry) {
  std::string name = entry > 0 ? text(def.name, "[", entry, "]") : def.name;
  if (Box* box = to_box(L, index); box != nullptr && box->is_released()) {
    fail(ErrorCode::FailedPrecondition, op.called(), ": ", name, " is a tensor that has been released");
  }
  fail(ErrorCode::InvalidArgument, op.called(), ": ", name, " is ", what_is(L, index), ", expected ",
       (def.flags & kNumber) != 0 ? "a tensor, a table or a number" : "a tensor or a table",
       lua_isnoneornil(L, index)                                          ? without_value(op, def.name)
       : lua_type(L, index) == LUA_TSTRING && lua_isnumber(L, index) != 0 ? "; tonumber makes a number of it"
                                                                          : "");
}

[[gnu::cold]] void refuse_options(lua_State* L, int index, const OpDef& op, const InputDef& def) {
  if (has_made_up_entries(L, index)) return;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    std::string_view key = lua_tostring(L, -2);
    if (!has_option(op, key) && !has_place(op, key)) continue;
    fail(ErrorCode::InvalidArgument, op.called(), ": ", def.name, " is a table with the name ", what_is(L, -2),
         ", expected a tensor or a table of numbers: ", signature(op, op.called()));
  }
}

[[gnu::cold]] void fail_list(lua_State* L, int index, const OpDef& op, const InputDef& def) {
  std::string rest = signature(op, "");
  rest = rest.substr(std::min(rest.find_first_of(",)"), rest.size()));
  fail(ErrorCode::InvalidArgument, op.called(), ": ", def.name, " is ", what_is(L, index),
       ", expected a list of tensors",
       to_box(L, index) != nullptr ? text(": ", op.called(), "({a, b, ...}", rest) : "");
}

[[gnu::cold]] void fail_no_list(lua_State* L, int index, const OpDef& op, const char* name, const char* wanted) {
  std::string hint = name_hint(L, index, op);
  fail(ErrorCode::InvalidArgument, op.called(), ": ", name,
       hint.empty() ? " has a hole" : " has names among its entries", ", expected ", wanted, hint);
}

}  // namespace lutra
