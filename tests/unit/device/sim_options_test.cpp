#include "device/sim/sim_options.h"

#include <limits>
#include <string>

#include "core/error.h"
#include "support/catch.h"
#include "unit/device/fake_machine.h"

using lutra::check_sim_options;
using lutra::parse_sim_gpus;
using lutra::SimOptions;

TEST_CASE("simulated GPUs are written 4, or 4:1024 for their MB", "[sim]") {
  int count = -1;
  SimOptions each;
  CHECK(parse_sim_gpus("0", &count, &each));
  CHECK(count == 0);
  CHECK(each == SimOptions());
  CHECK(parse_sim_gpus("64:0.5", &count, &each));
  CHECK(count == 64);
  CHECK(each.memory_limit_mb == 0.5);
  for (const char* bad :
       {"",     "many",  "-1",    "+1",     " 1",       "1 ",       "65",    "1.5", "4:",  "4:0",
        "4:-1", "4:nan", "4:inf", "4:1e10", "4:1e-300", "4:1024MB", "4:1:1", ":1",  "0x4", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_sim_gpus(bad, &count, &each));
    CHECK(count == 64);
    CHECK(each.memory_limit_mb == 0.5);
  }
}

TEST_CASE("a simulated GPU has a size and a speed", "[sim]") {
  auto refusal = [](double SimOptions::*option, double value) {
    SimOptions options;
    options.*option = value;
    return lutra::test::invalid([&] { check_sim_options("make", options); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  CHECK(refusal(&SimOptions::memory_limit_mb, 1e9) == "");
  CHECK(refusal(&SimOptions::memory_limit_mb, 0.0625) == "");
  for (double bad : {0.0, -1.0, kNan, kInf, 1e10, 0.0624}) {
    CHECK(refusal(&SimOptions::memory_limit_mb, bad) ==
          lutra::text("make: memory_limit is ", bad, ", expected a number from 0.0625 (a page) up to 1e9"));
  }
  for (auto [option, name] :
       {std::pair(&SimOptions::gflops, "gflops"), std::pair(&SimOptions::gbps, "gbps"),
        std::pair(&SimOptions::link_gbps, "link_gbps"), std::pair(&SimOptions::link_latency_us, "link_latency_us")}) {
    CHECK(refusal(option, 0) == "");
    for (double bad : {-1.0, kNan, kInf, 1e10}) {
      CHECK(refusal(option, bad) ==
            lutra::text("make: ", name, " is ", bad, ", expected a non-negative number up to 1e9"));
    }
  }
}
