// The doctor's findings as text and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/doctor.h"
#include "core/text.h"
#include "core/version.h"

namespace lutra {
namespace {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Ok: return "ok";
    case Verdict::Note: return "note";
    case Verdict::Failed: return "failed";
  }
  return "failed";
}

void put_column(std::string& out, std::string_view word, std::size_t width) {
  out += word;
  out.append(word.size() < width ? width - word.size() : 1, ' ');
}

}  // namespace

bool all_well(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::Failed; });
}

std::string doctor_text(const std::vector<Finding>& findings) {
  constexpr std::size_t kVerdictWidth = 8, kCheckWidth = 17;
  std::string out = "Lutra " LUTRA_VERSION "\n";
  for (const Finding& finding : findings) {
    put_column(out, name_of(finding.verdict), kVerdictWidth);
    put_column(out, finding.device.empty() ? finding.check : text(finding.check, " ", finding.device), kCheckWidth);
    append(out, text(finding.text, "\n"));
    if (!finding.advice.empty()) {
      out.append(kVerdictWidth + kCheckWidth, ' ');
      append(out, text("-> ", finding.advice, "\n"));
    }
  }
  auto failed = std::count_if(findings.begin(), findings.end(),
                              [](const Finding& finding) { return finding.verdict == Verdict::Failed; });
  if (failed == 0) append(out, "All that is here works.\n");
  else append(out, text(failed, failed == 1 ? " finding" : " findings", " failed.\n"));
  return out;
}

std::string doctor_json(const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json entry = {{"check", finding.check}, {"status", name_of(finding.verdict)}};
    if (!finding.device.empty()) entry["device"] = finding.device;
    entry["text"] = finding.text;
    if (!finding.advice.empty()) entry["advice"] = finding.advice;
    for (const auto& [name, value] : finding.details) entry["details"][name] = value;
    if (!finding.searched.empty()) entry["searched"] = finding.searched;
    list.push_back(std::move(entry));
  }
  Json all = {{"lutra", LUTRA_VERSION}, {"ok", all_well(findings)}, {"findings", std::move(list)}};
  // File names may not be valid UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra
