// Device names: whatever is written, parse gives a spec whose canonical text means the same, or InvalidArgument.
#include "device/device_spec.h"

#include "core/error.h"
#include "fuzz/driver.h"

using namespace lutra;
using lutra::fuzz::Choices;

namespace {

constexpr const char* kPieces[] = {
    "/",  "job:", "replica:", "task:", "device:", "GPU",        "cpu", "gpu:",       "CPU:0", "*",
    ":",  "0",    "1",        "17",    "a",       "localhost",  "A_9", "2147483647", "TPU",   "xla_gpu",
    "-1", " ",    "\0",       "\xff",  "%s",      "2147483648", "//",  "device:*",   "é",     "GPU:1"};

std::string random_name(Choices& choices) {
  std::string name;
  std::size_t pieces = choices.below(10);
  for (std::size_t i = 0; i < pieces; ++i) {
    if (choices.one_in(20)) name += static_cast<char>(choices.byte());
    else if (choices.one_in(200)) name += std::string(choices.below(3000), 'x');
    else name += choices.pick(kPieces);
    if (choices.one_in(2)) name += "/";
  }
  return name;
}

// Whether the name is well formed.
bool try_parse(const std::string& name, DeviceSpec* spec) {
  fuzz::current() = name;
  try {
    *spec = DeviceSpec::parse(name);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidArgument) fuzz::give_up("another code: " + error.message());
    if (error.message().empty() || error.message().size() > 1000) fuzz::give_up("no sentence: " + error.message());
    return false;
  }
}

void check(bool ok, const char* what, const std::string& name) {
  if (!ok) fuzz::give_up(std::string(what) + ": " + name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  while (!choices.is_empty()) {
    std::string name = random_name(choices);
    DeviceSpec spec, again, outer;
    if (!try_parse(name, &spec)) continue;
    check(try_parse(spec.to_string(), &again), "its text is no name", spec.to_string());
    check(again.to_string() == spec.to_string(), "its text means something else", again.to_string());
    check(spec.inside(DeviceSpec{}) == spec, "an empty outer scope changed it", name);
    check(DeviceSpec{}.inside(spec) == spec, "an empty inner scope changed it", name);
    check(spec.inside(spec) == spec, "the same scope twice changed it", name);
    if (try_parse(random_name(choices), &outer)) {
      DeviceSpec merged = spec.inside(outer);
      check(merged.inside(outer) == merged, "merging twice changed it", merged.to_string());
      check(spec.job.empty() || merged.job == spec.job, "the inner job is lost", merged.to_string());
      check(spec.index < 0 || merged.index == spec.index, "the inner index is lost", merged.to_string());
    }
    for (DeviceType type : {DeviceType::CPU, DeviceType::GPU}) {
      DeviceSpec device = DeviceSpec::complete(type, static_cast<int>(choices.below(3)));
      if (spec.matches(device)) check(spec.inside(device) == device, "it matches and is another device", name);
    }
  }
  return 0;
}
