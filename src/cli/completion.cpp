#include "cli/completion.h"

#include "cli/option_table.h"
#include "core/text.h"

namespace lutra {
namespace {

constexpr std::string_view kFile = "<file>";

// In single quotes for a shell; `quote` is how that shell writes a quote inside them.
std::string quoted(std::string_view words, std::string_view quote = "'\\''") {
  std::string out = "'";
  for (char c : words) {
    if (c == '\'') out += quote;
    else out += c;
  }
  return out + "'";
}

// All options, each with `=` where a value may follow it only that way.
std::string option_words() {
  std::string out;
  for (const ShortOption& option : short_options()) append(out, text(option.option, " "));
  for (const LongOption& option : long_options()) {
    append(out, text(option.name, " "));
    if (option.takes == Takes::MayHaveValue) append(out, text(option.name, "= "));
  }
  return out;
}

std::string subcommand_words() {
  std::string out;
  for (const Subcommand& command : subcommands()) append(out, text(command.name, " "));
  return out;
}

std::string bash_reply(std::string_view words) {
  if (words == kFile) return "COMPREPLY=($(compgen -f -- \"$value\"))";
  return text("COMPREPLY=($(compgen -W '", words, "' -- \"$value\"))");
}

std::string bash_file() {
  std::string out =
      "# bash completion for lutra. Written by `lutra --completion bash`.\n"
      "_lutra() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} value i\n"
      "  COMPREPLY=()\n"
      "  # bash cuts words at =.\n"
      "  value=$word\n"
      "  if [[ $word == = ]]; then value=; before=${COMP_WORDS[COMP_CWORD-1]}=; fi\n"
      "  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}=; fi\n"
      "  case $before in\n";
  for (const LongOption& option : long_options()) {
    if (option.takes == Takes::Nothing) continue;
    const char* alone = option.takes == Takes::Value ? option.name : "";
    append(out, text("    ", alone, *alone != '\0' ? "|" : "", option.name, "=) ", bash_reply(option.words),
                     "; return ;;\n"));
  }
  for (const ShortOption& option : short_options()) {
    if (*option.value != '\0')
      append(out, text("    ", option.option, ") ", bash_reply(option.words), "; return ;;\n"));
  }
  append(out,
         "  esac\n"
         "  # The words after a script or a subcommand are its own.\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n");
  for (const Subcommand& command : subcommands()) {
    append(out, text("      ", command.name, ") value=$word; ", bash_reply(command.words), "; return ;;\n"));
  }
  append(out, "      ");
  const char* between = "";
  for (const LongOption& option : long_options()) {
    if (option.takes == Takes::Value) {
      append(out, text(between, option.name));
      between = "|";
    }
  }
  for (const ShortOption& option : short_options()) {
    if (*option.value != '\0') append(out, text("|", option.option));
  }
  append(out, text(") if [[ ${COMP_WORDS[i+1]} == = ]]; then ((i++)); fi; ((i++)) ;;\n"
                   "      -*|=) ;;\n"
                   "      *) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
                   "    esac\n"
                   "  done\n"
                   "  if [[ $word == -* ]]; then\n"
                   "    COMPREPLY=($(compgen -W ",
                   quoted(option_words()),
                   " -- \"$word\"))\n"
                   "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                   "  else\n"
                   "    COMPREPLY=($(compgen -W ",
                   quoted(subcommand_words()),
                   " -- \"$word\") $(compgen -f -- \"$word\"))\n"
                   "  fi\n"
                   "}\n"
                   "complete -o filenames -F _lutra lutra\n"));
  return out;
}

// What follows an option in _arguments: ":NAME:ACTION".
std::string zsh_value(std::string_view name, std::string_view words) {
  std::string plain;
  for (char c : name) plain += c == ':' || c == '[' || c == ']' ? ' ' : c;
  if (words == kFile) return text(":", plain, ":_files");
  if (words.empty()) return text(":", plain, ":");
  return text(":", plain, ":(", words, ")");
}

std::string zsh_help(std::string_view help) {
  std::string out = "[";
  for (char c : help) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out + "]";
}

std::string zsh_file() {
  std::string out =
      "#compdef lutra\n"
      "# zsh completion for lutra. Written by `lutra --completion zsh`.\n"
      "_lutra() {\n"
      "  local curcontext=$curcontext state line\n"
      "  _arguments -C -S \\\n";
  for (const ShortOption& option : short_options()) {
    if (std::string_view(option.option) == "--" || std::string_view(option.option) == "-") continue;
    bool has_value = *option.value != '\0';
    append(out, text("    ",
                     quoted(text("*", option.option, has_value ? "+" : "", zsh_help(option.help),
                                 has_value ? zsh_value(option.value, option.words) : "")),
                     " \\\n"));
  }
  for (const LongOption& option : long_options()) {
    const char* sign = option.takes == Takes::Value ? "=" : option.takes == Takes::MayHaveValue ? "=-" : "";
    std::string value = option.takes == Takes::Nothing ? "" : zsh_value(option.value, option.words);
    if (option.takes == Takes::MayHaveValue) value = text(":", value);
    append(out, text("    ", quoted(text(option.name, sign, zsh_help(option.help), value)), " \\\n"));
  }
  append(out,
         "    '1: :->script' '*:: :->words' && return\n"
         "  case $state in\n"
         "    script)\n"
         "      local -a commands=(\n");
  for (const Subcommand& command : subcommands()) {
    append(out, text("        ", quoted(text(command.name, ":", command.help)), "\n"));
  }
  append(out,
         "      )\n"
         "      _describe -t commands subcommand commands\n"
         "      _files ;;\n"
         "    words)\n"
         "      case $line[1] in\n");
  for (const Subcommand& command : subcommands()) {
    const std::string offer = command.words == kFile ? std::string("_files") : text("compadd -- ", command.words);
    append(out, text("        ", command.name, ") ", offer, " ;;\n"));
  }
  append(out,
         "        *) _files ;;\n"
         "      esac ;;\n"
         "  esac\n"
         "}\n"
         "_lutra \"$@\"\n");
  return out;
}

std::string fish_value(std::string_view words) {
  if (words == kFile) return " -r";
  if (words.empty()) return " -x";
  return text(" -x -a ", quoted(words, "\\'"));
}

std::string fish_file() {
  std::string out = "# fish completion for lutra. Written by `lutra --completion fish`.\n";
  for (const ShortOption& option : short_options()) {
    std::string_view letter(option.option);
    if (letter.size() != 2 || letter[1] == '-') continue;
    append(out, text("complete -c lutra -n __fish_is_first_arg -s ", letter.substr(1),
                     *option.value != '\0' ? fish_value(option.words) : "", " -d ", quoted(option.help, "\\'"), "\n"));
  }
  for (const LongOption& option : long_options()) {
    append(out, text("complete -c lutra -l ", std::string_view(option.name).substr(2),
                     option.takes == Takes::Value ? fish_value(option.words) : "", " -d ", quoted(option.help, "\\'"),
                     "\n"));
  }
  for (const Subcommand& command : subcommands()) {
    append(out, text("complete -c lutra -n __fish_use_subcommand -a ", command.name, " -d ",
                     quoted(command.help, "\\'"), "\n"));
    if (*command.words != '\0' && command.words != kFile) {
      append(out, text("complete -c lutra -n '__fish_seen_subcommand_from ", command.name, "' -a ",
                       quoted(command.words, "\\'"), "\n"));
    }
  }
  return out;
}

}  // namespace

std::string completion_file(std::string_view shell) {
  if (shell == "bash") return bash_file();
  if (shell == "zsh") return zsh_file();
  if (shell == "fish") return fish_file();
  return "";
}

}  // namespace lutra
