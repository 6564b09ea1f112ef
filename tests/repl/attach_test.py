"""lt.repl.listen and `lutra attach`: a terminal, raw sockets and hosts that misbehave. $LUTRA is the program."""
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from terminal import *

LUTRA = os.environ["LUTRA"]
SECONDS = 60

# Polls until its stdin ends; its own output stays its own.
HOST = """
local listener = lt.repl.listen(arg[1])
state = { frames = 0 }
local kept_print = print
function host_says(text) io.stderr:write(text, "\\n") end
io.stdout:write("listening\\n"):flush()
while not stop do
  state.frames = state.frames + 1
  listener:poll(0.05)
end
listener:close()
io.stdout:write("the host's own end\\n")
"""

GREETING = b"lutra attach 1\n"


def frame(kind, payload=b""):
    return kind.encode() + struct.pack("<I", len(payload)) + payload


class Raw:
    """A client that speaks the frames itself."""

    def __init__(self, path, greets=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(path)
        self.bytes = b""
        if greets:
            self.send("H", GREETING)

    def send(self, kind, payload=b""):
        self.socket.sendall(frame(kind, payload))

    def read(self):
        """The next frame: its kind and its payload; None at the end."""
        while len(self.bytes) < 5 or len(self.bytes) < 5 + struct.unpack("<I", self.bytes[1:5])[0]:
            try:
                got = self.socket.recv(1 << 16)
            except ConnectionResetError:
                got = b""
            if not got:
                return None
            self.bytes += got
        size = struct.unpack("<I", self.bytes[1:5])[0]
        found = self.bytes[:1].decode(), self.bytes[5:5 + size]
        self.bytes = self.bytes[5 + size:]
        return found

    def until(self, kind):
        """The payloads that come before a frame of this kind, by kind, and that frame's."""
        before = {}
        while True:
            found = self.read()
            if found is None:
                raise AssertionError(f"the host left before {kind}: {before}")
            if found[0] == kind:
                return before, found[1]
            before[found[0]] = before.get(found[0], b"") + found[1]

    def run_entry(self, text):
        self.send("R", text.encode())
        return self.until("P")

    def close(self):
        self.socket.close()


class AttachTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "lutra.sock")
        self.environment = {**os.environ, "XDG_STATE_HOME": self.folder.name, "XDG_CONFIG_HOME": self.folder.name,
                            "HOME": self.folder.name, "LC_ALL": "C.UTF-8"}

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def host(self, script=HOST, waits=True):
        process = subprocess.Popen([LUTRA, self.write("host.lua", script), self.path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        self.addCleanup(self.kill, process)
        if waits:
            self.assertEqual(process.stdout.readline(), b"listening\n")
        return process

    @staticmethod
    def kill(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def attach(self, **how):
        terminal = Terminal([LUTRA, "attach", self.path], environment=self.environment, **how)
        self.addCleanup(terminal.child.close, True)
        return terminal

    def piped(self, text, *options):
        return subprocess.run([LUTRA, *options, "attach", self.path], input=text.encode(), capture_output=True,
                              env=self.environment, timeout=SECONDS)

    def client(self):
        client = Raw(self.path)
        self.addCleanup(client.close)
        client.until("P")
        return client

    def ended(self, process):
        out, err = process.communicate(timeout=SECONDS)
        return process.returncode, out.decode(), err.decode()


class Session(AttachTest):
    def test_the_prompt_of_a_host_in_a_terminal(self):
        host = self.host()
        t = self.attach()
        t.see("attached to process %d" % host.pid)
        t.see_row(0, ">")
        t.send("local x = lt.ones {2, 3}", ENTER)
        t.see_row(-1, "> local x = lt.ones {2, 3}")
        t.send("x:resh", TAB)
        t.see("> x:reshape")
        t.send("({6}).size", ENTER)
        t.see("\n6\n")
        t.send("state.frames > 0", ENTER)
        t.see("true")
        # Several lines are one entry; Enter asks the parser without the host.
        t.send("for i = 1, 2 do", ENTER)
        t.see_row(0, ">>")
        t.send("print('line', i) end", ENTER)
        t.see("line\t2".expandtabs())
        t.send(":who", ENTER)
        t.see("(2, 3)")
        t.send("x.shpe", ENTER)
        t.see("did you mean 'shape'?")
        t.send(UP, UP)
        t.see_row(0, "> :who")
        t.send(ctrl("c"))
        t.send("?matmul", ENTER)
        t.see("matmul(")
        t.send("stop = true", ENTER)
        t.see("the host has closed the connection")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.ended(host), (0, "the host's own end\n", ""))

    def test_help_breaks_lines_between_words(self):
        self.host()
        for question in [":help", ":help bench", "?matmul", "?range", "??searchsorted"]:
            words = []
            for columns in [200, 40]:
                t = self.attach(columns=columns, rows=120)
                t.see("attached")
                t.send(ctrl("l"), question, ENTER, "'e' .. 'nd'", ENTER)
                t.wait("the end", lambda: "end" in t.rows())
                rows = t.rows()
                first, last = rows.index("> " + question), rows.index("> 'e' .. 'nd'")
                words.append(" ".join(rows[first + 1:last]).split())
                t.send(ctrl("d"))
                self.assertEqual(t.end(), 0)
            self.assertGreater(len(words[0]), 5)
            self.assertEqual(*words)

    def test_progress_of_a_fit_stays_on_one_row(self):
        self.host()
        t = self.attach(columns=40, rows=60)
        t.see("attached")
        t.send("m = lt.nn.Sequential{lt.nn.Dense(1, {input_shape={1}})}", ENTER,
               "m:compile{loss='mse', optimizer='sgd', metrics={'mae', 'mse', 'mape'}}", ENTER,
               "m:fit(lt.ones{8000, 1}, lt.ones{8000, 1}, {epochs=1, batch_size=1, verbose=1});", ENTER, "'e' .. 'nd'", ENTER)
        t.wait("the end", lambda: "end" in t.rows())
        self.assertEqual([row[:10] for row in t.rows() if "/8000 " in row], ["8000/8000 "])

    def test_signatures_appear_while_typing(self):
        self.host()
        t = self.attach()
        t.see("attached to process")
        t.send("lt.matmul(")
        t.see("matmul(a, b")

    def test_ctrl_d_and_quit_leave_the_host_running(self):
        host = self.host()
        t = self.attach()
        t.see("attached")
        t.send(ctrl("d"))
        self.assertEqual(t.end(), 0)
        t = self.attach()
        t.see("attached")
        t.send("quit", ENTER)
        self.assertEqual(t.end(), 0)
        self.assertIsNone(host.poll())
        self.assertEqual(self.piped("print(state.frames > 0)\n").stdout, b"true\n")

    def test_output_goes_to_the_client_and_not_to_the_host(self):
        host = self.host()
        done = self.piped('io.write("a", 1); print(2)\nio.stdout:write("b\\n");\nio.stderr:write("c\\n");\n'
                          'local p = print; late = function() p("late") end\n'
                          'lt.debugging.set_log_device_placement(true); local t = lt.ones {2} + 1\n'
                          'lt.debugging.set_log_device_placement(false)\n')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"a12\nb\n")
        self.assertTrue(done.stderr.startswith(b"c\nExecuting op "), done.stderr)
        # What an entry has kept prints where its caller prints.
        self.assertEqual(self.piped("late()\n").stdout, b"late\n")
        self.piped("stop = true\n")
        self.assertEqual(self.ended(host), (0, "the host's own end\n", ""))

    def test_the_host_gets_its_files_back(self):
        script = HOST.replace("while not stop do", "while not stop do if after then after() after = nil end")
        host = self.host(script)
        self.piped('local p = print; after = function() p("to the host") io.write("also\\n") io.stderr:write("err\\n") end\n')
        self.piped("stop = true\n")
        self.assertEqual(self.ended(host), (0, "to the host\nalso\nthe host's own end\n", "err\n"))

    def test_the_hosts_prompts(self):
        self.host()
        client = self.client()
        self.assertEqual(client.run_entry("_PROMPT = 'game> '")[1], b"ogame> \0>> ")
        loops = "_PROMPT = setmetatable({}, {__tostring = function() while true do end end})"
        self.assertEqual(client.run_entry(loops)[1], b"o> \0>> ")

    def test_a_pipe_has_no_prompts_and_tells_of_errors_by_its_status(self):
        self.host()
        done = self.piped("x = 5\nx + 1\nx +\n1\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"6\n6\n", b""))
        done = self.piped("error 'no'\nprint 'on'\n")
        self.assertEqual((done.returncode, done.stdout), (1, b"on\n"))
        self.assertIn(b"stdin:1: no", done.stderr)
        self.assertIn(b"traceback", done.stderr)

    def test_an_entry_reads_the_clients_input(self):
        host = self.host()
        t = self.attach()
        t.see("attached")
        t.send("io.write('name? ') name = io.read()", ENTER)
        t.see_row(0, "name?")
        t.send("Ada", ENTER)
        t.see_prompt()
        t.send("name .. '!'", ENTER)
        t.see("Ada!")
        t.see_prompt()
        t.send("io.read('n', 'l')", ENTER)
        t.see_line_mode()
        t.send("12 rest", ENTER)
        t.see("12\t rest".expandtabs())
        t.see_prompt()
        t.send("io.read()", ENTER)
        t.see_line_mode()
        t.send(ctrl("d"))
        t.see("nil")
        self.assertIsNone(host.poll())

    def test_devices_and_the_log_of_a_session_end_with_it(self):
        self.host()
        done = self.piped(":device CPU:0\n:log on\nlocal x = lt.ones {2} + 1\nx\nlocal t <close> = lt.device 'CPU:0'\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"Executing op", done.stderr)
        done = self.piped("local y = lt.ones {2} + 1\ny:sum():item()\nx == nil\n")
        self.assertEqual((done.stdout, done.stderr), (b"4.0\ntrue\n", b""))

    def test_an_entry_cannot_poll_or_close_its_own_socket(self):
        self.host(HOST.replace("local listener", "listener"))
        done = self.piped("listener:poll()\nlistener:close()\nlistener:is_attached()\nlistener\n")
        self.assertIn(b"an entry cannot poll the socket that it came by", done.stderr)
        self.assertIn(b"an entry cannot close the socket that it came by", done.stderr)
        self.assertEqual(done.stdout.decode(), "true\nlutra.repl.Listener(%s)\n" % self.path)

    def test_plots_are_drawn_for_the_clients_terminal(self):
        self.host()
        t = self.attach(columns=60)
        t.see("attached")
        t.send("lt.plot.line {1, 4, 9, 16}", ENTER)
        t.wait("braille", lambda: any("⠀" < c <= "⣿" for c in t.text()))


    def test_a_host_may_poll_at_its_own_prompt(self):
        host = Terminal([LUTRA], environment=self.environment)
        self.addCleanup(host.child.close, True)
        host.see_row(0, ">")
        host.send("listener = lt.repl.listen '%s'" % self.path, ENTER)
        host.wait("the socket", lambda: os.path.exists(self.path))
        host.see_row(0, ">")
        host.send("local a = 1 repeat listener:poll(0.1) until done local b = 2", ENTER)
        done = self.piped("local c = 3\nc, a\nnil + 1\ndone = true\n")
        self.assertEqual(done.stdout, b"3\tnil\n")
        host.see_row(0, ">")
        host.send("a, b, c", ENTER)
        host.see("1\t2\tnil".expandtabs())
        host.send("while true do listener:poll(1) end", ENTER)
        client = self.client()
        client.send("R", b"print 'begun' while true do end")
        client.until("O")
        host.send(ctrl("c"))
        host.see("interrupted!")
        host.see_row(0, ">")


class Interrupts(AttachTest):
    def test_ctrl_c_where_lines_are_plain_begins_a_row(self):
        t = Terminal([LUTRA], environment={**self.environment, "TERM": "dumb"})
        self.addCleanup(t.child.close, True)
        t.see_row(0, ">")
        # The prompt is there a moment before the program waits for a line.
        def pressed():
            t.send(ctrl("c"))
            t.take(0.5)
            return t.row(-1) == ">" and t.row(0) == ">"
        t.wait("a new row", pressed)
        t.send("1 + 1", ENTER)
        t.see("2")

    def test_ctrl_c_typed_with_enter_stops_the_entry_and_not_the_next_one(self):
        for command in [[LUTRA, "--sim-gpus", "1"], None]:
            if command is None:
                self.host()
            t = self.attach() if command is None else Terminal(command, environment=self.environment)
            self.addCleanup(t.child.close, True)
            t.see_row(0, ">")
            for entry in ["while true do end", "while true do pcall(lt.ones, {2}) end"]:
                t.send(entry.encode() + b"\rx = 1" + ctrl("c"))
                t.see("interrupted")
                t.see_row(0, ">")
                t.send("print('on', 'ward', x)", ENTER)
                t.see("on\tward\tnil".expandtabs())
                t.send(ctrl("l"))
                t.wait("an empty screen", lambda: t.text() == ">")

    def test_ctrl_c_interrupts_the_entry_and_not_the_host(self):
        host = self.host()
        t = self.attach()
        t.see("attached")
        for entry in ["while true do end", "while true do pcall(function() while true do end end) end",
                      "coroutine.wrap(function() while true do end end)()", "io.read()"]:
            t.send("io.write('be', 'gun\\n') " + entry, ENTER)
            t.see("begun")
            t.send(ctrl("c"))
            t.see("interrupted!")
            t.see_row(0, ">")
            t.send(ctrl("l"))
            t.wait("an empty screen", lambda: t.text() == ">")
        t.send("state.frames > 0", ENTER)
        t.see("true")
        self.assertIsNone(host.poll())

    def test_an_entry_that_prints_for_ever_is_interrupted(self):
        self.host()
        client = self.client()
        client.send("R", b"while true do print('x') end")
        client.until("O")
        client.send("K")
        before, _ = client.until("P")
        self.assertIn(b"interrupted!", before["T"])
        self.assertEqual(client.run_entry("1 + 1")[0]["O"], b"2\n")

    def test_ctrl_c_takes_back_an_entry_that_the_host_has_not_begun(self):
        host = self.host(HOST.replace("listener:poll(0.05)", """
          if ready then
            if not is_told then io.stdout:write("idle\\n"):flush() end
            is_told = true
            os.execute "sleep 0.05"
          else
            listener:poll(0.05)
          end"""))
        t = self.attach()
        t.see("attached")
        t.send("ready = true", ENTER)
        self.assertEqual(host.stdout.readline(), b"idle\n")
        t.send("print 'never'", ENTER)
        time.sleep(0.2)
        t.send(ctrl("c"))
        t.see("interrupted before the host took the entry")
        t.send("print 'never'", ENTER)
        time.sleep(0.2)
        t.send(ctrl("c"))
        t.see_row(0, ">")
        self.assertNotIn("\nnever", t.text())
        t.send("1", ENTER)
        time.sleep(0.2)
        for _ in range(3):
            t.send(ctrl("c"))
            time.sleep(0.1)
            t.take(0.1)
        t.send(ctrl("d"))
        self.assertIn(t.end(), (0, 130))

    def test_ctrl_c_at_the_host_stops_the_host(self):
        for entry in [None, b"while true do end", b"io.read()"]:
            host = self.host()
            client = self.client()
            if entry:
                client.send("R", b"print 'begun' " + entry)
                client.until("I" if b"read" in entry else "O")
            host.send_signal(signal.SIGINT)
            status, _, err = self.ended(host)
            self.assertNotEqual(status, 0)
            self.assertIn("interrupted!", err)
            client.close()

    def test_a_client_that_vanishes_interrupts_its_entry(self):
        host = self.host()
        for entry in ["while true do end", "io.read()", "while true do print(('x'):rep(1000)) end"]:
            client = self.client()
            client.send("R", b"print 'begun' " + entry.encode())
            client.until("O")
            client.close()
            self.assertEqual(self.piped("1 + 1\n").stdout, b"2\n")
        self.assertIsNone(host.poll())


class Trouble(AttachTest):
    def test_the_socket_is_the_users_alone(self):
        os.umask(0)
        self.addCleanup(os.umask, 0o022)
        self.host()
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)

    def listen(self, path):
        done = subprocess.run([LUTRA, "-e", "print(pcall(lt.repl.listen, %r))" % path], capture_output=True,
                              env=self.environment, timeout=SECONDS)
        return done.stdout.decode()

    def test_paths_that_are_taken(self):
        self.assertIn("exists and is no socket", self.listen(self.write("file", "mine")))
        with open(os.path.join(self.folder.name, "file")) as file:
            self.assertEqual(file.read(), "mine")
        self.host()
        self.assertIn("is in use: another host listens there", self.listen(self.path))
        self.assertEqual(self.piped("1\n").stdout, b"1\n")
        # A stale socket with another mode is another program's.
        other = os.path.join(self.folder.name, "other")
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(other)
        stale.close()
        os.chmod(other, 0o755)
        self.assertIn("another program or user has made", self.listen(other))
        self.assertTrue(os.path.exists(other))
        os.chmod(other, 0o600)
        self.assertIn("true", self.listen(other))
        for path, message in [("/nonexistent/x", "cannot make the socket /nonexistent/x"), ("", "path"),
                              ("/tmp/" + "x" * 200, "at most 107 bytes"), (self.folder.name, "is no socket")]:
            self.assertIn(message, self.listen(path))

    def test_a_host_that_was_killed_leaves_a_socket_that_the_next_one_replaces(self):
        host = self.host()
        host.kill()
        host.wait()
        self.assertTrue(os.path.exists(self.path))
        done = self.piped("1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no host listens at", done.stderr)
        host = self.host()
        self.piped("stop = true\n")
        self.assertEqual(self.ended(host)[0], 0)
        self.assertFalse(os.path.exists(self.path))

    def test_attach_says_what_is_wrong(self):
        done = self.piped("")
        self.assertIn(b"lutra: cannot attach to", done.stderr)
        self.assertEqual(done.returncode, 1)
        self.path = self.write("file", "")
        self.assertIn(b"is no socket", self.piped("").stderr)

    def test_a_second_client_is_told_that_there_is_one(self):
        self.host()
        first = self.client()
        second = self.piped("1\n")
        self.assertEqual((second.returncode, second.stderr), (1, b"lutra: another client is attached to this host\n"))
        before, _ = first.run_entry("1 + 1")
        self.assertEqual(before["O"], b"2\n")
        first.close()
        self.assertEqual(self.piped("1 + 2\n").stdout, b"3\n")

    def test_garbage_on_the_socket(self):
        host = self.host()
        for data in [b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 100, frame("H", b"other 9\n"), frame("R", b"x = 1"),
                     b"H\xff\xff\xff\xff", b"", b"H"]:
            client = Raw(self.path, greets=False)
            client.socket.sendall(data)
            if len(data) > 1:
                found = client.read()
                self.assertIn(found and found[0], ("X", None))
            client.close()
        client = self.client()
        client.socket.sendall(b"\0" * 100)
        self.assertEqual(client.until("X")[1], b"this is no client of lutra's, or one of another version")
        client = self.client()
        for _ in range(200):
            try:
                client.send("C", b"1 0 x")
            except OSError:
                break
        client.close()
        client = self.client()
        for payload in [b"", b"x", b"1", b"1 99999999999999999999 x", b"5 3 lt."]:
            client.send("C", payload)
            client.send("S", payload)
        self.assertTrue(client.until("A")[1].startswith(b"5 "))
        client.close()
        self.assertEqual(self.piped("1 + 2\n").stdout, b"3\n")
        self.assertIsNone(host.poll())

    def test_huge_entries(self):
        self.host()
        client = self.client()
        text = "#'" + "x" * (15 << 20) + "'"
        self.assertEqual(client.run_entry(text)[0]["O"], b"%d\n" % (15 << 20))
        client.close()
        done = self.piped("x = '" + "y" * (17 << 20) + "'\n1\n")
        self.assertEqual((done.returncode, done.stdout), (1, b"1\n"))
        self.assertIn(b"a host takes at most", done.stderr)

    def test_much_output_reaches_a_slow_reader_whole(self):
        self.host()
        client = self.client()
        client.send("R", b"for i = 1, 200000 do print(i) end io.write(('z'):rep(3000000))")
        time.sleep(1)
        before, _ = client.until("P")
        self.assertEqual(before["O"], b"".join(b"%d\n" % i for i in range(1, 200001)) + b"z" * 3000000)

    def test_a_reader_that_never_reads_is_dropped_and_the_host_goes_on(self):
        self.host()
        client = self.client()
        client.send("R", b"while true do print(('x'):rep(10000)) end")
        self.assertEqual(self.until_free(), b"3\n")
        client.close()

    def until_free(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            done = self.piped("1 + 2\n")
            if b"another client" not in done.stderr:
                return done.stdout
            time.sleep(0.5)

    def test_a_host_that_ends_or_dies_during_an_entry(self):
        host = self.host()
        t = self.attach()
        t.see("attached")
        t.send("os.exit(3)", ENTER)
        t.see("the host has ended")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.ended(host)[0], 3)
        host = self.host()
        t = self.attach()
        t.see("attached")
        t.send("io.write('be', 'gun\\n') while true do end", ENTER)
        t.see("begun")
        host.kill()
        t.see("the host has ended")
        self.assertEqual(t.end(), 1)
        host = self.host()
        self.assertEqual(self.piped("os.exit(4, true)\n").returncode, 1)
        self.assertEqual(self.ended(host)[0], 4)

    def test_a_host_that_ends_while_the_client_types(self):
        host = self.host(HOST.replace("while not stop do", "while not stop do if io.open(arg[1] .. '.stop') then break end"))
        t = self.attach()
        t.see("attached")
        t.send("print 'half")
        t.see("> print 'half")
        self.write("lutra.sock.stop", "")
        t.see("the host has closed the connection")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.ended(host)[0], 0)
        os.remove(self.path + ".stop")
        host = self.host()
        t = self.attach()
        t.see("attached")
        host.kill()
        t.see("the host has ended")
        self.assertEqual(t.end(), 1)

    def test_a_host_that_does_not_poll(self):
        self.host("local l = lt.repl.listen(arg[1]) io.stdout:write('listening\\n'):flush() io.read()")
        t = self.attach()
        t.see("waiting until the host (process")
        t.send(ctrl("c"))
        self.assertEqual(t.end(), 130)

    def test_arguments(self):
        def says(code, message):
            done = subprocess.run([LUTRA, "-e", code], capture_output=True, env=self.environment, timeout=SECONDS)
            self.assertIn(message, done.stderr.decode())
            self.assertEqual(done.returncode, 1)
        says("lt.repl.listen()", "repl.listen: path is missing")
        says("lt.repl.listen({})", "repl.listen: path is a table, expected a string")
        says("lt.repl.listen('%s', 1)" % self.path, "repl.listen")
        says("local l = lt.repl.listen('%s') l.poll()" % self.path, "write listener:poll()")
        says("local l = lt.repl.listen('%s') l:poll(-1)" % self.path, "poll: seconds is -1")
        says("local l = lt.repl.listen('%s') l:poll('x')" % self.path, "poll: seconds is")
        says("local l = lt.repl.listen('%s') l:close() l:close() l:poll()" % self.path, "poll: the listener is closed")
        for words, message in [([], "needs the path"), (["a", "b"], "takes one path")]:
            done = subprocess.run([LUTRA, "attach", *words], capture_output=True, timeout=SECONDS)
            self.assertIn(message, done.stderr.decode())
            self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
