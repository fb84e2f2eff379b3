#!/usr/bin/env python3
"""How many functions of sea a plain put, push, pull and merge pass, and in how many files they are.

usage: functions.py [--list COMMAND] PROGRAM [PROGRAM]

PROGRAM is a debug build of sea: `swift build --product sea`. Each command runs under `valgrind --tool=callgrind`. A function counts if its
source is in Sources/ and somebody wrote it: thunks, witnesses, accessors, default arguments and what the compiler outlines do not count, and
closures belong to the function around them. With two programs the last column is the ratio of the second to the first. --list prints the
functions of one command (put, push, pull, merge or all) instead.
"""
import os, re, subprocess, sys, tempfile

MADE = re.compile(r"^(partial apply|reabstraction|protocol witness|outlined|value witness|type metadata|lazy |generic special|function signature|"
                  r"dispatch thunk|curry|thunk |default argument|variable initialization|method descriptor|associated type|base witness|"
                  r"static .* == infix|one-time)|unsafeMutableAddressor$|__allocating_init|__deallocating_deinit|\.deinit$")

def sea(program, *words, cwd, under=None):
    command = [program, *words]
    if under:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={under}", "--compress-strings=no", "--dump-line=no", *command]
    quiet = {"SEA_CONFIG_GLOBAL": os.devnull, "HOME": cwd, "NO_COLOR": "1"}
    run = subprocess.run(command, cwd=cwd, env=os.environ | quiet, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        sys.exit(f"functions.py: sea {' '.join(words)} ended with {run.returncode}: {run.stderr.decode()[-400:]}")

def passed(out):
    """The mangled names that ran, each with its file under Sources."""
    found, file = {}, ""
    for line in open(out, errors="replace"):
        if line.startswith(("fl=", "fi=", "fe=")):
            file = line[3:].strip()
        elif line.startswith("fn="):
            name = line[3:].strip().split("'")[0]
            at = file.find("/Sources/")
            if at >= 0 and name.startswith("$s"):
                found.setdefault(name, file[at + 9:])
    return found

def written(found):
    """The functions that somebody wrote: (file, name)."""
    names = list(found)
    shown = subprocess.run(["swift-demangle", "--simplified"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.splitlines()
    functions = set()
    for mangled, text in zip(names, shown):
        text = text.strip()
        while (inner := re.match(r"(?:closure|implicit closure|autoclosure|\$defer) #\d+ (?:\(.*?\) )*(?:.*? )?in (.*)", text)):
            text = inner.group(1)
        if MADE.search(text):
            continue
        functions.add((found[mangled], text))
    return functions

def measure(program):
    program = os.path.abspath(program)
    runs = {}
    with tempfile.TemporaryDirectory() as base:
        def run(name, cwd, *words):
            out = os.path.join(base, "out")
            sea(program, *words, cwd=cwd, under=out)
            runs[name] = written(passed(out))
        a, b = os.path.join(base, "a"), os.path.join(base, "b")
        os.mkdir(a)
        sea(program, "init", "-q", cwd=a)
        sea(program, "put", "-q", '{"_id":"h/1","n":1,"m":1}', cwd=a)
        sea(program, "add-container", "-q", "--create", "c", os.path.join(base, "c"), cwd=a)
        sea(program, "sync", "-q", cwd=a)
        sea(program, "clone", "-q", os.path.join(base, "c"), b, cwd=base)
        sea(program, "sync", "-q", cwd=b)
        run("put", a, "put", '{"_id":"h/2","n":1}')
        run("push", a, "push")
        run("pull", b, "pull")
        sea(program, "set", "-q", "h/1", "n:=2", cwd=a)
        sea(program, "push", "-q", cwd=a)
        sea(program, "set", "-q", "h/1", "m:=2", cwd=b)
        run("merge", b, "pull")
    runs["all"] = set().union(*runs.values())
    return runs

def main(words):
    shown = words[words.index("--list") + 1] if "--list" in words else None
    programs = [w for w in words if w not in ("--list", shown)]
    if not programs or len(programs) > 2:
        sys.exit(__doc__)
    tables = [measure(p) for p in programs]
    if shown:
        for file, name in sorted(tables[-1][shown]):
            print(f"{file}\t{name}")
        return
    for name in ("put", "push", "pull", "merge", "all"):
        cells = [f"{len(t[name]):5} functions {len({f for f, _ in t[name]}):4} files" for t in tables]
        ratio = f"  {len(tables[1][name]) / len(tables[0][name]):.2f}" if len(tables) == 2 else ""
        print(f"{name:6}" + "  ".join(cells) + ratio)

main(sys.argv[1:])
