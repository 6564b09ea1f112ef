// The lutra program: parses the options, runs what they say, reports errors. See README.md here.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cli/completion.h"
#include "cli/doctor.h"
#include "cli/list_ops.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/report.h"

int main(int argc, char** argv) {
  using namespace lutra;
  Report report(Color::Auto);
  try {
    Options options = parse_options(argc, argv);
    report = Report(options.color);
    if (options.show_help) {
      std::fputs(help_text().c_str(), stdout);
      return EXIT_SUCCESS;
    }
    if (options.show_version) {
      std::printf("%s\n", version_line());
      return EXIT_SUCCESS;
    }
    if (options.show_ops) {
      std::fputs(ops_text().c_str(), stdout);
      return EXIT_SUCCESS;
    }
    if (!options.completion.empty()) {
      std::fputs(completion_file(options.completion).c_str(), stdout);
      return EXIT_SUCCESS;
    }
    if (options.doctor != Doctor::No) return run_doctor(options);
    return Program(options, report, argc, argv).run() ? EXIT_SUCCESS : EXIT_FAILURE;
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
