#include "eager/copy_totals.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/text.h"
#include "eager/logical_device.h"

namespace lutra {
namespace {

// Found without memory of its own.
class Key {
 public:
  Key(const ScriptPosition& line, const LogicalDevice& from, const LogicalDevice& to, CopyReason reason) {
    put(&line.line, sizeof line.line);
    put(&from.id, sizeof from.id);
    put(&to.id, sizeof to.id);
    put(&reason, sizeof reason);
    put(line.file, std::strlen(line.file));
  }
  std::string_view text() const { return {bytes_, size_}; }

 private:
  void put(const void* from, std::size_t bytes) {
    std::memcpy(bytes_ + size_, from, bytes);
    size_ += bytes;
  }

  char bytes_[sizeof(ScriptPosition) + 16];
  std::size_t size_ = 0;
};

}  // namespace

const char* text_of(CopyReason reason) {
  switch (reason) {
    case CopyReason::Input: return "input";
    case CopyReason::Read: return "read";
    case CopyReason::Constant: return "constant";
    case CopyReason::Moved: return "moved";
  }
  return "";
}

void CopyTotals::add(const ScriptPosition& line, const LogicalDevice& from, const LogicalDevice& to, CopyReason reason,
                     int64_t bytes) {
  const ScriptPosition other{{}, 0};
  auto found = totals_.find(Key(line, from, to, reason).text());
  if (found == totals_.end()) {
    const ScriptPosition& kept = totals_.size() < kMostTotals ? line : other;
    found = totals_.try_emplace(std::string(Key(kept, from, to, reason).text())).first;
    CopyTotal& total = found->second;
    if (kept.file[0] != '\0') total.line = text(kept.file, ":", kept.line);
    total.source = from.full_name;
    total.target = to.full_name;
    total.reason = reason;
  }
  ++found->second.count;
  found->second.bytes += bytes;
}

std::vector<CopyTotal> CopyTotals::list() const {
  std::vector<CopyTotal> list;
  for (const auto& [key, total] : totals_) list.push_back(total);
  std::ranges::sort(list, [](const CopyTotal& a, const CopyTotal& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return std::tie(a.line, a.source, a.target, a.reason) < std::tie(b.line, b.source, b.target, b.reason);
  });
  return list;
}

}  // namespace lutra
