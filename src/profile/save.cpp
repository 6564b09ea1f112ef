#include "profile/save.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/sink.h"
#include "profile/page.h"
#include "profile/trace_json.h"

namespace lutra {
namespace {

// Those that are not written yet.
std::vector<ExitTrace*>& unwritten() {
  static std::vector<ExitTrace*> list;
  return list;
}

}  // namespace

TraceFormat trace_format(const char* who, const std::string& path) {
  if (path.ends_with(".json")) return TraceFormat::Json;
  if (path.ends_with(".html")) return TraceFormat::Html;
  fail(ErrorCode::InvalidArgument, who, ": the file is ", quoted_name(path),
       ", expected a name that ends in .json (for ui.perfetto.dev) or .html (a page)");
}

void save_trace(const char* who, const Trace& trace, const std::string& path, const AllowedPaths* allowed) {
  const TraceFormat format = trace_format(who, path);
  AtomicFile file(who, path, allowed);
  if (format == TraceFormat::Json) write_trace_json(trace, file);
  else write_trace_page(trace, file);
  file.commit();
}

ExitTrace::ExitTrace(const char* who, Context& context, std::string path, std::string command,
                     std::shared_ptr<const AllowedPaths> allowed)
    : who_(who),
      path_(std::move(path)),
      command_(std::move(command)),
      allowed_(std::move(allowed)),
      process_(getpid()) {
  trace_format(who, path_);
  { AtomicFile probe(who, path_, allowed_.get()); }  // better an error now than after hours
  session_ = std::make_unique<TraceSession>(context);
  unwritten().push_back(this);  // the list exists before write_all is registered, and so until it has run
  // A script may call exit(), which runs no destructors.
  static const int is_registered = std::atexit(write_all);
  static_cast<void>(is_registered);
}

ExitTrace::~ExitTrace() {
  try {
    finish(false);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void ExitTrace::finish(bool waits) {
  std::erase(unwritten(), this);
  std::unique_ptr<TraceSession> session = std::move(session_);
  if (session == nullptr || process_ != getpid()) return;
  std::unique_ptr<Trace> trace = session->take(waits);
  trace->command = command_;
  save_trace(who_, *trace, path_, allowed_.get());
}

void ExitTrace::write_all() {
  while (!unwritten().empty()) {
    ExitTrace& last = *unwritten().back();
    try {
      last.finish(false);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
}

}  // namespace lutra
