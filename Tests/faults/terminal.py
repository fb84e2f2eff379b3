#!/usr/bin/env python3
"""Runs a command at a terminal of its own and types answers.

terminal.py [PROMPT ANSWER]... -- COMMAND [ARGUMENT]...

Waits for each PROMPT in turn, checks that what is typed is not shown unless SHOWN is set, and types ANSWER with a newline; the answer ^C is
the key. Prints what the terminal showed and ends with the command's status, 125 if a prompt does not come within 20 s.
"""
import os
import pty
import select
import sys
import termios
import time


def main():
    split = sys.argv.index("--")
    steps = sys.argv[1:split]
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(sys.argv[split + 1], sys.argv[split + 1 :])
    screen = b""
    seen = 0

    def more(seconds):
        nonlocal screen
        if not select.select([terminal], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return False
        screen += piece
        return bool(piece)

    def end(status):
        sys.stdout.buffer.write(screen.replace(b"\r\n", b"\n"))
        sys.exit(status)

    for prompt, answer in zip(steps[::2], steps[1::2]):
        limit = time.monotonic() + 300
        while (found := screen.find(prompt.encode(), seen)) < 0:
            if time.monotonic() > limit or not more(0.2):
                screen += f"\nterminal: no '{prompt}'\n".encode()
                end(125)
        seen = found + len(prompt.encode())
        if termios.tcgetattr(terminal)[3] & termios.ECHO and not os.environ.get("SHOWN"):
            screen += b"\nterminal: typing is shown\n"
            end(125)
        os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
    while more(None):
        pass
    end(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) % 256)


main()
