// Interpreters on threads of their own, which compute the elements of a Dataset:map. Jobs and results are strings: what
// they mean is up to lua/lutra/data/workers.lua, which runs on both sides. A worker shares nothing with the interpreter
// that made it.

#include "lua/bindings/workers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/blocked_signals.h"
#include "core/usable_cores.h"
#include "lua/border/held.h"
#include "lua/border/interpreter.h"
#include "lua/border/interrupts.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kWorkerMeta{};
constexpr int64_t kMostWorkers = 256;

struct Result {
  bool has_failed;
  std::string text;
};

class Workers {
 public:
  Workers(int64_t count, std::string setup) : setup_(std::move(setup)) {
    BlockedSignals blocked;
    try {
      for (int64_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) fail(ErrorCode::ResourceExhausted, "map: the system starts no thread");
      // Fewer do.
    }
  }
  ~Workers() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    wake_.notify_all();
    // A function that runs too long is stopped, again and again where it goes on.
    while (!running_.empty()) {
      for (Interrupts* each : running_) each->request_from_outside();
      ended_.wait_for(lock, std::chrono::milliseconds(20));
    }
    lock.unlock();
    for (std::thread& thread : threads_) thread.join();
  }

  void submit(int64_t number, std::string job) {
    std::lock_guard lock(mutex_);
    jobs_.emplace_back(number, std::move(job));
    wake_.notify_one();
  }

  // False: there is none yet.
  bool take(int64_t number, Result* result) {
    std::unique_lock lock(mutex_);
    auto is_there = [&] { return results_.find(number) != results_.end() || !problem_.empty(); };
    if (!done_.wait_for(lock, std::chrono::milliseconds(20), is_there)) return false;
    auto found = results_.find(number);
    if (found == results_.end()) fail(ErrorCode::Internal, "map: an interpreter does not start: ", problem_);
    *result = std::move(found->second);
    results_.erase(found);
    return true;
  }

 private:
  void work() {
    try {
      InterpreterOptions options;
      options.ignore_environment = true;
      options.sim_gpus = 0;
      Interpreter interpreter(options);
      serve(interpreter.lua());
    } catch (const std::exception& error) {
      std::lock_guard lock(mutex_);
      problem_ = error.what();
      done_.notify_all();
    }
  }

  void serve(lua_State* L) {
    // Only what runs inside of pcall may raise, as memory may run out.
    lua_pushcfunction(L, [](lua_State* inner) {
      const auto& setup = *static_cast<const std::string*>(lua_touserdata(inner, 1));
      push_used(inner, "data.workers");
      lua_getfield(inner, -1, "serve");
      lua_pushlstring(inner, setup.data(), setup.size());
      lua_call(inner, 1, 1);
      return 1;
    });
    lua_pushlightuserdata(L, const_cast<std::string*>(&setup_));
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
      const char* text = lua_tostring(L, -1);
      throw std::runtime_error(text != nullptr ? text : "an error that is not a string");
    }
    const int handler = lua_gettop(L);
    Interrupts& interrupts = *Interrupts::find(L);
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return is_ending_ || !jobs_.empty(); });
      if (is_ending_) return;
      auto [number, job] = std::move(jobs_.front());
      jobs_.pop_front();
      interrupts.begin(L);
      running_.push_back(&interrupts);
      lock.unlock();
      Result result{true, ""};
      try {
        result = answer(L, handler, job);
      } catch (const std::bad_alloc&) {
        lua_settop(L, handler);
      }
      lock.lock();
      interrupts.end();
      std::erase(running_, &interrupts);
      if (is_ending_) ended_.notify_all();
      results_[number] = std::move(result);
      done_.notify_all();
    }
  }

  // The handler returns whether it has failed, and a text.
  static Result answer(lua_State* L, int handler, const std::string& job) {
    lua_pushcfunction(L, [](lua_State* inner) {
      const auto& text = *static_cast<const std::string*>(lua_touserdata(inner, 2));
      lua_settop(inner, 1);
      lua_pushlstring(inner, text.data(), text.size());
      lua_call(inner, 1, 2);
      return 2;
    });
    lua_pushvalue(L, handler);
    lua_pushlightuserdata(L, const_cast<std::string*>(&job));
    const bool is_lost = lua_pcall(L, 2, 2, 0) != LUA_OK;
    std::size_t size = 0;
    const char* text = lua_tolstring(L, -1, &size);
    Result result{is_lost || lua_toboolean(L, -2) != 0, text != nullptr ? std::string(text, size) : std::string()};
    lua_settop(L, handler);
    return result;
  }

  const std::string setup_;
  std::mutex mutex_;
  std::condition_variable wake_, done_, ended_;
  std::deque<std::pair<int64_t, std::string>> jobs_;
  std::map<int64_t, Result> results_;
  std::vector<Interrupts*> running_;
  std::string problem_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

Workers& workers_at(Args& args) { return *Held<std::unique_ptr<Workers>>::at(args, 1, "workers"); }

// workers(count, setup): nil in a sandbox, whose scripts could start any number of threads.
int make_workers(Args& args) {
  if (args.state.is_sandbox) return lua_pushnil(args.L), 1;
  int64_t count = std::clamp<int64_t>(args.integer(1, "count"), 1, kMostWorkers);
  Held<std::unique_ptr<Workers>>::push_new(args, kWorkerMeta,
                                           std::make_unique<Workers>(count, std::string(args.string(2, "setup"))));
  return 1;
}

int submit_job(Args& args) {
  workers_at(args).submit(args.integer(2, "number"), std::string(args.string(3, "job")));
  return 0;
}

// take_result(workers, number): whether it has failed, and its text; nothing if there is none yet, so that the caller
// can be interrupted.
int take_result(Args& args) {
  Result result;
  if (!workers_at(args).take(args.integer(2, "number"), &result)) return 0;
  lua_pushboolean(args.L, result.has_failed);
  push_text(args, result.text);
  return 2;
}

int usable_threads(Args& args) {
  lua_pushinteger(args.L, process_threads().threads);
  return 1;
}

}  // namespace

void open_workers(lua_State* L, State& state) {
  Held<std::unique_ptr<Workers>>::open(L, kWorkerMeta);
  set_function<make_workers>(L, state, "workers", "map");
  set_function<submit_job>(L, state, "submit_job", "map");
  set_function<take_result>(L, state, "take_result", "map");
  set_function<usable_threads>(L, state, "usable_threads", "map");
}

}  // namespace lutra
