// 32 interpreters on 32 threads: each opens, computes, passes tensors to its neighbour without a copy, and closes,
// again and again; deadlines, interrupts and releases come from other threads.
#include <atomic>
#include <iostream>
#include <lutra.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 32, kRounds = 3;

std::atomic<int> failures{0};

const char kProgram[] = R"lua(
function work(x, n)
  local total = 0
  for i = 1, 20 do
    local y = (x * n):reshape {20, 50}
    total = total + lt.matmul(y, y, {transpose_b = true}):sum():item()
    total = total + lt.exp(x * 0):sum():item()
  end
  return x + n, total
end
)lua";

// Where a thread leaves a tensor for whoever comes next.
std::mutex mutex;
lutra::Tensor left;

void check(bool ok, const char* what) {
  if (ok) return;
  std::cerr << "many_host: " << what << "\n";
  ++failures;
}

void run_one(int n) {
  try {
    lutra::Session session;
    session.run(kProgram, "many.lua");
    lutra::Tensor x = session.tensor(std::vector<float>(1000, 1.0f));
    auto [y, total] = session.call<std::tuple<lutra::Tensor, double>>("work", x, n);
    check(total == 20 * (20.0 * 20 * 50 * n * n + 1000), "a sum is wrong");
    check(y.span<float>()[999] == static_cast<float>(n + 1), "a tensor is wrong");
    lutra::Tensor theirs = y;
    {
      std::lock_guard lock(mutex);
      std::swap(theirs, left);
    }
    if (theirs) {
      const float first = theirs.span<float>()[0];
      session.set("theirs", theirs);
      session.run("assert((theirs * 2):sum():item() == 2000 * theirs[1]:item())");
      check(theirs.span<float>()[999] == first, "a neighbour's tensor changed");
    }
    session.set_deadline(n % 4 == 0 ? 0.01 : 100);
    try {
      session.run(n % 4 == 0 ? "while true do pcall(function() while true do end end) end" : "for i = 1, 1e5 do end");
      check(n % 4 != 0, "a deadline passed unseen");
    } catch (const lutra::ScriptError& error) {
      check(n % 4 == 0 && error.status() == LUTRA_LIMIT, error.what());
    }
  } catch (const std::exception& error) {
    check(false, error.what());
  }
}

}  // namespace

int main() {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (int i = 1; i <= kThreads; ++i) threads.emplace_back(run_one, i);
    for (std::thread& thread : threads) thread.join();
  }
  left = lutra::Tensor();
  if (failures == 0) std::cout << "many_host: all well\n";
  return failures != 0;
}
