#include "repl/attach/listener.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <new>

#include "core/clock.h"
#include "lua/bindings/terminal.h"
#include "lua/border/guard.h"
#include "lua/border/interrupts.h"
#include "lua/border/state.h"

// Note [Stopping an entry from another thread]
//
// Only the thread that runs Lua may set Lua's hook. So the server's thread sends that thread SIGURG, whose handler asks
// Interrupts, as the handler of Ctrl-C does. SIGURG is the signal that does no harm when it comes late: by default it
// is ignored, and programs that use it must expect it at any time. It also ends a read that waits.

namespace lutra {

using attach::Kind;

struct Listener::Features : TerminalFeatures {};

namespace {

constexpr int kSliceMs = 50;  // between two looks at the host's own Ctrl-C

thread_local Interrupts* volatile stopping = nullptr;        // while Lua runs for an entry on this thread
thread_local volatile std::sig_atomic_t is_client_stop = 0;  // what stops it is the client
thread_local volatile std::sig_atomic_t is_pending = 0;      // the client stopped the entry when nothing could raise
thread_local bool is_host_stop = false;                      // the host's own Ctrl-C stopped the entry

void on_stop(int) {
  Interrupts* interrupts = stopping;
  if (interrupts == nullptr) {
    is_pending = 1;
    return;
  }
  is_client_stop = 1;
  interrupts->request();
}

// Whether something has stopped the entry on this thread, such as the host's own Ctrl-C.
bool is_stopped() {
  const Interrupts* interrupts = stopping;
  return interrupts != nullptr && interrupts->is_requested();
}

// While it lives, SIGURG stops the entry on this thread.
class StopSignal {
 public:
  StopSignal() {
    is_pending = 0;
    is_host_stop = false;
    struct sigaction action = {};
    action.sa_handler = on_stop;
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, &before_);
  }
  ~StopSignal() { sigaction(SIGURG, &before_, nullptr); }
  StopSignal(const StopSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

// SessionHost::call. What the host had begun, a call that its own Ctrl-C stops, goes on afterwards.
int stoppable_call(lua_State* L, int arguments, int results, int handler) {
  Interrupts& interrupts = *Interrupts::find(L);
  ContextHooks& hooks = State::find(L)->context().hooks;
  lua_State* before = interrupts.running() != nullptr ? interrupts.running() : L;
  const bool insists = interrupts.insists();
  const auto take_before = hooks.take_interrupt;
  is_client_stop = 0;
  interrupts.begin(L, true);
  hooks.take_interrupt = [](void*) {
    Interrupts* running = stopping;
    return running != nullptr && running->take();
  };
  stopping = &interrupts;
  if (is_pending != 0) {
    is_pending = 0;
    on_stop(SIGURG);
  }
  const int status = lua_pcall(L, arguments, results, handler);
  stopping = nullptr;
  if (interrupts.is_requested() && is_client_stop == 0) is_host_stop = true;
  interrupts.end();
  hooks.take_interrupt = take_before;
  interrupts.begin(before, insists);
  return status;
}

// While it lives, the placement log goes to another sink.
class SinkChange {
 public:
  SinkChange(Log& log, LogSink sink, void* user) : log_(log), sink_(log.sink()), user_(log.user()) {
    log.set_sink(sink, user);
  }
  ~SinkChange() { log_.set_sink(sink_, user_); }
  SinkChange(const SinkChange&) = delete;

 private:
  Log& log_;
  LogSink sink_;
  void* user_;
};

int number_of(std::string_view greeting, std::string_view name) {
  const std::string value(attach::greeting_value(greeting, name));
  return std::clamp(std::atoi(value.c_str()), 0, 10000);
}

}  // namespace

Listener::Listener(lua_State*, const std::string& path)
    : server_(path), streams_({.user = this, .write = write, .read = read}), features_(std::make_unique<Features>()) {}

Listener::~Listener() = default;

void Listener::show(void* user, SessionHost::Text kind, std::string_view text) try {
  auto& self = *static_cast<Listener*>(user);
  self.streams_.flush();
  using Text = SessionHost::Text;
  const auto letter = kind == Text::Output ? attach::TextKind::Output
                      : kind == Text::Note ? attach::TextKind::Note
                                           : attach::TextKind::Error;
  std::string payload(1, static_cast<char>(letter));
  payload += text;
  self.server_.send(self.client_, Kind::Text, payload);
} catch (const std::bad_alloc&) {
  // There is no memory for what the entry says.
}

void Listener::write(void* user, bool is_error, std::string_view bytes) try {
  auto& self = *static_cast<Listener*>(user);
  if (is_error) self.streams_.flush();
  self.server_.send(self.client_, is_error ? Kind::ErrorOutput : Kind::Output, bytes);
} catch (const std::bad_alloc&) {
}

bool Listener::read(void* user, std::string& line) try {
  auto& self = *static_cast<Listener*>(user);
  std::optional<std::string> read = self.server_.read_line(self.client_, is_stopped);
  if (!read) return false;
  line = std::move(*read);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Listener::log(void* user, std::string_view line) {
  const bool is_warning = line.starts_with("WARNING: ");
  show(user, is_warning ? SessionHost::Text::Error : SessionHost::Text::Note, line);
}

int Listener::poll(lua_State* L, double seconds, bool* is_interrupted) {
  if (is_busy_) fail(ErrorCode::FailedPrecondition, "poll: an entry cannot poll the socket that it came by");
  struct Busy {
    bool& is_busy;
    ~Busy() { is_busy = false; }
  } busy{is_busy_ = true};
  *is_interrupted = false;
  int entries = 0;
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(std::min(std::max(seconds, 0.0), 1e8) * 1e9);
  for (bool has_served = false;;) {
    std::optional<attach::Server::Request> request = server_.next();
    if (request) {
      serve(L, *request, &entries, is_interrupted);
      has_served = true;
    }
    if (!*is_interrupted) *is_interrupted = State::find(L)->context().take_interrupt();
    if (*is_interrupted) return entries;
    if (request) continue;
    const std::int64_t left_ms = (end - now_ns() + 999'999) / 1'000'000;
    if (has_served || left_ms <= 0) return entries;
    server_.wait(static_cast<int>(std::min<std::int64_t>(left_ms, kSliceMs)));
  }
}

void Listener::serve(lua_State* L, const attach::Server::Request& request, int* entries, bool* is_interrupted) {
  if (request.gone) {
    if (request.client == client_) end_session();
    return;
  }
  switch (request.frame.kind) {
    case Kind::Hello: begin_session(L, request.client, request.frame.payload); return;
    case Kind::Complete: return answer_completion(request.frame.payload);
    case Kind::Signature: return answer_signature(request.frame.payload);
    case Kind::Run: break;
    default: return;
  }
  if (session_ == nullptr) return server_.end_entry();
  ++*entries;
  bool leaves = false;
  const attach::Outcome outcome = run_entry(L, request.frame.payload, &leaves, is_interrupted);
  if (!leaves) return send_ready(outcome);
  server_.drop(client_, "");
  end_session();
}

void Listener::begin_session(lua_State* L, std::uint64_t client, std::string_view greeting) {
  end_session();
  // A coroutine of its own: the session's device scopes and hooks are not the host's. It starts in the host's scope.
  protect(L, 0, [this](lua_State* inner) {
    lua_State* coroutine = lua_newthread(inner);
    State::find(inner)->scopes().start(inner, coroutine);
    coroutine_reference_ = luaL_ref(inner, LUA_REGISTRYINDEX);
    coroutine_ = coroutine;
    return 0;
  });
  client_ = client;
  features_->is_terminal = attach::greeting_value(greeting, "terminal") == "1";
  features_->has_colors = attach::greeting_value(greeting, "colors") == "1";
  features_->is_utf8 = attach::greeting_value(greeting, "utf8") == "1";
  features_->columns = number_of(greeting, "columns");
  features_->rows = number_of(greeting, "rows");
  session_ = &sessions_.emplace_back(
      coroutine_,
      SessionHost{.user = this, .show = show, .call = stoppable_call, .is_interactive = true, .is_terminal = false});
  send_ready(attach::Outcome::Begin);
}

void Listener::end_session() {
  if (session_ == nullptr) return;
  session_->end();
  session_ = nullptr;
  luaL_unref(coroutine_, LUA_REGISTRYINDEX, coroutine_reference_);
  coroutine_ = nullptr;
  client_ = 0;
}

attach::Outcome Listener::run_entry(lua_State* L, std::string_view entry, bool* leaves, bool* is_interrupted) {
  const TerminalOverride terminal(*features_);
  const SinkChange sink(State::find(L)->runtime().log(), log, this);
  if (!streams_.begin(coroutine_)) {
    show(this, SessionHost::Text::Error, "not enough memory");
    server_.end_entry();
    return attach::Outcome::Failed;
  }
  const StopSignal signal;
  server_.begin_entry([thread = pthread_self()] { pthread_kill(thread, SIGURG); });
  const Session::Outcome outcome = session_->run(entry);
  server_.end_entry();
  *is_interrupted = is_host_stop;
  streams_.end(coroutine_);
  *leaves = outcome == Session::Outcome::Quit;
  return outcome == Session::Outcome::Failed ? attach::Outcome::Failed : attach::Outcome::Ok;
}

void Listener::send_ready(attach::Outcome outcome) {
  std::string payload(1, static_cast<char>(outcome));
  payload += prompt_text("_PROMPT", "> ");
  payload += '\0';
  payload += prompt_text("_PROMPT2", ">> ");
  server_.send(client_, Kind::Ready, payload);
}

// Unlike Session::prompt it calls no __tostring: nothing could stop that between entries.
std::string Listener::prompt_text(const char* name, const char* usual) {
  protect(coroutine_, 1, [name](lua_State* L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    return 1;
  });
  std::string text = usual;
  std::size_t size = 0;
  if (lua_type(coroutine_, -1) == LUA_TSTRING) {
    const char* given = lua_tolstring(coroutine_, -1, &size);
    text.assign(given, size);
  }
  lua_pop(coroutine_, 1);
  return text;
}

void Listener::answer_completion(std::string_view payload) {
  const auto number = attach::take_number(payload), cursor = attach::take_number(payload);
  if (!number || !cursor || session_ == nullptr) return;
  const Completion found = session_->complete(payload, static_cast<std::size_t>(*cursor));
  std::string answer;
  attach::append_number(answer, *number);
  attach::append_number(answer, found.begin);
  attach::append_number(answer, found.end);
  for (const std::string& word : found.words) answer += word + "\n";
  server_.send(client_, Kind::Answer, answer);
}

void Listener::answer_signature(std::string_view payload) {
  const auto number = attach::take_number(payload), cursor = attach::take_number(payload);
  if (!number || !cursor || session_ == nullptr) return;
  std::string answer;
  attach::append_number(answer, *number);
  answer += session_->signature(payload, static_cast<std::size_t>(*cursor));
  server_.send(client_, Kind::Answer, answer);
}

}  // namespace lutra
