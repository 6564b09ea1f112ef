"""lutra-kernel by Jupyter's own client. Usage: kernel_test.py LUTRA_KERNEL, with $LUTRA."""
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import KernelManager
except ImportError as missing:
    print(f"skipped: {missing}. On Debian: apt-get install python3-jupyter-client")
    sys.exit(77)

KERNEL = sys.argv[1]
LUTRA = os.environ["LUTRA"]
SECONDS = 60


class Output:
    """What a cell has shown."""

    def __init__(self):
        self.stdout = self.stderr = ""
        self.result = self.error = None
        self.shown = []

    def take(self, message):
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            setattr(self, content["name"], getattr(self, content["name"]) + content["text"])
        elif kind == "execute_result":
            self.result = content["data"]
        elif kind == "display_data":
            self.shown.append(content["data"])
        elif kind == "error":
            self.error = content


class KernelTest(unittest.TestCase):
    interrupt_mode = "signal"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = os.path.join(cls.folder.name, "kernels", "lutra")
        os.makedirs(place)
        with open(os.path.join(place, "kernel.json"), "w") as file:
            json.dump({"argv": [KERNEL, "-f", "{connection_file}"], "display_name": "Lutra", "language": "lua",
                       "interrupt_mode": cls.interrupt_mode}, file)
        specs = KernelSpecManager(kernel_dirs=[os.path.join(cls.folder.name, "kernels")], ensure_native_kernel=False)
        cls.manager = KernelManager(kernel_name="lutra", kernel_spec_manager=specs)
        cls.manager.start_kernel(env={**os.environ, "LUTRA_SIM_GPUS": "2"})
        cls.client = cls.manager.client()
        cls.client.start_channels()
        cls.client.wait_for_ready(timeout=SECONDS)

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)
        cls.folder.cleanup()

    def start(self, code, **how):
        return self.client.execute(code, **how)

    def start_and_wait(self, code, **how):
        """Starts a cell and waits until the kernel says that it runs."""
        request = self.start(code, **how)
        while True:
            message = self.client.get_iopub_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") == request and message["msg_type"] == "status":
                return request

    def finish(self, request, answers=()):
        """Waits until the cell has ended; answers its questions. Returns its reply and its output."""
        output, answers = Output(), list(answers)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if answers and self.client.stdin_channel.socket.poll(0):
                    self.client.get_stdin_msg(timeout=SECONDS)
                    self.client.input(answers.pop(0))
                message = self.client.get_iopub_msg(timeout=0.1)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return self.reply(request), output
            output.take(message)
        raise AssertionError(f"the cell does not end: {vars(output)}")

    def reply(self, request):
        while True:
            message = self.client.get_shell_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def cell(self, code, answers=(), **how):
        reply, output = self.finish(self.start(code, **how), answers)
        output.status = reply["status"]
        return output

    def text(self, code):
        return self.cell(code).result["text/plain"]


class Cells(KernelTest):
    def test_results_and_locals(self):
        self.assertIsNone(self.cell("local x = 5").result)
        self.assertEqual(self.text("x + 1"), "6")
        self.assertEqual(self.text("_ * 2"), "12")
        self.assertIsNone(self.cell("x;").result)
        self.assertEqual(self.text("1, nil, 'b'"), "1\tnil\tb")
        self.assertEqual(self.text("{1, a = 'b'}"), '{ 1, a = "b" }')
        self.assertEqual(self.text("-- a comment\nlocal function f() return 7 end\nreturn f()"), "7")

    def test_an_expression_after_statements(self):
        self.assertEqual(self.text("local a = 5\na + 1"), "6")
        self.assertEqual(self.text("local function f(n)\n  return n\nend\nf(7)"), "7")
        self.assertEqual(self.text("f(a)"), "5")  # the locals of both stay
        self.assertEqual(self.text("local b = 1\nb\n  + 1 -- two lines\n-- a comment\n"), "2")
        self.assertIsNone(self.cell("local c = 1\nc;").result)
        self.assertEqual(self.cell("local n = 1\nn").stderr, "")
        self.assertIsNone(self.cell("local d = 1\nlocal e = 2").result)
        self.assertIsNone(self.cell("local g = tostring\n(5)").result)
        self.assertEqual(self.text("g"), "5")
        self.assertIsNone(self.cell("local h = [[\na\n]]").result)
        output = self.cell("local i = 1\nprint(i)")
        self.assertEqual((output.stdout, output.result), ("1\n", None))
        self.assertIn("stdin:2: attempt to index", self.cell("local j = nil\nj.k").error["evalue"])

    def test_output(self):
        output = self.cell("print('a', 1) io.write('b') io.stdout:write('c\\n') io.stderr:write('d\\n')")
        self.assertEqual((output.stdout, output.stderr, output.status), ("a\t1\nbc\n", "d\n", "ok"))
        output = self.cell("for i = 1, 20000 do print(i) end")
        self.assertEqual(output.stdout, "".join(f"{i}\n" for i in range(1, 20001)))
        self.assertEqual(self.cell("print('\\xff\\0')").stdout, "\ufffd\0\n")
        self.assertEqual(self.cell("print(1)", silent=True).stdout, "")

    def test_output_comes_while_the_cell_runs(self):
        request = self.start("print 'first' io.read()", allow_stdin=True)
        message = {"msg_type": ""}
        while message["msg_type"] != "stream":
            message = self.client.get_iopub_msg(timeout=SECONDS)
        self.assertEqual(message["content"]["text"], "first\n")
        self.finish(request, ["go on"])

    def test_tensors_are_tables(self):
        data = self.cell("lt.constant {{1.5, 2}, {3, 4}}").result
        self.assertIn("shape=(2, 2)", data["text/plain"])
        self.assertEqual(data["text/html"].count("<tr>"), 2)
        self.assertIn(">1.5</td>", data["text/html"])
        self.assertIn("float32", data["text/html"])
        big = self.cell("lt.ones {600, 600}").result
        self.assertIn("&hellip;", big["text/html"])
        self.assertLess(len(big["text/html"]), 5000)
        self.assertNotIn("text/html", self.cell("lt.ones {2, 2, 2}").result)
        self.assertNotIn("text/html", self.cell("lt.ones {0}").result)

    def test_plots_are_pictures(self):
        data = self.cell("lt.plot.line {1, 4, 9}").result
        self.assertTrue(data["image/svg+xml"].startswith("<"))
        self.assertIn("</svg>", data["image/svg+xml"])
        self.assertIn("text/plain", data)
        output = self.cell("for i = 1, 2 do lt.repl.display(lt.plot.bar {a = i}) end")
        self.assertEqual([set(each) >= {"image/svg+xml"} for each in output.shown], [True, True])
        self.assertIsNone(output.result)

    def test_describe_is_a_table(self):
        data = self.cell("lt.constant({1, 2, 3}):describe()").result
        self.assertIn("<th>mean</th>", data["text/html"])
        self.assertIn("mean", data["text/plain"])

    def test_errors(self):
        output = self.cell("local t = lt.ones {2, 3}\nt:matmul(t)")
        self.assertEqual(output.status, "error")
        reply, _ = self.finish(self.start("error 'x'"))
        self.assertEqual((reply["ename"], reply["evalue"]), ("Error", "stdin:1: x"))
        self.assertIn("stdin:2: matmul: a (2, 3)", output.error["evalue"])
        text = "\n".join(output.error["traceback"])
        self.assertIn("    t:matmul(t)", text)
        self.assertIn("stack traceback", text)
        self.assertEqual(self.text("t.rank"), "2")
        self.assertIn("syntax error", self.cell("x +* 1").error["evalue"])
        self.assertIn("error object is a table value", self.cell("error {}").error["evalue"])
        self.assertIn("there is no command :nope", self.cell(":nope").error["evalue"])

    def test_commands_and_help(self):
        self.assertIn(":device [NAME|off]", self.cell(":help").stdout)
        self.assertIn("matmul(a, b", self.cell("?matmul").stdout)
        self.cell(":device GPU:1")
        self.assertEqual(self.text("lt.ones({2}).device:match '%u+:%d$'"), "GPU:1")
        self.cell(":device off")
        self.assertIn(":edit needs a terminal", self.cell(":edit").error["evalue"])

    def test_the_placement_log_is_streamed(self):
        output = self.cell(":log on\n")
        output = self.cell("local a = lt.ones {2} + 1 print 'between' local b = a * 2")
        self.assertEqual(output.stdout, "between\n")
        self.assertIn("Executing op AddV2 in device", output.stderr)
        self.assertIn("Executing op Mul in device", output.stderr)
        self.assertEqual(self.cell(":log off").stderr, "")

    def test_progress_of_fit(self):
        output = self.cell("local m = lt.nn.Sequential {lt.nn.Dense(1)}\n"
                           "m:compile {optimizer = 'sgd', loss = 'mse'}\n"
                           "history = m:fit(lt.ones {8, 2}, lt.ones {8, 1}, {epochs = 2})")
        self.assertEqual(output.status, "ok", output.error)
        self.assertIn("2/2", output.stderr)
        self.assertNotIn("\x1b", output.stderr)
        self.assertIn("image/svg+xml", self.cell("history:plot()").result)

    def test_input(self):
        output = self.cell("io.write('name? ') local name = io.read() print('hello ' .. name)", answers=["Ada"],
                           allow_stdin=True)
        self.assertEqual(output.stdout, "name? hello Ada\n")
        self.assertEqual(self.cell("return io.read('n', 'l')", answers=["12 rest"], allow_stdin=True).result,
                         {"text/plain": "12\t rest"})
        self.assertEqual(self.cell("return io.read()", allow_stdin=False).result["text/plain"], "nil")

    def test_completion(self):
        def words(code, cursor=None):
            reply = self.reply(self.client.complete(code, len(code) if cursor is None else cursor))
            return reply["matches"], reply["cursor_start"], reply["cursor_end"]
        matches, start, end = words("lt.matm")
        self.assertEqual((matches, start, end), (["matmul"], 3, 7))
        self.cell("groesse = lt.ones {2}")
        matches, start, end = words("print('ä') groesse:su")
        self.assertIn("sum", matches)
        self.assertEqual((start, end), (19, 21))
        self.assertEqual(words("nothing_of_this_name.x")[0], [])

    def test_inspection(self):
        reply = self.reply(self.client.inspect("lt.matmul(a, b)", 6))
        self.assertTrue(reply["found"])
        self.assertIn("matmul(a, b", reply["data"]["text/plain"])
        self.assertFalse(self.reply(self.client.inspect("no_such_name", 3))["found"])

    def test_is_complete(self):
        def status(code):
            return self.reply(self.client.is_complete(code))["status"]
        self.assertEqual(status("for i = 1, 2 do"), "incomplete")
        self.assertEqual(status("x = 1"), "complete")
        self.assertEqual(status("x +* 1"), "complete")  # it runs, and says what is wrong
        self.assertEqual(status(":help"), "complete")

    def test_history(self):
        self.cell("history_mark = 1")
        reply = self.reply(self.client.history(hist_access_type="tail", n=50, raw=True, output=False))
        self.assertIn("history_mark = 1", [entry[2] for entry in reply["history"]])

    def test_kernel_info(self):
        reply = self.reply(self.client.kernel_info())
        self.assertEqual(reply["implementation"], "lutra")
        self.assertEqual(reply["language_info"]["name"], "lua")
        self.assertEqual(reply["language_info"]["file_extension"], ".lua")

    def test_counts(self):
        first = self.finish(self.start("1"))[0]["execution_count"]
        self.assertEqual(self.finish(self.start("error 'x'"))[0]["execution_count"], first + 1)
        self.assertEqual(self.finish(self.start("1", silent=True))[0]["status"], "ok")

    def test_a_failed_cell_stops_those_that_wait(self):
        first = self.start("local t = lt.time() while lt.time() - t < 0.5 do end error 'no'")
        second = self.start("print 'never'")
        self.finish(first)
        self.assertIn(self.reply(second)["status"], ("error", "aborted"))
        self.assertEqual(self.text("1"), "1")


class Interrupts(KernelTest):
    def test_interrupts(self):
        for code in ["while true do end", "while true do pcall(function() while true do end end) end",
                     "coroutine.wrap(function() while true do end end)()", "while true do print 'x' end"]:
            request = self.start_and_wait(code)
            begin = time.monotonic()
            self.manager.interrupt_kernel()
            reply, output = self.finish(request)
            self.assertEqual(reply["status"], "error")
            self.assertIn("interrupted!", output.error["evalue"])
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual(self.text("1 + 1"), "2")

    def test_interrupts_between_cells_do_nothing(self):
        for _ in range(5):
            self.manager.interrupt_kernel()
        time.sleep(0.3)
        self.assertEqual(self.text("local n = 0 for i = 1, 1e7 do n = n + 1 end return n"), "10000000")
        self.assertTrue(self.manager.is_alive())

    def test_an_interrupt_ends_a_question(self):
        for _ in range(20):  # at whatever moment it comes
            request = self.start("local line = io.read() print(line)", allow_stdin=True)
            self.client.get_stdin_msg(timeout=SECONDS)
            self.manager.interrupt_kernel()
            reply, _ = self.finish(request)
            self.assertEqual(reply["status"], "error")
        self.assertEqual(self.text("1 + 1"), "2")


class InterruptsByMessage(Interrupts):
    interrupt_mode = "message"


class Life(KernelTest):
    def test_restart(self):
        self.cell("kept = 1")
        self.manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=SECONDS)
        self.assertEqual(self.text("kept"), "nil")

    def test_shutdown_during_a_cell(self):
        self.start("while true do end")
        time.sleep(0.3)
        self.client.shutdown()
        end = time.monotonic() + SECONDS
        while self.manager.is_alive() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(self.manager.is_alive())
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=SECONDS)
        self.assertEqual(self.text("1"), "1")

    def test_exit(self):
        self.start("os.exit(0)")
        end = time.monotonic() + SECONDS
        while self.manager.is_alive() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(self.manager.is_alive())
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=SECONDS)


class Install(unittest.TestCase):
    def run_lutra(self, *words, **environment):
        return subprocess.run([LUTRA, *words], capture_output=True, text=True, env={**os.environ, **environment})

    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, variables, place in [
                    (["--prefix=" + folder + "/p"], {}, "p/share/jupyter"), (["--user"], {"HOME": folder}, ".local/share/jupyter"),
                    ([], {"HOME": folder, "XDG_DATA_HOME": folder + "/x"}, "x/jupyter"),
                    ([], {"JUPYTER_DATA_DIR": folder + "/j"}, "j")]:
                base = {"XDG_DATA_HOME": "", "JUPYTER_DATA_DIR": ""}
                done = self.run_lutra("kernel", "install", *words, **{**base, **variables})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                path = os.path.join(folder, place, "kernels", "lutra", "kernel.json")
                self.assertEqual(done.stdout, "Jupyter finds Lutra by %s\n" % path)
                with open(path) as file:
                    spec = json.load(file)
                self.assertEqual(spec["argv"][1:], ["-f", "{connection_file}"])
                self.assertTrue(os.path.samefile(spec["argv"][0], KERNEL))

    def test_mistakes(self):
        for words, message in [([], "needs the word 'install'"), (["remove"], "not 'remove'"),
                               (["install", "--prefix="], "'--prefix' needs argument"),
                               (["install", "--user", "--prefix=/x"], "takes one of"),
                               (["install", "--prefix=/dev/null"], "cannot make /dev/null/share")]:
            done = self.run_lutra("kernel", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
        for words, message in [([], "usage"), (["-f"], "usage"), (["-f", "/nonexistent"], "lutra-kernel: ")]:
            done = subprocess.run([KERNEL, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
