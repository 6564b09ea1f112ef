// Lutra's state in one lua_State: its Runtime and Context, its tables, its coroutines' scopes, the accounting of its
// tensors, and the error on its way to Lua. It is a userdata that the registry holds, so that it is the last of Lutra's
// objects to be finalized.
#pragma once

#include <lua.hpp>

#include <list>
#include <memory>
#include <vector>

#include "eager/context.h"
#include "io/allowed_paths.h"
#include "lua/bindings/tidy.h"
#include "lua/border/box.h"
#include "lua/border/coroutine_scopes.h"
#include "lua/border/tensor_books.h"
#include "lua/border/traceback.h"
#include "tensor/print.h"

namespace lutra {

class Limits;
class State;

// Names one value in the interpreter's registry, by its address.
struct RegistryKey {};

// An object that a userdata points to and that uses the Context. Its userdata's finalizer deletes it, or else the State
// when it closes: Lua never finalizes a userdata that was made while the interpreter closes.
class StateOwned {
 public:
  explicit StateOwned(State& state);
  virtual ~StateOwned();
  StateOwned(const StateOwned&) = delete;
  StateOwned& operator=(const StateOwned&) = delete;

 private:
  friend class State;
  StateOwned **link_, *next_;  // link_: what points to this object
};

class State {
 public:
  // `shared`: a Runtime that other States have too; null: one of its own.
  State(lua_State* main, std::shared_ptr<Runtime> shared);
  ~State();

  // The State of this interpreter; null before luaopen_lutra.
  static State* find(lua_State* L);
  // Makes the State whose userdata is on top of the stack the interpreter's, and pops it. May raise a Lua error.
  static void adopt(lua_State* L);
  // Registry keys that several files use. Keys that only one file uses are in that file.
  static constexpr RegistryKey kTensorMeta{}, kStoredTensorMeta{}, kVariableMeta{}, kErrorMeta{};
  // The tables of methods, by name.
  static constexpr RegistryKey kMethods{}, kVariableMethods{}, kTapeMethods{};
  // Pushes the registry's value for the key, or nil.
  static void push(lua_State* L, const RegistryKey& key) { lua_rawgetp(L, LUA_REGISTRYINDEX, &key); }
  // Pops a value and stores it there. May raise a Lua error.
  static void set(lua_State* L, const RegistryKey& key) { lua_rawsetp(L, LUA_REGISTRYINDEX, &key); }

  Runtime& runtime() { return *runtime_; }
  // For handles of tensors outside Lua, which may outlive the interpreter.
  const std::shared_ptr<Runtime>& shared_runtime() { return runtime_; }
  Context& context() { return *context_; }
  bool is_closed() const { return closed_; }
  void close();  // the lua_State is going away

  // Makes L's scopes the Context's. Must be called before the Context is used.
  Context& enter(lua_State* L) {
    scopes_.enter(L);
    return *context_;
  }
  ScopeBook& scopes() { return scopes_; }

  // Whether make_host_tensor will store so many bytes inline. Initialises the devices.
  bool keeps_inline(std::size_t bytes) {
    if (!runtime_->is_initialised()) context_->devices();
    return runtime_->cpu().keeps_inline(bytes);
  }
  // Pushes a new, empty tensor; `is_inline` promises that it will carry its bytes. May raise a Lua error.
  Box* push_box(lua_State* L, bool is_inline);
  // Called before a tensor with a storage is made: collects garbage if it is due, so that the tensor can reuse memory
  // that is still in the cache. Calls finalizers.
  void make_room(lua_State* L) {
    if (books_.is_collection_due()) [[unlikely]] {
      books_.collect(L);
      if (books_.has_too_many()) [[unlikely]]
        refuse_tensors(L);
      runtime_->returned_tensors().drop_all();
    }
  }
  // The most tensors with a storage.
  void set_most_tensors(int64_t most) { books_.set_most(most); }
  // Registers a tensor that has got its bytes.
  void own(lua_State* L, Box* box) {
    if (box->tensor.storage != nullptr) own_stored(L, box);
  }
  void disown(Box* box);  // when it is collected
  // Variables of any size are registered with tidies, since an update may give them a storage or take it away. After
  // an update rebook_variable corrects the accounting.
  void own_variable(lua_State* L, Box* box);
  void rebook_variable(lua_State* L, Box* box);
  // Collects garbage if the open tapes hold much memory. Calls finalizers.
  void tape_opens(lua_State* L) { books_.tape_opens(L, context_->ledger()); }
  // The collector is generational from here on.
  void collects_generations() { books_.has_generations(main_); }
  void release(Box* box);  // by hand: a later use is an error
  // What release leaves behind, for an op in progress that has borrowed the tensor (see Note [Order within one op]).
  static constexpr int64_t kReleasedSize = -1;
  static bool is_released(const TensorRep& tensor) { return tensor.size < 0; }
  // Makes the function at `index`, or nil, the placement log's handler. May raise a Lua error.
  void set_log_handler(lua_State* L, int index);

  // Keeps the error until it can be raised, when every C++ object is gone. If there is no memory to keep it, raise()
  // raises no_memory() instead.
  void keep(Error error) noexcept;
  void keep_current_exception() noexcept;
  // Runs f, C++ that may throw. Returns false if it threw; the error is kept.
  template <class F> [[gnu::always_inline]] bool attempt(F&& f) {
    try {
      f();
      return true;
    } catch (...) {
      keep_current_exception();
      return false;
    }
  }
  // The same, but raises the error as a Lua error.
  template <class F> [[gnu::always_inline]] void attempt_or_raise(lua_State* L, F&& f) {
    if (!attempt(f)) [[unlikely]]
      raise(L);
  }
  // Raised instead of an error that there is no memory for.
  static const Error& no_memory();
  // Protects the kept error from being replaced by errors of Lua code that runs before it is raised.
  const Error* set_aside();
  // Turns the kept error, or the one set aside, into a Lua error. Never returns.
  [[noreturn]] void raise(lua_State* L) { raise(L, set_aside()); }
  [[noreturn]] void raise(lua_State* L, const Error* error);

  // Passes placement events to the Lua handler, and raises the handler's errors. `kept` is the error of the op that
  // made the events, if it failed; it is dropped if the handler raises one.
  void tell(lua_State* L, const Error* kept = nullptr) {
    if (!context_->placement_log().events.empty()) [[unlikely]]
      tell_events(L, kept);
  }

  // Whether the collector was running when a recording began: if it stands still then, a finalizer runs.
  bool is_recording_collector = false;
  int graphs_off = 0;  // above 0: graphs run eagerly

  // What scripts may open, and the limits that they run under. Null: everything, none. They outlive the State.
  std::shared_ptr<const AllowedPaths> allowed_paths;
  Limits* limits = nullptr;
  bool is_sandbox = false;

  Tidies tidies;
  PrintOptions print_options;

 private:
  friend class StateOwned;
  lua_State* current() const { return scopes_.running() != nullptr ? scopes_.running() : main_; }
  bool find_line(lua_Debug* frame) const;
  void own_stored(lua_State* L, Box* box);
  void refuse_tensors(lua_State* L);
  void tell_events(lua_State* L, const Error* kept);
  void drop_runtime();

  lua_State* main_;
  std::shared_ptr<Runtime> runtime_;
  std::unique_ptr<Context> context_;
  ScopeBook scopes_;
  TensorBooks books_;
  StateOwned* owned_ = nullptr;  // a list
  std::list<Error> pending_;     // at most one; none if there was no memory for it
  std::list<Error> aside_;
  std::list<std::vector<PlacementEvent>> telling_;  // events becoming Lua values
  const bool shares_runtime_;
  bool in_log_handler_ = false;
  bool closed_ = false;
};

// The State of a C function whose first upvalue it is.
inline State& state_of(lua_State* L) { return *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1))); }

}  // namespace lutra
