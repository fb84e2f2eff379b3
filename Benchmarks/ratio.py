#!/usr/bin/env python3
"""Runs two commands in turn and compares them: on a shared machine only a pair in one run says something.

usage: ratio.py [-n RUNS] [--cold] [--wall] [--before CMD] --aim RATIO LABEL 'COMMAND A' 'COMMAND B'
       ratio.py --peak MB LABEL 'COMMAND'
       ratio.py [-n RUNS] [--before CMD] --cpu MS LABEL 'COMMAND'

Prints a line of the table: what; the median CPU (user and system) of A and B; the median of the ratios A/B; the aim;
the most memory that A took. --before runs, untimed, before each command. Each runs once before it counts, unless
--cold. With --wall, the time that passes instead of the CPU: for work on both cores. A command with shell syntax runs in
`sh -c`, any other directly, so that a shell's own start does not count. With --peak, one command's memory against what it
may take; with --cpu, the median of its CPU. The status is 1 if a command fails; to miss an aim is no failure.

With TWIN, the folder of a second ratio.py that runs the same line with an older program: each run of A is followed by one
there, and the line ends with its median and the median of the ratios. That one has TWIN=self, and runs A when it is told
to. RUNS=1 in the environment is for a quick look.
"""
import argparse, errno, os, re, shlex, statistics, subprocess, sys, time

p = argparse.ArgumentParser()
p.add_argument("-n", type=int, default=5)
p.add_argument("--cold", action="store_true")
p.add_argument("--wall", action="store_true")
p.add_argument("--before", default="")
p.add_argument("--aim", type=float)
p.add_argument("--peak", type=float)
p.add_argument("--cpu", type=float)
p.add_argument("label")
p.add_argument("commands", nargs="+")
o = p.parse_args()
o.n = int(os.environ.get("RUNS") or o.n)
NULL = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]

def run(command):
    """The CPU time in ms, or the time that passed, and the peak of memory in MB."""
    if o.before:
        subprocess.run(["sh", "-c", o.before], check=True, stdout=subprocess.DEVNULL)
    words = ["sh", "-c", command] if re.search(r"[|&;<>()$`*?~#]", command) else shlex.split(command)
    start = time.monotonic()
    pid = os.posix_spawnp(words[0], words, os.environ, file_actions=NULL)
    _, status, usage = os.wait4(pid, 0)
    passed = time.monotonic() - start
    if status != 0:
        sys.exit(f"{o.label}: status {os.waitstatus_to_exitcode(status)} from: {command}")
    return (passed if o.wall else usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024

class Twin:
    """The older program at the same line, in its own folder. When it is gone, the line does without."""

    def __init__(self, place):
        self.answers = None
        while place and not self.answers and not os.path.exists(f"{place}/gone"):
            try:
                ask = os.open(f"{place}/ask", os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                # It has not come so far.
                if error.errno != errno.ENXIO:
                    raise
                time.sleep(0.02)
                continue
            os.set_blocking(ask, True)
            self.asks, self.answers = os.fdopen(ask, "w", buffering=1), open(f"{place}/answer")

    def run(self):
        """What the first command takes there; nothing if nobody is there."""
        try:
            if self.answers:
                print(o.label, file=self.asks)
                return float(self.answers.readline())
        except (OSError, ValueError):
            self.answers = None

    def end(self):
        # When the other side has let go too, the next line finds nobody at this one.
        if self.answers:
            self.asks.close()
            self.answers.read()

def serve():
    asks = open("ask")
    answers = open("answer", "w", buffering=1)
    for label in asks:
        if label.rstrip("\n") != o.label:
            sys.exit(f"asked for another line: {label}")
        print(run(o.commands[0])[0], file=answers)
    asks.close()
    answers.close()

def verdict(value, aim):
    return "" if aim is None else "met" if value <= aim else f"missed by {100 * (value / aim - 1):.0f} %"

def median(a, b):
    """Of the times B, and of the ratios A/B; nothing if there are none."""
    if not b or None in b:
        return None, None
    return statistics.median(b), statistics.median(x / max(y, 0.01) for x, y in zip(a, b))

def cell(value, form, width):
    return " " * width if value is None else f"{value:{form}}".rjust(width)

def main():
    twin, (first, *second) = Twin(os.environ.get("TWIN")), o.commands
    # What is measured alone cannot always be done twice.
    if second and not o.cold:
        run(first), run(*second), twin.run()
    a, peaks, b, before = [], [], [], []
    for _ in range(1 if o.peak else o.n):
        for values, value in zip((a, peaks), run(first)):
            values.append(value)
        b += [run(*second)[0]] if second else []
        before.append(twin.run())
    twin.end()
    cpu, peak, (other, ratio), (old, change) = statistics.median(a), max(peaks), median(a, b), median(a, before)
    cells = [cell(cpu, ".1f", 10), cell(other, ".1f", 10), cell(ratio, ".2f", 7)]
    cells += [cell(o.peak or o.cpu or o.aim, "g", 6), cell(peak, ".0f", 6)]
    if os.environ.get("TWIN"):
        cells += [cell(old, ".1f", 11), cell(change, ".2f", 7)]
    said = verdict(peak, o.peak) or verdict(cpu, o.cpu) or verdict(ratio, o.aim)
    print(f"{o.label:<62}{''.join(cells)}  {said}".rstrip(), flush=True)

serve() if os.environ.get("TWIN") == "self" else main()
