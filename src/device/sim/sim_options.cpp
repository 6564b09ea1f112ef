#include "device/sim/sim_options.h"

#include <charconv>

#include "core/error.h"

namespace lutra {
namespace {

constexpr double kMost = 1e9;
constexpr double kLeastMB = 0.0625;  // a page (HostPages::granularity)

void check_number(const char* who, const char* name, double value, double least, const char* wanted) {
  require(value >= least && value <= kMost, who, ": ", name, " is ", value, ", expected a ", wanted, " up to 1e9");
}

// All of `text` as a number.
template <class Number> bool read(std::string_view text, Number* out) {
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

void check_sim_options(const char* who, const SimOptions& options) {
  check_number(who, "memory_limit", options.memory_limit_mb, kLeastMB, "number from 0.0625 (a page)");
  check_number(who, "gflops", options.gflops, 0, "non-negative number");
  check_number(who, "gbps", options.gbps, 0, "non-negative number");
  check_number(who, "link_gbps", options.link_gbps, 0, "non-negative number");
  check_number(who, "link_latency_us", options.link_latency_us, 0, "non-negative number");
}

bool parse_sim_gpus(std::string_view text, int* count, SimOptions* each) {
  std::size_t colon = text.find(':');
  int cards = 0;
  double mb = SimOptions().memory_limit_mb;
  if (!read(text.substr(0, colon), &cards) || cards < 0 || cards > kMostSimulatedGpus) return false;
  if (colon != std::string_view::npos && !(read(text.substr(colon + 1), &mb) && mb >= kLeastMB && mb <= kMost)) {
    return false;
  }
  *count = cards;
  each->memory_limit_mb = mb;
  return true;
}

}  // namespace lutra
