// A session for Jupyter: its requests are calls of Session, what entries print and show are messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <xeus/xinterpreter.hpp>

#include "lua/border/interpreter.h"
#include "repl/session/entry_streams.h"
#include "repl/session/session.h"

namespace lutra::notebook {

class Kernel final : public xeus::xinterpreter {
 public:
  // Throws Error if the environment's settings cannot be satisfied.
  Kernel();

 private:
  using Json = nlohmann::json;

  void configure_impl() override {}
  Json execute_request_impl(int count, const std::string& code, bool silent, bool store_history, Json expressions,
                            bool allow_stdin) override;
  Json complete_request_impl(const std::string& code, int cursor) override;
  Json inspect_request_impl(const std::string& code, int cursor, int detail) override;
  Json is_complete_request_impl(const std::string& code) override;
  Json kernel_info_request_impl() override;
  void shutdown_request_impl() override;

  void stream(bool is_error, std::string_view bytes);
  void flush_stream();
  static void show(void* user, SessionHost::Text kind, std::string_view text);
  static void display(void* user, bool is_result, std::string_view bundle);
  static void write(void* user, bool is_error, std::string_view bytes);
  static bool read(void* user, std::string& line);
  static void log(void* user, std::string_view line);

  Interpreter interpreter_;
  Session session_;
  EntryStreams streams_;
  // Of the entry that runs.
  int count_ = 0;
  bool is_silent_ = false;
  bool may_read_ = false;
  bool has_result_ = false;
  std::string problem_;
  // What was written and not published yet: a front end takes only so many messages a second.
  std::string unpublished_;
  bool is_unpublished_error_ = false;
  std::int64_t next_publish_ns_ = 0;
};

}  // namespace lutra::notebook
