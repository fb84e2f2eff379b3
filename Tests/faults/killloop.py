#!/usr/bin/env python3
"""killloop.py [-r ROUNDS] [--seed N]: kills a busy script with SIGKILL at random moments.

Each round starts a script that puts, sets and deletes records and syncs with a container, kills all of it, and judges
what is left: what was acknowledged is there, every chain verifies, the next command just works, and nothing that the
dead left behind outlives the next writer. Prints what was done; ends with 1 at the first violation.
"""
import argparse, os, random, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check
from check import SEA, fail, records, sea

SCRIPT = r"""
cd "$1/db"
n=0
while :; do
  n=$((n + 1))
  "$SEA" put "{\"_id\":\"$2-$n\",\"n\":0}"
  "$SEA" set "$2-$n" n="$n"
  seq 40 | sed "s/.*/{\"_id\":\"$2-$n-&\",\"n\":&}/" | "$SEA" put - --chunk=7
  printf 'try\t%s\n' "$2-$n-1"
  "$SEA" delete "$2-$n-1"
  "$SEA" sync -q
done
"""


def start(folder):
    os.mkdir(folder)
    sea("init", "-q", f"{folder}/db")
    sea("-C", f"{folder}/db", "add-container", "-q", "--create", "c", f"{folder}/c")


def judge(folder, acknowledged, attempted):
    db, c = f"{folder}/db", f"{folder}/c"
    sea("-C", db, "verify")
    have = records(sea("-C", db, "query", "--json"))
    for ident, (result, rev) in acknowledged.items():
        if ident in attempted and result != "deleted":
            continue
        if (ident in have) == (result == "deleted"):
            fail(f"{ident}: {result} was acknowledged, and it is {'there' if ident in have else 'not there'}")
        if result != "deleted" and int(have[ident]["_rev"].split("-")[0]) < int(rev.split("-")[0]):
            fail(f"{ident} is behind {rev}")
    problems = check.read_container(c)[1]
    if problems:
        fail(f"container: {problems}")
    # A temporary file that is young may belong to a writer that lives.
    for path in check.debris(c):
        os.utime(path, (1, 1))
    sea("-C", db, "put", '{"_id":"the-next","n":%d}' % len(acknowledged))
    sea("-C", db, "sync")
    left = check.debris(folder)
    if left:
        fail(f"left behind the next writer: {left}")
    found, problems = check.read_container(c)
    if problems or found != records(sea("-C", db, "query", "--json")):
        fail(f"container after a sync: {problems}")
    return len(have)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-r", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    base = tempfile.mkdtemp(prefix="sea-kill.")
    done, total, promised = 0, 0, 0
    folder, acknowledged, attempted = None, {}, set()
    try:
        while done < arguments.r:
            if done % 20 == 0:
                if folder:
                    shutil.rmtree(folder)
                folder, acknowledged, attempted = f"{base}/{done}", {}, set()
                start(folder)
            with open(f"{base}/out", "wb") as out:
                script = subprocess.Popen(
                    ["sh", "-c", SCRIPT, "sh", folder, f"r{done}"], stdin=subprocess.DEVNULL, stdout=out,
                    stderr=subprocess.DEVNULL, start_new_session=True, env=dict(os.environ, SEA=SEA))
                time.sleep(dice.random() * dice.choice((0.05, 0.2, 0.4)))
                os.killpg(script.pid, signal.SIGKILL)
                script.wait()
            attempted |= check.attempts(f"{base}/out")
            made = check.promises(f"{base}/out")
            acknowledged |= made
            promised += len(made)
            try:
                total = judge(folder, acknowledged, attempted)
            except SystemExit:
                print(f"round {done}, seed {arguments.seed}")
                raise
            done += 1
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{done} kills, {promised} acknowledged changes, 0 violations (seed {arguments.seed})")


if __name__ == "__main__":
    main()
