"""The vectors of bundles: an independent writer of sea-bundle(5), which can also write what is wrong."""
import hashlib, re, struct, zlib
from sea_bundle import Refused, counts, head_text, header, info, read
from sea_header import HEADER
from sea_values import Bad
from block_vectors import ONE
from sea_writer import DATABASE, PROOFS, Instance, named, sha, state

FIELD, LAB = Instance("field"), Instance("lab")
FIRST = FIELD.genesis()
SECOND = FIELD.block([ONE], state(FIRST), label="first")
def fake(payload=b""):
    """What is taken for a block here: nobody looks behind its size."""
    return b"SEA\4" + struct.pack(">I", len(payload)) + bytes(HEADER - 8) + payload

OWN, LABS = f"transactions/{FIELD.id}", f"transactions/{LAB.id}"
BLOCKS = {f"{OWN}/1/0": FIRST, f"{OWN}/1/1": SECOND}

def head_of(instance, block, **more):
    return {"chain": str(instance.id), "index": state(block)[0], "digest": state(block)[2].hex()} | more

def of(key=None, **more):
    """What is said of a database whose name is of version 8."""
    name = named(key or FIELD.key, **more)
    return {"databaseID": str(name), "proof": PROOFS[name].hex(), "sealed": bool(more.get("sealed"))}

def manifest(files, said=None, line=None, **other):
    """The bytes of a manifest. What is given replaces the right thing; counts are made to fit unless given."""
    facts = {"databaseID": str(DATABASE), "contentType": "org.example.notes", "sealed": False, "from": str(FIELD.id), "name": "field",
             "absentAssets": 0, "base": [], "heads": [head_of(FIELD, SECOND)]} | other
    facts = {k: v for k, v in facts.items() if v is not None}
    files = {"info.json": info(facts)} | files
    members = [(path, len(data), sha(data).hex()) for path, data in files.items()]
    try:
        number = dict(zip(("blocks", "assets", "members", "bytes"), counts(members)))
    except TypeError:
        number = {"blocks": 2, "assets": 0, "members": len(members), "bytes": sum(m[1] for m in members)}
    lines = [f'{{"path":"{path}","size":{size},"sha256":"{digest}"}}' for path, size, digest in members]
    text = head_text(number | facts | (said or {})) + ",\n".join(lines) + "\n]}\n"
    return (line(text) if line else text).encode(), files

def member(name, data, head=None, size=None, padding=0):
    return (head or header(name, len(data) if size is None else size)) + data + bytes([padding]) * (-len(data) % 512)

def tar(files=BLOCKS, tail=bytes(1024), order=None, parts=None, end=None, said=None, line=None, **other):
    text, files = manifest(files, said, line, **other)
    names = order or list(files)
    made = {name: member(name, files[name]) for name in files} | {
        "MANIFEST.json": member("MANIFEST.json", text), "END": member("END", end or sha(text).hex().encode() + b"\n")} | (parts or {})
    return b"".join(made[name] for name in ["MANIFEST.json", *names, "END"]) + tail

def patched(block, at, data):
    """A header in which bytes are replaced, the sum made to fit."""
    raw = bytearray(block)
    raw[at:at + len(data)] = data
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return bytes(raw)

# -- compression by hand, nothing made smaller but runs of one byte: no library's version can change a vector

def gz(data):
    out = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    for k in range(0, max(len(data), 1), 65535):
        piece = data[k:k + 65535]
        out += struct.pack("<BHH", k + 65535 >= len(data), len(piece), len(piece) ^ 0xFFFF) + piece
    return out + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)

def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)

def padded(data):
    return data + bytes(-len(data) % 4)

def xz(*blocks, dictionary=0, filters=b"", sizes=False, check=1, wrong=b""):
    """LZMA2 of stored chunks; `dictionary` is the code of its size, `filters` stand before it."""
    flags, records, body = bytes([0, check]), b"", b""
    for data in blocks:
        packed = b"".join((b"\1" if k == 0 else b"\2") + struct.pack(">H", len(data[k:k + 65536]) - 1) + data[k:k + 65536]
                          for k in range(0, len(data), 65536)) + b"\0"
        head = bytes([(1 if filters else 0) | (0xC0 if sizes else 0)])
        head += (varint(len(packed)) + varint(len(data)) if sizes else b"") + filters + b"\x21\1" + bytes([dictionary])
        head = padded(b"\0" + head)
        head = bytes([len(head) // 4]) + head[1:]
        head += struct.pack("<I", zlib.crc32(head))
        sum_ = {1: struct.pack("<I", zlib.crc32(data)), 10: hashlib.sha256(data).digest()}[check]
        body += head + padded(packed) + (wrong or sum_)
        records += varint(len(head) + len(packed) + len(sum_)) + varint(len(data))
    index = padded(b"\0" + varint(len(blocks)) + records)
    index += struct.pack("<I", zlib.crc32(index))
    foot = struct.pack("<I", len(index) // 4 - 1) + flags
    return (b"\xfd7zXZ\0" + flags + struct.pack("<I", zlib.crc32(flags)) + body + index
            + struct.pack("<I", zlib.crc32(foot)) + foot + b"YZ")

def runs(data):
    """Pieces of at most 128 KiB, and whether each is of one byte only."""
    at = 0
    for found in [*re.finditer(rb"(?s)(.)\1{15,}", data), None]:
        start, end = found.span() if found else (len(data), len(data))
        for first, last, run in ((at, start, False), (start, end, True)):
            for k in range(first, last, 128 << 10):
                yield data[k:min(k + (128 << 10), last)], run
        at = end

def frame(data, descriptor=0, window=b"\x50", tail=b"", kind=0):
    """A zstd frame of stored blocks and of runs."""
    body, pieces = b"", list(runs(data))
    for n, (piece, run) in enumerate(pieces):
        head = len(piece) << 3 | (1 if run else kind) << 1 | (n + 1 == len(pieces))
        body += struct.pack("<I", head)[:3] + (piece[:1] if run else piece)
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + window + body + tail

def flipped(data, at):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

# -- what there is

ASSET = f"assets/{FIELD.id}/1/0"
BRANCH = "6f1d20b9" + "0" * 24
KEY, REQUEST = "keys/" + sha(b"a slot").hex(), f"requests/{LAB.id}"
MORE = {KEY: b"a slot", REQUEST: b"", **BLOCKS, f"{OWN}~{BRANCH}/1/1": fake(b"a fork"), ASSET: b"\x89PNG", "backup/config": b"x\n",
        "backup/hooks/pre-put": b"#!/bin/sh\n"}

def good():
    yield "plain", tar()
    yield "gzip", gz(tar())
    yield "xz", xz(tar())
    yield "xz-blocks", xz(tar()[:2001], tar()[2001:4000], tar()[4000:], sizes=True, check=10)
    yield "xz-dictionary-64-mib", xz(tar(), dictionary=28)
    yield "zstd-window-64-mib", frame(tar(), window=b"\x80")
    yield "zstd", frame(tar())
    yield "zstd-single-segment", frame(tar(), 0x60, struct.pack("<H", len(tar()) - 256))
    yield "info-alone", frame(tar({}, heads=[]))
    yield "every-kind", frame(tar(dict(sorted_members(MORE)), absentAssets=3))
    yield "folded", frame(tar({f"{OWN}/1.blocks": FIRST + SECOND + fake() * 998, f"{OWN}/2/1/0": fake()}))
    yield "indices", frame(tar({f"{OWN}/{rest}": fake() for rest in (
        "1/0", "1/1", "1/10", "1/999", "2/1/0", "2/1/3", "2/10/0", "2/999/999", "3/1/0/0", "3/999/0/999", "4/1/0/0/0", "4/4/294/967/295")}))
    yield "chains-by-bytes", frame(tar({f"{LABS}/1/0": fake(b"1"), f"{OWN}/1/0": fake(b"2"), f"{OWN}~{int(1):032}/1/0": fake(b"3"),
                                         f"{OWN}~{BRANCH}/1/0": fake(b"4")}))
    yield "increment", frame(tar({f"{OWN}/1/1": SECOND}, base=[head_of(FIELD, FIRST, lamport=1, key=FIELD.key.hex())]))
    yield "heads-without-blocks", frame(tar({f"{OWN}/1/1": SECOND}, base=[head_of(FIELD, FIRST, lamport=1, key=FIELD.key.hex())],
                                            heads=[head_of(LAB, LAB.genesis()), head_of(FIELD, SECOND)]))
    yield "two-bases", frame(tar({f"{OWN}/1/1": SECOND}, base=[head_of(LAB, LAB.genesis()), head_of(FIELD, FIRST, key=FIELD.key.hex())]))
    yield "sealed", frame(tar(**of(sealed=True), name=None))
    yield "version-8-plain", frame(tar(**of()))
    yield "members", frame(tar(**of(members=True)))
    yield "sealed-members", frame(tar(**of(sealed=True, members=True), name=None))
    yield "recovery", frame(tar(**of(members=True, recovery=LAB.key)))
    yield "zstd-unused-bit", frame(tar(), 0x10)
    yield "sealed-recovery", frame(tar(**of(sealed=True, members=True, recovery=LAB.key), name=None))
    yield "name-escaped", frame(tar(name='"\\\u001f\u00fc/\u007f'))
    yield "more-zeros", frame(tar(tail=bytes(10240)))
    yield "most-zeros", frame(tar(tail=bytes(1 << 20)))

def sorted_members(files):
    from sea_bundle import place
    return sorted(files.items(), key=lambda one: place(one[0]))

def bad():
    plain, first = tar(), header(f"{OWN}/1/0", len(FIRST))
    start = plain.index(first)
    zip_ = b"PK\x03\x04" + bytes(600)
    yield "empty", "truncated", b""
    yield "text", "not-a-bundle", b"hello\n" * 200
    yield "zip", "not-a-bundle", zip_
    yield "zeros", "not-a-bundle", frame(bytes(10240))
    yield "container-as-tar", "not-a-bundle", frame(b"".join(member(n, d) for n, d in BLOCKS.items()) + bytes(1024))
    yield "name-goes-on", "not-a-bundle", frame(tar(parts={"MANIFEST.json": member("MANIFEST.json2", b"x")}))
    yield "older", "incompatible", frame(tar(line=lambda t: t.replace('"sea":4', '"sea":3', 1)))
    yield "newer", "incompatible", frame(tar(line=lambda t: t.replace('"sea":4', '"sea":5', 1)))
    for name, at in (("in-first-header", 300), ("in-manifest", 900), ("in-header", start + 100), ("before-content", start + 512), ("in-content", start + 600),
                     ("in-padding", start + 512 + len(FIRST) + 3), ("before-member", start), ("before-end", len(plain) - 2048),
                     ("in-end", len(plain) - 1530), ("before-zeros", len(plain) - 1024), ("in-zeros", len(plain) - 1), ("one-block-of-zeros", len(plain) - 512)):
        yield f"cut-{name}", "truncated", frame(plain[:at])
    yield "zeros-odd", "truncated", frame(plain + bytes(100))
    for name, data in (("gzip", gz(plain)), ("xz", xz(plain)), ("zstd", frame(plain))):
        yield f"{name}-cut", "truncated", data[:-3] if name == "zstd" else data[:-20]
        yield f"{name}-cut-early", "truncated", data[:30]
        yield f"{name}-and-more", "trailing", data + b"more"
        yield f"{name}-and-zeros", "trailing", data + bytes(512)
        yield f"{name}-flipped", "bad-compression", data[:{"gzip": 10, "xz": 28, "zstd": 6}[name]] + b"\x07\x07\x70" + data[31:]
    yield "second-archive", "trailing", frame(plain + plain)
    yield "byte-in-zeros", "trailing", frame(plain[:-1] + b"\1")
    yield "xz-twice", "trailing", xz(plain) * 2
    yield "zstd-twice", "trailing", frame(plain) * 2
    yield "plain-and-more", "trailing", plain + b"more"
    yield "gzip-crc", "bad-compression", flipped(gz(plain), -8)
    yield "gzip-size", "bad-compression", flipped(gz(plain), -4)
    yield "gzip-method", "bad-compression", flipped(gz(plain), 2)
    yield "gzip-flag", "bad-compression", gz(plain)[:3] + b"\x80" + gz(plain)[4:]
    yield "gzip-in-gzip", "bad-compression", gz(gz(plain))
    yield "gzip-in-xz", "bad-compression", xz(gz(plain))
    yield "zstd-in-zstd", "bad-compression", frame(frame(plain))
    yield "zstd-skippable-first", "not-a-bundle", b"\x50\x2a\x4d\x18\4\0\0\0four" + frame(plain)
    yield "zstd-dictionary", "bad-compression", frame(plain, 1, b"\x50\1")
    yield "zstd-reserved-bit", "bad-compression", frame(plain, 8)
    yield "zstd-reserved-block", "bad-compression", frame(plain, kind=3)
    yield "zstd-window", "too-large", frame(plain, 0, b"\x81")
    yield "zstd-window-by-size", "too-large", frame(plain, 0xE0, struct.pack("<Q", (64 << 20) + 1))
    yield "xz-check", "bad-compression", xz(plain, wrong=b"four")
    yield "xz-filter", "bad-compression", xz(plain, filters=b"\x03\1\0")
    yield "xz-dictionary", "too-large", xz(plain, dictionary=29)
    # Headers: everything but name and size is fixed.
    for name, at, data in (("mode", 100, b"000600 "), ("owner", 108, b"000001 "), ("time", 136, b"00000000000"), ("user", 265, b"root"),
                           ("prefix", 345, b"x"), ("link-name", 157, b"info.json"), ("magic", 257, b"ustar  \0"), ("device", 329, b"000001 "),
                           ("type-nul", 156, b"\0"), ("type-link", 156, b"1"), ("type-symlink", 156, b"2"), ("type-device", 156, b"3"),
                           ("type-folder", 156, b"5"), ("type-pipe", 156, b"6"), ("type-pax", 156, b"x"), ("type-long", 156, b"L"),
                           ("size-binary", 124, b"\x80" + bytes(10)), ("size-blank", 124, b"        426 "), ("name-tail", 99, b"x"),
                           ("bytes-behind-name", 97, b"x")):
        yield f"header-{name}", "bad-header", frame(tar(parts={f"{OWN}/1/0": patched(first, at, data) + FIRST + bytes(-len(FIRST) % 512)}))
    yield "header-sum", "bad-header", frame(tar(parts={f"{OWN}/1/0": flipped(member(f"{OWN}/1/0", FIRST), 150)}))
    yield "header-sum-blank", "bad-header", frame(tar(parts={f"{OWN}/1/0": member(f"{OWN}/1/0", FIRST)[:148] + b" " + member(f"{OWN}/1/0", FIRST)[149:]}))
    yield "header-of-manifest", "bad-header", frame(patched(plain[:512], 100, b"000600 ") + plain[512:])
    yield "pax-before", "unexpected", frame(tar(parts={f"{OWN}/1/0": member("PaxHeaders/0", b"19 path=../escape\n\n") + member(f"{OWN}/1/0", FIRST)}))
    yield "padding", "bad-header", frame(tar(parts={f"{OWN}/1/0": member(f"{OWN}/1/0", FIRST, padding=1)}))
    # Members that are not the next one.
    for name, path in (("unknown", "README"), ("parent", "../escape"), ("absolute", "/etc/passwd"), ("dot", f"./{OWN}/1/0"), ("index", f"{OWN}/1/00"),
                       ("upper", f"{OWN.upper()}/1/0"), ("temporary", f"{OWN}/.sea-tmp-" + "0" * 32), ("manifest-again", "MANIFEST.json")):
        yield f"member-{name}", "unexpected", frame(tar(parts={f"{OWN}/1/0": member(path, FIRST)}))
    yield "member-twice", "out-of-order", frame(tar(order=["info.json", f"{OWN}/1/0", f"{OWN}/1/0", f"{OWN}/1/1"]))
    yield "members-swapped", "missing", frame(tar(order=["info.json", f"{OWN}/1/1", f"{OWN}/1/0"]))
    yield "member-missing", "missing", frame(tar(order=["info.json", f"{OWN}/1/1"]))
    yield "last-member-missing", "missing", frame(tar(order=["info.json", f"{OWN}/1/0"]))
    yield "member-too-many", "unexpected", frame(tar(parts={"END": member(f"{OWN}/1/2", b"x") + member("END", b"x" * 65)}))
    yield "no-end", "missing", frame(tar(parts={"END": b""}))
    yield "end-long", "wrong-size", frame(tar(end=sha(manifest(BLOCKS)[0]).hex().encode() + b"\n\n"))
    yield "end-of-another", "wrong-digest", frame(tar(end=sha(b"another").hex().encode() + b"\n"))
    yield "end-upper", "wrong-digest", frame(tar(end=sha(manifest(BLOCKS)[0]).hex().upper().encode() + b"\n"))
    yield "size", "wrong-size", frame(tar(parts={f"{OWN}/1/0": member(f"{OWN}/1/0", FIRST + b"x")}))
    yield "content", "wrong-digest", frame(tar(parts={f"{OWN}/1/0": member(f"{OWN}/1/0", flipped(FIRST, -1))}))
    yield "manifest-flipped", "wrong-digest", frame(plain.replace(b'"absentAssets":0', b'"absentAssets":1'))
    for name, data in (("short", FIRST[:-1]), ("long", FIRST + b"x"), ("header", FIRST[:79]), ("empty", b""), ("magic", b"sea" + FIRST[3:]), ("two", FIRST + SECOND)):
        yield f"block-{name}", "wrong-size", frame(tar({f"{OWN}/1/0": data}))
    for name, data in (("999", fake() * 999), ("1001", fake() * 1001), ("cut", fake() * 999 + fake()[:-1])):
        yield f"folded-{name}", "wrong-size", frame(tar({f"{OWN}/1.blocks": data}))
    yield "zeros-too-many", "too-large", frame(tar(tail=bytes((1 << 20) + 512)))
    yield "manifest-too-large", "too-large", frame(patched(plain[:512], 124, b"%011o" % ((2 << 30) + 1)) + plain[512:])
    yield from bad_manifests()

def bad_manifests():
    def edit(old, new, count=1):
        def line(text):
            assert old in text, old
            return text.replace(old, new, count)
        return frame(tar(line=line))
    yield "manifest-blank", "bad-manifest", edit('"sea":4', '"sea": 4')
    yield "manifest-line", "bad-manifest", edit(',\n"from"', ',"from"')
    yield "manifest-crlf", "bad-manifest", edit("\n", "\r\n", -1)
    yield "manifest-not-json", "bad-manifest", edit('{"sea"', "sea")
    yield "manifest-unknown-key", "bad-manifest", edit('"sealed"', '"later":1,"sealed"')
    yield "manifest-key-twice", "bad-manifest", edit('"sealed":false', '"sealed":false,"sealed":false')
    yield "manifest-keys-swapped", "bad-manifest", edit('"blocks":2,"assets":0', '"assets":0,"blocks":2')
    yield "manifest-database-upper", "bad-manifest", edit(str(DATABASE), str(DATABASE).upper())
    yield "manifest-escape", "bad-manifest", edit('"field"', '"\\u0066ield"')
    yield "manifest-escape-upper", "bad-manifest", edit('"field"', '"\\u001F"')
    yield "manifest-escape-short", "bad-manifest", edit('"field"', '"\\n"')
    yield "manifest-name-when-sealed", "bad-manifest", frame(tar(**of(sealed=True)))
    plain, closed, free = of(), of(sealed=True) | {"name": None}, of(members=True)
    right = closed["proof"]
    for name, facts in {
        "missing": closed | {"proof": None}, "of-version-4": {"proof": plain["proof"]}, "of-another": plain | {"proof": free["proof"]}, "upper": closed | {"proof": right.upper()},
        "short": closed | {"proof": right[:-2]}, "without-flags": closed | {"proof": right[:64]}, "recovery-missing": of(members=True, recovery=LAB.key) | {"proof": of(members=True, recovery=LAB.key)["proof"][:130]},
        "recovery-without-flag": of(recovery=LAB.key, flags=2), "flag-without-recovery": of(flags=6), "recovery-of-founder": of(members=True, recovery=FIELD.key), "recovery-without-members": of(recovery=LAB.key),
        "unknown-flag": of(flags=8), "low-order": of(key=(1).to_bytes(32, "little")), "sealed-and-said-plain": closed | {"sealed": False}, "plain-and-said-sealed": plain | {"sealed": True, "name": None},
        "of-another-content-type": plain | {"contentType": "org.example.birds"},
        "version-4-sealed": {"sealed": True, "name": None}, "version-1": {"databaseID": "3e0d9a52-0c1b-1f6a-8a77-2f5d1c9b6e40"}, "version-5": {"databaseID": "3e0d9a52-0c1b-5f6a-8a77-2f5d1c9b6e40"},
    }.items():
        yield f"manifest-proof-{name}", "bad-manifest", frame(tar(**facts))
    def moved(text):
        line = f'"proof":"{plain["proof"]}",\n'
        return text.replace(line, "").replace('"from"', '"from"', 1).replace('"base"', line + '"base"', 1)
    yield "manifest-proof-later", "bad-manifest", frame(tar(**plain, line=moved))
    yield "manifest-proof-on-the-line-before", "bad-manifest", frame(tar(**plain, line=lambda t: t.replace(',\n"proof"', ',"proof"', 1)))
    yield "manifest-info-without-proof", "bad-manifest", frame(tar({"info.json": info({"databaseID": plain["databaseID"], "contentType": "org.example.notes"})} | BLOCKS, **plain))
    yield "manifest-number", "bad-manifest", edit('"absentAssets":0', '"absentAssets":00')
    yield "manifest-number-negative", "bad-manifest", edit('"absentAssets":0', '"absentAssets":-1')
    yield "manifest-number-large", "bad-manifest", edit('"absentAssets":0', '"absentAssets":9223372036854775808')
    for key, value in (("blocks", 3), ("assets", 1), ("members", 4), ("bytes", 10**6), ("bytes", 0)):
        yield f"manifest-{key}-{value}", "bad-manifest", frame(tar(said={key: value}))
    yield "manifest-members-too-many", "too-large", frame(tar(said={"members": 10_000_001}))
    yield "manifest-empty-list", "bad-manifest", edit_list("")
    yield "manifest-no-end", "bad-manifest", edit("\n]}\n", "\n]\n")
    yield "manifest-more-behind", "bad-manifest", edit("\n]}\n", "\n]}\n\n")
    yield "manifest-cut-line", "bad-manifest", edit("\n]}\n", "\n]}")
    yield "manifest-no-comma", "bad-manifest", edit('"},\n{"path":"tr', '"}\n{"path":"tr')
    yield "manifest-comma-at-end", "bad-manifest", edit('"}\n]}', '"},\n]}')
    for name, path in (("parent", "../escape"), ("absolute", "/escape"), ("dots", f"{OWN}/1/../1/0"), ("unknown", "README"), ("slash", f"{OWN}//1/0"),
                       ("index", f"{OWN}/1/00"), ("index-place", f"{OWN}/2/0/5"), ("index-large", f"{OWN}/4/4/294/967/296"), ("folder", f"{OWN}/1"), ("case", f"{OWN}/1/A"), ("end", "END"),
                       ("key", "keys/a"), ("hook", "backup/hooks/../x"), ("escaped", "transactions\\/x"), ("folded", f"{OWN}/2/0.blocks"), ("folded-asset", f"assets/{FIELD.id}/1.blocks")):
        yield f"manifest-path-{name}", "bad-manifest", edit(f'"path":"{OWN}/1/0"', f'"path":"{path}"')
    for name, rest in (("zero", "1/01"), ("place", "2/0/5"), ("large", "4/4/294/967/296"), ("end", "1/"), ("more", "1/1/"), ("slashes", "1//1"), ("letter", "1/1x"),
                       ("digits", "1/1000"), ("depth", "5/1/0/0/0/0"), ("short", "2/1"), ("long", "1/1/1"), ("none", "0/1"), ("sign", "1/+1")):
        yield f"manifest-second-path-{name}", "bad-manifest", edit(f'"path":"{OWN}/1/1"', f'"path":"{OWN}/{rest}"')
    yield "manifest-digest-upper", "bad-manifest", edit(sha(FIRST).hex(), sha(FIRST).hex().upper())
    yield "manifest-digest-short", "bad-manifest", edit(sha(FIRST).hex(), sha(FIRST).hex()[:-1])
    yield "manifest-info-missing", "bad-manifest", frame(tar(line=lambda t: re.sub(r'{"path":"info.json"[^\n]*\n', "", t)))
    yield "manifest-info-of-another", "bad-manifest", edit("org.example.notes", "org.example.birds")
    yield "manifest-twice", "out-of-order", edit(f'"path":"{OWN}/1/1"', f'"path":"{OWN}/1/0"')
    yield "manifest-backwards", "out-of-order", frame(tar(dict(reversed(BLOCKS.items()))))
    yield "manifest-keys-last", "out-of-order", frame(tar(BLOCKS | {KEY: b"a slot"}))
    yield "manifest-asset-before-block", "out-of-order", frame(tar({ASSET: b"x"} | BLOCKS))
    yield "manifest-fork-first", "out-of-order", frame(tar({f"{OWN}~{BRANCH}/1/1": b"x"} | BLOCKS))
    yield "manifest-block-in-folded", "out-of-order", frame(tar({f"{OWN}/1.blocks": FIRST, f"{OWN}/1/1": SECOND}))
    yield "manifest-block-before-folded", "out-of-order", frame(tar({f"{OWN}/1/0": FIRST, f"{OWN}/1.blocks": SECOND}))
    yield "manifest-member-large", "too-large", frame(tar(line=lambda t: t.replace(f'"size":{len(FIRST)}', f'"size":{2**32 - 1}').replace(
        f'"bytes":', '"bytes":9')))
    twice = [head_of(FIELD, FIRST), head_of(FIELD, SECOND)]
    yield "manifest-base-twice", "bad-manifest", frame(tar(base=twice))
    yield "manifest-base-backwards", "bad-manifest", frame(tar(base=[head_of(FIELD, FIRST), head_of(LAB, LAB.genesis())]))
    yield "manifest-base-key-short", "bad-manifest", frame(tar(base=[head_of(FIELD, FIRST, key="00")]))
    yield "manifest-base-index", "bad-manifest", frame(tar(base=[head_of(FIELD, FIRST) | {"index": 2**32}]))

def edit_list(lines):
    return frame(tar(line=lambda text: text[:text.index('"list":[\n') + 9] + lines + "]}\n"))

def vectors():
    for name, data in good():
        digest, said, files = read(data)
        yield f"bundle/{name}.vec", [("name", name), ("expect", "ok"), ("digest", digest), ("members", len(files))], data
    for name, code, data in bad():
        yield f"bundle/{name}.vec", [("name", name), ("expect", code)], data

def judge(said, data):
    """What the second reader says of a vector."""
    try:
        digest, _, files = read(data)
    except Refused as code:
        raise Bad(str(code))
    return {"digest": digest, "members": str(len(files))}
