// Writes lutra_ops.hpp, the op table as C++ functions for lutra.hpp, to stdout. Run by the build.
#include <cstdio>
#include <string>
#include <vector>

#include "ops/op.h"

namespace lutra {
namespace {

bool is_users(const AttrDef& attr) {
  return attr.type != AttrType::Rng && attr.type != AttrType::Part && attr.type != AttrType::IndexBase;
}

struct Parameter {
  std::string type, name;
  bool is_optional;
};

// C++ has other uses for some names of parameters.
std::string safe(const char* name) {
  std::string out = name;
  for (const char* taken :
       {"default", "double", "float", "int", "bool", "auto", "new", "delete", "operator", "options"}) {
    if (out == taken) out += '_';
  }
  return out;
}

std::vector<Parameter> parameters_of(const OpDef& op) {
  std::vector<Parameter> out;
  for (const AttrDef& attr : op.attrs.defs) {
    if (attr.is_before_inputs) out.push_back({"const Value&", safe(attr.name), false});
  }
  for (const InputDef& input : op.inputs) {
    const bool takes_numbers = (input.flags & kNumber) != 0 || (input.flags & kOptional) != 0;
    const char* type = (input.flags & kVariadic) != 0 ? "const std::vector<Tensor>&"
                       : takes_numbers                ? "const Value&"
                                                      : "const Tensor&";
    out.push_back({type, safe(input.name), (input.flags & kOptional) != 0});
  }
  for (const AttrDef& attr : op.attrs.defs) {
    if (!attr.is_positional || attr.is_before_inputs || !is_users(attr)) continue;
    out.push_back({"const Value&", safe(attr.name), !attr.is_required && !attr.is_leading_optional});
  }
  return out;
}

bool has_options(const OpDef& op) {
  for (const AttrDef& attr : op.attrs.defs) {
    if (is_users(attr) && !attr.is_positional) return true;
  }
  return false;
}

// Whether a call need not have a tensor, whose session it would run in.
bool needs_session(const OpDef& op) {
  const bool has_attr_first = !op.attrs.defs.empty() && op.attrs.defs[0].is_before_inputs;
  return op.inputs.empty() || (has_attr_first && (op.inputs[0].flags & kNumber) != 0);
}

void write_op(const OpDef& op) {
  const std::vector<Parameter> parameters = parameters_of(op);
  std::string path = op.lua_name, space;
  if (std::size_t dot = path.rfind('.'); dot != std::string::npos) {
    space = path.substr(0, dot);
    path = path.substr(dot + 1);
  }
  std::string list = needs_session(op) ? "Session& session" : "", names;
  bool optional_from_here = true;
  std::vector<bool> optional(parameters.size());
  for (std::size_t i = parameters.size(); i-- > 0;)
    optional[i] = optional_from_here = optional_from_here && parameters[i].is_optional;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!list.empty()) list += ", ";
    list += parameters[i].type + " " + parameters[i].name + (optional[i] ? " = Value()" : "");
    names += (names.empty() ? "" : ", ") + ("detail::make_value(" + parameters[i].name + ")");
  }
  if (has_options(op)) list += (list.empty() ? "" : ", ") + std::string("OpOptions options = {}");
  const bool is_list = op.pieces != nullptr;
  const std::string count = std::to_string(is_list ? 1 : op.outputs);
  const std::string result = is_list           ? "std::vector<Tensor>"
                             : op.outputs == 1 ? "Tensor"
                                               : "std::array<Tensor, " + count + ">";
  if (!space.empty()) std::printf("namespace %s {\n", space.c_str());
  std::printf("// %s\ninline %s %s(%s) {\n", op.summary, result.c_str(), path.c_str(), list.c_str());
  const std::size_t size = parameters.size();
  if (size > 0) std::printf("  const Value in[] = {%s};\n", names.c_str());
  std::printf("  Value out[%s];\n", count.c_str());
  std::printf("  detail::run_op(%s, \"%s\", %s, %zu, %s, out, %s);\n",
              needs_session(op) ? "session.handle()" : ("detail::owner_of(in, " + std::to_string(size) + ")").c_str(),
              op.lua_name, size > 0 ? "in" : "nullptr", size, has_options(op) ? "options" : "{}", count.c_str());
  if (is_list || op.outputs == 1) {
    std::printf("  return out[0].as<%s>();\n}\n", result.c_str());
  } else {
    std::printf("  return {");
    for (int i = 0; i < op.outputs; ++i) std::printf("%sout[%d].as<Tensor>()", i > 0 ? ", " : "", i);
    std::printf("};\n}\n");
  }
  if (!space.empty()) std::printf("}  // namespace %s\n", space.c_str());
  std::printf("\n");
}

}  // namespace
}  // namespace lutra

int main() {
  std::puts(
      "// Written by the build from the op table. Do not edit.\n"
      "// Each op of docs/reference/ops.md as a function. Tensors, numbers, lists and strings convert to Value; what "
      "is left\n"
      "// out is nil; options are named: sum(x, 1, {{\"keepdims\", true}}). Axes and indices count from 1, as in Lua. "
      "It runs in\n"
      "// the session of its first tensor. Failures throw ScriptError.\n"
      "#ifndef LUTRA_OPS_HPP\n#define LUTRA_OPS_HPP\n\n#include <array>\n#include <vector>\n\n#include "
      "\"lutra.hpp\"\n\n"
      "namespace lutra {\n");
  const lutra::OpRegistry ops;
  for (int id = 0; id < ops.count(); ++id) {
    const lutra::OpDef& op = ops.at(id);
    if (op.lua_name != nullptr && !op.has(lutra::kHidden)) lutra::write_op(op);
  }
  std::puts("}  // namespace lutra\n\n#endif  // LUTRA_OPS_HPP");
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
