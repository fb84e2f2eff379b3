#!/usr/bin/env python3
"""A second reader of a Sea container, written from sea-format(5) and sea-record(5) alone.

usage: sea_reader.py [--heads] CONTAINER

Prints one JSON object per live record, sorted by id, as `sea query --json` does; with --heads one line per chain.
What it refuses it names on standard error, `CODE WHERE`, and ends with status 5; what verifies is printed all the same.
"""
import hashlib, json, os, re, struct, sys, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sea_values import Bad, Items, body, item, name, need

P = 2**255 - 19
Y8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826  # of the points of order 8
SIGNED, REMOVED = 4, 8

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def revision(v):
    need(type(v) is Items and len(v) == 2 and type(v[0]) is int and 1 <= v[0] < 2**32)
    need(type(v[1]) is bytes and len(v[1]) == 32)
    return v[0], v[1]

def change(v, raw):
    """One revision: id, (depth, digest), parent, type, kind, properties."""
    need(len(v) == 6 and type(v[3]) is Items and len(v[3]) <= 64)
    ident, kind, merged = name(v[0]), v[4], [revision(m) for m in v[3]]
    parent = None if v[2] is None else revision(v[2])
    need((v[1] is None or name(v[1])) and (parent is None or parent[0] < 2**32 - 1))
    need(merged == sorted(set(merged)) and parent not in merged)
    need(kind in ("put", "delete", "resolved") and (v[5] is None) == (kind != "put"))
    digest = sha256(b"\x87\x6asea rev v1", raw[1:])
    return ident, (parent[0] + 1 if parent else 1, digest), parent, v[1], kind, body(v[5]) if kind == "put" else None

def short(text):
    return type(text) is str and len(text.encode()) <= 1024

def payload(b, first):
    """The changes of a payload without its signature, and the public key that the first block announces."""
    try:
        v, end = item(b)
    except (UnicodeDecodeError, RecursionError):
        raise Bad("bad-payload")
    need(end == len(b) and type(v) is dict and set(v) - {"label"} == {"time", "changes"})
    need(type(v["time"]) is int and -2**63 <= v["time"] < 2**63)
    need("label" not in v or short(v["label"]))
    need(type(v["changes"]) is Items and 1 <= len(v["changes"]) <= 1_000_000)
    changes, key, understood = [], None, True
    for n, (entry, raw) in enumerate(zip(v["changes"], v["changes"].raw)):
        control = entry.get("control") if type(entry) is dict else None
        need((control == "instance") == (first and n == 0))
        if type(entry) is Items:
            changes.append(change(entry, raw))
            continue
        need(type(control) is str and len(entry) <= 16)
        if control == "instance":
            need(set(entry) == {"key", "name", "control", "exchange"} and short(entry["name"]))
            need(all(type(entry[k]) is bytes and len(entry[k]) == 32 for k in ("key", "exchange")))
            key = entry["key"]
        elif control == "heads":
            need(set(entry) == {"heads", "control"} and type(entry["heads"]) is Items)
            for head in entry["heads"]:
                need(type(head) is Items and len(head) == 3 and [type(x) for x in head] == [bytes, int, bytes])
                need(len(head[0]) == 16 and 0 <= head[1] < 2**32 and len(head[2]) == 32)
            names = [head[0] for head in entry["heads"]]
            need(names == sorted(set(names)))
        elif control == "shared":
            need(set(entry) == {"key", "value", "control"} and short(entry["key"]))
            need(entry["value"] is None or short(entry["value"]))
        else:
            understood = False
    return changes if understood else [], key

def size(b):
    """The size that a block says it has, once its header can be believed."""
    need(len(b) >= 80, "truncated")
    need(b[:3] == b"SEA", "bad-magic")
    need(b[3] < 16 and (b[3] < REMOVED or b[3] == REMOVED), "bad-mode")
    n = int.from_bytes(b[4:8], "big")
    need(n <= 2**26 - 80 and (n == 32 if b[3] == REMOVED else n > 64), "bad-size")
    return 80 + n

def instance_id(key):
    b = bytearray(sha256(b"sea instance v1", key)[:16])
    b[6], b[8] = b[6] & 0x0F | 0x80, b[8] & 0x3F | 0x80
    return uuid.UUID(bytes=bytes(b))

def block(b, database, instance, last=None, key=None):
    """Verifies one complete block behind `last` = (index, Lamport time, hash); None stands for the start of a chain.

    Returns what the next block needs, the key of the chain, and the block's changes."""
    need(size(b) <= len(b), "truncated")
    need(size(b) == len(b), "bad-size")
    mode, (index, lamport), stored = b[3], struct.unpack(">II", b[8:16]), b[80:]
    need(index == (last[0] + 1 if last else 0) and index < 2**32 - 1, "bad-index")
    need(not last or lamport > last[1], "bad-lamport")
    need(not last or b[16:48] == last[2], "bad-prev")
    need(sha256(stored) == b[48:80], "bad-data")
    need(mode & 3 == 0, "not-readable")
    if not last:
        need(mode != REMOVED, "bad-mode")
        changes, key = payload(stored[:-64], True)
        y = int.from_bytes(key, "little") & 2**255 - 1
        need(y < P and y not in (0, 1, P - 1, Y8, P - Y8) and instance_id(key) == instance, "bad-key")
        need(b[16:48] == sha256(b"sea chain v1", database.bytes, key), "bad-prev")
    if mode == REMOVED:
        return (index, lamport, stored), key, []
    need(mode & SIGNED, "bad-signature")
    said = b"sea block v1" + database.bytes + instance.bytes + b[:48] + sha256(stored[:-64])
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(stored[-64:], said)
    except (InvalidSignature, ValueError):
        raise Bad("bad-signature")
    return (index, lamport, sha256(b)), key, payload(stored[:-64], False)[0] if last else changes

class Trees:
    """The revision trees of all records."""

    def __init__(self):
        self.known = {}

    def add(self, changes):
        for ident, revision, parent, type_, kind, properties in changes:
            self.known.setdefault(ident, {})[revision] = parent, type_, kind, properties

    def record(self, ident):
        """The live record as JSON, or None, and the revisions whose parent disagrees with its own depth."""
        tree, attached, leaves, wrong = self.known[ident], set(), set(), []
        digests = {digest: depth for depth, digest in tree}
        for revision in sorted(tree):
            parent = tree[revision][0]
            if parent is None or parent in attached:
                attached.add(revision)
                leaves = leaves - {parent} | {revision}
            elif digests.get(parent[1], parent[0]) != parent[0]:
                wrong.append(revision)
        live = sorted((r for r in leaves if tree[r][2] == "put"), reverse=True)
        if not live:
            return None, wrong
        rev = [f"{depth}-{digest.hex()}" for depth, digest in live]
        _, type_, _, properties = tree[live[0]]
        head = {"_id": ident} | ({"_type": type_} if type_ else {}) | {"_rev": rev[0]}
        return head | properties | ({"_conflicts": rev[1:]} if rev[1:] else {}), wrong

class Reader:
    """A container directory."""

    def __init__(self, root):
        with open(os.path.join(root, "info.json"), encoding="utf-8") as file:
            self.database = uuid.UUID(json.load(file)["databaseID"])
        self.trees, self.heads, self.problems, self.seen = Trees(), {}, [], {}
        for extra in sorted(set(os.listdir(root)) - {"info.json", "transactions", "assets", "keys"}):
            self.problems.append(("foreign-file", extra))
        base = os.path.join(root, "transactions")
        for chain in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(~[0-9a-f]{8})?", chain):
                self.chain(chain, os.path.join(base, chain))
            elif not chain.startswith(".sea-tmp-"):
                self.problems.append(("foreign-file", chain))

    def blocks(self, chain, folder):
        """The bytes of a chain's blocks by index, wherever they lie; an unfinished one is cut or missing."""
        found = {}
        for path, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                name = os.path.relpath(os.path.join(path, file), folder)
                leaf = name.removesuffix(".blocks")
                digits = [int(d) for d in leaf.split("/")[1:] if d.isdecimal()] + [0] * (leaf != name)
                index = sum(d * 1000**k for k, d in enumerate(reversed(digits)))
                if name not in (where(index), where(index).rpartition("/")[0] + ".blocks"):
                    if not file.startswith(".sea-tmp-"):
                        self.problems.append(("foreign-file", f"{chain}/{name}"))
                    continue
                with open(os.path.join(path, file), "rb") as f:
                    b = f.read()
                for one in split(b) if leaf != name else [b]:
                    found.setdefault(index, one)
                    index += 1
        return found

    def chain(self, chain, folder):
        """Verifies a chain from its first block on, as far as it goes; a fork goes on from a block of its sibling."""
        instance, found, last, key = uuid.UUID(chain[:36]), self.blocks(chain, folder), None, None
        if "~" in chain and found and min(found):
            last, key = self.seen.get((instance, found[min(found)][16:48]), (None, None))
        for n, index in enumerate(sorted(found), min(found, default=0) if last else 0):
            try:
                need(index == n, "gap")
                last, key, changes = block(found[index], self.database, instance, last, key)
            except Bad as bad:
                self.problems.append((str(bad), f"{chain}/{index}"))
                break
            self.seen[instance, last[2]] = last, key
            self.trees.add(changes)
        if last:
            self.heads[chain] = last

def split(b):
    """Blocks that lie one after another; what cannot be told apart any more is the last of them."""
    while b:
        try:
            end = size(b)
        except Bad:
            end = len(b)
        yield b[:end]
        b = b[end:]

def where(index):
    """The name of a block's file: the number of digits in base 1000, then the digits."""
    digits = [str(index % 1000)]
    while index := index // 1000:
        digits.insert(0, str(index % 1000))
    return "/".join([str(len(digits))] + digits)

def main(arguments):
    reader = Reader(arguments[-1])
    records = sorted((ident.encode(), *reader.trees.record(ident)) for ident in reader.trees.known)
    for ident, record, wrong in records:
        reader.problems += [("bad-depth", f"{ident.decode()}@{depth}-{digest.hex()}") for depth, digest in wrong]
        if record and "--heads" not in arguments:
            print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    for chain, (index, _, digest) in sorted(reader.heads.items()) if "--heads" in arguments else []:
        print(chain, index, digest.hex(), sep="\t")
    for code, where_ in reader.problems:
        print(code, where_, file=sys.stderr)
    return 5 if any(code != "foreign-file" for code, _ in reader.problems) else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
