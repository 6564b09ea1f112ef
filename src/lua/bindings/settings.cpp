// Settings of the interpreter: how tensors print, the random seed. For devices and memory see config.cpp.

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

int set_seed(Args& args) {
  args.at_most(1);
  args.state.context().set_seed(static_cast<uint64_t>(args.integer(1, "seed")));
  return 0;
}

int set_print_options(Args& args) {
  args.at_most(1);
  PrintOptions options = args.state.print_options;
  if (!args.has(1)) args.wrong(1, "options", "a table of options");
  int64_t precision = options.precision, line_width = options.line_width;
  args.options(1, {{"precision", &precision},
                   {"threshold", &options.threshold},
                   {"edge_items", &options.edge_items},
                   {"line_width", &line_width}});
  auto check = [&](const char* key, int64_t value, int64_t least, int64_t most) {
    require(value >= least && value <= most, args.who(), ": ", key, " is ", value, ", expected ", least, " to ", most);
  };
  check("precision", precision, 0, 50);
  check("threshold", options.threshold, 0, INT64_MAX);
  check("edge_items", options.edge_items, 0, 1000000);
  check("line_width", line_width, 1, 1000000);
  options.precision = static_cast<int>(precision);
  options.line_width = static_cast<int>(line_width);
  args.state.print_options = options;
  return 0;
}

}  // namespace

void open_settings(lua_State* L, State& state) {
  set_function<set_print_options>(L, state, "set_print_options", "set_print_options");
  if (lua_getfield(L, -1, "random") == LUA_TTABLE) {
    set_function<set_seed>(L, state, "set_seed", "random.set_seed");
  }
  lua_pop(L, 1);
}

}  // namespace lutra
