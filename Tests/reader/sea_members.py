"""Who may do what in a database with members, as sea-members(5) says, and which epoch keys and slots count, as sea-format(5) does."""
import uuid
from sea_names import instance_id

ALL, NOTHING = "all", "none"  # cuts; every other one is (index, hash)
NOBODY, UNKNOWN = (None, NOTHING, NOTHING), (None, NOTHING, NOTHING, NOTHING)

class Entry:
    """An authorize or revoke entry, and its place in the order of entries."""

    def __init__(self, block, at, said):
        self.block, self.author, self.subject = block, block.instance, uuid.UUID(bytes=said["instance"])
        self.role = said["role"] if said["control"] == "authorize" else None
        self.cut = NOTHING if said.get("index") is None else (said["index"], said["digest"])
        self.keeps = {uuid.UUID(bytes=one) for one in said.get("keeps", ())}
        self.place = (block.time, block.instance.bytes, block.index, at, block.hash)

    def after(self, one, role, cut, authority):
        """The standing of an instance that it concerns once it has counted."""
        less = lambda before: NOTHING if before == ALL else before
        if self.role == "admin":
            return "admin", ALL, ALL
        if self.role == "write":
            return "write", ALL, less(authority)
        if self.role == "read":
            return "read", less(cut), less(authority)
        if self.subject != one:
            return NOBODY if role else (role, cut, authority)
        if self.cut == NOTHING or role != "read" and cut != NOTHING:
            cut = self.cut
        return None, cut, self.cut if role == "admin" else authority

class Lines:
    """Who follows whom, from the first blocks that are known."""

    def __init__(self, blocks):
        first = {}
        for b in blocks:
            if b.index == 0:
                first[b.instance] = min(first.get(b.instance, b), b, key=lambda one: one.hash)
        self.before = {one: instance_id(b.payload.follows) for one, b in first.items() if b.payload.follows}
        ringed, seen = set(), {}
        for start in self.before:
            path, one = [], start
            while one in self.before and one not in seen:
                seen[one] = start
                path.append(one)
                one = self.before[one]
            if seen.get(one) == start and one in path:
                ringed.update(path[path.index(one):])
        for one in ringed:
            del self.before[one]
        self.roots = {}

    def predecessors(self, one):
        """The nearest first."""
        found = []
        while one in self.before:
            one = self.before[one]
            found.append(one)
        return found

    def line(self, one):
        path = []
        at = one
        while at in self.before and at not in self.roots:
            path.append(at)
            at = self.before[at]
        root = self.roots.get(at, at)
        for other in path:
            self.roots[other] = root
        return root

class Members:
    """The members that follow from a set of blocks.

    `standings` has (role, cut, hearing, authority) of everybody about whom something is known; no role is None. `ranks` has the
    rank of each line that has one, by its first instance, `heard` the entries that count."""

    def __init__(self, proof, blocks, held=(), silent=()):
        """Of blocks that are held back or silent, as (instance, hash), no entry is looked at."""
        self.branches, self.held, self.standings, self.ranks, self.entries, self.heard = {}, held, {}, {}, [], set()
        self.founder = instance_id(proof.founder)
        self.recovery = proof.recovery and instance_id(proof.recovery)
        self.lines, self.by_hash = Lines(blocks), {(b.instance, b.hash): b for b in blocks}
        if not any(b.instance == self.founder and b.index == 0 for b in blocks):
            return
        self.entries = sorted((Entry(b, n, said) for b in {(b.instance, b.hash): b for b in blocks}.values()
                               if (b.instance.bytes, b.hash) not in held and (b.instance.bytes, b.hash) not in silent
                               for n, said in b.payload.controls.items() if said["control"] in ("authorize", "revoke")), key=lambda e: e.place)
        everybody = {self.founder, *([self.recovery] if self.recovery else []), *(b.instance for b in blocks), *self.lines.before, *self.lines.before.values()}
        everybody |= {one for e in self.entries for one in (e.author, e.subject)}
        self.of_line, self.cut_off = {}, {}
        for one in everybody:
            self.of_line.setdefault(self.line(one), []).append(one)
        self.about = {one: [e for e in self.entries if self.concerns(e, one)] for one in everybody}
        self.down(everybody)
        self.heard = {e for e in self.entries if self.counts(e)}
        self.hear_all()

    def line(self, one):
        return self.lines.line(one)

    def rank(self, one):
        """The rank of an instance; who has none comes behind all."""
        return self.ranks.get(self.line(one), len(self.ranks))

    def concerns(self, e, one):
        if e.subject == one:
            return True
        before = self.lines.predecessors(one)
        if e.subject not in before:
            return False
        between = {one, *before[:before.index(e.subject)]}
        return e.role is not None or not between & e.keeps

    def down(self, everybody):
        """Ranks all lines that ever had an admin, level by level, by what seniors say; then the rest have their standing."""
        level = list(dict.fromkeys(self.line(one) for one in (self.recovery, self.founder) if one))
        while level:
            for line in level:
                seniors = set(self.standings)
                self.ranks[line] = len(self.ranks)
                self.stand(self.of_line[line], lambda e: e.author in seniors and self.counts(e))
            first = {}
            for e in self.entries:
                if self.line(e.author) in level and e.role == "admin" and self.line(e.subject) not in self.ranks and self.counts(e):
                    first.setdefault(self.line(e.subject), e.place)
            level = sorted(first, key=first.get)
        self.stand(everybody - set(self.standings), self.counts)

    def stand(self, some, says):
        found = {one: self.standing(one, says) for one in some}
        self.standings |= {one: (role, cut, cut, authority) for one, (role, cut, authority) in found.items()}

    def hear_all(self):
        """Role and cut once more, from all entries that count."""
        found = {one: self.standing(one, self.heard.__contains__) for one in self.standings}
        for one, (role, cut, _) in found.items():
            _, _, hearing, authority = self.standings[one]
            self.standings[one] = "write" if role == "admin" and authority != ALL else role, cut, hearing, authority

    def standing(self, one, says):
        """What follows for an instance from the entries of others that say something here."""
        line = self.line(one)
        born = {self.founder, self.recovery} & {one, *self.lines.predecessors(one)}
        def follow(leaves):
            state = ("admin", ALL, ALL) if born else NOBODY
            for e in self.about[one]:
                if self.line(e.author) == line:
                    takes_part = leaves and e.author == e.subject == one and e.role is None and state[0] is not None
                else:
                    takes_part = says(e)
                if takes_part:
                    state = e.after(one, *state)
            return state
        state = follow(False)
        return follow(True) if state[0] else state

    def counts(self, e):
        """Whether an entry of somebody whose line is ranked already counts."""
        return self.line(e.author) in self.ranks and self.has_authority(e.block)

    def is_held(self, block):
        return (block.instance.bytes, block.hash) in self.held

    def entitled(self, block):
        return not self.is_held(block) and self.reaches(self.standings.get(block.instance, UNKNOWN)[1], block)

    def hears(self, block):
        return self.reaches(self.standings.get(block.instance, UNKNOWN)[2], block)

    def has_authority(self, block):
        return self.hears(block) and self.reaches(self.standings.get(block.instance, UNKNOWN)[3], block)

    def reaches(self, cut, block):
        """Whether a block of the instance that has this cut is within it."""
        return cut == ALL or cut != NOTHING and block.hash in self.branch(block.instance, cut)

    def branch(self, instance, cut):
        """The hashes of the blocks up to a cut; none if the block that it names is not there, or not at that index."""
        if (instance, cut) not in self.branches:
            found, b = set(), self.by_hash.get((instance, cut[1]))
            while b and (found or b.index == cut[0]):
                found.add(b.hash)
                b = self.by_hash.get((instance, b.previous)) if b.index else None
            self.branches[instance, cut] = found
        return self.branches[instance, cut]

def held_back(members, blocks):
    """The blocks that are held because of others that decide about members and cannot be read, as (instance, hash)."""
    by_hash, held = {(b.instance.bytes, b.hash): b for b in blocks}, set()
    for one in blocks:
        if not (one.unread and members.has_authority(one)):
            continue
        named, stack, at = set(), [], one
        while at:
            stack += [(who, hash) for who, index, hash in at.heads or () if (who, hash) in by_hash and by_hash[who, hash].index == index]
            at = by_hash.get((at.instance.bytes, at.previous)) if at.index else None
        while stack:
            place = stack.pop()
            if place not in named:
                named.add(place)
                if by_hash[place].index:
                    stack.append((place[0], by_hash[place].previous))
        held |= {place for b in blocks if members.rank(b.instance) > members.rank(one.instance) and (place := (b.instance.bytes, b.hash)) not in named}
    return held

def standing(proof, blocks, silent=()):
    """Worked out twice where something is held back."""
    members = Members(proof, blocks, (), silent)
    held = held_back(members, blocks)
    return Members(proof, blocks, held, silent) if held else members

def entitled(proof, blocks, silent=()):
    """The blocks that count, in their order, and who the members are; None if the database has none."""
    if not proof or not proof.flags & 2:
        return blocks, None
    members = standing(proof, blocks, silent)
    return [b for b in blocks if members.entitled(b)], members

# -- epoch keys and slots

class Epochs:
    """The epoch keys that count, as (number, digest), with their authors, and the digests of the valid slots."""

    def __init__(self, blocks, members, first):
        """`first` is the name of the first key, the only one of number 1."""
        entries = [(b.instance, said) for b in blocks if not members or members.has_authority(b) and not members.is_held(b)
                   for said in b.payload.controls.values() if said["control"] == "epoch"]
        authors, readers, known = {}, {}, {b.instance.bytes for b in blocks if b.index == 0}
        if members:
            known = {b.instance.bytes for b in members.by_hash.values() if b.index == 0}
            known |= {e.subject.bytes for e in members.entries if e.role and e in members.heard}
        for author, said in entries:
            key = said["epoch"], said["key"]
            if key[0] == 1 and key[1] != first:
                continue
            authors.setdefault(key, set()).add(author)
            readers.setdefault(key, set()).update(said["readers"])
        self.counting, self.members = {}, members
        numbers = {0}
        for key in sorted(authors):
            if key[0] - 1 not in numbers:
                continue
            if members:
                most = min(members.rank(one) for one in authors[key])
                asked = {one.bytes for one, (role, *_) in members.standings.items() if role and members.rank(one) < most}
                if asked & known - readers[key]:
                    continue
            self.counting[key] = authors[key]
            numbers.add(key[0])
        begun, ended = set(), set()
        for _, said in entries:
            if (said["epoch"], said["key"]) in self.counting:
                begun.update(said["slots"])
                ended.update(said["ended"])
        self.slots = begun - ended

    def newest(self):
        """The key under which a new block is sealed by somebody who has them all."""
        if not self.counting:
            return None
        last = max(number for number, _ in self.counting)
        rank = lambda key: min(self.members.rank(one) for one in self.counting[key]) if self.members else 0
        return min((key for key in self.counting if key[0] == last), key=lambda key: (rank(key), key[1]))
