// `lutra launch -n N script.lua`: starts a script in several processes, on one host or several, by Open MPI's mpirun.
#pragma once

#include <string>
#include <vector>

namespace lutra {

struct LaunchCommand {
  int ranks = 0;                   // 0: the command was not given
  std::string hosts;               // "a,b:2"; "": this host
  std::string sim_gpus;            // "": not given
  std::string log_dir;             // where each rank's output also goes; "": nowhere
  int restarts = 0;                // how often the script is started again after a failure
  std::vector<std::string> words;  // the script and its arguments, or -e and its statement
};

// Throws UsageError.
LaunchCommand read_launch_command(int argc, char** argv, int first);
// mpirun's command line for it, without mpirun's name. `program`: this program. Throws Error.
std::vector<std::string> mpirun_words(const LaunchCommand& command, const std::string& program);
// Returns the exit status: that of the first rank that failed. A script that is started again runs on the hosts that
// can still be reached. Throws Error.
int run_launch_command(LaunchCommand command);

// Where mpirun is, and the first line of its --version; "" if there is none. Throws Error if it is not Open MPI's.
std::string find_mpirun(std::string* version);

}  // namespace lutra
