"""The worked examples of sea-record(5), sea-format(5), sea-members(5), sea-merge(5) and sea-bundle(5), made here so that the pages
cannot drift from the bytes. Whole blocks are read by the second reader before they are shown."""
import hashlib, hmac, struct
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from block_vectors import ONE, run_inside
from chain_vectors import EDIT
from sea_header import BEFORE_DATA, COUNT, DATA, HEADER, PREVIOUS, ROW, SIGNATURE, content, data_of, number
import bundle_vectors, hint_vectors, member_vectors, name_vectors, recovery_vectors, sea_bundle, sea_clock, sea_frames, sea_merge, sea_reader
from merge_vectors import Story, counter, tags
from sea_names import recovery_words, words
from sea_removal import Whole
from sea_seal import Keys, Slot, hkdf
from sea_sealer import DATABASE as SEALED_DATABASE, Sealed, asset, instance_slot, password_slot, previous_slot, request as join_request
from sea_writer import COMPRESSED, CONTROL, DATABASE, PROOFS, SIGNED, TIME, Instance, Tag, change as change_of, clear_array, clear_list, day, enc, hash_of, head, labeled, moment, \
    named, purge, rev, sha, state, text

FIELD, LAB = Instance("field"), Instance("lab")
FIRST = FIELD.genesis()
SECOND = FIELD.block([ONE], state(FIRST), label="first")

def dump(*rows):
    """Bytes in hex, sixteen to a line, and what they are."""
    lines = []
    for data, meaning in rows:
        pieces = [data[k:k + 16].hex() for k in range(0, len(data), 16)] or [""]
        lines.append(f"{pieces[0]:34}{meaning}".rstrip())
        lines += pieces[1:]
    return "\n".join(lines) + "\n"

def fold(data):
    return "\n".join(data.hex()[k:k + 64] for k in range(0, len(data.hex()), 64)) + "\n"

def values():
    yield "true", True
    yield "64", 64
    yield "-500", -500
    yield '{"$int":"18446744073709551616"}', 2**64
    yield "1.5", 1.5
    yield "0.1", 0.1
    yield "1e+30", 1e30
    yield '{"$decimal":"12.50"}', Tag(4, [-2, 1250])
    yield '"Gr\u00fc\u00dfe"', "Gr\u00fc\u00dfe"
    yield '{"$data":"q83vEjRW"}', bytes.fromhex("abcdef123456")
    yield '{"$date":"2026-03-01T00:00:00Z"}', Tag(1, 1772323200)
    yield '{"$date":"2026-03-01T00:00:00.500Z"}', moment(1772323200500)
    yield '{"$date":"1969-12-31T23:59:59.500Z"}', moment(-500)
    yield '{"$day":"1927-01-26"}', day("1927-01-26")
    yield '{"$label":"HomePhone","$value":"1"}', labeled("HomePhone", "1")
    yield '[1,null]', [1, None]
    yield '{"b":1,"aa":2}', {"b": 1, "aa": 2}
    yield '{"$ref":"person/ada"}', {"$ref": "person/ada"}
    yield '{"$ref":"n/0","as":"above"}', {"$ref": "n/0", "as": "above"}
    yield '{"$dict":{"$a":1}}', {"$dict": {"$a": 1}}
    yield '{"$counter":7}', {"$counter": {FIELD.id.bytes: [5, 1], LAB.id.bytes: [3, 0]}}
    yield '{"$set":["db"]}', {"$set": [["db", [sha(b"x")]]]}
    yield '{"$asset":"UUID/17",...}', {"$asset": f"{FIELD.id}/17", "mime": "image/png", "size": 2, "sha256": sha(b"hi")}

def value_kinds():
    return "".join(f"{json}\n" + "".join(f"    {line}\n" for line in fold(enc(v)).splitlines()) for json, v in values())

def change_rows(c):
    names = ["id", "type", "parent", "merged", "kind", "body"]
    return [(head(4, 6), "array of 6")] + [(enc(item), f"{name}: {said_of(item)}") for name, item in zip(names, c)]

def said_of(item):
    if isinstance(item, list) and item:
        return f"depth {item[0]}, digest"
    if isinstance(item, dict):
        return "map of 2, see below" if len(item) > 2 else str(item).replace("'", '"')
    return {None: "null"}.get(item, f'"{item}"') if not isinstance(item, list) else "none"

def change():
    return dump(*change_rows(ONE)) + "\n" + dump(*change_rows(EDIT))

def digest():
    covered = b"\x87" + enc("sea rev v1") + b"".join(map(enc, ONE))
    return dump((b"\x87", "array of 7"), (enc("sea rev v1"), '"sea rev v1"'), (covered[12:], "the six items above")) \
        + f"\nSHA-256: {rev(ONE)[1].hex()}\n_rev:    {text(rev(ONE))[:40]}...\n" + f"child:   {text(rev(EDIT))[:40]}...\n"

MODES = ((SIGNED, "signed"), (COMPRESSED, "compressed"), (CONTROL, "with a control entry"))

def moded(mode):
    said = [words for bit, words in MODES if mode & bit]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)

def header_rows(b):
    return [(b[:3], '"SEA"'), (b[3:4], "mode: " + moded(b[3])), (b[4:8], f"size: {len(b) - HEADER}"), (b[8:12], f"index: {state(b)[0]}"),
            (b[12:16], f"Lamport time: {state(b)[1]}"), (b[COUNT], f"heads: {number(b[COUNT]) or 'none'}"), (b[PREVIOUS], "previous"), (b[DATA], "data")]

def instance():
    return dump((FIELD.key, "Ed25519 public key"), (sha(b"sea instance v1", FIELD.key), "SHA-256(\"sea instance v1\" + key)"),
                (FIELD.id.bytes, "version 8, variant 10")) + f"\ninstanceID: {FIELD.id}\n"

def door_rows(*more):
    return [(b"\x84", "array of 4"), (b"\x01", "format: 1"), (b"\x80", "needs: none"),
            (head(5, 1 + len(more)), f"about: map of {1 + len(more)}"), (enc("time") + enc(1767225600000), '"time": 1767225600000'),
            *((enc(k) + enc(v), f'"{k}": "{v}"') for k, v in more)]

def genesis():
    b = FIELD.genesis()
    entry = FIELD.entry()
    return dump(*header_rows(b), *door_rows(), (b"\x81", "items: array of 1"), (b"\xa4", "map of 4"),
                (enc("key") + enc(entry["key"]), '"key": Ed25519 public key'), (enc("name") + enc("field"), '"name": "field"'),
                (enc("control") + enc("instance"), '"control": "instance"'),
                (enc("exchange") + enc(entry["exchange"]), '"exchange": X25519 public key'), (b[-64:], "signature")) \
        + f"\nhash: {hash_of(b).hex()}\n"

def second():
    b = SECOND
    return dump(*header_rows(b), *door_rows(("label", "first")), (b"\x81", "items: array of 1"), (enc(ONE), "the change of sea-record(5)"), (b[-64:], "signature")) + f"\nhash: {hash_of(b).hex()}\n"

def signed():
    b = SECOND
    return dump((b"sea block v1", '"sea block v1"'), (DATABASE.bytes, "databaseID"), (FIELD.id.bytes, "instanceID"),
                (b[:BEFORE_DATA], "header without data"), (sha(b""), "SHA-256 of no heads"), (sha(content(b)), "SHA-256 of the content")) + "\n" + dump(
                (sha(b""), "SHA-256 of no heads"), (sha(content(b)), "SHA-256 of the content"), (b[-SIGNATURE:], "signature"), (b[DATA], "data: SHA-256 of these three"))

def read_back(b, after=FIRST, problem=None, by=FIELD):
    """A block that the second reader has read behind another one, and of which it says so."""
    said = sea_reader.block(b, by.database, by.id, after and state(after), by.key if after else None)[2]
    assert said.problem == problem, said.problem
    return said

def removed():
    from sea_writer import removed
    b = SECOND
    gone = removed(b)
    read_back(gone)
    return dump((gone[:4], '"SEA", mode: signed and removed'), (gone[4:HEADER], "the rest of the header as it was"), (gone[HEADER:-SIGNATURE], "SHA-256 of the content"),
                (gone[-SIGNATURE:], "signature as it was")) + f"\nhash: {hash_of(gone).hex()}, as before\n"

def row_rows(row):
    return (row[:16], "instanceID"), (row[16:20], f"index: {number(row[16:20])}"), (row[20:ROW], "hash of that block")

def purge_order():
    entry = purge(FIELD, SECOND, [ONE])
    b = FIELD.block([entry], state(SECOND))
    read_back(b, SECOND)
    rows = clear_list([(FIELD.id.bytes, 1, hash_of(SECOND))])
    gone, = entry["changes"]
    said = ["id", "type", "revision", "parent", "merged", "kind"]
    return dump((rows[:4], "clear list: 1 row"), *row_rows(rows[4:])) + "\n" + dump((b"\xa5", "map of 5"), field("index", 1), field("digest", hash_of(SECOND), "hash of that block"),
                (enc("changes") + b"\x81", '"changes": array of 1'), (b"\x86", "array of 6"), *((enc(item), f"{name}: {said_of(item)}") for name, item in zip(said, gone)),
                field("control", "purge", '"purge"'), field("instance", FIELD.id.bytes, "instanceID"))

def compressed():
    b = FIELD.block([change_of("note/2", {"text": "x" * 1000, "title": "a row"})], state(SECOND), compressed=run_inside)
    read_back(b, SECOND)
    at, rows = HEADER, []
    size, blocks, end = sea_frames.frame(b, at)
    for width, meaning in ((4, "zstd frame: magic number"), (1, "one segment, size in 4 bytes"), (4, f"content size: {size}")):
        rows.append((b[at:at + width], meaning))
        at += width
    for n, (kind, count, data) in enumerate(blocks):
        last = ", the last one" * (n + 1 == len(blocks))
        rows += [(b[at:at + 3], f"block of {count} bytes" + (", all the same" if kind == sea_frames.RUN else ", as they are") + last)]
        rows += [(data, ["the array up to the text of note/2", '"x"', 'the rest: "title": "a row"'][n])]
        at += 3 + len(data)
    assert at == end == len(b) - 64 and len(blocks) == 3
    return dump(*rows)

def clocks():
    """Blocks with right and wrong Lamport times, and what the second reader makes of them."""
    script = "A 2: x\nB 3: >A1\nB 9: x\nB 10: x\nC 8: >D7\nC 9: x"
    _, ids, blocks = member_vectors.read(member_vectors.text(script))
    earned, wrong = sea_clock.judge(blocks)
    times, name = sea_clock.proven(blocks), {id.bytes: one for one, id in ids.items()}
    rows = [f"{'block':7}{'heads':7}{'Lamport time':14}{'state':13}proven time"]
    for b in blocks:
        place = b.instance.bytes, b.hash
        state = "earned" if place in earned else "bad-lamport" if place in wrong else "neither"
        heads = " ".join(f"{name[one[0]]}{one[1]}" for one in b.heads) or "-"
        rows.append(f"{b.label:7}{heads:7}{b.lamport:<14}{state:13}{times[place]}")
    return "\n".join(row.rstrip() for row in rows) + "\n"

def sealed_asset():
    epoch_key, salt, content = bytes(range(32)), bytes(range(0x70, 0x80)), b"hi\n"
    file = asset(content, FIELD.id, 0, key=epoch_key, salt=salt)
    assert Keys(SEALED_DATABASE, [(1, epoch_key)]).open_asset(file, FIELD.id, 0) == content
    info = b"sea asset v1" + SEALED_DATABASE.bytes + FIELD.id.bytes + bytes(4)
    return dump((info[:12], '"sea asset v1"'), (info[12:28], "databaseID"), (info[28:44], "instanceID"), (info[44:], "index: 0"), (salt, "salt"),
                (hkdf(epoch_key, info, salt), "key of the asset"), (bytes(11) + b"\1", "nonce of its one piece")) + "\n" + dump(
                (file[:32], "key: digest of the epoch key"), (file[32:48], "salt"), (file[48:51], "ciphertext of 3 bytes"), (file[51:], "tag")) \
        + "\n" + dump((bytes(12), "nonce of the first piece of three"), (bytes(10) + b"\1\0", "of the second"), (bytes(10) + b"\2\1", "of the last"))

def sealed():
    epoch_key, random = bytes(range(32)), bytes(range(64, 96))
    names = SEALED_DATABASE.bytes + FIELD.id.bytes
    block_key, iv_key = hkdf(epoch_key, b"sea block v1" + names), hkdf(epoch_key, b"sea iv v1" + names)
    root, name = hkdf(epoch_key, b"sea root v1" + SEALED_DATABASE.bytes), hkdf(epoch_key, b"sea epoch id v1" + struct.pack(">I", 1))
    previous = hmac.digest(root, b"sea chain v1" + SEALED_DATABASE.bytes + FIELD.key, "sha256")
    clear = clear_array([FIELD.entry()])
    fields = b"SEA\x15" + struct.pack(">IIII", 32 + 12 + len(clear) + 16 + 64, 0, 1, 0) + previous
    iv = hmac.digest(iv_key, random + fields + clear, "sha256")[:12]
    coded = name + iv + AESGCM(block_key).encrypt(iv, clear, names + fields + name)
    signature = FIELD.signer.sign(b"sea block v1" + names + fields + sha(b"") + sha(coded))
    return dump((epoch_key, "epoch key"), (block_key, "block key"), (iv_key, "IV key"), (root, "root secret"), (name, "digest of the epoch key"),
                (random, "random for the IV")) + "\n" + dump(
                (fields[:16], "SEA, mode 15, size, index, Lamport time"), (fields[COUNT], "heads: none"), (previous, "previous"), (data_of(b"", sha(coded), signature), "data"), (name, "key: digest of the epoch key"),
                (iv, "IV"), (coded[44:-16], "ciphertext"), (coded[-16:], "tag"), (signature, "signature"))

def field(key, value, meaning=None):
    """A key and its value in a map, on a row or two."""
    return enc(key) + enc(value), f'"{key}": {meaning or value}'

def database():
    proof = PROOFS[SEALED_DATABASE]
    text = name_vectors.info(SEALED_DATABASE)
    for key in ("databaseID", "contentType", "founder", "sealed"):
        text = text.replace(f'"{key}"', f'\\\n"{key}"')
    return name_rows(proof, "encrypted", SEALED_DATABASE) + "\n" + text

def name_rows(proof, flags, database):
    first = ((proof[65:], "digest of the first key"),) if proof[65:] else ()
    return dump((proof[:32], "proof: key of the creator,"), (proof[32:33], flags), (proof[33:65], "digest of the content type"), *first, (sha(b"sea database v1", proof), 'SHA-256("sea database v1" + proof)'),
                (database.bytes, "version 8, variant 10")) + f"\ndatabaseID: {database}\n"

def authorize():
    return dump((b"\xa5", "map of 5"), field("key", LAB.key, "Ed25519 public key of lab"), field("role", "write", '"write"'),
                field("control", "authorize", '"authorize"'), field("exchange", LAB.exchange, "X25519 public key"),
                field("instance", LAB.id.bytes, "instanceID"))

EPOCH_KEYS = {1: bytes(range(32)), 2: bytes(range(0x60, 0x80))}
PASSWORD = password_slot("correct horse", EPOCH_KEYS[1], salt=bytes(range(0x80, 0x90)), rounds=600_000, iv=bytes(range(0x90, 0x9C)))
MEMBER = instance_slot(FIELD.id, FIELD.exchange, EPOCH_KEYS[2], epoch=2, ephemeral=bytes(range(0xA0, 0xC0)))
EARLIER = previous_slot(EPOCH_KEYS[1], EPOCH_KEYS[2], iv=bytes(range(0xC0, 0xCC)))

def slot_rows(b, *fields):
    slot = Slot(b)
    nonce = "enc" if slot.kind == "instance" else "IV"
    return [(b"\x84" + b[1:b.index(slot.header)], f"array of 4; the header has {len(slot.header)} bytes:"),
            (slot.header[:1], f"map of {slot.header[0] - 0xa0}"), *fields,
            (enc(slot.commitment), "commitment"), (enc(slot.nonce), nonce), (enc(slot.wrapped), "wrapped")]

def of_database():
    return field("database", SEALED_DATABASE.bytes, "databaseID")

def slot_password():
    slot = Slot(PASSWORD)
    prk = hashlib.pbkdf2_hmac("sha256", b"correct horse", slot.salt, slot.rounds, 32)
    return dump((prk, "prk")) + "\n" + dump(*slot_rows(
        PASSWORD, field("kdf", "pbkdf2-sha256", '"pbkdf2-sha256"'), field("salt", slot.salt, "16 bytes"), field("slot", "password", '"password"'),
        field("epoch", 1), field("rounds", 600_000), of_database())) + f"\nname: {slot.digest.hex()}\n"

def slot_instance():
    slot = Slot(MEMBER)
    return dump(*slot_rows(MEMBER, field("slot", "instance", '"instance"'), field("epoch", 2), of_database(),
                           field("instance", FIELD.id.bytes, "instanceID"))) + f"\nname: {slot.digest.hex()}\n"

def slot_previous():
    slot = Slot(EARLIER)
    return dump(*slot_rows(EARLIER, field("slot", "previous", '"previous"'), field("epoch", 2), of_database(),
                           field("previous", 1))) + f"\nname: {slot.digest.hex()}\n"

def hint():
    heads = sorted([[FIELD.id.bytes, None, 1, state(SECOND)[2]]])
    b = hint_vectors.hint(heads)
    (owner, fork, index, digest), = heads
    return dump((b"\x86", "array of 6"), (enc("sea heads v1"), '"sea heads v1"'), (enc(DATABASE.bytes), "databaseID"),
                (enc(hint_vectors.CONTAINER.bytes), "containerID"), (enc(FIELD.id.bytes), "instanceID of the writer"), (enc(TIME), "time"),
                (b"\x81\x84", "one branch:"), (enc(owner), "instanceID"), (enc(fork), "fork: the main branch"), (enc(index), "index"), (enc(digest), "hash"),
                (b[-64:], "signature"))

def request():
    b = join_request(Sealed("field"))
    return dump((b"\x85", "array of 5"), (enc("sea join v1"), '"sea join v1"'), (enc(SEALED_DATABASE.bytes), "databaseID"),
                (enc(FIELD.key), "Ed25519 public key"), (enc(FIELD.exchange), "X25519 public key"), (enc("field"), '"field"'), (b[-64:], "signature"))

def fingerprint():
    eight = words(FIELD.key, FIELD.exchange)
    digest = sha(b"sea words v1", FIELD.key, FIELD.exchange)[:11]
    bits = f"{int.from_bytes(digest, 'big'):088b}"
    return dump((digest, "the first 88 bits")) + "\n" + "".join(
        f"{bits[k * 11:k * 11 + 11]}  {int(bits[k * 11:k * 11 + 11], 2):4}  {word}\n" for k, word in enumerate(eight)) \
        + f"\n{' '.join(eight[:4])}\n{' '.join(eight[4:])}\n"

# -- sea-members(5)

TEAM_DATABASE = named(FIELD.key, members=True)
TEAM = {name: Instance(name, TEAM_DATABASE) for name in ("lab", "barn")}
FIELD_OF_TEAM = Instance("field", TEAM_DATABASE)

def successor():
    old, new = TEAM["lab"], TEAM["barn"]
    follows = new.follows(old)
    entry = new.entry(follows=follows)
    b = new.genesis(items=[entry])
    assert read_back(b, None, by=new).follows == old.key
    return dump((b"sea successor v1", '"sea successor v1"'), (TEAM_DATABASE.bytes, "databaseID"), (new.id.bytes, "instanceID of barn"),
                (sha(new.exchange), "SHA-256(X25519 key of barn)")) + "\n" + dump(
                (b"\xa5", "map of 5"), field("key", new.key, "Ed25519 public key of barn"), field("name", "barn", '"barn"'), field("control", "instance", '"instance"'),
                (enc("follows") + b"\x82", '"follows": array of 2'), (enc(follows[0]), "Ed25519 public key of lab"), (enc(follows[1]), "signature by the key of lab"),
                field("exchange", new.exchange, "X25519 public key of barn")) + f"\nhash of the block: {hash_of(b).hex()}\n"

def revocation():
    old, new = TEAM["lab"], TEAM["barn"]
    last = state(old.genesis())
    entry = {"control": "revoke", "instance": old.id.bytes, "index": last[0], "digest": last[2], "keeps": [new.id.bytes]}
    b = enc(entry)
    rows = dump((b"\xa5", "map of 5"), field("index", last[0], "the last authorized block is block 0"), (enc("keeps") + b"\x81", '"keeps": array of 1'), (enc(new.id.bytes), "instanceID of barn"),
                field("digest", last[2], "hash of block 0"), field("control", "revoke", '"revoke"'), field("instance", old.id.bytes, "instanceID of lab"))
    assert "".join(line.split("  ")[0] for line in rows.split("\n")) == b.hex()
    assert read_back(FIELD_OF_TEAM.block([entry], state(FIELD_OF_TEAM.genesis())), FIELD_OF_TEAM.genesis(), by=FIELD_OF_TEAM).controls[0]["keeps"] == [new.id.bytes]
    return rows

def recovery_key():
    """The words of a vector, and the keys that they stand for."""
    _, facts, body = next(one for one in recovery_vectors.vectors() if one[0] == "recovery/good.vec")
    said, known = dict(facts), body.split()
    assert recovery_words(bytes.fromhex(said["seed"])) == known
    return "\n".join(" ".join(known[k:k + 6]) for k in range(0, 24, 6)) + "\n\n" + dump(
        *((bytes.fromhex(said[key]), meaning) for key, meaning in (("seed", "seed: Ed25519 private key"), ("key", "Ed25519 public key"),
                                                                   ("secret", "X25519 private key"), ("exchange", "X25519 public key")))) \
        + f"\ninstanceID: {said['instance']}\n"

# -- sea-merge(5)

def tree(story):
    """The revisions of a story, each with its name, what it comes from, and its body as bytes."""
    rows, names = [], {rev: label for label, rev in story.label.items()}
    for rev, label in names.items():
        one = story.record.all[rev]
        origin = ([f"child of {names[one.parent]}"] if one.parent else []) + [f"merged {names[m]}" for m in one.merged]
        rows.append(f"{label + ':':6}{text(rev)}\n" + (f"      {', '.join(origin)}\n" if origin else ""))
        rows += [f"    {line}\n" for line in fold(one.bytes or b"\xf6").splitlines()]
    return "".join(rows)

def results(story, shared=None):
    outcome = sea_merge.Outcome(story.record, shared or {})
    rows = []
    for n, items in enumerate(outcome.changes):
        one = sea_merge.Revision(items)
        names = ["id", "type", "parent", "merged", "kind", "body"]
        parts = [enc(one.id), enc(one.type), enc(one.parent), enc(one.merged), enc(one.kind), one.bytes or b"\xf6"]
        rows.append(dump((head(4, 6), "array of 6"), *((part, name) for name, part in zip(names, parts))) + f"\n_rev: {text(one.rev)}\n")
    return "\n".join(rows), outcome

TWO_EDITS = Story(("base", "", {"_type": "host", "os": "9", "ram": 64}), ("x", "base", {"_type": "host", "os": "9", "ram": 128}),
                  ("y", "base", {"_type": "host", "os": "10", "ram": 64}), id="host/1")

def merge_before():
    return tree(TWO_EDITS)

def merge_after():
    return results(TWO_EDITS)[0]

STATES = Story(("base", "", {"n": counter(A=1), "t": tags(db="own")}),
               ("x", "base", lambda r: {"n": counter(A=3), "t": tags(db=[r["base"]], web="own")}),
               ("y", "base", {"n": counter(A=1, B=2), "t": tags()}), id="host/2")

def merge_states():
    said, outcome = results(STATES)
    return tree(STATES) + "\nmerged\n" + "".join(f"    {line}\n" for line in fold(outcome.changes[0][5]).splitlines())

CROSSED = Story(("base", "", {"a": 1, "b": 1}), ("x", "base", {"a": 2, "b": 1}), ("y", "base", {"a": 3, "b": 1}),
                ("m", "x y", {"a": 2, "b": 2}), ("n", "y x", {"a": 3, "b": 1, "c": 1}), id="host/3")

def merge_crossed():
    tree_, outcome = tree(CROSSED), results(CROSSED)[1]
    fold_ = sea_merge.Fold(outcome.tree, outcome.tree.live, sea_merge.Settings({}, None))
    base = fold_.base(outcome.tree.live[:1], outcome.tree.live[1])
    opened = ", ".join(map(sea_merge.pointer, base.open))
    return f"{tree_}\nbase of m and n: {sea_merge.encode(base.body).hex()}, open: {opened}\nconflict: {', '.join(outcome.clashes)}\n"

# -- sea-bundle(5)

BUNDLE = {f"transactions/{FIELD.id}/1/1": bundle_vectors.SECOND, f"assets/{FIELD.id}/1/0": b"hi\n"}
SAID = {"base": [bundle_vectors.head_of(FIELD, bundle_vectors.FIRST, lamport=1, key=FIELD.key.hex())]}

def bundle_manifest():
    """Lines that are too long are broken behind a comma, with a backslash."""
    text = bundle_vectors.manifest(BUNDLE, **SAID)[0].decode()
    lines = []
    for line in text.splitlines():
        while len(line) > 100 and ',"' in line[:100]:
            cut = line.rindex(',"', 0, 100) + 1
            lines.append(line[:cut] + " \\")
            line = line[cut:]
        lines.append(line)
    return "\n".join(lines) + "\n"

def bundle_layout():
    data, at, rows = bundle_vectors.tar(BUNDLE, **SAID), 0, []
    while data[at:at + 1] != b"\0":
        name, size = data[at:at + 100].rstrip(b"\0").decode(), int(data[at + 124:at + 135], 8)
        rows.append(f"{at:>6}  header of {name}, {size} bytes\n{at + 512:>6}  content, and {-size % 512} zeros")
        at += 512 + size + -size % 512
    rows.append(f"{at:>6}  1024 zeros\n{len(data):>6}  end")
    digest = sea_bundle.read(data)[0]
    return "\n".join(rows) + f"\n\nmanifest: {digest}\n"

def bundle_header():
    """The header of END; zeros in a row are left out."""
    b = sea_bundle.header("END", 65)
    return dump((b[:3], "name, and 97 zeros"), (b[100:108], "mode"), (b[108:116], "owner"), (b[116:124], "group"), (b[124:136], "size: 65"),
                (b[136:148], "time"), (b[148:156], "sum"), (b[156:157], "type, and 100 zeros"), (b[257:265], '"ustar", version, and 64 zeros'),
                (b[329:337], "device"), (b[337:345], "device, and 167 zeros"))

def bundle_container():
    digest = sha(b"sea bundle v1", DATABASE.bytes)
    return dump((digest, 'SHA-256("sea bundle v1" + databaseID)'), (sea_bundle.container(DATABASE).bytes, "version 8, variant 10")) \
        + f"\ncontainerID: {sea_bundle.container(DATABASE)}\n\n" + sea_bundle.info(
            {"databaseID": str(DATABASE), "contentType": "org.example.notes", "sealed": False}).decode().replace('"databaseID"', '\\\n"databaseID"')

PAGES = {
    "sea-bundle.5": [bundle_container, bundle_manifest, bundle_layout, bundle_header],
    "sea-merge.5": [merge_before, merge_after, merge_states, merge_crossed],
    "sea-record.5": [value_kinds, change, digest],
    "sea-members.5": [successor, revocation, recovery_key],
    "sea-format.5": [instance, genesis, second, signed, purge_order, removed, compressed, clocks, database, authorize, sealed, sealed_asset,
                     slot_password, slot_instance, slot_previous, request, fingerprint],
    "sea-hints.5": [hint],
}

def mdoc(example):
    """An example as it stands in the source of a page, non-ASCII spelled out."""
    literal = example.replace("\\", "\\e").replace("\u00fc", "\\(:u").replace("\u00df", "\\(ss")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in literal.split("\n"))
