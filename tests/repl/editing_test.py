"""Keys, drawing and history of the line editor. Usage: editing_test.py EDITOR_HOST"""
import os
import signal
import sys
import tempfile
import termios
import time
import unittest

from terminal import *

HOST = sys.argv[1]
GREY = "brightblack", "black"  # as pyte names it, by version


class EditorTest(unittest.TestCase):
    def start(self, *arguments, **how):
        terminal = Terminal([HOST, *arguments], **how)
        self.addCleanup(terminal.child.close, True)
        terminal.see_row(0, ">")
        terminal.see_cursor(2)
        return terminal

    def entry(self, keys, expected, *arguments):
        """What the keys, and Enter, give."""
        t = self.start(*arguments)
        t.send(*keys, ENTER)
        t.see(f'entry "{expected}"')


class Emacs(EditorTest):
    def test_arrows_and_deletion(self):
        self.entry(["abd", LEFT, "c", RIGHT, "x", BACKSPACE, HOME, DELETE, END, "e"], "bcde")

    def test_motions(self):
        self.entry(["one two", ctrl("a"), "<", ctrl("e"), ">", ctrl("b"), ctrl("b"), "-", ctrl("f"), "+"], "<one tw-o+>")

    def test_words(self):
        self.entry(["foo.bar baz", alt("b"), alt("b"), "1", alt("f"), "2"], "foo.1bar2 baz")
        self.entry(["foo bar", b"\x1b[1;5D", b"\x1b[1;5D", "<", b"\x1b[1;5C", ">"], "<foo> bar")

    def test_killing_and_yanking(self):
        self.entry(["abc def", ctrl("w"), "-", ctrl("y"), ctrl("y")], "abc -defdef")
        self.entry(["abc def", ctrl("a"), ctrl("k"), "x", ctrl("y")], "xabc def")
        self.entry(["abc def", LEFT, ctrl("u"), ctrl("e"), ctrl("y")], "fabc de")
        self.entry(["one two three", alt("\x7f"), alt("\x7f"), ctrl("y")], "one two three")
        self.entry(["one two", ctrl("w"), ctrl("a"), ctrl("k"), ctrl("y"), alt("y")], "two")
        self.entry(["one two", ctrl("a"), alt("d"), ctrl("e"), ctrl("y")], " twoone")

    def test_transposing(self):
        self.entry(["acb", ctrl("t")], "abc")
        self.entry(["bac", HOME, RIGHT, ctrl("t")], "abc")
        self.entry(["one two", alt("t")], "two one")

    def test_undo(self):
        self.entry(["one two", ctrl("u"), ctrl("_")], "one two")
        self.entry(["one two", ctrl("_")], "one")
        self.entry(["one", ctrl("w"), ctrl("_"), ctrl("x"), ctrl("u")], "")

    def test_escape_before_a_key_is_alt(self):
        t = self.start()
        t.send("one two", ESCAPE)
        time.sleep(0.1)  # longer than the parts of one key are apart
        t.send("b", "-", ESCAPE)
        time.sleep(0.1)
        t.send(ctrl("a"), "+", ENTER)
        t.see('entry "+one -two"')

    def test_ctrl_d(self):
        self.entry(["abc", HOME, ctrl("d")], "bc")
        t = self.start()
        t.send(ctrl("d"))
        t.see('end ""')
        self.assertEqual(t.end(), 0)

    def test_ctrl_c_clears_the_entry(self):
        t = self.start()
        t.send("abc", ctrl("c"))
        t.see('interrupted ""')
        t.see("> abc^C")
        t.send("x", ENTER)
        t.see('entry "x"')

    def test_ctrl_l_clears_the_screen(self):
        t = self.start()
        t.send("one", ENTER, "two")
        t.see_row(0, "> two")
        t.send(ctrl("l"))
        t.wait("an empty screen", lambda: t.text() == "> two" and t.cursor() == (5, 0))


class Vi(EditorTest):
    def vi(self, keys, expected):
        self.entry(keys, expected, "--vi")

    def test_inserting(self):
        self.vi(["abc", ESCAPE, "ix"], "abxc")
        self.vi(["abc", ESCAPE, "ax"], "abcx")
        self.vi(["abc", ESCAPE, "Ix", ESCAPE, "Ay"], "xabcy")

    def test_motions(self):
        self.vi(["one two three", ESCAPE, "0wi<", ESCAPE, "ea>"], "one <two> three")
        self.vi(["one two", ESCAPE, "bbi-", ESCAPE, "$a+", ESCAPE, "hhi="], "-one t=wo+")
        self.vi(["one two", ESCAPE, "0lli-", ESCAPE, "fti+"], "on-e +two")

    def test_changing(self):
        self.vi(["one two three", ESCAPE, "0wcw2"], "one 2 three")
        self.vi(["a b", ESCAPE, "0cwxyz"], "xyz b")
        self.vi(["one two three", ESCAPE, "0wD"], "one ")
        self.vi(["abc", ESCAPE, "xp"], "abc")
        self.vi(["abc", ESCAPE, "0xp"], "bac")
        self.vi(["one two three", ESCAPE, "02dw"], "three")
        self.vi(["one", ESCAPE, "ddiabc"], "abc")
        self.vi(["f(one, two)", ESCAPE, "ci(three"], "f(three)")
        self.vi(["a b c", ESCAPE, "0cwx", ESCAPE, "w.w."], "x x x")

    def test_counts_repeat_insertions(self):
        self.vi(["abc", ESCAPE, "03ix-", ESCAPE, "i!"], "x-x-x!-abc")
        self.vi(["abc", ESCAPE, "02a+", ESCAPE, "2I<", ESCAPE, "2A>", ESCAPE, "l"], "<<a++bc>>")
        self.vi(["a", ESCAPE, "2ob", ESCAPE, "ic"], r"a\nb\ncb")
        self.vi(["  a", ESCAPE, "2Ob", ESCAPE, "ic"], r"  b\n  cb\n  a")
        self.vi(["abcdefgh", ESCAPE, "03Rxy", ESCAPE, "i!"], "xyxyx!ygh")
        self.vi(["abc", ESCAPE, "03Rxy", ESCAPE, "l"], "xyxyxy")
        self.vi(["a", ESCAPE, "2ix", ESCAPE, "."], "xxxxa")
        self.vi(["a", ESCAPE, "2ix", ESCAPE, "3."], "xxxxxa")
        self.vi(["abc", ESCAPE, "3ixy", ESCAPE, "u"], "abc")
        self.vi(["abc", ESCAPE, "3ixz", LEFT, "y", ESCAPE, "l"], "abxyzc")
        self.vi(["abc", ESCAPE, "3ix", BACKSPACE, BACKSPACE, ESCAPE, "l"], "ac")
        self.vi(["one two", ESCAPE, "02cwx", ESCAPE, "l"], "x")
        self.vi(["abc", ESCAPE, "02i", ESCAPE, "ix", ESCAPE, "l"], "xabc")

    def test_undo(self):
        self.vi(["one two", ESCAPE, "xxu"], "one tw")
        self.vi(["one two", ESCAPE, "u"], "")

    def test_search(self):
        t = self.start("--vi")
        for entry in "alpha one", "beta", "alpha two":
            t.send(entry, ENTER)
            t.see(f'entry "{entry}"')
        t.send(ESCAPE)
        t.wait("a block", lambda: t.output.endswith(b"\x1b[2 q"))
        t.send("/alpha", ENTER)
        t.see_row(0, "> alpha two")
        t.wait("the search's end", lambda: "search" not in t.text())
        t.send("n")
        t.see_row(0, "> alpha one")
        t.send("N")
        t.see_row(0, "> alpha two")
        t.send("wcwend", ENTER)
        t.see('entry "alpha end"')

    def test_the_cursor_shows_the_mode(self):
        t = self.start("--vi")
        self.assertTrue(t.output.endswith(b"\x1b[6 q"))
        for keys, sequence in (b"x\x1b", b"\x1b[2 q"), (b"R", b"\x1b[4 q"), (ESCAPE, b"\x1b[2 q"), (b"i", b"\x1b[6 q"):
            t.send(keys)
            t.wait("the cursor's shape", lambda: t.output.endswith(sequence))
        t.send(ctrl("u"), DELETE, ctrl("d"))
        self.assertEqual(t.end(), 0)
        self.assertGreater(t.output.rindex(b"\x1b[0 q"), t.output.rindex(b"\x1b[6 q"))

    def test_history_and_an_escape_that_comes_with_its_key(self):
        t = self.start("--vi")
        t.send("first", ENTER, "second", ENTER)
        t.see('entry "second"')
        t.send(b"\x1bk")
        t.see_row(0, "> second")
        t.send("k")
        t.see_row(0, "> first")
        t.send("jj")
        t.see_row(0, ">")


class Entries(EditorTest):
    def test_enter_asks(self):
        t = self.start()
        t.send("do", ENTER, "x", ENTER)
        t.see(">>   x\n>>")
        t.send("end", ENTER)
        t.see(r'entry "do\n  x\nend"')

    def test_alt_enter_makes_a_line(self):
        self.entry(["a", ALT_ENTER, "b"], r"a\nb")
        self.entry(["a", ctrl("o"), "b"], r"a\nb")

    def test_lines_are_indented(self):
        self.entry(["do do", ENTER, "x", ENTER, "end", ENTER, "y", ENTER, "end"], r"do do\n  x\nend\n  y\nend")
        self.entry(["do", ENTER, "do", ENTER, "x", ENTER, "end", ENTER, "end"], r"do\n  do\n    x\n  end\nend")
        self.entry(["do", ENTER, ENTER, "x", ENTER, "end"], r"do\n\n  x\nend")

    def test_typed_blanks_replace_the_indentation(self):
        self.entry(["do", ENTER, "    x", ENTER, " end"], r"do\n    x\n end")
        self.entry(["do", ENTER, paste("   x"), ENTER, "end"], r"do\n   x\nend")
        self.entry(["do", ENTER, "x ", ENTER, "y", BACKSPACE, " z", ENTER, "end"], r"do\n  x \n   z\nend")

    def test_editing_in_place(self):
        t = self.start()
        t.send("do", ENTER, "xyz", ENTER, "en", UP, "-", UP, "!", DOWN, DOWN, END, "d", ENTER)
        t.see(r'entry "do!\n  xy-z\nend"')

    def test_joining_lines(self):
        self.entry(["a", ALT_ENTER, "b", HOME, BACKSPACE], "ab")

    def test_paste_is_one_chunk(self):
        t = self.start()
        t.send(paste("x = 1\ry = 2\r"))
        t.see("> x = 1\n>> y = 2\n>>")
        self.assertNotIn("entry", t.text())
        t.send(ENTER)
        t.see(r'entry "x = 1\ny = 2\n"')

    def test_an_entry_copied_with_its_prompts(self):
        self.entry([paste("> x = 1")], "x = 1")
        self.entry([paste("> do\r>>   y = 2\r>> end\r\r")], r"do\n  y = 2\nend\n\n")
        self.entry([paste("> a\r> b")], r"> a\n> b")
        self.entry([paste("x\r>> y")], r"x\n>> y")

    def test_paste_of_a_megabyte(self):
        t = self.start()
        line = "local x = { 1, 2, 'three' } -- and a comment\n"
        t.send(paste(line * (1000000 // len(line))))
        t.wait("the last row", lambda: t.cursor() == (3, 23))
        t.send(ENTER)
        t.see(f"long entry {1000000 // len(line) * len(line)}")
        self.assertLess(len(t.output), 20000)

    def test_an_entry_taller_than_the_screen(self):
        t = self.start(columns=300, rows=6)
        t.send(paste("\n".join(f"line {i}" for i in range(20))))
        t.wait("its end", lambda: t.rows() == [f">> line {i}" for i in range(14, 20)])
        t.send(UP * 10, "!")
        t.wait("its middle", lambda: t.rows()[0] == ">> line 9!" and t.cursor()[1] == 0)
        t.send(ENTER)
        t.see(r"line 9!\n")

    def test_another_editor(self):
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as editor:
            editor.write("""tail -n 1 "$1"; sed -i 's/one/two/' "$1"; echo '-- more  ' >> "$1"\n""")
            editor.flush()
            t = self.start(environment={"VISUAL": "", "EDITOR": "sh " + editor.name})
            t.send("x = one", ctrl("x"), ctrl("e"))
            t.see("> x = one\nx = one\n> x = two\n>> -- more")
            t.send(ctrl("_"), "!", ENTER)
            t.see('entry "x = one!"')
            t = self.start("--vi", environment={"VISUAL": "false"})
            t.send("kept", ESCAPE, "v")
            t.wait("the entry again", lambda: t.text() == "> kept\n> kept")
            t.send("A!", ENTER)
            t.see('entry "kept!"')

    def test_what_a_program_printed_stays(self):
        t = self.start()
        t.send("unfinished", ENTER)
        t.see("no newline%\n>")
        t.see_cursor(2)


class Drawing(EditorTest):
    def test_a_key_costs_its_byte(self):
        t = self.start()
        t.send("x")
        t.see_row(0, "> x")
        before = len(t.output)
        t.send("y")
        t.see_row(0, "> xy")
        self.assertEqual(t.output[before:], b"y")

    def test_colours(self):
        t = self.start()
        t.send("local x = 'text' .. 12 -- note")
        t.see("-- note")
        colours = {part: t.cell(part).fg for part in ["local", "x =", "'text'", "12", "-- note"]}
        self.assertIn(colours.pop("-- note"), GREY)
        self.assertEqual(colours, {"local": "magenta", "x =": "default", "'text'": "green", "12": "cyan"})

    def test_brackets_are_matched(self):
        t = self.start()
        t.send("f({1)")
        t.see("f({1)")
        self.assertFalse(t.cell("f({1)", 1).underscore)
        t.send(LEFT, "}", RIGHT)
        t.see("f({1})")
        t.wait("a match", lambda: t.cell("f({1})", 1).underscore and t.cell("f({1})", 5).underscore)
        self.assertFalse(t.cell("f({1})", 2).underscore)

    def test_without_colours(self):
        t = self.start("--plain")
        t.send("local x = (1)", ENTER, "loc")
        t.see_row(0, "> loc")
        self.assertNotIn(b"\x1b[0", t.output)
        self.assertNotIn(b"m", t.output.split(b"> ", 1)[1])

    def test_wide_and_combining_characters(self):
        t = self.start()
        t.send("日本語e\u0301x")
        t.see_cursor(2 + 6 + 2)
        t.send(LEFT, LEFT)
        t.see_cursor(8)
        t.send(BACKSPACE)
        t.see_cursor(6)
        t.send(ENTER)
        t.see('entry "日本')
        self.assertIn("日本e\u0301x".encode(), t.output)

    def test_wide_characters_at_the_edge(self):
        t = self.start(columns=9)
        t.send("1234日本語")  # 2 + 4 + 2, and one column that is left free
        t.wait("wrapped text", lambda: [r.replace(" ", "") for r in t.rows()[-2:]] != [] and t.cursor()[0] == 4)
        t.send(BACKSPACE, BACKSPACE)
        t.see_cursor(8)

    def test_harmless_control_characters(self):
        t = self.start()
        t.send(paste("a\x1b[31mb\x07c"), b"\xff", "\u202e\u0085")
        t.see(r"> a^[[31mb^Gc\xFF\u{202E}\u{85}")
        t.send(HOME, RIGHT, DELETE, ENTER)
        t.see('entry "a[31mb')

    def test_lines_wrap(self):
        t = self.start(columns=20)
        t.send("0123456789abcdefghij")
        t.wait("wrapped text", lambda: t.rows()[:2] == ["> 0123456789abcdefgh", "ij"] and t.cursor() == (2, 1))
        t.send(BACKSPACE, BACKSPACE)
        t.wait("a full row", lambda: t.rows()[:2] == ["> 0123456789abcdefgh", ""] and t.cursor() == (0, 1))
        t.send(BACKSPACE)
        t.wait("a row less", lambda: t.rows()[:2] == ["> 0123456789abcdefg", ""] and t.cursor() == (19, 0))
        t.send(HOME, "-")
        t.wait("moved text", lambda: t.rows()[:2] == ["> -0123456789abcdefg", ""] and t.cursor() == (3, 0))

    def test_tiny_terminals(self):
        for columns, rows in [(40, 10), (5, 3), (2, 2), (3, 1), (1, 1)]:
            t = Terminal([HOST], columns=columns, rows=rows)
            t.send("do (1)", ENTER, TAB, "日本 matmul(", LEFT, UP, DOWN, ")", ctrl("e"), "end", ENTER)
            t.wait("an entry", lambda: t.output.count(b"\x1b[?2004h") == 2)
            t.send(ctrl("d"))
            self.assertEqual(t.end(), 0, (columns, rows))

    def test_resizing(self):
        t = self.start(columns=60, rows=10)
        t.send("some text that is longer than thirty columns")
        t.see("thirty columns")
        t.resize(30, 10)
        t.wait("new rows", lambda: "> some text that is longer tha\nn thirty columns" in t.text())
        t.send("!")
        t.see("n thirty columns!")
        t.resize(70, 5)
        t.see("> some text that is longer than thirty columns!")
        t.send(ENTER)
        t.see('entry "some text that is longer than thirty columns!"')

    def test_a_coloured_prompt(self):
        t = self.start("--prompt=\x1b[32m>\x1b[m ")
        self.assertEqual(t.cell(">").fg, "green")
        t.send("x")
        t.see_row(0, "> x")
        self.assertEqual(t.cell("x").fg, "default")


class Help(EditorTest):
    def test_completion(self):
        t = self.start()
        t.send("ma", TAB)
        t.see("matrix")
        self.assertEqual(t.row(0), "> ma")
        self.assertEqual(t.row(1), "matmul   matrix   maximum")
        t.send("tr", TAB)
        t.see_row(0, "> matrix")
        t.wait("no list", lambda: t.row(1) == "")
        t.send(" sof", TAB)
        t.see_row(0, "> matrix soft")
        t.send(TAB)
        t.wait("a list", lambda: t.row(1) == "softmax   softplus")
        t.send("p", TAB, ENTER)
        t.see('entry "matrix softplus"')

    def test_more_completions_than_rows(self):
        t = self.start(columns=40, rows=12)
        t.send("many", TAB, TAB)
        t.see("more")
        self.assertEqual(t.row(0), "> many1")
        self.assertEqual(t.row(1), "many1000  many1005  many1010  many1015")
        self.assertEqual(t.row(6), "and 480 more")
        t.send("y")
        t.wait("no list", lambda: t.text() == "> many1y")

    def test_tab_indents(self):
        self.entry(["a", ALT_ENTER, TAB, "x", ENTER], r"a\n  x")
        self.entry(["do", ENTER, TAB, "x", ENTER, "end"], r"do\n    x\nend")

    def test_signature(self):
        t = self.start()
        t.send("matmul(")
        t.see("matmul(a, b, {transpose_a, transpose_b})")
        self.assertEqual(t.row(0), "> matmul(")
        t.send("1)")
        t.wait("no signature", lambda: t.text() == "> matmul(1)")

    def test_a_key_is_shown_before_the_signature_is_looked_up(self):
        t = self.start()
        t.send("bell(")
        t.wait("the look-up", lambda: b"\a" in t.output)
        self.assertLess(t.output.rindex(b"("), t.output.index(b"\a"))

    def test_a_long_signature_is_cut(self):
        t = self.start(columns=20)
        t.send("matmul(")
        t.see_row(1, "matmul(a, b, {trans…")


class HistoryKeys(EditorTest):
    def with_entries(self, *entries, **how):
        t = self.start(**how)
        for entry in entries:
            t.send(entry, ENTER)
            t.see(f'entry "{entry}"')
            t.see_row(0, ">")
        return t

    def test_up_and_down(self):
        t = self.with_entries("one", "two")
        t.send("draft", HOME, UP)
        t.see_row(0, "> two")
        t.send(UP)
        t.see_row(0, "> one")
        t.send(UP)
        t.send(DOWN, DOWN)
        t.see_row(0, "> draft")

    def test_up_searches_what_was_typed(self):
        t = self.with_entries("print(1)", "x = 2", "print(3)", "y = 4")
        t.send("pr", UP)
        t.see_row(0, "> print(3)")
        t.send(UP)
        t.see_row(0, "> print(1)")
        t.send(DOWN, DOWN)
        t.see_cursor(4)
        t.send(ctrl("c"))
        t.see("> pr^C")

    def test_lines_of_an_entry_come_first(self):
        t = self.with_entries("first")
        t.send("do", ENTER, "end", ENTER)
        t.see(r'entry "do\nend"')
        t.send(UP)
        t.see("> do\n>> end")
        t.wait("both lines", lambda: t.row(-1) == "> do" and t.row(0) == ">> end")
        t.send(UP)
        t.see_row(0, "> do")
        t.send(UP)
        t.see_row(0, "> first")

    def test_search(self):
        t = self.with_entries("alpha one", "beta", "alpha two")
        t.send(ctrl("r"), "alp")
        t.see_row(0, "> alpha two")
        t.see("search the history: alp")
        t.send(ctrl("r"))
        t.see_row(0, "> alpha one")
        t.send(ctrl("r"))
        t.see("not in the history: alp")
        t.send(ctrl("s"))
        t.see_row(0, "> alpha two")
        t.send(ctrl("g"))
        t.see_row(0, ">")
        t.send("kept", ctrl("r"), "be", RIGHT, "x", ENTER)
        t.see('entry "bxeta"')

    def test_suggestion(self):
        t = self.with_entries("matmul(a, b)")
        t.send("mat")
        t.see_row(0, "> matmul(a, b)")
        t.see_cursor(5)
        self.assertIn(t.cell("mul(a").fg, GREY)
        before = len(t.output)
        t.send("m")
        t.see_cursor(6)
        self.assertEqual(t.output[before:], b"\x1b[mm")
        t.send(RIGHT, ENTER)
        t.wait("two entries", lambda: t.text().count('entry "matmul(a, b)"') == 2)
        t.send("matm", ENTER)
        t.see('entry "matm"')
        self.assertIn("> matm\n", t.text())

    def test_a_word_of_a_suggestion(self):
        t = self.with_entries("one two three")
        t.send("on", alt("f"), alt("f"), ENTER)
        t.see('entry "one two"')


class HistoryFile(EditorTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name + "/state/lutra/history"

    def run_entries(self, *entries):
        t = self.start("--history=" + self.path)
        for entry in entries:
            t.send(entry, ENTER)
            t.see("entry")
        t.send(ctrl("d"))
        self.assertEqual(t.end(), 0)

    def lines(self):
        with open(self.path) as file:
            return file.read().splitlines()

    def test_entries_come_back(self):
        self.run_entries("one", "one", " secret", paste("a\nb\\n"), "")
        self.assertEqual(self.lines(), ["one", r"a\nb\\n"])
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(self.path)).st_mode & 0o777, 0o700)
        t = self.start("--history=" + self.path)
        t.send(UP)
        t.wait("the entry", lambda: t.row(-1) == "> a" and t.row(0) == r">> b\n")
        t.send(ENTER)
        t.see('entry "a\\nb\\n"')

    def test_two_sessions_lose_nothing(self):
        a, b = self.start("--history=" + self.path), self.start("--history=" + self.path)
        for i in range(20):
            for t, name in (a, "a"), (b, "b"):
                t.send(f"{name}{i}", ENTER)
        for t, name in (a, "a"), (b, "b"):
            t.see(f'entry "{name}19"')
            t.send(ctrl("d"))
            self.assertEqual(t.end(), 0)
        self.assertEqual(sorted(self.lines()), sorted(f"{n}{i}" for n in "ab" for i in range(20)))

    def test_a_folder_in_its_place(self):
        os.makedirs(self.path)
        t = self.start("--history=" + self.path)
        t.see("history: cannot read")
        t.send("works", ENTER)
        t.see('entry "works"')
        t.send(UP)
        t.see_row(0, "> works")


class State(EditorTest):
    def flags(self, t):
        return termios.tcgetattr(t.child.child_fd)

    def test_restored_after_the_end(self):
        t = Terminal(["/bin/sh", "-c", f"stty -g; {HOST}; stty -g; echo done"])
        t.see_row(0, ">")
        t.send("x", ENTER, ctrl("d"))
        t.see("done")
        states = [row for row in t.rows() if row.count(":") > 10]
        self.assertEqual(len(states), 2)
        self.assertEqual(states[0], states[1])
        self.assertEqual(t.output.count(b"\x1b[?2004h"), t.output.count(b"\x1b[?2004l"))

    def test_keys_typed_before_the_editor_starts(self):
        with tempfile.TemporaryDirectory() as folder:
            ready = os.path.join(folder, "ready")
            t = Terminal(["/bin/sh", "-c", f"stty echo; echo waiting; while [ ! -e {ready} ]; do sleep 0.02; done; {HOST}; echo done"])
            t.see("waiting")
            t.send("one", ENTER, "two", ENTER, ctrl("d"))
            t.see("two")
            open(ready, "w").close()
            t.see("done")
            self.assertIn('entry "one"', t.text())
            self.assertIn('entry "two"', t.text())

    def test_restored_after_a_signal(self):
        for name in signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            t = Terminal(["/bin/sh", "-c", f"ulimit -c 0; stty -g; sh -c 'echo pid=$$=; exec {HOST}'; stty -g; echo done"])
            t.see_row(0, ">")
            os.kill(int(t.text().split("pid=")[1].split("=")[0]), name)
            t.see("done")
            states = [row for row in t.rows() if row.count(":") > 10]
            self.assertEqual(states[0], states[1])
            self.assertTrue(t.output.rindex(b"\x1b[?2004l") > t.output.rindex(b"\x1b[?2004h"))

    def test_an_interrupt_from_outside(self):
        t = self.start()
        t.send("abc")
        t.see("abc")
        os.kill(t.child.pid, signal.SIGINT)
        t.see('interrupted ""')
        t.send("x", ENTER)
        t.see('entry "x"')

    def test_stops_and_continues(self):
        t = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], environment={"PS1": "shell$ "})
        t.see("shell$")
        t.send(f"{HOST}\r")
        t.see_row(0, ">")
        t.send("half", ctrl("z"))
        t.see("Stopped")
        t.send("stty -a | tr ' ' '\\n' | grep -x icanon; fg\r")
        t.see("\nicanon\n")
        t.see_row(0, "> half")
        t.send(" and more", ENTER)
        t.see('entry "half and more"')
        t.send(ctrl("d"))
        t.see('end ""')

    def test_a_terminal_that_vanishes(self):
        t = self.start()
        t.send("abc")
        t.see("abc")
        t.child.close(force=False)  # the pty closes; SIGHUP ends the program
        self.assertEqual(t.child.signalstatus, signal.SIGHUP)

    def test_a_terminal_that_vanishes_without_a_signal(self):
        with tempfile.NamedTemporaryFile() as record:
            t = Terminal(["/bin/sh", "-c", f"trap '' HUP; {HOST} >/dev/null; echo $? >{record.name}"])
            t.wait("raw mode", lambda: not t.take(0.05) or not termios.tcgetattr(t.child.child_fd)[3] & termios.ICANON)
            os.close(t.child.child_fd)
            t.child.wait()
            self.assertEqual(record.read(), b"0\n")


class Plain(unittest.TestCase):
    def run_host(self, text):
        import subprocess
        return subprocess.run([HOST, "--stdin"], input=text, capture_output=True).stdout.decode()

    def test_lines(self):
        self.assertEqual(self.run_host(b"a\ndo\nend\n"), '> entry "a"\n> >> entry "do\\nend"\n> end ""\n')

    def test_an_end_inside_an_entry(self):
        self.assertEqual(self.run_host(b"do\nx"), '> >> >> entry "do\\nx"\n> end ""\n')

    def test_zero_bytes(self):
        self.assertEqual(self.run_host(b"a\0b\n"), '> entry "a\\0b"\n> end ""\n')


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
