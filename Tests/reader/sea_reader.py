#!/usr/bin/env python3
"""A second reader of a Sea container, written from sea-format(5), sea-record(5) and sea-merge(5) alone.

usage: sea_reader.py [--heads] [--password-file FILE | --recovery-file FILE] CONTAINER

Prints one JSON object per live record, sorted by id, as `sea query --json` does; with --heads one line per chain.
What it refuses it names on standard error, `CODE WHERE`, and ends with status 5; what verifies is printed all the same.
A sealed container is opened with the password that is the first line of FILE, or of the file that SEA_PASSWORD_FILE
names, or with the words of recovery in FILE; if no slot opens, the status is 7.
"""
import hashlib, json, os, re, sys, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
import sea_header, sea_merge
from sea_frames import inflate
from sea_header import HEADER, BEFORE_DATA, DATA, DIGEST, MOST_HEADS, MOST_PAYLOAD, PREVIOUS, ROW, SIGNATURE, end_of_heads, hash_of, least, length, number
from sea_names import acceptable, certified, exchangeable, instance_id, read_info, recovery_exchange, recovery_seed
from sea_payload import COMPRESSED, CONTROL, ORDERS, REMOVED, SEALED, SIGNED, UNKNOWN, Payload, clear_array, clear_list, heads_of
from sea_removal import Whole
from sea_seal import Keys, Slot, unlock, unlock_as
from sea_values import Bad, body, item, need

HARMLESS = {"foreign-file", "bad-slot", "unauthorized", "no-key", "not-readable"}

def passed_over(name):
    """Whether a name is of a file in the making, or of one that was set aside."""
    return name.startswith(".sea-tmp-") or re.search(r"\.damaged-[0-9a-f]{8}$", name)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def size(b, sealed=None):
    """The length that a block says it has, once its header can be believed; `sealed` is what the database is, if known."""
    need(len(b) >= HEADER, "truncated")
    need(b[:3] == b"SEA", "bad-magic")
    mode = b[3]
    need(not mode & REMOVED or mode & SIGNED and not mode & (CONTROL | ORDERS), "bad-mode")
    need(b[8:12] != bytes(4) or mode in (SIGNED | CONTROL, SIGNED | CONTROL | SEALED), "bad-mode")
    need(sealed is None or sealed == mode & SEALED, "bad-mode")
    need(number(b[4:8]) <= MOST_PAYLOAD and end_of_heads(b) <= HEADER + ROW * MOST_HEADS, "bad-size")
    need(HEADER + number(b[4:8]) - end_of_heads(b) >= least(mode), "bad-size")
    return length(b)

def block(b, database, instance, last=None, key=None, sealed=None, keys=None, unsigned=None):
    """Verifies one complete block behind `last` = (index, Lamport time, hash); None stands for the start of a chain.

    `sealed` says what the database is, `keys` what opens it; without them a sealed chain is checked as far as that goes.
    Returns what the next block needs, the key of the chain, and the payload. What is wrong with the payload of a block
    that is no first one refuses nothing: it is the payload's problem. Nothing is opened as long as nobody's signature can be
    checked, since the key of the chain is not known. A wrong signature may be made good by that of a later block: with `unsigned`,
    a list, the indices are there of those blocks that none has made good yet."""
    need(size(b, sealed) <= len(b), "truncated")
    need(size(b) == len(b), "bad-size")
    mode, index, lamport, said = b[3], number(b[8:12]), number(b[12:16]), None
    heads, content, signature = sea_header.parts(b)
    need(index == (last[0] + 1 if last else 0) and index < 2**32 - 1, "bad-index")
    need(not last or lamport > last[1] or lamport == last[1] == 2**32 - 1, "bad-lamport")
    need(not last or b[PREVIOUS] == last[2], "bad-prev")
    need(sea_header.data_of(heads, content, signature) == b[DATA], "bad-data")
    heads_of(b, instance)
    if not last:
        said = opened(b, instance, keys)
        need(said.problem in (None, "no-key"), "bad-payload")
        if said.key:
            key = said.key
            need(acceptable(key) and exchangeable(said.instance["exchange"]) and instance_id(key) == instance, "bad-key")
            need(not said.follows or certified(database, instance, said.instance["exchange"], said.instance["follows"]), "bad-key")
            previous = keys.genesis(key) if mode & SEALED else sha256(b"sea chain v1", database.bytes, key)
            if not previous:
                key, said = None, Payload("no-key")
            else:
                need(b[PREVIOUS] == previous, "bad-prev")
                # The first key is the one that the first block of the founder names.
                need(not mode & SEALED or key != keys.proof.founder or said.under == keys.proof.first, "bad-prev")
    state = (index, lamport, hash_of(b))
    need(mode & SIGNED, "bad-signature")
    if key:
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, sea_header.covered(database, instance, b, heads, content))
            if unsigned:
                unsigned.clear()
        except (InvalidSignature, ValueError):
            need(unsigned is not None, "bad-signature")
            unsigned.append(index)
    if said or mode & REMOVED:
        return state, key, said or Payload()
    try:
        return state, key, opened(b, instance, keys if key else None)
    except Bad as bad:
        return state, key, Payload(str(bad))

def opened(b, instance, keys):
    """What a block says, whose hash is in order."""
    mode, rows, at = b[3], (), end_of_heads(b)
    if mode & UNKNOWN:
        return Payload("not-readable")
    if mode & ORDERS:
        rows, at = clear_list(b)
    clear, under = b[at:-SIGNATURE], None
    if mode & SEALED:
        try:
            need(keys, "no-key")
            clear = keys.open_block(b[:BEFORE_DATA], clear, instance)
            under = b[at:at + DIGEST]
        except Bad as bad:
            need(str(bad) == "no-key", str(bad))
            return Payload("no-key")
    said = clear_array(inflate(clear) if mode & COMPRESSED else clear, mode, b[8:12] == bytes(4), heads_of(b, instance), rows)
    said.under = under
    return said

class Trees:
    """The revision trees of all records."""

    def __init__(self):
        self.known = {}

    def add(self, changes, lamport=None, digest=None):
        for one in changes:
            self.known.setdefault(one[0], sea_merge.Record()).add(one, lamport, digest)

    def record(self, ident):
        """The live record as JSON, or None, and the revisions whose parent disagrees with its own depth."""
        every = self.known[ident].all
        digests, tree = {digest: depth for depth, digest in every}, sea_merge.Tree(self.known[ident])
        wrong = [rev for rev, one in sorted(every.items())
                 if rev not in tree.known and digests.get(one.parent[1], one.parent[0]) != one.parent[0]]
        if not tree.live:
            return None, wrong
        lost = [one for one in tree.leaves if tree.known[one].kind == "delete"]
        rev = [f"{depth}-{digest.hex()}" for depth, digest in tree.live + lost]
        winner = tree.known[tree.live[0]]
        head = {"_id": ident} | ({"_type": winner.type} if winner.type else {}) | {"_rev": rev[0]}
        properties = {} if winner.purged else body(item(sea_merge.encode(sea_merge.shown(tree)))[0])
        return head | properties | ({"_conflicts": rev[1:]} if rev[1:] else {}), wrong

class Block:
    """A verified block in its chain. Of a chain whose key is not known nobody can say who signed its blocks: `heads` is None."""

    def __init__(self, instance, b, last, key, payload, chain=None):
        self.instance, self.payload, self.previous, self.chain = instance, payload, b[PREVIOUS], chain
        self.index, self.lamport, self.hash = last
        self.heads = heads_of(b, instance) if key else None
        self.unread = bool(key and payload.problem == "not-readable" and b[3] & CONTROL)
        self.removed, self.listed = bool(b[3] & REMOVED), []
        if b[3] & ORDERS and not b[3] & UNKNOWN and payload.problem in (None, "no-key", "bad-tag"):
            self.listed = clear_list(b)[0]

class Reader:
    """A container directory."""

    def __init__(self, root, password=None, recovery=None):
        """`recovery` is the text of the words."""
        with open(os.path.join(root, "info.json"), encoding="utf-8") as file:
            self.database, self.proof = read_info(file.read())
        self.sealed, self.problems, self.root, self.keys = bool(self.proof and self.proof.sealed), [], root, None
        self.hidden, self.hides = set(), 0
        for extra in sorted(set(os.listdir(root)) - {"info.json", "MANIFEST.json", "END", "backup", "transactions", "assets", "keys", "requests", "heads"}):
            self.problems.append(("foreign-file", extra))
        slots, used = self.slots(os.path.join(root, "keys")), set()
        if password is not None and self.sealed:
            self.keys, used = unlock(slots, self.database, password)
        if recovery is not None and self.sealed:
            seed = recovery_seed(recovery)
            key = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            need(self.proof.recovery == key, "unauthorized")
            self.keys, used = unlock_as(slots, self.database, instance_id(key), recovery_exchange(seed))
        if self.keys:
            self.keys.proof = self.proof
        self.read()
        if used:
            need(used & self.epochs.slots, "bad-password")
            # Under keys that nothing vouches for only the entries count.
            vouched = Keys(self.database, [one for name, one in self.keys.known.items() if (one[0], name) in self.epochs.counting])
            vouched.follow([slot for slot in slots if slot.digest in self.epochs.slots])
            self.hidden = set(self.keys.known) - set(vouched.known)
        self.apply()

    def read(self):
        """Verifies all chains, and works out what counts."""
        self.trees, self.heads, self.seen, self.verified, self.problems = Trees(), {}, {}, [], list(self.problems)
        base, folders = os.path.join(self.root, "transactions"), {}
        for chain in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(~[0-9a-f]{32})?", chain):
                folders.setdefault(uuid.UUID(chain[:36]), []).append(chain)
            elif not passed_over(chain):
                self.problems.append(("foreign-file", chain))
        for instance, chains in folders.items():
            self.chain(instance, [piece for chain in chains for piece in self.pieces(chain, os.path.join(base, chain))])
        self.whole = whole = Whole(self.proof, self.verified)
        self.members, self.epochs = whole.members, whole.epochs
        self.problems += [("bad-removal", f"{b.chain}/{b.index}") for b in whole.unsound]
        applied = {id(b) for b in whole.counting}
        for b in whole.clean:
            self.heads[b.chain] = max(self.heads.get(b.chain, (-1,)), (b.index, b.lamport, b.hash))
        # Clocks are judged whatever becomes of the content.
        self.problems += [("bad-lamport", f"{b.chain}/{b.index}") for b in self.verified if (b.instance.bytes, b.hash) in whole.wrong]
        self.problems += [("unauthorized", f"{b.instance}/{b.index}") for b in whole.clean if id(b) not in applied]

    def apply(self):
        """Puts the changes of the blocks that count together."""
        whole = self.whole
        for b in whole.counting:
            place = b.instance.bytes, b.hash
            if place in whole.wrong:
                continue
            lamport = b.lamport if place in whole.earned else None
            if b.payload.under in self.hidden:
                self.hides += 1
                self.problems.append(("no-key", f"{b.chain}/{b.index}"))
            else:
                self.trees.add(b.payload.changes, lamport)
        # A whole one says more than an order; of orders the first removed block's is believed.
        for b in sorted((b for b in whole.counting if b.removed), key=lambda b: (b.lamport, b.instance.bytes, b.index, b.hash)):
            place = b.instance.bytes, b.hash
            if place not in whole.wrong:
                for *said, rev in whole.orders[place].changes:
                    self.trees.add([(*said, None)], b.lamport if place in whole.earned else None, rev[1])

    def slots(self, folder):
        """The slots of a container by their names, at most 10,000 of them."""
        found = []
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            try:
                need(os.path.getsize(os.path.join(folder, name)) <= 65536 and len(found) < 10_000, "foreign-file")
                with open(os.path.join(folder, name), "rb") as file:
                    b = file.read()
                need(sha256(b).hex() == name, "foreign-file")
                found.append(Slot(b))
                need(found[-1].database in (None, self.database), "foreign-file")
            except Bad as bad:
                if not passed_over(name):
                    self.problems.append((str(bad), f"keys/{name}"))
        return [slot for slot in found if slot.database == self.database]

    def pieces(self, chain, folder):
        """What stands in a folder, piece by piece: in each the blocks stand one behind the other. Names say the index, and of a file with
        another name its blocks do; then the second value is false."""
        found, others = {}, []
        for path, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                name = os.path.relpath(os.path.join(path, file), folder)
                leaf = name.removesuffix(".blocks")
                digits = [int(d) for d in leaf.split("/")[1:] if d.isdecimal()] + [0] * (leaf != name)
                index = sum(d * 1000**k for k, d in enumerate(reversed(digits)))
                with open(os.path.join(path, file), "rb") as f:
                    b = f.read()
                if name not in (where(index), where(index).rpartition("/")[0] + ".blocks"):
                    if not passed_over(file):
                        self.problems.append(("foreign-file", f"{chain}/{name}"))
                    others += [(number(one[8:12]), one) for one in split(b) if is_whole(one)]
                    continue
                for one in split(b) if leaf != name else [b]:
                    found.setdefault(index, one[:HEADER - 1] if unfilled(one) else one)
                    index += 1
        made = []
        for index, b in sorted(found.items()):
            if made and index == made[-1][-1][0] + 1 and (not is_whole(b) or b[PREVIOUS] == hash_of(made[-1][-1][1])):
                made[-1].append((index, b))
            else:
                made.append([(index, b)])
        return [(chain, True, one) for one in made] + [(chain, False, [one]) for one in others]

    def chain(self, instance, waiting):
        """Verifies all pieces of a chain: each goes on behind the block that its first one names, wherever that was."""
        open_, bad = None, set()
        while waiting != open_:
            open_, waiting = waiting, []
            for chain, named, piece in open_:
                while piece and (instance, hash_of(piece[0][1])) in self.seen:
                    piece = piece[1:]
                behind = piece and (self.seen.get((instance, piece[0][1][PREVIOUS])) if piece[0][0] else (None, None))
                if behind and self.piece(instance, chain, piece, *behind, named and chain not in bad):
                    bad.add(chain)
                elif piece and not behind:
                    waiting.append((chain, named, piece))
        key = next((key for (one, _), (_, key) in self.seen.items() if one == instance), None)
        for chain, named, piece in waiting:
            if named and chain not in bad:
                bad.add(chain)
                index, b = piece[0]
                try:
                    block(b, self.database, instance, (index - 1, number(b[12:16]) - 1, b[PREVIOUS]), key, self.sealed)
                    self.problems.append(("gap", f"{chain}/{index}"))
                except Bad as problem:
                    self.problems.append((str(problem), f"{chain}/{index}"))

    def piece(self, instance, chain, piece, last, key, tells):
        """Verifies blocks that stand side by side, and says whether anything is wrong with one."""
        unsigned, good, wrong, found = [], [], None, dict(piece)
        for index, b in piece:
            try:
                last, key, said = block(b, self.database, instance, last, key, self.sealed, self.keys, unsigned)
            except Bad as bad:
                wrong = str(bad), index
                break
            good.append((index, last, key, said))
        if unsigned:
            wrong = "bad-signature", unsigned[0]
        for index, last, key, said in good:
            if wrong and index >= wrong[1]:
                break
            if said.problem:
                self.problems.append((said.problem, f"{chain}/{index}"))
            self.seen[instance, last[2]] = last, key
            self.verified.append(Block(instance, found[index], last, key, said, chain))
        if wrong and tells:
            self.problems.append((wrong[0], f"{chain}/{wrong[1]}"))
        return wrong and tells

def is_whole(b):
    """Whether bytes are one block, as far as their header says."""
    try:
        return size(b) == len(b)
    except Bad:
        return False

def shown(record):
    """A record as JSON: what could steer a terminal is escaped, as sea-cli(7) says."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", lambda one: f"\\u{ord(one[0]):04x}", text)

def split(b):
    """Blocks that lie one after another; what cannot be told apart any more is the last of them."""
    while b:
        try:
            end = size(b)
        except Bad:
            end = len(b)
        yield b[:end]
        b = b[end:]

def unfilled(b):
    """Whether the place of a block was made with its whole size and is still being filled."""
    if b.startswith(bytes(HEADER)):
        return True
    try:
        end = size(b)
    except Bad:
        return False
    return end == len(b) and b.endswith(bytes(16))

def where(index):
    """The name of a block's file: the number of digits in base 1000, then the digits."""
    digits = [str(index % 1000)]
    while index := index // 1000:
        digits.insert(0, str(index % 1000))
    return "/".join([str(len(digits))] + digits)

def main(arguments):
    password, path, recovery = None, None, None
    if "--recovery-file" in arguments:
        with open(arguments[arguments.index("--recovery-file") + 1], encoding="utf-8") as file:
            recovery = file.read()
    elif "--password-file" in arguments:
        path = arguments[arguments.index("--password-file") + 1]
    elif os.path.isdir(os.path.join(arguments[-1], "keys")):
        path = os.environ.get("SEA_PASSWORD_FILE")
    if path:
        with open(path, "rb") as file:
            password = file.readline().removesuffix(b"\n")
    try:
        reader = Reader(arguments[-1], password, recovery)
    except Bad as bad:
        print(bad, "info.json" if str(bad) == "no-proof" else "keys", file=sys.stderr)
        return 5 if str(bad) == "no-proof" else 7
    records = sorted((ident.encode(), *reader.trees.record(ident)) for ident in reader.trees.known)
    for ident, record, wrong in records:
        reader.problems += [("bad-depth", f"{ident.decode()}@{depth}-{digest.hex()}") for depth, digest in wrong]
        if record and "--heads" not in arguments:
            print(shown(record))
    for chain, (index, _, digest) in sorted(reader.heads.items()) if "--heads" in arguments else []:
        print(chain, index, digest.hex(), sep="\t")
    for code, where_ in reader.problems:
        print(code, where_, file=sys.stderr)
    return 5 if any(code not in HARMLESS for code, _ in reader.problems) else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
