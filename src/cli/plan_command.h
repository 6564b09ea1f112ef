// `lutra plan GRAPH.json`: plans a graph of a file on the machine that the file describes. No device is used.
#pragma once

#include <string>

#include "plan/planner.h"

namespace lutra {

struct PlanCommand {
  std::string graph;  // the file; "-": stdin; "": the command was not given
  std::string html;   // where the page goes; "": none
  plan::Options options;
  bool json = false;
};

// Throws UsageError.
PlanCommand read_plan_command(int argc, char** argv, int first);
// What goes to stdout; writes the page if one is asked for. Throws Error.
std::string run_plan_command(const PlanCommand& command);

}  // namespace lutra
