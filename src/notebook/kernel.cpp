#include "notebook/kernel.h"

#include <algorithm>
#include <xeus/xhelper.hpp>
#include <xeus/xinput.hpp>

#include "core/clock.h"
#include "core/version.h"
#include "lua/bindings/terminal.h"
#include "lua/border/state.h"
#include "notebook/interrupts.h"
#include "notebook/positions.h"

namespace lutra::notebook {
namespace {

using Json = nlohmann::json;

// Between two messages of a stream. Jupyter's server drops messages above 1000 a second.
constexpr std::int64_t kPublishNs = 2'000'000;
constexpr std::size_t kMostUnpublished = 64 << 10;

// Plots print as they would in a file.
constexpr TerminalFeatures kFeatures{};

// Bytes that are no UTF-8 cannot be sent.
std::string utf8(std::string_view bytes) {
  return Json::parse(Json(std::string(bytes)).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Kernel::Kernel()
    : interpreter_(InterpreterOptions{}),
      session_(interpreter_.lua(), {.user = this,
                                    .show = show,
                                    .call = interruptible_call,
                                    .is_interactive = true,
                                    .is_terminal = false,
                                    .display = display}),
      streams_({.user = this, .write = write, .read = read}) {
  xeus::register_interpreter(this);  // for blocking_input_request
}

// Publishes at once, unless there were very many messages just now.
void Kernel::stream(bool is_error, std::string_view bytes) {
  if (is_silent_) return;
  if (is_error != is_unpublished_error_) flush_stream();
  is_unpublished_error_ = is_error;
  unpublished_ += bytes;
  if (unpublished_.size() >= kMostUnpublished || now_ns() >= next_publish_ns_) flush_stream();
}

void Kernel::flush_stream() {
  if (unpublished_.empty()) return;
  publish_stream(is_unpublished_error_ ? "stderr" : "stdout", utf8(unpublished_));
  unpublished_.clear();
  next_publish_ns_ = now_ns() + kPublishNs;
}

// The callbacks are called from Lua's library and C's, which no exception may cross.

void Kernel::show(void* user, SessionHost::Text kind, std::string_view text) try {
  auto& self = *static_cast<Kernel*>(user);
  self.streams_.flush();
  if (kind == SessionHost::Text::Error) {
    self.problem_ += (self.problem_.empty() ? "" : "\n") + std::string(text);
  } else {
    self.stream(kind == SessionHost::Text::Note, std::string(text) + "\n");
  }
} catch (const std::exception&) {
}

void Kernel::write(void* user, bool is_error, std::string_view bytes) try {
  auto& self = *static_cast<Kernel*>(user);
  if (is_error) self.streams_.flush();
  self.stream(is_error, bytes);
} catch (const std::exception&) {
}

void Kernel::log(void* user, std::string_view line) try {
  auto& self = *static_cast<Kernel*>(user);
  self.streams_.flush();
  self.stream(true, std::string(line) + "\n");
} catch (const std::exception&) {
}

void Kernel::display(void* user, bool is_result, std::string_view bundle) try {
  auto& self = *static_cast<Kernel*>(user);
  if (self.is_silent_) return;
  self.streams_.flush();
  self.flush_stream();
  Json data = Json::parse(utf8(bundle));
  if (!is_result || self.has_result_) return self.display_data(std::move(data), Json::object(), Json::object());
  self.has_result_ = true;
  self.publish_execution_result(self.count_, std::move(data), Json::object());
} catch (const std::exception&) {
}

bool Kernel::read(void* user, std::string& line) try {
  auto& self = *static_cast<Kernel*>(user);
  self.flush_stream();
  if (!self.may_read_) return false;
  const InterruptibleWait wait;
  line = xeus::blocking_input_request("", false) + "\n";
  return true;
} catch (const std::exception&) {  // an interrupt ends the wait
  return false;
}

Json Kernel::execute_request_impl(int count, const std::string& code, bool silent, bool, Json, bool allow_stdin) {
  count_ = count;
  is_silent_ = silent;
  may_read_ = allow_stdin;
  has_result_ = false;
  problem_.clear();
  const TerminalOverride features(kFeatures);
  lua_State* L = interpreter_.lua();
  bool has_failed = !streams_.begin(L);
  if (!has_failed) {
    interpreter_.set_log(log, this);
    has_failed = session_.run(code) == Session::Outcome::Failed;
    interpreter_.set_log(nullptr, nullptr);
    streams_.end(L);
  }
  flush_stream();
  if (!has_failed && problem_.empty()) return xeus::create_successful_reply();
  if (problem_.empty()) problem_ = "not enough memory";
  std::vector<std::string> traceback = lines_of(utf8(problem_));
  const std::string first = traceback.front();
  traceback.front() = "\33[31m" + first + "\33[0m";
  if (!silent) publish_execution_error("Error", first, traceback);
  Json reply = xeus::create_error_reply("", "", traceback);
  reply["ename"] = "Error";  // by name: xeus' header and its library disagree on their order
  reply["evalue"] = first;
  return reply;
}

Json Kernel::complete_request_impl(const std::string& code, int cursor) {
  const std::size_t at = byte_of(code, cursor);
  const Completion found = session_.complete(code, at);
  const bool has_words = !found.words.empty();
  return xeus::create_complete_reply(found.words, character_of(code, has_words ? found.begin : at),
                                     character_of(code, has_words ? found.end : at));
}

Json Kernel::inspect_request_impl(const std::string& code, int cursor, int) {
  const std::string text = session_.inspect(code, byte_of(code, cursor));
  if (text.empty()) return xeus::create_inspect_reply();
  return xeus::create_inspect_reply(true, {{"text/plain", utf8(text)}});
}

Json Kernel::is_complete_request_impl(const std::string& code) {
  if (session_.is_complete(code)) return xeus::create_is_complete_reply("complete");
  return xeus::create_is_complete_reply("incomplete", "  ");
}

Json Kernel::kernel_info_request_impl() {
  return xeus::create_info_reply("5.3", "lutra", LUTRA_VERSION, "lua", "5.4", "text/x-lua", ".lua", "lua", "lua", "",
                                 "Lutra " LUTRA_VERSION ", " LUA_RELEASE);
}

// On the thread of the control channel.
void Kernel::shutdown_request_impl() { end_entries(); }

}  // namespace lutra::notebook
