// Note [The Lua border]
// Debian's Lua is C: an error longjmps past destructors, also out of lua_newuserdatauv when memory runs out. So a
// binding never has a C++ object with a destructor alive while it calls a Lua function that can raise. Ops do this in
// phases (read, create, run, tell: op_call.cpp); other bindings compute in C++ and push their results under protect()
// (guard.h). A C++ error propagates as an exception up to the binding's outermost frame, is kept in the State, and
// becomes a Lua error here, after every C++ object is gone.

#include <algorithm>
#include <charconv>

#include "lua/border/guard.h"
#include "lua/border/interrupts.h"
#include "lua/border/limits.h"
#include "lua/border/traceback.h"
#include "lua/hints/call_form.h"

namespace lutra {

const Error& State::no_memory() {
  static const Error error(ErrorCode::ResourceExhausted,
                           "lutra: the system gives this process no more memory (malloc failed); release tensors, or "
                           "let it have more (ulimit -v)");
  return error;
}

void State::keep_current_exception() noexcept {
  pending_.clear();
  try {
    throw;
  } catch (Error& error) {
    keep(std::move(error));
  } catch (const std::bad_alloc&) {
    // Nothing is kept.
  } catch (const std::exception& error) {
    attempt([&] { fail(ErrorCode::Internal, "lutra: ", error.what(), "; please report this"); });
  }
}

void State::keep(Error error) noexcept {
  pending_.clear();
  try {
    pending_.push_back(std::move(error));
  } catch (const std::bad_alloc&) {
    // Nothing is kept.
  }
}

const Error* State::set_aside() {
  if (pending_.empty()) return &no_memory();
  aside_.splice(aside_.end(), pending_, pending_.begin());
  return &aside_.back();
}

// The error stays in the State while its Lua object is made: that may raise if memory runs out, and may run finalizers
// that call ops and fail.
// Of a device (memory_report.h).
static bool is_out_of_memory(const Error& error) {
  return error.code() == ErrorCode::ResourceExhausted &&
         std::any_of(error.fields().begin(), error.fields().end(),
                     [](const auto& field) { return field.first == "largest_free"; });
}

void State::raise(lua_State* L, const Error* kept) {
  auto set_string = [L](const char* key, const std::string& value) {
    lua_pushlstring(L, value.data(), value.size());
    lua_setfield(L, -2, key);
  };
  luaL_checkstack(L, 10, nullptr);
  const Error& error = *kept;
  if (limits != nullptr && limits->options.tensor_memory_mb > 0 && is_out_of_memory(error)) [[unlikely]]
    limits->pass(Limits::Kind::TensorMemory);
  if (limits != nullptr && error.code() == ErrorCode::Cancelled && Interrupts::find(L)->is_requested()) [[unlikely]]
    limits->note_position(L);
  bool has_own_words = push_call_form(L);
  lua_createtable(L, 0, 4 + static_cast<int>(error.fields().size()));
  lua_pushstring(L, name(error.code()));
  lua_setfield(L, -2, "code");
  if (has_own_words) {
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "message");
  } else {
    set_string("message", error.message());
  }
  for (const auto& [key, value] : error.fields()) {
    // Numbers of bytes and the like are numbers.
    int64_t number = 0;
    auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem != std::errc() || end != value.data() + value.size()) {
      set_string(key.c_str(), value);
      continue;
    }
    lua_pushinteger(L, number);
    lua_setfield(L, -2, key.c_str());
  }
  lua_Debug frame;
  if (find_script_frame(L, &frame)) {
    lua_pushfstring(L, "%s:%d:", frame.short_src, frame.currentline);
    lua_setfield(L, -2, "where");
  }
  push_traceback(L);
  lua_setfield(L, -2, "traceback");
  push(L, kErrorMeta);
  lua_setmetatable(L, -2);
  aside_.remove_if([kept](const Error& each) { return &each == kept; });
  lua_error(L);
  __builtin_unreachable();
}

}  // namespace lutra
