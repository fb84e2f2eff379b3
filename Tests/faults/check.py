#!/usr/bin/env python3
"""check.py STATE OUT [RC [CALL [LOG]]]: does a database hold what was promised, after a kill, a crash or a fault? (judge.py)

STATE holds what one command worked on: `db` (a folder with `.sea`), perhaps `c` (a container), perhaps `new` (where a
database was being made). OUT is what the command printed before its end; each line RESULT TAB ID TAB REV is a promise.
RC and CALL are given where the command ended by itself: its status, and the system call that was made to fail.

Ends with 0 if all holds, else tells in one line what does not. The state is written to; run it on a copy.
Environment: SEA, the program; CHECK_NEW=1, STATE/new is what the command was to make; CHECK_PUSHED=1, with RC 0 the
container has all that the database has; CHECK_WORK=ID, with RC 0 this record is there; CHECK_VALUE=N, with RC 0
record `a` has n=N; CHECK_CONFIG=N, with RC 0 core.abbrev is N.

LOG is what strace saw of CALL and of pwrite64, with paths.
"""
import json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reader"))
import sea_reader
SEA = os.environ.get("SEA", "sea")


def fail(text):
    print(text.replace("\n", " | ")[-280:])
    sys.exit(1)


def sea(*arguments, ok=(0,)):
    done = subprocess.run(
        [SEA, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if done.returncode not in ok:
        fail(f"sea {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode('utf8', 'replace')}")
    return done.stdout.decode()


def records(text):
    return {r["_id"]: r for r in map(json.loads, text.splitlines())}


def promises(path):
    """Id to the last revision that was acknowledged; a line that was cut is none."""
    made = {}
    with open(path, encoding="utf8", errors="replace") as file:
        for line in file:
            parts = line.rstrip("\n").split("\t")
            if line.endswith("\n") and len(parts) >= 3 and parts[0] in ("created", "updated", "deleted", "unchanged"):
                made[parts[1]] = parts[0], parts[2]
    return made


def attempts(path):
    """Ids that the script was about to delete: whether they are there is not known until that is acknowledged."""
    with open(path, encoding="utf8", errors="replace") as file:
        return {line[4:].rstrip("\n") for line in file if line.startswith("try\t")}


def read_container(path):
    """What the second reader says: the records, and its problems."""
    password = None
    # Slots are there before the first block is; until then nothing says which of them are valid.
    begun = any(not n.startswith(".sea-tmp-") for _, _, names in os.walk(f"{path}/transactions") for n in names)
    if os.environ.get("SEA_TEST_SEALED") and begun:
        with open(os.environ["SEA_PASSWORD_FILE"], "rb") as file:
            password = file.readline().removesuffix(b"\n")
    reader = sea_reader.Reader(path, password)
    found = {ident: reader.trees.record(ident)[0] for ident in reader.trees.known}
    return {k: v for k, v in found.items() if v}, reader.problems


def debris(folder):
    return [os.path.join(p, n) for p, ds, fs in os.walk(folder) for n in ds + fs if n.startswith(".sea-tmp-")]


def prepare(state):
    """Containers are known by absolute paths; those of a copy lie beside it."""
    for name in ("db", "new"):
        path = os.path.join(state, name, ".sea", "config")
        if os.path.exists(path):
            with open(path, encoding="utf8") as file:
                text = file.read()
            with open(path, "w", encoding="utf8") as file:
                file.write(re.sub(r"location = .*/c\n", f"location = {state}/c\n", text))


def check_database(db, made, attempted=frozenset()):
    sea("-C", db, "verify")
    have = records(sea("-C", db, "query", "--json"))
    gone = {k for k, (result, _) in made.items() if result == "deleted"}
    for ident, (result, rev) in made.items():
        if ident in gone:
            if ident in have:
                fail(f"{ident} was deleted, and is there")
        elif ident not in have and ident in attempted:
            continue
        elif ident not in have:
            fail(f"{ident} was acknowledged, and is not there")
        elif int(have[ident]["_rev"].split("-")[0]) < int(rev.split("-")[0]):
            fail(f"{ident} is at {have[ident]['_rev']}, but {rev} was acknowledged")
    sea("-C", db, "put", '{"_id":"the-next","n":1}')
    left = debris(db)
    if left:
        fail(f"left behind the next writer: {left}")
    return records(sea("-C", db, "query", "--json"))


def check_container(state, db, have, rc):
    c = os.path.join(state, "c")
    before, problems = read_container(c)
    # Of names that were not durable yet a loss of power may keep the later one: the next push fills the gap.
    if [p for p in problems if rc is not None or p[0] != "gap"]:
        fail(f"container: {problems}")
    if rc == 0 and os.environ.get("CHECK_PUSHED"):
        missing = set(have) - set(before) - {"the-next"}
        if missing:
            fail(f"status 0, and the container lacks {sorted(missing)[:3]}")
    sea("-C", db, "sync")
    sea("-C", db, "verify", "c")
    after, problems = read_container(c)
    now = records(sea("-C", db, "query", "--json"))
    if problems or after != now:
        fail(f"container after sync: {problems}, {len(after)} records for {len(now)}")
    if not set(have) <= set(after):
        fail("the container lacks records after a sync")


def lost(log):
    """The file whose bytes a failed synchronization has left in doubt, if there is one.

    In doubt are those that were written to it since the last one that succeeded. Not in doubt: `db` while its log
    `db-wal` keeps all that is not known to be in it, and a folder that SQLite synchronizes once more on opening the
    log, whose name was made durable when the database was made."""
    dirty = set()
    with open(log, errors="replace") as file:
        for line in file:
            found = re.match(r"\d+ +(\w+)\(\d+<([^>]*)>", line)
            if not found:
                continue
            call, path = found.groups()
            if call in ("pwrite64", "write"):
                dirty.add(path)
            elif "(INJECTED)" in line:
                name = os.path.basename(path)
                if call == "fsync" or path in dirty and name != "db":
                    return path
            else:
                dirty.discard(path)


def check_status(text, rc, call, log):
    lines = [l for l in text.splitlines() if l.startswith(("sea: ", "hint: "))]
    if rc == 0 and call in ("fsync", "fdatasync") and lost(log):
        fail(f"status 0 although {call} failed on {lost(log)}")
    # The program was never begun.
    if rc == 127:
        return
    if rc < 0 or rc in (70, 124):
        # Without memory a process can only end; what it leaves is judged as after a kill.
        if call not in ("mmap", "brk"):
            fail(f"status {rc}: {text}")
        return
    strange = [l for l in text.splitlines() if "Fatal error" in l or "Stack dump" in l or "Backtrace" in l]
    if strange:
        fail(strange[0])
    told = sum(l.startswith("sea: ") for l in lines)
    # A standard error that cannot be written says nothing.
    if rc != 0 and told != 1 and not (call in ("write", "writev") and told == 0):
        fail(f"status {rc} with {told} lines: {text}")


def main(state, out, rc=None, call="", log=None):
    rc = None if rc is None else int(rc)
    prepare(state)
    with open(out, encoding="utf8", errors="replace") as file:
        text = file.read()
    # strace ends as its command did, so a kill is a negative status.
    if rc is not None and rc != -9:
        check_status(text, rc, call, log)
    made = promises(out)
    new = os.path.join(state, "new")
    if os.environ.get("CHECK_NEW"):
        source = os.path.join(state, "c")
        again = ["clone", source, new] if os.path.isdir(source) else ["init", new]
        there = os.path.isdir(os.path.join(new, ".sea"))
        if (rc == 0 or "Initialized" in text or "Cloned" in text) and not there:
            fail("done, it said, and nothing is there")
        if not there or again[0] == "init":
            sea(*again)
        check_database(new, {})
        if os.path.isdir(source):
            sea("-C", new, "sync")
            if not read_container(source)[0].keys() <= records(sea("-C", new, "query", "--json")).keys():
                fail("a clone that was interrupted does not go on with sync")
    db = os.path.join(state, "db")
    if not os.path.isdir(db):
        return
    have = check_database(db, made, attempts(out))
    want = os.environ.get("CHECK_WORK")
    if want and rc == 0 and want not in have:
        fail(f"status 0, and {want} is not there")
    want = os.environ.get("CHECK_VALUE")
    if want and rc == 0 and have["a"]["n"] != int(want):
        fail(f"status 0, and a has n={have['a']['n']}")
    want = os.environ.get("CHECK_CONFIG")
    if want and rc == 0 and sea("-C", db, "config", "get", "core.abbrev").strip() != want:
        fail("status 0, and the setting is not there")
    if os.path.isdir(os.path.join(state, "c")):
        check_container(state, db, have, rc)


if __name__ == "__main__":
    main(*sys.argv[1:])
