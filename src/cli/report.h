// The program's own messages: errors and warnings, on stderr, in order with stdout.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/options.h"

struct lua_State;

namespace lutra {

class Report {
 public:
  // In colour if choose_colors, which comes first, or stderr says so.
  Report();

  // "lutra: message"; in_session: without the prefix. The first line is red where colours are on.
  void error(std::string_view message, bool in_session = false) const;
  // A remark of the prompt or a line of the placement log: dim where colours are on.
  void note(std::string_view message) const;
  bool has_colors() const { return colors_; }

 private:
  bool colors_;
};

// The file of --log-placement=FILE; warnings stay on stderr. If a line cannot be written, that is reported on stderr,
// no further line is written, and the program ends with status 1.
class LogFile {
 public:
  explicit LogFile(const std::string& path);  // throws Error
  ~LogFile();
  LogFile(const LogFile&) = delete;

  // Whether all lines have been written.
  bool is_whole() const { return !failed_; }

  // A LogSink; `user` is the LogFile.
  static void write(void* user, std::string_view line);

 private:
  const std::string path_;
  std::FILE* file_;
  bool failed_ = false;
};

// lua's own warnings: off until "@on", one line on stderr each.
class Warnings {
 public:
  // A lua_WarnFunction; `user` is the Warnings.
  static void warn(void* user, const char* message, int to_be_continued);

 private:
  bool on_ = false;
  bool continues_ = false;  // the message is not complete yet
};

}  // namespace lutra
