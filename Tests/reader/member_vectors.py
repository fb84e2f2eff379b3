"""The vectors of membership: who has which role, and which blocks are held, after a set of blocks.

A script has one block a line: `A 5: +B write, -C C2, x` is the next block of A, with the Lamport time 5, that gives B a
role, revokes C behind its block C2 and has a change. `-C` alone: nothing of C counts. Every instance has a first block
with the Lamport time 1 unless there is `A0 7:`. `>B3` names the head B3 (`>B3@4`: with another index), `?` says that a block decides
about members and cannot be read, but for its heads. `A~1 6:` begins a second branch behind the block A1, whose blocks are A2', A3', and `A' 7:`
goes on there. The founder is F; the instanceIDs are in the order of the letters.
"""
import random, re, uuid
from sea_members import NOTHING, founded, standing
from sea_values import Bad
from sea_writer import Instance, instance_id, sha

MEMBERS = dict(zip("ABCDEF", sorted((Instance(f"member {n}") for n in range(6)), key=lambda i: i.id.bytes)))
DATABASE = founded(MEMBERS["F"].key)

def cases():
    """name, script, what must follow: roles with their cuts where it is not all or nothing, and the blocks that are held."""
    yield "founder-alone", "F 2: x", "F admin"
    yield "stranger", "F 2: x\nA 3: x", "F admin; held A0 A1"
    yield "write", "F 2: +A write\nA 3: x", "F admin; A write"
    yield "write-in-any-order", "A 3: x\nF 2: +A write", "F admin; A write"
    yield "read", "F 2: +A read\nA 3: x", "F admin; A read; held A0 A1"
    yield "admin", "F 2: +A admin\nA 3: +B write\nB 4: x", "F admin; A admin; B write"
    yield "admin-of-admin", "F 2: +A admin\nA 3: +B admin\nB 4: +C admin\nC 5: +D write\nD 6: x", "F admin; A admin; B admin; C admin; D write"
    yield "by-a-writer", "F 2: +A write\nA 3: +B write\nB 4: x", "F admin; A write; held B0 B1"
    yield "by-a-reader", "F 2: +A read\nA 3: +B write\nB 4: x", "F admin; A read; held A0 A1 B0 B1"
    yield "by-a-stranger", "F 2: x\nA 3: +B admin\nB 4: +A admin", "F admin; held A0 A1 B0 B1"
    yield "by-itself", "F 2: +A write\nA 3: +A admin\nA 4: +B write\nB 5: x", "F admin; A write; held B0 B1"
    yield "promoted", "F 2: +A read\nA 3: x\nF 4: +A write", "F admin; A write"
    yield "promoted-to-admin", "F 2: +A write\nA 3: +B write\nF 4: +A admin\nB 5: x", "F admin; A admin; B write"
    yield "demoted-without-cut", "F 2: +A write\nA 3: x\nF 4: +A read", "F admin; A read; held A0 A1"
    yield "demoted-behind-a-cut", "F 2: +A write\nA 3: x\nF 4: -A A1, +A read\nA 5: x", "F admin; A read A1; held A2"

    yield "revoked", "F 2: +A write\nA 3: x\nA 5: x\nF 6: -A A1", "F admin; A none A1; held A2"
    yield "revoked-all", "F 2: +A write\nA 3: x\nF 6: -A", "F admin; A none; held A0 A1"
    yield "revoked-first-block", "F 2: +A write\nA 3: x\nF 6: -A A0", "F admin; A none A0; held A1"
    yield "revoked-backdated", "F 2: +A write\nA 3: x\nF 9: -A A1\nA 4: x\nA 5: x", "F admin; A none A1; held A2 A3"
    yield "revoked-twice", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A2\nF 6: -A A1", "F admin; A none A1; held A2"
    yield "revoked-twice-later-cut", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A1\nF 6: -A A2", "F admin; A none A2"
    yield "revoked-and-back", "F 2: +A write\nA 3: x\nF 5: -A A1\nA 6: x\nF 7: +A write", "F admin; A write"
    yield "revoked-and-reader", "F 2: +A write\nA 3: x\nF 5: -A A1\nF 7: +A read\nA 8: x", "F admin; A read A1; held A2"
    yield "revoked-all-and-reader", "F 2: +A write\nA 3: x\nF 5: -A\nF 7: +A read", "F admin; A read; held A0 A1"
    yield "revoked-reader", "F 2: +A read\nA 3: x\nF 5: -A A1", "F admin; A none; held A0 A1"
    yield "revoked-reader-that-wrote", "F 2: +A write\nA 3: x\nF 4: -A A1, +A read\nA 5: x\nF 6: -A A2", "F admin; A none A1; held A2"
    yield "revoked-stranger", "F 2: -A A1\nA 3: x", "F admin; A none; held A0 A1"
    yield "revoked-before-it-was-authorised", "F 2: -A\nF 3: +A write\nA 4: x", "F admin; A write"
    yield "revoked-by-a-writer", "F 2: +A write, +B write\nA 3: -B\nB 4: x", "F admin; A write; B write"
    yield "revoke-and-authorise-in-one-block", "F 2: +A write\nA 3: x\nF 4: +A write, -A A0", "F admin; A none A0; held A1"
    yield "cut-not-there", "F 2: +A write\nA 3: x\nF 4: -A A7", "F admin; A none A7; held A0 A1"
    yield "cut-at-another-index", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A1@2", "F admin; A none A1@2; held A0 A1 A2"
    yield "cut-of-another-chain", "F 2: +A write\nA 3: x\nF 5: -A F1", "F admin; A none F1; held A0 A1"

    yield "lamport-decides", "F 2: +A admin, +C write\nA 7: +C write\nF 6: -C C0\nC 3: x", "F admin; A admin; C write"
    yield "author-decides", "F 2: +A admin\nA 5: +C write\nF 5: -C C0\nF 3: +C write\nC 4: x", "F admin; A admin; C none C0; held C1"
    yield "item-decides", "F 2: +C write\nC 3: x\nF 4: -C, +C write", "F admin; C write"

    yield "admin-revoked-keeps-what-it-did", "F 2: +A admin\nA 3: +B write\nF 5: -A A1\nB 6: x", "F admin; A none A1; B write"
    yield "admin-revoked-later-entries", "F 2: +A admin\nA 3: x\nF 5: -A A1\nA 4: +B write\nB 6: x", "F admin; A none A1; held A2 B0 B1"
    yield "admin-revoked-all", "F 2: +A admin\nA 3: +B admin\nB 4: +C write\nF 5: -A", "F admin; A none; held A0 A1 B0 B1 C0"
    yield "admin-to-writer", "F 2: +A admin\nA 3: +B write\nF 5: +A write\nB 6: x", "F admin; A write; held B0 B1"
    yield "admin-to-writer-behind-a-cut", "F 2: +A admin\nA 3: +B write\nF 5: -A A1, +A write\nA 6: +C write\nB 7: x", "F admin; A write; B write; held C0"
    yield "admin-to-reader-behind-a-cut", "F 2: +A admin\nA 3: +B write\nF 5: -A A1, +A read\nA 6: x\nB 7: x", "F admin; A read A1; B write; held A2"
    yield "admin-again-speaks-for-all", "F 2: +A admin\nA 3: x\nF 4: -A A1\nA 5: +B write\nF 6: +A admin\nB 7: x", "F admin; A admin; B write"
    yield "revoked-by-a-revoked-admin", "F 2: +A admin, +B write\nB 3: x\nA 4: -B B0\nF 5: -A A0", "F admin; A none A0; B write; held A1"

    yield "leaving", "F 2: +A write\nA 3: x\nA 4: -A A1\nA 5: x", "F admin; A none A1; held A2 A3"
    yield "leaving-with-all", "F 2: +A write\nA 3: x\nA 4: -A", "F admin; A none; held A0 A1 A2"
    yield "leaving-reader", "F 2: +A read\nA 3: -A A0", "F admin; A none; held A0 A1"
    yield "leaving-and-back", "F 2: +A write\nA 3: -A A0\nF 4: +A write\nA 5: x", "F admin; A write"
    yield "leaving-longer", "F 2: +A write\nA 3: -A A0\nA 4: x\nA 5: -A A2", "F admin; A none A0; held A1 A2 A3"
    yield "leaving-after-a-revoke", "F 2: +A write\nA 3: x\nF 4: -A A0\nA 5: -A A1", "F admin; A none A0; held A1 A2"
    yield "leaving-backdated-after-a-revoke", "F 2: +A write\nA 3: x\nF 9: -A A0\nA 4: -A A1\nF 10: +A read", "F admin; A read A0; held A1 A2"
    yield "leaving-stranger", "F 2: x\nA 3: -A A0", "F admin; held A0 A1"
    yield "leaving-founder", "F 2: +A admin\nF 3: -F F1\nF 4: +B write\nA 5: +C write\nB 6: x\nC 7: x", "A admin; C write; F none F1; held B0 B1 F2 F3"
    yield "leaving-founder-with-all", "F 2: +A admin\nF 3: -F\nA 5: +C write", "F none; held A0 A1 C0 F0 F1 F2"
    yield "leaving-admin-takes-along", "F 2: +A admin\nA 3: x\nA 4: +B write\nA 5: -A A1\nB 6: x", "F admin; A none A1; held A2 A3 B0 B1"

    both = "F 2: +A admin, +B admin\n"
    yield "upward", both + "B 3: -A A0\nA 4: x", "F admin; A none A0; B admin; held A1"
    yield "upward-against-the-founder", "F 2: +A admin\nF 3: x\nA 4: -F F1\nF 5: +C write\nC 6: x", "A admin; F none F1; held C0 C1 F2 F3"
    yield "upward-saws-its-branch", "F 2: +A admin\nA 4: -F F0", "F admin; A admin"
    yield "upward-saws-its-branch-all", "F 2: +A admin\nA 3: +B admin\nB 4: -A", "F admin; A admin; B admin"
    yield "upward-demotes-the-founder", "F 2: +A admin\nA 4: +F write", "F admin; A admin"
    yield "upward-demotes-behind-a-cut", "F 2: +A admin\nA 4: -F F1, +F write\nF 5: +C write\nF 6: x", "A admin; F write; held C0"
    yield "upward-gives-back", both + "F 3: -A A0\nB 4: +A admin\nA 5: +C write", "F admin; A admin; B admin; C write"
    yield "upward-then-senior-again", both + "B 3: -A A0\nF 4: +A admin\nA 5: x", "F admin; A admin; B admin"
    yield "upward-by-a-writer", "F 2: +A admin, +B write\nB 3: -A", "F admin; A admin; B write"
    yield "upward-two-entries", both + "A 3: x\nB 4: -A A0\nB 5: +A write\nA 6: +C write", "F admin; A write; B admin; held C0"
    yield "upward-two-about-one", "F 2: +A admin, +B admin, +C admin\nA 3: x\nB 4: -A A1\nC 5: -A A0", "F admin; A none A0; B admin; C admin; held A1"

    yield "mutual", both + "A 3: -B B0\nB 3: -A A0", "F admin; A admin; B none B0; held B1"
    yield "mutual-junior-first", both + "B 3: -A A0\nA 9: -B B0", "F admin; A admin; B none B0; held B1"
    yield "mutual-and-knowing", both + "B 3: -A A0\nA 4: -B B1", "F admin; A none A0; B admin; held A1"
    yield "mutual-with-the-founder", "F 2: +A admin\nA 3: -F F1\nF 4: -A A0", "F admin; A none A0; held A1"
    yield "mutual-rank-by-lamport", "F 2: +B admin\nF 3: +A admin\nA 4: -B B0\nB 4: -A A0", "F admin; A none A0; B admin; held A1"
    yield "mutual-rank-by-depth", "F 2: +C admin\nC 3: +B admin\nF 9: +A admin\nA 10: -B B0\nB 4: -A A0", "F admin; A admin; B none B0; C admin; held B1"
    yield "mutual-ring", "F 2: +A admin, +B admin, +C admin\nA 3: -B B0\nB 3: -C C0\nC 3: -A A0", "F admin; A admin; B none B0; C admin; held B1"
    yield "thief-undone", "F 2: +A admin, +B admin, +C write\nB 3: -A A0, -C, -F F1, +D admin\nD 4: x\nF 5: -B B0", "F admin; A admin; B none B0; C write; held B1 D0 D1"
    yield "revoker-revoked", "F 2: +A admin, +B admin, +C admin\nB 3: -A A0\nC 4: -B B0", "F admin; A admin; B none B0; C admin; held B1"
    yield "rank-is-kept", both + "F 3: -A A0\nF 4: +A admin\nA 5: -B B0\nB 5: -A A0", "F admin; A admin; B none B0; held B1"
    yield "rank-of-a-reader", "F 2: +A read, +B admin\nF 3: +A admin\nA 4: -B B0\nB 4: -A A0", "F admin; A none A0; B admin; held A1"

    fork = "F 2: +A write\nA 3: x\nA 4: x\nA~1 4: x\nA' 5: x\n"
    yield "fork-counts", fork, "F admin; A write"
    yield "fork-cut-on-the-trunk", fork + "F 6: -A A2", "F admin; A none A2; held A2' A3'"
    yield "fork-cut-on-the-branch", fork + "F 6: -A A3'", "F admin; A none A3'; held A2"
    yield "fork-cut-before", fork + "F 6: -A A1", "F admin; A none A1; held A2 A2' A3'"
    future = "F 2: +A admin, +B write\n"
    yield "future-of-an-admin", future + "A 3: ?\nB 4: x", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names", future + "B 3: x\nB 4: x\nA 5: >B1, ?", "F admin; A admin; B write; held B2"
    yield "future-that-named-before", future + "B 3: x\nB 4: x\nA 5: >B1\nA 6: ?\nB 7: x", "F admin; A admin; B write; held B2 B3"
    yield "future-that-names-later", future + "B 3: x\nA 4: ?\nA 5: >B1", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-what-is-not-here", future + "B 3: x\nA 4: >B7, ?", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-another-index", future + "B 3: x\nA 4: >B1@2, ?", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-another-branch", future + "B 3: x\nB~0 3: x\nA 4: >B1', ?", "F admin; A admin; B write; held B1"
    yield "future-twice", future + "B 3: x\nA 4: >B1, ?\nA 5: ?\nB 6: x", "F admin; A admin; B write; held B2"
    yield "future-of-two", future + "F 3: +C admin\nB 4: x\nA 5: >B1, >C0, ?\nC 5: ?", "F admin; A admin; B write; C admin; held B0 B1 C1"
    yield "future-of-the-founder", future + "F 3: ?\nA 4: x\nB 5: x", "F admin; A admin; B write; held A0 A1 B0 B1"
    yield "future-of-a-writer", future + "B 3: ?\nA 4: x", "F admin; A admin; B write"
    yield "future-of-a-junior", "F 2: +A admin, +B admin\nB 3: ?\nA 4: x", "F admin; A admin; B admin"
    yield "future-of-a-stranger", future + "C 3: ?\nB 4: x", "F admin; A admin; B write; held C0 C1"
    yield "future-of-one-revoked", future + "B 3: x\nA 4: ?\nF 5: -A A1", "F admin; A none A1; B write; held B0 B1"
    yield "future-of-one-revoked-before", future + "B 3: x\nA 4: ?\nF 5: -A A0", "F admin; A none A0; B write; held A1"
    yield "future-holds-a-stranger", future + "D 3: x\nA 4: >B0, ?", "F admin; A admin; B write; held D0 D1"
    yield "future-holds-entries", "F 2: +A admin, +B admin\nB 3: +C write\nC 4: x\nA 5: ?", "F admin; A admin; B admin; held B0 B1 C0 C1"
    yield "future-keeps-entries", "F 2: +A admin, +B admin\nB 3: +C write\nC 4: x\nA 5: >B1, >C0, ?", "F admin; A admin; B admin; C write; held C1"
    yield "future-held-itself", "F 2: +A admin, +B admin, +C write\nC 3: x\nA 4: >C1, ?\nB 5: ?", "F admin; A admin; B admin; C write; held B0 B1 C0 C1"
    admins = "F 2: +A admin\nA 3: x\nA 4: +B write\nA~1 4: +C write\n"
    yield "fork-of-an-admin", admins, "F admin; A admin; B write; C write"
    yield "fork-of-an-admin-cut", admins + "F 6: -A A2", "F admin; A none A2; B write; held A2' C0"
    yield "fork-same-place", "F 2: +A admin\nA 3: +B write\nA~0 3: -B\n", "F admin; A admin; held B0"

# -- the text of a vector

def text(script):
    """The body of a vector: instances, and blocks with their entries."""
    blocks, tips, first = [], {}, {}
    for line in script.strip().split("\n"):
        front, items = line.split(": ")
        who, lamport = front.split()
        author, branch = who[0], who[1:]
        for one in [author, *re.findall(r"[+>-]([A-F])", items)]:
            first.setdefault(one, f"block {one} 0 1 {one}0 -")
        if branch.startswith("~"):
            tips[author, "'"] = int(branch[1:]), f"{author}{branch[1:]}"
            branch = "'"
        index, previous = tips.get((author, branch), (0, f"{author}0"))
        label = f"{author}{index + 1}{branch}"
        if branch == "0":
            index, label, previous = -1, f"{author}0", "-"
        else:
            tips[author, branch] = index + 1, label
        said = []
        for item in items.split(", "):
            words = item[1:].split()
            if item in ("x", "?"):
                said.append({"x": "change", "?": "unreadable"}[item])
            elif item[0] == ">":
                said.append(f"head {item[1]} {point(item[1:])}")
            elif item[0] == "+":
                said.append(f"authorise {words[0]} {words[1]}")
            else:
                said.append(f"revoke {words[0]} {point(words[1]) if words[1:] else 'none'}")
        block = "\n".join([f"block {author} {index + 1} {lamport} {label} {previous}"] + said)
        if branch == "0":
            first[author] = block
        else:
            blocks.append(block)
    lines = [f"instance {one} {MEMBERS[one].key.hex()}" for one in sorted(first)]
    return "\n".join(lines + [first[one] for one in sorted(first)] + blocks) + "\n"

def point(label):
    """A cut by its label, `A3` or `A3'`; `A1@2` says another index."""
    label, _, other = label.partition("@")
    return f"{other or re.sub('[^0-9]', '', label)} {label}"

class Block:
    """As much of a block as membership depends on."""

    def __init__(self, instance, index, lamport, label, previous):
        self.instance, self.index, self.lamport, self.hash = instance, int(index), int(lamport), sha(label.encode())
        self.previous, self.payload = bytes(32) if previous == "-" else sha(previous.encode()), self
        self.controls, self.items, self.label, self.heads, self.unread = {}, 0, label, [], False

def read(body):
    """The instances by name and the blocks of a vector."""
    keys, ids, blocks = {}, {}, []
    for line in body.strip().split("\n"):
        kind, *words = line.split()
        if kind == "instance":
            keys[words[0]] = bytes.fromhex(words[1])
            ids[words[0]] = instance_id(keys[words[0]])
        elif kind == "block":
            blocks.append(Block(ids[words[0]], *words[1:]))
        elif kind == "head":
            blocks[-1].heads.append((ids[words[0]].bytes, int(words[1]), sha(words[2].encode())))
        elif kind == "unreadable":
            blocks[-1].unread = True
        else:
            entry = {"control": kind}
            if kind != "change":
                entry["instance"] = ids[words[0]].bytes
            if kind == "authorise":
                entry["role"] = words[1]
            if kind == "revoke":
                cut = (None, None) if words[1] == "none" else (int(words[1]), sha(words[2].encode()))
                entry |= dict(zip(("index", "digest"), cut))
            blocks[-1].controls[blocks[-1].items] = entry
            blocks[-1].items += 1
    return keys, ids, blocks

def judge(said, body):
    keys, ids, blocks = read(body)
    founder = next(name for name, key in keys.items() if founded(key) == uuid.UUID(said["database"]))
    members = standing(ids[founder], blocks)
    labels = {b.hash: b.label for b in blocks}
    labels |= {sha(w.encode()): w for w in re.findall(r"^revoke . \d+ (\S+)", body, re.M)}
    def cut(c):
        return c if isinstance(c, str) else f"{c[0]} {labels[c[1]]}"
    result = {}
    for name, id in ids.items():
        role, counts, speaks = members.standings.get(id, (None, NOTHING, NOTHING))
        result[f"member-{name}"] = f"{role or 'none'}, {cut(counts)}, {cut(speaks)}"
    return result | {"held": " ".join(sorted(b.label for b in blocks if not members.entitled(b))) or "none"}

def short(said):
    """What was judged as a case writes it, part by part; who has no role and no cut is left out."""
    parts = {f"held {said['held']}"} - {"held none"}
    for key in said:
        if key.startswith("member-"):
            role, cut, _ = said[key].split(", ")
            index, _, label = cut.partition(" ")
            number = re.sub("[^0-9]", "", label)
            parts.add(f"{key[7:]} {role}" + (f" {label}" if label else "") + (f"@{index}" if number != index and label else ""))
    return {part for part in parts if not part.endswith(" none")}

def drawn(seed):
    """A script in which admins quarrel at random."""
    rng, tips, lamport = random.Random(seed), {}, {}
    lines = ["F 2: +A admin, +B admin", "A 3: +C admin"]
    for n in range(rng.randrange(4, 14)):
        who = rng.choice("AABBCCDF")
        lamport[who] = max(lamport.get(who, 3), rng.randrange(3, 14)) + 1
        tips[who] = tips.get(who, {"A": 1, "F": 1}.get(who, 0)) + 1
        items = []
        for _ in range(rng.randrange(1, 3)):
            about = rng.choice("ABCDEF")
            cut = rng.choice(["", f" {about}{rng.randrange(0, 3)}", f" {about}{tips.get(about, 0)}"])
            items.append(rng.choice([f"+{about} {rng.choice(['admin', 'admin', 'write', 'read'])}", f"-{about}{cut}"]))
        lines.append(f"{who} {lamport[who]}: {', '.join(items)}")
    return "\n".join(lines)

def vectors():
    """Path, header lines, text."""
    for n in range(60):
        body = text(drawn(n))
        said = judge({"database": str(DATABASE)}, body)
        yield f"member/random-{n:02}.vec", [("name", f"random-{n:02}"), ("expect", "ok"), ("database", DATABASE), *sorted(said.items())], body
    for name, script, expect in cases():
        body = text(script)
        said = judge({"database": str(DATABASE)}, body)
        got, want = short(said), {part for part in expect.split("; ") if not part.endswith(" none")}
        if got != want:
            raise Bad(f"member/{name}: expected {want}, the reader says {got}")
        lines = [("name", name), ("expect", "ok"), ("database", DATABASE)]
        yield f"member/{name}.vec", lines + sorted(said.items()), body
