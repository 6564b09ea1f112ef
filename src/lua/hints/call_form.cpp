#include "lua/hints/call_form.h"

#include <cstring>

#include "eager/context.h"
#include "lua/border/box.h"
#include "lua/border/state.h"
#include "lua/border/traceback.h"
#include "lua/hints/suggestions.h"

namespace lutra {
namespace {

// Whether the function at `function` is the method `name` of the table on top of the stack, which is popped.
bool is_method_of(lua_State* L, int function, const char* name) {
  bool is_one = false;
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    is_one = lua_rawequal(L, -1, function) != 0;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return is_one;
}

// "t", "v" or "tape", depending on whose method the function is; null if it is not a method.
const char* owner(lua_State* L, int function, const char* name) {
  State::push(L, State::kMethods);
  if (is_method_of(L, function, name)) return "t";
  State::push(L, State::kVariableMethods);
  if (is_method_of(L, function, name)) return "v";
  State::push(L, State::kTapeMethods);
  return is_method_of(L, function, name) ? "tape" : nullptr;
}

// Whether the value is the object whose method is called: a tensor, or a tape. Not a tensor that the last operation
// made: that usually is the constant for a table or number that was given.
bool is_given_object(lua_State* L, int index, bool is_tape) {
  if (lua_type(L, index) != LUA_TUSERDATA) return false;
  Box* box = to_box(L, index);
  if (is_tape) return box == nullptr;
  State* state = State::find(L);
  return box == nullptr || state == nullptr || state->is_closed() ||
         box->tensor.origin != state->context().origins().last();
}

// A class is a table that is called: its __call gets the class, and then what the script gave. Puts the first of that
// at `at`, where the class is.
void first_of_call(lua_State* L, lua_Debug* called, int at) {
  if (lua_type(L, at) != LUA_TTABLE || luaL_getmetafield(L, at, "__call") == LUA_TNIL) return;
  bool is_call = lua_rawequal(L, -1, at - 1) != 0;
  lua_pop(L, 1);
  if (is_call && lua_getlocal(L, called, -1) != nullptr) lua_replace(L, at);
}

}  // namespace

bool push_call_form(lua_State* L) {
  luaL_checkstack(L, 8, nullptr);
  int top = lua_gettop(L);
  int level = find_called(L);
  lua_Debug called;
  // The function, and its first argument.
  if (level < 0 || lua_getstack(L, level, &called) == 0 || lua_getinfo(L, "nSuf", &called) == 0) return false;
  const bool takes_any = *called.what != 'C' && called.nparams == 0 && called.isvararg != 0;
  if (called.name == nullptr || lua_getlocal(L, &called, takes_any ? -1 : 1) == nullptr) {
    lua_settop(L, top);
    return false;
  }
  bool has_colon = std::strcmp(called.namewhat, "method") == 0;
  if (has_colon) first_of_call(L, &called, top + 2);
  const char* object = has_colon ? nullptr : owner(L, top + 1, called.name);
  bool is_tape = object != nullptr && std::strcmp(object, "tape") == 0;
  if (has_colon && push_module_path(L, top + 2)) {
    lua_pushfstring(L, "%s: called with a colon, which hands over the module; write %s.%s(...) with a dot", called.name,
                    lua_tostring(L, -1), called.name);
  } else if (object != nullptr && !is_given_object(L, top + 2, is_tape)) {
    const char* kind = is_tape ? "tape" : *object == 'v' ? "variable" : "tensor";
    lua_pushfstring(L, "%s: called with a dot, which does not hand over the %s; write %s:%s(...) with a colon",
                    called.name, kind, object, called.name);
  } else {
    lua_settop(L, top);
    return false;
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return true;
}

}  // namespace lutra
