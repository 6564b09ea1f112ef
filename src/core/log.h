// Where messages for people go. stdout belongs to the script: every line goes to stderr, or to the host's own sink.
#pragma once

#include <string_view>

namespace lutra {

// Receives one line without its newline.
using LogSink = void (*)(void* user, std::string_view line);

// One per Runtime. Without a sink it flushes stdout, to keep the two in order, and writes each line to stderr by one
// write(2).
class Log {
 public:
  void line(std::string_view line) const;
  void set_sink(LogSink sink, void* user) {
    sink_ = sink;
    user_ = user;
  }
  LogSink sink() const { return sink_; }
  void* user() const { return user_; }

 private:
  LogSink sink_ = nullptr;
  void* user_ = nullptr;
};

}  // namespace lutra
