// Sends what an entry prints and reads to a front end, in the place of the process's stdout, stderr and stdin: print,
// and the standard files of Lua's io library. The process's own files stay as they are: other threads, and Lua code
// between entries, use them.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

struct lua_State;
struct luaL_Stream;

namespace lutra {

// The functions must neither throw nor raise Lua errors.
struct EntryOutput {
  void* user = nullptr;
  // Any bytes, not only whole lines.
  void (*write)(void* user, bool is_error, std::string_view bytes) = nullptr;
  // The next line of input, with its newline; false at its end. Null: there is no input.
  bool (*read)(void* user, std::string& line) = nullptr;
};

class EntryStreams {
 public:
  // Throws Error if memory runs out.
  explicit EntryStreams(const EntryOutput& output);
  ~EntryStreams();
  EntryStreams(const EntryStreams&) = delete;

  // From here to `end`, on the thread that Lua runs on. Raise nothing. If there is no memory for it, false: the entry
  // would write to the process's files.
  bool begin(lua_State* L);
  void end(lua_State* L);
  // Passes on what was written so far, so that it stands before what comes by other ways.
  void flush();

 private:
  static ssize_t on_write(void* cookie, const char* bytes, std::size_t size, bool is_error);
  static ssize_t on_read(void* cookie, char* bytes, std::size_t size);
  static int print(lua_State* L);
  std::FILE* ours(std::FILE* file) const;
  int take_streams(lua_State* L);
  int give_back(lua_State* L);

  const EntryOutput output_;
  std::string input_;
  std::size_t input_read_ = 0;
  std::FILE* out_ = nullptr;
  std::FILE* error_ = nullptr;
  std::FILE* in_ = nullptr;
  EntryStreams* outer_ = nullptr;  // of the entry in which this one runs
  // The file objects that have our FILEs, and what they had before. Lua keeps the objects meanwhile.
  struct Exchange {
    luaL_Stream* stream;
    std::FILE* before;
  };
  std::vector<Exchange> exchanged_;
};

}  // namespace lutra
