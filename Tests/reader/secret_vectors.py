"""More vectors of slots and of sealed assets that are refused, and those of join requests."""
import json, uuid
from block_vectors import flip
from sea_sealer import (DATABASE, KEYS, PIECE, Sealed, asset, instance_slot, outer, password_slot, pieces, previous_slot, random, request,
                        slot_header)
from sea_names import words
from sea_seal import epoch_digest
from sea_values import item
from slot_vectors import refused
from sea_writer import OTHER, Instance, Raw, Tag, enc, instance_id, sha

FIELD, LAB = Sealed("field"), Sealed("lab")
WORD = "correct horse"

def by_password(word=WORD):
    return f"password {word.encode().hex()}"

def by_secret(instance=FIELD):
    return f"exchange {instance.exchange_secret.hex()}"

def by_key(epoch, key=None):
    return f"key {epoch} {(key or KEYS[epoch]).hex()}"

SALT = random("salt", WORD)[:16]

def said(**other):
    """The map of a password slot's header, with some fields in place of the right ones; None takes one out."""
    right = {"slot": "password", "epoch": 1, "database": DATABASE.bytes, "kdf": "pbkdf2-sha256", "salt": SALT, "rounds": 50_000}
    return {k: v for k, v in (right | other).items() if v is not None}

def headed(header):
    """A password slot with this header, which fits it otherwise."""
    return password_slot(WORD, KEYS[1], header=header if isinstance(header, bytes) else enc(header), derive=False)

def encodings():
    """Slots that are none by their encoding."""
    good = password_slot(WORD, KEYS[1], derive=False)
    header, commitment, iv, wrapped = enc(said()), bytes(32), bytes(12), bytes(48)
    yield "map", enc({"slot": header})
    yield "header-cut", headed(header[:-1])
    yield "header-array", headed([1])
    yield "header-count-too-great", headed(b"\xbb" + b"\xff" * 8)
    yield "header-duplicate-key", headed(b"\xa7" + enc("kdf") + enc("pbkdf2-sha256") + header[1:])
    yield "commitment-33", outer(header, bytes(33), iv, wrapped)
    for key in said():
        yield f"without-{key}", headed(said(**{key: None}))
    yield "kind-of-another", headed(said(slot="previous"))
    yield "kind-of-another-and-no-kdf", headed(said(slot="previous", kdf=None))
    yield "salt-text", headed(said(salt="salty salty"))
    yield "rounds-negative", headed(said(rounds=-50_000))
    yield "rounds-text", headed(said(rounds="50000"))
    yield "rounds-bignum", headed(said(rounds=Tag(2, b"\x01" + bytes(8))))
    one = lambda **more: outer(slot_header("instance", 1, **more), commitment, bytes(32), wrapped)
    yield "instance-15", one(instance=bytes(15))
    yield "instance-extra-salt", one(instance=FIELD.id.bytes, salt=SALT)
    two = lambda epoch, **more: outer(slot_header("previous", epoch, **more), commitment, iv, wrapped)
    yield "previous-missing", two(2)
    yield "previous-text", two(2, previous="1")

def slots():
    """name, expect, layer, how it is opened (None: it is not), bytes, epoch and key that come out."""
    def ok(name, b, way=None, epoch=1, key=None):
        return name, "ok", "tag", way, b, (epoch, key or KEYS[epoch]) if way else None
    def bad(name, expect, layer, b, way=None):
        return name, expect, layer, way, b, None
    good = password_slot(WORD, KEYS[1])
    yield ok("password-epoch-1", good, by_password())
    yield ok("password-epoch-2", password_slot(WORD, KEYS[2], epoch=2), by_password(), 2)
    yield ok("password-rounds-50001", password_slot(WORD, KEYS[1], rounds=50_001), by_password())
    yield ok("password-rounds-most", password_slot(WORD, KEYS[1], rounds=10_000_000, derive=False))
    yield ok("password-nfc", password_slot("Gr\u00fc\u00dfe \u1e69", KEYS[1]), by_password("Gru\u0308\u00dfe s\u0307\u0323"))
    yield ok("password-long", password_slot("p" * 200, KEYS[1]), by_password("p" * 200))
    yield ok("password-spaces", password_slot(" p ", KEYS[1]), by_password(" p "))
    member = instance_slot(FIELD.id, FIELD.exchange, KEYS[1])
    yield ok("instance-epoch-1", member, by_secret())
    yield ok("instance-epoch-3", instance_slot(LAB.id, LAB.exchange, KEYS[3], epoch=3), by_secret(LAB), 3)
    older = previous_slot(KEYS[1], KEYS[2])
    yield ok("previous-of-2", older, by_key(2), 1)
    for name, b in encodings():
        yield bad(f"encoding-{name}", "bad-slot", "encoding", b)
    for rounds in (1, 2**31, 2**32, 2**63):
        yield bad(f"rounds-{rounds}", "bad-rounds", "bounds", headed(said(rounds=rounds)))
    yield bad("password-case", "bad-commitment", "commitment", good, by_password(WORD.upper()))
    yield bad("password-compatibility-form", "bad-commitment", "commitment", password_slot("fish", KEYS[1]), by_password("\ufb01sh"))
    at = len(good) - 48 - 2 - 12 - 1 - 32
    yield bad("commitment-first-bit", "bad-commitment", "commitment", flip(good, at, 0x80), by_password())
    yield bad("commitment-last-bit", "bad-commitment", "commitment", flip(good, at + 31), by_password())
    yield bad("header-salt-bit", "bad-commitment", "commitment", flip(good, good.index(SALT)), by_password())
    epoch = good.index(enc("epoch")) + 6
    yield bad("header-epoch", "bad-commitment", "commitment", good[:epoch] + b"\2" + good[epoch + 1:], by_password())
    yield bad("header-database", "bad-commitment", "commitment", flip(good, good.index(DATABASE.bytes)), by_password())
    yield bad("iv-bit", "bad-tag", "tag", flip(good, at + 33), by_password())
    yield bad("wrapped-first-bit", "bad-tag", "tag", flip(good, len(good) - 48), by_password())
    yield bad("wrapped-last-bit", "bad-tag", "tag", flip(good, len(good) - 1), by_password())
    yield bad("instance-of-another", "bad-tag", "tag", member, by_secret(LAB))
    yield bad("instance-other-info", "bad-tag", "tag", instance_slot(FIELD.id, FIELD.exchange, KEYS[1], info=b"sea slot v2"), by_secret())
    enc_at = len(member) - 48 - 2 - 32
    yield bad("instance-enc-bit", "bad-tag", "tag", flip(member, enc_at), by_secret())
    yield bad("instance-wrapped-bit", "bad-tag", "tag", flip(member, len(member) - 1), by_secret())
    yield bad("instance-header-name", "bad-tag", "tag", member.replace(FIELD.id.bytes, LAB.id.bytes), by_secret())
    yield bad("instance-header-epoch", "bad-tag", "tag", member.replace(enc("epoch") + b"\1", enc("epoch") + b"\2"), by_secret())
    yield bad("instance-commitment-of-epoch-2", "bad-commitment", "commitment", instance_slot(FIELD.id, FIELD.exchange, KEYS[1], committed=KEYS[2]), by_secret())
    yield bad("previous-commitment-of-epoch-1", "bad-commitment", "commitment", previous_slot(KEYS[1], KEYS[2], committed=KEYS[1]), by_key(2))
    yield bad("previous-wrapped-bit", "bad-tag", "tag", flip(older, len(older) - 1), by_key(2))
    yield bad("previous-number", "bad-commitment", "commitment",
              older.replace(enc("previous") + b"\1" , enc("previous") + b"\3").replace(enc("epoch") + b"\2", enc("epoch") + b"\4"), by_key(4, KEYS[2]))
    yield bad("kind-password-by-secret", "wrong-kind", "kind", good, by_secret())
    yield bad("kind-instance-by-password", "wrong-kind", "kind", member, by_password())
    yield bad("kind-previous-by-password", "wrong-kind", "kind", older, by_password())
    yield bad("kind-password-by-key", "wrong-kind", "kind", good, by_key(1))

# -- sealed assets

def content(size):
    return bytes(n * 7 + n // 251 & 255 for n in range(size))

def assets():
    """name, expect, layer, bytes, the content that comes out."""
    def made(size, **other):
        return asset(content(size), FIELD.id, 17, **other)
    def bad(name, expect, layer, b):
        return name, expect, layer, b, None
    def flag(value):
        return lambda n, count: n.to_bytes(11, "big") + bytes([value])
    for size in (0, 1, 5, PIECE, PIECE + 1):
        yield f"good-{size}", "ok", "tag", made(size), content(size)
    small = made(5)
    yield bad("empty-file", "truncated", "header", b"")
    yield bad("cut-in-header", "truncated", "header", small[:47])
    yield bad("header-only", "truncated", "header", small[:48])
    yield bad("cut-in-tag-of-empty", "truncated", "header", made(0)[:-1])
    yield bad("last-byte-missing", "bad-tag", "tag", small[:-1])
    yield bad("trailing-byte", "bad-tag", "tag", small + b"\0")
    yield bad("trailing-piece", "bad-tag", "tag", small + small[48:])
    yield bad("trailing-behind-full-last-piece", "bad-tag", "tag", made(PIECE) + bytes(17))
    yield bad("last-piece-missing", "bad-tag", "tag", made(PIECE + 1)[:-17])
    yield bad("empty-last-piece", "bad-size", "size", made(PIECE, cut=lambda c: pieces(c) + [b""]))
    yield bad("small-pieces", "bad-tag", "tag", made(10, cut=lambda c: pieces(c, 5)))
    yield bad("first-piece-missing", "bad-tag", "tag", made(5, nonce=lambda n, count: (n + 1).to_bytes(11, "big") + b"\1"))
    yield bad("last-flag-0", "bad-tag", "tag", made(5, nonce=flag(0)))
    yield bad("last-flag-2", "bad-tag", "tag", made(5, nonce=flag(2)))
    yield bad("counter-least-first", "bad-tag", "tag", made(5, nonce=lambda n, count: bytes([1]) + bytes(11)))
    yield bad("salt-bit", "bad-tag", "tag", flip(small, 32))
    yield bad("ciphertext-bit", "bad-tag", "tag", flip(small, 48))
    yield bad("tag-bit", "bad-tag", "tag", flip(small, len(small) - 1))
    yield bad("other-index", "bad-tag", "tag", asset(content(5), FIELD.id, 18))
    yield bad("other-instance", "bad-tag", "tag", asset(content(5), LAB.id, 17))
    yield bad("other-database", "bad-tag", "tag", made(5, database=OTHER))
    yield bad("other-key", "other-key", "header", made(5, key=KEYS[2]))
    yield bad("other-epoch", "other-key", "header", made(5, epoch=2))
    yield bad("other-key-under-this-name", "bad-tag", "tag", made(5, key=KEYS[2], said=epoch_digest(KEYS[1], 1)))
    yield bad("name-bit", "other-key", "header", flip(small, 0))

# -- join requests

def requests():
    """name, expect, layer, the name that it lies under, bytes."""
    def bad(name, expect, layer, b, instance=FIELD.id):
        return name, expect, layer, instance, b
    def array(*items):
        return request(FIELD, array=enc(list(items)))
    good, db = request(FIELD), DATABASE.bytes
    yield "good", "ok", "signature", FIELD.id, good
    yield "good-lab", "ok", "signature", LAB.id, request(LAB)
    yield "name-empty", "ok", "signature", FIELD.id, array("sea join v1", db, FIELD.key, FIELD.exchange, "")
    yield "name-255-bytes", "ok", "signature", FIELD.id, array("sea join v1", db, FIELD.key, FIELD.exchange, "\u00e9" * 127 + "e")
    yield "name-of-any-characters", "ok", "signature", FIELD.id, array("sea join v1", db, FIELD.key, FIELD.exchange, " /\\~\u00a0\u2028\u202e\ufeff\U0001f40b")
    for one in (0, 9, 10, 0x1f, 0x7f, 0x80, 0x9f):
        yield bad(f"name-control-{one:02x}", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, f"a{chr(one)}b"))
    yield bad("empty", "bad-request", "encoding", b"")
    yield bad("cut", "bad-request", "encoding", good[:-1])
    yield bad("cut-in-array", "bad-request", "encoding", good[:50])
    yield bad("array-only", "bad-request", "encoding", good[:-64])
    yield bad("trailing-byte", "bad-request", "encoding", good + b"\0")
    yield bad("array-of-3", "bad-request", "encoding", array("sea join v1", db, FIELD.key))
    yield bad("array-of-4", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange))
    yield bad("array-of-6", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, "field", None))
    yield bad("name-256-bytes", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, "e" * 256))
    yield bad("name-null", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, None))
    yield bad("name-data", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, b"field"))
    yield bad("name-not-utf8", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange, Raw(b"\x61\xff")))
    for name, key in refused():
        yield bad(f"exchange-{name}", "bad-key", "key", array("sea join v1", db, FIELD.key, key, "field"))
    yield bad("map", "bad-request", "encoding", request(FIELD, array=enc({"sea join v1": db})))
    yield bad("longer-head", "bad-request", "encoding", request(FIELD, array=b"\x98\x05" + good[1:-64]))
    yield bad("indefinite", "bad-request", "encoding", request(FIELD, array=b"\x9f" + good[1:-64] + b"\xff"))
    yield bad("label-v2", "bad-request", "encoding", array("sea join v2", db, FIELD.key, FIELD.exchange, "field"))
    yield bad("label-data", "bad-request", "encoding", array(b"sea join v1", db, FIELD.key, FIELD.exchange, "field"))
    yield bad("database-15", "bad-request", "encoding", array("sea join v1", db[:15], FIELD.key, FIELD.exchange, "field"))
    yield bad("database-text", "bad-request", "encoding", array("sea join v1", str(DATABASE), FIELD.key, FIELD.exchange, "field"))
    yield bad("key-31", "bad-request", "encoding", array("sea join v1", db, FIELD.key[:31], FIELD.exchange, "field"))
    yield bad("exchange-33", "bad-request", "encoding", array("sea join v1", db, FIELD.key, FIELD.exchange + b"\0", "field"))
    yield bad("exchange-null", "bad-request", "encoding", array("sea join v1", db, FIELD.key, None, "field"))
    yield bad("other-database", "other-database", "database", request(Instance("field", OTHER)))
    yield bad("name-of-another", "bad-key", "key", good, LAB.id)
    yield bad("key-of-another", "bad-key", "key", array("sea join v1", db, LAB.key, FIELD.exchange, "field"))
    one = (1).to_bytes(32, "little")
    yield bad("key-low-order", "bad-key", "key", array("sea join v1", db, one, FIELD.exchange, "field"), instance_id(one))
    yield bad("signature-wrong", "bad-signature", "signature", request(FIELD, signature=bytes(64)))
    yield bad("signature-of-another", "bad-signature", "signature", request(FIELD, signer=LAB.signer))
    yield bad("signature-bit", "bad-signature", "signature", flip(good, len(good) - 64))
    yield bad("exchange-bit", "bad-signature", "signature", flip(good, len(good) - 65))

def vectors():
    """Path, header lines, bytes."""
    for name, expect, layer, way, b, result in slots():
        database = uuid.UUID(bytes=flip(DATABASE.bytes, 0)) if name == "header-database" else DATABASE
        lines = [("name", name), ("expect", expect), ("layer", layer), ("database", database)]
        lines += [("secret", way)] if way else []
        lines += [("opens", f"{result[0]} {result[1].hex()}")] if result else []
        yield f"slot/{name}.vec", lines + ([("digest", sha(b).hex())] if expect == "ok" else []), b
    for name, expect, layer, b, clear in assets():
        lines = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE), ("instance", FIELD.id), ("index", 17)]
        lines.append(("key", f"1 {KEYS[1].hex()}"))
        yield f"asset/{name}.vec", lines + ([("content", f"{len(clear)} {sha(clear).hex()}")] if expect == "ok" else []), b
    for name, expect, layer, instance, b in requests():
        lines = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE), ("instance", instance)]
        if expect == "ok":
            who = {FIELD.id: FIELD, LAB.id: LAB}[instance]
            lines += [("key", who.key.hex()), ("exchange", who.exchange.hex()), ("words", " ".join(words(who.key, who.exchange)))]
            lines.append(("called", json.dumps(item(b)[0][4])))
        yield f"request/{name}.vec", lines, b
