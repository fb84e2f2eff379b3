"""Names and keys as sea-format(5) says: keys that are refused, databaseIDs and their proofs, certificates, join requests, words."""
import hashlib, hmac, json, os, re, struct, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sea_values import Bad, Items, control, item, need

P = 2**255 - 19
Y8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826  # of the points of order 8
U8 = (0x00B8495F16056286FDB1329CEB8D09DA6AC49FF1FAE35616AEB8413B7C7AEBE0, 0x57119FD0DD4E22D8868E1C58C45C44045BEF839C55B1D0B1248C50A3BC959C5F)
SEALED, MEMBERS, RECOVERY = 1, 2, 4

def uuid8(*parts):
    b = bytearray(hashlib.sha256(b"".join(parts)).digest()[:16])
    b[6], b[8] = b[6] & 0x0F | 0x80, b[8] & 0x3F | 0x80
    return uuid.UUID(bytes=bytes(b))

def acceptable(key):
    """Whether an Ed25519 key is canonical and not of low order."""
    y = int.from_bytes(key, "little") & 2**255 - 1
    return y < P and y not in (0, 1, P - 1, Y8, P - Y8)

def exchangeable(key):
    """The same of an X25519 key."""
    u = int.from_bytes(key, "little")
    return u < P and u not in (0, 1, P - 1, *U8)

def instance_id(key):
    return uuid8(b"sea instance v1", key)

def verified(key, signature, covered):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, covered)
    except (InvalidSignature, ValueError):
        return False
    return True

class Proof:
    """What a databaseID of version 8 is the digest of."""

    def __init__(self, founder, kind, flags=0, first=None, recovery=None):
        """`kind` is the digest of the content type, `first` that of the first epoch key, in a sealed database."""
        self.founder, self.kind, self.flags, self.first, self.recovery = founder, kind, flags, first, recovery
        self.bytes = founder + bytes([flags]) + kind + (first or b"") + (recovery or b"")
        self.database = uuid8(b"sea database v1", self.bytes)

    def right(self):
        keys = [self.founder] + [self.recovery] * (self.recovery is not None)
        return (self.flags < 8 and (not self.flags & RECOVERY or self.flags & MEMBERS) and bool(self.flags & RECOVERY) == (self.recovery is not None)
                and bool(self.flags & SEALED) == (self.first is not None) and all(len(key) == 32 and acceptable(key) for key in keys) and len(set(keys)) == len(keys))

    @property
    def sealed(self):
        return self.flags & SEALED

def read_proof(b, database):
    """The proof of a database; None stands for a name of version 4, which has none."""
    if database.version == 4 and database.variant == uuid.RFC_4122:
        need(b is None, "no-proof")
        return None
    need(b is not None and len(b) >= 65, "no-proof")
    sealed, recovery = b[32] & SEALED, b[32] & RECOVERY
    need(len(b) == 65 + 32 * bool(sealed) + 32 * bool(recovery), "no-proof")
    proof = Proof(b[:32], b[33:65], b[32], b[65:97] if sealed else None, b[-32:] if recovery else None)
    need(proof.right() and proof.database == database, "no-proof")
    return proof

LONGEST_INFO, DEEPEST_INFO = 65_536, 32

def info_object(text):
    """The object in an info.json; `bad-info` if it is not what sea-format(5) allows, `incompatible` if it is of another format."""
    def pairs(found):
        need(len({k for k, _ in found}) == len(found), "bad-info")
        return dict(found)
    def depth(value):
        return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0) if isinstance(value, (dict, list)) else 0
    need(len(text.encode()) <= LONGEST_INFO and not text.startswith("\ufeff"), "bad-info")
    try:
        said = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda _: need(False, "bad-info"))
    except (ValueError, RecursionError):
        raise Bad("bad-info")
    need(type(said) is dict and depth(said) <= DEEPEST_INFO, "bad-info")
    need(type(said.get("sea")) is int, "bad-info")
    need(said["sea"] == 4, "incompatible")
    need(all(type(said.get(k)) is str for k in ("containerID", "databaseID", "contentType")) and re.fullmatch(UUID, said["containerID"]), "bad-info")
    return said

UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

def read_info(text):
    """The databaseID of an info.json, and its proof."""
    said = info_object(text)
    there = {k for k in ("founder", "sealed", "members", "recovery") if k in said}
    need(re.fullmatch(UUID, said["databaseID"]), "no-proof")
    database = uuid.UUID(said["databaseID"])
    if not there:
        return database, read_proof(None, database)
    need("founder" in there and said.get("members", True) is True, "no-proof")
    need(all(type(said[k]) is str and re.fullmatch("[0-9a-f]{64}", said[k]) for k in there - {"members"}), "no-proof")
    flags = sum(flag for key, flag in (("sealed", SEALED), ("members", MEMBERS), ("recovery", RECOVERY)) if key in there)
    kind = hashlib.sha256(said["contentType"].encode()).digest()
    return database, read_proof(bytes.fromhex(said["founder"]) + bytes([flags]) + kind + bytes.fromhex(said.get("sealed", "") + said.get("recovery", "")), database)

def certified(database, instance, exchange, follows):
    """Whether a certificate [key of the predecessor, signature] is one for this instance."""
    key, signature = follows
    covered = b"sea successor v1" + database.bytes + instance.bytes + hashlib.sha256(exchange).digest()
    return acceptable(key) and instance_id(key) != instance and verified(key, signature, covered)

# -- join requests and words

def join_request(b, database, name):
    """The Ed25519 and the X25519 key of a request that lies under an instanceID, and what the instance is called."""
    need(len(b) <= 65536, "bad-request")
    try:
        said, end = item(b)
    except (Bad, UnicodeDecodeError, RecursionError):
        raise Bad("bad-request")
    need(type(said) is Items and len(said) == 5 and said[0] == "sea join v1" and type(said[4]) is str, "bad-request")
    need([type(x) for x in said[1:4]] == [bytes] * 3 and [len(x) for x in said[1:4]] == [16, 32, 32], "bad-request")
    need(len(b) == end + 64 and len(said[4].encode()) <= 255 and not control(said[4]), "bad-request")
    need(acceptable(said[2]) and exchangeable(said[3]) and instance_id(said[2]) == name, "bad-key")
    need(said[1] == database.bytes, "other-database")
    need(verified(said[2], b[end:], b[:end]), "bad-signature")
    return said[2], said[3], said[4]

def word_list():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt"), encoding="ascii") as file:
        return file.read().split()

def words_of(b, count):
    """The first so many words of bytes, each of 11 bits, the most significant bit first."""
    known, n = word_list(), int.from_bytes(b, "big") >> 8 * len(b) - 11 * count
    return [known[n >> 11 * (count - 1 - k) & 2047] for k in range(count)]

def words(key, exchange):
    """The eight fingerprint words of two keys."""
    return words_of(hashlib.sha256(b"sea words v1" + key + exchange).digest(), 8)

def recovery_words(seed):
    return words_of(seed + hashlib.sha256(seed).digest()[:1], 24)

def recovery_seed(text):
    """The seed that 24 words stand for; of a word four letters suffice."""
    known = {word[:4]: n for n, word in enumerate(word_list())}
    full, said = set(word_list()), text.lower().split()
    need(len(said) == 24 and all(word[:4] in known and (word in full or word_list()[known[word[:4]]].startswith(word)) for word in said), "bad-words")
    n = 0
    for word in said:
        n = n << 11 | known[word[:4]]
    b = n.to_bytes(33, "big")
    need(hashlib.sha256(b[:32]).digest()[:1] == b[32:], "bad-words")
    return b[:32]

def recovery_exchange(seed):
    """The private X25519 key of recovery: HKDF-SHA256 without salt."""
    prk = hmac.digest(bytes(32), seed, "sha256")
    return hmac.digest(prk, b"sea recovery exchange v1" + b"\1", "sha256")
