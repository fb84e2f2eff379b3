#!/usr/bin/env python3
"""flip.py STATE [PLACES [SEED]]: damages the database file of STATE/db in one place after the other.

Every command must end with a status of its own, never by a signal, a trap or a hang; `verify` may only call sound what
still gives the same records; and no damage may reach the container STATE/c."""
import os, random, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check
from check import SEA, fail

COMMANDS = [
    ["query", "--json"], ["get", "a"], ["verify"], ["put", '{"_id":"new"}'], ["set", "a", "n:=5"], ["delete", "r1"],
    ["push"], ["pull"], ["status"], ["log"], ["reindex", "--projection"], ["verify"]]


def run(db, arguments):
    return subprocess.run(
        [SEA, "-C", db, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def main(state, places=40, seed=1):
    dice, base = random.Random(int(seed)), tempfile.mkdtemp(prefix="sea-flip.")
    clean = run(f"{state}/db", ["query", "--json"]).stdout
    size = os.path.getsize(f"{state}/db/.sea/db")
    found = 0
    for place in range(int(places)):
        copy = f"{base}/{place}"
        shutil.copytree(state, copy)
        check.prepare(copy)
        # The first page is in use at every byte; of the others a page is damaged at its head, at random, or whole.
        page = dice.randrange(size // 4096)
        kind = place % 4
        offset = dice.randrange(100) if kind == 0 else page * 4096 + dice.randrange(16 if kind == 1 else 4096)
        with open(f"{copy}/db/.sea/db", "r+b") as file:
            file.seek(offset)
            old = file.read(1)
            file.seek(offset)
            file.write(dice.randbytes(4096 - offset % 4096) if kind == 3 else bytes([old[0] ^ 1 << dice.randrange(8)]))
        for number, arguments in enumerate(COMMANDS):
            done = run(f"{copy}/db", arguments)
            error = done.stderr.decode("utf8", "replace")
            where = f"seed {seed}, place {place}, byte {offset}: sea {' '.join(arguments)}: status {done.returncode}"
            if done.returncode < 0 or done.returncode in (70, 124) or done.returncode > 128:
                fail(f"{where}: {error}")
            if done.returncode and not error and not (arguments[0] == "verify" and done.stdout):
                fail(f"{where}, and not a word")
            if number == 2 and done.returncode == 0 and run(f"{copy}/db", ["query", "--json"]).stdout != clean:
                fail(f"{where}, but the records are not what they were")
            found += number == 2 and done.returncode != 0
        problems = check.read_container(f"{copy}/c")[1]
        if problems:
            fail(f"seed {seed}, place {place}, byte {offset}: container: {problems}")
        shutil.rmtree(copy)
    shutil.rmtree(base)
    print(f"{places} damaged places, {found} of them found by verify, {int(places) * len(COMMANDS)} commands, 0 violations")


if __name__ == "__main__":
    main(*sys.argv[1:])
