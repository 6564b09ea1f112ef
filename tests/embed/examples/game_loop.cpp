// A game loop whose script drives agents with a small net: 60 frames, 200 agents. The world belongs to the host, the
// script sees it as tensors, and each frame's work has a limit. Without a window; a game would draw after each frame.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <lutra.hpp>
#include <vector>

namespace {

constexpr int kAgents = 200;
constexpr double kFrameSeconds = 0.002;  // what a frame has for its script

const char kScript[] = R"lua(
-- A net of 2 inputs (the way to the goal), 8 hidden units and 2 outputs (the velocity), whose weights are chosen by hand:
-- tanh of the way, in both directions.
local hidden = lt.concat({lt.eye(2), -lt.eye(2), lt.zeros {2, 4}}, 2)
local output = lt.concat({lt.eye(2), -lt.eye(2), lt.zeros {4, 2}}, 1) / 2
function think(positions, goal)
  local way = goal - positions
  local distance = way:norm(2, {keepdims = true})
  if world.is_paused() then return lt.zeros_like(way) end
  return way:matmul(hidden):tanh():matmul(output), distance:mean():item()
end
)lua";

struct World {
  std::vector<float> positions = std::vector<float>(2 * kAgents);
  bool is_paused = false;
};

}  // namespace

int main() {
  World world;
  for (int i = 0; i < kAgents; ++i) {
    world.positions[2 * i] = static_cast<float>(std::cos(i) * 10);
    world.positions[2 * i + 1] = static_cast<float>(std::sin(i) * 10);
  }
  try {
    lutra::Session session;
    session.function("world.is_paused", [&] { return world.is_paused; });
    session.run(kScript, "agents.lua");
    const lutra::Tensor goal = session.tensor<float>({1, 2});
    double first = 0, last = 0, slowest = 0;
    int late = 0;
    for (int frame = 0; frame < 60; ++frame) {
      const auto begin = std::chrono::steady_clock::now();
      // The positions of this frame are lent to the script; the next frame has tensors of its own.
      auto [velocity, distance] = session.call<std::tuple<lutra::Tensor, double>>(
          "think", session.wrap(std::vector<float>(world.positions), {kAgents, 2}), goal);
      const auto moved = velocity.span<float>();
      for (std::size_t i = 0; i < moved.size(); ++i) world.positions[i] += moved[i] * 0.5f;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (frame == 0) first = distance;
      last = distance;
      if (frame > 0) slowest = std::max(slowest, seconds);
      if (seconds > kFrameSeconds) ++late;
    }
    std::printf("distance to the goal: %.1f at first, %.1f at last\n", first, last);
    std::fprintf(stderr, "slowest frame after the first: %.2f ms; %d of 60 took more than 2 ms\n", slowest * 1e3, late);
    return last < first / 3 ? 0 : 1;
  } catch (const lutra::ScriptError& error) {
    std::fprintf(stderr, "game_loop: %s\n", error.what());
    return 1;
  }
}
