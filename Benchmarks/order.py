#!/usr/bin/env python3
"""Writes Sources/sea/order.txt: what small commands use of the program, in the order in which they first need it.

usage: make order            (before a release; needs valgrind and the linker lld)

The program is one file of 17 MB, and a page fault maps 64 KB of it. Linked as its parts come, `sea get` touches a hundred
such pieces for a little of each, which is a quarter of its time; linked in this order they lie together. A name that is
gone does no harm, and what is not listed only lies elsewhere. SWIFT and SWIFT_FLAGS are those of the Makefile.
"""
import bisect, os, re, shlex, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEA = os.path.join(ROOT, ".build/release/sea")
LIST = os.path.join(ROOT, "Sources/sea/order.txt")

def run(*words, **options):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.DEVNULL, **options)

def symbols(folder):
    """Where each symbol is, from the map of the linker; of several names of one place the last."""
    map = os.path.join(folder, "map")
    open(LIST, "a").close()
    run(os.environ.get("SWIFT") or "swift", "build", "-c", "release", "--product", "sea",
        *shlex.split(os.environ.get("SWIFT_FLAGS", "")), "-Xlinker", f"-Map={map}", cwd=ROOT)
    found = {}
    for line in open(map, errors="replace"):
        line = re.fullmatch(r" *([0-9a-f]+) +[0-9a-f]+ +[0-9a-f]+ +\d+ {17}(\S+)\n", line)
        if line: found[int(line[1], 16)] = line[2]
    return sorted(found.items())

def touched(words, table):
    """What a command uses, the first first."""
    places = [place for place, _ in table]
    read, write = os.pipe()
    child = subprocess.Popen(
        ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-fd={write}", SEA, *words],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    seen = set()
    with os.fdopen(read, errors="replace") as trace:
        for line in trace:
            if not line.startswith("I "): continue
            piece = int(line[3:].split(",")[0], 16) >> 4
            if piece in seen: continue
            seen.add(piece)
            at = bisect.bisect_right(places, piece << 4 | 15) - 1
            if at >= 0 and (piece << 4) - places[at] < 1 << 20: yield table[at][1]
    if child.wait() != 0: sys.exit(f"failed: {' '.join(words)}")

def main():
    os.environ.update(SEA_CONFIG_NOSYSTEM="1", SEA_CONFIG_GLOBAL="/dev/null")
    with tempfile.TemporaryDirectory() as folder:
        table = symbols(folder)
        if not table: sys.exit("no symbols: the program was linked by another linker than lld")
        os.environ["HOME"] = folder
        os.chdir(folder)
        def sea(*words): run(SEA, *words)
        sea("init", "-q", "--name=n", "--content-type=org.example.order", "d")
        for n in range(3): sea("-C", "d", "put", "-q", f'{{"_id":"r{n}","_type":"t","text":"as usual","n":{n}}}')
        sea("-C", "d", "add-container", "-q", "--create", "c", os.path.join(folder, "c"))
        sea("-C", "d", "sync", "-q")
        names = {}
        for words in (["version"], ["-C", "d", "rev-parse", "--sea-dir"], ["-C", "d", "get", "r1"],
                      ["-C", "d", "put", '{"_id":"r9","_type":"t","text":"as usual"}'], ["-C", "d", "query", "-t", "t"],
                      ["-C", "d", "status"], ["-C", "d", "log"], ["-C", "d", "sync", "-q"]):
            for name in touched(words, table): names[name] = None
    with open(LIST, "w") as file:
        file.write("".join(f"{name}\n" for name in names))
    print(f"{len(names)} names")

main()
