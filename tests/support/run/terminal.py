"""terminal.py PROGRAM ARGS...: runs the program in a terminal of its own, types the lines of stdin, each when the program
prompts (with the mark \\x1e before "> " or ">> "), and prints what the terminal shows. A line "\\x03" is Ctrl-C."""
import sys

try:
    import pexpect
except ImportError:
    print("python3-pexpect is missing: needed to run a program in a terminal", file=sys.stderr)
    sys.exit(77)


def main():
    typed = sys.stdin.buffer.read().split(b"\n")
    if typed[-1] == b"":
        typed.pop()
    child = pexpect.spawn(sys.argv[1], sys.argv[2:], timeout=60, echo=False, dimensions=(50, 200))
    shown = b""
    for line in typed:
        if child.expect([b"\x1e>>? ", pexpect.EOF]) == 1:
            shown += child.before
            break
        shown += child.before + child.after
        child.send(line + (b"" if line == b"\x03" else b"\n"))
    else:
        if child.expect([b"\x1e>>? ", pexpect.EOF]) == 0:
            shown += child.before + child.after
            child.sendeof()
            child.expect(pexpect.EOF)
        shown += child.before
    child.close()
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    sys.stdout.buffer.flush()
    sys.exit(child.exitstatus if child.exitstatus is not None else 128 + child.signalstatus)


main()
