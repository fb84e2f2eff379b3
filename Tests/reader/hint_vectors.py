"""The vectors of hints: what an instance says that a container has."""
import uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sea_values import Bad, Items, item, need
from sea_writer import DATABASE, OTHER, TIME, Instance, Raw, enc, sha

FIELD, LAB = Instance("field"), Instance("lab")
CONTAINER = uuid.UUID("c0ffee00-0000-4000-8000-000000000001")

def read(b, database, container, name, key):
    """The heads of a hint that lies under an instanceID whose chain has that key."""
    try:
        said, end = item(b)
        need(len(b) <= 65536 and len(b) == end + 64 and type(said) is Items and len(said) == 6 and said[0] == "sea heads v1")
        need(all(type(x) is bytes and len(x) == 16 for x in said[1:4]) and type(said[4]) is int and -2**63 <= said[4] < 2**63)
        need(type(said[5]) is Items)
        for one in said[5]:
            need(type(one) is Items and len(one) == 4 and type(one[0]) is bytes and len(one[0]) == 16)
            need(one[1] is None or type(one[1]) is bytes and len(one[1]) == 16)
            need(type(one[2]) is int and 0 <= one[2] < 2**32 - 1 and type(one[3]) is bytes and len(one[3]) == 32)
        places = [(one[0], one[1] is not None, one[1] or b"") for one in said[5]]
        need(places == sorted(set(places)))
    except (Bad, UnicodeDecodeError, RecursionError):
        raise Bad("passed-over")
    need(said[1:4] == [database.bytes, container.bytes, name.bytes] and key, "passed-over")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(b[end:], b[:end])
    except (InvalidSignature, ValueError):
        raise Bad("passed-over")
    return said[5]

def hint(heads=None, said=None, array=None, signer=FIELD, signature=None):
    """What is given replaces the right part."""
    heads = heads if heads is not None else sorted([[FIELD.id.bytes, None, 7, sha(b"a")], [LAB.id.bytes, None, 0, sha(b"b")]])
    parts = [said.get(n, part) if said else part for n, part in enumerate(
        ["sea heads v1", DATABASE.bytes, CONTAINER.bytes, FIELD.id.bytes, TIME, heads])]
    array = array or enc(parts)
    return array + (signature or signer.signer.sign(array))

def cases():
    """name, expect, bytes."""
    head = [FIELD.id.bytes, None, 7, sha(b"a")]
    fork = lambda name: [FIELD.id.bytes, name, 9, sha(b"c")]
    good = hint()
    yield "good", "ok", good
    yield "no-heads", "ok", hint([])
    yield "forks", "ok", hint([head, fork(bytes(15) + b"\1"), fork(b"\xff" * 16)])
    yield "index-largest", "ok", hint([head[:2] + [2**32 - 2, head[3]]])
    yield "time-before-1970", "ok", hint(said={4: -1})
    for name, data in (("empty", b""), ("cut", good[:-1]), ("byte-behind", good + b"\0"), ("array-only", good[:-64]), ("of-5", hint(array=enc([1, 2, 3, 4, 5]))),
                       ("label", hint(said={0: "sea heads v2"})), ("database-text", hint(said={1: str(DATABASE)})), ("container-15", hint(said={2: bytes(15)})),
                       ("instance-17", hint(said={3: bytes(17)})), ("time-double", hint(said={4: 0.5})), ("time-65-bits", hint(said={4: 2**63})),
                       ("heads-map", hint(said={5: {}})), ("heads-of-3", hint([head[:3]])), ("heads-of-5", hint([head + [0]])),
                       ("heads-fork-of-4", hint([fork(bytes(4))])), ("heads-fork-text", hint([fork("0" * 16)])), ("heads-index", hint([head[:2] + [2**32 - 1, head[3]]])),
                       ("heads-short-digest", hint([head[:3] + [bytes(31)]])), ("heads-twice", hint([head, head])), ("heads-fork-twice", hint([fork(bytes(16)), fork(bytes(16))])),
                       ("heads-order", hint(sorted([head, [LAB.id.bytes, None, 0, sha(b"b")]], reverse=True))), ("heads-fork-before-trunk", hint([fork(bytes(16)), head])),
                       ("heads-forks-order", hint([fork(b"\2" + bytes(15)), fork(b"\1" + bytes(15))])), ("longer-head", hint(array=b"\x98\x06" + good[1:-64])),
                       ("other-database", hint(said={1: OTHER.bytes})), ("other-container", hint(said={2: OTHER.bytes})), ("other-instance", hint(said={3: LAB.id.bytes})),
                       ("signature-wrong", hint(signature=bytes(64))), ("signature-of-another", hint(signer=LAB)),
                       ("too-large", hint(sorted([FIELD.id.bytes, n.to_bytes(4, "big"), n, sha(b"a")] for n in range(1200))))):
        yield name, "passed-over", data

def vectors():
    """Path, header lines, bytes."""
    for name, expect, data in cases():
        lines = [("name", name), ("expect", expect), ("database", DATABASE), ("container", CONTAINER), ("instance", FIELD.id), ("key", FIELD.key.hex())]
        yield f"hint/{name}.vec", lines + ([("heads", len(item(data)[0][5]))] if expect == "ok" else []), data

def judge(said, data):
    heads = read(data, *(uuid.UUID(said[k]) for k in ("database", "container", "instance")), bytes.fromhex(said["key"]))
    return {"heads": str(len(heads))}
