// C++ objects in userdata.
#pragma once

#include <utility>

#include "lua/border/guard.h"

namespace lutra {

// A userdata with an object of type T. Its finalizer deletes the object, or else the State when it closes, since Lua
// never finalizes a userdata that was made while the interpreter closes. The object is then null.
template <class T> class Held {
 public:
  // The userdata at `index`; null for any other value.
  static Held* find(lua_State* L, int index) {
    void* block = lua_touserdata(L, index);
    if (block == nullptr || lua_rawlen(L, index) != sizeof(Held)) return nullptr;
    auto* held = static_cast<Held*>(block);
    return held->cookie_ == held->cookie() ? held : nullptr;
  }

  // The object at `index`. Fails if there is none. `what`: what the argument should be, as "a plan".
  static T& at(Args& args, int index, const char* what) {
    Held* held = find(args.L, index);
    if (held == nullptr) args.wrong(index, "object", what);
    if (held->object() == nullptr) fail(ErrorCode::FailedPrecondition, args.who(), ": ", what, " that has ended");
    return *held->object();
  }

  // Pushes a userdata with the metatable of the key and no object yet. May raise a Lua error.
  static Held* push(lua_State* L, const RegistryKey& meta, int user_values = 0) {
    auto* held = static_cast<Held*>(lua_newuserdatauv(L, sizeof(Held), user_values));
    held->owned_ = nullptr;
    held->cookie_ = held->cookie();
    State::push(L, meta);
    lua_setmetatable(L, -2);
    return held;
  }

  // Pushes a userdata with an object made of the given arguments.
  template <class... Given> static T& push_new(Args& args, const RegistryKey& meta, Given&&... given) {
    Held* held = nullptr;
    protect(args.L, 1, [&](lua_State* L) {
      held = push(L, meta);
      return 1;
    });
    return held->make(args.state, std::forward<Given>(given)...);
  }

  // Makes the metatable of the key, with __gc and __close. May raise a Lua error.
  static void open(lua_State* L, const RegistryKey& meta) {
    lua_createtable(L, 0, 2);
    for (const char* event : {"__gc", "__close"}) set_finalizer(L, event);
    State::set(L, meta);
  }
  // Makes `event` of the metatable on top of the stack the finalizer.
  static void set_finalizer(lua_State* L, const char* event) {
    lua_pushcfunction(L, [](lua_State* inner) {
      if (Held* held = find(inner, 1)) held->end();
      return 0;
    });
    lua_setfield(L, -2, event);
  }

  T* object() { return owned_ != nullptr ? &owned_->object : nullptr; }
  template <class... Given> T& make(State& state, Given&&... given) {
    owned_ = new Owned(state, *this, std::forward<Given>(given)...);
    return owned_->object;
  }
  // Deletes the object.
  void end() { delete owned_; }

 private:
  struct Owned final : StateOwned {
    template <class... Given>
    Owned(State& state, Held& holder, Given&&... given)
        : StateOwned(state), held(holder), object(std::forward<Given>(given)...) {}
    // The block is still there: Lua frees a userdata after its finalizer, or after the State's.
    ~Owned() override { held.owned_ = nullptr; }
    Held& held;
    T object;
  };

  // Another value for each type, and one that Lua code cannot forge.
  uintptr_t cookie() const {
    static constexpr char kType{};
    return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 3) ^ reinterpret_cast<uintptr_t>(&kType);
  }

  uintptr_t cookie_;
  Owned* owned_;
};

}  // namespace lutra
