#include "lua/border/traceback.h"

#include <cstring>

namespace lutra {
namespace {

// The chunk names of Lutra's own Lua begin with this.
constexpr const char* kOwnChunk = "=[lutra";

bool is_own(const lua_Debug& frame) { return std::strncmp(frame.source, kOwnChunk, std::strlen(kOwnChunk)) == 0; }

// Whether the frame belongs to Lutra's own Lua or is called by it: such frames do not help users.
bool is_internal(lua_State* L, int level) {
  lua_Debug frame;
  for (; lua_getstack(L, level, &frame) != 0; ++level) {
    lua_getinfo(L, "S", &frame);
    if (*frame.what != 'C') return is_own(frame);
  }
  return false;
}

// Of a deep stack the innermost and the outermost calls are shown.
constexpr int kInnermost = 10, kOutermost = 11;

int count_levels(lua_State* L) {
  lua_Debug frame;
  int low = 0, high = 1;
  while (lua_getstack(L, high, &frame) != 0) {
    low = high;
    high *= 2;
  }
  while (low + 1 < high) {
    int middle = low + (high - low) / 2;
    (lua_getstack(L, middle, &frame) != 0 ? low : high) = middle;
  }
  return high;
}

void add_frame(lua_State* L, luaL_Buffer* out, const lua_Debug& frame) {
  if (frame.currentline > 0) lua_pushfstring(L, "\n\t%s:%d: in ", frame.short_src, frame.currentline);
  else lua_pushfstring(L, "\n\t%s: in ", frame.short_src);
  luaL_addvalue(out);
  if (*frame.namewhat != '\0') {
    bool is_global = std::strcmp(frame.namewhat, "global") == 0;
    lua_pushfstring(L, "%s '%s'", is_global ? "function" : frame.namewhat, frame.name);
  } else if (*frame.what == 'm') {
    lua_pushliteral(L, "main chunk");
  } else if (*frame.what != 'C') {
    lua_pushfstring(L, "function <%s:%d>", frame.short_src, frame.linedefined);
  } else {
    lua_pushliteral(L, "?");
  }
  luaL_addvalue(out);
  if (frame.istailcall != 0) luaL_addstring(out, "\n\t(...tail calls...)");
}

}  // namespace

int raise_in_script(lua_State* L, const char* message) {
  lua_Debug frame;
  const bool has_caller = lua_getstack(L, 1, &frame) != 0 && lua_getinfo(L, "S", &frame) != 0;
  if (!has_caller || !is_own(frame) || !find_script_frame(L, &frame, 1)) return luaL_error(L, "%s", message);
  lua_pushfstring(L, "%s:%d: %s", frame.short_src, frame.currentline, message);
  return lua_error(L);
}

bool find_script_frame(lua_State* L, lua_Debug* frame, int first) {
  for (int level = first; lua_getstack(L, level, frame) != 0; ++level) {
    // A C function has no line; its source would be looked up in vain, and this is called for each op of a trace.
    lua_getinfo(L, "l", frame);
    if (frame->currentline <= 0) continue;
    lua_getinfo(L, "S", frame);
    if (!is_own(*frame)) return true;
  }
  return false;
}

int find_called(lua_State* L) {
  lua_Debug script;
  for (int level = 0; lua_getstack(L, level, &script) != 0; ++level) {
    lua_getinfo(L, "Sl", &script);
    if (script.currentline > 0 && !is_own(script)) return level - 1;
  }
  return -1;
}

void push_traceback(lua_State* L) {
  luaL_checkstack(L, 10, nullptr);
  int levels = count_levels(L);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  luaL_addstring(&out, "stack traceback:");
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame) != 0; ++level) {
    if (level == kInnermost && levels > kInnermost + kOutermost) {
      int skipped = levels - kInnermost - kOutermost;
      lua_pushfstring(L, "\n\t...\t(skipping %d levels)", skipped);
      luaL_addvalue(&out);
      level += skipped;
      lua_getstack(L, level, &frame);
    }
    if (is_internal(L, level)) continue;
    lua_getinfo(L, "Slnt", &frame);
    add_frame(L, &out, frame);
  }
  luaL_pushresult(&out);
}

}  // namespace lutra
