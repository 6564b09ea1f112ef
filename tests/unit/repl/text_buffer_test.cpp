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

TEST_CASE("older kills come back", "[text_buffer]") {
  CHECK(emacs("one two\x17\x01x \x17\x19\x1by") == "two|one ");
  CHECK(emacs("one two\x17\x01x \x17\x19\x1by\x1by") == "x |one ");
  CHECK(emacs("one two\x17\x19!\x1by") == "one two!|");
  CHECK(emacs("\x1by\x19x") == "x|");
}

TEST_CASE("words are swapped and get another case", "[text_buffer]") {
  CHECK(emacs("one two\x1bt") == "two one|");
  CHECK(emacs("one two three\x1b"
              "b\x1b"
              "b\x1bt") == "two one| three");
  CHECK(emacs("f(ab, cd)\x1b"
              "b\x1bt") == "f(cd, ab|)");
  CHECK(emacs("one\x1bt") == "one|");
  CHECK(emacs("one two\x01\x1bu\x1b"
              "c") == "ONE Two|");
  CHECK(emacs("\xc3\x89T\xc3\x89 x\x01\x1bl") == "\xc3\xa9t\xc3\xa9| x");
  CHECK(emacs("\xc3\xa9t\xc3\xa9\x01\x1bu\x1f") == "|\xc3\xa9t\xc3\xa9");
  CHECK(emacs("a   b\x02\x02\x1b\\") == "a|b");
  CHECK(emacs("  ab\x1bmx") == "  x|ab");
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

TEST_CASE("vi's text objects", "[keymap_vi]") {
  CHECK(vi("one two three", "wciwX") == "one X| three");
  CHECK(vi("one two three", "wdiw") == "one | three");
  CHECK(vi("one two three", "wdaw") == "one |three");
  CHECK(vi("one two three", "$daw") == "one tw|o");
  CHECK(vi("a.b c", "diW") == "| c");
  CHECK(vi("one two three", "d2aw") == "|three");
  CHECK(vi("f(\"a b\", \"c\")", "ci\"X") == "f(\"X|\", \"c\")");
  CHECK(vi("f('a\\'b')", "fbdi'") == "f('|')");
  CHECK(vi("f('a', 'b')", "fbda'") == "f('a',|)");
  CHECK(vi("f(a, g(b), c)", "fbdi(") == "f(a, g(|), c)");
  CHECK(vi("f(a, g(b), c)", "fb2di(") == "f(|)");
  CHECK(vi("f(a, g(b), c)", "f(dab") == "|f");
  CHECK(vi("t[1]", "f]ci[2") == "t[2|]");
  CHECK(vi("{ a = {1} }", "yiBP") == "{ a = {1}|  a = {1} }");
  CHECK(vi("f {\n  a,\n  b\n}", "2Gdi{") == "f {\n|}");
  CHECK(vi("f {\n  a,\n  b\n}", "2Gci{c") == "f {\nc|\n}");
  CHECK(vi("abc", "di(") == "|abc");
  CHECK(vi("a b", "diqx") == "| b");
}

TEST_CASE("vi's dot repeats the last change", "[keymap_vi]") {
  CHECK(vi("a b c d", "dw.") == "|c d");
  CHECK(vi("a b c d", "dw2.") == "|d");
  CHECK(vi("a b c d", "2dw.") == "|");
  CHECK(vi("a b c d", "cwX\x1bw.w.") == "X X |X d");
  CHECK(vi("f(a) f(b)",
           "lci(x\x1b"
           "fb.") == "f(x) f(|x)");
  CHECK(vi("a", "iX\x1b..") == "|XXXa");
  CHECK(vi("abc", "x.u") == "|bc");
  CHECK(vi("abc", "x~.") == "B|C");
  CHECK(vi("abc", "x$.") == "|b");
  CHECK(vi("a\nb\nc", "dd.") == "|c");
  CHECK(vi("x", "ywP..") == "|xxxx");
  CHECK(vi("abc", ".x") == "|bc");
}

TEST_CASE("vi's brackets, columns, counts and cases", "[keymap_vi]") {
  CHECK(vi("f(a(b))", "%x") == "f(a(b|)");
  CHECK(vi("f(a(b))", "f(d%") == "|f");
  CHECK(vi("f(a)", "f)%x") == "f|a)");
  CHECK(vi("abcdef", "3|x") == "ab|def");
  CHECK(vi("abcd", "3rX") == "XX|Xd");
  CHECK(vi("ab", "3rX") == "|ab");
  CHECK(vi("abcd", "3~") == "ABC|d");
  CHECK(vi("abcd", "$2X") == "a|d");
  CHECK(vi("abc", "x3p") == "baa|ac");
  CHECK(vi("abcd", "lRXY\x1b") == "aX|Yd");
  CHECK(vi("ab", "RXYZ") == "XYZ|");
  CHECK(vi("one two", "gUiw") == "|ONE two");
  CHECK(vi("ONE TWO", "wguiw") == "ONE |two");
  CHECK(vi("One", "g~~") == "|oNE");
  CHECK(vi("a\nb\nc", "3J") == "a b| c");
  CHECK(vi("one two", "$gex") == "on| two");
}

TEST_CASE("vi's operators take lines with j, k, G and gg", "[keymap_vi]") {
  CHECK(vi("a\nb\nc", "dj") == "|c");
  CHECK(vi("a\nb\nc", "Gdk") == "|a");
  CHECK(vi("a\nb\nc", "2GdG") == "|a");
  CHECK(vi("a\nb\nc", "2Gdgg") == "|c");
  CHECK(vi("a\nb\nc", "2Gx") == "a\n|\nc");
  CHECK(vi("a", "dj") == "|a");
  CHECK(vi("a\nb", ">j") == "  |a\n  b");
  CHECK(vi("    a\n b", "<j") == "  |a\nb");
  CHECK(vi("  a\nb", "ox") == "  a\n  x|\nb");
  CHECK(vi("  a\nb", "ccx") == "  x|\nb");
}

TEST_CASE("vi undoes what a command erased and inserted as one step", "[keymap_vi]") {
  CHECK(vi("one two", "cwX\x1bu") == "|one two");
  CHECK(vi("one two", "wcwX\x1bu\x12") == "one |X");
  CHECK(vi("one", "sab\x1bu") == "|one");
  CHECK(vi("one", "ix\x1bu") == "|one");
  CHECK(vi("one two", "cwX\x1bw.uu") == "|one two");
  CHECK(vi("a\nb\nc", "3Ju") == "|a\nb\nc");
}

TEST_CASE("vi undoes what was inserted as one step", "[keymap_vi]") {
  CHECK(vi("one", "A two three\x1bu") == "on|e");
  CHECK(vi("one two", "dwdwuu") == "|one two");
}
