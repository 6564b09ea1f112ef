#include "cli/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "lua/bindings/terminal.h"

namespace lutra {
namespace {

constexpr std::string_view kRed = "\33[31m";
constexpr std::string_view kDim = "\33[2m";
constexpr std::string_view kPlain = "\33[0m";

// Allocates nothing, as the message may be that memory ran out.
void put(std::initializer_list<std::string_view> parts) {
  std::fflush(stdout);
  for (std::string_view part : parts) std::fwrite(part.data(), 1, part.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Report::Report() : colors_(wants_colors(STDERR_FILENO)) {}

void Report::error(std::string_view message, bool in_session) const {
  std::string_view prefix = in_session ? "" : "lutra: ";
  std::string_view first = message.substr(0, message.find('\n'));
  if (colors_) put({kRed, prefix, first, kPlain, message.substr(first.size()), "\n"});
  else put({prefix, message, "\n"});
}

void Report::note(std::string_view message) const {
  if (colors_) put({kDim, message, kPlain, "\n"});
  else put({message, "\n"});
}

LogFile::LogFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "we")) {
  if (file_ == nullptr) {
    fail(ErrorCode::InvalidArgument, "'--log-placement': cannot open ", path, ": ", std::strerror(errno));
  }
}

LogFile::~LogFile() { std::fclose(file_); }

void LogFile::write(void* user, std::string_view line) {
  if (line.starts_with("WARNING: ")) return put({line, "\n"});
  LogFile& log = *static_cast<LogFile*>(user);
  if (log.failed_) return;
  std::fwrite(line.data(), 1, line.size(), log.file_);
  std::fputc('\n', log.file_);
  // Flushed, so that the file has all lines while the script still runs.
  if (std::fflush(log.file_) == 0) return;
  log.failed_ = true;
  put({"lutra: '--log-placement': cannot write ", log.path_, ": ", std::strerror(errno),
       "; the rest of the log is lost\n"});
}

void Warnings::warn(void* user, const char* message, int to_be_continued) {
  Warnings& warnings = *static_cast<Warnings*>(user);
  bool starts = !warnings.continues_;
  warnings.continues_ = to_be_continued != 0;
  // A message in one piece that begins with @ is a control message.
  if (starts && to_be_continued == 0 && message[0] == '@') {
    if (std::strcmp(message, "@on") == 0) warnings.on_ = true;
    if (std::strcmp(message, "@off") == 0) warnings.on_ = false;
    return;
  }
  if (!warnings.on_) return;
  if (starts) put({"Lua warning: "});
  put({message});
  if (to_be_continued == 0) put({"\n"});
}

}  // namespace lutra
