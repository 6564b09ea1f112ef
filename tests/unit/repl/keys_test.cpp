#include "repl/editor/keys.h"

#include <string>
#include <vector>

#include "support/catch.h"

using namespace lutra::editor;

namespace {

std::string name_of(const Key& key) {
  static const char* const names[] = {"",          "paste ", "Enter",  "Tab",      "BackTab", "Escape",
                                      "Backspace", "Delete", "Up",     "Down",     "Left",    "Right",
                                      "Home",      "End",    "PageUp", "PageDown", "?"};
  return std::string(key.ctrl ? "C-" : "") + (key.alt ? "M-" : "") + names[static_cast<int>(key.name)] + key.text;
}

// The keys of bytes that come in one read or, the same, one by one.
std::vector<std::string> keys_of(const std::string& bytes) {
  KeyDecoder at_once, one_by_one;
  std::vector<std::string> keys, same;
  at_once.feed(bytes);
  while (auto key = at_once.next()) keys.push_back(name_of(*key));
  for (char byte : bytes) {
    one_by_one.feed({&byte, 1});
    while (auto key = one_by_one.next()) same.push_back(name_of(*key));
  }
  while (auto key = at_once.flush()) keys.push_back(name_of(*key));
  while (auto key = one_by_one.flush()) same.push_back(name_of(*key));
  CHECK(keys == same);
  return keys;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("text is one key per code point", "[keys]") {
  CHECK(keys_of("aé日😀") == Names{"a", "é", "日", "😀"});
  CHECK(keys_of("\xff\xe6\x97") == Names{"\xff", "\xe6", "\x97"});
}

TEST_CASE("control characters", "[keys]") {
  CHECK(keys_of("\x01\x1f\x1a\r\n\t\x7f\b") ==
        Names{"C-a", "C-_", "C-z", "Enter", "Enter", "Tab", "Backspace", "Backspace"});
  CHECK(keys_of(std::string(1, '\0')) == Names{"C-@"});
}

TEST_CASE("sequences of several terminals", "[keys]") {
  CHECK(keys_of("\x1b[A\x1bOB\x1b[1;5C\x1b[1;3D\x1bOd") == Names{"Up", "Down", "C-Right", "M-Left", "C-Left"});
  CHECK(keys_of("\x1b[H\x1b[4~\x1b[7~\x1b[3~\x1b[3;5~\x1b[Z") ==
        Names{"Home", "End", "Home", "Delete", "C-Delete", "BackTab"});
  CHECK(keys_of("\x1b[5~\x1b[6~\x1b[13;3u\x1b[97;5u") == Names{"PageUp", "PageDown", "M-Enter", "C-a"});
}

TEST_CASE("Alt is an ESC before the key", "[keys]") {
  CHECK(keys_of("\x1b"
                "b\x1b\r\x1b\x7f\x1bé") == Names{"M-b", "M-Enter", "M-Backspace", "M-é"});
  CHECK(keys_of("\x1b\x1b[A") == Names{"M-Up"});
}

TEST_CASE("a lone ESC is a key when no more comes", "[keys]") {
  KeyDecoder keys;
  keys.feed("\x1b");
  CHECK_FALSE(keys.next());
  CHECK(keys.is_partial());
  CHECK(name_of(*keys.flush()) == "Escape");
  CHECK_FALSE(keys.is_partial());
}

TEST_CASE("unknown sequences are swallowed whole", "[keys]") {
  CHECK(keys_of("\x1b[[Ax") == Names{"?", "x"});
  CHECK(keys_of("\x1b[?1;2cx\x1b[15~y") == Names{"?", "x", "?", "y"});
  CHECK(keys_of("\x1b[" + std::string(200, '1')).size() > 1);
}

TEST_CASE("a paste is one key, with newlines", "[keys]") {
  CHECK(keys_of("a\x1b[200~x\ry\r\nz\x1b[A\x03\x1b[201~b") == Names{"a", "paste x\ny\nz\x1b[A\x03", "b"});
  CHECK(keys_of("\x1b[200~\x1b[201~") == Names{"paste "});
  KeyDecoder open;
  open.feed("\x1b[200~endless");
  CHECK_FALSE(open.next());
  CHECK_FALSE(open.is_partial());  // no time limit ends a paste: its newlines would become Enter
}

TEST_CASE("answers of the terminal that come late are no keys", "[keys]") {
  CHECK(keys_of("a\x1b_Gi=31;OK\x1b\\b") == Names{"a", "?", "b"});
  CHECK(keys_of("\x1b]11;rgb:0000/0000/0000\ax") == Names{"?", "x"});
  CHECK(keys_of("\x1bP1$r0m\x1b\\\x1bP>|name\x1b\\x") == Names{"?", "?", "x"});
  CHECK(keys_of("\x1b_") == Names{"M-_"});
  CHECK(keys_of("\x1b_b\x1bPb") == Names{"M-_", "b", "M-P", "b"});
  CHECK(keys_of("\x1b]1\rx") == Names{"?", "Enter", "x"});
}
