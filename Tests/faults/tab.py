#!/usr/bin/env python3
"""Types a line and the key TAB at a shell, as a person does, and prints what the line has become.

tab.py bash|zsh [--list] LINE

With --list, what the shell shows after a second TAB. The completions are those of this tree; the shell reads nothing else.
"""
import os
import pty
import re
import select
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETUP = {
    "bash": f"unset HISTFILE; PS1='READY> '; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; "
    f"bind 'set page-completions off'; bind 'set completion-query-items 0'; . '{ROOT}/completions/sea.bash'\n",
    "zsh": f"unset HISTFILE; bindkey -e; unsetopt beep; fpath=('{ROOT}/completions' $fpath); autoload -Uz compinit; compinit -u -D; "
    "unset zle_bracketed_paste; LISTMAX=0; unsetopt prompt_sp prompt_cr; PS1='READY> '\n",
}
COMMAND = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


def main():
    shell, line = sys.argv[1], sys.argv[-1]
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb" if shell == "bash" else "vt100", COLUMNS="200", LINES="60")
        os.execvp(COMMAND[shell][0], COMMAND[shell])

    def read(until, quiet=0.7, limit=20):
        """What comes until a text is there, or nothing more does."""
        screen, end = "", time.monotonic() + limit
        while time.monotonic() < end:
            if not select.select([terminal], [], [], limit if until else quiet)[0]:
                break
            try:
                screen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
            if until and re.search(until, screen):
                break
        return screen

    os.write(terminal, b"stty cols 200 rows 60\n")
    os.write(terminal, SETUP[shell].encode())
    os.write(terminal, b"echo SET''UP\n")
    read(r"SETUP\r?\n")
    read(None, 0.3)
    os.write(terminal, line.encode() + b"\t")
    read(None)
    if "--list" in sys.argv:
        os.write(terminal, b"\t")
        screen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", read(None))
        print(screen.replace("\r", ""))
    else:
        # The line as it is now, as the words of another command.
        os.write(terminal, b"\x05x\x01printf '[%s]' RESULT \n")
        whole = r"\[RESULT\](.*)x\]"
        print(re.search(whole, read(whole).replace("\r", "")).group(1)[1:].replace("][", " "))
    os.close(terminal)


main()
