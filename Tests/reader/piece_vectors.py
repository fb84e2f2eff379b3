"""The vectors of assets that are verified in pieces. The bytes are the list; the content follows from the header lines."""
from sea_pieces import PIECE, check, digest, in_pieces, ranges, sha
from sea_seal import Bad

def content(size, changed=()):
    """Each byte is the number of its piece, from 0; the bytes at the offsets `changed` have all bits inverted."""
    made = bytearray(b"".join(bytes([first // PIECE]) * (end - first) for first, end in ranges(size)))
    for at in changed:
        made[at] ^= 0xFF
    return bytes(made)

def listed(b):
    return b"".join(sha(b[first:end]) for first, end in ranges(len(b)))

def cases():
    """name, what is expected, size in the record, digest in the record, list, size of the content, its changed bytes."""
    for name, size in (("empty", 0), ("small", 1), ("one-below", PIECE - 1), ("exactly-one-piece", PIECE)):
        yield name, "ok", size, sha(content(size)), b"", size, ()
    yield "exactly-one-piece-changed", "bad-asset", PIECE, sha(content(PIECE)), b"", PIECE, (PIECE - 1,)
    yield "exactly-one-piece-with-digest-of-pieces", "bad-asset", PIECE, digest(PIECE, listed(content(PIECE))), listed(content(PIECE)), PIECE, ()
    for name, size in (("one-above", PIECE + 1), ("two-pieces", 2 * PIECE), ("three-pieces", 2 * PIECE + 5)):
        hashes = listed(content(size))
        yield name, "ok", size, digest(size, hashes), hashes, size, ()
    size = 2 * PIECE + 5
    good = content(size)
    hashes = listed(good)
    said = digest(size, hashes)
    for name, changed in (("first-byte", [0]), ("last-byte-of-first-piece", [PIECE - 1]), ("first-byte-of-second-piece", [PIECE]), ("last-byte", [size - 1]),
                          ("first-and-last-piece", [7, size - 2]), ("neighbors", [3, PIECE + 3]), ("all-pieces", [1, PIECE, 2 * PIECE])):
        yield f"changed-{name}", "bad-asset", size, said, hashes, size, changed
    other = listed(content(size, [5]))
    wrong = (("empty", b""), ("bit", hashes[:-1] + bytes([hashes[-1] ^ 1])), ("short", hashes[:-32]), ("one-byte-short", hashes[:-1]), ("long", hashes + sha(b"")),
             ("one-byte-long", hashes + b"\0"), ("swapped", hashes[32:64] + hashes[:32] + hashes[64:]), ("of-another-asset", other),
             ("of-a-shorter-asset", listed(content(size - 1))), ("text", hashes.hex().encode()))
    for name, b in wrong:
        yield f"list-{name}", "ok", size, said, b, size, ()
    yield "list-of-changed-content", "bad-asset", size, said, other, size, (5,)
    yield "list-missing-and-changed", "bad-asset", size, said, b"", size, (5,)
    yield "content-short", "bad-asset", size, said, hashes, size - 1, ()
    yield "content-long", "bad-asset", size, said, hashes, size + 1, ()
    yield "content-one-piece-short", "bad-asset", size, said, hashes, 2 * PIECE, ()
    for name, root in (("without-label", sha(size.to_bytes(8, "big") + hashes)), ("without-size", sha(b"sea pieces v1" + hashes)),
                       ("size-least-byte-first", sha(b"sea pieces v1" + size.to_bytes(8, "little") + hashes)), ("of-list", sha(hashes)), ("of-content", sha(good)),
                       ("of-another-size", digest(size - 1, hashes))):
        yield f"digest-{name}", "bad-asset", size, root, hashes, size, ()

def judge(said, data):
    size, root = int(said["size"]), bytes.fromhex(said["digest"])
    changed = [int(n) for n in said["changed"].split(", ")] if "changed" in said else ()
    right, good, bad = check(size, root, data, content(int(said["content"]), changed))
    result = {"list": "right" if right else "wrong"} if in_pieces(size) else {}
    if bad:
        result["bad"] = ", ".join(f"{first}-{end - 1}" for first, end in bad)
    if not good:
        result["expect"] = "bad-asset"
    return result

def vectors():
    for name, expect, size, root, hashes, has, changed in cases():
        lines = [("name", name), ("expect", expect), ("size", size), ("digest", root.hex()), ("content", has)]
        lines += [("changed", ", ".join(map(str, changed)))] if changed else []
        right, good, bad = check(size, root, hashes, content(has, changed))
        assert good == (expect == "ok"), name
        lines += [("list", "right" if right else "wrong")] if in_pieces(size) else []
        lines += [("bad", ", ".join(f"{first}-{end - 1}" for first, end in bad))] if bad else []
        yield f"pieces/{name}.vec", lines, hashes
