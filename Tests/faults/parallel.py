#!/usr/bin/env python3
"""parallel.py [-w WRITERS] [-n PUTS]: processes that put at once on one database, and two that sync at once, while
others read. Nothing may be lost, doubled or refused, and no reader may fail or wait for a writer."""
import argparse, os, subprocess, sys, tempfile, shutil, threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check
from check import SEA, fail, records, sea


def writer(db, name, count, out, bad):
    """Single puts, every tenth of them a stream of transactions, each a process of its own."""
    for n in range(count):
        if n % 10 == 9:
            lines = "".join('{"_id":"%s-%d-%d"}\n' % (name, n, k) for k in range(6)).encode()
            done = subprocess.run([SEA, "-C", db, "put", "-", "--chunk=2"], input=lines, capture_output=True)
        else:
            done = subprocess.run(
                [SEA, "-C", db, "put", '{"_id":"%s-%d"}' % (name, n)], stdin=subprocess.DEVNULL, capture_output=True)
        out.append(done.stdout.decode())
        if done.returncode or done.stderr:
            bad.append(f"put: status {done.returncode}: {done.stderr.decode()}")


def reader(db, stop, bad):
    last = 0
    while not stop.is_set():
        done = subprocess.run([SEA, "-C", db, "query", "--ids"], stdin=subprocess.DEVNULL, capture_output=True)
        count = done.stdout.count(b"\n")
        if done.returncode or done.stderr:
            bad.append(f"query: status {done.returncode}: {done.stderr.decode()}")
        if count < last:
            bad.append(f"a reader saw {count} records after {last}")
        last = count


def syncer(db, count, bad):
    for _ in range(count):
        done = subprocess.run([SEA, "-C", db, "sync"], stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode or done.stderr:
            bad.append(f"sync: status {done.returncode}: {done.stderr.decode()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-w", type=int, default=8)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--rollback", action="store_true", help="with the journal of media that cannot share memory")
    arguments = parser.parse_args()
    base = tempfile.mkdtemp(prefix="sea-parallel.")
    db, c, bad, out, stop = f"{base}/db", f"{base}/c", [], [], threading.Event()
    try:
        if arguments.rollback:
            subprocess.check_call(
                ["strace", "-f", "-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:error=EPERM", SEA,
                 "init", "-q", db])
            with open(f"{db}/.sea/db", "rb") as file:
                if file.read(20)[18] != 1:
                    fail("the journal is not the one that was wanted")
        else:
            sea("init", "-q", db)
        # On a slow machine the last writer of a crowd waits long.
        sea("-C", db, "config", "set", "core.lockWait", "600")
        sea("-C", db, "add-container", "-q", "--create", "c", c)
        writers = [
            threading.Thread(target=writer, args=(db, f"w{k}", arguments.n, out, bad)) for k in range(arguments.w)]
        others = [threading.Thread(target=reader, args=(db, stop, bad)) for _ in range(2)]
        syncers = [threading.Thread(target=syncer, args=(db, 8, bad)) for _ in range(2)]
        for thread in writers + others + syncers:
            thread.start()
        for thread in writers + syncers:
            thread.join()
        stop.set()
        for thread in others:
            thread.join()
        if bad:
            fail(f"{len(bad)}: {bad[0]}")
        with open(f"{base}/out", "w") as file:
            file.write("".join(out))
        lines = [line for text in out for line in text.splitlines()]
        want = arguments.w * (arguments.n - arguments.n // 10 + arguments.n // 10 * 6)
        if len(lines) != want or len(set(lines)) != want:
            fail(f"{len(lines)} lines, {len(set(lines))} of them different, instead of {want}")
        sea("-C", db, "sync")
        sea("-C", db, "verify")
        have = records(sea("-C", db, "query", "--json"))
        if len(have) != want or set(have) != set(check.promises(f"{base}/out")):
            fail(f"{len(have)} records instead of {want}")
        found, problems = check.read_container(c)
        if problems or found != have:
            fail(f"container: {problems}, {len(found)} records")
        blocks = arguments.w * (arguments.n - arguments.n // 10 + arguments.n // 10 * 3) + 1
        files = sum(len(f) for _, _, f in os.walk(f"{c}/transactions"))
        # The second reader has found no gap; one block for each transaction and none besides.
        if blocks < 1000 and files != blocks:
            fail(f"{files} blocks instead of {blocks}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{len(lines)} records by {arguments.w} writers in {blocks} blocks, 16 syncs, readers meanwhile: "
          "none lost, none twice, no gap")


if __name__ == "__main__":
    main()
