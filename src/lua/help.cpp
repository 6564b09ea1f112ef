#include <cstring>

#include "lua/guard.h"
#include "lua/modules.h"

// help(name or op function's name): the op's entry as text.

namespace lutra {
namespace {

std::string signature(const OpDef& op) {
  std::string out = text("lutra.", op.lua_name, "(");
  bool first = true;
  auto place = [&](const char* name, bool required) {
    out += text(first ? "" : ", ", required ? "" : "[", name, required ? "" : "]");
    first = false;
  };
  bool any_option = false;
  for (const AttrDef& def : op.attrs.defs) {
    if (def.is_before_inputs) place(def.name, true);
  }
  for (const InputDef& input : op.inputs) place(input.name, (input.flags & kOptional) == 0);
  for (const AttrDef& def : op.attrs.defs) {
    if (def.is_positional && !def.is_before_inputs) place(def.name, def.is_required);
    any_option |= !def.is_positional && def.type != AttrType::Rng && def.type != AttrType::IndexBase;
  }
  if (any_option) place("options", false);
  return out + ")";
}

std::string help_text(const OpDef& op, const KernelRegistry& kernels) {
  std::string out = text(signature(op), "\n  ", op.summary, "\n");
  for (const InputDef& input : op.inputs) {
    out += text("  ", input.name, ": ", input.shape, "; ", text_of(input.dtypes), "\n");
  }
  for (const AttrDef& def : op.attrs.defs) {
    if (def.type == AttrType::Rng || def.type == AttrType::IndexBase) continue;
    out += text("  ", def.name, ": ", def.summary);
    if (*def.fallback != '\0') out += text(" (default ", def.fallback, ")");
    out += "\n";
  }
  out += text("  computed in: ", text_of(kernels.dtypes(DeviceType::CPU, op)), "\n");
  if (*op.output != '\0') out += text("  result: ", op.output, "\n");
  if (*op.errors != '\0') out += text("  errors: ", op.errors, "\n");
  if (*op.example != '\0') out += text("  example: ", op.example, "\n");
  if (*op.source != '\0') out += text("  source: ", op.source, "\n");
  out += text("  placement log: ", op.logged(), op.gpu.empty() ? "; CPU only" : "");
  return out;
}

int help(Args& args) {
  args.at_most(1);
  const OpRegistry& ops = args.state.runtime().ops();
  std::string out;
  if (!args.has(1)) {
    out = "lutra.help(\"matmul\") tells about an op. Ops:";
    for (int id = 0; id < ops.count(); ++id) {
      if (ops.at(id).lua_name != nullptr && !ops.at(id).has(kHidden)) out += text(" ", ops.at(id).lua_name);
    }
  } else {
    std::string_view topic = args.string(1, "topic");
    if (topic.starts_with("lutra.")) topic.remove_prefix(6);
    if (topic.starts_with("lt.")) topic.remove_prefix(3);
    NearestWord nearest(topic);
    const OpDef* found = nullptr;
    for (int id = 0; id < ops.count(); ++id) {
      const OpDef& op = ops.at(id);
      if (op.lua_name == nullptr || op.has(kHidden)) continue;
      nearest.offer(op.lua_name);
      if (topic == op.lua_name || topic == op.name) found = &op;
    }
    if (found == nullptr)
      fail(ErrorCode::NotFound, "help: nothing is known about ", what_is(args.L, 1), nearest.hint());
    out = help_text(*found, args.state.runtime().kernels());
  }
  protect(args.L, 1, [&](lua_State* L) {
    lua_pushlstring(L, out.data(), out.size());
    return 1;
  });
  return 1;
}

}  // namespace

void open_help(lua_State* L, State& state) { set_function<help>(L, state, "help", "help"); }

}  // namespace lutra
