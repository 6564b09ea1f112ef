#include "device/device_spec.h"

#include <algorithm>

#include "core/error.h"

namespace lutra {
namespace {

constexpr std::size_t kQuotedLength = 60;

// By the C locale's rules, whichever locale the host has set.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return upper(c); });
  return out;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

bool is_known_type(std::string_view word) { return same_word(word, "CPU") || same_word(word, "GPU"); }

// [A-Za-z][A-Za-z0-9_]*
bool is_identifier(std::string_view word) {
  return !word.empty() && is_letter(word[0]) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

class Parser {
 public:
  explicit Parser(std::string_view name) : name_(name) {}

  DeviceSpec parse() {
    if (name_.empty()) return {};
    std::size_t at = name_[0] == '/' ? 1 : 0;
    while (true) {
      std::size_t end = name_.find('/', at);
      read_part(name_.substr(at, end == std::string_view::npos ? end : end - at));
      if (end == std::string_view::npos) return std::move(spec_);
      at = end + 1;
    }
  }

 private:
  template <class... Why> [[noreturn]] void malformed(const Why&... why) const {
    fail(ErrorCode::InvalidArgument, "malformed device name ", quoted_name(name_), ": ", why...,
         "; write /GPU:0, /device:GPU:0 or /job:localhost/replica:0/task:0/device:GPU:0");
  }

  void read_part(std::string_view part) {
    part_ = part;
    if (part.empty()) malformed("it has a '/' too many");
    std::size_t colon = part.find(':');
    std::string_view key = part.substr(0, colon);
    bool has_value = colon != std::string_view::npos;
    std::string_view value = has_value ? part.substr(colon + 1) : std::string_view();
    if (key == "job") {
      once(&seen_job_, "job");
      if (value == "*") return;
      if (!is_identifier(value)) not_a("job name", value, "a letter, then letters, digits and _");
      spec_.job = value;
    } else if (key == "replica") {
      once(&seen_replica_, "replica");
      spec_.replica = number(value, "replica number");
    } else if (key == "task") {
      once(&seen_task_, "task");
      spec_.task = number(value, "task number");
    } else if (key == "device") {
      once(&seen_device_, "device");
      std::size_t second = value.find(':');
      std::string_view type = value.substr(0, second);
      if (type != "*") {
        if (!is_identifier(type)) not_a("device type", type, "a letter, then letters, digits and _");
        spec_.device_type = is_known_type(type) ? upper(type) : std::string(type);
      }
      if (second != std::string_view::npos) spec_.index = number(value.substr(second + 1), "device number");
    } else if (is_known_type(key)) {
      once(&seen_device_, "device");
      spec_.device_type = upper(key);
      if (has_value) spec_.index = number(value, "device number");
    } else if (key == "physical_device") {
      malformed(quoted_name(part_), " is a physical device, and ops run on logical ones");
    } else {
      NearestWord nearest(key);
      for (const char* known : {"job", "replica", "task", "device", "cpu", "gpu"}) nearest.offer(known);
      malformed(quoted_name(part_), " is none of job:NAME, replica:N, task:N, device:TYPE:N, cpu:N and gpu:N",
                key.starts_with("cuda") ? " (did you mean 'gpu'?)" : nearest.hint());
    }
  }

  void once(bool* seen, const char* what) const {
    if (*seen) malformed(quoted_name(part_), " is a second ", what, " part");
    *seen = true;
  }

  [[noreturn]] void not_a(const char* what, std::string_view value, const char* expected) const {
    if (value.empty()) malformed(quoted_name(part_), " has no ", what, ", expected ", expected);
    malformed(quoted_name(value), " in ", quoted_name(part_), " is no ", what, ", expected ", expected);
  }

  // -1 for *.
  int number(std::string_view digits, const char* what) const {
    if (digits == "*") return -1;
    if (digits.find(':') != std::string_view::npos) malformed(quoted_name(part_), " has a ':' too many");
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
      not_a(what, digits, "decimal digits from 0 on, or *");
    }
    int64_t value = 0;
    for (char digit : digits) {
      value = value * 10 + (digit - '0');
      if (value > INT32_MAX) malformed(quoted_name(part_), " has a ", what, " past ", INT32_MAX);
    }
    return static_cast<int>(value);
  }

  std::string_view name_;
  std::string_view part_;
  DeviceSpec spec_;
  bool seen_job_ = false, seen_replica_ = false, seen_task_ = false, seen_device_ = false;
};

}  // namespace

const char* name(DeviceType type) { return type == DeviceType::CPU ? "CPU" : "GPU"; }

std::string quoted_name(std::string_view name) {
  const char* hex = "0123456789ABCDEF";
  std::string out = "'";
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    bool prints = byte >= 0x20 && byte < 0x7f;
    if (out.size() + (prints ? 1 : 4) > kQuotedLength + 1) return out + "...'";
    if (prints) {
      out += c;
    } else {
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    }
  }
  return out + "'";
}

DeviceSpec DeviceSpec::parse(std::string_view name) { return Parser(name).parse(); }

DeviceSpec DeviceSpec::complete(DeviceType type, int index, std::string_view job, int task) {
  DeviceSpec spec;
  spec.job = job;
  spec.device_type = lutra::name(type);
  spec.replica = 0;
  spec.task = task;
  spec.index = index;
  return spec;
}

DeviceSpec DeviceSpec::inside(const DeviceSpec& outer) const {
  DeviceSpec merged = *this;
  if (job.empty()) merged.job = outer.job;
  if (replica < 0) merged.replica = outer.replica;
  if (task < 0) merged.task = outer.task;
  if (device_type.empty()) merged.device_type = outer.device_type;
  bool other_type = !device_type.empty() && !outer.device_type.empty() && !same_word(device_type, outer.device_type);
  if (index < 0 && !other_type) merged.index = outer.index;
  return merged;
}

bool DeviceSpec::matches(const DeviceSpec& device) const {
  return (job.empty() || job == device.job) && (replica < 0 || replica == device.replica) &&
         (task < 0 || task == device.task) && (device_type.empty() || same_word(device_type, device.device_type)) &&
         (index < 0 || index == device.index);
}

std::string DeviceSpec::to_string() const {
  std::string out;
  if (!job.empty()) out += text("/job:", job);
  if (replica >= 0) out += text("/replica:", replica);
  if (task >= 0) out += text("/task:", task);
  return out + local_name();
}

std::string DeviceSpec::local_name() const {
  if (device_type.empty() && index < 0) return "";
  return text("/device:", device_type.empty() ? "*" : upper(device_type), ":", index < 0 ? "*" : text(index));
}

}  // namespace lutra
