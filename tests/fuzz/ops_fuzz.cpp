// Random Lua programs that call every function and method with random arguments, right and wrong, inside scopes,
// tidies, coroutines and finalizers. Whatever they do, the interpreter reports an error of the user's, never crashes,
// and is usable afterwards.
#include "fuzz/driver.h"
#include "lua/border/interpreter.h"
#include "memory/storage.h"

using namespace lutra;
using lutra::fuzz::Choices;

namespace {

// Names by which a program can call: "lt.matmul", "lt.config.get_memory_info", ...
std::vector<std::string> find_functions() {
  InterpreterOptions options;
  options.ignore_environment = true;
  Interpreter interpreter(options);
  std::vector<std::string> names;
  interpreter.set_print(
      [](void* user, const char* text, std::size_t size) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(text, size > 0 ? size - 1 : 0);
      },
      &names);
  auto problem = interpreter.run_string(R"(
    local function walk(prefix, module)
      local keys = {}
      for key in pairs(module) do keys[#keys + 1] = key end
      table.sort(keys)
      for _, key in ipairs(keys) do
        if type(module[key]) == "function" then print(prefix .. key)
        elseif type(module[key]) == "table" then walk(prefix .. key .. ".", module[key]) end
      end
    end
    walk("lt.", lt)
  )",
                                        "=functions");
  if (problem) fuzz::give_up(*problem);
  return names;
}

constexpr const char* kScalars[] = {"nil",
                                    "true",
                                    "false",
                                    "0",
                                    "1",
                                    "2",
                                    "3",
                                    "-1",
                                    "-2",
                                    "1.5",
                                    "-0.0",
                                    "1e300",
                                    "0/0",
                                    "1/0",
                                    "2^63",
                                    "math.maxinteger",
                                    "math.mininteger",
                                    "4294967296",
                                    "\"x\"",
                                    "\"\"",
                                    "\"GPU:0\"",
                                    "\"/CPU:0\"",
                                    "\"/gpu:*\"",
                                    "\"/GPU:9\"",
                                    "\"float32\"",
                                    "\"int32\"",
                                    "\"int64\"",
                                    "\"bool\"",
                                    "\"float16\"",
                                    "\"uint8\"",
                                    "\"same\"",
                                    "io.stdout",
                                    "print",
                                    "lt",
                                    "coroutine.running()",
                                    "wide",
                                    "cyclic",
                                    "long"};
constexpr const char* kOptions[] = {"axis",    "keepdims", "dtype",  "transpose_a", "transpose_b", "seed",
                                    "mean",    "stddev",   "minval", "maxval",      "x",           "memory_limit",
                                    "reasons", "copies",   "once",   "fail_at",     "precision",   "stride",
                                    "padding", "dilation", "groups", "epsilon"};
constexpr const char* kBinary[] = {"+",  "-", "*",  "/", "//", "%", "^",  "..",
                                   "==", "<", "<=", "&", "|",  "~", "<<", ">>"};
constexpr const char* kDevices[] = {"/GPU:0", "/GPU:1", "/CPU:0", "", "/gpu:*", "/GPU:7", "/device:*:1", "bad name"};
constexpr const char* kMethods[] = {"item",    "totable",     "bytes",  "to",      "release", "reshape",
                                    "sum",     "cast",        "gather", "add",     "matmul",  "transpose",
                                    "squeeze", "expand_dims", "argmax", "softmax", "unique",  "eq"};

class Program {
 public:
  Program(Choices& choices, const std::vector<std::string>& functions) : choices_(choices), functions_(functions) {}

  std::string write() {
    std::string out = R"(
local lt = require "lutra"
lt.config.set_memory_limit("CPU:0", 96)
local t = {lt.ones {2, 3}, lt.constant {1, 2, 3}, lt.constant {true, false}, lt.zeros {30, 4}, lt.constant(2), lt.constant {}, lt.ones {40}}
local heard = 0  -- a handler whose ops have events is heard again and again
local wide, cyclic, long = {}, {}, ("y"):rep(300)
for i = 1, 200 do wide[i] = i end
cyclic[1] = cyclic
local function try(f, ...)
  local ok, result = pcall(f, ...)
  if not ok and lt.iserror(result) and result.code == "Internal" and not result.message:find("the command failed on the device", 1, true) then
    print("INTERNAL", result.message)
  end
  return ok and result or nil
end
)";
    while (!choices_.is_empty()) out += statement(3);
    return out;
  }

 private:
  std::string slot() { return "t[" + std::to_string(1 + choices_.below(12)) + "]"; }

  std::string table(int depth) {
    std::string out = "{";
    std::size_t entries = choices_.below(5);
    for (std::size_t i = 0; i < entries; ++i) {
      if (choices_.one_in(12)) out += std::string(choices_.pick(kOptions)) + " = ";
      out += depth > 0 && choices_.one_in(3) ? table(depth - 1) : value(0);
      out += ", ";
    }
    return out + "}";
  }

  std::string value(int depth) {
    switch (choices_.below(depth > 0 ? 8 : 4)) {
      case 0:
      case 1: return slot();
      case 2: return std::to_string(static_cast<int>(choices_.below(12)) - 3);
      case 3: return choices_.pick(kScalars);
      case 4:
      case 5: return table(2);
      case 6: return std::string("{") + choices_.pick(kOptions) + " = " + value(0) + "}";
      default: return call(depth - 1);
    }
  }

  std::string arguments(int depth, std::size_t most) {
    std::string out;
    std::size_t count = choices_.below(most + 1);
    for (std::size_t i = 0; i < count; ++i) out += ", " + value(depth);
    return out;
  }

  // An expression that calls something and gives its result, or nil when it failed.
  std::string call(int depth) {
    switch (choices_.below(8)) {
      case 0:
        return std::string("try(function(a, b) return a ") + choices_.pick(kBinary) + " b end, " + value(depth) + ", " +
               value(depth) + ")";
      case 1:
        return "try(function(a, k) return a[k] end, " + slot() + ", " + (choices_.one_in(2) ? value(depth) : table(2)) +
               ")";
      case 2:
        return std::string("try(function(a, ...) return a:") + choices_.pick(kMethods) + "(...) end, " + slot() +
               arguments(depth, 3) + ")";
      case 3: return "try(function(a) return tostring(a) .. #a end, " + slot() + ")";
      default: return "try(" + choices_.pick(functions_) + arguments(depth, 4) + ")";
    }
  }

  std::string statement(int depth) {
    std::string body = slot() + " = " + call(2) + "\n";
    switch (depth == 0 ? 99 : choices_.below(24)) {
      case 0:
        return std::string("try(lt.device, \"") + choices_.pick(kDevices) + "\", function()\n" + statement(depth - 1) +
               statement(depth - 1) + "end)\n";
      case 1:
        return std::string("try(function() local _ <close> = lt.device(\"") + choices_.pick(kDevices) + "\")\n" +
               statement(depth - 1) + statement(depth - 1) + "end)\n";
      case 2:
        return "try(lt.tidy, function()\n" + statement(depth - 1) + statement(depth - 1) + "return " + slot() + ", {" +
               slot() + "} end)\n";
      case 3:
        return "try(coroutine.wrap(function()\n" + statement(depth - 1) + "coroutine.yield()\n" + statement(depth - 1) +
               "end))\n";
      case 4: return "setmetatable({}, {__gc = function()\n" + statement(depth - 1) + "end})\n";
      case 5:
        return "try(lt.debugging.set_log_handler, function(event)\nheard = heard + 1 if heard > 20 then return end\n" +
               statement(0) + "end)\n";
      case 6: return "collectgarbage(\"" + std::string(choices_.one_in(2) ? "collect" : "step") + "\")\n";
      case 7:
        return "try(function() for i, row in pairs(" + slot() + ") do " + slot() +
               " = row if i > 5 then break end end end)\n";
      case 8: return "try(function() local a <close> = " + slot() + "\n" + statement(depth - 1) + "end)\n";
      default: return body;
    }
  }

  Choices& choices_;
  const std::vector<std::string>& functions_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> functions = find_functions();
  Choices choices(data, size);
  InterpreterOptions options;
  options.sim_gpus = static_cast<int>(choices.below(3));
  options.sim_gpu_mb = 32;
  options.ignore_environment = true;
  std::string program = Program(choices, functions).write();
  fuzz::current() = program;
  int64_t before = live_storages();
  {
    Interpreter interpreter(options);
    interpreter.set_log([](void*, std::string_view) {}, nullptr);
    interpreter.set_print(
        [](void*, const char* text, std::size_t length) {
          if (std::string_view(text, length).starts_with("INTERNAL\t")) fuzz::give_up(std::string(text, length));
        },
        nullptr);
    if (auto problem = interpreter.run_string(program, "=program")) fuzz::give_up(*problem);
    // Usable afterwards, whatever was switched on.
    auto problem = interpreter.run_string(R"(
      local lt = require "lutra"
      lt.debugging.set_log_handler(nil)
      for i = 1, 5 do collectgarbage() end
      local t = lt.device(false, lt.device, "/CPU:0", lt.ones, {30})
      lt.device("/CPU:0", function() assert((t + 1):totable()[30] == 2) end)
    )",
                                          "=afterwards");
    if (problem) fuzz::give_up(*problem);
  }
  if (live_storages() != before) fuzz::give_up("storages left: " + std::to_string(live_storages() - before));
  return 0;
}
