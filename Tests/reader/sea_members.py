"""Who may do what in a database with members, join requests and fingerprint words, as sea-format(5) says."""
import hashlib, os, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sea_values import Bad, Items, item, need

P = 2**255 - 19
Y8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826  # of the points of order 8
ALL, NOTHING = "all", "none"  # cuts; every other one is (index, hash)

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
    """An authorise or revoke entry, and where it stands."""

    def __init__(self, block, at, said):
        self.block, self.author, self.subject = block, block.instance, uuid.UUID(bytes=said["instance"])
        self.role = said["role"] if said["control"] == "authorise" else None
        self.cut = NOTHING if said.get("index") is None else (said["index"], said["digest"])
        self.place = (block.lamport, block.instance.bytes, block.index, at, block.hash)

    def after(self, state):
        """The state of its subject once it has counted."""
        if self.role is None:
            return None, self.cut
        if self.role == "read":
            return "read", NOTHING if state[1] == ALL else state[1]
        return self.role, ALL

class Members:
    """The members that follow from a set of blocks: `states` has role (None for no member) and cut of whoever is ranked."""

    def __init__(self, founder, blocks):
        self.founder, self.by_hash, self.behind = founder, {(b.instance, b.hash): b for b in blocks}, {}
        self.entries = [Entry(b, n, said) for b in blocks for n, said in sorted(b.payload.controls.items())
                        if said["control"] in ("authorise", "revoke")]
        self.entries.sort(key=lambda e: e.place)
        self.evaluate([])
        rank, last, accepted = {one: n for n, one in enumerate(self.states)}, {}, []
        for e in self.entries:
            if self.counts(e) and rank.get(e.subject, len(rank)) < rank[e.author]:
                last[e.author, e.subject] = e
        for e in sorted(last.values(), key=lambda e: (rank[e.author], e.place)):
            before = self.states
            if self.counts(e):
                self.evaluate(accepted + [e])
                if self.counts(e):
                    accepted.append(e)
                else:
                    self.states = before

    def evaluate(self, accepted):
        """Ranks everybody level by level; a dictionary keeps the order."""
        self.states, level = {}, [self.founder]
        while level:
            for one in level:
                self.states[one] = self.state(one, accepted)
            admins, first = {one for one in level if self.states[one][0] == "admin"}, {}
            for e in self.entries:
                if e.author in admins and e.role and e.subject not in self.states and self.counts(e):
                    first.setdefault(e.subject, e.place)
            level = sorted(first, key=first.get)

    def state(self, one, accepted):
        state = ("admin", ALL) if one == self.founder else (None, NOTHING)
        for e in self.entries:
            if e.subject != one:
                continue
            if e.author == one:
                if e.role is None and self.reaches(state[1], e.block):
                    state = e.after(state)
            elif e in accepted or self.counts(e):
                state = e.after(state)
        return state

    def counts(self, e):
        """Whether an entry of somebody who is ranked already counts."""
        role, cut = self.states.get(e.author, (None, NOTHING))
        return role == "admin" and self.reaches(cut, e.block)

    def reaches(self, cut, block):
        """Whether a block of the instance that has this cut counts."""
        return cut == ALL or cut != NOTHING and block.hash in self.branch(block.instance, cut)

    def branch(self, instance, cut):
        """The hashes of the blocks up to a cut; none if the block that it names is not there, or not at that index."""
        if (instance, cut) not in self.behind:
            found, b = set(), self.by_hash.get((instance, cut[1]))
            while b and (found or b.index == cut[0]):
                found.add(b.hash)
                b = self.by_hash.get((instance, b.previous)) if b.index else None
            self.behind[instance, cut] = found
        return self.behind[instance, cut]

    def entitled(self, block):
        return self.reaches(self.states.get(block.instance, (None, NOTHING))[1], block)

def entitled(database, blocks):
    """The blocks that count, in their order, and who the members are; None if the database has none."""
    if database.version != 8:
        return blocks, None
    founder = next((b.instance for b in blocks if b.index == 0 and b.payload.key and founded(b.payload.key) == database), None)
    members = Members(founder, blocks)
    return [b for b in blocks if members.entitled(b)], members

def valid_slots(blocks, members):
    """The digests of the valid slots, from the blocks that count."""
    begun, ended = set(), set()
    for b in blocks:
        for said in b.payload.controls.values():
            if said["control"] == "epoch" and (not members or members.states[b.instance][0] == "admin"):
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
    need(said[1] == database.bytes, "other-database")
    need(acceptable(said[2]) and uuid8(b"sea instance v1", said[2]) == name, "bad-key")
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
