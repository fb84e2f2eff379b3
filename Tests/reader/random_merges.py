#!/usr/bin/env python3
"""Random histories of many records in one container, and what must become of them: by sea_merge, from sea-merge(5) alone.

usage: random_merges.py SEED COUNT           writes the container `random`, for a clone to sync
       random_merges.py --check CONTAINER    says which records are not what they must be, by what the first chains say

A history is either what instances do that meet now and then, merge unasked, resolve, delete and undo, or a graph that
nobody would make. The settings differ from type to type.
"""
import json, os, random, sys
import sea_merge, sea_reader
from chain_vectors import info, tree as chain_tree
from sea_writer import Instance, Raw, Tag, enc, labeled, moment, state, text

WRITERS, CLOCK = [Instance(f"random {n}") for n in range(3)], Instance("random clock")
NAMES, KEYS = ["a", "b", "c", "d", "n", "t"], ["x", "y", "", "$k", "\u00e9", "e\u0301"]
SHARED = {
    "merge.max.policy": "max", "merge.min.policy": "min", "merge.text.policy": "text",
    "merge.newest.policy": "newest", "merge.winner.policy": "winner", "merge.pair.atomic": "/a,/b /d/x,/c",
    "merge.pairs.atomic": "/a,/b /d/x,/c", "merge.pairs.policy": "newest", "merge.whole.atomic": "/d /n,/t", "merge.whole.policy": "winner",
    "merge.mixed.policy": "newest /a=max /d/x= /_type=winner", "merge.policy": "/b=text"}
TYPES = [None, "plain"] + sorted({name.split(".")[1] for name in SHARED} - {"policy"}) + ["text"] * 4

class Person:
    """Makes bodies and changes them."""
    def __init__(self, rng):
        self.rng = rng

    def scalar(self):
        r = self.rng
        return r.choice([lambda: r.randrange(3), lambda: r.choice(["", "p", "pq", "\u00e9"]), lambda: r.choice([True, False]),
                         lambda: r.choice([0.5, 1.5, 1e30]), lambda: Tag(4, [r.choice([-1, -2]), r.choice([5, 15, 150, 20])]),
                         lambda: moment(r.choice([-500, 0, 500, 1000])), lambda: r.choice([b"", b"\x01", b"\x02"]),
                         lambda: {"$ref": f"n/{r.randrange(2)}"}, lambda: 2**70 + r.randrange(2),
                         lambda: labeled(r.choice("AB"), r.choice([1, 2, "p", "pq", [1], [2, 1], moment(1), Tag(4, [-1, 15])]))])()

    def text(self):
        """One of few lines, many of them alike."""
        r = self.rng
        made = "".join(r.choice(["a\n", "b\n", "\n", "\u00e9\n", "a\r\n"]) for _ in range(r.randrange(8)))
        return made + r.choice(["", "", "a"])

    def retext(self, v):
        """The same with one line changed, or one more or less."""
        all_ = sea_merge.lines(v.encode())
        k = self.rng.randrange(len(all_) + 1)
        new = self.rng.choice([[], [b"x\n"], [b"y\n", b"a\n"]])
        return b"".join(all_[:k] + new + all_[k + self.rng.randrange(2):]).decode()

    def value(self, level, inside=False):
        r, kind = self.rng, self.rng.random()
        if kind < 0.2:
            return self.text()
        if kind < 0.5:
            return self.scalar()
        if kind < 0.62:
            return [self.value(level + 1, inside) for _ in range(r.randrange(3))]
        if kind < 0.82 and level < 3:
            return self.wrapped({k: self.value(level + 1, inside) for k in r.sample(KEYS, r.randrange(4))})
        if inside:
            return r.choice([None, 7])
        return self.counter({}) if kind < 0.91 else self.tags({"$set": []})

    @staticmethod
    def wrapped(d):
        return {"$dict": d} if any(k.startswith("$") for k in d) else d

    def counter(self, old):
        pairs = {k: list(v) for k, v in old.get("$counter", {}).items()}
        pair = pairs.setdefault(self.rng.choice(WRITERS).id.bytes, [0, 0])
        pair[self.rng.randrange(2)] += self.rng.randrange(1, 4)
        return {"$counter": pairs}

    def tags(self, old):
        known = {enc(e): (e, t) for e, t in old["$set"]}
        one = self.rng.choice(["s", "t", "u", 1, [1]])
        if enc(one) in known and self.rng.random() < 0.6:
            del known[enc(one)]
        else:
            known[enc(one)] = (one, [b""])
        return {"$set": [list(known[e]) for e in sorted(known)]}

    def edit(self, v, level=0):
        """Another value where this one was."""
        r = self.rng
        if type(v) is dict and "$counter" in v and r.random() < 0.8:
            return self.counter(v)
        if type(v) is dict and "$set" in v and r.random() < 0.8:
            return self.tags(v)
        if type(v) is dict and not any(k in v for k in ("$ref", "$counter", "$set", "$label")) and (level == 0 or r.random() < 0.7):
            d = dict(v.get("$dict", v))
            for _ in range(r.choice([1, 1, 2])):
                k = r.choice(NAMES if level == 0 else KEYS)
                if level == 0 and type(d.get("t")) is str and r.random() < 0.5:
                    k = "t"
                if k in d and r.random() < 0.2:
                    del d[k]
                else:
                    d[k] = self.edit(d[k], level + 1) if k in d else self.value(level + 1)
            return d if level == 0 else self.wrapped(d)
        if type(v) is str and r.random() < 0.9:
            return self.retext(v)
        return self.value(level)

def native(value):
    """A value of sea_merge as the writer takes it."""
    kind, v = value
    if kind == "dict":
        return Person.wrapped({k: native(x) for k, x in v.items()})
    if kind == "list":
        return [native(x) for x in v]
    if kind == "counter":
        return {"$counter": {k: list(p) for k, p in v.items()}}
    if kind == "set":
        return {"$set": [[Raw(e), sorted(v[e])] for e in sorted(v)]}
    text = sea_merge.string(value)
    return Raw(v) if text is None else text.decode()

class History:
    """One record. A replica is the set of revisions that it knows."""
    def __init__(self, rng, ident):
        self.rng, self.person, self.id, self.record, self.blocks = rng, Person(rng), ident, sea_merge.Record(), []
        self.type, self.clock = rng.choice(TYPES), 1

    def add(self, parent, body, merged=(), kind="put", record_type=None, who=None):
        if kind == "put" and type(body) is not bytes:
            body = enc(body)
        items = [self.id, record_type, parent, sorted({*merged} - {parent})[:64], kind, body if kind == "put" else None]
        self.clock += self.rng.choice([1, 1, 1, 2])
        self.blocks.append((self.rng.randrange(3) if who is None else who, self.clock, items))
        return self.record.add(items, self.clock).rev

    def said(self, rev):
        one = self.record.all[rev]
        return one.type, native(one.body) if one.body else {}

    def retype(self, old):
        return self.rng.choice([*TYPES, old]) if self.rng.random() < 0.06 else old

    def put(self, parent, merged=(), who=None):
        old, body = self.said(parent) if parent else (self.type, {"t": self.person.text()} if self.type == "text" else {})
        return self.add(parent, self.person.edit(body), merged, "put", self.retype(old), who)

    def graph(self):
        """A graph that nobody would make."""
        r = self.rng
        revs = [self.put(None) for _ in range(r.choice([1, 1, 1, 2]))]
        for _ in range(r.randrange(2, 14)):
            parent, kind = r.choice(revs[-6:]), r.random()
            merged = r.sample(revs, min(len(revs), r.choice([0, 0, 0, 1, 1, 2])))
            if kind < 0.08:
                revs.append(self.add(parent, None, (), r.choice(["delete", "resolved", "resolved"]), self.said(parent)[0]))
            elif kind < 0.12:
                again = self.record.all[parent].parent if self.record.all[parent].kind == "resolved" else parent
                revs.append(self.add(parent, self.said(again)[1], merged, "put", self.said(again)[0]))
            else:
                revs.append(self.put(parent, [m for m in merged if m != parent]))
        for leaf in sea_merge.Tree(self.record).leaves[1:]:
            if self.record.all[leaf].kind == "delete" or r.random() < 0.2:
                self.add(leaf, None, (), "resolved", self.said(leaf)[0])

    def people(self):
        """Three instances that meet now and then."""
        r, views = self.rng, [set(), set(), set()]
        views[0].add(self.put(None, who=0))
        for _ in range(r.randrange(4, 30)):
            k = r.randrange(3)
            known, what = views[k], r.random()
            view = sea_merge.Record()
            view.all = {rev: self.record.all[rev] for rev in known}
            tree = sea_merge.Tree(view)
            if what < 0.35 or not known:
                views[k] |= views[r.randrange(3)]
            elif what < 0.7 and tree.live:
                known.add(self.put(tree.live[0] if r.random() < 0.9 else tree.live[-1], who=k))
            elif what < 0.74 and tree.live:
                known.add(self.add(tree.live[0], None, (), "delete", self.said(tree.live[0])[0], k))
            elif what < 0.8:
                known.add(self.add(tree.leaves[0] if not tree.live else tree.live[0], self.person.edit({}), (), "put", self.type, k))
            elif what < 0.9 and len(tree.leaves) > 1 and tree.live:
                self.resolve(tree, known, k)
            else:
                for items in sea_merge.Outcome(view, SHARED).changes:
                    known.add(self.add(items[2], items[5], items[3], items[4], items[1], k))

    def resolve(self, tree, known, k):
        leaves = [rev for rev in tree.leaves if self.record.all[rev].kind != "resolved"]
        record_type, body = self.said(self.rng.choice(tree.live))
        if self.rng.random() < 0.4:
            body = self.person.edit(body)
        known.add(self.add(leaves[0], body, leaves[1:], "put", record_type, k))
        known.update(self.add(rev, None, (), "resolved", self.said(rev)[0], k) for rev in leaves[1:])

def histories(seed, count):
    for n in range(count):
        rng = random.Random(f"{seed} {n}")
        history = History(rng, f"r/{n:05}")
        rng.choice([history.graph, history.people])()
        yield history

def write(seed, count, root="random"):
    """The container: of every writer one block for each Lamport time. A clock makes these true: it has a block for each time,
    and who writes at a time names the clock's block of the time before."""
    due, settings = [{}, {}, {}], [{"control": "shared", "key": k, "value": v} for k, v in SHARED.items()]
    for history in histories(seed, count):
        for who, lamport, items in history.blocks:
            due[who].setdefault(lamport, []).append(items[:5] + [Raw(items[5]) if items[5] else None])
    files, ticks = info(), [CLOCK.genesis()]
    for time in range(2, max(max(by_time) for by_time in due if by_time)):
        ticks.append(CLOCK.block([["clock", None, None, [], "delete", None]], state(ticks[-1])))
    files |= chain_tree(str(CLOCK.id), ticks)
    for writer, by_time in zip(WRITERS, due):
        blocks = [writer.genesis(*settings)]
        settings = []
        for lamport in sorted(by_time):
            blocks.append(writer.block(by_time[lamport], state(blocks[-1]), heads=[(CLOCK, ticks[lamport - 2])]))
            assert state(blocks[-1])[1] == lamport
        files |= chain_tree(str(writer.id), blocks)
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "wb") as file:
            file.write(data)

def check(root):
    """What the writers say must have become what sea_merge makes of it, and nothing else."""
    reader, writers = sea_reader.Reader(root), {writer.id for writer in WRITERS}
    before, words, wrong = sea_reader.Trees(), {}, 0
    for block in reader.verified:
        if block.instance in writers:
            before.add(block.payload.changes, block.lamport)
    for ident, record in before.known.items():
        outcome = sea_merge.Outcome(record, SHARED)
        words[outcome.word] = words.get(outcome.word, 0) + 1
        want = set(record.all) | {sea_merge.Revision(items).rev for items in outcome.changes}
        have = set(reader.trees.known[ident].all)
        if want != have:
            wrong += 1
            print(ident, outcome.word, "missing:", *map(text, want - have), "not wanted:", *map(text, have - want))
    print(json.dumps(words), f"{len(before.known)} records, {wrong} wrong")
    return 1 if wrong or reader.problems else 0

if __name__ == "__main__":
    sys.exit(check(sys.argv[2]) if sys.argv[1] == "--check" else write(sys.argv[1], int(sys.argv[2])))
