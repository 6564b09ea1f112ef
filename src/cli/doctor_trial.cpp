// Runs a few ops on one device through the interpreter, as a script would.
#include <string_view>

#include "cli/doctor.h"
#include "core/text.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

// Prints per op: its name, where it ran, whether its result is right, and why it ran there. Numbers are small integers,
// so that they are exact in every precision and sums do not depend on their order. The CPU is compared with plain Lua,
// a GPU with the CPU.
constexpr std::string_view kDeviceTrial = R"lua(
local device = "/" .. doctor_device
local rows, depth, columns = 96, 64, 48
local function numbers(count, step) return lt.range(count) * step % 17 - 8 end
local a, b = lt.device("/CPU:0", function()
  return lt.cast(numbers(rows * depth, 5), "float32"):reshape { rows, depth },
    lt.cast(numbers(depth * columns, 7), "float32"):reshape { depth, columns }
end)

local function plain_product()
  local x, y, out = a:totable(), b:totable(), {}
  for i = 1, rows do
    out[i] = {}
    for j = 1, columns do
      local sum = 0
      for k = 1, depth do sum = sum + x[i][k] * y[k][j] end
      out[i][j] = sum
    end
  end
  return lt.constant(out, { dtype = "float32" })
end

local function try(name, op, wanted)
  local got = lt.device(device, op)
  local told = lt.debugging.explain(got)
  local is_right = lt.device("/CPU:0", function() return (got:to("/CPU:0") - wanted):abs():max():item() == 0 end)
  print(name, got.device:match("[CG]PU:%d+"), is_right, told.reason)
end

local function on_cpu(op) return lt.device("/CPU:0", op) end
local product = function() return lt.matmul(a, b) end
try("matmul", product, on_cpu(device == "/CPU:0" and plain_product or product))
local sum = function() return (a + a):sum(1) end
try("sum", sum, on_cpu(sum))
if device ~= "/CPU:0" then
  local images = lt.device("/CPU:0", function() return lt.cast(numbers(2 * 9 * 9 * 4, 3), "float32"):reshape { 2, 9, 9, 4 } end)
  local windows = lt.device("/CPU:0", function() return lt.cast(numbers(3 * 3 * 4 * 8, 5), "float32"):reshape { 3, 3, 4, 8 } end)
  local convolution = function() return lt.conv2d(images, windows, { padding = "same" }) end
  try("conv2d", convolution, on_cpu(convolution))
end
)lua";

struct Result {
  std::string op, device, reason;
  bool is_right = false;
};

std::vector<Result> results_in(const std::string& printed) {
  std::vector<Result> results;
  for (std::size_t at = 0; at < printed.size();) {
    std::size_t end = std::min(printed.find('\n', at), printed.size());
    std::string line = printed.substr(at, end - at);
    at = end + 1;
    std::string words[4];
    for (std::size_t i = 0, from = 0; i < 4 && from <= line.size(); ++i) {
      std::size_t tab = std::min(line.find('\t', from), line.size());
      words[i] = line.substr(from, tab - from);
      from = tab + 1;
    }
    results.push_back({words[0], words[1], words[3], words[2] == "true"});
  }
  return results;
}

void say_nothing(void*, std::string_view) {}

// Without the options that add output or change where ops run.
InterpreterOptions quiet(const Options& options) {
  InterpreterOptions quiet = options.interpreter;
  quiet.log_placement = false;
  quiet.device = "";
  return quiet;
}

std::vector<Device*> gpus_of(Interpreter& interpreter) {
  interpreter.set_log(say_nothing, nullptr);
  return State::find(interpreter.lua())->runtime().registry().list_physical(DeviceType::GPU);
}

// Makes only this device visible, so that a device that fails does not affect the others' trials.
void use_only(Interpreter& interpreter, int number) {
  DeviceRegistry& registry = State::find(interpreter.lua())->runtime().registry();
  std::vector<Device*> gpus = gpus_of(interpreter), only;
  if (number >= 0) only.push_back(gpus.at(static_cast<std::size_t>(number)));
  registry.set_visible(only, DeviceType::GPU);
  if (number >= 0) {
    if (std::string why = only[0]->open(); !why.empty()) fail(ErrorCode::FailedPrecondition, why);
  }
  if (number >= 0) registry.set_logical_configuration(*only[0], {LogicalDeviceConfig{64.0}});
}

std::string printed_by_trial(const Options& options, int number) {
  Interpreter interpreter(quiet(options));
  std::string printed;
  interpreter.set_print(
      [](void* user, const char* text, std::size_t size) { static_cast<std::string*>(user)->append(text, size); },
      &printed);
  use_only(interpreter, number);
  std::string chunk = text("local doctor_device = '", number < 0 ? "CPU:0" : "GPU:0", "'\n", kDeviceTrial);
  if (auto failed = interpreter.run_string(chunk, "=doctor")) {
    // Removes the chunk's position, "doctor:7: ", and the traceback.
    std::string why = failed->substr(0, failed->find('\n'));
    std::size_t words = why.starts_with("doctor:") ? why.find(' ') : std::string::npos;
    fail(ErrorCode::Internal, words == std::string::npos ? why : why.substr(words + 1));
  }
  return printed;
}

}  // namespace

std::vector<std::string> names_of_gpus(const Options& options) {
  Interpreter interpreter(quiet(options));
  std::vector<std::string> names;
  for (Device* gpu : gpus_of(interpreter)) {
    auto details = gpu->details();
    names.push_back(details.empty() ? gpu->name() : details[0].second);
  }
  return names;
}

Finding try_device(const Options& options, int number) {
  Finding finding{.check = "trial", .device = number < 0 ? std::string("CPU:0") : text("GPU:", number)};
  std::vector<Result> results;
  try {
    results = results_in(printed_by_trial(options, number));
  } catch (const std::exception& error) {
    finding.verdict = Verdict::Failed;
    finding.text = error.what();
    finding.advice = "see the findings above; dmesg may say more of a card in lines with NVRM or Xid";
    return finding;
  }
  const char* own = number < 0 ? "CPU" : "GPU";
  for (const Result& result : results) {
    bool is_here = result.device.starts_with(own);
    append(finding.text, text(finding.text.empty() ? "" : "; ", result.op,
                              result.is_right ? " gives the right result" : " gives a wrong result"));
    if (!is_here) append(finding.text, text(", but ran on the CPU: ", result.reason));
    if (!result.is_right) finding.verdict = Verdict::Failed;
    finding.details.push_back({result.op, result.is_right ? result.device : "wrong"});
  }
  if (results.empty()) {
    finding.verdict = Verdict::Failed;
    finding.text = "the trial printed nothing";
  }
  if (finding.verdict == Verdict::Failed) finding.advice = "do not trust this device's results; please report this";
  return finding;
}

}  // namespace lutra
