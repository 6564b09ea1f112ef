// Traces as files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/allowed_paths.h"
#include "profile/record.h"

namespace lutra {

enum class TraceFormat { Json, Html };

// By the extension. Fails (InvalidArgument) for others than .json and .html; `who` begins the message.
TraceFormat trace_format(const char* who, const std::string& path);
// Writes a file that appears whole or not at all. Fails like lutra.save.
void save_trace(const char* who, const Trace& trace, const std::string& path, const AllowedPaths* allowed);

// A trace that is written when the program ends, however it ends, unless by a signal or a crash.
class ExitTrace {
 public:
  // Fails (InvalidArgument, NotFound) if a file of that name cannot be written. `command`: what is run.
  ExitTrace(const char* who, Context& context, std::string path, std::string command,
            std::shared_ptr<const AllowedPaths> allowed);
  // Writes it, unless that has been done. Errors go to stderr.
  ~ExitTrace();
  ExitTrace(const ExitTrace&) = delete;
  // Writes it now and ends it. `waits`: see TraceSession.
  void finish(bool waits);

 private:
  static void write_all();

  const char* who_;
  std::string path_, command_;
  std::shared_ptr<const AllowedPaths> allowed_;
  std::unique_ptr<TraceSession> session_;  // null: written
  long process_;                           // a forked child does not write its parent's trace
};

}  // namespace lutra
