// lutra.h for C++: a Session closes itself, values are C++'s own types, failures are exceptions, callbacks are lambdas
// and may throw. Header-only, C++17.
#ifndef LUTRA_HPP
#define LUTRA_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lutra.h"
#include "lutra_values.hpp"

namespace lutra {

class Runtime;

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
  // For scripts that are not trusted: few of Lua's libraries, and no files but those of allow_path.
  Options& sandbox(bool on = true) {
    options_.sandbox = on;
    return *this;
  }
  // A folder or file that a sandbox may read and write; "read:DIR" may only be read.
  Options& allow_path(std::string path) {
    paths_.push_back(std::move(path));
    return *this;
  }
  // Limits, of each call or at one time. Passing one throws a ScriptError with the status LUTRA_LIMIT. 0: none.
  Options& lua_memory_mb(double mb) {
    options_.lua_memory_mb = mb;
    return *this;
  }
  Options& tensor_memory_mb(double mb) {
    options_.tensor_memory_mb = mb;
    return *this;
  }
  Options& instructions(std::int64_t count) {
    options_.instructions = count;
    return *this;
  }
  Options& seconds(double seconds) {
    options_.seconds = seconds;
    return *this;
  }
  Options& tensors(std::int64_t count) {
    options_.tensors = count;
    return *this;
  }
  Options& open_files(int count) {
    options_.open_files = count;
    return *this;
  }
  // Devices and memory that sessions share; it may be destroyed before them. Not with simulate_gpus, soft_placement and
  // tensor_memory_mb, which are the runtime's.
  Options& runtime(const Runtime& runtime);
  // Valid until the Options change.
  lutra_options get() const {
    lutra_options options = options_;
    options.device = device_.c_str();
    pointers_.clear();
    for (const std::string& path : paths_) pointers_.push_back(path.c_str());
    pointers_.push_back(nullptr);
    if (!paths_.empty()) options.allowed_paths = pointers_.data();
    return options;
  }

 private:
  lutra_options options_ = LUTRA_OPTIONS_INIT;
  std::string device_;
  std::vector<std::string> paths_;
  mutable std::vector<const char*> pointers_;
};

// Devices, memory and settings that several sessions share, which then take turns. Their tensors pass from one to
// another without a copy, also on a GPU.
//   lutra::Runtime runtime(lutra::Options().simulate_gpus(2));
//   lutra::Session one(lutra::Options().runtime(runtime)), two(lutra::Options().runtime(runtime));
class Runtime {
 public:
  explicit Runtime(const Options& options = Options()) {
    const lutra_options given = options.get();
    handle_.reset(lutra_runtime_open(&given));
    if (handle_ == nullptr) throw ScriptError::last();
  }
  lutra_runtime_t* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(lutra_runtime_t* runtime) const { lutra_runtime_close(runtime); }
  };
  std::unique_ptr<lutra_runtime_t, Close> handle_;
};

inline Options& Options::runtime(const Runtime& runtime) {
  options_.runtime = runtime.handle();
  return *this;
}

// One interpreter, for one thread at a time. Its functions may use it; on_print and on_log may not.
class Session {
 public:
  using TextFunction = std::function<void(std::string_view)>;

  explicit Session(const Options& options = Options()) {
    lutra_options given = options.get();
    handle_.reset(lutra_open(&given));
    if (handle_ == nullptr) throw ScriptError::last();
  }
  // Lutra in the host's own lua_State, which lua_close ends.
  static Session attach(lua_State* L, const Options& options = Options()) {
    lutra_options given = options.get();
    lutra_t* lutra = lutra_attach(L, &given);
    if (lutra == nullptr) throw ScriptError::last();
    return Session(lutra);
  }

  // Runs Lua source. Error messages call it `chunk_name`.
  void run(const std::string& text, const std::string& chunk_name = "host") {
    finish(lutra_run_string(handle_.get(), text.c_str(), chunk_name.c_str()));
  }
  void run_file(const std::string& path) { finish(lutra_run_file(handle_.get(), path.c_str())); }

  // Calls a function of Lua: auto [loss, steps] = session.call<std::tuple<double, int>>("train.step", batch, 0.1).
  template <class R = void, class... Args> R call(const char* name, const Args&... args) {
    try {
      return detail::call_with<R>(
          handle_.get(),
          [&](const lutra_value* in, std::size_t n_in, lutra_value* out, std::size_t max_out) {
            return lutra_call(handle_.get(), name, in, n_in, out, max_out, nullptr);
          },
          args...);
    } catch (...) {
      rethrow_callbacks();
      throw;
    }
  }
  // Globals, or entries of tables: "agents.count".
  template <class T> void set(const char* name, const T& value) {
    const Value made = detail::make_value(value);
    finish(lutra_set_global(handle_.get(), name, &made.raw()));
  }
  template <class T> T get(const char* name) {
    Value value;
    finish(lutra_get_global(handle_.get(), name, value.out()));
    return detail::Results<T>::convert(&value, handle_.get());
  }

  // Makes a lambda a function of Lua: session.function("spawn", [&](std::string kind, double x) { return
  // world.add(kind, x); }). Its parameters and result are numbers, bools, strings, Tensors, Objects, vectors of these;
  // a result may also be a std::tuple of several. What it throws is an error in Lua, with what() as its message.
  template <class F> void function(const char* name, F&& lambda) {
    auto made = std::make_unique<decltype(Callable(std::function(std::forward<F>(lambda))))>(
        std::function(std::forward<F>(lambda)));
    finish(lutra_register(handle_.get(), name, made->call, made.get()));
    functions_.push_back(std::move(made));  // scripts may keep the old one of this name
  }

  // A tensor of a copy of the elements. Without a shape it has one axis.
  template <class T> Tensor tensor(Span<const T> elements, Shape shape) {
    lutra_tensor* made = nullptr;
    finish(lutra_tensor_new(handle_.get(), static_cast<int>(detail::dtype_of<T>()), static_cast<int>(shape.size()),
                            shape.data(), elements.data(), elements.size() * sizeof(T), &made));
    return Tensor(made);
  }
  template <class T> Tensor tensor(const std::vector<T>& elements) {
    return tensor<T>(Span<const T>(elements), {static_cast<int64_t>(elements.size())});
  }
  template <class T> Tensor tensor(const std::vector<T>& elements, Shape shape) {
    return tensor<T>(Span<const T>(elements), std::move(shape));
  }
  // The same without a copy: the elements stay where they are, unchanged, until `release` is called, on any thread.
  template <class T> Tensor wrap(Span<const T> elements, Shape shape, std::function<void()> release = nullptr) {
    auto done = std::make_unique<std::function<void()>>(std::move(release));
    lutra_tensor* made = nullptr;
    finish(lutra_tensor_wrap(handle_.get(), static_cast<int>(detail::dtype_of<T>()), static_cast<int>(shape.size()),
                             shape.data(), elements.data(), elements.size() * sizeof(T), run_and_delete, done.get(),
                             &made));
    done.release();
    return Tensor(made);
  }
  // Moves the vector into the tensor; nothing is copied.
  template <class T> Tensor wrap(std::vector<T>&& elements, Shape shape) {
    auto kept = std::make_shared<std::vector<T>>(std::move(elements));
    return wrap<T>(Span<const T>(*kept), std::move(shape), [kept] {});
  }

  // Ends what runs, from any thread: it throws a ScriptError whose status() is LUTRA_INTERRUPTED.
  void interrupt() const { lutra_interrupt(handle_.get()); }
  // Ends each later call that runs longer, with LUTRA_LIMIT. 0: no limit.
  void set_deadline(double seconds) { finish(lutra_set_deadline(handle_.get(), seconds)); }
  lutra_memory_info memory(const char* device = nullptr) {
    lutra_memory_info info = LUTRA_MEMORY_INFO_INIT;
    finish(lutra_memory(handle_.get(), device, &info));
    return info;
  }
  void trim() { finish(lutra_trim(handle_.get())); }

  // Opens the prompt to `lutra attach PATH`; nullptr closes it. Its entries run during poll, which returns their
  // number.
  void listen(const char* path) { finish(lutra_listen(handle_.get(), path)); }
  int poll(double seconds = 0) {
    int entries = 0;
    finish(lutra_poll(handle_.get(), seconds, &entries));
    return entries;
  }

  // An exception thrown by these callbacks is rethrown by the call during which it happened, when that has ended. An
  // empty function means stdout, or stderr for the log.
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

  struct AnyCallable {
    virtual ~AnyCallable() = default;
  };
  template <class R, class... Args> struct Callable : AnyCallable {
    explicit Callable(std::function<R(Args...)> what) : function(std::move(what)) {}
    std::function<R(Args...)> function;

    static int call(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                    size_t* n_out) noexcept {
      try {
        *n_out =
            static_cast<Callable*>(user)->invoke(lutra, in, n_in, out, max_out, std::index_sequence_for<Args...>());
        return LUTRA_OK;
      } catch (const std::exception& error) {
        return lutra_fail(lutra, error.what());
      } catch (...) {
        return lutra_fail(lutra, "an exception that is no std::exception");
      }
    }
    template <std::size_t... I>
    std::size_t invoke(lutra_t* lutra, const lutra_value* in, std::size_t n_in, lutra_value* out, std::size_t max_out,
                       std::index_sequence<I...>) {
      auto argument = [&](std::size_t i) { return i < n_in ? Value::borrow(in[i]) : Value(); };
      auto convert = [&](auto tag, std::size_t i) {
        using T = std::decay_t<typename decltype(tag)::type>;
        try {
          return argument(i).template as<T>(lutra);
        } catch (const ScriptError& error) {
          throw ScriptError("argument " + std::to_string(i + 1) + ": " + error.what());
        }
      };
      (void)convert, (void)argument;
      std::tuple<std::decay_t<Args>...> arguments{convert(Tag<Args>{}, I)...};  // in order
      if constexpr (std::is_void_v<R>) {
        std::apply(function, std::move(arguments));
        return 0;
      } else {
        return give(std::apply(function, std::move(arguments)), out, max_out);
      }
    }
    template <class T> struct Tag { using type = T; };
    static std::size_t give(Value&& result, lutra_value* out, std::size_t) {
      std::move(result).move_to(out);
      return 1;
    }
    template <class T> static std::size_t give(const T& result, lutra_value* out, std::size_t) {
      Value(result).move_to(out);
      return 1;
    }
    template <class... Ts>
    static std::size_t give(const std::tuple<Ts...>& results, lutra_value* out, std::size_t most) {
      static_assert(sizeof...(Ts) <= detail::kMostOut, "too many results");
      std::size_t count = 0;
      std::apply(
          [&](const auto&... each) { ((count < most ? void(Value(each).move_to(&out[count++])) : void()), ...); },
          results);
      return count;
    }
  };

  struct Close {
    void operator()(lutra_t* lutra) const { lutra_close(lutra); }
  };

  explicit Session(lutra_t* attached) : handle_(attached) {}

  static void run_and_delete(void* user) {
    std::unique_ptr<std::function<void()>> done(static_cast<std::function<void()>*>(user));
    if (*done) (*done)();
  }
  void rethrow_callbacks() {
    if (std::exception_ptr thrown = std::exchange(callbacks_->thrown, nullptr)) std::rethrow_exception(thrown);
  }
  void finish(int status) {
    if (callbacks_->thrown) rethrow_callbacks();
    if (status != LUTRA_OK) throw ScriptError::last(status);
  }

  std::unique_ptr<Callbacks> callbacks_ = std::make_unique<Callbacks>();  // outlives the handle: finalizers may print
  std::vector<std::unique_ptr<AnyCallable>> functions_;                   // and call
  std::unique_ptr<lutra_t, Close> handle_;
};

// Records operations for gradients while it lives.
//   lutra::GradientTape tape(session);
//   tape.watch(x);
//   lutra::Tensor slope = tape.gradient(x * x, x);
class GradientTape {
 public:
  explicit GradientTape(Session& session, bool persistent = false) {
    Value made;
    detail::run_op(session.handle(), "GradientTape", nullptr, 0, {{"persistent", persistent}}, &made, 1);
    tape_ = made.as<Object>(session.handle());
  }
  GradientTape(const GradientTape&) = delete;
  ~GradientTape() {
    try {
      tape_.call("close");
    } catch (const ScriptError&) {
      // The session was closed before: so is the tape.
    }
  }
  void watch(const Tensor& tensor) { tape_.call("watch", tensor); }
  void watch(const Object& variable) { tape_.call("watch", variable); }
  // The gradient of target, of source's shape; an empty Tensor if target does not depend on it.
  template <class Source> Tensor gradient(const Tensor& target, const Source& source) {
    return tape_.call<Tensor>("gradient", target, source);
  }
  // One for each source.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources) {
    return tape_.call<std::vector<Tensor>>("gradient", target, sources);
  }

 private:
  Object tape_;
};

}  // namespace lutra

#if defined(__has_include)
#if __has_include("lutra_ops.hpp")
#include "lutra_ops.hpp"
#endif
#endif

#endif  // LUTRA_HPP
