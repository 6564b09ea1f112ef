// Functions for lutra.help (prelude.lua): an op's entry as text, and loading lua/lutra/help.lua for everything else.

#include <cstring>

#include "lua/border/guard.h"
#include "lua/border/lua_sources.h"
#include "lua/border/modules.h"
#include "lua/hints/foreign_names.h"
#include "lua/hints/wrong_call.h"
#include "lua/ops/attr_reader.h"

namespace lutra {
namespace {

std::string help_text(const OpDef& op, const KernelRegistry& kernels) {
  std::string out = text(signature(op, text("lutra.", op.lua_name)), "\n  ", op.summary, "\n");
  for (const InputDef& input : op.inputs) {
    out += text("  ", input.name, ": ", input.shape, "; ", text_of(input.dtypes), "\n");
  }
  for (const AttrDef& def : op.attrs.defs) {
    if (!is_users(def)) continue;
    out += text("  ", def.name, ": ", def.summary);
    if (*def.fallback != '\0') out += text(" (default ", def.fallback, ")");
    out += "\n";
  }
  out += text("  computed in: ", text_of(kernels.dtypes(DeviceType::CPU, op)), "\n");
  if (!op.gpu.empty()) out += text("  on a GPU: ", text_of(op.gpu), "\n");
  out += text("  gradient: ", op.has_gradient() ? "yes" : "none", "\n");
  if (*op.output != '\0') out += text("  result: ", op.output, "\n");
  if (*op.errors != '\0') out += text("  errors: ", op.errors, "\n");
  if (*op.example != '\0') out += text("  example: ", op.example, "\n");
  if (*op.source != '\0') out += text("  source: ", op.source, "\n");
  out += text("  placement log: ", op.logged(), op.gpu.empty() ? "; CPU only" : "");
  return out;
}

// Whether users can call the op.
bool is_public(const OpDef& op) { return op.lua_name != nullptr && !op.has(kHidden); }

// op_help(topic): the entry of the op with that name, in Lua or in the log; nil if there is none, or no topic.
int op_help(Args& args) {
  args.at_most(1);
  const OpRegistry& ops = args.state.runtime().ops();
  const OpDef* found = nullptr;
  if (lua_type(args.L, 1) == LUA_TSTRING) {
    std::string_view topic = args.string(1, "topic");
    if (topic.starts_with("lutra.")) topic.remove_prefix(6);
    if (topic.starts_with("lt.")) topic.remove_prefix(3);
    for (int id = 0; id < ops.count(); ++id) {
      const OpDef& op = ops.at(id);
      if (is_public(op) && (topic == op.lua_name || topic == op.name)) found = &op;
    }
  }
  if (found == nullptr) {
    lua_pushnil(args.L);
    return 1;
  }
  push_text(args, help_text(*found, args.state.runtime().kernels()));
  return 1;
}

// op_list(): {{name, group, summary, source}, ...} in the table's order.
int op_list(Args& args) {
  const OpRegistry& ops = args.state.runtime().ops();
  protect(args.L, 1, [&](lua_State* L) {
    lua_newtable(L);
    lua_Integer count = 0;
    for (int id = 0; id < ops.count(); ++id) {
      const OpDef& op = ops.at(id);
      if (!is_public(op)) continue;
      lua_createtable(L, 0, 4);
      lua_pushstring(L, op.lua_name);
      lua_setfield(L, -2, "name");
      lua_pushstring(L, op.group);
      lua_setfield(L, -2, "group");
      lua_pushstring(L, op.summary);
      lua_setfield(L, -2, "summary");
      lua_pushstring(L, op.source);
      lua_setfield(L, -2, "source");
      lua_rawseti(L, -2, ++count);
    }
    return 1;
  });
  return 1;
}

// foreign(name): what to write for another library's function or method; nil if the name is unknown.
int foreign(Args& args) {
  std::string_view name = args.string(1, "name");
  std::string_view words = foreign_function(name);
  if (words.empty()) words = foreign_method(name);
  if (words.empty()) lua_pushnil(args.L);
  else push_text(args, words);
  return 1;
}

// unknown(topic, names): raises the error that there is no such topic, with the nearest of the names.
int unknown(Args& args) {
  lua_State* L = args.L;
  std::string_view topic = lua_type(L, 1) == LUA_TSTRING ? args.string(1, "topic") : "";
  std::string_view word = topic;
  for (std::string_view prefix : {"lutra.", "lt."}) {
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  }
  NearestWord nearest(word);
  for (lua_Integer i = 1; lua_type(L, 1) == LUA_TSTRING && i <= static_cast<lua_Integer>(lua_rawlen(L, 2)); ++i) {
    // The string stays alive in the list.
    if (lua_rawgeti(L, 2, i) == LUA_TSTRING) nearest.offer(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  fail(ErrorCode::NotFound, "help: nothing is known about ", what_is(L, 1), nearest.hint(),
       "; lutra.help() lists what there is");
}

// open_help(lutra, core): loads lua/lutra/help.lua, which prelude.lua keeps until the collector runs: it takes
// megabytes.
int open_help_chunk(lua_State* L) {
  State& state = state_of(L);
  lua_settop(L, 2);
  lua_newtable(L);
  for (std::size_t i = 0; i < kLuaSourceCount; ++i) {
    lua_pushlstring(L, kLuaSources[i].text, kLuaSources[i].size);
    lua_setfield(L, 3, kLuaSources[i].name);
  }
  lua_newtable(L);
  set_function<op_list>(L, state, "op_list", "help");
  set_function<foreign>(L, state, "foreign", "help");
  set_function<unknown>(L, state, "unknown", "help");
  open_terminal(L, state);
  lua_getfield(L, 3, "lutra.help");
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  load_own(L, text, size, "=[lutra.help]");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 4);
  lua_call(L, 4, 1);
  return 1;
}

}  // namespace

void open_help(lua_State* L, State& state) {
  // On top of the stack lies the table of C functions for the prelude.
  set_function<op_help>(L, state, "op_help", "help");
  set_unguarded(L, state, "open_help", open_help_chunk);
}

}  // namespace lutra
