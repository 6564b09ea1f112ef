// `lutra plan-hosts SCRIPT.lua`: runs a script that returns a model and a batch, and predicts how long a training step
// would take on several hosts.
#pragma once

#include <string>
#include <vector>

struct lua_State;

namespace lutra {

struct PlanHostsCommand {
  int script = 0;  // its index in argv; 0 if the command was not given
  std::vector<int> hosts{1, 2, 4, 8};
  std::string link = "10Gb";
  double latency_us = 30;
};

// The words of argv from `first` on. Throws UsageError.
PlanHostsCommand read_plan_hosts_command(int argc, char** argv, int first);

// Pushes a function that predicts and prints, and its arguments: the two values on top of the stack, which the script
// returned, and those of the command. Returns how many arguments.
int push_prediction(lua_State* L, const PlanHostsCommand& command);

}  // namespace lutra
