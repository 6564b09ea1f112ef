// Two interpreters at once, each on its own thread, many times over: each sees its own devices, results and log.
#include <atomic>
#include <iostream>
#include <lutra.hpp>
#include <string>
#include <thread>

namespace {

constexpr int kRounds = 12;

const char kProgram[] = R"lua(
assert(#lt.config.list_logical_devices("GPU") == N)
local devices = {"/CPU:0"}
for i = 0, N - 1 do devices[#devices + 1] = "/GPU:" .. i end
for round = 1, 20 do
  for _, device in ipairs(devices) do
    local sum = lt.device(device, function()
      local x = lt.fill({64, 64}, N)
      return lt.ones({1, 64}):matmul(x:matmul(x) + round):matmul(lt.ones({64, 1}))
    end)
    assert(sum:item() == 64 * 64 * (64 * N * N + round), device)
  end
end
print(N)
)lua";

std::atomic<int> failures{0};
std::atomic<int> waiting{2};

void run_one(int gpus) {
  std::string printed;
  long lines = 0, foreign = 0;
  try {
    lutra::Session session(lutra::Options().simulate_gpus(gpus, 256).log_placement());
    session.on_print([&](std::string_view text) { printed += text; });
    session.on_log([&](std::string_view line) {
      ++lines;
      if (line.find("device:GPU:" + std::to_string(gpus)) != std::string_view::npos) ++foreign;
    });
    session.run("N = " + std::to_string(gpus));
    session.run(kProgram, "threads.lua");
  } catch (const std::exception& error) {
    std::cerr << "threads_host: " << error.what() << "\n";
    ++failures;
    return;
  }
  if (printed != std::to_string(gpus) + "\n" || lines < 20 * (gpus + 1) * 5 || foreign != 0) {
    std::cerr << "threads_host: " << gpus << " GPUs: printed " << printed << ", " << lines << " lines, " << foreign
              << " of them of devices that are not there\n";
    ++failures;
  }
}

void run_rounds(int gpus) {
  --waiting;
  while (waiting > 0) std::this_thread::yield();  // both start together
  for (int i = 0; i < kRounds; ++i) run_one(gpus);
}

}  // namespace

int main() {
  std::thread one(run_rounds, 1), two(run_rounds, 2);
  one.join();
  two.join();
  if (failures == 0) std::cout << "threads_host: all well\n";
  return failures != 0;
}
