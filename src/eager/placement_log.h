// Reports which op ran where: a line per op on stderr, in order with the script's output, or an event per op for a
// handler.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/log.h"
#include "core/shape.h"

namespace lutra {

struct CopyEvent {
  std::string source;  // full device names
  std::string target;
  Shape shape;
  int64_t bytes;
};

struct PlacementEvent {
  std::string op;
  std::string device;
  std::string requested;  // the scopes' merged name, "" without a scope
  std::string reason;
  std::string line;  // "train.lua:7"
  std::vector<CopyEvent> copies;
};

struct PlacementLogOptions {
  bool on = false;
  bool reasons = false;  // append the reason
  bool copies = false;   // a line per copy, before the op's
  bool once = false;     // each distinct line once
};

class PlacementLog {
 public:
  explicit PlacementLog(Log& log) : log_(log) {}

  // Whether the log is on or has a handler: then the executor reports.
  bool listens() const { return options_.on || handler_; }
  // Whether ops must not take the executor's short ways, which tell nobody: the log listens, or launches are watched.
  bool is_watched() const { return is_watched_; }
  void watch_launches(bool on) {
    watches_launches_ = on;
    find_watched();
  }
  const PlacementLogOptions& options() const { return options_; }
  void set_options(const PlacementLogOptions& options);
  // With a handler, events are queued in `events` instead of printed; src/lua passes them on after the op.
  void set_handler(bool on) {
    handler_ = on;
    find_watched();
  }

  // Called after placement and input checks, before the op is submitted.
  void executes(PlacementEvent event);
  // A copy not made for an op: t:to(device).
  void moved(PlacementEvent event);

  std::vector<PlacementEvent> events;

 private:
  void find_watched() { is_watched_ = listens() || watches_launches_; }
  void print(const std::string& line);
  void print_copies(const PlacementEvent& event);

  Log& log_;
  PlacementLogOptions options_;
  bool handler_ = false;
  bool watches_launches_ = false;
  bool is_watched_ = false;
  std::unordered_set<std::string> printed_;
};

}  // namespace lutra
