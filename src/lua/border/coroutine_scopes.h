// The open device scopes. Each coroutine has a stack of its own, found in a table with weak keys (kThreadScopes), where
// the coroutine is the key. One per State.
#pragma once

#include <lua.hpp>

#include <list>

#include "eager/context.h"

namespace lutra {

// The scopes of one coroutine. Its handle and every scope object made in it count as uses.
struct CoroutineScopes {
  ScopeStack stack;
  int uses;
  bool has_returned;  // the coroutine's function has
  std::list<CoroutineScopes>::iterator place;
};

class ScopeBook {
 public:
  explicit ScopeBook(Context& context) : context_(context) {}

  // Makes the tables of coroutines' scopes. May raise a Lua error.
  static void open_tables(lua_State* L);
  // Pops the metatable on top of the stack, for handles. May raise a Lua error.
  static void set_handle_meta(lua_State* L);
  // The coroutine whose scopes the Context has; null at first and after some changes.
  lua_State* running() const { return running_; }
  // Makes L's scopes the Context's. Cheap while the same coroutine runs.
  void enter(lua_State* L) {
    if (L != running_) [[unlikely]]
      switch_to(L);
  }
  // Gives L a stack of scopes of its own, if it has none yet. May raise a Lua error, and may run finalizers.
  void make(lua_State* L);
  // A new coroutine, on top of L's stack, starts in L's scope. May raise a Lua error, and may run finalizers.
  void start(lua_State* L, lua_State* thread);
  // Notes that the function of the coroutine at `index` has returned.
  void returned(lua_State* L, int index) {
    if (!all_.empty()) note_return(L, index);
  }
  // Whether scopes that were never closed are the fault of the script: not if their coroutine was collected before it
  // ended, since then it could not close them.
  bool is_to_blame(lua_State* L, CoroutineScopes* scopes) const;
  // Opens a scope in the running coroutine's own stack. *scopes and *serial name it.
  void open(uint32_t spec, CoroutineScopes** scopes, uint64_t* serial);
  // Forgets device names that no scope and no origin refers to, when there are many.
  void forget_names();
  std::size_t names = 0;  // number of spellings in the table that lutra.device keeps
  // Whether these scopes are L's own.
  bool are_of(lua_State* L, const CoroutineScopes* scopes) {
    enter(L);
    return scopes == scopes_;
  }
  // Ends one use of them.
  void release(CoroutineScopes* scopes);
  // Called when the interpreter closes: also drops scopes whose users Lua never finalizes.
  void close();

 private:
  void switch_to(lua_State* L);
  void leave();
  CoroutineScopes* push_new(lua_State* L);
  void note_return(lua_State* L, int index);

  Context& context_;
  lua_State* running_ = nullptr;
  CoroutineScopes* scopes_ = nullptr;  // of running_; null: it has none
  std::list<CoroutineScopes> all_;
};

}  // namespace lutra
