// Whether several processes can train together: the plugin, the launcher, and a sum by two processes.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "cli/doctor.h"
#include "cli/launch_command.h"
#include "core/text.h"
#include "hosts/cluster.h"
#include "hosts/launch.h"

namespace lutra {
namespace {

// Prints 3 if all is well: the sum of the replicas' numbers.
constexpr const char* kMpiTrial =
    "local d = lt.distribute; local s = d.MultiWorkerMirroredStrategy \"CPU:0\"; "
    "local sum = s:reduce(\"sum\", lt.constant(d.rank() + 1.0)):item(); "
    "if d.rank() == 0 then print(\"the sum is \" .. sum) end";

// What two processes print.
std::string told_by_two() {
  const std::string command =
      text("timeout -k 2 30 /proc/", getpid(), "/exe launch -n 2 -e '", kMpiTrial, "' 2>&1 </dev/null");
  std::FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return "cannot be started";
  std::string told;
  char part[512];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, pipe)) > 0;) told.append(part, count);
  pclose(pipe);
  return told;
}

}  // namespace

Finding mpi_finding() {
  Finding finding{.check = "mpi", .verdict = Verdict::Note};
  std::string why;
  const MpiCalls* calls = open_mpi_plugin(&why);
  if (calls == nullptr) {
    finding.text = text("several processes cannot train together: ", why);
    return finding;
  }
  std::string version, mpirun;
  try {
    mpirun = find_mpirun(&version);
  } catch (const Error& error) {
    why = error.message();
  }
  if (mpirun.empty()) {
    finding.text = text("lutra launch cannot start processes: ", why.empty() ? "mpirun is not in PATH" : why);
    finding.advice = "install Open MPI's mpirun (Debian: openmpi-bin)";
    return finding;
  }
  finding.details = {{"library", calls->library()}, {"mpirun", mpirun}, {"version", version}};
  if (find_launch()) {
    finding.text = text(calls->library(), "; ", mpirun, "; not tried, as this process is itself one of several");
    return finding;
  }
  const std::string told = told_by_two();
  const bool is_right = told.find("the sum is 3.0\n") != std::string::npos;
  finding.verdict = is_right ? Verdict::Ok : Verdict::Note;
  finding.details.push_back({"sum", is_right ? "right" : "wrong"});
  finding.text = text(calls->library(), "; ", mpirun,
                      is_right ? "; two processes compute the right sum" : "; two processes give no sum: ");
  if (!is_right) {
    append(finding.text, told.empty() ? "they print nothing within 30 s" : told.substr(0, told.find('\n')));
    finding.advice = "try it by hand: lutra launch -n 2 -e 'print(lt.distribute.size())'";
  }
  return finding;
}

}  // namespace lutra
