#!/usr/bin/env python3
"""Random histories of whole databases, each in a container: made by the Python writer, read by the Python reader, and, with --sea, by Sea.

usage: random_histories.py N [--seed SEED] [--from K] [--keep FOLDER] [--sea PROGRAM] [--without PART,...]

Instances work, meet, fork, go on as successors, let each other in and throw each other out, begin epochs, compress, order to purge,
and write now and then what only a newer program reads, or what nobody does. What the reader names as wrong must be what was made so.
With --sea each container is cloned, once whole and once in two parts, with `reindex` behind it; and records, all revisions of each
with what became of them, and roles and held blocks of the instances must be those of the reader, both times. Of what differs the
container is kept in FOLDER (`histories` if none is given).
Without a part (sealed, members, recovery, compressed, forks, successors, purges, odd) the histories are others.
Prints a line with the count of everything; the status is 1 if something differs.
"""
import argparse, json, os, random, shutil, subprocess, sys, tempfile
import sea_merge, sea_reader
from chain_vectors import info, tree
from random_merges import Person, native
from sea_frames import coded, deflate, stored
from sea_seal import epoch_digest
from sea_sealer import Sealed, epoch_entry, instance_slot, password_slot, previous_slot
from sea_values import Bad
from sea_writer import PROOFS, Instance, Raw, enc, named, purge, rev, removed, sha, state, text

WORD = "correct horse"
IDS = [f"r/{n}" for n in range(6)]
HARMLESS = {"unauthorized", "no-key", "foreign-file"}

class Block:
    """What the writers know of a block."""

    def __init__(self, data, who, items, heads, readable, earned, before):
        self.data, self.who, self.items, self.heads, self.readable, self.earned, self.before = data, who, items, heads, readable, earned, before
        self.index, self.lamport, self.hash = state(data)
        self.changes = [i for i in items if isinstance(i, list)] if readable else []

class Writer:
    """An instance: its branch, and what it knows."""

    def __init__(self, instance):
        self.instance, self.branch, self.known, self.records, self.named = instance, [], {}, {}, {}

    def learn(self, blocks):
        for b in blocks:
            if b.hash not in self.known:
                self.known[b.hash] = b
                for one in b.changes:
                    body = enc(one[5]) if one[5] is not None else None
                    self.records.setdefault(one[0], sea_merge.Record()).add([*one[:5], body], b.lamport if b.earned else None)

class History:
    def __init__(self, seed, without=()):
        self.rng, self.without = random.Random(seed), without
        rng = self.rng
        self.person, self.seed, self.purged, self.forks, self.successors, self.wrong, self.jumped = Person(rng), seed, [], 0, 0, set(), False
        self.sealed, self.has_members = rng.random() < 0.4 and "sealed" not in without, rng.random() < 0.6 and "members" not in without
        founder, recovery = Instance(f"{seed} 0"), Instance(f"{seed} recovery")
        if self.sealed or self.has_members or rng.random() < 0.3:
            self.database = named(founder.key, sealed=self.sealed and epoch_digest(self.key(1), 1), members=self.has_members, recovery=recovery.key if self.has_members and rng.random() < 0.3 and "recovery" not in without else None)
        else:
            self.database = None
        self.epochs, self.slots, self.branches, self.writers = [], [], [], []
        if self.sealed:
            self.epochs = [(1, self.key(1))]
        for n in range(rng.randrange(2, 5)):
            self.join(n)
        if self.database and PROOFS[self.database][32] & 4 and rng.random() < 0.5:
            self.join("recovery")
        for _ in range(rng.randrange(10, 60)):
            self.step(rng.choice(self.writers))
        for writer in self.writers:
            self.push(writer)
        self.remove()

    # -- what instances do

    def make(self, name):
        """With the keys of its database; one whose name was random is of version 4."""
        if self.sealed:
            return Sealed(name, self.database, dict(self.epochs))
        return Instance(name, self.database) if self.database else Instance(name)

    def join(self, name, predecessor=None):
        """A new instance: its first block; the founder's says what holds from the beginning."""
        writer = Writer(self.make(f"{self.seed} {name}"))
        one, items = writer.instance, []
        if predecessor:
            writer.learn(predecessor.known.values())
        entry = one.entry(follows=one.follows(predecessor.instance)) if predecessor else one.entry()
        if not self.writers:
            items.append({"control": "shared", "key": "merge.auto", "value": "off"})
            if self.sealed:
                items.append(self.epoch(1, one, [one]))
        self.writers.append(writer)
        self.write(writer, [entry, *items], self.heads(writer) if predecessor or self.rng.random() < 0.5 else [])
        self.branches.append([writer, 0, writer.branch])

    def step(self, writer):
        kind = self.rng.random()
        if kind < 0.25:
            self.push(writer)
            self.pull(writer)
        elif kind < 0.66:
            self.edit(writer)
        elif kind < 0.80:
            self.decide(writer)
        elif kind < 0.84:
            if "forks" not in self.without:
                self.fork(writer)
        elif kind < 0.90:
            if "purges" not in self.without:
                self.order(writer)
        elif kind < 0.94:
            heads = self.heads(writer)
            if heads:
                self.write(writer, [], heads)
        elif "odd" not in self.without:
            self.odd(writer)

    def heads(self, writer):
        """Of every other instance the last block that is known and earned, unless it was named."""
        last = {}
        for b in writer.known.values():
            if b.who is not writer.instance and b.earned and b.index > last.get(b.who.id, (-1,))[0]:
                last[b.who.id] = b.index, b
        fresh = [b for index, b in last.values() if index > writer.named.get(b.who.id, -1)]
        return self.rng.sample(fresh, len(fresh) if self.rng.random() < 0.8 else self.rng.randrange(len(fresh) + 1))

    def write(self, writer, items, heads=(), readable=True, **options):
        one, last = writer.instance, writer.branch[-1] if writer.branch else None
        if self.sealed:
            options["epoch"] = self.rng.choice(self.epochs)[0] if writer.branch and self.rng.random() < 0.8 else 1
            options["key"] = dict(self.epochs)[options["epoch"]]
        if last and "mode" not in options and self.rng.random() < 0.2 and "compressed" not in self.without:
            options["compressed"] = lambda clear: deflate(clear, coded if self.rng.random() < 0.5 else stored)
        named_heads = [(b.who, b.data) for b in heads]
        if last:
            data = one.block(items, state(last.data), heads=named_heads, **options)
        else:
            data = one.genesis(items=items, heads=named_heads, **options)
        right = state(data)[1] == min(2**32 - 1, 1 + max([last.lamport if last else 0, *(b.lamport for b in heads)]))
        b = Block(data, one, items, list(heads), readable, right and (not last or last.earned) and all(b.earned for b in heads), last)
        writer.branch.append(b)
        writer.learn([b])
        writer.named |= {h.who.id: h.index for h in heads}
        return b

    def push(self, writer):
        writer.pushed = len(writer.branch)

    def pull(self, writer):
        """Of some others what they have pushed."""
        for branch in self.branches:
            other, start, blocks = branch
            if other is not writer and self.rng.random() < 0.7:
                writer.learn(blocks[:getattr(other, "pushed", 0) if other.branch is blocks else len(blocks)])

    def tree(self, writer, ident):
        return sea_merge.Tree(writer.records[ident]) if ident in writer.records else None

    def edit(self, writer):
        items = []
        for ident in self.rng.sample(IDS, self.rng.randrange(1, 4)):
            items += self.change(writer, ident)
        if items:
            label = {"label": "x" * self.rng.randrange(700)} if self.rng.random() < 0.3 else {}
            self.write(writer, items, self.heads(writer) if self.rng.random() < 0.8 else [], **label)

    def change(self, writer, ident):
        tree, rng = self.tree(writer, ident), self.rng
        if not tree or not tree.leaves:
            return [[ident, rng.choice([None, "t", "u"]), None, [], "put", self.person.edit({})]]
        leaf = tree.live[0] if tree.live and rng.random() < 0.8 else rng.choice(tree.leaves)
        one, kind = tree.known[leaf], rng.random()
        if kind < 0.08:
            return [[ident, one.type, leaf, [], "delete", None]]
        if kind < 0.2 and len(tree.live) > 1:
            others = tree.live[1:65]
            return [[ident, one.type, tree.live[0], sorted(others), "put", self.person.edit({})]] + [
                [ident, tree.known[o].type, o, [], "resolved", None] for o in others]
        if kind < 0.3 and len(tree.live) > 1:
            return [[*c[:3], sorted(c[3]), c[4], Raw(c[5]) if c[5] else None] for c in sea_merge.Outcome(writer.records[ident], {}).changes]
        body = native(one.body) if one.body else {}
        return [[ident, one.type, leaf, [], "put", self.person.edit(body)]]

    def decide(self, writer):
        """Somebody is let in or thrown out, or an epoch begins."""
        rng, others = self.rng, [w for w in self.writers if w is not writer or self.rng.random() < 0.1]
        if self.sealed and rng.random() < 0.3 and len(self.epochs) < 4:
            who = [w.instance for w in self.writers if rng.random() < 0.9]
            number = self.epochs[-1][0] + 1
            self.write(writer, [self.epoch(number, writer.instance, who)], self.heads(writer))
            return
        if not self.has_members or not others:
            return self.edit(writer)
        items = []
        for other in rng.sample(others, rng.randrange(1, len(others) + 1)):
            one = other.instance
            known = [b for b in writer.known.values() if b.who is one]
            if rng.random() < 0.75:
                items.append({"control": "authorize", "instance": one.id.bytes, "key": one.key, "exchange": one.exchange, "role": rng.choice(["write", "write", "admin", "admin", "read"])})
            else:
                last = rng.choice(known) if known and rng.random() < 0.8 else None
                keeps = sorted(w.instance.id.bytes for w in self.writers if rng.random() < 0.15)
                items.append({"control": "revoke", "instance": one.id.bytes, "index": last and last.index, "digest": last and last.hash, "keeps": keeps})
        self.write(writer, items, self.heads(writer))

    def key(self, number):
        return sha(b"history epoch ", self.seed.encode(), str(number).encode())

    def epoch(self, number, author, readers):
        key = self.key(number)
        slots = [password_slot(WORD, key, epoch=number, salt=sha(self.seed.encode(), str(number).encode())[:16], database=self.database)]
        if number > 1:
            self.epochs.append((number, key))
            slots += [previous_slot(old, key, epoch=number, previous=n, database=self.database) for n, old in self.epochs[:-1]]
        slots += [instance_slot(one.id, one.exchange, key, epoch=number, database=self.database) for one in readers]
        ended = [self.rng.choice(self.slots)] if self.slots and self.rng.random() < 0.1 else []
        self.slots += slots
        return epoch_entry(number, key, *slots, ended=ended, readers=readers)

    def fork(self, writer):
        """A backup is restored and written on; sometimes the same one goes on as its successor."""
        if len(writer.branch) < 2:
            return
        at = self.rng.randrange(1, len(writer.branch))
        other = Writer(writer.instance)
        other.branch = list(writer.branch[:at])
        other.learn(writer.known[b.hash] for b in other.branch)
        kept = {b.hash for b in other.branch}
        for b in writer.known.values():
            if b.who is not writer.instance and self.rng.random() < 0.5:
                other.learn([b])
        for _ in range(self.rng.randrange(1, 4)):
            self.edit(other)
        if len(other.branch) == at or other.branch[at].data == writer.branch[at].data:
            return
        self.forks += 1
        self.branches.append([other, at, other.branch])
        if self.rng.random() < 0.6 and "successors" not in self.without:
            self.successors += 1
            self.join(f"successor {self.successors}", predecessor=other)

    def order(self, writer):
        """An order to purge a block of one's own, or of somebody else."""
        own = self.rng.random() < 0.7
        may = [b for b in writer.known.values() if b.index and not b.data[3] & 0x10 and b.readable and (b.who is writer.instance) == own and b.hash not in {h for h, _ in self.purged}]
        if may:
            b = self.rng.choice(may)
            changes = [[*c[:3], c[3], c[4], c[5]] for c in b.items]
            entry = purge(b.who, b.data, changes)
            made = self.write(writer, [entry], self.heads(writer))
            self.purged.append((b.hash, made))

    def odd(self, writer):
        """What is not applied: of the future, or wrong."""
        kind = self.rng.choice(["need", "entry", "format", "bit", "payload", "lamport", "head"])
        before, heads = len(writer.branch), self.heads(writer)
        change = self.change(writer, self.rng.choice(IDS))
        if not change:
            return
        if kind == "need":
            self.write(writer, change, heads, readable=False, needs=["later"])
        elif kind == "entry":
            self.write(writer, [{"control": "later", "what": [1, None]}], heads, readable=False)
        elif kind == "format":
            self.raw(writer, enc([2, "later"]), 4)
        elif kind == "bit":
            self.raw(writer, b"what nobody knows", 0x44)
        elif kind == "payload":
            self.raw(writer, enc([1, [], {"time": 1}, [7]]), 4)
        elif kind == "lamport" and self.rng.random() < 0.3:
            self.jumped = True
            self.write(writer, change, heads, lamport=writer.branch[-1].lamport + 50)
        elif kind == "head":
            missing = Writer(self.make(f"{self.seed} nobody"))
            nobody = missing.instance.genesis()
            far = Block(nobody, missing.instance, [], [], True, False, None)
            self.write(writer, change, [*heads, far])
        for b in writer.branch[before:]:
            code = {"payload": "bad-payload", "lamport": None, "head": None}.get(kind, "not-readable")
            if code:
                self.wrong.add((code, b.hash))

    def raw(self, writer, body, mode):
        late = {}
        if self.rng.random() < 0.1:
            self.jumped, late = True, {"lamport": writer.branch[-1].lamport + 50}
        self.write(writer, [], self.heads(writer), body=body, mode=mode | (1 if self.sealed else 0), readable=False, **late)

    # -- the container

    def remove(self):
        """What was ordered is taken out: Sea empties what it has of that by itself."""
        self.gone = {hash for hash, order in self.purged}

    def files(self):
        made = info(self.database) if self.database else info()
        for writer, start, blocks in self.branches:
            data = [removed(b.data) if b.hash in self.gone else b.data for b in blocks]
            chain = str(writer.instance.id) + (f"~{blocks[start].hash.hex()[:32]}" if start else "")
            made |= tree(chain, data[start:], at=start)
        return made | {f"keys/{sha(slot).hex()}": slot for slot in self.slots}

    def save(self, root):
        for path, data in self.files().items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "wb") as file:
                file.write(data)

# -- what the reader says

class Said:
    """Records, revisions and members as the reader has them, as text; `failed` is why nothing can be read, or None."""

    def __init__(self, root, password):
        self.failed, self.records, self.revisions, self.members, self.problems = None, [], {}, {}, []
        try:
            reader = sea_reader.Reader(root, password)
        except Bad as bad:
            self.failed = str(bad)
            return
        self.reader, self.problems = reader, reader.problems
        for ident in sorted(reader.trees.known, key=str.encode):
            record, wrong = reader.trees.record(ident)
            self.problems += [("bad-depth", text(one)) for one in wrong]
            if record:
                self.records.append(sea_reader.shown(record))
            self.revisions[ident] = sorted(revisions(reader.trees.known[ident]))
        held, counting = {}, {id(b) for b in reader.whole.counting}
        for b in reader.whole.clean:
            # What is not applied for a reason of its own is not counted by Sea.
            if id(b) not in counting and not b.payload.problem and (b.instance.bytes, b.hash) not in reader.whole.wrong:
                held[str(b.instance)] = held.get(str(b.instance), 0) + 1
        for one in sorted({b.instance for b in reader.verified}, key=str):
            role = reader.members.standings.get(one, (None,))[0] if reader.members else None
            self.members[str(one)] = role, held.get(str(one), 0)

def revisions(record):
    """rev, parent, merged, kind and state of every revision of a record."""
    tree = sea_merge.Tree(record)
    for one in record.all.values():
        kind = "waiting" if one.rev not in tree.known else "inner" if one.rev not in tree.leaves else "tombstone" if one.rev not in tree.live else \
            "winner" if one.rev == tree.live[0] else "loser"
        yield text(one.rev), text(one.parent) if one.parent else "", " ".join(map(text, sorted(one.merged))), one.kind, kind

def unmade(history, said):
    """What the reader names wrong though nobody made it so."""
    places = {f"{w.instance.id}{f'~{blocks[start].hash.hex()[:32]}' if start else ''}/{b.index}": b for w, start, blocks in history.branches for b in blocks}
    for code, where in said.problems:
        b = places.get(where)
        if not (code in HARMLESS or (code, b and b.hash) in history.wrong or code == "bad-lamport" and history.jumped or code == "bad-removal" and b and b.hash in history.gone):
            yield f"{code} {where}"

# -- Sea

def run(sea, *words, env=None):
    return subprocess.run([sea, *words], capture_output=True, env=env)

def lines(done):
    return [json.loads(line) for line in done.stdout.decode().splitlines() if line.strip()]

def compare(sea, said, root, folder, password, root_seed):
    """What Sea says otherwise of a container."""
    env = {**os.environ, "SEA_CONFIG_NOSYSTEM": "1", "TZ": "UTC"}
    env.pop("SEA_PASSWORD_FILE", None)
    if password is not None:
        with open(os.path.join(folder, "password"), "wb") as file:
            file.write(password + b"\n")
        os.chmod(file.name, 0o600)
        env["SEA_PASSWORD_FILE"] = os.path.join(folder, "password")
    there = os.path.join(folder, "there")
    done = run(sea, "clone", "-q", "--name=there", root, there, env=env)
    if said.failed or done.returncode not in (0, 5, 8):
        return [] if said.failed and done.returncode == 7 else [f"clone: {done.returncode}, the reader says {said.failed}: {done.stderr.decode().strip()}"]
    wrong = differences(sea, said, there, env) + judgment(sea, said, root, env)
    # What has come in parts must be the same; a part may be one that nobody can clone.
    parts = os.path.join(folder, "parts.sea")
    rest = halved(root, parts, random.Random(root_seed))
    there = os.path.join(folder, "again")
    run(sea, "clone", "-q", "--name=again", parts, there, env=env)
    if os.path.exists(os.path.join(there, ".sea")):
        for path in rest:
            os.makedirs(os.path.dirname(os.path.join(parts, path)), exist_ok=True)
            shutil.copyfile(os.path.join(root, path), os.path.join(parts, path))
        run(sea, "-C", there, "pull", "-q", env=env)
        run(sea, "-C", there, "reindex", "--projection", "-q", env=env)
        wrong += [f"in two parts: {one}" for one in differences(sea, said, there, env)]
    return wrong

def judgment(sea, said, root, env):
    """What `verify` says otherwise of the container, which has no database: what was taken out, wrong clocks, and who wrote what does not count."""
    found, held = {"bad-removal": set(), "bad-lamport": set()}, {}
    for one in lines(run(sea, "verify", "--keys", "--json", root, env=env)):
        if one.get("code") in found:
            found[one["code"]].add(f"{one.get('branch') or one['instance']}/{one['index']}")
        if one.get("code") == "unauthorized":
            held[one["instance"]] = held.get(one["instance"], 0) + int(one["actual"])
    mine = {code: set() for code in found}
    for code, where in said.problems:
        if code == "bad-removal":
            mine[code].add(where)
    firsts = {}
    for code, where in said.problems:
        if code == "bad-lamport":
            chain, index = where.split("/")
            firsts[chain] = min(firsts.get(chain, 1 << 32), int(index))
    # What left the trunk behind a wrong clock is told of as the trunk.
    mine["bad-lamport"] = {f"{chain}/{index}" for chain, index in firsts.items() if "~" not in chain or index <= firsts.get(chain.split("~")[0], 1 << 32)}
    wrong = [f"verify: {code}: the reader has {sorted(mine[code])}, Sea {sorted(found[code])}" for code in found if mine[code] != found[code]]
    if said.reader.members:
        counts = {one: number for one, (_, number) in said.members.items() if number}
        if counts != held:
            wrong.append(f"verify: held: the reader has {counts}, Sea {held}")
    return wrong

def halved(root, part, rng):
    """Copies the beginnings of chains and all small files; returns the paths of the others."""
    ends, rest = {}, []
    for base, _, files in sorted(os.walk(root)):
        for name in sorted(files, key=lambda one: (len(one), one)):
            path = os.path.relpath(os.path.join(base, name), root)
            if path.startswith("transactions/"):
                # Mostly chains begin; `nth` is the place among the blocks of the folder.
                chain = path.split("/")[1]
                end, nth = ends.get(chain, (rng.choice([0, 1, 2, 5, 9, 20]), 0))
                ends[chain] = end, nth + 1
                taken = nth < end
            else:
                taken = True
            if not taken:
                rest.append(path)
                continue
            os.makedirs(os.path.dirname(os.path.join(part, path)), exist_ok=True)
            shutil.copyfile(os.path.join(root, path), os.path.join(part, path))
    return rest

def differences(sea, said, there, env):
    """What an instance of Sea has otherwise than the reader."""
    wrong = []
    got = run(sea, "-C", there, "query", "--json", env=env).stdout.decode().splitlines()
    for mine, its in ((set(said.records) - set(got), "only the reader has"), (set(got) - set(said.records), "only Sea has")):
        wrong += [f"record: {its} {line}" for line in sorted(mine)]
    for ident, mine in said.revisions.items():
        if all(one[-1] == "waiting" for one in mine):
            continue  # There is no such record yet, for whoever asks.
        found = [(one["rev"], one.get("parent") or "", listed(one.get("merged")), one["kind"], one["state"])
                 for one in lines(run(sea, "-C", there, "log", "--json", ident, env=env)) if "rev" in one]
        wrong += [f"revision of {ident}: only the reader has {one}" for one in mine if one not in found]
        wrong += [f"revision of {ident}: only Sea has {one}" for one in found if one not in mine]
    if said.reader.members:
        found = {one["instance"]: (one.get("role"), one.get("held", 0)) for one in lines(run(sea, "-C", there, "instances", "--json", env=env)) if "instance" in one}
        for one, mine in said.members.items():
            if found.get(one, (None, 0)) != mine:
                wrong.append(f"instance {one}: the reader has {mine}, Sea {found.get(one)}")
    return wrong

def listed(value):
    return " ".join(sorted(value, key=order)) if isinstance(value, list) else " ".join(sorted((value or "").replace(",", " ").split(), key=order))

def order(one):
    depth, _, digest = one.partition("-")
    return int(depth), digest

def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", default="histories")
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--keep", default="histories")
    parser.add_argument("--sea")
    parser.add_argument("--without", default="")
    said_of = parser.parse_args()
    total = dict.fromkeys(("histories", "sealed", "with members", "blocks", "records", "revisions", "forks", "successors", "orders", "removed", "unauthorized", "hidden", "not opened"), 0)
    differ = 0
    for n in range(said_of.first, said_of.first + said_of.count):
        history = History(f"{said_of.seed} {n}", said_of.without.split(","))
        password = WORD.encode() if history.sealed else None
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "container.sea")
            history.save(root)
            said = Said(root, password)
            wrong = list(unmade(history, said))
            if said_of.sea:
                wrong += compare(said_of.sea, said, root, folder, password, history.seed)
            if wrong:
                differ += 1
                shutil.copytree(root, os.path.join(said_of.keep, f"{n}.sea"), dirs_exist_ok=True)
                print(f"history {n}:", *wrong[:20], sep="\n  ", flush=True)
        for name, number in (("histories", 1), ("sealed", history.sealed), ("with members", history.has_members), ("blocks", 0 if said.failed else len(said.reader.verified)),
                             ("records", len(said.revisions)), ("revisions", sum(map(len, said.revisions.values()))), ("forks", history.forks),
                             ("successors", history.successors), ("orders", len(history.purged)), ("removed", len(history.gone)),
                             ("unauthorized", sum(code == "unauthorized" for code, _ in said.problems)), ("hidden", 0 if said.failed else said.reader.hides), ("not opened", said.failed is not None)):
            total[name] += number
    print(", ".join(f"{number} {name}" for name, number in total.items()) + f"; {differ} wrong")
    return 1 if differ else 0

if __name__ == "__main__":
    sys.exit(main())
