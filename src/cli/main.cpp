// The lutra program: parses the options, runs what they say, reports errors. See README.md here.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "cli/attach.h"
#include "cli/completion.h"
#include "cli/doctor.h"
#include "cli/kernel_install.h"
#include "cli/list_ops.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/rank_output.h"
#include "cli/report.h"
#include "kernels/remote/remote.h"
#include "lua/bindings/terminal.h"

namespace {

constexpr int kLimitPassed = 2;  // LUTRA_LIMIT of the library

// Writes all of a text to stdout; returns the exit status. A full disk or a closed stdout is an error.
int print(const lutra::Report& report, const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return EXIT_SUCCESS;
  report.error(std::string("stdout: ") + std::strerror(errno));
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lutra;
  set_up_rank_output();
  Report report;
  try {
    Options options = parse_options(argc, argv);
    choose_colors(options.color);
    report = Report();
    if (options.show_help) return print(report, help_text());
    if (options.show_version) return print(report, std::string(version_line()) + "\n");
    if (options.show_ops) return print(report, ops_text());
    if (!options.completion.empty()) return print(report, completion_file(options.completion));
    if (!options.plan.graph.empty()) return print(report, run_plan_command(options.plan));
    if (options.doctor != Doctor::No) return run_doctor(options);
    if (!options.attach_path.empty()) return run_attach(options, report);
    if (options.launch.ranks > 0) return run_launch_command(options.launch);
    if (!options.serve.listen.empty()) {
      const ServeCommand& serve = options.serve;
      lend_devices(serve.listen, serve.count, serve.each, serve.token.empty() ? "" : read_token(serve.token));
    }
    if (options.installs_kernel) return print(report, install_kernel(options.kernel_prefix));
    if (options.plan_hosts.script != 0) argc = options.script + 1;  // the words after it are the command's
    Program program(options, report, argc, argv);
    if (program.run()) return EXIT_SUCCESS;
    return program.has_passed_limit() ? kLimitPassed : EXIT_FAILURE;
  } catch (const UsageError& error) {
    report.error(error.message());
    std::fprintf(stderr, "%slutra --help lists the options\n", kUsage);
  } catch (const std::bad_alloc&) {
    report.error("not enough memory");
  } catch (const Error& error) {
    report.error(error.message());
  }
  return EXIT_FAILURE;
}
