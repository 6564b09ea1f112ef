#include "cli/options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/text.h"
#include "device/sim/sim_options.h"

namespace lutra {
namespace {

constexpr int kMostVirtualGpus = 256;
constexpr std::size_t kHelpColumn = 26;

constexpr const char* kDoctorHelp =
    "       lutra doctor [--json]    say why GPUs are used or not, and try every device\n";

constexpr const char* kLuaHelp =
    "  -e stat                 execute string 'stat'\n"
    "  -i                      enter interactive mode after executing 'script'\n"
    "  -l mod                  require library 'mod' into global 'mod'\n"
    "  -l g=mod                require library 'mod' into global 'g'\n"
    "  -m mod                  run library 'mod' as the script; the words after it are its 'arg'\n"
    "  -v                      show version information\n"
    "  -E                      ignore environment variables\n"
    "  -W                      turn warnings on\n"
    "  --                      stop handling options\n"
    "  -                       stop handling options and execute stdin\n";

// Whether a long option takes a value: Value is `--device NAME` or `--device=NAME`, MayHaveValue is `--log-placement`
// or
// `--log-placement=FILE`.
enum class Takes { Nothing, Value, MayHaveValue };

struct LongOption {
  const char* name;
  Takes takes;
  const char* value;  // its name in the help
  const char* help;
  void (*set)(Options& options, std::string_view value);  // value: "" where none is given
};

[[noreturn]] void wrong(const char* option, std::string_view value, std::string_view wanted) {
  throw UsageError(text("'", option, "' is '", value, "', expected ", wanted));
}

template <class Number> std::optional<Number> number(std::string_view word) {
  Number value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<double> megabytes(std::string_view word) {
  std::optional<double> mb = number<double>(word);
  if (!mb || !std::isfinite(*mb) || *mb <= 0) return std::nullopt;
  return mb;
}

void set_sim_gpus(Options& options, std::string_view value) {
  int count = 0;
  SimOptions each;
  if (!parse_sim_gpus(value, &count, &each)) {
    wrong("--sim-gpus", value, text("N or N:MB, N from 0 to ", kMostSimulatedGpus, ", MB above 0"));
  }
  options.interpreter.sim_gpus = count;
  options.interpreter.sim_gpu_mb = each.memory_limit_mb;
}

void set_log_placement(Options& options, std::string_view value) {
  options.interpreter.log_placement = true;
  options.log_file = value;
}

void set_memory_limit(Options& options, std::string_view value) {
  std::optional<double> mb = megabytes(value);
  if (!mb) wrong("--memory-limit", value, "a number of MB above 0");
  options.memory_limit_mb = *mb;
}

void set_virtual_gpus(Options& options, std::string_view value) {
  std::optional<int> count = number<int>(value);
  if (!count || *count < 1 || *count > kMostVirtualGpus) {
    wrong("--virtual-gpus", value, text("a number from 1 to ", kMostVirtualGpus));
  }
  options.virtual_gpus = *count;
}

void set_color(Options& options, std::string_view value) {
  if (value == "auto") options.color = Color::Auto;
  else if (value == "always") options.color = Color::Always;
  else if (value == "never") options.color = Color::Never;
  else wrong("--color", value, "auto, always or never");
}

const LongOption kLongOptions[] = {
    {"--sim-gpus", Takes::Value, "N[:MB]", "make N simulated GPUs, each of MB or 4096 MB", set_sim_gpus},
    {"--log-placement", Takes::MayHaveValue, "FILE", "log where each operation runs, on stderr or to FILE",
     set_log_placement},
    {"--device", Takes::Value, "NAME", "run inside the scope lutra.device(NAME)",
     [](Options& options, std::string_view value) { options.interpreter.device = value; }},
    {"--soft-placement", Takes::Nothing, "", "replace a device that does not exist by one that does",
     [](Options& options, std::string_view) { options.interpreter.soft_placement = true; }},
    {"--memory-growth", Takes::Nothing, "", "let each GPU's memory start small and grow",
     [](Options& options, std::string_view) { options.memory_growth = true; }},
    {"--memory-limit", Takes::Value, "MB", "limit the memory of each GPU", set_memory_limit},
    {"--virtual-gpus", Takes::Value, "N", "split each GPU into N, of --memory-limit each or equal shares",
     set_virtual_gpus},
    {"--strict", Takes::Nothing, "", "make the use of an undeclared global an error",
     [](Options& options, std::string_view) { options.strict = true; }},
    {"--no-init", Takes::Nothing, "", "do not run LUA_INIT, nor the prompt's init.lua",
     [](Options& options, std::string_view) { options.no_init = true; }},
    {"--color", Takes::Value, "WHEN", "colour errors: auto (on a terminal), always or never", set_color},
    {"--version", Takes::Nothing, "", "show version information and end",
     [](Options& options, std::string_view) { options.show_version = true; }},
    {"--help", Takes::Nothing, "", "show this help and end",
     [](Options& options, std::string_view) { options.show_help = true; }},
};

// Lua's rule for -e and -l, and ours for long options: the next word, unless it is an option.
const char* next_word(char** argv, int* i) {
  const char* word = argv[*i + 1];
  if (word == nullptr || word[0] == '-') throw UsageError(text("'", argv[*i], "' needs argument"));
  ++*i;
  return word;
}

[[noreturn]] void unrecognized(const char* word) {
  NearestWord nearest(word);
  if (word[1] == '-') {
    std::string_view name(word);
    nearest = NearestWord(name.substr(0, name.find('=')));
    for (const LongOption& option : kLongOptions) nearest.offer(option.name);
  }
  throw UsageError(text("unrecognized option '", word, "'", nearest.hint()));
}

// argv[*i] is "--" and a name. Increments *i if the option's value is the next word.
void read_long_option(Options& options, char** argv, int* i) {
  std::string_view word = argv[*i];
  std::size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals);
  for (const LongOption& option : kLongOptions) {
    if (name != option.name) continue;
    bool has_value = equals != std::string_view::npos;
    if (has_value && option.takes == Takes::Nothing) throw UsageError(text("'", name, "' takes no argument"));
    std::string_view value = has_value ? word.substr(equals + 1) : std::string_view();
    if (has_value && value.empty()) throw UsageError(text("'", name, "' needs argument"));
    if (!has_value && option.takes == Takes::Value) value = next_word(argv, i);
    option.set(options, value);
    return;
  }
  unrecognized(argv[*i]);
}

// argv[*i] is an option of lua, beginning with "-".
void read_short_option(Options& options, char** argv, int* i) {
  const char* word = argv[*i];
  const char* rest = word + 2;
  char letter = word[1];
  if (letter == 'e' || letter == 'l') {
    if (*rest == '\0') rest = next_word(argv, i);
    options.actions.push_back({letter == 'e' ? Action::Run : Action::Require, rest});
    if (letter == 'e') options.has_statement = true;
    return;
  }
  if (letter == 'm') {
    options.module = *rest == '\0' ? next_word(argv, i) : rest;
    return;
  }
  if (*rest != '\0') unrecognized(word);
  switch (letter) {
    case 'E': options.interpreter.ignore_environment = true; return;
    case 'W': options.actions.push_back({Action::WarningsOn, ""}); return;
    case 'i': options.interactive = true; [[fallthrough]];
    case 'v': options.show_banner = true; return;
    default: unrecognized(word);
  }
}

// `doctor`, in place of the script, and the words after it.
void read_doctor(Options& options, int argc, char** argv) {
  if (!options.actions.empty() || options.show_banner) {
    throw UsageError("'doctor' runs nothing else: -e, -l, -i, -v and -W have no meaning before it");
  }
  options.doctor = Doctor::Text;
  for (int i = options.script + 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--json") {
      throw UsageError(text("'doctor' takes '--json' and nothing else, not '", argv[i], "'"));
    }
    options.doctor = Doctor::Json;
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i < argc; ++i) {
    const char* word = argv[i];
    if (word[0] != '-' || word[1] == '\0') break;  // a script's name; "-" is stdin
    if (std::string_view(word) == "--") {
      ++i;
      break;
    }
    if (word[1] == '-') read_long_option(options, argv, &i);
    else read_short_option(options, argv, &i);
    if (!options.module.empty()) break;
  }
  options.script = i;
  // A script named doctor is run as ./doctor.
  bool may_be_verb = i < argc && options.module.empty() && std::string_view(argv[i - 1]) != "--";
  if (may_be_verb && std::string_view(argv[i]) == "doctor") read_doctor(options, argc, argv);
  return options;
}

std::string help_text() {
  std::string out = text(kUsage, kDoctorHelp, "Options of lua:\n", kLuaHelp, "Options of Lutra:\n");
  for (const LongOption& option : kLongOptions) {
    std::string head = text("  ", option.name);
    if (option.takes == Takes::Value) append(head, text(" ", option.value));
    if (option.takes == Takes::MayHaveValue) append(head, text("[=", option.value, "]"));
    head.resize(kHelpColumn, ' ');
    append(out, text(head, option.help, "\n"));
  }
  return out;
}

}  // namespace lutra
