"""Who may do what in a database with members, join requests and fingerprint words, as sea-format(5) says."""
import hashlib, os, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sea_values import Bad, Items, item, need

P = 2**255 - 19
Y8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826  # of the points of order 8
ALL, NOTHING = "all", "none"  # cuts; every other one is (index, hash)
MOST_EVALUATIONS = 256

def uuid8(prefix, key):
    b = bytearray(hashlib.sha256(prefix + key).digest()[:16])
    b[6], b[8] = b[6] & 0x0F | 0x80, b[8] & 0x3F | 0x80
    return uuid.UUID(bytes=bytes(b))

def acceptable(key):
    """Whether an Ed25519 key is canonical and not of low order."""
    y = int.from_bytes(key, "little") & 2**255 - 1
    return y < P and y not in (0, 1, P - 1, Y8, P - Y8)

def founded(key):
    """The databaseID of the database with members that this key is the founder of."""
    return uuid8(b"sea database v1", key)

class Entry:
    """An authorise or revoke entry, and its place in the order of entries."""

    def __init__(self, block, at, said):
        self.block, self.author, self.subject = block, block.instance, uuid.UUID(bytes=said["instance"])
        self.role = said["role"] if said["control"] == "authorise" else None
        self.cut = NOTHING if said.get("index") is None else (said["index"], said["digest"])
        self.place = (block.lamport, block.instance.bytes, block.index, at, block.hash)

    def after(self, role, cut, authority):
        """The standing of its subject once it has counted."""
        less = lambda before: NOTHING if before == ALL else before
        if self.role == "admin":
            return "admin", ALL, ALL
        if self.role == "write":
            return "write", ALL, less(authority)
        if self.role == "read":
            return "read", less(cut), less(authority)
        if self.cut == NOTHING or role != "read" and cut != NOTHING:
            cut = self.cut
        return None, cut, self.cut if role == "admin" else authority

class Members:
    """The members that follow from a set of blocks.

    `standings` has (role, cut, authority) of everybody about whom something counts; no role is None."""

    def __init__(self, founder, blocks, held=()):
        """Of blocks that are held back, as (instance, hash), no entry is looked at."""
        self.founder, self.branches, self.held = founder, {}, held
        self.by_hash = {(b.instance, b.hash): b for b in blocks}
        self.entries = sorted((Entry(b, n, said) for b in self.by_hash.values() if (b.instance.bytes, b.hash) not in held for n, said in b.payload.controls.items()
                               if said["control"] in ("authorise", "revoke")), key=lambda e: e.place)
        self.left, self.speakers = MOST_EVALUATIONS, {e.author for e in self.entries}
        accepted = self.settle()
        silent = {e for e in self.entries if e.subject not in self.speakers and self.counts(e)}
        self.evaluate(accepted, silent)
        admins = list(self.standings)
        self.ranked = len(admins)
        for one in {e.subject for e in self.entries} - set(admins):
            self.standings[one] = self.standing(one, admins, ())

    def settle(self):
        """Takes up the upward bundles, each (author, subject, its entries), and returns those that are in."""
        accepted, refused = [], set()
        self.evaluate(accepted)
        while self.left > 0:
            bundle = next((b for b in self.bundles() if b not in accepted and b not in refused), None)
            if not bundle:
                break
            before, trial = self.standings, [b for b in accepted if b[:2] != bundle[:2]]
            while self.left > 0:
                self.evaluate(trial + [bundle])
                standing = [b for b in trial if all(map(self.counts, b[2]))]
                if standing == trial:
                    break
                trial = standing
            else:
                self.standings = before
                break
            if all(map(self.counts, bundle[2])):
                accepted, refused = trial + [bundle], set()
            else:
                self.standings = before
                refused.add(bundle)
        return accepted

    def bundles(self):
        """The upward bundles about speakers, by the author's rank and the last of their entries."""
        rank, found = {one: n for n, one in enumerate(self.standings)}, {}
        for e in self.entries:
            if e.subject in self.speakers and self.counts(e) and rank.get(e.subject, len(rank)) < rank[e.author]:
                found.setdefault((e.author, e.subject), []).append(e)
        return sorted(((*both, tuple(all_)) for both, all_ in found.items()), key=lambda b: (rank[b[0]], b[2][-1].place))

    def evaluate(self, bundles, imposed=()):
        """Ranks everybody who was ever made an admin, level by level; a dictionary keeps the order."""
        self.standings, level, imposed = {}, [self.founder], {e for _, _, entries in bundles for e in entries}.union(imposed)
        self.left -= 1
        while level:
            for one in level:
                self.standings[one] = self.standing(one, list(self.standings), imposed)
            first = {}
            for e in self.entries:
                if e.author in level and e.role == "admin" and e.subject not in self.standings and self.counts(e):
                    first.setdefault(e.subject, e.place)
            level = sorted(first, key=first.get)

    def standing(self, one, seniors, imposed):
        """What follows for an instance from the entries of its seniors and from those that are imposed on it."""
        def follow(leaves):
            state = ("admin", ALL, ALL) if one == self.founder else (None, NOTHING, NOTHING)
            for e in self.entries:
                if e.subject != one:
                    continue
                if e.author == one:
                    takes_part = leaves and e.role is None and state[0] is not None
                else:
                    takes_part = self.counts(e) if e.author in seniors else e in imposed
                if takes_part:
                    state = e.after(*state)
            return state
        state = follow(False)
        return follow(True) if state[0] else state

    def counts(self, e):
        """Whether an entry of somebody who is ranked already counts."""
        return self.has_authority(e.block)

    def entitled(self, block):
        return (block.instance.bytes, block.hash) not in self.held and self.reaches(self.standings.get(block.instance, (None, NOTHING, NOTHING))[1], block)

    def has_authority(self, block):
        _, cut, authority = self.standings.get(block.instance, (None, NOTHING, NOTHING))
        return self.reaches(cut, block) and self.reaches(authority, block)

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
    by_hash = {(b.instance.bytes, b.hash): b for b in blocks}
    rank = {one: n for n, one in enumerate(members.standings) if n < members.ranked}
    held = set()
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
        held |= {place for place, b in by_hash.items()
                 if rank.get(b.instance, len(rank)) > rank[one.instance] and place not in named}
    return held

def standing(founder, blocks):
    """Worked out twice where something is held back."""
    members = Members(founder, blocks)
    held = held_back(members, blocks)
    return Members(founder, blocks, held) if held else members

def entitled(database, blocks):
    """The blocks that count, in their order, and who the members are; None if the database has none."""
    if database.version != 8:
        return blocks, None
    founder = next((b.instance for b in blocks if b.index == 0 and b.payload.key and founded(b.payload.key) == database), None)
    if not founder:
        return [], Members(None, [])
    members = standing(founder, blocks)
    return [b for b in blocks if members.entitled(b)], members

def valid_slots(blocks, members):
    """The digests of the valid slots, from the blocks that count."""
    begun, ended = set(), set()
    for b in blocks:
        for said in b.payload.controls.values():
            if said["control"] == "epoch" and (not members or members.has_authority(b)):
                begun.update(said["slots"])
                ended.update(said["ended"])
    return begun - ended

# -- join requests and fingerprint words

def join_request(b, database, name):
    """The Ed25519 and the X25519 key of a request that lies under an instanceID."""
    try:
        said, end = item(b)
    except (Bad, UnicodeDecodeError, RecursionError):
        raise Bad("bad-request")
    need(type(said) is Items and len(said) == 4 and said[0] == "sea join v1", "bad-request")
    need([type(x) for x in said[1:]] == [bytes] * 3 and [len(x) for x in said[1:]] == [16, 32, 32], "bad-request")
    need(len(b) == end + 64, "bad-request")
    need(acceptable(said[2]) and uuid8(b"sea instance v1", said[2]) == name, "bad-key")
    need(said[1] == database.bytes, "other-database")
    try:
        Ed25519PublicKey.from_public_bytes(said[2]).verify(b[end:], b[:end])
    except (InvalidSignature, ValueError):
        raise Bad("bad-signature")
    return said[2], said[3]

def words(key, exchange):
    """The eight fingerprint words of two keys."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt"), encoding="ascii") as file:
        known = file.read().split()
    n = int.from_bytes(hashlib.sha256(b"sea words v1" + key + exchange).digest()[:11], "big")
    return [known[n >> 77 - 11 * k & 2047] for k in range(8)]
