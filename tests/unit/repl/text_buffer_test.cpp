#include "repl/editor/text_buffer.h"

#include "repl/editor/keymap.h"
#include "repl/editor/keys.h"
#include "support/catch.h"

using namespace lutra::editor;

namespace {

// Types keys; '|' in the result is the cursor.
std::string typed(Keymap& keymap, TextBuffer& buffer, std::string_view bytes) {
  KeyDecoder keys;
  keys.feed(bytes);
  for (auto key = keys.next(); key; key = keys.next()) {
    buffer.begin_key();
    keymap.handle(*key, buffer);
  }
  for (auto key = keys.flush(); key; key = keys.flush()) keymap.handle(*key, buffer);
  return std::string(buffer.text()).insert(buffer.cursor(), "|");
}

std::string emacs(std::string_view bytes) {
  TextBuffer buffer;
  return typed(*make_emacs_keymap(), buffer, bytes);
}

std::string vi(std::string text, std::string_view bytes) {
  TextBuffer buffer;
  buffer.reset(std::move(text));
  auto keymap = make_vi_keymap();
  buffer.move_to(0);
  typed(*keymap, buffer, "\x1b");
  return typed(*keymap, buffer, bytes);
}

}  // namespace

TEST_CASE("undo and redo give each text again", "[text_buffer]") {
  TextBuffer buffer;
  buffer.insert("one");
  buffer.end_step();
  buffer.insert(" two");
  buffer.erase(0, 1);
  CHECK(buffer.undo());
  CHECK(buffer.text() == "one two");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "one");
  CHECK(buffer.redo());
  CHECK(buffer.redo());
  CHECK_FALSE(buffer.redo());
  CHECK(buffer.text() == "ne two");
  CHECK(buffer.undo());
  buffer.insert("!");
  CHECK_FALSE(buffer.redo());
  for (int i = 0; i < 3; ++i) CHECK(buffer.undo());
  CHECK_FALSE(buffer.undo());
  CHECK(buffer.text().empty());
}

TEST_CASE("kills in a row are one kill", "[text_buffer]") {
  CHECK(emacs("a b c\x17\x17\x19\x19") == "a b cb c|");
  CHECK(emacs("a b c\x17x\x17\x19") == "a b x|");
  CHECK(emacs("\x1b[200~ab\ncd\x1b[201~\x1b[D\x1b[D\x01\x0b\x19\x19") == "ab\ncdcd|");
}

TEST_CASE("vi's operators and motions", "[keymap_vi]") {
  CHECK(vi("one two three", "wdw") == "one |three");
  CHECK(vi("one two three", "2dw") == "|three");
  CHECK(vi("one two three", "d2w") == "|three");
  CHECK(vi("one two three", "wde") == "one | three");
  CHECK(vi("one two three", "$db") == "one two |e");
  CHECK(vi("one two three", "wd0") == "|two three");
  CHECK(vi("one two three", "wd$") == "one| ");
  CHECK(vi("one two three", "wC!") == "one !|");
  CHECK(vi("one two three", "2cwx\x1b") == "|x three");
  CHECK(vi("a b", "cwxyz") == "xyz| b");
  CHECK(vi("f(a, b)", "dt,") == "|, b)");
  CHECK(vi("f(a, b)", "df,") == "| b)");
  CHECK(vi("f(a, b)", "$F(x") == "f|a, b)");
  CHECK(vi("a.b.c", "f.;x") == "a.b|c");
  CHECK(vi("one two", "ywP") == "one| one two");
  CHECK(vi("abc", "x$p") == "bc|a");
  CHECK(vi("abc", "3x") == "|");
  CHECK(vi("abc", "rx~") == "X|bc");
}

TEST_CASE("vi's lines", "[keymap_vi]") {
  CHECK(vi("one\ntwo\nthree", "dd") == "|two\nthree");
  CHECK(vi("one\ntwo\nthree", "ddp") == "two\n|one\nthree");
  CHECK(vi("one\ntwo\nthree", "2dd") == "|three");
  CHECK(vi("one\ntwo", "yyP") == "|one\none\ntwo");
  CHECK(vi("one\ntwo", "J") == "one| two");
  CHECK(vi("one\ntwo", "ox") == "one\nx|\ntwo");
  CHECK(vi("one\ntwo", "GOx") == "one\nx|\ntwo");
  CHECK(vi("one\ntwo", "ccx") == "x|\ntwo");
  CHECK(vi("one\ntwo", "dwdw") == "|\ntwo");
  CHECK(vi("one", "99999999999x") == "|");
}

TEST_CASE("vi undoes what was inserted as one step", "[keymap_vi]") {
  CHECK(vi("one", "A two three\x1bu") == "on|e");
  CHECK(vi("one two", "dwdwuu") == "|one two");
}
