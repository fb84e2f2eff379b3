#!/usr/bin/python3
"""terminal.py SEA FILE: draws what a real session of the program SEA shows, as docs/terminal.svg for the README.

The session runs at a terminal of its own, in a home with nothing in it, at a time that stands still; text and colors are those
that the program prints. The same program draws the same bytes.
"""
import os, pty, re, sys, tempfile
from xml.sax.saxutils import escape

COLUMNS = 80
CELL, LINE, MARGIN = 8.4, 19, 20  # units of the drawing
UNSEEN = [
    "sea init -q --name=field field",
    "sea -C field put -q '{\"_id\":\"bird/1\",\"_type\":\"bird\",\"species\":\"Upupa epops\",\"count\":2}'",
    "sea -C field add-container -q --create stick ../stick && sea -C field sync -q && sea clone -q --name=lab stick lab",
    "sea -C field set -q bird/1 count:=3 notes='feeding young' && sea -C field sync -q",
]
SHOWN = [
    "sea -C lab set -q bird/1 notes='two adults'",
    "sea -C lab sync",
    "sea -C lab conflicts bird/1",
    "sea -C lab resolve -q --merge --set=notes='two adults, feeding young' bird/1",
    "sea -C lab log --graph bird/1",
    "sea -C lab query -t bird",
]
# One class for each color that a terminal has: on a light ground, and on a dark one.
COLORS = {
    "text": ("#24292f", "#d0d7de"), "dim": ("#6e7781", "#8b949e"), "bold": ("#0b1117", "#f0f6fc"), "31": ("#b3261e", "#ff8182"),
    "32": ("#1a7f37", "#57d364"), "33": ("#7d4e00", "#e3b341"), "34": ("#0550ae", "#79c0ff"), "35": ("#8250df", "#d2a8ff"),
    "36": ("#1b7c83", "#56d4dd"), "ground": ("#f6f8fa", "#161b22")}


def session(sea):
    """What the terminal shows, with the escapes of its colors."""
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(f"{home}/bin")
        os.symlink(os.path.abspath(sea), f"{home}/bin/sea")
        os.mkdir(f"{home}/work")
        script = "\n".join(["exec 2>&1", *UNSEEN, *(f"printf '\\001%s\\n' \"{quoted(line)}\"\n{line}" for line in SHOWN)])
        variables = {
            "HOME": home, "PATH": f"{home}/bin:/usr/bin:/bin", "TERM": "xterm", "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": str(COLUMNS),
            "SEA_AUTHOR_DATE": "2026-03-01T09:00:00Z", "SEA_PAGER": "cat", "SEA_ADVICE": "0"}
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(f"{home}/work")
            os.execve("/bin/sh", ["sh", "-euc", script], variables)
        shown = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        if status := os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]):
            sys.exit(f"the session ended with status {status}:\n{shown.decode()}")
    return shown.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def quoted(line):
    return re.sub(r'(["\\$`])', r"\\\1", line)


def spans(line):
    """Pieces of a line, each with the class of its color."""
    if line.startswith("\x01"):
        return [("$ ", "dim"), (line[1:], "bold")]
    found, codes = [], []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if escape_ := re.fullmatch(r"\x1b\[([0-9;]*)m", piece):
            for code in (escape_[1] or "0").split(";"):
                codes = [] if code in ("0", "") else [*codes, code]
        elif piece:
            color = next((code for code in reversed(codes) if code in COLORS), "bold" if "1" in codes else "text")
            found.append((piece, f"{color} b" if color.isdigit() and "1" in codes else color))
    return found


def draw(lines):
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN + 18
    names = {name: f"c{name}" if name.isdigit() else name for name in COLORS}
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img">',
        "<title>A session of sea at a terminal</title>", "<style>",
        "text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }",
        "#frame { stroke: #8b949e; stroke-opacity: .5; }", ".bold, .b { font-weight: bold; }"]
    for which, ground in enumerate(("", "@media (prefers-color-scheme: dark) {")):
        rules = [f".{names[name]} {{ fill: {pair[which]}; }}" for name, pair in COLORS.items()]
        out += [ground + " ".join(rules) + ("}" if ground else "")]
    out += ["</style>", f'<rect id="frame" class="ground" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>']
    out += [f'<circle class="dim" cx="{MARGIN + 4 + 18 * k}" cy="18" r="5" opacity=".5"/>' for k in range(3)]
    for number, line in enumerate(lines):
        column, pieces = 0, []
        for text, color in spans(line):
            name = " ".join(names.get(word, word) for word in color.split())
            # Each piece has its place and its length, whatever font is there.
            if word := text.strip():
                x = MARGIN + (column + len(text) - len(text.lstrip())) * CELL
                pieces.append(f'<tspan class="{name}" x="{x:g}" textLength="{len(word) * CELL:g}">{escape(word)}</tspan>')
            column += len(text)
        if column > COLUMNS:
            sys.exit(f"a line is wider than the drawing: {line}")
        if pieces:
            out.append(f'<text y="{MARGIN + 18 + (number + 1) * LINE - 5:g}" xml:space="preserve">{"".join(pieces)}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main(sea, path):
    drawing = draw(session(sea))
    with open(path, "w", encoding="utf8") as file:
        file.write(drawing)


if __name__ == "__main__":
    main(*sys.argv[1:])
