#include "cli/plan_hosts_command.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/options.h"
#include "core/text.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr int kMostHosts = 65536;

constexpr const char kPredict[] = R"(
local step, batch, script, link, latency, hosts = ...
if step == nil or batch == nil then
  error(("plan-hosts: %s returns %s, expected a model and its batch: return model, {x, y}"):format(script,
    step == nil and "nothing" or "no batch"), 0)
end
local predicted = require "lutra".placement.scaling(step, batch, hosts, {link = link, latency_us = latency})
print(("%d rows a batch, %.3f MB of gradients; hosts like this one (%s), links of %s and %g us"):format(
  predicted.rows, predicted.sum_bytes / 1e6, predicted.device, link, latency))
print(predicted)
)";

int number_of_hosts(std::string_view word) {
  int value = 0;
  auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size() || value < 1 || value > kMostHosts) {
    throw UsageError(
        text("'plan-hosts --hosts' has '", word, "', expected numbers from 1 to ", kMostHosts, ", as in 64 or 2,3,6"));
  }
  return value;
}

// "2,3,6", or one number for all powers of two up to it, and itself.
std::vector<int> read_counts(std::string_view list) {
  std::vector<int> counts;
  if (list.find(',') == std::string_view::npos) {
    const int most = number_of_hosts(list);
    for (int count = 1; count < most; count *= 2) counts.push_back(count);
    counts.push_back(most);
    return counts;
  }
  while (true) {
    const std::size_t comma = list.find(',');
    counts.push_back(number_of_hosts(list.substr(0, comma)));
    if (comma == std::string_view::npos) return counts;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

PlanHostsCommand read_plan_hosts_command(int argc, char** argv, int first) {
  PlanHostsCommand command;
  for (int i = first; i < argc; ++i) {
    const OptionWord option = split_option(argv[i]);
    auto value = [&]() -> std::string {
      if (option.value) return std::string(*option.value);
      if (i + 1 >= argc) throw UsageError(text("'plan-hosts ", option.word, "' needs a value"));
      return argv[++i];
    };
    if (option.word == "--hosts") {
      command.hosts = read_counts(value());
    } else if (option.word == "--link") {
      command.link = value();
    } else if (option.word == "--latency-us") {
      const std::string number = value();
      char* end = nullptr;
      command.latency_us = std::strtod(number.c_str(), &end);
      if (number.empty() || *end != '\0' || !(command.latency_us >= 0 && command.latency_us < 1e12)) {
        throw UsageError(
            text("'plan-hosts --latency-us' is '", number, "', expected a number of microseconds, 0 or more"));
      }
    } else if (option.word.starts_with("-") && option.word != "-") {
      throw UsageError(text("'plan-hosts' takes --hosts, --link and --latency-us, not '", option.word, "'"));
    } else if (command.script != 0) {
      throw UsageError(text("'plan-hosts' takes one script, not '", argv[i], "' as well"));
    } else {
      command.script = i;
    }
  }
  if (command.script == 0)
    throw UsageError("'plan-hosts' needs a script: lutra plan-hosts train.lua --hosts 64 --link 25Gb");
  return command;
}

int push_prediction(lua_State* L, const PlanHostsCommand& command) {
  if (luaL_loadbufferx(L, kPredict, std::strlen(kPredict), "=plan-hosts", "t") != LUA_OK) lua_error(L);
  lua_insert(L, -3);
  lua_getglobal(L, "arg");
  lua_rawgeti(L, -1, 0);
  lua_remove(L, -2);
  lua_pushlstring(L, command.link.data(), command.link.size());
  lua_pushnumber(L, command.latency_us);
  lua_createtable(L, static_cast<int>(command.hosts.size()), 0);
  for (std::size_t i = 0; i < command.hosts.size(); ++i) {
    lua_pushinteger(L, command.hosts[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  return 6;
}

}  // namespace lutra
