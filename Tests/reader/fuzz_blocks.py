#!/usr/bin/env python3
"""Blocks with good signatures and whatever in them: values at every limit of sea-format(5) and sea-record(5), and nonsense.

usage: fuzz_blocks.py BLOCKS --sea PROGRAM [--seed SEED] [--from K] [--keep FOLDER] [--seconds N] [--mib N]

The blocks lie in containers, some hundred in each; each is cloned, synced, read by every command that reads, and written to. No command
may end by a signal, with status 70, or with 2 or an unknown password, which are faults of this script; take longer than N seconds of CPU (1), or more than N MiB of memory (200). What does is told, with the seed
of its container, which is kept in FOLDER (`fuzzed`; none if that is empty). The last line has the counts; the status is 1 if anything was told.
"""
import argparse, json, os, random, resource, shutil, struct, subprocess, sys, tempfile, uuid
import sea_pieces
from block_vectors import authorize, nested, revoke, values
from chain_vectors import info, tree
from sea_frames import deflate, stored
from sea_header import HEADER, ROW
from sea_seal import epoch_digest
from sea_sealer import KEYS, Sealed, epoch_entry, instance_slot, password_slot
from sea_payload import clear_array as read_array
from sea_values import Bad, body as checked, item
from sea_writer import (CONTROL, ORDERS, SIGNED, Instance, Raw, Tag, change, clear_array, enc, hash_of, head, labeled, moment, named, purge,
                        removed, rev, sha, state)

NONSENSE = [value for _, value in values()]
WORD = "correct horse"
TIMES = [-2**63, -2**63 + 1, 2**63 - 1, 2**63 - 1000, 0, -1, 1, 1772323200000, 253402300799999, 253402300800000, -62135596800000, -62135596800001, -62167219200000, 2**53,
         -2**53, 2**62, -2**62, 10**17, -10**17]
TEXTS = ["", "a", "\u0000", "\u001b[31m", "\u0085\u009b", "\u202e\u2066", "e\u0301" * 20, "\u00e9", "\U0010ffff", "\ufeff", "\u2028", '"\\', "\r\n", "%s%n", "-", "--", "@", "a@winner", "~1", "x" * 255, "ä" * 127]
NUMBERS = [0, 1, -1, 23, 24, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1, 2**64, -2**64, -2**64 - 1, 2**8192 - 1, -2**8191, 10**2466]
DOUBLES = [1.5, -1.5, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e300, 2.0**64, -2.0**64, 2.0**63, 65504.5, 1e-7, 0.1, 3.4028234663852886e38]
NAMES = ["n", "a", "_type", "é", "e\u0301", "/", "~", "a.b", "0", "-", "x" * 1024, "\u202e", "label", "as", "mime"]
IDS = ["r", "s", "r.1", "x" * 255, "é", "0" * 36, "11111111-1111-4111-8111-111111111111", "note:n=1", "r@1", "a/b", "ä" * 127]
INDICES = [0, 1, 2, 999, 1000, 2**31, 2**32 - 2, 2**32 - 1]
COUNTS = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]
KINDS = ["put"] * 8 + ["delete", "resolved"]

class Fuzz:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.sealed, self.members = rng.random() < 0.2, rng.random() < 0.3
        founder = Instance(f"{seed} 0")
        self.database = named(founder.key, sealed=self.sealed, members=self.members) if self.sealed or self.members or rng.random() < 0.3 else uuid.UUID(int=rng.getrandbits(128), version=4)
        self.revisions = {id: [] for id in IDS}
        self.all, self.slots = [], []
        self.writers = [self.writer(f"{seed} {k}") for k in range(rng.choice([1, 2, 4, 8]))]
        self.name = None

    def writer(self, name):
        return Sealed(name, self.database) if self.sealed else Instance(name, self.database)

    def some(self, most):
        return range(self.rng.choice([0, 1, 1, 2, 3, most]))

    def text(self):
        rng = self.rng
        return rng.choice(TEXTS) if rng.random() < 0.9 else "".join(chr(rng.choice([rng.randrange(0x20), rng.randrange(0x80, 0xd800), rng.randrange(0xe000, 0x110000)])) for _ in range(rng.randrange(40)))

    def value(self, level=0):
        rng = self.rng
        def many():
            return [self.value(level + 1) for _ in self.some(6)]
        def named_values():
            return {rng.choice(NAMES + TEXTS): self.value(level + 1) for _ in self.some(6)}
        kind = rng.randrange(17 if level < 4 else 9)
        if kind == 0: return rng.choice(NUMBERS)
        if kind == 1: return rng.choice(DOUBLES)
        if kind == 2: return self.text()
        if kind == 3: return moment(rng.choice(TIMES)) if rng.random() < 0.3 else Tag(1, rng.choice([0, 253402300799, -62135596800]))
        if kind == 4: return Tag(4, [rng.choice([-10000, -9999, -1, 1, 9999, 10000, 2]), rng.choice(NUMBERS)])
        if kind == 5: return rng.choice([True, False, b"", bytes(300)])
        if kind == 6: return {"$ref": rng.choice(IDS)} | ({"as": self.text() or "a"} if rng.random() < 0.5 else {})
        if kind == 7: return self.asset()
        if kind == 8: return labeled(rng.choice(["a", "x" * 255, "\u202e"]), rng.choice([1, "a", [1], Tag(1, 0), 2**70]))
        if kind in (9, 10): return {"$counter": {rng.choice([bytes(16), b"\xff" * 16, rng.randbytes(16)]): [rng.choice(COUNTS[1:]), rng.choice(COUNTS)] for _ in self.some(6)}}
        if kind in (11, 12): return self.set(level)
        if kind == 13: return many()
        if kind == 14: return {"$dict": {"$" + self.text(): self.value(level + 1), **named_values()}}
        if kind == 15: return named_values()
        if rng.random() < 0.1:
            body = rng.choice(NONSENSE)
            if isinstance(body, dict) and "n" in body: return body["n"]
        return nested(rng.choice([1, 60, 120, 127 - level]))

    def set(self, level):
        rng = self.rng
        def tags():
            return sorted({rng.choice([b"", bytes(32), b"\xff" * 32, *(r[1] for r in self.all[-3:])]) for _ in range(rng.choice([1, 2, 4]))})
        elements = {enc(v): v for v in (rng.choice([1, "a", 2**64, [1, [2]], {"k": 1}, Tag(1, 0), self.text()]) for _ in self.some(8))}
        return {"$set": [[Raw(coded), tags()] for coded in sorted(elements)]}

    def asset(self):
        rng = self.rng
        size = rng.choice([0, 1, 2**24, 2**24 + 1, 2**30, 2**30 + 1, 2**44])
        files = sea_pieces.files(size)
        first = rng.choice([0, 1, 2**32 - files - 1, 2**32 - files, 7])
        place = f"{uuid.UUID(bytes=rng.choice([w.id.bytes for w in self.writers]))}/{first}" + (f"-{first + files - 1}" if files > 1 else "")
        return {"$asset": place, "mime": rng.choice(["a/b", "image/jpeg", "x" * 120 + "/a", "a"]), "size": size, "pieces" if files > 1 else "sha256": rng.choice([bytes(32), rng.randbytes(32)])}

    def body(self):
        """Mostly what the reader takes."""
        for _ in range(20):
            made = self.any_body()
            if self.rng.random() < 0.003: return made
            try:
                checked(item(enc(made))[0])
                return made
            except Exception:
                pass
        return {"n": self.rng.choice(NUMBERS)}

    def any_body(self):
        rng = self.rng
        if rng.random() < 0.02: return rng.choice(NONSENSE)
        if rng.random() < 0.02: return {f"p{k}": k for k in range(2000)}
        return {rng.choice(NAMES): self.value(1) for _ in self.some(8)}

    def change(self):
        rng = self.rng
        id = rng.choice(IDS)
        known = self.revisions[id]
        parent = rng.choice(known[-3:]) if known and rng.random() < 0.8 else rng.choice([None, None, None, [2**32 - 2, bytes(32)], [1, b"\xff" * 32]]) if rng.random() < 0.3 else None
        merged = sorted({(r[0], r[1]) for r in rng.sample(known, min(len(known), rng.choice([1, 2, 64])))} - {tuple(parent or ())}) if known and rng.random() < 0.2 else []
        kind = rng.choice(KINDS)
        type = rng.choice([None, None, "note", "x" * 255, "é"])
        if rng.random() < 0.001: return rng.choice([1, [], [id], [id, type, parent, merged, kind], {"control": 1}, None, [id, type, parent, merged, "move", {}]])
        made = [id, type, parent, [list(m) for m in merged], kind, self.body() if kind == "put" else None]
        try:
            revision = list(rev(made))
            if revision[0] < 2**32:
                known.append(revision)
                self.all.append(revision)
        except Exception:
            pass
        return made

    def entry(self, who):
        rng = self.rng
        other = rng.choice(self.writers + [self.writer("nobody")])
        last = rng.choice([(i, sha(b"x")) for i in INDICES] + [(None, None)] + [(state(b)[0], state(b)[2]) for b in getattr(other, "blocks", [])[-2:]])
        kind = rng.randrange(9)
        if kind == 0: return {"control": "shared", "key": rng.choice(["merge.policy", "merge.atomic", "core.abbrev", "core.compress", "merge.note.policy", "merge.note.atomic", "x" * 1024, self.text(), "merge." + self.text() + ".policy"]),
                              "value": rng.choice([None, "", "newest", "max", "min", "text", "winner", "off", "99999999999999999999", "/n,/a /x", "max /n=min", "newest /a=", "/n=text /n=max", self.text(), "/" * 65536])}
        if kind == 1: return authorize(other, rng.choice(["read", "write", "admin", "admin", "owner"]))
        if kind == 2: return revoke(other, last, keeps=sorted({w.id.bytes for w in rng.sample(self.writers, rng.randrange(len(self.writers) + 1))}))
        if kind == 3: return epoch_entry(rng.choice([1, 2, 3, 2**32 - 1]), KEYS[2], *self.slots[:2], readers=rng.sample(self.writers, rng.randrange(len(self.writers) + 1)))
        if kind == 4 and getattr(other, "blocks", None) and len(other.blocks) > 1:
            block = rng.choice(other.blocks[1:])
            return purge(other, block, rng.choice([[], [self.change_of(block)]]))
        if kind == 5: return {"control": rng.choice(["end", "future", "", "x" * 100]), **{f"k{n}": rng.choice([2**64 - 1, -2**64, b"", "é", [[[[[[]]]]]], {1: 2}]) for n in self.some(15)}}
        if kind == 6: return other.entry(**rng.choice([{}, {"name": self.text()}, {"follows": [other.key, bytes(64)]}]))
        if kind == 7: return {"control": "purge", "instance": other.id.bytes, "index": rng.choice([0, 1, 1, 7, 2**32 - 2, 2**32 - 1]), "digest": rng.randbytes(32), "changes": []}
        return {"control": "shared", "key": "merge.policy", "value": rng.choice(["/a=max", "/a=min", "/a=text"])}

    def change_of(self, block):
        return change("r", {"n": 1}, type=None)

    def heads(self, who):
        rng = self.rng
        if rng.random() < 0.6: return []
        if rng.random() < 0.005: return rng.randbytes(rng.choice([ROW, 2 * ROW, 7]))
        named = {}
        for other in rng.sample(self.writers, rng.randrange(1, len(self.writers) + 1)):
            if other is not who and getattr(other, "blocks", None): named[other.id] = (other, rng.choice(other.blocks[-2:]))
        if rng.random() < 0.2:
            class Nobody: id = uuid.UUID(int=rng.getrandbits(128))
            fields = b"SEA\x04" + bytes(4) + struct.pack(">II", rng.choice(INDICES), rng.choice([1, 2, 2**32 - 1]))
            named[Nobody.id] = (Nobody, fields.ljust(HEADER, b"\0"))
        return list(named.values())

    def said(self, who):
        """The items, the heads, and the rest of a clear array; mostly what the reader takes."""
        for _ in range(20):
            items, heads, said = self.any_said(who)
            if self.rng.random() < 0.02 or any(isinstance(i, dict) and i.get("control") == "purge" for i in items): break
            try:
                read_array(clear_array(items, **said), SIGNED | (CONTROL if any(isinstance(i, dict) for i in items) else 0), False, heads)
                break
            except Exception:
                pass
        return items, heads, said

    def any_said(self, who):
        rng = self.rng
        items = [self.change() for _ in range(rng.choice([0, 1, 1, 2, 3, 8]))]
        if rng.random() < 0.3: items = [self.entry(who) for _ in range(rng.choice([1, 1, 3]))] + items
        heads = self.heads(who)
        said = {"time": rng.choice(TIMES if rng.random() < 0.98 else [2**63, -2**63 - 1])} if rng.random() < 0.5 else {}
        if rng.random() < 0.3: said["label"] = rng.choice([self.text(), "x" * 1024, "\u202e"])
        if rng.random() < 0.01: said["needs"] = rng.choice([["later"], ["x" * 64] , [""], ["b", "a"]])
        if rng.random() < 0.01: said["format"] = rng.choice([0, 2, -1, 2**63 - 1, 2**64 - 1])
        if rng.random() < 0.05: said["about"] = {"time": rng.choice(TIMES)} | {f"k{n}": rng.choice([b"", 2**64 - 1, [1, [2]]]) for n in self.some(15)}
        return items, heads, said

    def block(self, who, after):
        rng = self.rng
        items, heads, said = self.said(who)
        options = {}
        if rng.random() < 0.003: options["lamport"] = rng.choice([2**32 - 1, after[1] + 1, after[1] + 2**24, 0])
        if rng.random() < 0.1: options["compressed"] = lambda data: deflate(data, stored)
        if rng.random() < 0.003: options["count"] = rng.choice([0, 1, 2, 65_536, 2**32 - 1])
        if rng.random() < 0.003: options["mode"] = rng.choice([4, 5, 0x14, 0x24, 0x44, 0x84, 0x0c, 6, 0xff])
        if rng.random() < 0.01:
            whole = clear_array([i for i in items if i is not None])
            at = rng.randrange(len(whole))
            options["body"] = rng.choice([whole[:at], whole[:at] + rng.randbytes(4) + whole[at + 4:], rng.randbytes(60), b"\x9b" + b"\xff" * 8, b"\x84\x01\x9b\x7f" + b"\xff" * 7, nested_bytes(rng.choice([100, 10000]))])
        if self.sealed and rng.random() < 0.05: options["epoch"] = rng.choice([1, 2, 3])
        if self.sealed and rng.random() < 0.02: options["said"] = rng.choice([bytes(32), epoch_digest(KEYS[2], 2), rng.randbytes(32)])
        return who.block(items, after, heads=heads, **said, **options)

    def files(self, blocks):
        rng, files = self.rng, info(self.database)
        if self.sealed:
            slot = password_slot(WORD, KEYS[1], database=self.database)
            self.slots = [slot]
            files |= {"keys/" + sha(one).hex(): one for one in self.slots}
        for who in self.writers:
            more = [epoch_entry(1, KEYS[1], *self.slots, readers=[])] if self.sealed and who is self.writers[0] else []
            who.blocks = [who.genesis(*more, **({"time": rng.choice(TIMES)} if rng.random() < 0.5 else {}))]
        made = 0
        branches = {(w.id, ""): (w, 0, list(w.blocks)) for w in self.writers}
        while made < blocks:
            key = rng.choice(list(branches))
            who, first, chain = branches[key]
            forks = rng.random() < 0.02 and len(chain) > 1
            at = rng.randrange(len(chain) - 1) if forks else len(chain) - 1
            try:
                block = self.block(who, state(chain[at]))
            except (TypeError, struct.error, UnicodeError, AttributeError, KeyError, ValueError) as error:
                if os.environ.get("FUZZ_TRACE"): raise
                continue
            if forks:
                branches[who.id, "~" + hash_of(block)[:16].hex()] = (who, first + at + 1, [block])
            else:
                chain.append(block)
                if not key[1]: who.blocks.append(block)
            made += 1
        for (id, fork), (who, first, chain) in branches.items():
            if rng.random() < 0.02 and len(chain) > 2:
                at = rng.randrange(1, len(chain) - 1)
                chain[at] = removed(chain[at])
            files |= tree(f"{id}{fork}", chain, first)
        return files

def nested_bytes(levels):
    return b"\x81" * levels + b"\x80"

def commands(rng, fuzz):
    """Of each its words, or these and what it reads."""
    # What follows an @ is read as the name of a revision.
    ids = rng.sample([id for id in IDS if "@" not in id], 3)
    who = rng.choice(fuzz.writers)
    yield "clone --name=here c d"
    yield from ("sync", "sync -q", "log", "--json log", "query", "--json query", "query --csv", "query --table --sort=n", "query --sort=-a --limit=3", "query --deleted --count", "query --types",
                "conflicts", "--json conflicts", "conflicts --porcelain", "instances", "--json instances", "status", "--json status", "containers", "containers --probe", "heads", "heads --container=origin",
                "ops", "--json ops", "assets", "assets --missing", "--json assets --history", "config list", "verify", "--json verify", "verify --keys ../c", "verify --assets ../c", "mirror ../c ../m", "mirror --both ../m ../c",
                "rev-parse --database-id", "rev-parse --content-type", "diff --container=origin", "gc", "log --since=2020-01-01", "instances --fingerprint", "export --full -o ../x.tar", "verify ../x.tar", "import ../x.tar",
                "export --to=../exchange", "import ../exchange", "show", "--json show", "show --stat", "changes", "--json changes", "changes --since=now", "changes --position", "stats", "--json stats", "sync --full",
                "dump -o ../dump.jsonl", "load -n ../dump.jsonl", "load ../dump.jsonl", "dump --history -o ../history.jsonl", "load --history ../history.jsonl", "dump --deleted --format=jsonl", "dump --format=csv -o ../dump.csv",
                "dump --format=tsv", "dump --format=json --at=@{1}", "dump --format=datastore -o ../dump.json", "load -n --format=datastore ../dump.json", "dump --format=sqlite -o ../dump.sqlite", "load -n ../dump.sqlite",
                "purge --confirm=here --before=2030-01-01 -n", "purge --status", "containers --drop-held=origin -n", "containers --drop-held=origin", "clone --name=again ../x.tar ../again")
    yield from (["sql", "SELECT * FROM note"], ["--json", "sql", "SELECT count(*), max(n), min(a), sum(n) FROM note"], ["sql", "--csv", "SELECT id, n FROM note WHERE n > 1 ORDER BY a, n"], ["sql", "--at=@{1}", "SELECT * FROM note"],
                ["query", "n > 1"], ["changes", "--where=n = 1"], ["show", f"{who.id}/0"], ["--json", "show", f"{who.id}/{len(who.blocks) - 1}"])
    if fuzz.sealed or fuzz.members:
        yield from (["authorize", "-n", "--fingerprint=" + " ".join(["abandon"] * 8), str(who.id)], ["authorize", "-n", "--fingerprint=" + " ".join(["abandon"] * 8), rng.choice([t for t in TEXTS if t and "\0" not in t and not t.startswith("-")])])
    for id in ids:
        yield from (["get", "--", id], ["--json", "get", "--meta", "--", id], ["get", "--", id, "n"], ["get", "--raw", "--", id, "a"], ["log", "--", id], ["--json", "log", "--", id], ["log", "--graph", "--", id], ["log", "-p", "--", id], ["log", "--", id, "n"],
                    ["conflicts", "--", id], ["diff", "--", id], ["diff", "--json-patch", "--", id], ["diff", "--merge-patch", id + "@base", id], ["resolve", "-n", "--merge", "--prefer=newest", "--", id], ["rev-parse", "--", id + "@winner"], ["query", "--refs-to=" + id],
                    ["get", "--at=@{1}", "--", id], ["get", "--at=2026-01-01", "--expand", "--", id], ["show", "--", id + "@winner"], ["revert", "-n", "--", id + "@base"], ["revert", "--at=@{1}", "--", id], ["purge", "--confirm=here", "-n", "--", id], ["purge", "--confirm=here", "--history-only", "-n", "--", id, "n"],
                    ["resolve", "--winner", "--", id], ["set", "--replace-type", id, "n+=1"], ["set", id, "a:counter+=1"], ["delete", "--", id])
        named = json.dumps(id)
        yield ["batch"], f'get {named}\nset {named} n:=1\nstart\npatch {named} {{"a": null}}\ndelete {named}\ncommit\nset {named} --create --type=note n=1\nverify {named} none\n'
    for who in fuzz.writers[:3]:
        for block in range(min(len(who.blocks), 3)):
            index = rng.randrange(len(who.blocks))
            yield from (["cat-block", f"{who.id}/{index}"], ["--json", "cat-block", f"{who.id}/{index}"], ["cat-block", "--header", f"{who.id}/{index}"])
    yield from ("undo", "sync", "reindex", "verify")

def measure(words, text, folder, limits):
    with open(os.path.join(folder, "in"), "w") as given: given.write(text)
    with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "wb") as err:
        pid = os.fork()
        if pid == 0:
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                os.chdir(os.path.join(folder, "d") if os.path.isdir(os.path.join(folder, "d", ".sea")) else folder)
                os.dup2(out.fileno(), 1); os.dup2(err.fileno(), 2); os.close(0)
                os.open(os.path.join(folder, "in"), os.O_RDONLY)
                os.execv(words[0], words)
            finally:
                os._exit(127)
        _, status, used = os.wait4(pid, 0)
    code, seconds, mib = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss >> 10
    wrong = []
    if code < 0 or code in (2, 70, 126, 127): wrong.append(f"status {code}")
    if seconds > limits[0]: wrong.append(f"{seconds:.2f} s")
    if mib > limits[1]: wrong.append(f"{mib} MiB")
    return wrong, seconds, mib, code

def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("blocks", type=int)
    parser.add_argument("--sea", required=True)
    parser.add_argument("--seed", default=os.environ.get("SEA_TEST_SEED", "1"))
    parser.add_argument("--from", type=int, default=0, dest="start")
    parser.add_argument("--keep", default="fuzzed")
    parser.add_argument("--each", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--mib", type=int, default=200)
    said = parser.parse_args()
    os.environ |= {"SEA_CONFIG_NOSYSTEM": "1", "SEA_CONFIG_GLOBAL": "/dev/null"}
    os.environ.pop("SEA_PASSWORD", None)
    sea, told, run, most, codes, opened = os.path.realpath(said.sea), 0, 0, [0, 0], {}, [0, 0]
    made = [0, 0]
    containers = range(said.start, said.start + -(-said.blocks // said.each))
    for k in containers:
        fuzz = Fuzz(f"{said.seed} {k}")
        files = fuzz.files(min(said.each, said.blocks))
        bad = False
        made[fuzz.sealed] += 1
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            os.environ |= {"XDG_STATE_HOME": os.path.join(folder, "state"), "SEA_PASSWORD_FILE": os.path.join(folder, "password")}
            with open(os.environ["SEA_PASSWORD_FILE"], "w") as file: file.write(WORD + "\n")
            for name, data in files.items():
                path = os.path.join(folder, "c", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file: file.write(data)
            if said.keep: shutil.copytree(os.path.join(folder, "c"), os.path.join(folder, "kept"))
            for words in commands(fuzz.rng, fuzz):
                words, text = words if isinstance(words, tuple) else (words, "")
                words = words.split() if isinstance(words, str) else words
                wrong, seconds, mib, code = measure([sea, *words], text, folder, (said.seconds, said.mib))
                run += 1
                codes[code] = codes.get(code, 0) + 1
                most = [max(most[0], seconds), max(most[1], mib)]
                if wrong:
                    told, bad = told + 1, True
                    print(f"seed {said.seed!r} container {k}: {words}: {', '.join(wrong)}: {open(os.path.join(folder, 'err'), errors='replace').read()[:200]!r}", flush=True)
                # Where nothing could be cloned there is nothing to look at.
                if words[0] == "clone" and words[2] == "c":
                    if not os.path.isdir(os.path.join(folder, "d", ".sea")): break
                    opened[fuzz.sealed] += 1
            if bad and said.keep:
                target = os.path.join(said.keep, f"{said.seed}-{k}")
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(os.path.join(folder, "kept"), target)
    # A script that opens nothing finds nothing.
    for kind, name in enumerate(["plain", "sealed"]):
        if made[kind] > 4 and not opened[kind]: told += 1; print(f"no {name} container could be cloned")
    print(f"{said.blocks} blocks in {sum(made)} containers, {made[1]} of them sealed, {sum(opened)} cloned, {opened[1]} of them sealed, {run} commands, at most {most[0]:.2f} s and {most[1]} MiB, statuses {dict(sorted(codes.items()))}, {told} wrong")
    sys.exit(told > 0)

if __name__ == "__main__":
    main()
