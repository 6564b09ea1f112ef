"""The prompt of the program $LUTRA in a terminal: its history file, narrow terminals, huge results, vi keys, interrupts."""
import os
import signal
import stat
import tempfile
import unittest

from terminal import *

LUTRA = os.environ["LUTRA"]


class PromptTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {"HOME": self.folder.name, "XDG_STATE_HOME": self.folder.name + "/state",
                            "XDG_CONFIG_HOME": self.folder.name, "LC_ALL": "C.UTF-8", "LUTRA_SIM_GPUS": "2"}

    def start(self, **how):
        environment = {**self.environment, **how.pop("environment", {})}
        terminal = Terminal([LUTRA], environment=environment, **how)
        self.addCleanup(terminal.child.close, True)
        terminal.see_prompt()
        return terminal

    def rows_of(self, t, *entries):
        """What a screen shows of these entries, from the first one on."""
        t.send(ctrl("l"))
        t.wait("an empty screen", lambda: t.text() == ">")
        for entry in entries:
            t.send(entry, ENTER)
        t.send("'e' .. 'nd'", ENTER)
        t.wait("the end", lambda: "end" in t.rows())
        rows = t.rows()
        return rows[:rows.index("end")]


class History(PromptTest):
    def test_the_file_is_only_the_users(self):
        old = os.umask(0)
        try:
            t = self.start()
        finally:
            os.umask(old)
        t.send("secret = 1", ENTER)
        t.see_prompt()
        t.send(ctrl("d"))
        self.assertEqual(t.end(), 0)
        path = self.folder.name + "/state/lutra/history"
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as file:
            self.assertIn("secret = 1", file.read())
        t = self.start()
        t.send(UP)
        t.see_row(0, "> secret = 1")

    def test_an_empty_variable_turns_it_off(self):
        t = self.start(environment={"LUTRA_HISTORY": ""})
        t.send("secret = 1", ENTER)
        t.see_prompt()
        t.send(ctrl("d"))
        self.assertEqual(t.end(), 0)
        self.assertFalse(os.path.exists(self.folder.name + "/state"))


class Narrow(PromptTest):
    """Tables in a terminal of 40 columns: each row of the table is one row of the screen, whole or shortened by "..."."""

    def test_variables(self):
        t = self.start(columns=40, rows=40)
        rows = self.rows_of(t, "a_name_that_is_rather_long = lt.ones{600, 600}", "b = lt.ones{3}", ":who")
        table = rows[rows.index("> :who") + 1:-1]
        self.assertEqual(len(table), 3, table)
        self.assertTrue(table[0].startswith("a_"), table)
        self.assertEqual(table[0].split()[-4:], ["float32", "GPU:0", "1.4", "MB"])
        self.assertEqual(table[1].split(), ["b", "(3,)", "float32", "GPU:0", "12", "B"])
        self.assertEqual(table[0].index("float32"), table[1].index("float32"))

    def test_devices(self):
        t = self.start(columns=40, rows=40)
        rows = self.rows_of(t, "b = lt.ones{3}", ":devices")
        table = rows[rows.index("> :devices") + 1:-1]
        self.assertEqual([row.split()[0] for row in table], ["device", "CPU:0", "GPU:0", "GPU:1"])
        self.assertEqual({len(row) for row in table}, {len(table[0])})
        self.assertEqual(table[2].split()[-1], "4096.0")

    def test_memory_and_models(self):
        t = self.start(columns=40, rows=60)
        rows = self.rows_of(t, "m = lt.nn.Sequential {lt.nn.Dense(4, {input_shape = {3}}), lt.nn.Dense(2)}", "m:summary()")
        table = rows[rows.index("> m:summary()") + 1:-1]
        self.assertEqual([row.split()[-1] for row in table if row.startswith(" dense")], ["16", "10"])
        rows = self.rows_of(t, "x = lt.ones{600, 600}", ":mem")
        table = rows[rows.index("> :mem") + 1:-1]
        self.assertTrue(any(row.startswith("  1.37MiB  (600, 600) float32") for row in table), table)
        # A place that goes on is aligned below its first word.
        self.assertIn("           Fill at stdin:1", table)


class Huge(PromptTest):
    def test_a_huge_string_is_cut(self):
        t = self.start()
        t.send("s = ('0123456789'):rep(2000000); c = ('\\1\\n'):rep(10000000)", ENTER)
        t.see_prompt()
        before = len(t.output)
        t.send("s", ENTER)
        t.see("... (the first 65536 of 20000000 bytes; print writes all)")
        t.send("c", ENTER)
        t.wait("the second", lambda: t.output.count(b"of 20000000 bytes; print writes all") == 2)
        self.assertLess(len(t.output) - before, 500000)
        # A character is not cut in two: the result stays UTF-8.
        t.send(ctrl("l"), "'x' .. ('\u20ac'):rep(30000)", ENTER)
        t.see("... (the first 65536 of 90001 bytes; print writes all)")
        self.assertNotIn(b"\\xE2", t.output)
        t.send("#s, #_", ENTER)
        t.see("20000000        90001")

    def test_a_string_of_the_most_bytes_is_whole(self):
        t = self.start()
        t.send("('0'):rep(65535) .. 'z'", ENTER)
        t.see("0z\n>")
        self.assertNotIn(b"print writes", t.output)


class ViKeys(PromptTest):
    def test_a_variable_chooses_them(self):
        t = self.start(environment={"LUTRA_KEYS": "vi"})
        t.send("1 + 2", ESCAPE)
        t.wait("a block", lambda: t.output.endswith(b"\x1b[2 q"))
        t.send("0cw4", ESCAPE)
        t.see_row(0, "> 4 + 2")
        t.wait("a block", lambda: t.output.endswith(b"\x1b[2 q"))
        t.send(ENTER)
        t.see("\n6\n")
        t.send(ESCAPE)
        t.wait("a block", lambda: t.output.endswith(b"\x1b[2 q"))
        t.send("k")
        t.see_row(0, "> 4 + 2")
        t.send("ddilt.ones {2}:matm", TAB)
        t.see_row(0, "> lt.ones {2}:matmul")


class Interrupts(PromptTest):
    def start_entry(self, entry):
        t = self.start()
        t.send(entry, ENTER)
        t.see("ready")
        return t

    def test_three_presses_within_a_second(self):
        """A finalizer cannot be interrupted; the third press ends the program, as a signal does."""
        t = self.start_entry("setmetatable({}, {__gc = function() print('rea' .. 'dy') while true do end end}) collectgarbage()")
        t.send(ctrl("c"))
        t.take(0.3)  # signals that come at once are one
        t.send(ctrl("c"))
        t.see("Ctrl-C once more ends lutra")
        t.send(ctrl("c"))
        self.assertEqual(t.end(), -signal.SIGINT)

    def test_more_presses_than_a_loop_needs(self):
        """Once the entry has ended, presses clear the line: nobody leaves by them."""
        t = self.start_entry("print('rea' .. 'dy') while true do pcall(function() while true do end end) end")
        t.send(ctrl("c"))
        t.see("interrupted!")
        t.see_prompt()
        for _ in range(4):
            t.send(ctrl("c"))
            t.see_prompt()
        t.send("6 * 7", ENTER)
        t.see("\n42\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
