// Interrupts from another thread and deadlines: what runs ends, says so by its status, and the interpreter goes on.
#include <lutra.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

namespace {

std::atomic<int> failures{0};

void check(bool ok, const std::string& what, const char* got) {
  if (ok) return;
  std::fprintf(stderr, "limits_host: %s; got: %s\n", what.c_str(), got);
  ++failures;
}

// Each never ends by itself; started() is called where the work begins.
const char* const kEndless[] = {
    "started() while true do end",
    "started() while true do pcall(function() while true do end end) end",
    "local function f() pcall(f) end started() while true do f() end",
    "started() while true do pcall(error, 'x') end",
    "started() local t = {} while true do t = {t[1], {}} end",
    "started() local s = '' while true do s = ('x'):rep(1000) .. #s end",
    "started() while true do coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end end)() end",
    "local c = coroutine.wrap(function() started() while true do end end) c()",
    "local c = coroutine.wrap(function() started() while true do pcall(function() while true do end end) end end) c()",
    "started() local x = lt.ones {100, 100} while true do x = lt.matmul(x, x) / 100 end",
    "local x = lt.ones {1500, 1500} started() while true do pcall(lt.matmul, x, x) end",
    "started() table.sort({1, 2, 3, 4}, function() while true do end end)",
    "local t = setmetatable({}, {__index = function() while true do end end}) started() return t.x",
    "debug.sethook(function() end, 'l') started() while true do end",
    "started() while true do pcall(coroutine.wrap(function() error('x') end)) end",
};

struct Running {
  std::atomic<bool> has_started{false};
};

int note_start(void* user, lutra_t*, const lutra_value*, size_t, lutra_value*, size_t, size_t*) {
  static_cast<Running*>(user)->has_started = true;
  return 0;
}

void check_usable(lutra_t* lutra, const std::string& after) {
  int status = lutra_run_string(lutra, "assert(lt.ones{3}:sum():item() == 3) for i = 1, 1e5 do end", nullptr);
  check(status == 0, "not usable after " + after, lutra_error(lutra));
}

void check_interrupts(int rounds) {
  Running running;
  lutra_t* lutra = lutra_open(nullptr);
  lutra_register(lutra, "started", note_start, &running);
  check(lutra_interrupt(lutra) == 0, "an interrupt while nothing runs", lutra_error(nullptr));
  for (int round = 0; round < rounds; ++round) {
    for (const char* script : kEndless) {
      running.has_started = false;
      int status = -1;
      std::thread thread([&] { status = lutra_run_string(lutra, script, "=endless"); });
      while (!running.has_started) std::this_thread::yield();
      lutra_interrupt(lutra);
      if (round % 2 == 1) lutra_interrupt(lutra);
      thread.join();
      check(status == LUTRA_INTERRUPTED, script, lutra_error(lutra));
      check(std::strstr(lutra_error(lutra), "interrupted!") != nullptr, script, lutra_error(lutra));
      check_usable(lutra, script);
    }
  }
  // One that comes as the script ends stops nothing later.
  for (int i = 0; i < 200; ++i) {
    running.has_started = false;
    std::thread thread([&] { lutra_run_string(lutra, "started() for i = 1, 1000 do end", nullptr); });
    while (!running.has_started) std::this_thread::yield();
    lutra_interrupt(lutra);
    thread.join();
    check_usable(lutra, "a late interrupt");
  }
  lutra_close(lutra);
}

void check_deadlines() {
  lutra_t* lutra = lutra_open(nullptr);
  check(lutra_set_deadline(lutra, -1) == 1 && lutra_set_deadline(lutra, 0.0 / 0.0) == 1, "a wrong deadline", "passes");
  check(lutra_set_deadline(lutra, 0.03) == 0, "lutra_set_deadline", lutra_error(lutra));
  for (const char* script : {"while true do end", "while true do pcall(function() while true do end end) end"}) {
    check(lutra_run_string(lutra, script, "late.lua") == LUTRA_LIMIT, script, lutra_error(lutra));
    check(std::strstr(lutra_error(lutra), "the deadline of 0.03 seconds has passed") != nullptr, script,
          lutra_error(lutra));
    check(std::strcmp(lutra_error_code(lutra), "DeadlineExceeded") == 0, script, lutra_error_code(lutra));
  }
  // Calls too, and a deadline counts from each call's start.
  lutra_set_deadline(lutra, 30);
  check_usable(lutra, "deadlines");
  lutra_set_deadline(lutra, 0.03);
  lutra_run_string(lutra, "function loop() while true do end end", nullptr);
  check(lutra_call(lutra, "loop", nullptr, 0, nullptr, 0, nullptr) == LUTRA_LIMIT, "a call", lutra_error(lutra));
  lutra_set_deadline(lutra, 0);
  check_usable(lutra, "no deadline");
  lutra_close(lutra);
}

void check_null() {
  check(lutra_interrupt(nullptr) == 1, "interrupt(NULL)", "0");
  check(lutra_set_deadline(nullptr, 1) == 1, "set_deadline(NULL)", "0");
  check(lutra_trim(nullptr) == 1 && lutra_memory(nullptr, nullptr, nullptr) == 1, "trim and memory of NULL", "0");
  check(lutra_device_name(nullptr, 0) == nullptr, "device_name(NULL)", "a name");
}

}  // namespace

int main() {
  check_interrupts(2);
  check_deadlines();
  check_null();
  if (failures == 0) std::puts("limits_host: all well");
  return failures != 0;
}
