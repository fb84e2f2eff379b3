#!/usr/bin/env python3
"""Shapes that a peer can give what it writes, each in four sizes: what the commands take for them, and how that grows.

usage: shapes.py [--sea PROGRAM] [--sizes N,N,...] [--most SECONDS] [--growth EXPONENT] [--instructions] [SHAPE...]

A container is made of valid blocks by the writer of Tests/reader, cloned, synced, and read by every command that meets the shape. A line for
each command has its CPU seconds for each size and the exponent of the growth between the last two: 1 is linear. The status is 1 if a
command takes longer than SECONDS (10), or grows faster than EXPONENT (1.4) where it takes more than a twentieth of them.

With --instructions, valgrind counts the instructions of a clone and of the first two commands. The outcome is the same on any machine, however
busy it is, and small sizes are enough: the last three must be in one proportion, and the growth is that of what each adds to the one before.
"""
import argparse, json, math, os, re, resource, shutil, subprocess, sys, tempfile
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests/reader"))
from sea_header import HEADER
from sea_writer import Instance, change, enc, named, purge, removed, rev, sha, state
from chain_vectors import info, tree, where
from sea_seal import epoch_digest
from sea_sealer import Sealed, epoch_entry, password_slot

ID = "r"

class Chain:
    def __init__(self, name):
        self.of, self.blocks = Instance(name), []
        self.blocks.append(self.of.genesis())

    def add(self, *items, heads=()):
        self.blocks.append(self.of.block(list(items), state(self.blocks[-1]), heads=heads))
        return self

    def files(self):
        return tree(str(self.of.id), self.blocks)

def container(*chains, **files):
    return [info() | {k: v for c in chains for k, v in c.files().items()} | files]

def put(body, parent=None, merged=(), id=ID, kind="put"):
    return change(id, body, parent=rev(parent) if isinstance(parent, list) and len(parent) == 6 else parent, merged=sorted(rev_of(m) for m in merged), kind=kind)

def rev_of(one):
    return list(rev(one))

def names(count, value):
    return {f"p{n}": value(n) for n in range(count)}

def two(base, ours, theirs):
    """A record that two have changed, each without knowing of the other."""
    first = put(base)
    a = Chain("a").add(first)
    return container(a.add(put(ours, first)), Chain("b").add(put(theirs, first), heads=[(a.of, a.blocks[1])]))

# -- each gives the states of a container, one after another

def properties(n):
    return container(Chain("a").add(put(names(n, lambda k: k))).add(put(names(n, lambda k: k + 1), put(names(n, lambda k: k)))))

def merging(n):
    return two(names(n, lambda k: k), names(n, lambda k: k + (k % 2) * n), names(n, lambda k: k + (k % 2 == 0) * n))

def clashing(n):
    return two(names(n, lambda k: k), names(n, lambda k: k + n), names(n, lambda k: k + 2 * n))

def crossing(n):
    """Two that merge each other's last version, again and again, without knowing that of the other's merge."""
    first = put({"a": 0, "b": 0})
    a, b = put({"a": 1, "b": 0}, first), put({"a": 0, "b": 1}, first)
    items = [first, a, b]
    for k in range(n):
        a, b = put({"a": k, "b": 0}, a, [b]), put({"a": 0, "b": k}, b, [a])
        items += [a, b]
    return container(Chain("a").add(*items))

def crossings(n):
    """The same in many records."""
    items = []
    for r in range(n // 200 + 1):
        first = put({"a": 0, "b": 0}, id=f"r{r}")
        a, b = put({"a": 1, "b": 0}, first, id=f"r{r}"), put({"a": 0, "b": 1}, first, id=f"r{r}")
        items += [first, a, b]
        for k in range(240):
            a, b = put({"a": k, "b": 0}, a, [b], id=f"r{r}"), put({"a": 0, "b": k}, b, [a], id=f"r{r}")
            items += [a, b]
    return container(Chain("a").add(*items))

def leaves(n):
    """As many blocks of one record, none of which knows another."""
    a = Chain("a")
    for k in range(n): a.add(put({"n": k}))
    return container(a)

def block_of_leaves(n):
    return container(Chain("a").add(*(put({"n": k}) for k in range(n))))

def sets(n):
    """A history of a set, and leaves that disagree about it: what each has seen matters."""
    element = lambda k: [k, [b""]]
    first = put({"s": {"$set": [element(0)]}})
    items, last = [first], first
    for k in range(n):
        last = put({"s": {"$set": [element(k + 1)]}}, last)
        items.append(last)
    items += [put({"s": {"$set": sorted(([element(k), element(10**6)]), key=lambda e: enc(e[0]))}, "k": k}, first) for k in range(n)]
    return container(Chain("a").add(*items))

def many_sets(n):
    """As many sets in one record, and leaves that disagree about all of them."""
    side = lambda k: {f"p{i}": {"$set": [[i + k, [b""]]]} for i in range(n)}
    return two(side(0), side(1), side(2))

def counters(n):
    """A counter that as many have counted on, each without knowing of the others."""
    first = put({"c": {"$counter": {bytes(16): [1, 0]}}})
    items = [put({"c": {"$counter": {bytes(16): [1, 0], sha(str(k).encode())[:16]: [1, 0]}}}, first) for k in range(n)]
    return container(Chain("a").add(first, *items))

def forks(n):
    a = Chain("a").add(put({"n": 0}))
    files = info() | a.files()
    for k in range(n):
        block = a.of.block([put({"n": k}, id=f"f{k}")], state(a.blocks[0]))
        files |= tree(f"{a.of.id}~{sha(block)[:4].hex()}", [block], 1)
    return [files]

def ladder(n):
    """A fork that leaves a fork that leaves a fork."""
    a = Chain("a").add(put({"n": 0}))
    files, before = info() | a.files(), a.blocks[0]
    for k in range(n):
        block = a.of.block([put({"n": k}, id=f"f{k}")], state(before))
        files |= tree(f"{a.of.id}~{sha(block)[:4].hex()}", [block], 1 + k)
        before = block
        if k % 2 == 0: files |= tree(f"{a.of.id}~{sha(block)[:4].hex()}", [a.of.block([put({"n": k}, id=f"g{k}")], state(block))], 2 + k)
    return [files]

def resolved(n):
    items = []
    for k in range(n):
        leaf = put({"n": k})
        items += [leaf, put(None, leaf, kind="resolved")]
    return container(Chain("a").add(*items))

def history(n):
    a, last = Chain("a"), None
    for k in range(n):
        last = put({"n": k}, last)
        a.add(last)
    return container(a)

def backwards(n):
    """A history whose newest part comes first."""
    items, last = [], None
    for k in range(n):
        last = put({"n": k}, last)
        items.append(last)
    return container(Chain("a").add(*reversed(items)))

def children(n):
    first = put({"n": 0})
    return container(Chain("a").add(*(put({"n": k + 1}, first) for k in range(n)), first))

def chains(n):
    return [info() | {k: v for c in range(n) for k, v in Chain(f"c{c}").add(put({"n": c}, id=f"r{c}")).files().items()}]

def empty_chains(n):
    return [info() | {k: v for c in range(n) for k, v in Chain(f"c{c}").files().items()}]

def nowhere(k):
    """As much of a first block as its hash needs; each of them has another one."""
    return b"SEA\4" + bytes(8) + (1).to_bytes(4, "big") + bytes(HEADER - 20) + k.to_bytes(4, "big")

def heads(n):
    """A block that names the heads of chains that are nowhere."""
    class Named:
        def __init__(self, k): self.of, self.block = Instance.__new__(Instance), nowhere(k)
    import uuid
    said = []
    for k in range(n):
        one = Named(k)
        one.of.id = uuid.UUID(int=k << 64 | 8 << 76 | 2 << 62)
        said.append((one.of, one.block))
    a = Chain("a")
    a.blocks.append(a.of.block([put({"n": 1})], state(a.blocks[-1]), heads=said))
    return container(a.add(put({"n": 2}, id="other")))

def nested(n):
    """Dictionaries in dictionaries, as deep as they go, and as many."""
    def deep(levels, value): return value if levels == 0 else {"d": deep(levels - 1, value), "e": 1}
    side = lambda k: {f"p{i}": deep(100, i + k) for i in range(n // 100)}
    return two(side(0), side(1), side(2))

def references(n):
    return container(Chain("a").add(*(put({"to": {"$ref": f"q{k + 1}"}}, id=f"q{k}") for k in range(n)), put({"all": [{"$ref": f"q{k}"} for k in range(n)]})))

def assets(n):
    """As many assets of one record."""
    a, content = Chain("a"), lambda k: f"content {k}\n".encode()
    a.add(put({f"p{k}": {"$asset": f"{a.of.id}/{k}", "mime": "text/plain", "size": len(content(k)), "sha256": sha(content(k))} for k in range(n)}))
    return [info() | a.files() | {os.path.join("assets", str(a.of.id), where(k)): content(k) for k in range(n)}]

def shared(n):
    return container(Chain("a").add(*({"control": "shared", "key": f"merge.p{k}.policy", "value": "newest"} for k in range(n)), put({"n": 1})))

def waiting(n):
    """As many revisions whose parent nobody has, and a history beside them."""
    nowhere = [1 << 20, sha(b"nowhere")]
    items, last = [put({"n": k}, nowhere) for k in range(n)], None
    for k in range(n):
        last = put({"n": k}, last)
        items.append(last)
    return container(Chain("a").add(*items))

def merged(n):
    """Merges of as many as one may take in, of leaves that nobody merged."""
    tips = [put({"n": k}) for k in range(n)]
    items = list(tips)
    for k in range(0, n - 64, 64): items.append(put({"m": k}, tips[k], tips[k + 1:k + 64]))
    return container(Chain("a").add(*items))

def merge_of_many(n):
    """All leaves come from the same, each has another property."""
    first = put({"n": 0})
    return container(Chain("a").add(first, *(put({"n": 0, f"p{k}": k}, first) for k in range(n))))

def longs(n):
    return two({"x": []}, {"x": list(range(n))}, {"x": list(range(n, 2 * n))})

def united(n):
    """The same, and a policy unites them."""
    first = put({"x": []})
    a = Chain("a").add({"control": "shared", "key": "merge.policy", "value": "/x=text"}).add(first)
    return container(a.add(put({"x": list(range(n))}, first)), Chain("b").add(put({"x": list(range(n, 2 * n))}, first), heads=[(a.of, a.blocks[2])]))

def wide(n):
    """Two that have each taken in the same versions, as many as there are: each is a nearest common ancestor."""
    first = put({"n": 0})
    tips = [put({"n": 0, f"p{k}": k}, first) for k in range(n)]
    def all(side):
        steps, last = [], put({"n": side}, first)
        for k in range(0, n, 64):
            steps.append(last)
            last = put({"n": side, **{f"p{i}": i for i in range(min(k + 64, n))}}, last, tips[k:k + 64])
        return steps + [last]
    return container(Chain("a").add(first, *tips, *all(1), *all(2)))

def wide_clashing(n):
    """The same, and no two of the versions agree."""
    tips = [put({f"q{i}": k for i in range(20)}) for k in range(n)]
    def all(side):
        steps, last = [], put({"n": side})
        for k in range(0, n, 64):
            steps.append(last)
            last = put({"n": side}, last, tips[k:k + 64])
        return steps + [last]
    return container(Chain("a").add(*tips, *all(1), *all(2)))

def wide_records(n):
    """As many versions of each of some records."""
    items = []
    for r in range(n // 100):
        tips = [put({f"q{i}": k for i in range(5)}, id=f"r{r}") for k in range(240)]
        for side in (1, 2):
            last = put({"n": side}, id=f"r{r}")
            for k in range(0, 240, 64):
                items.append(last)
                last = put({"n": side}, last, tips[k:k + 64], id=f"r{r}")
            items.append(last)
        items += tips
    return container(Chain("a").add(*items))

def members(n):
    """A founder who lets in as many, and shuts out half of them; each writes."""
    founder = Instance("founder")
    database = named(founder.key, members=True)
    def start(name):
        c = Chain.__new__(Chain)
        c.of = Instance(name, database)
        c.blocks = [c.of.genesis()]
        return c
    f, others = start("founder"), [start(f"m{k}") for k in range(n)]
    for c in others: f.add({"control": "authorize", "instance": c.of.id.bytes, "key": c.of.key, "exchange": c.of.exchange, "role": "write"})
    for k, c in enumerate(others): c.add(put({"n": k}, id=f"r{k}"))
    for c in others[::2]: f.add({"control": "revoke", "instance": c.of.id.bytes, "index": 1, "digest": sha(c.blocks[1]), "keeps": []})
    return [info(database) | {k: v for c in [f, *others] for k, v in c.files().items()}]

def admins(n):
    """Everybody lets in the next one as an admin."""
    founder = Instance("m0")
    database = named(founder.key, members=True)
    chains = []
    for k in range(n):
        c = Chain.__new__(Chain)
        c.of = Instance(f"m{k}", database)
        c.blocks = [c.of.genesis()]
        chains.append(c)
    for c, other in zip(chains, chains[1:]):
        c.add({"control": "authorize", "instance": other.of.id.bytes, "key": other.of.key, "exchange": other.of.exchange, "role": "admin"})
    return [info(database) | {k: v for c in chains for k, v in c.files().items()}]

def purged(n):
    """A chain that is removed blocks for the most part, and the orders for them."""
    a = Chain("a")
    for k in range(n): a.add(put({"n": k}, id=f"r{k}"))
    orders = [purge(a.of, block, [put({"n": k}, id=f"r{k}")]) for k, block in enumerate(a.blocks[1:])]
    a.add(*orders)
    return [info() | tree(str(a.of.id), [a.blocks[0], *map(removed, a.blocks[1:-1]), a.blocks[-1]])]

def late_forks(n):
    """Forks behind a long chain."""
    a = Chain("a")
    for k in range(n): a.add(put({"n": k}, id=f"r{k}"))
    files = info() | a.files()
    for k in range(n // 10):
        block = a.of.block([put({"n": k}, id=f"f{k}")], state(a.blocks[-2]))
        files |= tree(f"{a.of.id}~{sha(block)[:4].hex()}", [block], n)
    return [files]

def one_leaf_below(n):
    """A long history, and a leaf at its foot."""
    a, last = Chain("a").add(put({"x": 0})), None
    for k in range(n):
        last = put({"n": k}, last)
        a.add(last)
    return container(a)

def junk(n):
    files = container(Chain("a").add(put({"n": 1})))[0]
    for k in range(n):
        files[f"keys/{sha(b'slot', str(k).encode()).hex()}"] = b"junk" + str(k).encode()
        files[f"requests/{k}"] = b"junk"
        files[f"junk{k}"] = b"junk"
        files[f"transactions/junk{k}"] = b"junk"
    return [files]

WORD = "correct horse"

def sealed(*blocks, slots=()):
    """A sealed database whose founder writes blocks of these items, and the slots that lie in it."""
    founder = Instance("founder")
    key = sha(b"epoch")
    database = named(founder.key, sealed=epoch_digest(key, 1))
    one = Sealed("founder", database, {1: key})
    slot = password_slot(WORD, key, salt=bytes(16), database=database)
    written = [one.genesis(items=[one.entry(), epoch_entry(1, key, slot)])]
    for items in blocks: written.append(one.block(items, state(written[-1])))
    files = info(database) | tree(str(one.id), written)
    return [files | {f"keys/{sha(each).hex()}": each for each in (slot, *(make(database, key) for make in slots))}]

def sealed_clashing(n):
    first = put(names(n, lambda k: k))
    return sealed([first], [put(names(n, lambda k: k + n), first)], [put(names(n, lambda k: k + 2 * n), first)])

def sealed_junk(n):
    """Slots that are nothing, and slots that another password opens: each takes its rounds to try."""
    def junk(k): return lambda database, key: b"junk" + str(k).encode()
    def other(k): return lambda database, key: password_slot(str(k), key, salt=sha(str(k).encode())[:16], database=database, derive=False)
    return sealed([put({"n": 1})], slots=[junk(k) for k in range(n)] + [other(k) for k in range(n)])

def gaps(n):
    """Chains of which only a later block is there."""
    files = info()
    for k in range(n):
        c = Chain(f"c{k}").add(put({"n": 1}))
        files |= tree(str(c.of.id), c.blocks[1:], 1)
    return [files | Chain("a").add(put({"n": 1})).files()]

def broken(n):
    """Chains that do not verify."""
    files = info()
    for k in range(n):
        c = Chain(f"c{k}").add(put({"n": 1}))
        files |= tree(str(c.of.id), [c.blocks[0], c.blocks[1][:-1] + b"x"])
    return [files | Chain("a").add(put({"n": 1})).files()]

def big_bodies(n):
    """As many leaves as merge at once, each with many properties of its own."""
    first = put({"a": 0})
    return container(Chain("a").add(first, *(put({"a": 0} | {f"p{i}_{j}": j for j in range(n // 8)}, first) for i in range(65))))

def big_sets(n):
    """The same with one set."""
    first = put({"s": {"$set": []}})
    count = n // 8
    sides = [put({"s": {"$set": sorted(([i * count + j, [b""]] for j in range(count)), key=lambda e: enc(e[0]))}}, first) for i in range(65)]
    return container(Chain("a").add(first, *sides))

def deep(levels, value):
    for _ in range(levels): value = {"d": value}
    return value

def deep_dictionaries(n):
    """Two leaves with as many properties at the foot of a deep dictionary."""
    first = put({"a": 0})
    return container(Chain("a").add(first, *(put({"a": 0, "z": deep(120, {f"q{i}_{j}": 1 for j in range(n)})}, first) for i in range(2))))

def two_wide(n):
    """Two leaves with as many properties each, of which the other has none."""
    first = put({"a": 0})
    return container(Chain("a").add(first, *(put({"a": 0} | {f"p{i}_{j}": j for j in range(n)}, first) for i in range(2))))

def dense(n):
    """Levels of 64 revisions, each of which merges all below."""
    level = [put({f"k{i}": 0}) for i in range(64)]
    items = list(level)
    for d in range(n // 64):
        level = [put({f"k{i}": d + 1}, one, level[:i] + level[i + 1:]) for i, one in enumerate(level)]
        items += level
    return container(Chain("a").add(*items))

def arms(n):
    """65 long arms from one root."""
    first = put({"a": 0})
    items = [first]
    for i in range(65):
        last = first
        for j in range(n // 65):
            last = put({"a": 0, f"p{i}": j}, last)
            items.append(last)
    return container(Chain("a").add(*items))

def grid(n):
    """Crossing merges with long arms between them."""
    first = put({"a": 0})
    l, r = put({"a": 0, "l": 0}, first), put({"a": 0, "r": 0}, first)
    items = [first, l, r]
    for i in range(n // 32):
        l, r = put({"a": 0, "l": i + 1}, l, [r]), put({"a": 0, "r": i + 1}, r, [l])
        items += [l, r]
        for j in range(15):
            l, r = put({"a": 0, "l": i + 1, "z": j}, l), put({"a": 0, "r": i + 1, "z": j}, r)
            items += [l, r]
    return container(Chain("a").add(*items))

def backwards_blocks(n):
    """A history whose newest block comes first, one revision in each."""
    items, last = [], None
    for k in range(n):
        last = put({"n": k}, last)
        items.append(last)
    a = Chain("a")
    for one in reversed(items): a.add(one)
    return container(a)

def line(n):
    """Instances each of which follows the one before; the founder lets the first in and shuts it out, again and again."""
    founder = Instance("founder")
    database = named(founder.key, members=True)
    all = [Instance(f"m{k}", database) for k in range(n)]
    f = Chain("founder")
    f.of = Instance("founder", database)
    f.blocks = [f.of.genesis()]
    files, last = info(database), sha(all[0].genesis())
    for k, one in enumerate(all):
        files |= tree(str(one.id), [one.genesis(items=[one.entry(**({"follows": one.follows(all[k - 1])} if k else {}))])])
        if k % 3 == 1: f.add({"control": "revoke", "instance": all[0].id.bytes, "index": 0, "digest": last, "keeps": []})
        else: f.add({"control": "authorize", "instance": all[0].id.bytes, "key": all[0].key, "exchange": all[0].exchange, "role": "admin"})
    return [files | f.files()]

def strangers(n):
    """As many chains of those whom nobody has let in."""
    database = named(Instance("founder").key, members=True)
    founder = Instance("founder", database)
    files = info(database) | tree(str(founder.id), [founder.genesis(), founder.block([put({"n": 1})], state(founder.genesis()))])
    for k in range(n):
        one = Instance(f"s{k}", database)
        files |= tree(str(one.id), [one.genesis()])
    return [files]

def many_heads(n):
    """Four blocks, each of which names the heads of as many chains that are nowhere."""
    import uuid
    class Nobody: pass
    a = Chain("a")
    for b in range(4):
        said = []
        for k in range(n):
            one = Nobody()
            one.id = uuid.UUID(int=(b * n + k) << 64 | 8 << 76 | 2 << 62)
            said.append((one, nowhere(k)))
        a.blocks.append(a.of.block([put({"n": b}, id=f"h{b}")], state(a.blocks[-1]), heads=said))
    return container(a)

def forks_later(n):
    """Forks of a chain that come when its trunk is known; then as many more."""
    a = Chain("a").add(put({"n": 0}))
    states = [info() | a.files()]
    for part in range(2):
        files = {}
        for k in range(n // 2):
            block = a.of.block([put({"n": k}, id=f"f{part}-{k}")], state(a.blocks[0]))
            files |= tree(f"{a.of.id}~{sha(block)[:4].hex()}", [block], 1)
        states.append(files)
    return states

def deep_forks_later(n):
    """The same, of as many blocks each, behind a long chain."""
    a = Chain("a")
    for k in range(n): a.add(put({"n": k}, id=f"r{k}"))
    files = {}
    for k in range(n // 20):
        blocks = [a.of.block([put({"n": k}, id=f"f{k}")], state(a.blocks[n // 2 + k]))]
        for m in range(9): blocks.append(a.of.block([put({"n": m}, id=f"f{k}-{m}")], state(blocks[-1])))
        files |= tree(f"{a.of.id}~{sha(blocks[0])[:4].hex()}", blocks, n // 2 + k + 1)
    return [info() | a.files(), files]

def leaves_later(n):
    """Blocks of one record, none of which knows another, in two parts."""
    a = Chain("a")
    for k in range(n // 2): a.add(put({"n": k}))
    first = info() | a.files()
    for k in range(n // 2): a.add(put({"n": n + k}))
    return [first, a.files()]

SHAPES = {
    "big-bodies": (big_bodies, ["get r", "conflicts", "log r", "resolve --winner r"]),
    "big-sets": (big_sets, ["get r", "conflicts", "log r"]),
    "deep-dictionaries": (deep_dictionaries, ["get r", "conflicts", "log r", "diff r"]),
    "two-wide": (two_wide, ["get r", "conflicts", "log r", "diff r"]),
    "dense": (dense, ["get r", "conflicts", "log r", "log --graph r"]),
    "arms": (arms, ["get r", "conflicts", "log r", "log --graph r", "resolve --winner r"]),
    "grid": (grid, ["get r", "conflicts", "log r"]),
    "backwards-blocks": (backwards_blocks, ["get r", "log r"]),
    "strangers": (strangers, ["query", "instances", "verify ../c", "mirror ../c ../m"]),
    "many-heads": (many_heads, ["instances", "verify ../c", "heads"]),
    "forks-later": (forks_later, ["verify ../c", "mirror ../c ../m", "mirror ../c ../m", "heads"]),
    "deep-forks-later": (deep_forks_later, ["verify ../c", "mirror ../c ../m", "mirror ../c ../m", "heads"]),
    "leaves-later": (leaves_later, ["get r", "conflicts"]),
    "properties": (properties, ["get r", "log r", "log r p1", "query", "diff r"]),
    "merging": (merging, ["get r", "conflicts", "log r"]),
    "clashing": (clashing, ["get r", "conflicts", "conflicts --json", "resolve --winner r"]),
    "crossing": (crossing, ["get r", "log r", "conflicts"]),
    "crossings": (crossings, ["query", "conflicts"]),
    "leaves": (leaves, ["get r", "log r", "conflicts", "resolve --winner r"]),
    "block-of-leaves": (block_of_leaves, ["get r", "log r", "conflicts"]),
    "forks": (forks, ["query", "instances", "status", "heads"]),
    "ladder": (ladder, ["verify ../c", "query", "instances", "status", "heads"]),
    "resolved": (resolved, ["log r", "conflicts", "get r", "log --graph r"]),
    "history": (history, ["get r", "log r", "log --graph r", "log r p1"]),
    "backwards": (backwards, ["get r", "log r"]),
    "children": (children, ["get r", "log r", "conflicts"]),
    "chains": (chains, ["mirror ../c ../m", "changes", "query", "instances", "heads"]),
    "empty-chains": (empty_chains, ["query", "instances"]),
    "heads": (heads, ["get r", "instances"]),
    "nested": (nested, ["get r", "log r", "conflicts", "log r p1"]),
    "references": (references, ["get r", "query --refers-to=q1"]),
    "assets": (assets, ["assets --missing", "fetch-assets", "status"]),
    "shared": (shared, ["get r", "config list", "conflicts"]),
    "waiting": (waiting, ["get r", "log r"]),
    "merged": (merged, ["get r", "log r", "log --graph r", "conflicts"]),
    "merge-of-many": (merge_of_many, ["get r", "log r", "conflicts"]),
    "longs": (longs, ["get r", "conflicts", "log r x"]),
    "united": (united, ["get r", "conflicts", "log r x"]),
    "sets": (sets, ["get r", "conflicts", "log r s", "set r s+=7"]),
    "many-sets": (many_sets, ["get r", "conflicts"]),
    "counters": (counters, ["get r", "conflicts", "log r c", "set r c+=7"]),
    "wide": (wide, ["get r", "conflicts"]),
    "wide-clashing": (wide_clashing, ["get r", "conflicts"]),
    "wide-records": (wide_records, ["conflicts --count"]),
    "members": (members, ["query", "instances", "status"]),
    "admins": (admins, ["query", "instances", "status"]),
    "line": (line, ["query", "instances", "status"]),
    "purged": (purged, ["verify ../c"]),
    "late-forks": (late_forks, ["sync", "mirror ../c ../m", "verify ../c", "query"]),
    "one-leaf-below": (one_leaf_below, ["get r", "conflicts"]),
    "junk": (junk, ["status", "verify ../c", "mirror ../c ../m"]),
    "sealed-clashing": (sealed_clashing, ["get r", "conflicts"]),
    "sealed-junk": (sealed_junk, ["status", "verify ../c", "mirror ../c ../m"]),
    "gaps": (gaps, ["status", "verify ../c"]),
    "broken": (broken, ["status", "verify ../c"]),
}

def count(words, folder):
    """Millions of instructions."""
    place = os.path.join(folder, "d") if os.path.isdir(os.path.join(folder, "d")) else folder
    counted = os.path.join(folder, "counted")
    with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "wb") as err:
        status = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={counted}", *words],
            cwd=place, stdin=subprocess.DEVNULL, stdout=out, stderr=err).returncode
    with open(counted) as file: return int(re.search(r"Collected : (\d+)", file.read())[1]) / 1e6, 0, status

def measure(words, folder, limit):
    """CPU seconds and MiB; the time itself if it is ended."""
    read, write = os.pipe()
    with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "wb") as err:
        pid = os.fork()
        if pid == 0:
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                os.chdir(os.path.join(folder, "d") if os.path.isdir(os.path.join(folder, "d")) else folder)
                os.dup2(out.fileno(), 1); os.dup2(err.fileno(), 2); os.close(0)
                os.open("/dev/null", os.O_RDONLY)
                os.execv(words[0], words)
            finally:
                os._exit(127)
        _, status, used = os.wait4(pid, 0)
    os.close(read); os.close(write)
    return used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, os.waitstatus_to_exitcode(status)

def write(files, folder):
    for name, data in files.items():
        path = os.path.join(folder, "c", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file: file.write(data)

def run(shape, size, sea, work, limit, counts):
    make, commands = SHAPES[shape]
    folder = os.path.join(work, f"{shape}-{size}")
    os.makedirs(folder)
    found = {}
    states = make(size)
    password = os.environ["SEA_PASSWORD_FILE"] = os.path.join(folder, "password")
    with open(os.open(password, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file: file.write(WORD + "\n")
    steps = [(None, "clone -q c d"), (None, "sync -n"), (None, "sync"), (None, "sync -q"), (None, "status")]
    for later in range(1, len(states)): steps += [(later, "sync"), (None, "sync -q"), (None, "status")]
    steps += [(None, words) for words in [*commands, "undo", "status", "verify", "reindex --projection", "sync", "sync -q"]]
    if counts: steps = [(None, words) for words in ["clone -q c d", *commands[:2]]]
    write(states[0], folder)
    for later, words in steps:
        if later: write(states[later], folder)
        name = words if words not in found else next(f"{words} ({n})" for n in range(2, 99) if f"{words} ({n})" not in found)
        line = [sea, *words.split()]
        found[name] = count(line, folder) if counts else measure(line, folder, limit)
        if os.environ.get("VERBOSE"): print(name, found[name], open(os.path.join(folder, "err")).read()[:300], file=sys.stderr)
        if words.startswith("clone") and not os.path.isdir(os.path.join(folder, "d")): break
    shutil.rmtree(folder)
    return found

def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sea", default=os.environ.get("SEA", os.path.join(ROOT, ".build/release/sea")))
    parser.add_argument("--sizes", default="1000,2000,4000,8000")
    parser.add_argument("--most", type=float, default=10)
    parser.add_argument("--growth", type=float, default=1.4)
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of seconds")
    parser.add_argument("--all", action="store_true", help="also lines of commands that take next to nothing")
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--list", action="store_true", help="the names of the shapes and nothing else")
    said = parser.parse_args()
    if said.list: return print(*SHAPES, sep="\n")
    os.environ |= {"SEA_CONFIG_NOSYSTEM": "1", "SEA_CONFIG_GLOBAL": "/dev/null"}
    sizes = [int(n) for n in said.sizes.split(",")]
    bad = False
    print(f"{'millions of instructions' if said.instructions else 'CPU seconds':34}" + "".join(f"{n:>9}" for n in sizes) + "   growth     MB")
    for shape in said.shapes or SHAPES:
        all = {}
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="shapes-", dir=os.environ.get("WORK")) as work:
                for words, one in run(shape, size, os.path.realpath(said.sea), work, math.ceil(said.most) + 1, said.instructions).items():
                    all.setdefault(words, []).append(one)
        for words, found in all.items():
            times = [one[0] for one in found]
            last = times[-1]
            if said.instructions:
                # A start takes the same for any size, and less than a million more or less is chance.
                added, before = times[-1] - times[-2], max(times[-2] - times[-3], 1)
                growth = math.log(max(added, 1) / before) / math.log(sizes[-1] / sizes[-2])
                wrong = growth > said.growth
            else:
                growth = math.log(max(last, 0.001) / max(times[-2], 0.001)) / math.log(sizes[-1] / sizes[-2]) if len(times) > 1 else 0
                wrong = last > said.most or growth > said.growth and last > said.most / 20
            wrong = wrong or found[-1][2] < 0 or found[-1][2] == 70
            bad = bad or wrong
            if wrong or said.all or said.instructions or last > said.most / 50:
                print(f"{shape + ': ' + words:34}" + "".join(f"{t:9.2f}" for t in times) + f"{growth:9.2f}{found[-1][1]:7}" + (f"  status {found[-1][2]}" if found[-1][2] else "") + ("  <--" if wrong else ""), flush=True)
    sys.exit(bad)

if __name__ == "__main__":
    main()
