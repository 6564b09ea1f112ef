#include "eager/placement_log.h"

#include "core/text.h"

namespace lutra {

void PlacementLog::set_options(const PlacementLogOptions& options) {
  options_ = options;
  find_watched();
  printed_.clear();
}

void PlacementLog::print(const std::string& line) {
  if (options_.once && !printed_.insert(line).second) return;
  log_.line(line);
}

void PlacementLog::print_copies(const PlacementEvent& event) {
  if (!options_.copies) return;
  for (const CopyEvent& copy : event.copies) {
    print(text("Copying tensor ", copy.shape, " of ", copy.bytes, " bytes from ", copy.source, " to ", copy.target));
  }
}

void PlacementLog::moved(PlacementEvent event) {
  if (handler_) events.push_back(std::move(event));
  else if (options_.on) print_copies(event);
}

void PlacementLog::executes(PlacementEvent event) {
  if (handler_) {
    events.push_back(std::move(event));
    return;
  }
  if (!options_.on) return;
  print_copies(event);
  std::string line = text("Executing op ", event.op, " in device ", event.device);
  if (options_.reasons) line += text(" (", event.reason, ")");
  print(line);
}

}  // namespace lutra
