#include "lua/border/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "core/text.h"
#include "lua/border/interrupts.h"
#include "lua/border/state.h"
#include "lua/border/traceback.h"
#include "lua/border/watchdog.h"

namespace lutra {
namespace {

// Instructions between two calls of the exact hook, and what switching coroutines counts, as each has its own count.
constexpr int kStep = 100, kSwitch = 50;
// With so few instructions left they are counted exactly: 5e6 take some 30 ms.
constexpr int64_t kExactly = 5000000;
// Instructions of a window, and before it, until the hook's code is in the caches: long compared with reading the
// clock.
constexpr int kWindow = 5000, kWarmUp = 1000;
// What an instruction takes before it is measured, and at least.
constexpr double kFastNs = 1, kLeastNs = 0.3;

int64_t cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

void no_hook(lua_State*, lua_Debug*) {}

// What a hook adds now to the time of each instruction, measured with a plain loop. It depends on what else the machine
// does, so that it is measured anew for each window.
double hook_ns() {
  constexpr int kInstructions = 5000, kTimes = 3;
  lua_State* L = luaL_newstate();
  if (L == nullptr) return kFastNs;
  double spent[2] = {0, 0};
  if (luaL_loadstring(L, "local s = 0 for i = 1, 2500 do s = s + i end") == LUA_OK) {
    for (int i = -2; i < 2 * kTimes; ++i) {  // the first two are not counted
      const bool is_hooked = i % 2 != 0;
      lua_sethook(L, no_hook, is_hooked ? LUA_MASKCOUNT : 0, kInstructions);
      lua_pushvalue(L, -1);
      const int64_t begin = cpu_ns();
      lua_call(L, 0, 0);
      if (i >= 0) spent[is_hooked ? 1 : 0] += static_cast<double>(cpu_ns() - begin);
    }
  }
  lua_close(L);
  return std::max(0.0, (spent[1] - spent[0]) / (kTimes * kInstructions));
}

std::string count_text(double count) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.15g", count);
  return digits;
}

}  // namespace

void Limits::begin(lua_State* L, Interrupts& interrupts) {
  interrupts_ = &interrupts;
  passed_ = Kind::None;
  position_[0] = '\0';
  used_ = 0;
  make_room(L);
  if (options.instructions > 0 || options.seconds > 0) interrupts.set_limits(this);
  if (options.instructions > 0) {
    counted_till_ = cpu_ns();
    ns_ = kFastNs;
    if (options.instructions <= kExactly) count_exactly(L);
    else mode_ = Mode::Sampling;
  }
  const double ticks = mode_ == Mode::Sampling ? seconds_to_window() : 0;
  if (options.seconds > 0 || ticks > 0) watch(interrupts, {options.seconds, ticks, on_count});
}

void Limits::make_room(lua_State* L) {
  if (memory_ != nullptr) memory_->begin(L);
}

void Limits::require_room(double bytes) {
  if (memory_ == nullptr || memory_->has_room(bytes)) return;
  pass(Kind::LuaMemory);
  fail(ErrorCode::ResourceExhausted, text());
}

void Limits::expect(lua_State* L, std::size_t bytes) {
  if (memory_ != nullptr) memory_->expect(L, bytes);
}

void Limits::end(lua_State* L, bool was_stopped) noexcept {
  const bool is_late = (options.seconds > 0 || options.instructions > 0) && unwatch(*interrupts_);
  if (is_late && was_stopped && passed_ == Kind::None) passed_ = Kind::Seconds;
  if (memory_ != nullptr && memory_->has_refused() && passed_ == Kind::None) passed_ = Kind::LuaMemory;
  if (memory_ != nullptr) memory_->end();
  interrupts_->set_limits(nullptr);
  interrupts_ = nullptr;
  mode_ = Mode::Off;
  if (lua_gethook(L) == on_count) lua_sethook(L, nullptr, 0, 0);
}

void Limits::pass(Kind kind) noexcept {
  if (interrupts_ == nullptr || passed_ != Kind::None) return;
  passed_ = kind;
  interrupts_->set_limits(this);
  interrupts_->request();
}

void Limits::look_at_memory() noexcept {
  if (interrupts_ == nullptr || passed_ != Kind::None) return;
  interrupts_->set_limits(this);
  lua_State* L = interrupts_->running();
  if (lua_gethook(L) == nullptr) lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
}

void Limits::settle_memory() noexcept {
  if (memory_ != nullptr && memory_->has_refused()) pass(Kind::LuaMemory);
}

bool Limits::is_stopped(int64_t steps) noexcept {
  count(steps);
  return interrupts_ != nullptr && interrupts_->take();
}

void Limits::note_position(lua_State* L) noexcept {
  if (position_[0] != '\0') return;
  lua_Debug frame;
  if (!find_script_frame(L, &frame)) return;
  std::snprintf(position_, sizeof position_, "%s:%d: ", frame.short_src, frame.currentline);
}

std::string Limits::text() const {
  switch (passed_) {
    case Kind::None: break;
    case Kind::LuaMemory:
      return lutra::text("the limit of ", count_text(options.lua_memory_mb),
                         " MB of Lua's memory was passed: keep less in tables and strings, or raise lua_memory_mb");
    case Kind::TensorMemory:
      return lutra::text(
          "the limit of ", count_text(options.tensor_memory_mb),
          " MB of tensors on a device was passed: keep fewer or smaller tensors, or raise tensor_memory_mb");
    case Kind::Tensors:
      return lutra::text("the limit of ", options.tensors,
                         " tensors was passed: release those that are no longer needed, or raise tensors");
    case Kind::Instructions:
      return lutra::text("the limit of ", options.instructions,
                         " instructions was passed: do less in one call, or raise instructions");
    case Kind::Seconds:
      return lutra::text("the deadline of ", options.seconds,
                         " seconds has passed: do less in one call, or raise seconds");
    case Kind::OpenFiles:
      return lutra::text("the limit of ", options.open_files,
                         " open files was passed: close files or drop datasets, or raise open_files");
  }
  return "no limit was passed";
}

void Limits::switched(lua_State* to) noexcept {
  settle_memory();
  if (mode_ == Mode::Off) return;
  count(kSwitch);
  if (lua_gethook(to) != nullptr) return;
  if (mode_ == Mode::Exact) count_exactly(to);
  else if (mode_ == Mode::Window) warm_up(to);
}

void Limits::on_count(lua_State* L, lua_Debug*) {
  State* state = State::find(L);
  if (state != nullptr && state->limits != nullptr && state->limits->interrupts_ != nullptr) {
    state->limits->counted(L);
  } else {
    lua_sethook(L, nullptr, 0, 0);  // a coroutine of an earlier call
  }
}

void Limits::counted(lua_State* L) noexcept {
  settle_memory();
  // A hook that another thread has set in place of ours that stops.
  if (interrupts_->is_requested() && interrupts_->rehook(L)) return;
  switch (mode_) {
    case Mode::Off: lua_sethook(L, nullptr, 0, 0); break;
    case Mode::Exact:
      used_ += kStep;
      if (lua_gethookcount(L) != kStep) count_exactly(L);
      break;
    case Mode::Sampling: warm_up(L); break;
    case Mode::Window:
      if (L != window_ || lua_gethookcount(L) == 1) warm_up(L);
      else if (lua_gethookcount(L) == kWarmUp) begin_window(L);
      else end_window(L);
      break;
  }
  check_count();
}

void Limits::warm_up(lua_State* L) noexcept {
  mode_ = Mode::Window;
  window_ = L;
  lua_sethook(L, on_count, LUA_MASKCOUNT, kWarmUp);
}

void Limits::begin_window(lua_State* L) noexcept {
  window_at_ = cpu_ns();
  lua_sethook(L, on_count, LUA_MASKCOUNT, kWindow);
}

// Half of the time that what is left seems to take. Each window costs a look at Lua from another thread, so they are
// few.
double Limits::seconds_to_window() const {
  return static_cast<double>(options.instructions - used_ - kExactly) * ns_ * 0.5e-9;
}

// With the rate that was measured last.
void Limits::count_till(int64_t now) noexcept {
  used_ += static_cast<int64_t>(static_cast<double>(now - counted_till_) / ns_);
  counted_till_ = now;
}

void Limits::end_window(lua_State* L) noexcept {
  const int64_t now = cpu_ns();
  ns_ = std::max(kLeastNs, static_cast<double>(now - window_at_) / kWindow - hook_ns());
  count_till(window_at_);
  used_ += kWindow;
  counted_till_ = cpu_ns();
  mode_ = Mode::Sampling;
  lua_sethook(L, nullptr, 0, 0);
  if (options.instructions - used_ <= 2 * kExactly) count_exactly(L);
  else set_tick(*interrupts_, seconds_to_window());
}

void Limits::count_exactly(lua_State* L) noexcept {
  mode_ = Mode::Exact;
  lua_sethook(L, on_count, LUA_MASKCOUNT, kStep);
}

void LimitedMemory::set_limit(double mb) {
  constexpr double kMega = 1 << 20;
  constexpr std::size_t kLeastRoom = std::size_t{64} << 10;
  const double least = static_cast<double>(used_ + kLeastRoom);
  require(mb * kMega >= least, "lua_memory_mb is ", mb, "; ", only_in_calls_ ? "this lua_State" : "an interpreter",
          " takes ", std::ceil(least / kMega * 100) / 100, " MB before the first script runs");
  normal_ = static_cast<std::size_t>(mb * kMega);
  limit_ = only_in_calls_ ? SIZE_MAX : normal_;
}

void* LimitedMemory::reallocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  LimitedMemory& own = *static_cast<LimitedMemory*>(self);
  const std::size_t had = block != nullptr ? old_size : 0;  // else it is the kind of object
  if (new_size > had && own.refuses(block, new_size, new_size - had)) return nullptr;
  void* moved = own.allocate_(own.user_, block, old_size, new_size);
  if (moved == nullptr && new_size != 0) return nullptr;
  own.used_ += new_size - had;
  return moved;
}

// Lua collects all garbage after a refusal and repeats the request at once. Buffers of C functions give up instead,
// with an error that a script could catch.
bool LimitedMemory::refuses(const void* block, std::size_t new_size, std::size_t growth) {
  const bool is_repeated = refused_size_ == new_size && refused_block_ == block;
  const bool is_refused = growth > limit_ - std::min(used_, limit_);
  if (refused_size_ != 0 && (is_refused || !is_repeated)) limits_.pass(Limits::Kind::LuaMemory);
  refused_block_ = block;
  refused_size_ = is_refused ? new_size : 0;
  if (is_refused) limits_.look_at_memory();
  return is_refused;
}

bool LimitedMemory::took(int64_t bytes) noexcept {
  used_ += static_cast<std::size_t>(bytes);
  if (bytes <= 0 || used_ <= limit_) return true;
  limits_.pass(Limits::Kind::LuaMemory);
  return false;
}

void LimitedMemory::expect(lua_State* L, std::size_t bytes) {
  if (bytes <= limit_ - std::min(used_, limit_) || used_ - std::min(used_, kept_) < used_ / 4) return;
  lua_gc(L, LUA_GCCOLLECT);
  kept_ = used_;
}

void LimitedMemory::begin(lua_State* L) {
  refused_size_ = 0;
  if (normal_ == SIZE_MAX) return;
  constexpr std::size_t kRoom = std::size_t{256} << 10;
  limit_ = normal_;
  if (used_ + kRoom <= normal_) return;
  lua_gc(L, LUA_GCCOLLECT);
  limit_ = std::max(normal_, std::min(used_ + kRoom, normal_ + normal_ / 8 + kRoom));
}

}  // namespace lutra
