// Lua's patterns (Lua 5.4 manual, section 6.4.1), matched with a count of steps: string.find("aaaa...", ".-.-.-b")
// takes longer than anybody waits, and Lua's own matcher cannot be stopped.
#include <cctype>
#include <cstring>

#include "lua/border/bounded.h"

namespace lutra {
namespace {

constexpr char kEscape = '%';
constexpr int kMostCaptures = 32;
constexpr int kMostDepth = 200;

// The length of a capture that is not a substring.
constexpr ptrdiff_t kOpen = -1, kPosition = -2;

bool is_in_class(unsigned char c, unsigned char letter) {
  bool found;
  switch (std::tolower(letter)) {
    case 'a': found = std::isalpha(c) != 0; break;
    case 'c': found = std::iscntrl(c) != 0; break;
    case 'd': found = std::isdigit(c) != 0; break;
    case 'g': found = std::isgraph(c) != 0; break;
    case 'l': found = std::islower(c) != 0; break;
    case 'p': found = std::ispunct(c) != 0; break;
    case 's': found = std::isspace(c) != 0; break;
    case 'u': found = std::isupper(c) != 0; break;
    case 'w': found = std::isalnum(c) != 0; break;
    case 'x': found = std::isxdigit(c) != 0; break;
    default: return letter == c;
  }
  return std::isupper(letter) != 0 ? !found : found;
}

// Trivially destructible: Lua errors skip its frame.
struct Matcher {
  lua_State* L;
  Steps steps;
  const char* text;
  const char* text_end;
  const char* pattern_end;
  int depth = kMostDepth;
  int captures = 0;
  struct Capture {
    const char* at;
    ptrdiff_t length;
  } capture[kMostCaptures];

  static unsigned char byte(const char* at) { return static_cast<unsigned char>(*at); }

  // The end of the single-character class that begins at p.
  const char* class_end(const char* p) {
    if (*p++ == kEscape) {
      if (p == pattern_end) luaL_error(L, "malformed pattern (ends with '%%')");
      return p + 1;
    }
    if (p[-1] != '[') return p;
    if (p < pattern_end && *p == '^') ++p;
    do {  // a ] that comes first is itself
      if (p == pattern_end) luaL_error(L, "malformed pattern (missing ']')");
      if (*p++ == kEscape) {
        if (p == pattern_end) luaL_error(L, "malformed pattern (missing ']')");
        ++p;
      }
    } while (p == pattern_end || *p != ']');
    return p + 1;
  }

  // Whether the set p..last, from [ to ], has the character.
  static bool is_in_set(unsigned char c, const char* p, const char* last) {
    bool is_member = true;
    if (p[1] == '^') {
      is_member = false;
      ++p;
    }
    while (++p < last) {
      if (*p == kEscape) {
        if (is_in_class(c, byte(++p))) return is_member;
      } else if (p[1] == '-' && p + 2 < last) {
        if (byte(p) <= c && c <= byte(p + 2)) return is_member;
        p += 2;
      } else if (byte(p) == c) {
        return is_member;
      }
    }
    return !is_member;
  }

  bool fits(const char* s, const char* p, const char* end) {
    steps.one();
    if (s >= text_end) return false;
    switch (*p) {
      case '.': return true;
      case kEscape: return is_in_class(byte(s), byte(p + 1));
      case '[': return is_in_set(byte(s), p, end - 1);
      default: return *p == *s;
    }
  }

  const char* match_balance(const char* s, const char* p) {
    if (p + 1 >= pattern_end) luaL_error(L, "malformed pattern (missing arguments to '%%b')");
    if (s >= text_end || *s != *p) return nullptr;
    const char opens = p[0], closes = p[1];
    for (int64_t open = 1; ++s < text_end;) {
      steps.one();
      if (*s == closes) {
        if (--open == 0) return s + 1;
      } else if (*s == opens) {
        ++open;
      }
    }
    return nullptr;
  }

  const char* most(const char* s, const char* p, const char* end) {
    ptrdiff_t count = 0;
    while (fits(s + count, p, end)) ++count;
    for (; count >= 0; --count) {
      if (const char* found = match(s + count, end + 1)) return found;
    }
    return nullptr;
  }

  const char* least(const char* s, const char* p, const char* end) {
    for (;;) {
      if (const char* found = match(s, end + 1)) return found;
      if (!fits(s, p, end)) return nullptr;
      ++s;
    }
  }

  const char* open_capture(const char* s, const char* p, ptrdiff_t kind) {
    if (captures >= kMostCaptures) luaL_error(L, "too many captures");
    capture[captures++] = {s, kind};
    const char* found = match(s, p);
    if (found == nullptr) --captures;
    return found;
  }

  const char* close_capture(const char* s, const char* p) {
    int last = captures - 1;
    while (last >= 0 && capture[last].length != kOpen) --last;
    if (last < 0) luaL_error(L, "invalid pattern capture");
    capture[last].length = s - capture[last].at;
    const char* found = match(s, p);
    if (found == nullptr) capture[last].length = kOpen;
    return found;
  }

  const char* match_again(const char* s, unsigned char digit) {
    const int index = digit - '1';
    if (index < 0 || index >= captures || capture[index].length == kOpen)
      luaL_error(L, "invalid capture index %%%d", index + 1);
    // A position has no text to match: like Lua's matcher, a length that nothing has.
    const auto length = static_cast<size_t>(capture[index].length);
    if (static_cast<size_t>(text_end - s) < length) return nullptr;
    steps.add(static_cast<int64_t>(length));
    return std::memcmp(capture[index].at, s, length) == 0 ? s + length : nullptr;
  }

  // The end of a match of the pattern from p on, at s; null if there is none.
  const char* match(const char* s, const char* p) {
    if (depth-- == 0) luaL_error(L, "pattern too complex");
    const char* found = match_here(s, p);
    ++depth;
    return found;
  }

  const char* match_here(const char* s, const char* p) {
    for (;;) {
      steps.one();
      if (p == pattern_end) return s;
      switch (*p) {
        case '(':
          return p + 1 < pattern_end && p[1] == ')' ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kOpen);
        case ')': return close_capture(s, p + 1);
        case '$':
          if (p + 1 == pattern_end) return s == text_end ? s : nullptr;
          break;
        case kEscape:
          if (p + 1 == pattern_end) break;
          if (p[1] == 'b') {
            s = match_balance(s, p + 2);
            if (s == nullptr) return nullptr;
            p += 4;
            continue;
          }
          if (p[1] == 'f') {
            p += 2;
            if (p == pattern_end || *p != '[') luaL_error(L, "missing '[' after '%%f' in pattern");
            const char* end = class_end(p);
            const unsigned char before = s == text ? '\0' : byte(s - 1), here = s < text_end ? byte(s) : '\0';
            if (is_in_set(before, p, end - 1) || !is_in_set(here, p, end - 1)) return nullptr;
            p = end;
            continue;
          }
          if (std::isdigit(byte(p + 1)) != 0) {
            s = match_again(s, byte(p + 1));
            if (s == nullptr) return nullptr;
            p += 2;
            continue;
          }
          break;
        default: break;
      }
      const char* end = class_end(p);
      const char suffix = end < pattern_end ? *end : '\0';
      switch (suffix) {
        case '?':
          if (fits(s, p, end)) {
            if (const char* found = match(s + 1, end + 1)) return found;
          }
          p = end + 1;
          continue;
        case '*': return most(s, p, end);
        case '+': return fits(s, p, end) ? most(s + 1, p, end) : nullptr;
        case '-': return least(s, p, end);
        default:
          if (!fits(s, p, end)) return nullptr;
          ++s;
          p = end;
      }
    }
  }

  void push_capture(int index, const char* begin, const char* end) {
    if (index >= captures) {
      if (index != 0) luaL_error(L, "invalid capture index %%%d", index + 1);
      lua_pushlstring(L, begin, static_cast<size_t>(end - begin));
      return;
    }
    const Capture& one = capture[index];
    if (one.length == kOpen) luaL_error(L, "unfinished capture");
    if (one.length == kPosition) lua_pushinteger(L, one.at - text + 1);
    else lua_pushlstring(L, one.at, static_cast<size_t>(one.length));
  }

  // All captures; the whole match if there are none and begin is not null.
  int push_captures(const char* begin, const char* end) {
    const int count = captures == 0 && begin != nullptr ? 1 : captures;
    luaL_checkstack(L, count, "too many captures");
    for (int i = 0; i < count; ++i) push_capture(i, begin, end);
    return count;
  }
};

Matcher matcher(lua_State* L, const char* text, size_t text_size, const char* pattern, size_t pattern_size) {
  return {.L = L,
          .steps = Steps(L, limits_of(L)),
          .text = text,
          .text_end = text + text_size,
          .pattern_end = pattern + pattern_size,
          .capture = {}};
}

// A position as string.sub reads it, from 1.
size_t start_of(lua_Integer position, size_t size) {
  if (position > 0) return static_cast<size_t>(position);
  if (position == 0 || position < -static_cast<lua_Integer>(size)) return 1;
  return size + static_cast<size_t>(position) + 1;
}

const char* find_plain(Steps& steps, const char* text, size_t size, const char* wanted, size_t length) {
  if (length == 0) return text;
  for (const char* end = text + size; static_cast<size_t>(end - text) >= length;) {
    const void* at = std::memchr(text, *wanted, static_cast<size_t>(end - text) - length + 1);
    if (at == nullptr) {
      steps.add((end - text) / 64);
      return nullptr;
    }
    const char* found = static_cast<const char*>(at);
    steps.add((found - text) / 64 + static_cast<int64_t>(length) / 16 + 1);
    if (std::memcmp(found, wanted, length) == 0) return found;
    text = found + 1;
  }
  return nullptr;
}

int find_or_match(lua_State* L, bool finds) {
  size_t size, length;
  const char* text = luaL_checklstring(L, 1, &size);
  const char* pattern = luaL_checklstring(L, 2, &length);
  const size_t from = start_of(luaL_optinteger(L, 3, 1), size) - 1;
  if (from > size) {
    luaL_pushfail(L);
    return 1;
  }
  const bool is_plain = finds && (lua_toboolean(L, 4) != 0 || std::strcspn(pattern, "^$*+?.([%-") == length);
  if (is_plain) {
    Steps steps(L, limits_of(L));
    const char* found = find_plain(steps, text + from, size - from, pattern, length);
    steps.done();
    if (found != nullptr) {
      lua_pushinteger(L, found - text + 1);
      lua_pushinteger(L, found - text + static_cast<ptrdiff_t>(length));
      return 2;
    }
    luaL_pushfail(L);
    return 1;
  }
  const bool is_anchored = length > 0 && *pattern == '^';
  Matcher m = matcher(L, text, size, pattern, length);
  if (is_anchored) ++pattern;
  for (const char* s = text + from;; ++s) {
    m.captures = 0;
    const char* end = m.match(s, pattern);
    if (end != nullptr) {
      m.steps.done();
      if (!finds) return m.push_captures(s, end);
      lua_pushinteger(L, s - text + 1);
      lua_pushinteger(L, end - text);
      return m.push_captures(nullptr, nullptr) + 2;
    }
    if (is_anchored || s >= m.text_end) break;
  }
  m.steps.done();
  luaL_pushfail(L);
  return 1;
}

int find(lua_State* L) { return find_or_match(L, true); }
int match(lua_State* L) { return find_or_match(L, false); }

// Upvalues of gmatch's iterator: the Limits, the text, the pattern, where to go on (from 0), the end of the last match
// (-1: none).
int next_match(lua_State* L) {
  size_t size, length;
  const char* text = lua_tolstring(L, lua_upvalueindex(2), &size);
  const char* pattern = lua_tolstring(L, lua_upvalueindex(3), &length);
  const lua_Integer last = lua_tointeger(L, lua_upvalueindex(5));
  Matcher m = matcher(L, text, size, pattern, length);
  for (const char* s = text + lua_tointeger(L, lua_upvalueindex(4)); s <= m.text_end; ++s) {
    m.captures = 0;
    const char* end = m.match(s, pattern);
    if (end == nullptr || end - text == last) continue;
    m.steps.done();
    lua_pushinteger(L, end - text);
    lua_copy(L, -1, lua_upvalueindex(4));
    lua_replace(L, lua_upvalueindex(5));
    return m.push_captures(s, end);
  }
  m.steps.done();
  lua_pushinteger(L, static_cast<lua_Integer>(size) + 1);
  lua_replace(L, lua_upvalueindex(4));
  return 0;
}

int gmatch(lua_State* L) {
  size_t size;
  luaL_checklstring(L, 1, &size);
  luaL_checkstring(L, 2);
  size_t from = start_of(luaL_optinteger(L, 3, 1), size) - 1;
  if (from > size) from = size + 1;
  lua_pushlightuserdata(L, &limits_of(L));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(from));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, next_match, 5);
  return 1;
}

// Adds what the replacement's text says for one match.
void add_text(Matcher& m, luaL_Buffer* out, const char* begin, const char* end) {
  lua_State* L = m.L;
  size_t size;
  const char* by = lua_tolstring(L, 3, &size);
  for (const char* last = by + size; by < last; ++by) {
    m.steps.one();
    if (*by != kEscape) {
      luaL_addchar(out, *by);
      continue;
    }
    ++by;
    if (*by == kEscape) {
      luaL_addchar(out, *by);
    } else if (*by == '0') {
      luaL_addlstring(out, begin, static_cast<size_t>(end - begin));
      m.steps.add((end - begin) / 16);
    } else if (std::isdigit(Matcher::byte(by)) != 0) {
      m.push_capture(*by - '1', begin, end);
      if (lua_type(L, -1) == LUA_TNUMBER) luaL_tolstring(L, -1, nullptr), lua_remove(L, -2);
      m.steps.add(static_cast<int64_t>(lua_rawlen(L, -1)) / 16);
      luaL_addvalue(out);
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", kEscape);
    }
  }
}

// Adds the replacement of one match. Returns whether it differs from the match.
bool add_replacement(Matcher& m, luaL_Buffer* out, const char* begin, const char* end, int kind) {
  lua_State* L = m.L;
  if (kind == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, m.push_captures(begin, end), 1);
  } else if (kind == LUA_TTABLE) {
    m.push_capture(0, begin, end);
    lua_gettable(L, 3);
  } else {
    add_text(m, out, begin, end);
    return true;
  }
  if (lua_toboolean(L, -1) == 0) {
    lua_pop(L, 1);
    luaL_addlstring(out, begin, static_cast<size_t>(end - begin));
    return false;
  }
  if (lua_isstring(L, -1) == 0) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(out);
  return true;
}

int gsub(lua_State* L) {
  size_t size, length;
  const char* text = luaL_checklstring(L, 1, &size);
  const char* pattern = luaL_checklstring(L, 2, &length);
  const int kind = lua_type(L, 3);
  if (kind != LUA_TNUMBER && kind != LUA_TSTRING && kind != LUA_TFUNCTION && kind != LUA_TTABLE)
    luaL_typeerror(L, 3, "string/function/table");
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(size) + 1);
  if (kind == LUA_TNUMBER) lua_tolstring(L, 3, nullptr);
  const bool is_anchored = length > 0 && *pattern == '^';
  Matcher m = matcher(L, text, size, pattern, length);
  if (is_anchored) ++pattern;
  limits_of(L).expect(L, 3 * size + (size_t{1} << 16));
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  lua_Integer count = 0;
  bool is_changed = false;
  const char* last = nullptr;
  const char* s = text;
  while (count < most) {
    m.captures = 0;
    const char* end = m.match(s, pattern);
    if (end != nullptr && end != last) {
      ++count;
      is_changed |= add_replacement(m, &out, s, end, kind);
      s = last = end;
    } else if (s < m.text_end) {
      luaL_addchar(&out, *s++);
    } else {
      break;
    }
    if (is_anchored) break;
  }
  m.steps.done();
  if (is_changed) {
    luaL_addlstring(&out, s, static_cast<size_t>(m.text_end - s));
    luaL_pushresult(&out);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

}  // namespace

void Steps::look() {
  const int64_t steps = steps_;
  steps_ = 0;
  if (!limits_.is_stopped(steps)) return;
  limits_.note_position(L_);
  luaL_error(L_, "interrupted!");
}

void bind_patterns(lua_State* L, Limits& limits) {
  for (luaL_Reg entry : {luaL_Reg{"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}}) {
    lua_pushlightuserdata(L, &limits);
    lua_pushcclosure(L, entry.func, 1);
    lua_setfield(L, -2, entry.name);
  }
}

}  // namespace lutra
