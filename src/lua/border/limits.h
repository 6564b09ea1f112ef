// The limits that scripts of one interpreter run under, and which of them a call from the host has passed. Passing one
// requests an interrupt that is raised until the call has ended, so that a script cannot catch it for long; the host
// then finds the limit here, whatever the script did with the error. See docs/decisions/limits-of-scripts.md.
#pragma once

#include <lua.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.h"
#include "eager/ledger.h"

namespace lutra {

class Interrupts;

// 0: no limit.
struct LimitOptions {
  double lua_memory_mb = 0;     // of Lua itself: tables, strings, functions
  double tensor_memory_mb = 0;  // of tensors, on each device
  int64_t instructions = 0;     // of each call
  double seconds = 0;           // of each call
  int64_t tensors = 0;          // tensors at one time that are larger than 64 bytes
  int open_files = 0;           // at one time
};

class LimitedMemory;

class Limits {
 public:
  enum class Kind : uint8_t { None, LuaMemory, TensorMemory, Tensors, Instructions, Seconds, OpenFiles };

  Limits() = default;
  Limits(const Limits&) = delete;

  LimitOptions options;
  bool any() const {
    return options.lua_memory_mb > 0 || options.tensor_memory_mb > 0 || options.instructions > 0 ||
           options.seconds > 0 || options.tensors > 0 || options.open_files > 0;
  }

  void set_memory(LimitedMemory* memory) { memory_ = memory; }

  // A call from the host begins, after Interrupts::begin. Counts from 0. Throws without memory.
  void begin(lua_State* L, Interrupts& interrupts);
  // It has ended, after Interrupts::end. `was_stopped`: an interrupt was raised in it. passed() is valid until `begin`.
  void end(lua_State* L, bool was_stopped) noexcept;

  // Between calls: makes room for what the host passes, and tells that there was not enough.
  void make_room(lua_State* L);
  void note_no_room() {
    passed_ = Kind::LuaMemory;
    position_[0] = '\0';
  }
  bool limits_memory() const { return memory_ != nullptr; }
  // C++ will take so much memory for a value of Lua's, at least. Fails (ResourceExhausted), and ends the call, if Lua's
  // memory has no room for it.
  void require_room(double bytes);
  // A C function will ask for about so many bytes, in a way that Lua does not collect garbage for (luaL_Buffer).
  void expect(lua_State* L, std::size_t bytes);

  // The first limit that was passed since `begin`.
  Kind passed() const { return passed_; }
  // Ends the call. Also from the allocator.
  void pass(Kind kind) noexcept;
  // From the allocator: looks before the next instruction whether the memory was found after all.
  void look_at_memory() noexcept;
  // What was passed, with its value and what to do.
  std::string text() const;
  ErrorCode code() const {
    return passed_ == Kind::Seconds ? ErrorCode::DeadlineExceeded : ErrorCode::ResourceExhausted;
  }
  // "name:7: " of the place where the script was first stopped, or "".
  const char* position() const { return position_; }
  void note_position(lua_State* L) noexcept;

  // Whether instructions are counted.
  bool counts() const { return mode_ != Mode::Off; }
  // Counts work that C++ has done as so many instructions.
  void count(int64_t steps) noexcept {
    if (mode_ == Mode::Off) return;
    used_ += steps;
    check_count();
  }
  // For loops in C++ that Lua's hooks do not see, once per so many steps: counts, and tells whether to raise
  // "interrupted!" now.
  bool is_stopped(int64_t steps) noexcept;
  // Another coroutine runs now.
  void switched(lua_State* to) noexcept;

 private:
  // Exact: a count hook every kStep instructions, which doubles the time of plain loops. Sampling: no hook, but a
  // thread sets one some times in a call for a Window, in which the rate of instructions is measured.
  enum class Mode : uint8_t { Off, Exact, Sampling, Window };

  static void on_count(lua_State* L, lua_Debug* event);
  void counted(lua_State* L) noexcept;
  void settle_memory() noexcept;
  void warm_up(lua_State* L) noexcept;
  void begin_window(lua_State* L) noexcept;
  void count_till(int64_t now) noexcept;
  double seconds_to_window() const;
  void end_window(lua_State* L) noexcept;
  void count_exactly(lua_State* L) noexcept;
  void check_count() noexcept {
    if (used_ > options.instructions) pass(Kind::Instructions);
  }

  LimitedMemory* memory_ = nullptr;   // null: Lua's memory has no limit
  Interrupts* interrupts_ = nullptr;  // null between calls
  Kind passed_ = Kind::None;
  Mode mode_ = Mode::Off;
  int64_t used_ = 0;
  double ns_ = 0;                // the time of one instruction, as last measured
  int64_t counted_till_ = 0;     // the thread's CPU time up to which instructions are counted
  int64_t window_at_ = 0;        // when the window began
  lua_State* window_ = nullptr;  // its coroutine
  char position_[96] = "";
};

// Lua's memory under a limit, around another allocator. Off until set_limit.
class LimitedMemory {
 public:
  LimitedMemory(lua_Alloc allocate, void* user, Limits& limits) : allocate_(allocate), user_(user), limits_(limits) {}
  // A lua_Alloc; `self` is the LimitedMemory.
  static void* reallocate(void* self, void* block, std::size_t old_size, std::size_t new_size);

  // From now on MB of 2^20 bytes. Fails (InvalidArgument) if nearly as much is used already.
  void set_limit(double mb);
  // The state had taken so many bytes before this allocator; the limit holds only during calls from the host.
  void join(std::size_t used) {
    used_ = used;
    only_in_calls_ = true;
  }
  // Removes the limit for good.
  void lift() {
    limit_ = normal_ = SIZE_MAX;
    refused_size_ = 0;
  }
  // A call begins: one that finds the memory full may use a little more, at most an eighth of the limit in all, so that
  // it can free what others have left.
  void begin(lua_State* L);
  void end() {
    if (only_in_calls_) limit_ = SIZE_MAX;
  }
  // Collects garbage if so many bytes are not left and there may be some.
  void expect(lua_State* L, std::size_t bytes);
  // Counts the memory of records of tapes and graphs, which Lua does not see.
  RecordMeter meter() {
    return {[](void* user, int64_t bytes) { return static_cast<LimitedMemory*>(user)->took(bytes); }, this};
  }
  bool has_room(double bytes) const { return bytes <= static_cast<double>(limit_ - std::min(used_, limit_)); }
  // Whether the last request was refused and not repeated.
  bool has_refused() const { return refused_size_ != 0; }

 private:
  bool took(int64_t bytes) noexcept;
  bool refuses(const void* block, std::size_t new_size, std::size_t growth);

  lua_Alloc allocate_;
  void* user_;
  Limits& limits_;
  std::size_t used_ = 0, limit_ = SIZE_MAX, normal_ = SIZE_MAX;
  bool only_in_calls_ = false;
  std::size_t kept_ = 0;  // used_ after the last collection of `expect`
  // The request that was refused last, if it has not been repeated yet.
  const void* refused_block_ = nullptr;
  std::size_t refused_size_ = 0;
};

}  // namespace lutra
