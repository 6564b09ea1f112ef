// A host that is refused memory (tests/support/run/refused_memory.lua runs it): it catches what fails, and goes on.
#include <cstdio>
#include <cstring>
#include <lutra.hpp>
#include <new>
#include <string>

namespace {

const char kProgram[] = R"lua(
local x = lt.device("/CPU:0", lt.ones, {40, 40})
local y = lt.device("/GPU:1", function() return (x + 1):matmul(x) end)
assert(lt.sort(y:reshape {-1})[1]:item() == 80)
assert(not pcall(lt.matmul, x, lt.ones {3}))
print(y:sum():item())
)lua";

void run_session() {
  std::string printed;
  long lines = 0;
  lutra::Session session(lutra::Options().simulate_gpus(2, 64).log_placement());
  session.on_print([&](std::string_view text) { printed += text; });
  session.on_log([&](std::string_view) { ++lines; });
  session.run(kProgram, "refused.lua");
  session.run_file("scripts/guide/logging.lua");
  if (printed.rfind("128000.0\n", 0) != 0 || lines < 5) throw lutra::ScriptError("it printed " + printed);
}

}  // namespace

int main() {
  std::puts("started");
  int failures = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      run_session();
    } catch (const lutra::ScriptError& error) {
      ++failures;
      if (std::strstr(error.what(), "memory") == nullptr) std::fprintf(stderr, "refused_host: %s\n", error.what());
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  }
  std::puts(failures <= 1 ? "went on" : "refused_host: it failed again and again");
  return failures <= 1 ? 0 : 1;
}
