// `lutra serve`: lends this host's devices to programs of other processes (lt.config.connect_to_cluster).
#pragma once

#include <string>

#include "device/sim/sim_options.h"

namespace lutra {

struct ServeCommand {
  std::string listen;  // "host:port"; "": the command was not given
  std::string token;   // the file; "": none
  int count = 1;       // simulated GPUs
  SimOptions each;
};

// Throws UsageError.
ServeCommand read_serve_command(int argc, char** argv, int first);

}  // namespace lutra
