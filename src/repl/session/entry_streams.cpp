#include "repl/session/entry_streams.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "lua/border/printed.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

// The streams of the entry that runs on this thread; entries may run inside entries.
thread_local EntryStreams* active = nullptr;

// What the print function of entries holds as its first upvalue: the streams while an entry runs. Its second upvalue is
// the function that it replaces. The registry keeps it, by the address of the streams, as functions of entries may.
struct PrintBox {
  EntryStreams* streams;
};

// Runs f(L), which may raise, and drops its error.
template <class F> bool attempt(lua_State* L, F&& f) {
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    auto* function = static_cast<std::remove_reference_t<F>*>(lua_touserdata(inner, 1));
    lua_settop(inner, 0);
    return (*function)(inner);
  });
  lua_pushlightuserdata(L, &f);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return true;
  lua_pop(L, 1);
  return false;
}

// The file object at `index`; null if it is none, or is closed.
luaL_Stream* file_at(lua_State* L, int index) {
  auto* stream = static_cast<luaL_Stream*>(luaL_testudata(L, index, LUA_FILEHANDLE));
  return stream != nullptr && stream->closef != nullptr ? stream : nullptr;
}

}  // namespace

EntryStreams::EntryStreams(const EntryOutput& output) : output_(output) {
  exchanged_.reserve(5);
  cookie_io_functions_t out = {};
  out.write = [](void* cookie, const char* bytes, std::size_t size) { return on_write(cookie, bytes, size, false); };
  cookie_io_functions_t error = {};
  error.write = [](void* cookie, const char* bytes, std::size_t size) { return on_write(cookie, bytes, size, true); };
  cookie_io_functions_t in = {};
  in.read = on_read;
  out_ = fopencookie(this, "w", out);
  error_ = fopencookie(this, "w", error);
  in_ = fopencookie(this, "r", in);
  if (out_ == nullptr || error_ == nullptr || in_ == nullptr) {
    for (std::FILE* file : {out_, error_, in_}) {
      if (file != nullptr) std::fclose(file);
    }
    throw std::bad_alloc();
  }
  std::setvbuf(out_, nullptr, _IOLBF, BUFSIZ);
  std::setvbuf(error_, nullptr, _IONBF, 0);
}

EntryStreams::~EntryStreams() {
  for (std::FILE* file : {out_, error_, in_}) std::fclose(file);
}

ssize_t EntryStreams::on_write(void* cookie, const char* bytes, std::size_t size, bool is_error) {
  const EntryOutput& output = static_cast<EntryStreams*>(cookie)->output_;
  output.write(output.user, is_error, {bytes, size});
  return static_cast<ssize_t>(size);
}

ssize_t EntryStreams::on_read(void* cookie, char* bytes, std::size_t size) {
  auto& self = *static_cast<EntryStreams*>(cookie);
  if (self.input_read_ == self.input_.size()) {
    self.input_.clear();
    self.input_read_ = 0;
    self.flush();  // a question stands before its answer
    if (self.output_.read == nullptr || !self.output_.read(self.output_.user, self.input_)) return 0;
  }
  const std::size_t count = std::min(size, self.input_.size() - self.input_read_);
  std::memcpy(bytes, self.input_.data() + self.input_read_, count);
  self.input_read_ += count;
  return static_cast<ssize_t>(count);
}

// print(...) of entries; after them, for functions that kept it, the function that it replaced.
int EntryStreams::print(lua_State* L) {
  const auto* box = static_cast<PrintBox*>(lua_touserdata(L, lua_upvalueindex(1)));
  const int count = lua_gettop(L);
  if (box->streams == nullptr) {
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_call(L, count, 0);
    return 0;
  }
  push_printed(L, count);
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  if (EntryStreams* streams = box->streams) {
    streams->flush();
    streams->output_.write(streams->output_.user, false, {text, size});
  }
  return 0;
}

// Our file for one of the process's, or of an entry in which this one runs; null for other files.
std::FILE* EntryStreams::ours(std::FILE* file) const {
  if (file == stdout) return out_;
  if (file == stderr) return error_;
  if (file == stdin) return in_;
  for (const EntryStreams* each = outer_; each != nullptr; each = each->outer_) {
    if (file == each->out_) return out_;
    if (file == each->error_) return error_;
    if (file == each->in_) return in_;
  }
  return nullptr;
}

// Replaces the FILEs of file objects, and the global print.
int EntryStreams::take_streams(lua_State* L) {
  lua_newtable(L);  // keeps the file objects
  const int files = lua_gettop(L);
  lua_pushvalue(L, files);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &exchanged_);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushliteral(L, "io");
  if (lua_rawget(L, -2) == LUA_TTABLE) {
    const int library = lua_gettop(L);
    for (const char* name : {"stdout", "stderr", "stdin"}) {
      lua_pushstring(L, name);
      lua_rawget(L, library);
    }
  }
  // What io.write and io.read use, which may be other files.
  for (const char* name : {"_IO_output", "_IO_input"}) {
    lua_pushstring(L, name);
    lua_rawget(L, LUA_REGISTRYINDEX);
  }
  for (int i = files + 2; i <= lua_gettop(L); ++i) {
    luaL_Stream* stream = file_at(L, i);
    std::FILE* replacement = stream != nullptr ? ours(stream->f) : nullptr;
    if (replacement == nullptr || exchanged_.size() == exchanged_.capacity()) continue;
    lua_pushvalue(L, i);
    lua_rawseti(L, files, static_cast<lua_Integer>(lua_rawlen(L, files)) + 1);
    exchanged_.push_back({stream, stream->f});
    stream->f = replacement;
  }
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, this) != LUA_TFUNCTION) {
    static_cast<PrintBox*>(lua_newuserdatauv(L, sizeof(PrintBox), 0))->streams = nullptr;
    lua_pushnil(L);
    lua_pushcclosure(L, print, 2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, this);
  }
  const int own = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_pushliteral(L, "print");
  if (lua_rawget(L, -2) != LUA_TFUNCTION) return 0;
  if (lua_rawequal(L, -1, own) == 0) lua_setupvalue(L, own, 2);
  else lua_pop(L, 1);
  lua_pushliteral(L, "print");
  lua_pushvalue(L, own);
  lua_rawset(L, -3);
  lua_getupvalue(L, own, 1);
  static_cast<PrintBox*>(lua_touserdata(L, -1))->streams = this;
  return 0;
}

// A print that the entry has set stays.
int EntryStreams::give_back(lua_State* L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &exchanged_);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, this) != LUA_TFUNCTION) return 0;
  const int own = lua_gettop(L);
  lua_getupvalue(L, own, 1);
  static_cast<PrintBox*>(lua_touserdata(L, -1))->streams = nullptr;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  const int globals = lua_gettop(L);
  lua_pushliteral(L, "print");
  lua_rawget(L, globals);
  if (lua_rawequal(L, -1, own) == 0) return 0;
  lua_pushliteral(L, "print");
  lua_getupvalue(L, own, 2);
  lua_rawset(L, globals);
  return 0;
}

bool EntryStreams::begin(lua_State* L) {
  std::clearerr(in_);
  outer_ = std::exchange(active, this);
  if (lua_checkstack(L, LUA_MINSTACK) != 0 && attempt(L, [this](lua_State* inner) { return take_streams(inner); })) {
    return true;
  }
  end(L);
  return false;
}

void EntryStreams::end(lua_State* L) {
  flush();
  for (const Exchange& each : exchanged_) {
    if (ours(each.before) == each.stream->f) each.stream->f = each.before;
  }
  exchanged_.clear();
  if (lua_checkstack(L, LUA_MINSTACK) != 0) attempt(L, [this](lua_State* inner) { return give_back(inner); });
  active = outer_;
}

void EntryStreams::flush() { std::fflush(out_); }

}  // namespace lutra
