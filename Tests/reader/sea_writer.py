"""An independent writer of sea-format(5): deterministic CBOR, instances, blocks, changes. It can also write what is wrong."""
import hashlib, struct, uuid
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sea_header import ROW, covered, data_of, hash_of, removed, row, sha
from sea_seal import epoch_digest

DATABASE = uuid.UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")
OTHER = uuid.UUID("91cc04e7-5d0e-4c3b-9a51-6b1f0d2e7a88")
TIME = 1767225600000  # 2026-01-01T00:00:00Z
SEALED, COMPRESSED, SIGNED, REMOVED, CONTROL, ORDERS = 1, 2, 4, 8, 0x10, 0x20

PROOFS = {}
KEYS = {1: bytes(range(32)), 2: bytes(range(0x60, 0x80))} | {n: hashlib.sha256(b"sea vector epoch %d" % n).digest() for n in range(3, 6)}
FIRST = epoch_digest(KEYS[1], 1)

def named(founder, sealed=False, members=False, recovery=None, flags=None):
    """A databaseID of version 8; its proof is in PROOFS. `sealed` is the digest of the first key, or True for that of the vectors.
    Flags that are given replace the right ones."""
    flags = (1 if sealed else 0) | (2 if members else 0) | (4 if recovery else 0) if flags is None else flags
    proof = founder + bytes([flags]) + sha(b"org.example.notes") + (FIRST if sealed is True else sealed or b"") + (recovery or b"")
    name = uuid8(b"sea database v1", proof)
    PROOFS[name] = proof
    return name

# -- deterministic CBOR

class Raw(bytes):
    """Bytes that stand as they are, to say something wrong."""

class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value

def moment(ms):
    """A date."""
    return Tag(1001, {1: ms // 1000, -3: ms % 1000}) if ms % 1000 else Tag(1, ms // 1000)

def day(text):
    """A day of the calendar."""
    return Tag(1004, text)

def labeled(label, value):
    """A value with a semantic type."""
    return {"$label": label, "$value": value}

def head(major, n):
    for info, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if n < 24:
            return bytes([major << 5 | n])
        if n < 1 << 8 * width:
            return bytes([major << 5 | info]) + n.to_bytes(width, "big")

def enc(v):
    if isinstance(v, Raw):
        return bytes(v)
    if v is None or isinstance(v, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[v]
    if isinstance(v, int):
        if 0 <= v < 2**64 or -2**64 <= v < 0:
            return head(0, v) if v >= 0 else head(1, -1 - v)
        n = v if v >= 0 else -1 - v
        return head(6, 2 if v >= 0 else 3) + enc(n.to_bytes((n.bit_length() + 7) // 8, "big"))
    if isinstance(v, float):
        for lead, form in ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d")):
            try:
                if struct.unpack(form, struct.pack(form, v))[0] == v:
                    return bytes([lead]) + struct.pack(form, v)
            except OverflowError:
                pass
    if isinstance(v, bytes):
        return head(2, len(v)) + v
    if isinstance(v, str):
        return head(3, len(v.encode())) + v.encode()
    if isinstance(v, (list, tuple)):
        return head(4, len(v)) + b"".join(map(enc, v))
    if isinstance(v, dict):
        return head(5, len(v)) + b"".join(k + x for k, x in sorted((enc(k), enc(x)) for k, x in v.items()))
    return head(6, v.number) + enc(v.value)

def raw(private):
    return private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

# -- instances and blocks

class Instance:
    def __init__(self, name, database=DATABASE):
        self.name, self.database = name, database
        self.signer = Ed25519PrivateKey.from_private_bytes(sha(b"sea vector sign ", name.encode()))
        exchange = X25519PrivateKey.from_private_bytes(sha(b"sea vector exchange ", name.encode()))
        self.key, self.exchange = raw(self.signer), raw(exchange)
        self.id = instance_id(self.key)

    def follows(self, predecessor, signer=None, exchange=None, database=None, instance=None):
        """A certificate by the predecessor; what is given is what it says instead of the right thing."""
        said = b"sea successor v1" + (database or self.database).bytes + (instance or self.id).bytes + sha(exchange or self.exchange)
        return [predecessor.key, (signer or predecessor.signer).sign(said)]

    def entry(self, **other):
        return {"control": "instance", "key": self.key, "name": self.name, "exchange": self.exchange} | other

    def genesis(self, *more, items=None, previous=None, **options):
        previous = previous or sha(b"sea chain v1", self.database.bytes, self.key)
        return self.block(items or [self.entry(), *more], None, previous=previous, **options)

    def block(self, items, after, mode=None, size=None, index=None, lamport=None, previous=None, data=None, body=None, rows=None,
              content=None, signature=None, signer=None, database=None, instance=None, heads=(), count=None, compressed=None, **said):
        """One block; every field that is given replaces the right one, and what follows from it is made to fit.

        `heads` are those that it names, each (instance, block), or their bytes, and `count` is their number; `body` is what stands for
        the clear array, `rows` the clear list, `content` both; `compressed` makes frames of the clear array. What else is given goes
        into the clear array."""
        last = after or (-1, 0, None)
        index = last[0] + 1 if index is None else index
        times = [] if isinstance(heads, bytes) else [state(b)[1] for _, b in heads]
        lamport = min(2**32 - 1, 1 + max([last[1], *times])) if lamport is None else lamport
        heads = heads if isinstance(heads, bytes) else b"".join(sorted(row(who.id, state(b)[0], state(b)[2]) for who, b in heads))
        count = len(heads) // ROW if count is None else count
        if mode is None:
            mode = mode_of(items) | (COMPRESSED if compressed else 0) | self.seals
        clear = clear_array(items, **said) if body is None else body
        clear = compressed(clear) if compressed else clear
        rows = clear_list(ordered(items)) if rows is None and mode & ORDERS else rows or b""
        fields = b"SEA" + bytes([mode]) + struct.pack(">IIII", 0, index, lamport, count) + (previous or last[2])
        if content is None:
            content = rows + self.sealed(clear, fields, len(heads) + len(rows), mode)
        size = len(heads) + len(content) + 64 if size is None else size
        fields = fields[:4] + struct.pack(">I", size) + fields[8:]
        if signature is None:
            signature = (signer or self.signer).sign(covered(database or self.database, instance or self.id, fields, heads, sha(content)))
        return fields + (data or data_of(heads, sha(content), signature)) + heads + content + signature

    seals = 0

    def sealed(self, clear, fields, before, mode):
        """What stands for the clear array; in a plain database it does itself."""
        return clear

def mode_of(items):
    """The mode of a plain block with these items."""
    entries = [i for i in items or () if isinstance(i, dict)]
    return SIGNED | (CONTROL if entries else 0) | (ORDERS if any(e.get("control") == "purge" for e in entries) else 0)

def clear_array(items, format=1, needs=(), about=None, label=None, time=TIME):
    return enc([format, list(needs), about or {"time": time} | ({"label": label} if label is not None else {}), items])

def ordered(items):
    """The blocks that purge entries name."""
    def data(v, size):
        return (v.encode() if isinstance(v, str) else v if isinstance(v, bytes) else b"")[:size].ljust(size, b"\0")
    def index(v):
        return v % 2**32 if type(v) is int else 0
    said = [i for i in items or () if isinstance(i, dict) and i.get("control") == "purge"]
    return [(data(i.get("instance"), 16), index(i.get("index")), data(i.get("digest"), 32)) for i in said]

def purge(instance, block, items=(), **other):
    """An order to purge a block with these items; what else is given replaces the right thing."""
    skeleton = [[c[0], c[1], list(rev(c)), c[2], c[3], c[4]] for c in items]
    return {"control": "purge", "instance": instance.id.bytes, "index": state(block)[0], "digest": hash_of(block), "changes": skeleton} | other

def clear_list(blocks):
    """[instanceID, index, hash] as they stand in the clear."""
    rows = sorted({who + struct.pack(">I", index) + hash for who, index, hash in blocks})
    return struct.pack(">I", len(rows)) + b"".join(rows)

def uuid8(*parts):
    return uuid.UUID(int=int.from_bytes(sha(*parts)[:16], "big") & ~(0xF << 76) & ~(3 << 62) | 8 << 76 | 2 << 62)

def instance_id(key):
    return uuid8(b"sea instance v1", key)

def state(block):
    """What the next block has to follow: index, Lamport time, hash."""
    return struct.unpack(">II", block[8:16]) + (hash_of(block),)

def change(id, body, parent=None, type="note", merged=(), kind="put"):
    return [id, type, parent, list(merged), kind, body]

def rev(change):
    return [change[2][0] + 1 if change[2] else 1, sha(b"\x87\x6asea rev v1", *map(enc, change))]

def text(rev):
    return f"{rev[0]}-{rev[1].hex()}"
