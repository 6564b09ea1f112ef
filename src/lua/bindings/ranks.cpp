// Functions for lutra.distribute: the processes of a launch, which are called ranks.

#include "lua/bindings/ranks.h"

#include "distribute/checksums.h"
#include "hosts/cluster.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

Cluster& running_cluster(const char* who) {
  Cluster* cluster = Cluster::running();
  if (cluster == nullptr) fail(ErrorCode::Internal, who, ": the ranks have not been started");
  return *cluster;
}

// ranks_start(): this process' rank, from 0, the number of ranks, and a list of their hosts. Nothing if no launcher
// started it.
int ranks_start(Args& args) {
  Cluster* cluster = Cluster::running();
  if (cluster == nullptr) {
    const std::optional<RankLaunch> launch = find_launch();
    if (!launch) return 0;
    if (args.state.is_sandbox)
      fail(ErrorCode::FailedPrecondition, "lutra.distribute: a script in a sandbox cannot reach other processes");
    cluster = &Cluster::start(*launch);
  }
  lua_pushinteger(args.L, cluster->rank());
  lua_pushinteger(args.L, cluster->size());
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, cluster->size(), 0);
    for (int r = 0; r < cluster->size(); ++r) {
      lua_pushstring(L, cluster->hosts()[static_cast<std::size_t>(r)].c_str());
      lua_rawseti(L, -2, r + 1);
    }
    return 1;
  });
  return 3;
}

// ranks_command(script): the command that starts the workers of TF_CONFIG; "" if there are none.
int ranks_command(Args& args) {
  if (args.state.is_sandbox) return push_text(args, ""), 1;  // it is read from the environment
  push_text(args, command_for_tf_config(args.has(1) ? std::string(args.string(1, "script")) : std::string()));
  return 1;
}

// ranks_meet(what, equal, complete, note, seconds): waits until all ranks are in this call. Returns rank 0's note, and
// whether all ranks have `complete`.
int ranks_meet(Args& args) {
  Context& context = args.state.context();
  context.cannot_repeat("it waits for other processes");
  Meeting meeting{.what = std::string(args.string(1, "what"))};
  meeting.where = script_line(context);
  meeting.equal = text(meeting.what, "\n", args.string(2, "equal"));
  if (args.has(3)) meeting.is_complete = args.boolean(3, "complete");
  if (args.has(4)) meeting.note = static_cast<uint64_t>(args.integer(4, "note"));
  if (args.has(5)) meeting.seconds = args.number(5, "seconds");
  const Agreement agreed = running_cluster(args.who()).meet(meeting, interrupts_of(context));
  lua_pushinteger(args.L, static_cast<lua_Integer>(agreed.note));
  lua_pushboolean(args.L, agreed.is_complete);
  return 2;
}

// ranks_gather(bytes): after a meeting, what all ranks pass, as a list.
int ranks_gather(Args& args) {
  Context& context = args.state.context();
  const std::vector<std::string> all =
      running_cluster(args.who()).all_gather(args.string(1, "bytes"), interrupts_of(context));
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(all.size()), 0);
    for (std::size_t r = 0; r < all.size(); ++r) {
      lua_pushlstring(L, all[r].data(), all[r].size());
      lua_rawseti(L, -2, static_cast<lua_Integer>(r + 1));
    }
    return 1;
  });
  return 1;
}

// checksums(list): those of the tensors, 8 bytes each, one after the other.
int checksums(Args& args) {
  lua_State* L = args.L;
  if (lua_type(L, 1) != LUA_TTABLE) args.wrong(1, "list", "a list");
  std::vector<const TensorRep*> tensors(lua_rawlen(L, 1));
  const int top = lua_gettop(L);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    lua_rawgeti(L, 1, static_cast<lua_Integer>(i + 1));
    tensors[i] = &args.tensor(top + 1, "list").tensor;
    lua_settop(L, top);
  }
  const std::vector<uint64_t> sums = checksums_of(args.state.context(), tensors);
  push_text(args, {reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(uint64_t)});
  return 1;
}

}  // namespace

std::string script_line(const Context& context) {
  const ScriptPosition position = context.position();
  return position.file[0] == '\0' ? std::string() : text(position.file, ":", position.line);
}

Interrupted interrupts_of(const Context& context) {
  return [&context] { return context.take_interrupt(); };
}

RankReplicas read_ranks(Args& args, int first) {
  Context& context = args.state.context();
  RankReplicas ranks{.cluster = running_cluster(args.who()),
                     .firsts = {},
                     .what = std::string(args.string(first + 1, "what")),
                     .where = script_line(context),
                     .equal = {},
                     .interrupted = interrupts_of(context)};
  ranks.equal = text(ranks.what, "\n", args.string(first + 2, "equal"));
  ranks.seconds = args.number(first + 3, "seconds");
  auto read = [&](int index, const char* name, std::vector<std::size_t>* out) {
    if (lua_type(args.L, index) != LUA_TTABLE) args.wrong(index, name, "a list");
    const auto count = static_cast<lua_Integer>(lua_rawlen(args.L, index));
    for (lua_Integer i = 1; i <= count; ++i) {
      lua_rawgeti(args.L, index, i);
      out->push_back(static_cast<std::size_t>(lua_tointeger(args.L, -1)));
      lua_pop(args.L, 1);
    }
  };
  read(first, "firsts", &ranks.firsts);
  if (args.has(first + 4)) read(first + 4, "owners", &ranks.owners);
  return ranks;
}

void open_ranks(lua_State* L, State& state) {
  set_function<ranks_start>(L, state, "ranks_start", "lutra.distribute");
  set_function<ranks_command>(L, state, "ranks_command", "lutra.distribute");
  set_function<ranks_meet>(L, state, "ranks_meet", "lutra.distribute");
  set_function<ranks_gather>(L, state, "ranks_gather", "lutra.distribute");
  set_function<checksums>(L, state, "checksums", "lutra.distribute");
  open_early_sums(L, state);
}

}  // namespace lutra
