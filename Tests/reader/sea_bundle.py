#!/usr/bin/env python3
"""A second reader of bundles, written from sea-bundle(5) alone.

usage: sea_bundle.py [-x FOLDER] FILE...       FILE... are the volumes of one bundle

Prints the digest of the manifest and the path, size and digest of every member; with -x unpacks the members into FOLDER.
What it refuses it names on standard error and ends with status 5.
"""
import hashlib, json, lzma, os, re, struct, subprocess, sys, uuid, zlib
from sea_header import HEADER, length
from sea_names import read_proof
from sea_values import Bad

class Refused(Exception):
    pass

def need(truth, code):
    if not truth:
        raise Refused(code)

WINDOW, FILE, HEAD, MANIFEST, MEMBERS, PADDING = 64 << 20, 2**32 - 2, 16 << 20, 2 << 30, 10_000_000, 1 << 20

# -- compression: one stream, bounded memory, nothing behind it

def gunzip(data):
    need(len(data) >= 4, "truncated")
    need(data[2] == 8 and data[3] & 0xE0 == 0, "bad-compression")
    inflate = zlib.decompressobj(31)
    try:
        content = inflate.decompress(data)
    except zlib.error:
        raise Refused("bad-compression")
    need(inflate.eof, "truncated")
    need(not inflate.unused_data, "trailing")
    return content

def lzma_stream(data):
    inner = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    need(len(data) >= 12, "truncated")
    xz_headers(data)
    try:
        content = inner.decompress(data)
    except lzma.LZMAError:
        raise Refused("bad-compression")
    need(inner.eof, "truncated")
    need(not inner.unused_data, "trailing")
    return content

def number(data, at):
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    raise Refused("truncated")

def xz_headers(data):
    """The filters of every block: LZMA2 alone, with a dictionary of at most 64 MiB."""
    check, at = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][data[7] & 15], 12
    while at < len(data) and data[at]:
        header = data[at:at + data[at] * 4 + 4]
        need(len(header) == data[at] * 4 + 4, "truncated")
        need(header[1] & 0x3F == 0, "bad-compression")
        p = 2
        for flag in (0x40, 0x80):
            if header[1] & flag:
                p = number(header, p)[1]
        need(header[p] == 0x21 and header[p + 1] == 1, "bad-compression")
        bits = header[p + 2]
        need(bits <= 40, "bad-compression")
        need((2**32 - 1 if bits == 40 else (2 | bits & 1) << bits // 2 + 11) <= WINDOW, "too-large")
        at = start = at + len(header)
        while True:
            need(at < len(data), "truncated")
            control = data[at]
            if control == 0:
                break
            need(control < 3 or control >= 0x80, "bad-compression")
            size = 2 if control < 3 else 4 + (control >= 0xC0)
            chunk = data[at + 1:at + 1 + size]
            need(len(chunk) == size, "truncated")
            at += 1 + size + struct.unpack(">H", chunk[:2] if control < 3 else chunk[2:4])[0] + 1
        at += 1
        at += -(at - start) % 4 + check

def unzstd(data):
    """One frame. What other blocks than stored ones hold is left to zstd(1)."""
    need(len(data) >= 5, "truncated")
    flags, at, content, coded = data[4], 5, [], False
    need(flags & 0x0B == 0, "bad-compression")
    single, width = flags & 0x20, [1 if flags & 0x20 else 0, 2, 4, 8][flags >> 6]
    fields = data[at:at + width + (not single)]
    need(len(fields) == width + (not single), "truncated")
    if single:
        window = int.from_bytes(fields, "little") + (256 if width == 2 else 0)
    else:
        window = (1 << 10 + (fields[0] >> 3)) * (8 + (fields[0] & 7)) // 8
    need(window <= WINDOW, "too-large")
    at += len(fields)
    while True:
        need(at + 3 <= len(data), "truncated")
        head = int.from_bytes(data[at:at + 3], "little")
        last, kind, size = head & 1, head >> 1 & 3, head >> 3
        need(kind != 3 and size <= 128 << 10, "bad-compression")
        stored = data[at + 3:at + 3 + (1 if kind == 1 else size)]
        need(len(stored) == (1 if kind == 1 else size), "truncated")
        content.append(stored * size if kind == 1 else stored)
        coded |= kind == 2
        at += 3 + len(stored)
        if last:
            break
    if flags & 4:
        need(at + 4 <= len(data), "truncated")
        at += 4
    need(at == len(data), "trailing")
    if coded or flags & 4:
        done = subprocess.run(["zstd", "-dqc", "--no-progress"], input=data, capture_output=True)
        need(done.returncode == 0, "bad-compression")
        return done.stdout
    return b"".join(content)

def decompressed(data):
    for magic, way in ((b"\x1f\x8b", gunzip), (b"\xfd7zXZ\0", lzma_stream), (b"\x28\xb5\x2f\xfd", unzstd)):
        if data.startswith(magic):
            tar = way(data)
            need(not any(tar.startswith(m) for m in (b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")), "bad-compression")
            return tar
    return data

# -- tar

def header(name, size):
    """The one header of a member."""
    zero = b"000000 \0"
    start = name.encode().ljust(100, b"\0") + b"000644 \0" + zero + zero + b"%011o 11145401322 " % size
    rest = b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(64) + zero + zero + bytes(167)
    return start + b"%06o\0 " % (sum(start + rest) + 8 * 32) + rest

class Tar:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        piece = self.data[self.at:self.at + size]
        self.at += len(piece)
        need(len(piece) == size, "truncated")
        return piece

    def content(self, size):
        piece = self.take(size)
        need(not any(self.take(-size % 512)), "bad-header")
        return piece

    def manifest(self):
        first = self.data[:512]
        if len(first) < 512:
            raise Refused("truncated" if not first or first.startswith(b"MANIFEST.json\0") else "not-a-bundle")
        need(first.startswith(b"MANIFEST.json\0"), "not-a-bundle")
        need(re.fullmatch(rb"[0-7]{11}", first[124:135]), "bad-header")
        size = int(first[124:135], 8)
        need(self.take(512) == header("MANIFEST.json", size), "bad-header")
        need(size <= MANIFEST, "too-large")
        return self.content(size)

    def member(self, name, size, order):
        """The content of the member that has to be next; `order` is its place, None for END."""
        there = self.take(512)
        if there != header(name, size):
            its = there[:100].split(b"\0")[0].decode(errors="replace")
            octal = re.fullmatch(rb"[0-7]{11}", there[124:135])
            if not octal or len(its.encode()) > 100 or there != header(its, int(octal[0], 8)):
                raise Refused("bad-header" if any(there) else "missing")
            if its == name:
                raise Refused("wrong-size")
            if its == "END":
                raise Refused("missing")
            other = place(its)
            if other is None or order is None:
                raise Refused("unexpected")
            raise Refused("out-of-order" if other < order else "missing")
        return self.content(size)

    def end(self):
        rest = self.data[self.at:]
        need(not any(rest), "trailing")
        need(len(rest) <= PADDING, "too-large")
        need(len(rest) >= 1024 and len(rest) % 512 == 0, "truncated")

# -- names

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
DIGIT = "(?:0|[1-9][0-9]{0,2})"

def index(path):
    """The number that a path of digits means."""
    parts = path.split("/")
    if not all(re.fullmatch(DIGIT, p) for p in parts) or parts[0] != str(len(parts) - 1) or len(parts) < 2:
        return None
    if len(parts) > 2 and parts[1] == "0":
        return None
    value = 0
    for digit in parts[1:]:
        value = value * 1000 + int(digit)
    return value if value < 2**32 else None

def chain_order(name):
    instance, _, fork = name.partition("~")
    return uuid.UUID(instance).bytes, int(fork, 16) if fork else -1

def place(path):
    """Where in the order a member stands: a tuple; None if it has no place. Blocks end with their first and last number."""
    if path == "info.json":
        return (0,)
    if re.fullmatch("keys/[0-9a-f]{64}", path):
        return 1, path
    if re.fullmatch("requests/" + UUID, path):
        return 2, path
    found = re.fullmatch(f"transactions/({UUID}(?:~[0-9a-f]{{32}})?)/(.*)", path)
    if found:
        chain, rest = found.groups()
        if rest.endswith(".blocks"):
            first = index(rest[:-7] + "/0")
            return (3, chain_order(chain), first, -first - 999) if first is not None and first % 1000 == 0 and first + 999 < 2**32 else None
        number = index(rest)
        return None if number is None else (3, chain_order(chain), number, -number)
    found = re.fullmatch(f"assets/({UUID})/(.*)", path)
    if found:
        number = index(found[2])
        return None if number is None else (4, uuid.UUID(found[1]).bytes, number)
    if path == "backup/config" or re.fullmatch("backup/hooks/[a-z0-9][a-z0-9.-]{0,63}", path):
        return 5, path
    return None

def follows(own, last):
    if own <= last:
        return False
    return own[:2] != last[:2] or own[0] != 3 or -last[3] < own[2]

# -- the manifest

def text(value):
    """A text in the one form: escapes for quotes, backslashes and control characters only."""
    return '"' + "".join({'"': '\\"', "\\": "\\\\"}.get(c, c if c >= " " else "\\u%04x" % ord(c)) for c in value) + '"'

def heads(items):
    return "[" + ",".join("{" + ",".join(
        f'"{k}":{v}' if type(v) is int else f'"{k}":"{v}"' for k, v in item.items()) + "}" for item in items) + "]"

def container(database):
    raw = bytearray(hashlib.sha256(b"sea bundle v1" + database.bytes).digest()[:16])
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return uuid.UUID(bytes=bytes(raw))

def info(said):
    database, proof = uuid.UUID(said["databaseID"]), bytes.fromhex(said.get("proof", ""))
    flags, rest = (proof[32:33] or b"\0")[0], proof[65:]
    more = f',"founder":"{proof[:32].hex()}"' if proof else ""
    more += f',"sealed":"{rest[:32].hex()}"' if flags & 1 else ""
    more += ',"members":true' if flags & 2 else ""
    more += f',"recovery":"{rest[-32:].hex()}"' if rest[32 * (flags & 1):] else ""
    return (f'{{"sea":4,"containerID":"{container(database)}","databaseID":"{database}",'
            f'"contentType":{text(said["contentType"])}{more}}}\n').encode()

def proven(said):
    """Whether the proof, or that there is none, fits the databaseID and what is said of it."""
    database, proof = uuid.UUID(said["databaseID"]), said.get("proof")
    try:
        need(proof is None or re.fullmatch("[0-9a-f]{130}|[0-9a-f]{194}|[0-9a-f]{258}", proof), "bad-manifest")
        found = read_proof(proof and bytes.fromhex(proof), database)
    except Bad:
        return False
    return said["sealed"] == bool(found and found.sealed) and (not found or found.kind == hashlib.sha256(said["contentType"].encode()).digest())

def head_text(said):
    name = f'"name":{text(said["name"])},' if "name" in said else ""
    proof = f'"proof":"{said["proof"]}",\n' if "proof" in said else ""
    return (f'{{"sea":4,"databaseID":"{said["databaseID"]}","contentType":{text(said["contentType"])},"sealed":{str(said["sealed"]).lower()},\n{proof}'
            f'"from":"{said["from"]}",{name}"absentAssets":{said["absentAssets"]},\n"base":{heads(said["base"])},\n"heads":{heads(said["heads"])},\n'
            f'"blocks":{said["blocks"]},"assets":{said["assets"]},"members":{said["members"]},"bytes":{said["bytes"]},\n"list":[\n')

FIELDS = {"chain": UUID + "(?:~[0-9a-f]{32})?", "digest": "[0-9a-f]{64}", "key": "[0-9a-f]{64}"}

def check_heads(items):
    last = None
    for item in items:
        keys = [k for k in ("chain", "index", "digest", "lamport", "key") if k in item]
        need(list(item) == keys and keys[:3] == ["chain", "index", "digest"], "bad-manifest")
        for key, value in item.items():
            if key in FIELDS:
                need(type(value) is str and re.fullmatch(FIELDS[key], value), "bad-manifest")
            else:
                need(type(value) is int and 0 <= value < 2**32, "bad-manifest")
        order = chain_order(item["chain"])
        need(last is None or last < order, "bad-manifest")
        last = order

def counts(members):
    """blocks, assets, members, bytes."""
    blocks = assets = total = 0
    for path, size, _ in members:
        where = place(path)
        blocks += where[0] == 3 and -where[3] - where[2] + 1
        assets += where[0] == 4
        total += size
    return blocks, assets, len(members), total

def manifest(data):
    """What is said before the list, and path, size and digest of the members."""
    start = data.find(b'"list":[\n')
    begin = data if start < 0 else data[:start]
    need(len(begin) <= HEAD, "too-large")
    version = re.match(rb'\{"sea":([1-9][0-9]{0,17}|0),', data)
    need(version, "bad-manifest")
    need(int(version[1]) == 4, "incompatible")
    need(start >= 0 and data.endswith(b"\n]}\n"), "bad-manifest")
    try:
        said = json.loads(begin.decode() + '"list":[]}')
        need(all(re.fullmatch(UUID, said[k]) for k in ("databaseID", "from")) and type(said["sealed"]) is bool, "bad-manifest")
        need(all(type(said[k]) is int and 0 <= said[k] < 2**63 for k in ("absentAssets", "blocks", "assets", "members", "bytes")), "bad-manifest")
        check_heads(said["base"])
        check_heads(said["heads"])
        need(head_text(said).encode() == begin + b'"list":[\n', "bad-manifest")
        need(proven(said), "bad-manifest")
        need("name" not in said or not said["sealed"], "bad-manifest")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused("bad-manifest")
    need(said["members"] <= MEMBERS, "too-large")
    lines = data[start + 9:-4].split(b"\n")
    members, last = [], None
    for n, line in enumerate(lines):
        found = re.fullmatch(rb'\{"path":"([ !#-\[\]-~]*)","size":(0|[1-9][0-9]{0,17}),"sha256":"([0-9a-f]{64})"\}' + (b"," if n + 1 < said["members"] else b""), line)
        need(found, "bad-manifest")
        path, size, where = found[1].decode(), int(found[2]), place(found[1].decode())
        need(where is not None, "bad-manifest")
        if last is None:
            own = info(said)
            need((path, size, found[3].decode()) == ("info.json", len(own), hashlib.sha256(own).hexdigest()), "bad-manifest")
        else:
            need(follows(where, last), "out-of-order")
        need(size <= FILE, "too-large")
        members.append((path, size, found[3].decode()))
        last = where
    need(counts(members) == tuple(said[k] for k in ("blocks", "assets", "members", "bytes")), "bad-manifest")
    return said, members

def whole(data, count):
    """That many blocks by their own sizes, and nothing else."""
    at = 0
    for _ in range(count):
        if data[at:at + 3] != b"SEA" or len(data) < at + HEADER:
            return False
        at += length(data[at:at + HEADER])
    return at == len(data)

def read(data):
    """The digest that names a bundle, what it says, and the content of its members by path."""
    tar = Tar(decompressed(data))
    raw = tar.manifest()
    said, members = manifest(raw)
    digest, files = hashlib.sha256(raw).hexdigest(), {}
    for path, size, sha in members:
        files[path] = tar.member(path, size, place(path))
        need(hashlib.sha256(files[path]).hexdigest() == sha, "wrong-digest")
        if path.startswith("transactions/"):
            need(whole(files[path], 1 - place(path)[3] - place(path)[2]), "wrong-size")
    need(tar.member("END", 65, None) == digest.encode() + b"\n", "wrong-digest")
    tar.end()
    return digest, said, files

def main(arguments):
    folder = arguments[1] if arguments[0] == "-x" else None
    data = b""
    for path in arguments[2 if folder else 0:]:
        with open(path, "rb") as file:
            data += file.read()
    try:
        digest, said, files = read(data)
    except Refused as code:
        print(code, file=sys.stderr)
        return 5
    print(digest)
    for path, content in files.items():
        print(len(content), hashlib.sha256(content).hexdigest(), path)
        if folder:
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "xb") as file:
                file.write(content)
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
