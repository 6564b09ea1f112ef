// lutra.h for C++: a Session closes itself, failures are exceptions, callbacks are std::functions and may throw.
// Header-only, C++17.
#ifndef LUTRA_HPP
#define LUTRA_HPP

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lutra.h"

namespace lutra {

// Its text is that of lutra_error(): the message, with the traceback of an error in a script.
class ScriptError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// lutra_options with chained setters: Options{}.simulate_gpus(4).log_placement().
class Options {
 public:
  Options& simulate_gpus(int count, double mb = 0) {
    options_.sim_gpus = count;
    options_.sim_gpu_mb = mb;
    return *this;
  }
  Options& log_placement(bool on = true) {
    options_.log_placement = on;
    return *this;
  }
  Options& soft_placement(bool on = true) {
    options_.soft_placement = on;
    return *this;
  }
  Options& device(std::string name) {
    device_ = std::move(name);
    return *this;
  }
  lutra_options get() const {
    lutra_options options = options_;
    options.device = device_.c_str();
    return options;
  }

 private:
  lutra_options options_ = LUTRA_OPTIONS_INIT;
  std::string device_;
};

// One interpreter, for one thread at a time. Its callbacks must not use it.
class Session {
 public:
  using TextFunction = std::function<void(std::string_view)>;

  explicit Session(const Options& options = Options()) {
    lutra_options given = options.get();
    handle_.reset(lutra_open(&given));
    if (handle_ == nullptr) throw ScriptError(lutra_error(nullptr));
  }

  // Runs Lua source. Error messages call it `chunk_name`.
  void run(const std::string& text, const std::string& chunk_name = "host") {
    finish(lutra_run_string(handle_.get(), text.c_str(), chunk_name.c_str()));
  }
  void run_file(const std::string& path) { finish(lutra_run_file(handle_.get(), path.c_str())); }

  // An exception thrown by a callback is rethrown by run() when the script has ended. An empty function means stdout,
  // or stderr for the log.
  void on_print(TextFunction print) {
    callbacks_->print = std::move(print);
    finish(lutra_set_print(handle_.get(), callbacks_->print ? Callbacks::print_text : nullptr, callbacks_.get()));
  }
  // A line of the placement log, or a warning, without its newline.
  void on_log(TextFunction log) {
    callbacks_->log = std::move(log);
    finish(lutra_set_log(handle_.get(), callbacks_->log ? Callbacks::log_line : nullptr, callbacks_.get()));
  }

  lutra_t* handle() const { return handle_.get(); }

 private:
  struct Callbacks {
    TextFunction print, log;
    std::exception_ptr thrown;

    static void print_text(void* user, const char* text, size_t size) {
      Callbacks& callbacks = *static_cast<Callbacks*>(user);
      callbacks.call(callbacks.print, {text, size});
    }
    static void log_line(void* user, const char* line, size_t size) {
      Callbacks& callbacks = *static_cast<Callbacks*>(user);
      callbacks.call(callbacks.log, {line, size});
    }
    void call(const TextFunction& function, std::string_view text) noexcept {
      try {
        function(text);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();  // the first one is the cause
      }
    }
  };

  struct Close {
    void operator()(lutra_t* lutra) const { lutra_close(lutra); }
  };

  void finish(int status) {
    if (std::exception_ptr thrown = std::exchange(callbacks_->thrown, nullptr)) std::rethrow_exception(thrown);
    if (status != 0) throw ScriptError(lutra_error(handle_.get()));
  }

  std::unique_ptr<Callbacks> callbacks_ = std::make_unique<Callbacks>();  // outlives the handle: finalizers may print
  std::unique_ptr<lutra_t, Close> handle_;
};

}  // namespace lutra

#endif  // LUTRA_HPP
