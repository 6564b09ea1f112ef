// Interpreters that share a lutra_runtime_t: tensors pass between them without a copy, also on a GPU; calls from
// several threads take turns; each has its own log and globals; what cannot work is refused.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lutra.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(bool is_right, const char* what, int line) {
  if (is_right) return;
  std::printf("shared_host.cpp:%d: %s; lutra_error: %s\n", line, what, lutra_error(nullptr));
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

bool has(const char* text, const char* part) { return std::strstr(text, part) != nullptr; }

lutra_t* open_in(lutra_runtime_t* runtime) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.runtime = runtime;
  return lutra_open(&options);
}

uint64_t bytes_on(lutra_t* lutra, const char* device) {
  lutra_memory_info info = LUTRA_MEMORY_INFO_INIT;
  CHECK(lutra_memory(lutra, device, &info) == 0);
  return info.bytes_in_use;
}

lutra_runtime_t* runtime_with(int gpus, double mb) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.sim_gpus = gpus;
  options.sim_gpu_mb = mb;
  lutra_runtime_t* runtime = lutra_runtime_open(&options);
  CHECK(runtime != nullptr);
  return runtime;
}

// A tensor made in one interpreter is used, kept and read in the other, and its memory is there once.
void test_tensors(const char* device) {
  lutra_runtime_t* runtime = runtime_with(2, 64);
  lutra_t *one = open_in(runtime), *two = open_in(runtime);
  CHECK(one != nullptr && two != nullptr);
  lutra_runtime_close(runtime);
  const std::string make = std::string("w = lt.device('") + device +
                           "', function() return lt.range(1048576, {dtype = 'float32'}) end)\nassert(w.device:find('" +
                           device + "'))";
  CHECK(lutra_run_string(one, make.c_str(), "one") == 0);
  const uint64_t before = bytes_on(one, device);
  CHECK(before >= 4u << 20);
  lutra_value w = LUTRA_VALUE_INIT, sum = LUTRA_VALUE_INIT;
  CHECK(lutra_get_global(one, "w", &w) == 0);
  CHECK(lutra_set_global(two, "w", &w) == 0);
  CHECK(bytes_on(two, device) == before);
  CHECK(lutra_run_string(two, "function f(x) return w[{ {1, 4} }]:sum():item(), x end", "two") == 0);
  CHECK(lutra_call(two, "f", nullptr, 0, &sum, 1, nullptr) == 0 && sum.as.number == 6);
  // Back to the first: the same memory once more.
  lutra_value back[2];
  CHECK(lutra_call(two, "f", &w, 1, back, 2, nullptr) == 0 && back[1].type == LUTRA_TENSOR);
  CHECK(lutra_tensor_owner(back[1].as.tensor) == two);
  CHECK(lutra_tensor_data(back[1].as.tensor) == lutra_tensor_data(w.as.tensor));
  CHECK(lutra_set_global(one, "again", &back[1]) == 0);
  CHECK(lutra_run_string(one, "assert(again[7]:item() == 6 and again.device == w.device)", "one") == 0);
  CHECK(bytes_on(one, device) == before);
  lutra_value_clear(&back[1]);
  lutra_value_clear(&w);
  // The maker ends; the other's tensor lives on, and so does its own handle.
  lutra_close(one);
  CHECK(lutra_call(two, "f", nullptr, 0, &sum, 1, nullptr) == 0 && sum.as.number == 6);
  CHECK(lutra_run_string(two, "w = nil", "two") == 0 && lutra_trim(two) == 0);
  CHECK(bytes_on(two, device) < 1u << 20);
  lutra_close(two);
}

// A tape of one interpreter does not know of the other's tensors, and gradients there are right.
void test_tapes() {
  lutra_runtime_t* runtime = runtime_with(1, 64);
  lutra_t *one = open_in(runtime), *two = open_in(runtime);
  CHECK(lutra_run_string(one, "v = lt.Variable(lt.range(8, {dtype = 'float32'}))\ntape = lt.GradientTape()\ny = v * v",
                         "one") == 0);
  lutra_value y = LUTRA_VALUE_INIT;
  CHECK(lutra_get_global(one, "y", &y) == 0 && lutra_set_global(two, "y", &y) == 0);
  CHECK(lutra_run_string(two, R"lua(
    local own = lt.Variable(lt.ones {8})
    local tape <close> = lt.GradientTape()
    local g = tape:gradient((own * y):sum(), own)
    assert(g[8]:item() == 49)
  )lua",
                         "two") == 0);
  CHECK(lutra_run_string(one, "assert(tape:gradient(y, v)[8]:item() == 14)", "one") == 0);
  lutra_value_clear(&y);
  lutra_close(two);
  lutra_close(one);
  lutra_runtime_close(runtime);
}

// Each interpreter's lines go to its own function, also from a call inside the other's.
void test_logs() {
  lutra::Runtime runtime(lutra::Options().simulate_gpus(1, 64));
  lutra::Session one(lutra::Options().runtime(runtime).log_placement());
  lutra::Session two(lutra::Options().runtime(runtime).log_placement());
  std::string first, second;
  one.on_log([&](std::string_view line) { first += std::string(line) + "\n"; });
  two.on_log([&](std::string_view line) { second += std::string(line) + "\n"; });
  one.function("other", [&] { two.run("lt.exp(lt.ones {2})"); });
  one.run("lt.ones {2} other() lt.ones {3}:sqrt()");
  CHECK(first.find("Exp") == std::string::npos && first.find("op Sqrt") != std::string::npos);
  CHECK(second.find("op Exp") != std::string::npos && second.find("Sqrt") == std::string::npos);

  // A callback in the middle of an op may use neither.
  std::string refused;
  one.on_log([&](std::string_view) {
    if (lutra_run_string(two.handle(), "lt.ones {2}", "inner") != 0) refused = lutra_error(nullptr);
  });
  one.run("lt.ones {2}");
  CHECK(has(refused.c_str(), "share the runtime"));
  one.on_log({});
}

// Calls from several threads, each interpreter with the same weights, and handles that others release.
void test_threads() {
  constexpr int kThreads = 6, kRounds = 40;
  lutra::Runtime runtime(lutra::Options().simulate_gpus(2, 64));
  lutra::Session maker(lutra::Options().runtime(runtime));
  maker.run("w = lt.device('GPU:1', function() return lt.ones {64, 64} * 0.5 end)");
  const lutra::Tensor weights = maker.get<lutra::Tensor>("w");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      try {
        lutra::Session session(lutra::Options().runtime(runtime).device(i % 2 == 0 ? "GPU:0" : "GPU:1"));
        session.set("w", weights);
        session.run("function f(n) return (w:matmul(w) + n):sum():item(), w * n end");
        for (int round = 0; round < kRounds; ++round) {
          auto [sum, scaled] = session.call<std::tuple<double, lutra::Tensor>>("f", round);
          if (sum != 64 * 64 * (16.0 + round)) ++wrong;
          if (scaled.to_vector<float>()[5] != 0.5f * static_cast<float>(round)) ++wrong;
        }
      } catch (const std::exception& error) {
        std::printf("shared_host: %s\n", error.what());
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// The garbage of one interpreter gives way when another needs the memory.
void test_pressure() {
  lutra::Runtime runtime(lutra::Options().simulate_gpus(1, 32));
  lutra::Session one(lutra::Options().runtime(runtime)), two(lutra::Options().runtime(runtime));
  one.run("collectgarbage('stop') lt.ones {5 * 1024 * 1024} collectgarbage('restart')");
  two.run("x = lt.ones {5 * 1024 * 1024} assert(x:sum():item() == 5 * 1024 * 1024)");
  try {
    one.run("lt.ones {5 * 1024 * 1024}", "late");
    CHECK(false);
  } catch (const lutra::ScriptError& error) {
    CHECK(std::string(error.code()) == "ResourceExhausted");
    CHECK(has(error.what(), "made by Fill"));
  }
  two.run("x = nil");
  one.run("lt.ones {5 * 1024 * 1024}");
}

// One thread uses an interpreter for a while; another one's call waits, and a release meanwhile is no loss.
void test_waiting() {
  lutra::Runtime runtime;
  lutra::Session one(lutra::Options().runtime(runtime)), two(lutra::Options().runtime(runtime));
  one.run("x = lt.ones {100000}");
  lutra::Tensor x = one.get<lutra::Tensor>("x");
  std::atomic<bool> is_inside{false}, may_end{false};
  one.function("stay", [&] {
    is_inside = true;
    while (!may_end) std::this_thread::yield();
  });
  std::thread busy([&] { one.run("stay()"); });
  while (!is_inside) std::this_thread::yield();
  x = lutra::Tensor();
  std::atomic<bool> has_run{false};
  std::thread waiting([&] {
    two.run("y = lt.ones {2}");
    has_run = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(!has_run);
  may_end = true;
  busy.join();
  waiting.join();
  CHECK(has_run);
}

void test_refusals() {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.log_placement = 1;
  CHECK(lutra_runtime_open(&options) == nullptr && has(lutra_error(nullptr), "give the other options to lutra_open"));
  options = LUTRA_OPTIONS_INIT;
  options.sim_gpus = 65;
  CHECK(lutra_runtime_open(&options) == nullptr && has(lutra_error(nullptr), "sim_gpus is 65"));
  lutra_runtime_t* runtime = lutra_runtime_open(nullptr);
  options = LUTRA_OPTIONS_INIT;
  options.runtime = runtime;
  options.sim_gpus = 1;
  CHECK(lutra_open(&options) == nullptr && has(lutra_error(nullptr), "belong to options.runtime"));
  options.sim_gpus = 0;
  options.sandbox = 1;
  CHECK(lutra_open(&options) == nullptr && has(lutra_error(nullptr), "a sandbox cannot share"));
  options.sandbox = 0;
  options.device = "/GPU:x";
  CHECK(lutra_open(&options) == nullptr && has(lutra_error(nullptr), "GPU:x"));
  lutra_t* lutra = open_in(runtime);
  lutra_op_def op = LUTRA_OP_DEF_INIT;
  op.name = "Blur";
  op.lua_name = "blur";
  op.kernel = [](void*, lutra_t*, const lutra_array*, int, lutra_array*, int) { return 0; };
  CHECK(lutra_register_op(lutra, &op) == 1 && has(lutra_error(lutra), "shares its runtime"));
  lutra_close(lutra);
  lutra_runtime_close(runtime);
  lutra_runtime_close(nullptr);
}

// A thread that is inside an interpreter of one runtime does not wait for another runtime, which would wait for it.
void test_two_runtimes() {
  lutra::Runtime left, right;
  lutra::Session in_left(lutra::Options().runtime(left)), in_right(lutra::Options().runtime(right));
  std::atomic<int> inside{0}, refused{0};
  auto cross = [&](lutra::Session& other) {
    return [&] {
      ++inside;
      while (inside < 2) std::this_thread::yield();
      if (lutra_run_string(other.handle(), "n = 1", "cross") != 0) ++refused;
    };
  };
  in_left.function("cross", cross(in_right));
  in_right.function("cross", cross(in_left));
  std::thread one([&] { in_left.run("cross()"); }), two([&] { in_right.run("cross()"); });
  one.join();
  two.join();
  CHECK(refused >= 1);
}

}  // namespace

int main() {
  test_tensors("GPU:1");
  test_tensors("CPU:0");
  test_tapes();
  test_logs();
  test_threads();
  test_pressure();
  test_waiting();
  test_refusals();
  test_two_runtimes();
  std::puts("shared_host: all well");
}
