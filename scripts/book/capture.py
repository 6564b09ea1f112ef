"""scripts/book/capture.py: makes docs/prompt.png, a picture of a session at the prompt, from what the program really shows.

Run in the root of the tree, with build/release/bin/lutra built:
    /usr/bin/python3 scripts/book/capture.py
It needs python3-pyte, python3-pexpect and chromium of Debian.
"""
import html
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/repl")
from terminal import ENTER, Terminal  # noqa: E402

COLUMNS, ROWS = 86, 34
COLOURS = {
    "default": "#d8dee9", "black": "#2e3440", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "yellow": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#eceff4", "brightblack": "#7f848e",
}


def colour(name):
    return COLOURS.get(name) or ("#" + name if len(name) == 6 else COLOURS.get(name.replace("bright", ""), COLOURS["default"]))


def page(terminal):
    """The screen as HTML, with its colours and its cursor."""
    lines = []
    for y in range(ROWS):
        row = terminal.screen.buffer[y]
        line = ""
        for x in range(COLUMNS):
            cell = row[x]
            front, back = colour(cell.fg), "transparent" if cell.bg == "default" else colour(cell.bg)
            if cell.reverse or (x, y) == terminal.cursor():
                front, back = "#1e2127", colour(cell.fg)
            style = f"color:{front};background:{back}"
            if cell.bold:
                style += ";font-weight:bold"
            if cell.underscore:
                style += ";text-decoration:underline"
            line += f'<span style="{style}">{html.escape(cell.data or " ")}</span>'
        lines.append(line)
    return (
        '<!doctype html><meta charset="utf-8"><body style="margin:0;overflow:hidden;background:#1e2127"><pre style="margin:14px;'
        f'font:15px/1.3 \'DejaVu Sans Mono\',monospace">' + "\n".join(lines) + "</pre>"
    )


def session(folder):
    terminal = Terminal(
        ["build/release/bin/lutra", "--no-init", "--sim-gpus", "2"], COLUMNS, ROWS,
        {"LUTRA_HISTORY": folder + "/history", "LC_ALL": "C.UTF-8"},
    )
    terminal.see_row(0, ">")
    typed = [
        ("x = lt.random.normal({600, 600}, {seed = 1})", None),
        (":log why", None),
        ("y = x:matmul(x);", "Executing op MatMul"),
        (":log off", None),
        ("lt.linspace(0, 10, 200):sin():plot {width = 60, height = 9}", "10"),
        ("y:shpe()", "did you mean"),
        (":devices", "GPU:1"),
    ]
    for line, shown in typed:
        terminal.send(line, ENTER)
        if shown:
            terminal.see(shown)
        terminal.see_row(0, ">")
    terminal.send("lt.nn.Dense(10, {activation = ")
    terminal.see("nn.Dense(")
    return terminal


with tempfile.TemporaryDirectory() as folder:
    terminal = session(folder)
    source = os.path.join(folder, "prompt.html")
    with open(source, "w", encoding="utf-8") as file:
        file.write(page(terminal))
    terminal.child.close(force=True)
    subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/chromium",
         "--window-size=830,710", "--screenshot=" + os.path.abspath("docs/prompt.png"), "file://" + source],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
print("docs/prompt.png")
