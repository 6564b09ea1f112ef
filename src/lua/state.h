// What one lua_State has of Lutra: its Runtime and Context, the metatables, and the books about memory that Lua owns.
// It lives in a userdata that the registry holds, so that it is the last of Lutra's objects to be finalized.
#pragma once

#include <lua.hpp>

#include <list>
#include <memory>
#include <string>
#include <unordered_set>

#include "eager/context.h"
#include "lua/box.h"
#include "tensor/print.h"

namespace lutra {

// The scopes of one coroutine. Its handle and every scope object made in it count as uses; the State owns them all, and
// at its end drops those whose users Lua never finalizes.
struct CoroutineScopes {
  ScopeStack stack;
  int uses;
  std::list<CoroutineScopes>::iterator place;
};

// A lutra.tidy in progress; lives in a userdata of its coroutine.
struct TidyMark {
  TidyMark* outer;
  lua_State* thread;
  bool open;
};

class State {
 public:
  explicit State(lua_State* main);
  ~State();

  // The State of this interpreter; null before luaopen_lutra.
  static State* find(lua_State* L);
  // Pushes one of the State's own tables: kRegistryMetatables and so on.
  enum Slot {
    kTensorMeta = 1,
    kStoredTensorMeta,
    kVariableMeta,
    kTapeMeta,
    kErrorMeta,
    kShapeMeta,
    kThreadScopes,
    kLogHandler,
    kTidyMade,
    kModule,
    kMethods,
    kPhysicalDeviceMeta,
    kLogicalDeviceMeta,
    kDeviceListMeta,
    kScopesMeta,
    kExplanationMeta,
    kSlots
  };
  void push(lua_State* L, Slot slot) const;
  void set(lua_State* L, Slot slot);  // pops the value

  Runtime& runtime() { return *runtime_; }
  Context& context() { return *context_; }
  bool is_closed() const { return closed_; }
  void close();  // the lua_State is going away

  // Makes L's scopes the Context's. Cheap while the same coroutine runs.
  Context& enter(lua_State* L) {
    if (L != running_) [[unlikely]]
      switch_to(L);
    return *context_;
  }
  // Opens a scope in L's own stack, which is made if L has none yet. *stack and *serial name it. May raise a Lua error.
  void open_scope(lua_State* L, uint32_t spec, CoroutineScopes** scopes, uint64_t* serial);
  // Gives L, which has none, a stack that starts in `base_spec`. May raise a Lua error.
  void adopt_scopes(lua_State* L, uint32_t base_spec);
  // The script line that runs L, for a later message.
  void remember_line(lua_State* L, char* source, std::size_t size, int* line);
  // One use of them less.
  void release_scopes(CoroutineScopes* scopes);

  // A new tensor on top of L's stack, empty; `is_inline` promises that it will carry its bytes. May raise a Lua error.
  Box* push_box(lua_State* L, bool is_inline);
  // Books a tensor that has got its bytes; collects when the pace says so. Calls finalizers.
  void own(lua_State* L, Box* box) {
    if (box->tensor.storage != nullptr) own_stored(L, box);
  }
  void disown(Box* box);   // by the collector
  void release(Box* box);  // by hand: a second use gives a sentence
  // What release leaves behind, for an op in progress that has borrowed the tensor (see Note [Order within one op]).
  static bool is_released(const TensorRep& tensor) { return tensor.size < 0; }
  // The tidy that tensors made by L belong to; null without one. See Note [Tidies and coroutines].
  TidyMark* tidy_of(lua_State* L) const;
  TidyMark* tidies = nullptr;  // those open, innermost first
  // Notes the tensor on top of L's stack in the mark's set of those made. May raise a Lua error.
  void add_to_tidy(lua_State* L, TidyMark* mark);
  // The function at `index`, or nil, is the placement log's handler from now on. May raise a Lua error.
  void set_log_handler(lua_State* L, int index) {
    lua_pushvalue(L, index);
    set(L, kLogHandler);
  }

  // The error to raise once every C++ object is gone.
  void keep(Error error);
  void keep_current_exception();
  // Puts the kept error where errors of Lua code that runs before it is raised do not replace it.
  const Error* set_aside();
  // Turns the kept error, or the one set aside, into a Lua error. Never returns.
  [[noreturn]] void raise(lua_State* L) { raise(L, set_aside()); }
  [[noreturn]] void raise(lua_State* L, const Error* error);

  // Hands placement events to the Lua handler. May raise what the handler raised.
  // `kept` is the error of the op they are about, if it failed: it is forgotten when a handler's error goes before it.
  void tell(lua_State* L, const Error* kept = nullptr) {
    if (!context_->placement_log().events.empty()) [[unlikely]]
      tell_events(L, kept);
  }

  lua_State* main() const { return main_; }
  PrintOptions print_options;

 private:
  void switch_to(lua_State* L);
  void own_stored(lua_State* L, Box* box);
  void note_made(lua_State* L, const Box* box);
  void collect(lua_State* L);
  void tell_events(lua_State* L, const Error* kept);

  lua_State* main_;
  lua_State* running_ = nullptr;
  CoroutineScopes* scopes_ = nullptr;  // of running_; null: it has none
  std::list<CoroutineScopes> all_scopes_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Context> context_;
  std::list<Error> pending_;  // at most one
  std::list<Error> aside_;
  std::list<std::vector<PlacementEvent>> telling_;  // events becoming Lua values
  bool closed_ = false;
  int64_t stored_boxes_ = 0;                     // boxes that hold a storage
  std::unordered_set<Box*> made_in_finalizers_;  // those whose own finalizer Lua may never call: see own_stored
  int64_t owned_bytes_ = 0;                      // what they hold
  int64_t owned_at_collection_ = 0;
  int64_t budget_bytes_ = int64_t{64} << 20;
};

// "train.lua:7" of the innermost running function that is neither C nor Lutra's own Lua; "" without one.
std::string script_line(lua_State* L);

}  // namespace lutra
