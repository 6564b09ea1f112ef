"""terminal.py PROGRAM ARGS...: runs the program in a terminal of its own, types the lines of stdin, each when the program
prompts (with the mark \\x1e before "> " or ">> "), and prints what the terminal shows. Each " ^C" at the end of a line is
a Ctrl-C after the line, typed once the program has printed "ready"; further ones follow each other by 0.2 s."""
import sys
import time

try:
    import pexpect
except ImportError:
    print("python3-pexpect is missing: needed to run a program in a terminal", file=sys.stderr)
    sys.exit(77)

PROMPT = b"\x1e>>? "
INTERRUPT = b" ^C"


def split(line):
    """The line and the number of interrupts after it."""
    count = 0
    while line.endswith(INTERRUPT):
        line, count = line[: -len(INTERRUPT)], count + 1
    return line, count


def main():
    typed = sys.stdin.buffer.read().split(b"\n")
    if typed[-1] == b"":
        typed.pop()
    child = pexpect.spawn(sys.argv[1], sys.argv[2:], timeout=60, echo=False, dimensions=(50, 200))
    child.delaybeforesend = None
    shown = b""

    def read_to(pattern):
        nonlocal shown
        found = child.expect([pattern, pexpect.EOF, pexpect.TIMEOUT])
        shown += child.before + (child.after if found == 0 else b"") + (b"\n(no answer)\n" if found == 2 else b"")
        return found == 0

    for line in typed:
        if not read_to(PROMPT):
            break
        line, interrupts = split(line)
        child.send(line + b"\n")
        if interrupts and not read_to(b"ready"):
            break
        for _ in range(interrupts):
            time.sleep(0.2)  # the output comes before the loop begins
            child.send(b"\x03")
    else:
        if read_to(PROMPT):
            child.sendeof()
            read_to(PROMPT)
    child.close()
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    sys.stdout.buffer.flush()
    sys.exit(child.exitstatus if child.exitstatus is not None else 128 + child.signalstatus)


main()
