"""The vectors of single blocks: good ones, and one for each way to be refused."""
import struct, uuid
import sea_frames
from sea_frames import PIECE, stored
from sea_header import BEFORE_DATA, DATA, HEADER, MOST_PAYLOAD, ROW, SIGNATURE, content, row, with_data
from sea_writer import *

FIELD, LAB, OWL = Instance("field"), Instance("lab"), Instance("owl")
GENESIS = FIELD.genesis()
AFTER = state(GENESIS)
ONE = change("note/1", {"text": "hello", "n": 64})
BIRD = change("bird/1", {"name": "Upupa epops", "count": {"$counter": {FIELD.id.bytes: [2, 0]}}}, type="sighting")

def follower(*items, **options):
    """A block behind the genesis block of `field`."""
    return FIELD.block(list(items) or [ONE], AFTER, **options)

def flip(b, at, bit=1):
    return b[:at] + bytes([b[at] ^ bit]) + b[at + 1:]

def body(**properties):
    return follower(change("note/1", properties))

def values():
    """Bodies that say one thing wrong."""
    yield "integer-not-shortest", {"n": Raw(b"\x18\x17")}
    yield "length-not-shortest", {"n": Raw(b"\x78\x01a")}
    yield "indefinite-string", {"n": Raw(b"\x7f\x61a\xff")}
    yield "indefinite-array", {"n": Raw(b"\x9f\x01\xff")}
    yield "reserved-length", {"n": Raw(b"\x1c")}
    yield "simple-undefined", {"n": Raw(b"\xf7")}
    yield "simple-two-bytes", {"n": Raw(b"\xf8\xff")}
    yield "not-utf8", {"n": Raw(b"\x62\xc3\x28")}
    yield "surrogate", {"n": Raw(b"\x63\xed\xa0\x80")}
    yield "overlong-utf8", {"n": Raw(b"\x62\xc0\x80")}
    yield "double-not-shortest", {"n": Raw(b"\xfb" + struct.pack(">d", 1.5))}
    yield "double-whole", {"n": Raw(b"\xf9\x3c\x00")}
    yield "double-whole-63-bits", {"n": Raw(b"\xfa" + struct.pack(">f", 2.0**63))}
    yield "double-minus-zero", {"n": Raw(b"\xf9\x80\x00")}
    yield "double-nan", {"n": Raw(b"\xf9\x7e\x00")}
    yield "double-infinity", {"n": Raw(b"\xf9\x7c\x00")}
    yield "bignum-small", {"n": Tag(2, b"\xff" * 8)}
    yield "bignum-leading-zero", {"n": Tag(2, b"\x00" + b"\xff" * 9)}
    yield "bignum-1025-bytes", {"n": Tag(3, b"\xff" * 1025)}
    yield "decimal-one-item", {"n": Tag(4, [1])}
    yield "decimal-exponent", {"n": Tag(4, [10001, 1])}
    yield "decimal-mantissa-double", {"n": Tag(4, [0, 1.5])}
    yield "date-whole-double", {"n": Tag(1, Raw(b"\xf9\x3c\x00"))}
    yield "date-double", {"n": Tag(1, 1772323200.5)}
    yield "date-year-10000", {"n": Tag(1, 253402300800)}
    yield "date-year-0", {"n": Tag(1, -62135596801)}
    yield "date-bignum", {"n": Tag(1, 2**64)}
    yield "date-text", {"n": Tag(1, "2026-01-01")}
    yield "date-tag-longer", {"n": Raw(b"\xd8\x01\x00")}
    yield "date-1001-tag-longer", {"n": Raw(b"\xda\x00\x00\x03\xe9" + enc({1: 0, -3: 1}))}
    for name, said in (("integer", 0), ("array", [1, 2]), ("empty", {}), ("without-milliseconds", {1: 0}), ("without-seconds", {-3: 1}),
                       ("milliseconds-0", {1: 0, -3: 0}), ("milliseconds-1000", {1: 0, -3: 1000}), ("milliseconds-negative", {1: 0, -3: -1}),
                       ("milliseconds-double", {1: 0, -3: 0.5}), ("milliseconds-boolean", {1: 0, -3: True}), ("milliseconds-bignum", {1: 0, -3: 2**64}),
                       ("seconds-double", {1: 0.5, -3: 1}), ("seconds-text", {1: "0", -3: 1}), ("seconds-bignum", {1: 2**64, -3: 1}),
                       ("seconds-decimal", {1: Tag(4, [0, 1]), -3: 1}), ("year-10000", {1: 253402300800, -3: 1}), ("year-0", {1: -62135596801, -3: 999}),
                       ("microseconds", {1: 0, -6: 1000}), ("microseconds-besides", {1: 0, -3: 1, -6: 1}), ("zone-besides", {1: 0, -3: 1, -10: 0}),
                       ("text-keys", {"1": 0, "-3": 1}), ("order", Raw(b"\xa2\x22\x01\x01\x00")), ("twice", Raw(b"\xa3\x01\x00\x01\x00\x22\x01")),
                       ("indefinite", Raw(b"\xbf\x01\x00\x22\x01\xff")), ("key-longer", Raw(b"\xa2\x18\x01\x00\x22\x01"))):
        yield "date-1001-" + name, {"n": Tag(1001, said)}
    for name, said in (("of-integer", 0), ("of-data", b"1927-01-26"), ("february-30", "1927-02-30"), ("february-29-of-1900", "1900-02-29"), ("april-31", "2026-04-31"),
                       ("month-0", "2026-00-01"), ("month-13", "2026-13-01"), ("day-0", "2026-01-00"), ("year-0", "0000-01-01"), ("year-negative", "-001-01-01"),
                       ("year-10000", "10000-01-01"), ("short", "2026-1-1"), ("basic", "20260101"), ("slashes", "2026/01/01"), ("week", "2026-W01-1"),
                       ("with-time", "2026-01-01T00:00:00Z"), ("with-zone", "2026-01-01Z"), ("blank-after", "2026-01-01 "), ("blank-in", "2026-01- 1"),
                       ("other-digits", "2026-01-0\u0661"), ("empty", "")):
        yield "day-" + name, {"n": Tag(1004, said)}
    yield "day-tag-100", {"n": Tag(100, -15681)}
    yield "day-tag-longer", {"n": Raw(b"\xda\x00\x00\x03\xec" + enc("1927-01-26"))}
    yield "day-length-longer", {"n": Raw(b"\xd9\x03\xec\x78\x0a1927-01-26")}
    yield "day-indefinite", {"n": Raw(b"\xd9\x03\xec\x7f\x6a1927-01-26\xff")}
    yield "day-as-map", {"n": {"$day": "1927-01-26"}}
    yield "date-1002", {"n": Tag(1002, {1: 0, -3: 1})}
    yield "tag-unknown", {"n": Tag(32, "http://example.org")}
    yield "map-order", Raw(b"\xa2\x61b\x01\x61a\x02")
    yield "map-longer-key-first", Raw(b"\xa2\x62aa\x01\x61b\x02")
    yield "map-duplicate-key", Raw(b"\xa2\x61a\x01\x61a\x02")
    yield "map-integer-key", {"n": Raw(b"\xa1\x01\x02")}
    yield "body-array", []
    yield "property-null", {"n": None}
    yield "property-empty-name", {"": 1}
    yield "property-underscore", {"_n": 1}
    yield "property-dollar", {"$n": 1}
    yield "property-control-character", {"a\nb": 1}
    yield "property-name-1025-bytes", {"n" * 1025: 1}
    yield "reserved-unknown", {"n": {"$what": 1}}
    yield "reserved-beside-others", {"n": {"$n": 1, "m": 2}}
    yield "dict-needless", {"n": {"$dict": {"m": 1}}}
    yield "dict-empty", {"n": {"$dict": {}}}
    yield "reference-number", {"n": {"$ref": 1}}
    yield "reference-extra-key", {"n": {"$ref": "a", "b": 1}}
    yield "asset-without-size", {"n": {"$asset": f"{FIELD.id}/0", "mime": "image/jpeg", "sha256": bytes(32)}}
    yield "asset-short-digest", {"n": {"$asset": f"{FIELD.id}/0", "mime": "a/b", "size": 1, "sha256": bytes(31)}}
    for name, place, size in (("parts-of-small", "0-1", 2**24), ("parts-of-empty", "3-9", 0), ("one-file-of-large", "0", 2**24 + 1),
                              ("no-list", "0", 2**30), ("no-list-of-two", "0-1", 2**31), ("parts-too-few", "0-2", 2**31 + 1), ("parts-too-many", "0-3", 2**31),
                              ("size-2-44-and-one", "0-16385", 2**44 + 1), ("last-33-bits", f"{2**32 - 1}-{2**32}", 2**30), ("last-is-first", "7-7", 1),
                              ("last-is-first-of-large", "7-7", 2**24 + 1), ("backwards", "8-7", 2**31)):
        yield f"asset-{name}", {"n": asset_of(place, size)}
    yield "asset-large-with-sha256", {"n": asset_of("0-1", 2**24 + 1, "sha256")}
    yield "asset-small-with-pieces", {"n": asset_of("0", 2**24, "pieces")}
    yield "asset-empty-with-pieces", {"n": asset_of("0", 0, "pieces")}
    yield "asset-large-with-both", {"n": asset_of("0-1", 2**24 + 1) | {"sha256": bytes(32)}}
    yield "asset-small-with-both", {"n": asset_of("0", 1) | {"pieces": bytes(32)}}
    yield "asset-large-with-neither", {"n": {"$asset": f"{FIELD.id}/0-1", "mime": "a/b", "size": 2**24 + 1}}
    yield "asset-pieces-of-31", {"n": asset_of("0-1", 2**24 + 1) | {"pieces": bytes(31)}}
    yield "asset-pieces-list", {"n": asset_of("0-1", 2**24 + 1) | {"pieces": bytes(64)}}
    yield "asset-pieces-text", {"n": asset_of("0-1", 2**24 + 1) | {"pieces": "00" * 32}}
    for name, value in (("null", None), ("dictionary", {}), ("dollar-dictionary", {"$dict": {"$a": 1}}), ("counter", {"$counter": {}}),
                        ("set", {"$set": []}), ("labeled", labeled("b", 1)), ("counter-in-array", [[{"$counter": {}}]]), ("set-in-array", [{"m": {"$set": []}}]),
                        ("counter-in-labeled", [labeled("b", [{"$counter": {}}])])):
        yield f"label-of-{name}", {"n": labeled("a", value)}
    for name, text in (("empty", ""), ("256-bytes", "a" * 256), ("control-character", "a\n"), ("c1-control-character", "a\u0085"), ("integer", 1),
                       ("data", b"a"), ("null", None)):
        yield f"label-{name}", {"n": labeled(text, 1)}
    yield "label-without-value", {"n": {"$label": "a"}}
    yield "label-only-value", {"n": {"$value": 1}}
    yield "label-extra-key", {"n": labeled("a", 1) | {"b": 1}}
    yield "label-extra-dollar-key", {"n": labeled("a", 1) | {"$b": 1}}
    yield "label-order", {"n": Raw(b"\xa2" + enc("$value") + enc(1) + enc("$label") + enc("a"))}
    yield "label-of-property", labeled("a", 1)
    yield "counter-in-array-in-set", {"n": {"$set": [[[{"$counter": {}}], [b""]]]}}
    yield "dict-in-dict-without-its-own", {"n": {"$dict": {"$a": {"$b": 1}}}}
    yield "counter-zero-pair", {"n": {"$counter": {FIELD.id.bytes: [0, 0]}}}
    yield "counter-short-instance", {"n": {"$counter": {bytes(15): [1, 0]}}}
    yield "counter-negative", {"n": {"$counter": {bytes(16): [-1, 0]}}}
    yield "set-order", {"n": {"$set": [[2, [b""]], [1, [b""]]]}}
    yield "set-duplicate", {"n": {"$set": [[1, [b""]], [1, [b""]]]}}
    yield "set-no-tag", {"n": {"$set": [[1, []]]}}
    yield "set-short-tag", {"n": {"$set": [[1, [bytes(31)]]]}}
    yield "set-tag-order", {"n": {"$set": [[1, [b"\x01" * 32, b""]]]}}
    yield "reference-id", {"n": {"$ref": "a b"}}
    yield "reference-empty-kind", {"n": {"$ref": "a", "as": ""}}
    yield "asset-place", {"n": {"$asset": f"{FIELD.id}/017", "mime": "a/b", "size": 1, "sha256": bytes(32)}}
    yield "asset-negative-size", {"n": {"$asset": f"{FIELD.id}/0", "mime": "a/b", "size": -1, "sha256": bytes(32)}}
    yield "counter-in-set", {"n": {"$set": [[{"$counter": {}}, [b""]]]}}
    yield "nesting-through-dict", {"n": nested(125, {"$dict": {"$": [1]}})}
    yield "set-in-set", {"n": {"$set": [[{"$set": []}, [b""]]]}}
    yield "nesting-129", {"n": nested(128)}
    yield "nesting-129-date", {"n": nested(127, Tag(1, 0))}
    yield "nesting-129-day", {"n": nested(127, day("2026-03-01"))}
    yield "nesting-129-counter", {"n": nested(126, {"$counter": {}})}
    yield "nesting-129-label", {"n": nested(127, labeled("a", 1))}
    yield "nesting-129-date-in-label", {"n": nested(126, labeled("a", Tag(1, 0)))}
    yield "nesting-129-set", {"n": nested(126, {"$set": []})}
    yield "nesting-129-element", {"n": nested(125, {"$set": [[Tag(1, 0), [b""]]]})}

def nested(levels, inmost=()):
    return [nested(levels - 1, inmost)] if levels > 1 else [inmost] if inmost else []

def changes():
    """Changes that say one thing wrong."""
    good = ["note/1", "note", None, [], "put", {"n": 1}]
    a, b = [1, sha(b"a")], [1, sha(b"b")]
    a, b = sorted([a, b])
    def but(at, value):
        return good[:at] + [value] + good[at + 1:]
    yield "change-of-five", good[:5]
    yield "change-of-seven", good + [None]
    yield "item-integer", 1
    for name, id in (("empty", ""), ("space", "a b"), ("no-break-space", "a\u00a0b"), ("control-character", "a\x07"),
                     ("c1-control-character", "a\u0085"), ("minus", "-a"), ("underscore", "_a"), ("256-bytes", "a" * 256)):
        yield "id-" + name, but(0, id)
    yield "id-data", but(0, b"a")
    yield "type-empty", but(1, "")
    yield "type-space", but(1, "a b")
    yield "parent-depth-0", but(2, [0, sha(b"a")])
    yield "parent-depth-full", but(2, [2**32 - 1, sha(b"a")])
    yield "parent-short-digest", but(2, [1, bytes(31)])
    yield "parent-text", but(2, "1-" + "0" * 64)
    yield "merged-order", but(3, [b, a])
    yield "merged-twice", but(3, [a, a])
    yield "merged-parent", ["note/1", "note", a, [a, b], "put", {"n": 1}]
    yield "merged-65", but(3, sorted([1, sha(bytes([n]))] for n in range(65)))
    yield "merged-null", but(3, None)
    yield "kind-unknown", but(4, "move")
    yield "put-without-body", but(5, None)
    yield "delete-with-body", but(4, "delete")
    yield "resolved-with-body", but(4, "resolved")

def about(**more):
    return {"time": TIME} | more

def array(items=(ONE,), **said):
    """The four of a clear array."""
    return [said.get("format", 1), list(said.get("needs", ())), said.get("about", about()), list(items)]

def levels(count, inmost=1):
    """Plain CBOR of that many levels."""
    return [levels(count - 1, inmost)] if count > 1 else inmost

HEAD = row(LAB.id, 0, sha(b"x"))
JUNK = Raw(b"\xff\x00\xc1")

def doors():
    """Clear arrays that a reader of this version does not look into, or not all of it."""
    yield "format-2", enc([2])
    yield "format-2-and-more", enc(array(format=2))
    yield "format-0", enc([0, "what", [1, {}]])
    yield "format-negative", enc([-1])
    yield "format-largest", enc([2**63 - 1])
    yield "format-smallest", enc([-2**63])
    yield "format-2-and-junk", b"\x86" + enc(2) + JUNK
    yield "format-2-and-count-too-great", b"\x9b" + b"\xff" * 8 + enc(2)
    yield "needs-unknown", enc(array(needs=["later"]))
    yield "needs-16-of-64-bytes", enc(array(needs=[f"{n:064}" for n in range(16)]))
    yield "needs-order-by-length", enc(array(needs=["b", "aa"]))
    yield "needs-and-junk", b"\x84" + enc(1) + enc(["later"]) + JUNK
    yield "needs-and-end", b"\x84" + enc(1) + enc(["later"])

def payloads():
    """Clear arrays that say one thing wrong."""
    good = array()
    four = lambda *parts: b"\x84" + b"".join(map(enc, parts))
    yield "payload-map", enc({"time": TIME, "changes": [ONE]})
    yield "payload-empty-array", enc([])
    yield "payload-text", enc("SEA")
    yield "payload-of-3", enc(good[:3])
    yield "payload-of-5", enc(good + [None])
    yield "payload-trailing-byte", enc(good) + b"\x00"
    yield "payload-cut", enc(good)[:-1]
    yield "payload-longer-head", b"\x98\x04" + enc(good)[1:]
    yield "payload-indefinite", b"\x9f" + enc(good)[1:] + b"\xff"
    yield "payload-count-too-great", b"\x9b" + b"\xff" * 8 + enc(good)[1:]
    for name, format in (("text", "1"), ("null", None), ("double", 1.5), ("64-bits", 2**63), ("64-bits-negative", -2**63 - 1), ("bignum", Raw(b"\xc2\x41\x02")),
                         ("longer", Raw(b"\x18\x02")), ("cut", Raw(b"\x19\x02")), ("array", [])):
        yield f"format-{name}", enc([format]) if name != "cut" else enc([format])[:2]
    for name, needs in (("map", {}), ("null", None), ("text", "later"), ("of-integer", [1]), ("of-data", [b"later"]), ("empty-text", [""]), ("65-bytes", ["n" * 65]),
                        ("17", [f"{n:02}" for n in range(17)]), ("order", ["b", "a"]), ("order-by-bytes", ["aa", "b"]), ("twice", ["a", "a"]),
                        ("not-utf8", [Raw(b"\x61\xff")]), ("count-too-great", Raw(b"\x9b" + b"\xff" * 8))):
        yield f"needs-{name}", four(1, needs, about(), [ONE])
    yield "needs-unknown-of-5", b"\x85" + enc(1) + enc(["later"]) + JUNK
    for name, said in (("array", [TIME]), ("null", None), ("empty", {}), ("without-time", {"label": "x"}), ("17-keys", about(**{f"k{n:02}": n for n in range(16)})),
                       ("time-double", {"time": 0.5}), ("time-bignum", {"time": 2**63}), ("time-text", {"time": "now"}), ("time-null", {"time": None}),
                       ("label-1025-bytes", about(label="x" * 1025)), ("label-null", about(label=None)), ("label-data", about(label=b"x")),
                       ("integer-key", {"time": TIME, 1: 1}), ("data-key", {"time": TIME, b"k": 1}), ("order", Raw(b"\xa2" + enc("time") + enc(TIME) + enc("k") + enc(1))),
                       ("twice", Raw(b"\xa2" + (enc("time") + enc(TIME)) * 2)), ("more-double", about(more=0.5)), ("more-tag", about(more=Tag(1, 0))),
                       ("more-undefined", about(more=Raw(b"\xf7"))), ("more-bignum", about(more=2**64)), ("more-9-levels", about(more=levels(9))),
                       ("more-9-levels-empty", about(more=levels(9, []))), ("more-longer-head", about(more=Raw(b"\x18\x01"))),
                       ("more-indefinite", about(more=Raw(b"\x9f\xff"))), ("more-not-utf8", about(more=Raw(b"\x61\xff"))),
                       ("more-9-levels-key", about(more=levels(8, Raw(b"\xa1\x01\x01")))), ("more-count-too-great", about(more=Raw(b"\xbb" + b"\xff" * 8)))):
        yield f"about-{name}", four(1, [], said, [ONE])
    for name, items in (("map", {}), ("null", None), ("none", []), ("count-too-great", Raw(b"\x9b" + b"\xff" * 8)), ("count-of-32-bits", Raw(b"\x9a\xff\xff\xff\xff"))):
        yield f"items-{name}", four(1, [], about(), items)

def unknown_entries():
    """Control entries that only a newer program knows."""
    yield "control-unknown", {"control": "future", "what": [1, 2]}
    yield "control-unknown-alone", {"control": "future"}
    yield "control-empty-name", {"control": ""}
    yield "control-end", {"control": "end", "successor": None}
    yield "control-heads", {"control": "heads", "heads": [[LAB.id.bytes, 0, sha(b"x")]]}
    yield "control-unknown-16-keys", {"control": "future"} | {f"k{n:02}": n for n in range(15)}
    yield "control-unknown-plain", {"control": "future", "a": -2**64, "b": 2**64 - 1, "c": b"x", "d": "\u00e9", "e": [True, False, None], "f": levels(8), "g": {b"k": {1: [-1]}}}
    yield "control-unknown-map-in-any-order", {"control": "future", "a": Raw(b"\xa3" + enc("b") + enc(1) + enc("a") + enc(2) + enc([1]) + enc({}))}
    yield "control-unknown-map-of-any-keys", {"control": "future", "a": Raw(b"\xa4" + enc(None) + enc(1) + enc(-1) + enc(2) + enc({}) + enc(1) + enc(True) + enc(0))}

def entries():
    """Control entries that say one thing wrong."""
    yield "control-without-name", {"heads": []}
    yield "control-name-integer", {"control": 1}
    yield "control-name-data", {"control": b"future"}
    yield "control-empty-map", {}
    yield "control-second-instance", FIELD.entry()
    yield "control-unknown-17-keys", {"control": "future"} | {f"k{n:02}": n for n in range(16)}
    yield "control-unknown-data-key", {"control": "future", b"k": 1}
    yield "control-unknown-integer-key", {"control": "future", 1: 1}
    yield "control-unknown-order", Raw(b"\xa2" + enc("control") + enc("future") + enc("k") + enc(1))
    yield "control-unknown-twice", Raw(b"\xa3" + (enc("k") + enc(1)) * 2 + enc("control") + enc("future"))
    for name, value in (("double", 0.5), ("tag", Tag(1, 0)), ("undefined", Raw(b"\xf7")), ("bignum", 2**64), ("9-levels", levels(9)), ("9-levels-empty", levels(9, {})),
                        ("9-levels-key", levels(8, Raw(b"\xa1\x01\x01"))), ("longer-head", Raw(b"\x18\x01")), ("indefinite", Raw(b"\xbf\xff")), ("not-utf8", Raw(b"\x61\xff"))):
        yield f"control-unknown-{name}", {"control": "future", "what": value}
    yield "shared-without-value", {"control": "shared", "key": "core.abbrev"}
    yield "shared-key-1025-bytes", {"control": "shared", "key": "k" * 1025, "value": "v"}
    yield "shared-value-65537-bytes", {"control": "shared", "key": "k", "value": "v" * 65537}
    yield "shared-value-integer", {"control": "shared", "key": "core.abbrev", "value": 8}

FRAME = bytes.fromhex("28b52ffd6006002d0200b403840180a26474696d651b0000019b76daa800656c6162656c78c8788186666e6f74652f3164f68063707574a2616e184064746578746568656c6c6f02002a019a488131")

def frames():
    """Compressed bodies: name, expect, body."""
    def padded(size):
        """A clear array of that many bytes, whose label makes it so."""
        rest = len(clear_array([ONE], about=about(more=[b"x" * 4096, b""])))
        return clear_array([ONE], about=about(more=[b"x" * (size - rest + 4096), b""]))
    clear = clear_array([ONE], label="x" * 200)
    full = padded(PIECE)
    assert len(full) == PIECE
    long = padded(PIECE + 1)
    yield "stored", "ok", stored(clear)
    yield "coded", "ok", FRAME
    yield "two-blocks", "ok", sea_frames.MAGIC + b"\x60" + (len(clear) - 256).to_bytes(2, "little") + struct.pack("<I", 10 << 3)[:3] + clear[:10] \
        + struct.pack("<I", len(clear) - 10 << 3 | 1)[:3] + clear[10:]
    yield "empty-last-block", "ok", stored(clear, last=0) + b"\1\0\0"
    yield "run-inside", "ok", run_inside(full)
    yield "two-frames", "ok", run_inside(long[:PIECE]) + stored(long[PIECE:])
    yield "content-size-of-8-bytes", "ok", stored(clear, 0x20 | 0xC0)
    yield "unused-bit", "ok", stored(clear, 0xB0)
    yield "not-compressed", "bad-payload", clear
    yield "skippable-before", "bad-payload", b"\x50\x2a\x4d\x18\4\0\0\0skip" + stored(clear)
    yield "skippable-behind", "bad-payload", stored(clear) + b"\x50\x2a\x4d\x18\4\0\0\0skip"
    yield "byte-behind", "bad-payload", stored(clear) + b"\0"
    yield "dictionary", "bad-payload", stored(clear, 0xA1, b"\1")
    yield "checksum", "bad-payload", stored(clear, 0xA4, tail=bytes(4))
    yield "reserved-bit", "bad-payload", stored(clear, 0xA8)
    yield "no-content-size", "bad-payload", sea_frames.MAGIC + b"\x00\x38" + stored(clear)[9:]
    yield "window-128-kib", "bad-payload", stored(clear, 0x80, b"\x38")
    yield "window-1-kib", "bad-payload", stored(clear, 0x80, b"\x00")
    yield "window-64-mib", "bad-payload", stored(clear, 0x80, b"\x80")
    yield "block-larger-than-content", "bad-payload", stored(clear, size=len(clear) - 2)
    yield "run-larger-than-content", "bad-payload", stored(b"x" * 300, size=299)
    yield "first-block-larger-than-content", "bad-payload", sea_frames.MAGIC + b"\xa0" + struct.pack("<I", len(clear)) + struct.pack("<I", len(clear) + 1 << 3)[:3] + clear + b"x" + b"\1\0\0"
    yield "frame-of-128-kib", "bad-payload", stored(padded(131_072))
    yield "frame-too-large", "bad-payload", run_inside(long)
    yield "first-frame-short", "bad-payload", stored(clear[:100]) + stored(clear[100:])
    yield "content-size-too-great", "bad-payload", stored(clear, size=len(clear) + 1)
    yield "content-size-too-small", "bad-payload", stored(clear, size=len(clear) - 1)
    yield "last-frame-empty", "bad-payload", run_inside(full) + stored(b"")
    yield "only-frame-empty", "bad-payload", stored(b"")
    yield "2049-frames", "bad-payload", stored(bytes(PIECE)) * 2048 + stored(b"x")
    yield f"{MOST_PAYLOAD + 1}-bytes", "bad-payload", stored(bytes(PIECE)) * 2047 + stored(bytes(MOST_PAYLOAD + 1 - 2047 * PIECE))
    yield "array-of-zeros", "bad-payload", stored(bytes(PIECE)) * 2047 + stored(bytes(MOST_PAYLOAD - 2047 * PIECE))
    yield "reserved-block", "bad-payload", stored(clear, kind=3)
    yield "cut", "bad-payload", stored(clear)[:-1]
    yield "cut-in-header", "bad-payload", stored(clear)[:7]
    yield "no-last-block", "bad-payload", stored(clear, last=0)
    yield "coded-damaged", "bad-payload", FRAME[:20] + bytes([FRAME[20] ^ 0xFF]) + FRAME[21:]
    yield "trailing-inside", "bad-payload", stored(clear + b"\0")
    yield "compressed-twice", "bad-payload", stored(stored(clear))
    yield "format-2", "not-readable", stored(enc([2]))

def run_inside(data):
    """One frame of three blocks, the second a run of x."""
    at = data.index(b"x" * 1000)
    end = len(data) - len(data[at:].lstrip(b"x"))
    pieces = [(data[:at], 0), (data[at:end], 1), (data[end:], 0)]
    blocks = b"".join(struct.pack("<I", len(p) << 3 | kind << 1 | (n == 2))[:3] + (p[:1] if kind else p) for n, (p, kind) in enumerate(pieces))
    return sea_frames.MAGIC + b"\xa0" + struct.pack("<I", len(data)) + blocks

def authorize(who=LAB, role="write", **other):
    return {"control": "authorize", "instance": who.id.bytes, "key": who.key, "exchange": who.exchange, "role": role} | other

def revoke(who=LAB, last=(7, sha(b"last")), **other):
    return {"control": "revoke", "instance": who.id.bytes, "index": last[0], "digest": last[1], "keeps": []} | other

def epoch(number=2, slots=(b"a", b"b"), ended=(b"c",), **other):
    """Short names stand for digests of slots; whatever else is given stands as it is."""
    def digests(many):
        return sorted(sha(b"slot ", one) for one in many) if isinstance(many, tuple) else many
    lists = {"slots": digests(slots), "ended": digests(ended)}
    return {"control": "epoch", "epoch": number, "key": sha(b"key"), "readers": []} | lists | other

def memberships():
    """Entries of members and epochs that say one thing wrong."""
    def without(entry, key):
        return {k: v for k, v in entry.items() if k != key}
    for key in ("instance", "key", "exchange", "role"):
        yield f"authorize-without-{key}", without(authorize(), key)
    yield "authorize-role-owner", authorize(role="owner")
    yield "authorize-role-empty", authorize(role="")
    yield "authorize-role-null", authorize(role=None)
    yield "authorize-key-of-other", authorize(key=FIELD.key)
    yield "authorize-key-31-bytes", authorize(key=LAB.key[:31])
    one = (1).to_bytes(32, "little")
    yield "authorize-key-low-order", authorize(key=one, instance=instance_id(one).bytes)
    yield "authorize-exchange-33-bytes", authorize(exchange=LAB.exchange + b"\0")
    for name, key in refused():
        yield f"authorize-exchange-{name}", authorize(exchange=key)
    yield "authorize-instance-text", authorize(instance=str(LAB.id))
    for key in ("instance", "index", "digest", "keeps"):
        yield f"revoke-without-{key}", without(revoke(), key)
    yield "revoke-index-null", revoke(index=None)
    yield "revoke-digest-null", revoke(digest=None)
    yield "revoke-index-33-bits", revoke(index=2**32)
    yield "revoke-index-negative", revoke(index=-1)
    yield "revoke-digest-31-bytes", revoke(digest=bytes(31))
    yield "revoke-instance-17-bytes", revoke(instance=bytes(17))
    x, y = sorted([FIELD.id.bytes, OWL.id.bytes])
    for name, keeps in (("null", None), ("map", {}), ("15-bytes", [bytes(15)]), ("text", [str(FIELD.id)]), ("order", [y, x]), ("twice", [x, x]),
                        ("1001", [n.to_bytes(16, "big") for n in range(1001)])):
        yield f"revoke-keeps-{name}", revoke(keeps=keeps)
    a, b = sorted([sha(b"a"), sha(b"b")])
    for key in ("epoch", "slots", "ended", "key", "readers"):
        yield f"epoch-without-{key}", without(epoch(), key)
    yield "epoch-0", epoch(0)
    yield "epoch-33-bits", epoch(2**32)
    yield "epoch-text", epoch("2")
    yield "epoch-nothing", epoch(slots=(), ended=())
    yield "epoch-key-31-bytes", epoch(key=bytes(31))
    yield "epoch-key-text", epoch(key="k")
    for name, readers in (("null", None), ("17-bytes", [bytes(17)]), ("text", [str(FIELD.id)]), ("order", [y, x]), ("twice", [x, x]),
                          ("10001", [n.to_bytes(16, "big") for n in range(10_001)])):
        yield f"epoch-readers-{name}", epoch(readers=readers)
    yield "epoch-10001-ended", epoch(ended=sorted(sha(str(n).encode()) for n in range(10_001)))
    yield "epoch-slots-order", epoch(slots=[b, a])
    yield "epoch-slots-twice", epoch(slots=[a, a])
    yield "epoch-ended-order", epoch(ended=[b, a])
    yield "epoch-ended-twice", epoch(ended=[b, b])
    yield "epoch-in-both", epoch(slots=[a, b], ended=[a])
    yield "epoch-short-digest", epoch(slots=[bytes(31)])
    yield "epoch-slots-null", epoch(slots=None)
    yield "epoch-10001-slots", epoch(slots=sorted(sha(str(n).encode()) for n in range(10_001)))

def refused():
    """X25519 keys that are refused."""
    from slot_vectors import refused
    return refused()

def orders():
    """Purge entries that say one thing wrong."""
    own = follower()
    good = purge(FIELD, own, [ONE])
    yield from ((f"purge-without-{key}", {k: v for k, v in good.items() if k != key}) for key in ("instance", "index", "digest", "changes"))
    for name, entry in {
        "instance-15-bytes": good | {"instance": bytes(15)}, "instance-text": good | {"instance": str(FIELD.id)}, "index-0": good | {"index": 0}, "index-last": good | {"index": 2**32 - 1},
        "index-33-bits": good | {"index": 2**32 + 1}, "index-negative": good | {"index": -1}, "index-null": good | {"index": None}, "index-double": good | {"index": 1.5}, "digest-31-bytes": good | {"digest": bytes(31)},
        "digest-null": good | {"digest": None}, "both-null": good | {"index": None, "digest": None}, "changes-null": good | {"changes": None}, "changes-map": good | {"changes": {}},
    }.items():
        yield f"purge-{name}", entry
    right = good["changes"][0]
    a, b = sorted([[1, sha(b"a")], [1, sha(b"b")]])
    for name, at, value in (("id-empty", 0, ""), ("id-data", 0, b"x"), ("type-empty", 1, ""), ("revision-null", 2, None), ("revision-short-digest", 2, [1, bytes(31)]),
                            ("revision-depth-0", 2, [0, right[2][1]]), ("revision-depth-without-parent", 2, [2, right[2][1]]), ("parent-text", 3, "x"), ("merged-null", 4, None),
                            ("merged-order", 4, [b, a]), ("merged-twice", 4, [a, a]), ("merged-65", 4, sorted([1, sha(bytes([n]))] for n in range(65))), ("kind-unknown", 5, "move"), ("kind-null", 5, None)):
        yield f"purge-change-{name}", good | {"changes": [right[:at] + [value] + right[at + 1:]]}
    yield "purge-change-of-5", good | {"changes": [right[:5]]}
    yield "purge-change-of-7", good | {"changes": [right + [None]]}
    yield "purge-change-depth-of-parent", good | {"changes": [[right[0], None, [2, sha(b"x")], [2, sha(b"y")], [], "put"]]}
    yield "purge-change-merged-parent", good | {"changes": [[right[0], None, [2, sha(b"x")], a, [a], "put"]]}

def lists():
    """Clear lists that are wrong, in front of an order that is right: name, list."""
    own = follower()
    here, other = row(FIELD.id, 1, hash_of(own)), row(LAB.id, 1, hash_of(own))
    def of(*rows, count=None):
        return struct.pack(">I", len(rows) if count is None else count) + b"".join(rows)
    yield "count-0", of()
    yield "count-0-and-row", of(here, count=0)
    yield "twice", of(here, here)
    yield "order", of(*sorted([here, other], reverse=True))
    yield "one-more", of(*sorted([here, other]))
    yield "another", of(other)
    yield "another-index", of(here[:16] + b"\0\0\0\2" + here[20:])
    yield "another-digest", of(here[:20] + sha(b"x"))
    yield "count-too-great", of(here, count=2)
    yield "count-of-32-bits", of(here, count=2**32 - 1)
    yield "missing", b""

def keyed(key):
    """A genesis block of the instance that a key would name; nobody can sign it."""
    other = Instance("keyed")
    other.key, other.id = key, instance_id(key)
    return other.genesis(), other.id

def many_heads(count):
    return b"".join(row(uuid.UUID(int=n), 0, sha(b"x")) for n in range(count))

def asset_of(place, size, key=None):
    """A large asset has the digest of its pieces, another one the digest of its content."""
    return {"$asset": f"{FIELD.id}/{place}", "mime": "a/b", "size": size, key or ("pieces" if size > 2**24 else "sha256"): bytes(32)}

def exchanged(b):
    """A block with its two heads exchanged."""
    return b[:HEADER] + b[HEADER + ROW:HEADER + 2 * ROW] + b[HEADER:HEADER + ROW] + b[HEADER + 2 * ROW:]

def all_values():
    return {
        "flag": True, "int": -7, "big": 2**64, "small": -2**64 - 1, "half": 0.5, "third": 1 / 3, "huge": 1e30,
        "price": Tag(4, [-2, 1250]), "far": Tag(4, [-41, -15]), "text": "Grüße \u2028", "day": Tag(1, 1772323200),
        "instant": moment(1772323200123), "half before 1970": moment(-500), "first instant": moment(-62135596799999),
        "last instant": moment(253402300799999), "first day": Tag(1, -62135596800), "phone": labeled("HomePhone", "+49 1"), "long label": labeled("l" * 255, 1),
        "label of date": labeled("Birthday", moment(-1)),
        "born": day("1927-01-26"), "first day of all": day("0001-01-01"), "last day of all": day("9999-12-31"), "leap day": day("2000-02-29"),
        "days": {"$set": [[day("1927-01-26"), [b""]], [day("1927-01-27"), [b""]]]}, "label of day": labeled("Birthday", day("1582-10-10")),
        "no day": {"$dict": {"$day": "1927-02-30"}}, "label of array": labeled("a", [labeled("b", 1), {"m": labeled("c", None or [None])}]),
        "label of reference": labeled("Boss", {"$ref": "person/ada"}), "labels": {"$set": [[labeled("a", 1), [b""]], [labeled("b", 1), [b""]]]},
        "label of asset": labeled("Portrait", {"$asset": f"{FIELD.id}/18", "mime": "a/b", "size": 2**24, "sha256": bytes(32)}),
        "in pieces": asset_of("19-20", 2**24 + 1), "in one file": asset_of("19-20", 2**30), "in two files": asset_of("19-21", 2**30 + 1),
        "large": asset_of(f"{2**32 - 2}-{2**32 - 1}", 2**30), "largest": asset_of("1-16385", 2**44),
        "dict in dict": {"$dict": {"$a": {"$dict": {"$b": labeled("c", 1)}}}}, "key": bytes.fromhex("abcdef123456"), "list": [None, False, {"": None}],
        "owner": {"$ref": "person/ada"}, "parent": {"$ref": "note/0", "as": "above"}, "free": {"$dict": {"$a": 1}},
        "photo": {"$asset": f"{FIELD.id}/17", "mime": "image/jpeg", "size": 482113, "sha256": sha(b"photo")},
        "count": {"$counter": {FIELD.id.bytes: [5, 1], LAB.id.bytes: [3, 0]}}, "none": {"$counter": {}},
        "tags": {"$set": [["db", [b"", sha(b"r")]], ["linux", [b""]]]}, "nil": {"$set": []}, "null in a set": {"$set": [[None, [b""]]]},
        "photo of nobody": {"$asset": f"{uuid.UUID(int=0)}/{2**32 - 1}", "mime": "a/b", "size": 0, "sha256": sha(b"")}, "deep": nested(127), "deep counter": nested(125, {"$counter": {}}),
        "deep label": nested(126, labeled("a", 1)), "deep element": nested(124, {"$set": [[Tag(1, 0), [b""]]]}),
    }

def blocks():
    """name, expect, layer, block, and what the block stands behind (None: it begins the chain)."""
    def ok(name, block, after=AFTER, **more):
        return name, "ok", "revision", block, after, more
    def bad(name, expect, layer, block, after=AFTER, **more):
        return name, expect, layer, block, after, more
    def raw(body, mode=SIGNED, **more):
        return FIELD.block(None, AFTER, body=body, mode=mode, **{"rows": b""} | more)
    entry = revoke()
    yield ok("genesis", GENESIS, None)
    yield ok("genesis-with-change", FIELD.genesis(ONE), None)
    yield ok("genesis-with-heads", FIELD.genesis(heads=[(LAB, LAB.genesis())]), None)
    yield ok("put", follower())
    yield ok("put-label", follower(label="first of March"))
    yield ok("put-without-type", follower(change("x", {}, type=None)))
    yield ok("delete", follower(change("note/1", None, parent=rev(ONE), kind="delete")))
    yield ok("resolved", follower(change("note/1", None, parent=rev(ONE), kind="resolved")))
    yield ok("merged", follower(change("note/1", {"n": 65}, parent=rev(ONE), merged=sorted([[1, sha(b"a")], [2, sha(b"b")]]))))
    yield ok("values", follower(change("note/1", all_values())))
    yield ok("time-before-1970", follower(time=-1))
    yield ok("heads", follower(heads=[(LAB, LAB.genesis())]))
    yield ok("heads-only", FIELD.block([], AFTER, heads=[(LAB, LAB.genesis()), (OWL, OWL.genesis())]))
    yield ok("heads-not-here-and-any-time", follower(heads=HEAD, lamport=2**32 - 1))
    yield ok("heads-index-largest", follower(heads=row(LAB.id, 2**32 - 2, sha(b"x")), lamport=7))
    yield ok("heads-compressed", follower(heads=HEAD, lamport=7, label="x" * 600, compressed=stored))
    yield ok("lamport-at-the-end", FIELD.block([ONE], (AFTER[0], 2**32 - 1, AFTER[2])), (AFTER[0], 2**32 - 1, AFTER[2]))
    yield ok("about-more-keys", follower(about=about(label="x", more={"b": [1, b"x", None], "a": True}, again=levels(8), **{f"k{n}": n for n in range(12)})))
    yield ok("about-map-in-any-order", follower(about=about(more=Raw(b"\xa2" + enc("b") + enc(1) + enc("a") + enc(2)))))
    yield ok("shared", follower({"control": "shared", "key": "merge.auto", "value": "off"}))
    yield ok("shared-taken-back", follower({"control": "shared", "key": "merge.auto", "value": None}))
    yield ok("shared-longest", follower({"control": "shared", "key": "k" * 1024, "value": "v" * 65536}))
    yield ok("shared-empty-key", follower({"control": "shared", "key": "", "value": ""}))
    more = {"later": [1, b"x", None], "follows": Raw(b"\xa2" + enc("b") + enc(1) + enc("a") + enc(2))}
    for name, one in {"shared": {"control": "shared", "key": "k", "value": "v"}, "authorize": authorize(), "revoke": revoke(), "epoch": epoch()}.items():
        yield ok(f"{name}-more-keys", follower(one | more))
    yield ok("entry-16-keys", follower(revoke() | {f"k{n:02}": n for n in range(11)}))
    yield bad("entry-17-keys", "bad-payload", "payload", follower(revoke() | {f"k{n:02}": n for n in range(12)}))
    yield bad("entry-more-keys-with-tag", "bad-payload", "payload", follower(revoke() | {"later": Tag(1004, "2026-01-01")}))
    yield ok("genesis-more-keys", FIELD.genesis(items=[FIELD.entry(later={"a": [1]}, role="read")]), None)
    yield ok("entry-behind-change", follower(ONE, entry))
    for role in ("read", "write", "admin"):
        yield ok(f"authorize-{role}", follower(authorize(role=role)))
    yield ok("authorize-oneself", follower(authorize(FIELD)))
    yield ok("revoke", follower(revoke()))
    yield ok("revoke-all", follower(revoke(last=(None, None))))
    yield ok("revoke-index-0", follower(revoke(last=(0, sha(b"x")))))
    yield ok("revoke-index-largest", follower(revoke(last=(2**32 - 1, sha(b"x")))))
    yield ok("revoke-keeps", follower(revoke(keeps=sorted([FIELD.id.bytes, LAB.id.bytes, OWL.id.bytes]))))
    yield ok("revoke-keeps-1000", follower(revoke(keeps=[n.to_bytes(16, "big") for n in range(1000)])))
    yield ok("epoch-readers", follower(epoch(readers=sorted([FIELD.id.bytes, LAB.id.bytes]))))
    yield ok("epoch-readers-without-slots", follower(epoch(slots=(), readers=[LAB.id.bytes])))
    yield ok("epoch-slots-without-readers", follower(epoch(readers=[])))
    yield ok("genesis-that-follows", FIELD.genesis(items=[FIELD.entry(follows=FIELD.follows(LAB))]), None)
    yield ok("revoke-oneself", follower(revoke(FIELD, (0, AFTER[2]))))
    yield ok("epoch", follower(epoch()))
    yield ok("epoch-1-slots-only", follower(epoch(1, ended=())))
    yield ok("epoch-last-ended-only", follower(epoch(2**32 - 1, slots=())))
    yield ok("members-and-changes", follower(revoke(), authorize(role="read"), epoch(), ONE))
    own = follower()
    two = FIELD.block([BIRD], (1, 2, bytes(32)), heads=[(LAB, LAB.genesis())])
    behind_heads = follower(heads=[(LAB, LAB.genesis())])
    yield ok("purge", follower(purge(FIELD, own, [ONE])))
    yield ok("purge-more-keys", follower(purge(FIELD, own, [ONE]) | {"later": {"a": [1]}}))
    yield ok("purge-of-another", follower(purge(LAB, own, [ONE, BIRD])))
    yield ok("purge-of-two", follower(purge(FIELD, own, [ONE]), purge(FIELD, two, [BIRD]), ONE))
    yield ok("purge-in-any-order", follower(*sorted((purge(FIELD, own), purge(LAB, own)), key=lambda e: e["instance"], reverse=True)))
    yield ok("purge-of-two-branches", follower(purge(FIELD, own), purge(FIELD, follower(BIRD))))
    yield ok("purge-of-no-changes", follower(purge(FIELD, two)))
    yield ok("purge-of-unknown-mode", follower(purge(FIELD, raw(b"what", 0xC4))))
    yield ok("purge-of-the-last-index", follower(purge(FIELD, own, index=2**32 - 2)))
    yield ok("purge-and-heads", follower(purge(FIELD, own, [ONE]), heads=[(LAB, LAB.genesis())]))
    yield ok("purge-of-all-kinds", follower(purge(FIELD, own, [change("a", None, parent=[2, sha(b"p")], type=None, kind="delete"), change("b", None, parent=[2**32 - 2, sha(b"p")], kind="resolved"),
                                                               change("c", {}, parent=[2, sha(b"p")], merged=sorted([[1, sha(b"a")], [3, sha(b"b")]]))])))
    yield bad("removed", "bad-removal", "removed", removed(follower()))
    yield bad("removed-with-heads", "bad-removal", "removed", removed(behind_heads))
    yield bad("removed-of-unknown-mode", "bad-removal", "removed", removed(raw(b"what", 0xC4)))
    yield bad("removed-and-compressed", "bad-removal", "removed", removed(raw(b"what", SIGNED | COMPRESSED)))
    for name, expect, body in frames():
        yield bad(f"frames-{name}", expect, "payload" if expect != "ok" else "revision", raw(body, SIGNED | COMPRESSED))

    # Kept, though nothing of it is applied.
    for bit in (0x40, 0x80, 0xC0):
        yield bad(f"mode-{bit:02x}", "not-readable", "payload", raw(b"what nobody knows", SIGNED | bit))
    yield bad("mode-40-and-all-others", "not-readable", "payload", raw(b"\xff", 0x76))
    yield bad("mode-40-with-heads", "not-readable", "payload", raw(b"what nobody knows", 0x44, heads=[(LAB, LAB.genesis())]))
    yield bad("needs-with-heads", "not-readable", "payload", follower(needs=["later"], heads=[(LAB, LAB.genesis())]))
    yield bad("format-2-with-heads", "not-readable", "payload", raw(enc([2]), heads=[(LAB, LAB.genesis())]))
    for name, body in doors():
        yield bad(name, "not-readable", "payload", raw(body))
    yield bad("format-2-with-control", "not-readable", "payload", raw(enc([2]), SIGNED | CONTROL))
    for name, wrong in unknown_entries():
        yield bad(name, "not-readable", "payload", follower(wrong))
    yield bad("control-unknown-behind-change", "not-readable", "payload", follower(ONE, {"control": "future"}))
    yield bad("control-unknown-with-heads", "not-readable", "payload", follower({"control": "future"}, heads=[(LAB, LAB.genesis())]))
    yield bad("control-unknown-beside-wrong-change", "bad-payload", "payload", follower({"control": "future"}, 1))
    yield bad("control-unknown-beside-wrong-entry", "bad-payload", "payload", follower({"control": "future"}, entry | {"index": -1}))
    yield bad("lamport-jump", "bad-lamport", "clock", follower(lamport=3))
    yield bad("lamport-jump-to-the-end", "bad-lamport", "clock", follower(lamport=2**32 - 1))
    yield bad("genesis-lamport-0", "bad-lamport", "clock", FIELD.genesis(lamport=0), None)
    yield bad("genesis-lamport-2", "bad-lamport", "clock", FIELD.genesis(lamport=2), None)
    yield bad("lamport-jump-of-unknown-entry", "not-readable", "payload", follower({"control": "future"}, lamport=9))
    yield bad("lamport-jump-of-wrong-payload", "bad-payload", "payload", follower(1, lamport=9))
    yield bad("lamport-jump-of-unknown-mode", "not-readable", "payload", raw(b"what nobody knows", 0x44, lamport=9))

    one = follower()
    for at in range(3):
        yield bad(f"magic-{at}", "bad-magic", "header", flip(one, at))
    for mode in (0x08, 0x0A, 0x18, 0x1C, 0x28, 0x2C, 0x3C, 0x48):
        yield bad(f"mode-removed-{mode:02x}", "bad-mode", "header", follower(mode=mode))
    yield bad("mode-sealed-in-plain", "bad-mode", "header", follower(mode=SIGNED | SEALED))
    yield bad("mode-sealed-in-plain-and-truncated", "bad-mode", "header", follower(mode=SIGNED | SEALED)[:-1])
    for mode in (0x04, 0x10, 0x16, 0x34, 0x54, 0x94, 0x15, 0x1C):
        yield bad(f"genesis-mode-{mode:02x}", "bad-mode", "header", FIELD.genesis(mode=mode, rows=b""), None)
    yield bad("genesis-removed", "bad-mode", "header", removed(GENESIS), None)
    yield bad("size-4-gib", "bad-size", "header", follower(size=2**32 - 1))
    yield bad("size-over-limit", "bad-size", "header", follower(size=MOST_PAYLOAD + 1))
    yield bad("size-less-than-there-is", "bad-size", "header", follower(size=len(one) - HEADER - 1))
    yield bad("size-more-than-there-is", "truncated", "header", follower(size=len(one) - HEADER + 1))
    yield bad("size-no-room-for-signature", "bad-size", "header", one[:4] + struct.pack(">I", 64) + one[8:HEADER + 64])
    yield bad("size-no-room-of-unknown-mode", "bad-size", "header", raw(b"", 0x44))
    gone = removed(one)
    yield bad("size-removed-64", "bad-size", "header", gone[:4] + struct.pack(">I", 64) + gone[8:])
    yield bad("size-removed-over-limit", "bad-size", "header", gone[:4] + struct.pack(">I", MOST_PAYLOAD + 1) + gone[8:])
    yield bad("heads-65537", "bad-size", "header", follower(count=65_537, size=MOST_PAYLOAD))
    yield bad("heads-65536-and-nothing-behind", "truncated", "header", follower(count=65_536, size=MOST_PAYLOAD))
    yield bad("heads-2-32", "bad-size", "header", follower(count=2**32 - 1))
    yield bad("heads-that-leave-too-little", "bad-size", "header", raw(None, content=b"", heads=HEAD, lamport=7))
    yield bad("heads-that-are-the-signature", "bad-size", "header", follower(count=(len(one) - HEADER) // ROW))
    gone_heads = removed(behind_heads)
    for name, b in (("", gone), ("-with-heads", gone_heads)):
        yield bad(f"removed{name}-one-byte-less", "truncated", "header", b[:-1])
        yield bad(f"removed{name}-one-byte-more", "bad-size", "header", b + b"\0")
    yield bad("removed-without-its-heads", "truncated", "header", gone_heads[:HEADER] + gone_heads[HEADER + ROW:])
    yield bad("removed-header-alone", "truncated", "header", gone[:HEADER])
    yield bad("removed-with-its-content", "bad-size", "header", gone[:HEADER] + one[HEADER:])
    yield bad("removed-83", "truncated", "header", gone[:HEADER - 1])
    yield bad("removed-with-another-content", "bad-data", "hash", flip(gone, HEADER))
    yield bad("removed-with-another-signature", "bad-data", "hash", flip(gone, len(gone) - 1))
    yield bad("removed-with-other-heads", "bad-data", "hash", gone_heads[:HEADER] + HEAD + gone_heads[HEADER + ROW:])
    yield bad("removed-with-heads-in-another-order", "bad-data", "hash", exchanged(removed(follower(heads=many_heads(2), lamport=7))))
    yield bad("removed-with-wrong-heads", "bad-payload", "heads", removed(follower(heads=HEAD * 2, lamport=7)))
    yield bad("removed-signature-wrong", "bad-signature", "signature", removed(follower(signature=bytes(64))))
    yield bad("removed-and-forged", "bad-signature", "signature", with_data(flip(gone, HEADER)))
    yield bad("removed-signed-as-removed", "bad-signature", "signature", with_data(gone[:-SIGNATURE] + FIELD.signer.sign(
        b"sea block v1" + DATABASE.bytes + FIELD.id.bytes + gone[:BEFORE_DATA] + sha(b"") + sha(content(one)))))
    yield bad("removed-lamport-fallen", "bad-lamport", "chain", removed(follower(lamport=0)))
    a, b = sorted([row(LAB.id, 0, sha(b"x")), row(OWL.id, 0, sha(b"x"))])
    for name, heads in (("descend", b + a), ("twice", a + a), ("twice-with-another-index", a + a[:19] + b"\1" + a[20:]), ("index-last", row(LAB.id, 2**32 - 1, sha(b"x"))),
                        ("own", row(FIELD.id, 0, AFTER[2]))):
        yield bad(f"heads-{name}", "bad-payload", "heads", follower(heads=heads, lamport=7))
        yield bad(f"heads-{name}-of-unknown-mode", "bad-payload", "heads", raw(b"what", 0x44, heads=heads, lamport=7))
    yield bad("genesis-heads-own", "bad-payload", "heads", FIELD.genesis(heads=row(FIELD.id, 0, AFTER[2]), lamport=2), None)
    for length in (0, 3, HEADER - 1, HEADER, len(one) - 1):
        yield bad(f"truncated-{length}", "truncated", "header", one[:length])
    yield bad("trailing-byte", "bad-size", "header", one + b"\0")
    yield bad("data-wrong", "bad-data", "hash", follower(data=sha(b"x")))
    yield bad("data-wrong-of-unknown-mode", "bad-data", "hash", raw(b"x", 0x44, data=sha(b"x")))
    yield bad("data-first-byte", "bad-data", "hash", flip(one, BEFORE_DATA))
    yield bad("data-of-text-only", "bad-data", "hash", follower(data=sha(content(one))))
    yield bad("data-of-one-digest", "bad-data", "hash", follower(data=sha(one[HEADER:])))
    yield bad("data-of-other-heads", "bad-data", "hash", flip(behind_heads, HEADER))
    yield bad("data-of-heads-as-content", "bad-data", "hash", behind_heads[:16] + bytes(4) + behind_heads[20:])
    yield bad("payload-first-bit", "bad-data", "hash", flip(one, HEADER))
    yield bad("payload-last-bit", "bad-data", "hash", flip(one, len(one) - 1))
    yield bad("index-skipped", "bad-index", "chain", follower(index=2))
    yield bad("index-repeated", "bad-index", "chain", follower(FIELD.entry(), index=0))
    yield bad("index-0-of-plain-mode", "bad-mode", "header", follower(index=0))
    yield bad("index-full", "bad-index", "chain", follower(index=2**32 - 1))
    yield bad("genesis-index", "bad-index", "chain", FIELD.genesis(index=1), None)
    yield bad("lamport-equal", "bad-lamport", "chain", follower(lamport=AFTER[1]))
    yield bad("lamport-fallen", "bad-lamport", "chain", follower(lamport=0))
    yield bad("lamport-fallen-from-the-end", "bad-lamport", "chain", follower(lamport=2**32 - 2), (AFTER[0], 2**32 - 1, AFTER[2]))
    yield bad("lamport-fallen-of-unknown-mode", "bad-lamport", "chain", raw(b"x", 0x44, lamport=0))
    yield bad("previous-wrong", "bad-prev", "chain", follower(previous=sha(b"x")))
    yield bad("previous-data-only", "bad-prev", "chain", follower(previous=GENESIS[DATA]))
    yield bad("genesis-previous", "bad-prev", "chain", FIELD.genesis(previous=sha(b"x")), None)
    yield bad("genesis-of-other-database", "bad-prev", "chain", Instance("field", OTHER).genesis(), None)
    yield bad("genesis-key-of-other", "bad-key", "chain", FIELD.genesis(items=[FIELD.entry(key=LAB.key)]), None)
    yield bad("genesis-of-other-instance", "bad-key", "chain", LAB.genesis(), None)
    p = 2**255 - 19
    y8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
    for name, y in (("zero", 0), ("one", 1), ("minus-one", p - 1), ("order-8", y8), ("order-8-negative", p - y8),
                    ("not-canonical-zero", p), ("not-canonical-one", p + 1), ("not-canonical-18", p + 18)):
        for sign in (0, 1):
            block, id = keyed((y | sign << 255).to_bytes(32, "little"))
            yield bad(f"key-{name}-{'minus' if sign else 'plus'}", "bad-key", "chain", block, None, instance=id)
    for name, key in refused():
        yield bad(f"genesis-exchange-{name}", "bad-key", "chain", FIELD.genesis(items=[FIELD.entry(exchange=key)]), None)
    one_key = (1).to_bytes(32, "little")
    for name, follows in {
        "signature": [LAB.key, bytes(64)], "of-another": FIELD.follows(LAB, signer=OWL.signer), "key-of-another": [OWL.key, FIELD.follows(LAB)[1]], "itself": FIELD.follows(FIELD),
        "for-another-instance": FIELD.follows(LAB, instance=OWL.id), "for-another-exchange": FIELD.follows(LAB, exchange=OWL.exchange),
        "for-another-database": FIELD.follows(LAB, database=OTHER), "low-order": [one_key, bytes(64)], "low-order-and-right": [one_key, one_key + bytes(32)],
    }.items():
        yield bad(f"genesis-follows-{name}", "bad-key", "chain", FIELD.genesis(items=[FIELD.entry(follows=follows)]), None)
    for name, follows in {"null": None, "map": {}, "key-alone": [LAB.key], "three": FIELD.follows(LAB) + [0], "short-key": [LAB.key[:31], bytes(64)], "short-signature": [LAB.key, bytes(63)],
                          "text": [LAB.key.hex(), bytes(64)]}.items():
        yield bad(f"genesis-follows-{name}", "bad-payload", "payload", FIELD.genesis(items=[FIELD.entry(follows=follows)]), None)
    yield bad("genesis-extra-key-with-tag", "bad-payload", "payload", FIELD.genesis(items=[FIELD.entry(more=Tag(1004, "2026-01-01"))]), None)
    yield bad("signature-wrong", "bad-signature", "signature", follower(signature=bytes(64)))
    yield bad("signature-wrong-of-unknown-mode", "bad-signature", "signature", raw(b"x", 0x44, signature=bytes(64)))
    yield bad("signature-wrong-of-format-2", "bad-signature", "signature", raw(enc([2]), signature=bytes(64)))
    yield bad("signature-wrong-of-wrong-payload", "bad-signature", "signature", raw(b"\xff", signature=bytes(64)))
    yield bad("signature-of-other-key", "bad-signature", "signature", follower(signer=LAB.signer))
    yield bad("signature-for-other-database", "bad-signature", "signature", follower(database=OTHER))
    yield bad("signature-for-other-instance", "bad-signature", "signature", follower(instance=LAB.id))
    s = int.from_bytes(one[-32:], "little") + 2**252 + 27742317777372353535851937790883648493
    yield bad("signature-of-other-heads", "bad-signature", "signature", with_data(behind_heads[:HEADER] + row(OWL.id, 0, sha(b"x")) + behind_heads[HEADER + ROW:]))
    yield bad("signature-of-another-count", "bad-signature", "signature", with_data(behind_heads[:16] + bytes(4) + behind_heads[20:]))
    yield bad("signature-malleable", "bad-signature", "signature", follower(signature=one[-64:-32] + s.to_bytes(32, "little")))
    for mode in (0x00, 0x02, 0x10, 0x40):
        yield bad(f"signature-missing-{mode:02x}", "bad-signature", "signature", follower(mode=mode))
    yield bad("genesis-signature", "bad-signature", "signature", FIELD.genesis(signer=LAB.signer), None)
    yield bad("mode-24", "bad-payload", "payload", raw(clear_array([purge(FIELD, own, [ONE])]), SIGNED | ORDERS, rows=clear_list([(FIELD.id.bytes, 1, hash_of(own))])))
    yield bad("mode-34-without-order", "bad-payload", "payload", follower(entry, mode=SIGNED | CONTROL | ORDERS, rows=clear_list([(FIELD.id.bytes, 1, hash_of(own))])))
    yield bad("mode-14-with-order", "bad-payload", "payload", follower(purge(FIELD, own, [ONE]), mode=SIGNED | CONTROL))
    yield bad("purge-twice", "bad-payload", "payload", follower(purge(FIELD, own, [ONE]), purge(FIELD, own)))
    for name, rows in lists():
        yield bad(f"clear-list-{name}", "bad-payload", "payload", follower(purge(FIELD, own, [ONE]), rows=rows))
    one_row = clear_list([(FIELD.id.bytes, 1, hash_of(own))])
    yield bad("clear-list-and-nothing", "bad-payload", "payload", raw(b"", 0x34, content=one_row))
    yield bad("clear-list-and-format-2", "not-readable", "payload", FIELD.block(None, AFTER, body=enc([2]), mode=0x34, rows=one_row))
    yield bad("clear-list-wrong-and-format-2", "bad-payload", "payload", FIELD.block(None, AFTER, body=enc([2]), mode=0x34, rows=bytes(4)))
    yield bad("clear-list-wrong-and-unknown-mode", "not-readable", "payload", FIELD.block(None, AFTER, body=enc([2]), mode=0x74, rows=bytes(4)))
    yield bad("order-beside-unknown-entry", "not-readable", "payload", follower(purge(FIELD, own, [ONE]), {"control": "future"}))
    yield bad("mode-10-without-entry", "bad-payload", "payload", follower(mode=SIGNED | CONTROL))
    yield bad("mode-04-with-entry", "bad-payload", "payload", follower(entry, mode=SIGNED))
    yield bad("mode-04-with-unknown-entry", "bad-payload", "payload", follower({"control": "future"}, mode=SIGNED))
    for name, wrong in values():
        yield bad("value-" + name, "bad-payload", "payload", follower(change("note/1", wrong)))
    for name, wrong in changes():
        yield bad(name, "bad-payload", "payload", follower(wrong))
    for name, wrong in payloads():
        yield bad(name, "bad-payload", "payload", raw(wrong))
    for name, wrong in (*entries(), *memberships(), *orders()):
        yield bad(name, "bad-payload", "payload", follower(wrong))
    yield bad("genesis-without-key", "bad-payload", "payload", FIELD.genesis(items=[ONE], mode=SIGNED | CONTROL), None)
    yield bad("genesis-without-items", "bad-payload", "payload", FIELD.genesis(body=enc(array([])), heads=HEAD, lamport=2), None)
    yield bad("genesis-key-second", "bad-payload", "payload", FIELD.genesis(items=[ONE, FIELD.entry()]), None)
    yield bad("genesis-key-twice", "bad-payload", "payload", FIELD.genesis(FIELD.entry()), None)
    yield bad("genesis-key-31-bytes", "bad-payload", "payload", FIELD.genesis(items=[FIELD.entry(key=FIELD.key[:31])]), None)
    yield bad("genesis-no-exchange-key", "bad-payload", "payload",
              FIELD.genesis(items=[{k: v for k, v in FIELD.entry().items() if k != "exchange"}]), None)
    yield bad("genesis-of-format-2", "bad-payload", "payload", FIELD.genesis(body=enc([2])), None)
    yield bad("genesis-of-unknown-need", "bad-payload", "payload", FIELD.genesis(needs=["later"]), None)
    yield bad("genesis-with-unknown-entry", "bad-payload", "payload", FIELD.genesis({"control": "future"}), None)
    yield bad("genesis-trailing-byte", "bad-payload", "payload", FIELD.genesis(body=clear_array([FIELD.entry()]) + b"\0"), None)
