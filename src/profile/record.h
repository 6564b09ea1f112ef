// Records traces of what a Context runs. One Recorder observes a Context, however many sessions ask for traces at the
// same time; each gets the events since it began.
#pragma once

#include <cstdint>
#include <memory>

#include "eager/context.h"
#include "profile/trace.h"

namespace lutra {

struct TraceOptions {
  bool memory = true;  // allocations
  bool shapes = true;
  int64_t most_events = 1'000'000;  // of some 80 bytes each; when there are more, the oldest are dropped
};

class Recorder;

class TraceSession {
 public:
  explicit TraceSession(Context& context, const TraceOptions& options = {});
  // Ends it without a trace.
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;

  // The events since the session began. `waits`: first waits until the devices have done all queued work; otherwise
  // what they have not finished has no end. The session goes on.
  std::unique_ptr<Trace> take(bool waits);

 private:
  std::shared_ptr<Recorder> recorder_;
  const uint64_t first_;  // number of its first event
  const int64_t begin_ns_;
  const int64_t began_unix_ms_;
};

}  // namespace lutra
