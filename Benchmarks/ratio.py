#!/usr/bin/env python3
"""Runs two commands in turn and compares them: on a shared machine only a pair in one run says something.

usage: ratio.py [-n RUNS] [--cold] [--wall] [--before CMD] --aim RATIO LABEL 'COMMAND A' 'COMMAND B'
       ratio.py --peak MB LABEL 'COMMAND'
       ratio.py [-n RUNS] [--before CMD] --cpu MS LABEL 'COMMAND'

Prints a line of the table: what; the median CPU (user and system) of A and B; the median of the ratios A/B; the aim;
the most memory that A took. --before runs, untimed, before each command. Each runs once before it counts, unless
--cold. With --wall, the time that passes instead of the CPU: for work on both cores. A command with shell syntax runs in `sh -c`, any other directly, so that a shell's own start does not count.
With --peak, one command's memory against what it may take; with --cpu, the median of its CPU. The status is 1 if a command fails; to miss an aim is no
failure.
"""
import argparse, os, re, shlex, statistics, subprocess, sys, time

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

def verdict(value, aim):
    return "" if aim is None else "met" if value <= aim else f"missed by {100 * (value / aim - 1):.0f} %"

def row(a, b, ratio, aim, peak, said):
    def cell(value, form, width):
        return " " * width if value is None else f"{value:{form}}".rjust(width)
    cells = [cell(a, ".1f", 10), cell(b, ".1f", 10), cell(ratio, ".2f", 7), cell(aim, "g", 6), cell(peak, ".0f", 6)]
    print(f"{o.label:<62}{''.join(cells)}  {said}".rstrip(), flush=True)

if o.peak:
    cpu, peak = run(o.commands[0])
    row(cpu, None, None, o.peak, peak, verdict(peak, o.peak))
elif o.cpu:
    runs = [run(o.commands[0]) for _ in range(o.n)]
    cpu = statistics.median(x[0] for x in runs)
    row(cpu, None, None, o.cpu, max(x[1] for x in runs), verdict(cpu, o.cpu))
else:
    a, b = o.commands
    if not o.cold:
        run(a), run(b)
    pairs = [(run(a), run(b)) for _ in range(o.n)]
    ratio = statistics.median(x[0] / max(y[0], 0.01) for x, y in pairs)
    cpu = [statistics.median(x[0] for x in side) for side in zip(*pairs)]
    row(*cpu, ratio, o.aim, max(x[1] for x, _ in pairs), verdict(ratio, o.aim))
