// A game loop whose script drives agents with a small net: 200 agents run to the goal, which is where the mouse is. The
// world belongs to the host, the script sees it as tensors, and each frame's work has a limit. The window is SDL2's
// (Debian: libsdl2-dev); space pauses. SDL_VIDEODRIVER=dummy runs it without a screen, and so does a build without
// SDL2.
//   game_loop [FRAMES]     without a number until the window is closed
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <lutra.hpp>
#include <vector>

#ifdef WITH_SDL2
#define SDL_MAIN_HANDLED
#include <SDL.h>
#endif

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
  if world.is_paused() then return lt.zeros_like(way), distance:mean():item() end
  return way:matmul(hidden):tanh():matmul(output), distance:mean():item()
end
)lua";

struct World {
  std::vector<float> positions = std::vector<float>(2 * kAgents);  // from -12 to 12 in both directions
  float goal[2] = {0, 0};
  bool is_paused = false;
};

#ifdef WITH_SDL2
class Screen {
 public:
  Screen() {
    SDL_SetMainReady();
    if (SDL_Init(SDL_INIT_VIDEO) != 0 || SDL_CreateWindowAndRenderer(kSize, kSize, 0, &window_, &renderer_) != 0) {
      std::fprintf(stderr, "game_loop: no window: %s\n", SDL_GetError());
      std::exit(1);
    }
    SDL_SetWindowTitle(window_, "Lutra in a game loop");
  }
  ~Screen() {
    SDL_DestroyRenderer(renderer_);
    SDL_DestroyWindow(window_);
    SDL_Quit();
  }
  Screen(const Screen&) = delete;

  // False: the player wants to leave.
  bool take_events(World& world) {
    for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
      if (event.type == SDL_QUIT) return false;
      if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE) return false;
      if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_SPACE) world.is_paused = !world.is_paused;
      if (event.type != SDL_MOUSEMOTION) continue;
      world.goal[0] = (static_cast<float>(event.motion.x) - kSize / 2) / kScale;
      world.goal[1] = (static_cast<float>(event.motion.y) - kSize / 2) / kScale;
    }
    return true;
  }

  void draw(const World& world) {
    SDL_SetRenderDrawColor(renderer_, 16, 24, 32, 255);
    SDL_RenderClear(renderer_);
    SDL_SetRenderDrawColor(renderer_, 120, 220, 160, 255);
    for (int i = 0; i < kAgents; ++i) draw_square(world.positions[2 * i], world.positions[2 * i + 1], 4);
    SDL_SetRenderDrawColor(renderer_, 240, 120, 80, 255);
    draw_square(world.goal[0], world.goal[1], 8);
    SDL_RenderPresent(renderer_);
  }
  void wait() { SDL_Delay(16); }

 private:
  static constexpr int kSize = 600;
  static constexpr float kScale = 24;
  void draw_square(float x, float y, int size) {
    const SDL_Rect square = {static_cast<int>(x * kScale) + kSize / 2 - size / 2,
                             static_cast<int>(y * kScale) + kSize / 2 - size / 2, size, size};
    SDL_RenderFillRect(renderer_, &square);
  }
  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
};
#else
struct Screen {
  bool take_events(World&) { return true; }
  void draw(const World&) {}
  void wait() {}
};
#endif

}  // namespace

int main(int count, char** arguments) {
  const int frames = count > 1 ? std::atoi(arguments[1]) : 0;  // 0: for ever
  World world;
  for (int i = 0; i < kAgents; ++i) {
    world.positions[2 * i] = static_cast<float>(std::cos(i) * 10);
    world.positions[2 * i + 1] = static_cast<float>(std::sin(i) * 10);
  }
  try {
    Screen screen;
    lutra::Session session;
    session.function("world.is_paused", [&] { return world.is_paused; });
    session.run(kScript, "agents.lua");
    double first = 0, last = 0, slowest = 0;
    int late = 0;
    for (int frame = 0; (frames == 0 || frame < frames) && screen.take_events(world); ++frame) {
      const auto begin = std::chrono::steady_clock::now();
      // The positions of this frame are lent to the script; the next frame has tensors of its own.
      auto [velocity, distance] = session.call<std::tuple<lutra::Tensor, double>>(
          "think", session.wrap(std::vector<float>(world.positions), {kAgents, 2}),
          session.tensor(std::vector<float>{world.goal[0], world.goal[1]}));
      const auto moved = velocity.span<float>();
      for (std::size_t i = 0; i < moved.size(); ++i) world.positions[i] += moved[i] * 0.5f;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (frame == 0) first = distance;
      last = distance;
      if (frame > 0) slowest = std::max(slowest, seconds);
      if (seconds > kFrameSeconds) ++late;
      screen.draw(world);
      if (frames == 0) screen.wait();
    }
    std::printf("distance to the goal: %.1f at first, %.1f at last\n", first, last);
    std::fprintf(stderr, "slowest frame after the first: %.2f ms; %d of them took more than 2 ms\n", slowest * 1e3,
                 late);
    return frames == 0 || last < first / 3 ? 0 : 1;
  } catch (const lutra::ScriptError& error) {
    std::fprintf(stderr, "game_loop: %s\n", error.what());
    return 1;
  }
}
