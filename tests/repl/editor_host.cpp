// Reads entries and prints them quoted: what the editor's tests in this folder drive. Its "language": an entry goes on
// while it has more "do" and "(" than "end" and ")". Arguments: --vi, --plain (no colours), --history=FILE, --stdin
// (PlainReader), --prompt=TEXT.
#include <cctype>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "repl/editor/editor.h"
#include "repl/plain_reader.h"

namespace {

int count(std::string_view text, std::string_view word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++found;
  return found;
}

bool is_complete(std::string_view text) {
  return count(text, "do") <= count(text, "end") && count(text, "(") <= count(text, ")");
}

lutra::Completion complete(std::string_view text, std::size_t cursor) {
  std::size_t begin = cursor;
  while (begin > 0 && std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  lutra::Completion found{begin, cursor, {}};
  std::string_view typed = text.substr(begin, cursor - begin);
  for (int i = 1000; i < 1500 && typed.starts_with("many"); ++i) {
    if (std::string word = "many" + std::to_string(i); word.starts_with(typed)) found.words.push_back(word);
  }
  for (std::string_view word : {"matmul", "matrix", "maximum", "softmax", "softplus"}) {
    if (word.starts_with(typed)) found.words.emplace_back(word);
  }
  return found;
}

std::string signature(std::string_view text, std::size_t cursor) {
  if (text.ends_with("bell(")) {  // tells when it is called
    std::putchar('\a');
    std::fflush(stdout);
  }
  std::size_t call = text.substr(0, cursor).rfind("matmul(");
  bool inside = call != text.npos && text.substr(call, cursor - call).find(')') == text.npos;
  return inside ? "matmul(a, b, {transpose_a, transpose_b})" : "";
}

void print(const char* what, std::string_view entry) {
  std::printf("%s \"", what);
  for (char c : entry) {
    if (c == '\n') std::printf("\\n");
    else if (static_cast<unsigned char>(c) < 0x20) std::printf("\\%d", c);
    else std::putchar(c);
  }
  std::printf("\"\n");
}

}  // namespace

int main(int count, char** arguments) {
  lutra::Editor::Options options;
  bool from_stdin = false;
  std::string prompt = "> ";
  options.help = {is_complete, complete, signature};
  for (int i = 1; i < count; ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--vi") options.keys = lutra::Editor::Keys::Vi;
    else if (argument == "--plain") options.colours = false;
    else if (argument == "--stdin") from_stdin = true;
    else if (argument.starts_with("--history=")) options.history_path = argument.substr(10);
    else if (argument.starts_with("--prompt=")) prompt = argument.substr(9);
  }
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C between two entries
  lutra::Editor editor(options);
  lutra::PlainReader plain(is_complete);
  lutra::EntryReader& reader = from_stdin ? static_cast<lutra::EntryReader&>(plain) : editor;
  for (std::string entry;;) {
    if (std::string message = editor.take_message(); !message.empty()) std::printf("%s\n", message.c_str());
    switch (reader.read(prompt, ">> ", entry)) {
      case lutra::EntryReader::Outcome::Entry:
        if (entry.size() > 1000) std::printf("long entry %zu\n", entry.size());
        else print("entry", entry);
        if (entry == "unfinished") std::printf("no newline");
        break;
      case lutra::EntryReader::Outcome::Interrupted: print("interrupted", entry); break;
      case lutra::EntryReader::Outcome::End: print("end", entry); return 0;
    }
  }
}
