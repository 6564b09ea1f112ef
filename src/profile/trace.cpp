#include "profile/trace.h"

#include <algorithm>

namespace lutra {

const char* text_of(Lane lane) {
  switch (lane) {
    case Lane::Host: return "host";
    case Lane::Compute: return "compute";
    case Lane::Copy: return "copy";
  }
  return "";
}

uint32_t Strings::add(std::string_view text) {
  auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  if (texts_.size() >= kMost) return kOther;
  texts_.emplace_back(text);
  const uint32_t number = static_cast<uint32_t>(texts_.size() - 1);
  numbers_.emplace(texts_.back(), number);
  return number;
}

const TracedDevice* Trace::device(uint16_t id) const {
  auto found = std::ranges::find_if(devices, [id](const TracedDevice& each) { return each.id == id; });
  return found != devices.end() ? &*found : nullptr;
}

std::string Trace::device_name(uint16_t id) const {
  const TracedDevice* found = device(id);
  if (found == nullptr) return "?";
  return found->name.substr(found->name.rfind("device:") + 7);
}

std::string Trace::reason(const TraceEvent& event) const {
  if (event.kind != EventKind::Op && event.kind != EventKind::Kernel) return "";
  return reason_text(event.reason, strings[event.name].c_str(), strings[event.requested]);
}

}  // namespace lutra
