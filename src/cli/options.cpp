#include "cli/options.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/option_table.h"
#include "core/text.h"
#include "device/sim/sim_options.h"

namespace lutra {
namespace {

constexpr int kMostVirtualGpus = 256;
constexpr std::size_t kHelpColumn = 26;

constexpr int kSandboxFiles = 64;

constexpr const char* kShells = "bash zsh fish";

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

// memory=64,tensors=256,seconds=10,instructions=1e9,read=data,write=out
void set_sandbox(Options& options, std::string_view value) {
  InterpreterOptions& made = options.interpreter;
  options.sandbox = made.is_sandbox = true;
  made.limits.open_files = kSandboxFiles;
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    const std::string_view entry = value.substr(0, comma);
    value = comma == std::string_view::npos ? "" : value.substr(comma + 1);
    const std::size_t equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals);
    const std::string_view given = equals == std::string_view::npos ? "" : entry.substr(equals + 1);
    auto positive = [&](double most) {
      std::optional<double> read = number<double>(given);
      if (!read || !std::isfinite(*read) || *read <= 0 || *read > most)
        wrong("--sandbox", entry, text(name, "=, and a number above 0"));
      return *read;
    };
    auto whole = [&] {
      const double read = positive(9e15);
      if (read != std::floor(read)) wrong("--sandbox", entry, text(name, "=, and a whole number above 0"));
      return static_cast<int64_t>(read);
    };
    if (name == "memory") made.limits.lua_memory_mb = positive(1e12);
    else if (name == "tensors") made.limits.tensor_memory_mb = positive(1e12);
    else if (name == "seconds") made.limits.seconds = positive(1e9);
    else if (name == "instructions") made.limits.instructions = whole();
    else if (name == "count") made.limits.tensors = whole();
    else if (name == "files") made.limits.open_files = static_cast<int>(std::min<int64_t>(whole(), 1 << 20));
    else if ((name == "read" || name == "write") && !given.empty())
      made.allowed_paths.push_back(name == "read" ? text("read:", given) : std::string(given));
    else
      wrong("--sandbox", entry,
            "memory=MB, tensors=MB, seconds=S, instructions=N, count=N, files=N, read=DIR or write=DIR");
  }
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

void set_switch(bool* set, std::string_view value, const char* variable) {
  if (value.empty() || value == "1" || value == "true" || value == "on" || value == "yes") *set = true;
  else if (value == "0" || value == "false" || value == "off" || value == "no") *set = false;
  else wrong(variable, value, "1 or 0 (or true, on, yes, false, off, no)");
}

void set_completion(Options& options, std::string_view value) {
  if (value != "bash" && value != "zsh" && value != "fish") wrong("--completion", value, "bash, zsh or fish");
  options.completion = value;
}

void read_doctor(Options& options, int argc, char** argv);
void read_attach(Options& options, int argc, char** argv);
void read_kernel(Options& options, int argc, char** argv);
void read_plan(Options& options, int argc, char** argv);
void read_plan_hosts(Options& options, int argc, char** argv);
void read_launch(Options& options, int argc, char** argv);
void read_serve(Options& options, int argc, char** argv);

const ShortOption kShortOptions[] = {
    {"-e", "stat", "execute string 'stat'"},
    {"-i", "", "enter interactive mode after executing 'script'"},
    {"-l", "mod", "require library 'mod' into global 'mod'; g=mod: into global 'g'"},
    {"-m", "mod", "run library 'mod' as the script; the words after it are its 'arg'"},
    {"-v", "", "show version information"},
    {"-E", "", "ignore environment variables"},
    {"-W", "", "turn warnings on"},
    {"--", "", "stop handling options"},
    {"-", "", "stop handling options and execute stdin"},
};

const LongOption kLongOptions[] = {
    {"--sim-gpus", Takes::Value, "N[:MB]", "make N simulated GPUs, each of MB or 4096 MB", set_sim_gpus},
    {"--log-placement", Takes::MayHaveValue, "FILE", "log where each operation runs, on stderr or to FILE",
     set_log_placement, "<file>"},
    {"--trace", Takes::Value, "FILE", "write what ran when, and why, to FILE.json or FILE.html at the end",
     [](Options& options, std::string_view value) { options.trace = value; }, "<file>"},
    {"--device", Takes::Value, "NAME", "run inside the scope lutra.device(NAME)",
     [](Options& options, std::string_view value) { options.interpreter.device = value; }, "CPU:0 GPU:0 GPU:1",
     "LUTRA_DEVICE"},
    {"--soft-placement", Takes::Nothing, "", "replace a device that does not exist by one that does",
     [](Options& options, std::string_view value) {
       set_switch(&options.interpreter.soft_placement, value, "--soft-placement");
     },
     "", "LUTRA_SOFT_PLACEMENT"},
    {"--no-soft-placement", Takes::Nothing, "", "do not, whatever LUTRA_SOFT_PLACEMENT says",
     [](Options& options, std::string_view) { options.interpreter.soft_placement = false; }},
    {"--memory-growth", Takes::Nothing, "", "let each GPU's memory start small and grow",
     [](Options& options, std::string_view) { options.memory_growth = true; }},
    {"--memory-limit", Takes::Value, "MB", "limit the memory of each GPU", set_memory_limit, "", "LUTRA_MEMORY_LIMIT"},
    {"--virtual-gpus", Takes::Value, "N", "split each GPU into N, of --memory-limit each or equal shares",
     set_virtual_gpus},
    {"--strict", Takes::Nothing, "", "make the use of an undeclared global an error",
     [](Options& options, std::string_view) { options.strict = true; }},
    {"--sandbox", Takes::MayHaveValue, "LIMITS",
     "do not trust the script: memory=MB,tensors=MB,seconds=S,instructions=N,read=DIR,write=DIR", set_sandbox,
     "memory= tensors= seconds= instructions= count= files= read= write="},
    {"--no-init", Takes::Nothing, "", "do not run LUA_INIT, nor the prompt's init.lua",
     [](Options& options, std::string_view) { options.no_init = true; }},
    {"--color", Takes::Value, "WHEN", "colour errors: auto (on a terminal), always or never", set_color,
     "auto always never"},
    {"--ops", Takes::Nothing, "", "list the operations with devices and dtypes, and end",
     [](Options& options, std::string_view) { options.show_ops = true; }},
    {"--completion", Takes::Value, "SHELL", "print the completion file for bash, zsh or fish, and end", set_completion,
     kShells},
    {"--version", Takes::Nothing, "", "show version information and end",
     [](Options& options, std::string_view) { options.show_version = true; }},
    {"--help", Takes::Nothing, "", "show this help and end",
     [](Options& options, std::string_view) { options.show_help = true; }},
};

const Subcommand kSubcommands[] = {
    {"doctor", "[--json]", "say why GPUs are used or not, and try every device", read_doctor, "--json"},
    {"attach", "PATH", "open the prompt of a program that listens at a socket (lt.repl.listen)", read_attach, "<file>"},
    {"kernel", "install [--user|--prefix=P]", "make notebooks of Jupyter find Lutra", read_kernel,
     "install --user --prefix="},
    {"plan", "GRAPH.json [--policy P] [--html FILE] [--json] [--budget-ms MS]",
     "plan a graph on a machine, both from a file", read_plan, "--policy --html --json --budget-ms"},
    {"plan-hosts", "SCRIPT [--hosts N] [--link 25Gb] [--latency-us US]",
     "predict a training step on several hosts, for the model and the batch that a script returns", read_plan_hosts,
     "--hosts --link --latency-us"},
    {"launch", "-n N [--hosts A,B:2] [--sim-gpus K] [--log-dir D] [--restarts R] SCRIPT [ARGS]",
     "run a script in N processes that train together", read_launch, "-n --hosts --sim-gpus --log-dir --restarts"},
    {"serve", "[--port P | --listen HOST:PORT] [--token FILE] [--sim-gpus K]",
     "lend devices to programs of other processes", read_serve, "--listen --port --token --sim-gpus"},
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

// The long options that were given, by their place in the table.
using Given = std::bitset<std::size(kLongOptions)>;

// Options from environment variables, where the command line does not give them or their --no- form.
void read_variables(Options& options, const Given& given) {
  for (std::size_t i = 0; i < std::size(kLongOptions); ++i) {
    const LongOption& option = kLongOptions[i];
    const char* value = option.variable != nullptr ? std::getenv(option.variable) : nullptr;
    if (value == nullptr || *value == '\0' || given[i]) continue;
    try {
      option.set(options, value);
    } catch (const UsageError& error) {
      throw Error(ErrorCode::InvalidArgument, text(option.variable, ": ", error.message()));
    }
  }
}

// Marks the option, and with --no-X also --X.
void note_given(Given* given, std::size_t index) {
  given->set(index);
  std::string_view name = kLongOptions[index].name;
  if (!name.starts_with("--no-")) return;
  for (std::size_t i = 0; i < std::size(kLongOptions); ++i) {
    if (std::string_view(kLongOptions[i].name).substr(2) == name.substr(5)) given->set(i);
  }
}

// argv[*i] is "--" and a name. Increments *i if the option's value is the next word.
void read_long_option(Options& options, Given* given, char** argv, int* i) {
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
    note_given(given, static_cast<std::size_t>(&option - kLongOptions));
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
    if (options.module.empty()) throw UsageError("'-m' needs the name of a module");
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

void runs_nothing_else(const Options& options, const char* command) {
  if (!options.actions.empty() || options.show_banner) {
    throw UsageError(text("'", command, "' runs nothing else: -e, -l, -i, -v and -W have no meaning before it"));
  }
}

// `attach`, in place of the script, and the words after it.
void read_attach(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "attach");
  if (options.script + 1 >= argc || *argv[options.script + 1] == '\0') {
    throw UsageError("'attach' needs the path of a socket: lutra attach PATH");
  }
  if (options.script + 2 < argc) {
    throw UsageError(text("'attach' takes one path and nothing else, not '", argv[options.script + 2], "'"));
  }
  options.attach_path = argv[options.script + 1];
}

// `kernel install`, and the words after it.
void read_kernel(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "kernel");
  bool has_place = false;
  for (int i = options.script + 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool is_user = word == "--user", is_prefix = word.starts_with("--prefix=");
    if (word == "install" && !options.installs_kernel) {
      options.installs_kernel = true;
    } else if ((is_user || is_prefix) && !has_place) {
      has_place = true;
      if (is_prefix) options.kernel_prefix = word.substr(9);
      if (is_prefix && options.kernel_prefix.empty()) throw UsageError("'--prefix' needs argument");
    } else if (is_user || is_prefix) {
      throw UsageError("'kernel install' takes one of '--user' and '--prefix=P'");
    } else {
      throw UsageError(text("'kernel' takes 'install' and '--user' or '--prefix=P', not '", word, "'"));
    }
  }
  if (!options.installs_kernel) throw UsageError("'kernel' needs the word 'install': lutra kernel install");
}

void read_plan(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "plan");
  options.plan = read_plan_command(argc, argv, options.script + 1);
}

// The script runs as any other, without arguments.
void read_plan_hosts(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "plan-hosts");
  options.plan_hosts = read_plan_hosts_command(argc, argv, options.script + 1);
  options.script = options.plan_hosts.script;
}

void read_launch(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "launch");
  options.launch = read_launch_command(argc, argv, options.script + 1);
}

void read_serve(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "serve");
  options.serve = read_serve_command(argc, argv, options.script + 1);
}

// `doctor`, in place of the script, and the words after it.
void read_doctor(Options& options, int argc, char** argv) {
  runs_nothing_else(options, "doctor");
  options.doctor = Doctor::Text;
  for (int i = options.script + 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--json") {
      throw UsageError(text("'doctor' takes '--json' and nothing else, not '", argv[i], "'"));
    }
    options.doctor = Doctor::Json;
  }
}

}  // namespace

std::span<const LongOption> long_options() { return kLongOptions; }
std::span<const ShortOption> short_options() { return kShortOptions; }
std::span<const Subcommand> subcommands() { return kSubcommands; }

Options parse_options(int argc, char** argv) {
  Options options;
  Given given;
  int i = 1;
  for (; i < argc; ++i) {
    const char* word = argv[i];
    if (word[0] != '-' || word[1] == '\0') break;  // a script's name; "-" is stdin
    if (std::string_view(word) == "--") {
      ++i;
      break;
    }
    if (word[1] == '-') read_long_option(options, &given, argv, &i);
    else read_short_option(options, argv, &i);
    if (!options.module.empty()) break;
  }
  options.script = i;
  if (options.sandbox && (options.interactive || !options.module.empty())) {
    throw UsageError(
        text("'--sandbox' runs a script or -e, not ", options.interactive ? "the prompt ('-i')" : "a library ('-m')"));
  }
  if (!options.interpreter.ignore_environment) read_variables(options, given);
  // A script named doctor is run as ./doctor.
  bool may_be_subcommand = i < argc && options.module.empty() && std::string_view(argv[i - 1]) != "--";
  for (const Subcommand& command : kSubcommands) {
    if (may_be_subcommand && std::string_view(argv[i]) == command.name) command.read(options, argc, argv);
  }
  return options;
}

std::string help_text() {
  std::string out = kUsage;
  auto line = [&out](std::string head, const char* help) {
    if (head.size() >= kHelpColumn) head += "\n" + std::string(kHelpColumn, ' ');
    else head.resize(kHelpColumn, ' ');
    append(out, text(head, help, "\n"));
  };
  for (const Subcommand& command : kSubcommands) {
    append(out, text("       lutra ", command.name, " ", command.arguments, "    ", command.help, "\n"));
  }
  append(out, "Options of lua:\n");
  for (const ShortOption& option : kShortOptions) line(text("  ", option.option, " ", option.value), option.help);
  append(out, "Options of Lutra:\n");
  for (const LongOption& option : kLongOptions) {
    std::string head = text("  ", option.name);
    if (option.takes == Takes::Value) append(head, text(" ", option.value));
    if (option.takes == Takes::MayHaveValue) append(head, text("[=", option.value, "]"));
    line(head, option.help);
  }
  return out;
}

OptionWord split_option(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace lutra
