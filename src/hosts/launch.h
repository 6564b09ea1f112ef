// What a launcher (mpirun, srun, lutra launch) has told this process by environment variables.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace lutra {

struct RankLaunch {
  int rank = 0;
  int size = 1;
  std::string launcher;  // "mpirun" or "srun"
};

// nullopt: no launcher started this process. A process that a rank starts is no rank.
std::optional<RankLaunch> find_launch();

// Whether a rank has started this process, so that no launch can begin in it.
bool is_started_by_rank();

// Marks this process as the rank, for find_launch in the processes that it starts.
void claim_launch();

// For a program that launches ranks: lets them call it by call_launcher.
void name_launcher();
// Tells the launcher, if it is on this host, that the job ends now (SIGUSR1).
void call_launcher();

// Kills Open MPI's daemon on this host that started this process, if one did and it has not ended in so many seconds:
// it may wait for a host that is cut off. A process of its own does so, as the daemon may end this one before.
void kill_daemon_after(int seconds);

// This host's.
std::string host_name();

// Whether this host has the process, and it has not ended.
bool is_alive(pid_t process);

// If TF_CONFIG lists workers: the command that starts them with Lutra; else "". `script` may be empty.
std::string command_for_tf_config(const std::string& script);

// The words that tell how to get MPI.
constexpr const char* kMpiPackages = "Debian: apt-get install libopenmpi-dev openmpi-bin, then build Lutra again";

}  // namespace lutra
