#!/usr/bin/env python3
"""stick.py STATE OUT [RC [CALL [LOG]]]: does a stick hold what was promised, after it was pulled out?

STATE holds `db`, a database with assets, and `stick`, where an export went: an exchange directory, or the file that
CHECK_FILE names in it. `before` has what was on the stick. OUT, RC, CALL and LOG are as for check.py.

Whatever has the name of a bundle must verify; what was there before must be there, except that CHECK_FILE may be the old
bundle or the new one. With status 0 the stick has all of the database. In every case the next export ends well, leaves
no temporary file, and whoever clones from the stick has all records and the bytes of all assets. With CHECK_IMPORT, the
command took a stick into `other`: it is as it was or has all, and taking it in again ends well.
"""
import hashlib, os, re, shutil, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import check_status, fail, records, sea


def bundles(folder):
    return sorted(n for n in os.listdir(folder) if ".sea.tar" in n and not n.startswith(".sea-tmp-"))


def first_volumes(folder):
    return [n for n in bundles(folder) if not n.rsplit(".", 1)[1].isdigit() or n.endswith(".001")]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def content(db):
    return records(sea("-C", db, "query", "--json"))


def same_everything(copy, want):
    have = content(copy)
    if have != want:
        fail(f"a clone has {len(have)} records for {len(want)}")
    if sea("-C", copy, "assets", "--missing", "--json").strip():
        fail("a clone lacks assets")
    sea("-C", copy, "verify", "--assets")


def debris(folder):
    return [os.path.join(p, n) for p, _, fs in os.walk(folder) for n in fs if n.startswith(".sea-tmp-")]


def clone(state, source, want):
    copy = os.path.join(state, "copy")
    shutil.rmtree(copy, ignore_errors=True)
    sea("clone", "-q", source, copy)
    same_everything(copy, want)


def check_export(state, rc):
    stick, before, db = (os.path.join(state, n) for n in ("stick", "before", "db"))
    single = os.environ.get("CHECK_FILE")
    for name in first_volumes(stick):
        sea("verify", os.path.join(stick, name))
    for name in bundles(before):
        there = os.path.join(stick, name)
        if not os.path.exists(there):
            fail(f"{name} was on the stick, and is gone")
        if name != single and digest(there) != digest(os.path.join(before, name)):
            fail(f"{name} is another one")
    sea("-C", db, "verify", "--assets")
    want = content(db)
    target = os.path.join(stick, single) if single else stick
    if rc == 0:
        clone(state, target, want)
    elif single and digest(target) != digest(os.path.join(before, single)):
        # The new one, whose acknowledgement was lost.
        clone(state, target, want)
    sea("-C", db, "export", "-q", *(["-o", target] if single else ["--to", target]), "--verify")
    if debris(stick) or debris(db):
        fail(f"left behind the next export: {debris(stick) + debris(db)}")
    clone(state, target, want)


def check_import(state, rc):
    stick, other, db = (os.path.join(state, n) for n in ("stick", "other", "db"))
    sea("-C", other, "verify", "--assets")
    have, want = content(other), content(db)
    if have != want and (rc == 0 or len(have) != int(os.environ["CHECK_IMPORT"])):
        fail(f"{len(have)} records, neither none of the bundle nor all")
    sea("-C", other, "import", "-q", stick)
    same_everything(other, want)
    if debris(os.path.join(other, ".sea")):
        fail(f"left behind the next import: {debris(other)}")
    tmp = os.path.join(other, ".sea", "tmp")
    if os.path.isdir(tmp) and os.listdir(tmp):
        fail(f"left behind the next import: {os.listdir(tmp)}")


def only_heads(log):
    """Whether the failed synchronization is one of the file that says what an instance has: a hint, written when the
    bundle has its name and is durable."""
    durable = set()
    with open(log, errors="replace") as file:
        for line in file:
            found = re.match(r"\d+ +fsync\(\d+<([^>]*)>", line)
            if found and "(INJECTED)" in line:
                return "/heads" in found.group(1) or found.group(1) in durable
            if found:
                durable.add(found.group(1))
    return False


def main(state, out, rc=None, call="", log=None):
    rc = None if rc is None else int(rc)
    if call == "fsync" and rc == 0 and only_heads(log):
        call = ""
    with open(out, encoding="utf8", errors="replace") as file:
        text = file.read()
    if rc is not None and rc != -9:
        check_status(text, rc, call, log)
    (check_import if os.environ.get("CHECK_IMPORT") else check_export)(state, rc)


if __name__ == "__main__":
    main(*sys.argv[1:])
