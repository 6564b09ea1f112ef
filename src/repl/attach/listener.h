// The Lua side of a host that listens: runs the entries of `lutra attach` in the host's interpreter, when the host
// polls. For lt.repl.listen and for C++ hosts.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "repl/attach/server.h"
#include "repl/session/entry_streams.h"
#include "repl/session/session.h"

struct lua_State;

namespace lutra {

class Listener {
 public:
  // Listens at the path: a Unix socket that only this user can use. Throws Error: the path is taken, or cannot be used.
  Listener(lua_State* L, const std::string& path);
  // Notifies the client. Runs no Lua; `close` does.
  ~Listener();
  Listener(const Listener&) = delete;

  const std::string& path() const { return server_.path(); }
  // Whether an entry runs.
  bool is_busy() const { return is_busy_; }
  // Whether a client is attached, as of the last poll.
  bool is_attached() const { return session_ != nullptr; }

  // Answers the client's requests and runs its entries, in a separate coroutine, on the calling thread. Waits up to
  // `seconds` for the first request; 0 does not wait. Returns the number of entries that ran. *is_interrupted: the
  // host's own Ctrl-C stopped it, and the caller must raise "interrupted!". Raises no Lua error; throws Error if an
  // entry calls it.
  int poll(lua_State* L, double seconds, bool* is_interrupted);
  // Ends what the client's session has set. To be called before the destructor while the interpreter lives.
  void end_session();

 private:
  void serve(lua_State* L, const attach::Server::Request& request, int* entries, bool* is_interrupted);
  void begin_session(lua_State* L, std::uint64_t client, std::string_view greeting);
  attach::Outcome run_entry(lua_State* L, std::string_view entry, bool* leaves, bool* is_interrupted);
  void send_ready(attach::Outcome outcome);
  std::string prompt_text(const char* name, const char* usual);
  void answer_completion(std::string_view payload);
  void answer_signature(std::string_view payload);
  static void show(void* user, SessionHost::Text kind, std::string_view text);
  static void write(void* user, bool is_error, std::string_view bytes);
  static bool read(void* user, std::string& line);
  static void log(void* user, std::string_view line);

  attach::Server server_;
  EntryStreams streams_;
  bool is_busy_ = false;
  std::uint64_t client_ = 0;
  // Lua objects of ended sessions may outlive them, so all are kept: a few bytes each.
  std::list<Session> sessions_;
  Session* session_ = nullptr;
  lua_State* coroutine_ = nullptr;  // that its entries run on; in the registry
  int coroutine_reference_ = 0;
  struct Features;
  std::unique_ptr<Features> features_;
};

// Pushes lutra.repl.listen as hosts call it, also where scripts may not; false, with nil, before lutra.repl is loaded.
bool push_listen_for_host(lua_State* L);

}  // namespace lutra
