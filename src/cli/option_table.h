// The tables of options and subcommands (options.cpp): parsing, --help, "did you mean", the completion files and the
// test of the man page all read them, so a new option is one entry.
#pragma once

#include <span>
#include <string_view>

namespace lutra {

struct Options;

// Whether a long option takes a value: Value is `--device NAME` or `--device=NAME`, MayHaveValue is `--log-placement`
// or `--log-placement=FILE`.
enum class Takes { Nothing, Value, MayHaveValue };

struct LongOption {
  const char* name;
  Takes takes;
  const char* value;  // its name in the help
  const char* help;
  void (*set)(Options& options, std::string_view value);  // value: "" where none is given
  const char* words = "";                                 // values to offer while typing; "<file>": names of files
  const char* variable = nullptr;                         // the environment variable that sets it where it is not given
};

// lua's options, which have one letter.
struct ShortOption {
  const char* option;
  const char* value;  // its name in the help; "" for none
  const char* help;
  const char* words = "";
};

// A word in place of the script: `lutra doctor`.
struct Subcommand {
  const char* name;
  const char* arguments;  // as in the help
  const char* help;
  void (*read)(Options& options, int argc, char** argv);  // reads the words after it, from options.script + 1 on
  const char* words = "";                                 // words to offer after it
};

std::span<const LongOption> long_options();
std::span<const ShortOption> short_options();
std::span<const Subcommand> subcommands();

}  // namespace lutra
