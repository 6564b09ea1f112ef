"""A terminal for tests: a program in a pty, its output shown on pyte's screen. Nothing here waits a fixed time."""
import os
import sys
import termios
import time

try:
    import pexpect
    import pyte
except ImportError as missing:
    print(f"skipped: {missing}. On Debian: apt-get install python3-pyte python3-pexpect")
    sys.exit(77)

UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
HOME, END, DELETE = b"\x1b[H", b"\x1b[F", b"\x1b[3~"
ENTER, TAB, ESCAPE, BACKSPACE, ALT_ENTER = b"\r", b"\t", b"\x1b", b"\x7f", b"\x1b\r"
SECONDS = 60  # after which a wait fails


def ctrl(letter):
    return bytes([ord(letter.upper()) ^ 0x40])


def alt(letter):
    return b"\x1b" + letter.encode()


def paste(text):
    return b"\x1b[200~" + text.encode() + b"\x1b[201~"


class Terminal:
    def __init__(self, command, columns=80, rows=24, environment=None):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.output = b""  # all that came
        everything = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        self.child = pexpect.spawn(command[0], command[1:], dimensions=(rows, columns), env=everything, echo=False)
        self.child.delaybeforesend = None

    def send(self, *keys):
        for key in keys:
            data = key.encode() if isinstance(key, str) else key
            while data:
                data = data[os.write(self.child.child_fd, data[:1024]):]
                self.take(0)

    def take(self, seconds):
        """Shows what has come; waits up to so long for it. False at the end."""
        try:
            data = self.child.read_nonblocking(1 << 16, seconds)
        except pexpect.TIMEOUT:
            return True
        except (pexpect.EOF, OSError):
            return False
        self.output += data
        self.stream.feed(data)
        return True

    def wait(self, what, is_there):
        """Waits until is_there() holds."""
        end = time.monotonic() + SECONDS
        alive = True
        while not is_there():
            if not alive or time.monotonic() > end:
                raise AssertionError(f"{what} is missing. The screen:\n{self.text()}\ncursor {self.cursor()}")
            alive = self.take(0.5)

    def see(self, text):
        self.wait(repr(text), lambda: text in self.text())

    def see_row(self, row, text):
        """A row of the screen, counted from the cursor's, is `text`."""
        self.wait(f"{text!r} in row {row}", lambda: self.row(row) == text)

    def see_line_mode(self):
        """The terminal gives whole lines to the program. Enter typed before that ends no line."""
        self.wait("line mode", lambda: termios.tcgetattr(self.child.child_fd)[3] & termios.ICANON)

    def see_prompt(self):
        """An empty prompt, whose editor reads each key. Keys typed before that may be read as a program's line."""
        self.wait("the prompt", lambda: self.row(0) == ">"
                  and not termios.tcgetattr(self.child.child_fd)[3] & termios.ICANON)

    def see_cursor(self, column, row=None):
        self.wait(f"the cursor at {column}", lambda: self.screen.cursor.x == column and row in (None, self.screen.cursor.y))

    def rows(self):
        return [line.rstrip() for line in self.screen.display]

    def row(self, relative=0):
        place = self.screen.cursor.y + relative
        return self.rows()[place] if 0 <= place < self.screen.lines else None

    def text(self):
        return "\n".join(self.rows()).rstrip()

    def cursor(self):
        return self.screen.cursor.x, self.screen.cursor.y

    def cell(self, text, offset=0):
        """The character of the screen at the last place where `text` stands."""
        for y in range(self.screen.lines - 1, -1, -1):
            x = self.screen.display[y].rfind(text)
            if x >= 0:
                return self.screen.buffer[y][x + offset]
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def end(self):
        """Waits for the program's end; returns its exit status, or minus its signal."""
        self.wait("the program's end", lambda: not self.take(0.1) or not self.child.isalive())
        self.child.close()
        return -self.child.signalstatus if self.child.signalstatus else self.child.exitstatus
