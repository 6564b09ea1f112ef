#include "cli/list_ops.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

struct Line {
  std::string name, logged, cpu, gpu;
};

// "floats", "float32,float64", "numbers,complex", "-"
std::string short_text(DTypes types) {
  if (types.empty()) return "-";
  std::string out;
  auto add = [&out](std::string_view word) { append(out, text(out.empty() ? "" : ",", word)); };
  // A whole kind is one word, or the widest of these.
  const std::pair<DTypes, const char*> sets[] = {
      {kAnyDType, "all"}, {kNumbers, "numbers"}, {kInts, "ints"}, {kFloats, "floats"}, {kComplex, "complex"}};
  DTypes said;
  for (const auto& [set, name] : sets) {
    if ((types & set) != set || !(said & set).empty()) continue;
    if ((set == kAnyDType || set == kNumbers) && (types & kAnyDType) != set) continue;
    add(name);
    said = said | set;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    DType type = static_cast<DType>(i);
    if (types.has(type) && !said.has(type)) add(name(type));
  }
  return out;
}

}  // namespace

std::string ops_text() {
  OpRegistry ops;
  KernelRegistry kernels(ops);
  register_all_cpu_kernels(kernels);
  std::vector<Line> lines;
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    if (op.lua_name == nullptr || op.has(kHidden)) continue;
    lines.push_back({op.lua_name, op.logged(), short_text(kernels.dtypes(DeviceType::CPU, op)), short_text(op.gpu)});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.name < b.name; });
  lines.insert(lines.begin(), {"name", "in the log", "CPU", "GPU"});
  std::size_t widths[3] = {};
  for (const Line& line : lines) {
    widths[0] = std::max(widths[0], line.name.size());
    widths[1] = std::max(widths[1], line.logged.size());
    widths[2] = std::max(widths[2], line.cpu.size());
  }
  std::string out;
  for (Line& line : lines) {
    line.name.resize(widths[0] + 2, ' ');
    line.logged.resize(widths[1] + 2, ' ');
    line.cpu.resize(widths[2] + 2, ' ');
    append(out, text(line.name, line.logged, line.cpu, line.gpu, "\n"));
  }
  return out;
}

}  // namespace lutra
