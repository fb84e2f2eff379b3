"""The vectors of slots and sealed assets, with the secrets that open them; secret_vectors.py has more."""
import hashlib, hmac, struct, unicodedata
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sea_seal import epoch_digest
from sea_sealer import DATABASE
from sea_writer import Instance, Raw, Tag, enc, raw, sha

FIELD, LAB = Instance("field"), Instance("lab")
SECRET = sha(b"sea vector exchange field")
KEY, OLD = bytes(range(32)), bytes(range(32, 64))
IV, SALT, EPHEMERAL = bytes(range(100, 112)), bytes(range(112, 128)), sha(b"sea vector ephemeral")
WORDS = "Gr\u00fc\u00dfe aus der Wetterau"

def hkdf(key, info, salt=None):
    return HKDF(hashes.SHA256(), 32, salt, info).derive(key)

# -- RFC 9180, base mode, one message

def extract(salt, label, secret, suite):
    return hmac.digest(salt, b"HPKE-v1" + suite + label + secret, "sha256")

def expand(key, label, info, count, suite):
    info = struct.pack(">H", count) + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, info + b"\x01", "sha256")[:count]

def hpke(clear, to, info, additional):
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x02"
    ephemeral = X25519PrivateKey.from_private_bytes(EPHEMERAL)
    enc, exchanged = raw(ephemeral), ephemeral.exchange(X25519PublicKey.from_public_bytes(to))
    shared = expand(extract(b"", b"eae_prk", exchanged, kem), b"shared_secret", enc + to, 32, kem)
    context = b"\0" + extract(b"", b"psk_id_hash", b"", suite) + extract(b"", b"info_hash", info, suite)
    secret = extract(shared, b"secret", b"", suite)
    key, nonce = expand(secret, b"key", context, 32, suite), expand(secret, b"base_nonce", context, 12, suite)
    return enc, AESGCM(key).encrypt(nonce, clear, additional)

# -- slots; what is given replaces the right part, and what follows from it is made to fit

def slot(header, commitment, opening, wrapped, tail=b"", form=None):
    parts = [header, commitment, opening, wrapped]
    return (form(parts) if form else enc(parts)) + tail

def password(words=WORDS, rounds=50_000, salt=SALT, iv=IV, header=None, commit=None, wrapped=None, key=KEY, form=None, tail=b"",
             claimed=None, **fields):
    said = {"slot": "password", "epoch": 3, "database": DATABASE.bytes, "kdf": "pbkdf2-sha256", "salt": salt, "rounds": rounds}
    header = header or enc({k: v for k, v in (said | fields).items() if v is not None})
    secret = unicodedata.normalize("NFC", words).encode()
    prk = hashlib.pbkdf2_hmac("sha256", secret, salt, claimed or rounds, 32)
    box = AESGCM(hkdf(prk, b"sea slot key v1" + header)).encrypt(IV, key, header)
    return slot(header, commit or hkdf(prk, b"sea slot commit v1" + header), iv, wrapped or box, tail, form)

def instance(commit=None, opening=None, wrapped=None, key=KEY, to=FIELD.exchange, **fields):
    said = {"slot": "instance", "epoch": 3, "database": DATABASE.bytes, "instance": FIELD.id.bytes}
    header = enc({k: v for k, v in (said | fields).items() if v is not None})
    out, box = hpke(key, to, b"sea slot v1", header)
    return slot(header, commit or hkdf(key, b"sea epoch v1" + header), opening or out, wrapped or box)

def previous(commit=None, key=KEY, opening=IV, **fields):
    said = {"slot": "previous", "epoch": 3, "database": DATABASE.bytes, "previous": 2}
    header = enc({k: v for k, v in (said | fields).items() if v is not None})
    box = AESGCM(hkdf(key, b"sea previous v1" + header)).encrypt(IV, OLD, header)
    return slot(header, commit or hkdf(key, b"sea epoch v1" + header), opening, box)

def changed(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

def swapped():
    names = ["kdf", "salt", "slot", "epoch", "rounds", "database"]
    values = ["pbkdf2-sha256", SALT, "password", 3, 50_000, DATABASE.bytes]
    rows = [enc(k) + enc(v) for k, v in zip(names, values)]
    rows[1], rows[2] = rows[2], rows[1]
    return b"\xa6" + b"".join(rows)

def deep(levels):
    return [deep(levels - 1)] if levels > 1 else 1

def refused():
    """X25519 keys that are refused."""
    p, low = 2**255 - 19, [bytes.fromhex(one) for one in (
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")]
    for name, u in (("zero", 0), ("one", 1), ("minus-one", p - 1), ("not-canonical-zero", p), ("not-canonical-one", p + 1), ("not-canonical-9", p + 9), ("last", 2**256 - 1),
                    ("highest-bit-of-9", 9 | 2**255), ("highest-bit-of-zero", 2**255)):
        yield name, u.to_bytes(32, "little")
    yield from zip(("low-order-1", "low-order-2"), low)
    yield "low-order-1-highest-bit", low[0][:31] + bytes([low[0][31] | 0x80])

def slots():
    """Name, what a reader says, the secret that it tries, the key that comes out, the bytes."""
    by_words, by_secret, by_key = f"password {WORDS.encode().hex()}", f"exchange {SECRET.hex()}", f"key 3 {KEY.hex()}"
    new, old = f"3 {KEY.hex()}", f"2 {OLD.hex()}"
    yield "password", "ok", by_words, new, password()
    yield "password-decomposed", "ok", "password " + unicodedata.normalize("NFD", WORDS).encode().hex(), new, password()
    yield "password-salt-of-8", "ok", by_words, new, password(salt=SALT[:8])
    yield "password-salt-of-64", "ok", by_words, new, password(salt=SALT * 4)
    yield "password-last-epoch", "ok", by_words, f"4294967295 {KEY.hex()}", password(epoch=2**32 - 1)
    yield "instance", "ok", by_secret, new, instance()
    yield "previous", "ok", by_key, old, previous()
    yield "previous-far", "ok", by_key, f"1 {OLD.hex()}", previous(previous=1)
    yield "previous-later", "ok", by_key, f"4 {OLD.hex()}", previous(previous=4)
    yield "previous-of-the-same-number", "ok", by_key, f"3 {OLD.hex()}", previous(previous=3)
    yield "previous-last", "ok", by_key, f"4294967295 {OLD.hex()}", previous(previous=2**32 - 1)
    other = {"slot": "later", "what": [1, {2: None}]}
    for name, data in {
        "alone": enc([enc({"slot": "later"})]), "more-keys": enc([enc(other), 1, None, {"b": 1, 2: b""}]), "of-16": enc([enc(other)] + [0] * 15),
        "header-of-16": enc([enc(other | {f"k{n:02}": n for n in range(14)})]), "as-one-of-ours": password(slot="passwort"), "empty-name": enc([enc({"slot": ""})]),
        "8-levels": enc([enc(other | {"deep": deep(8)}), deep(8)]), "map-in-any-order": enc([enc({"slot": "later"}), Raw(b"\xa2" + enc("b") + enc(1) + enc("a") + enc(2))]),
        "kdf": password(kdf="argon2id"), "kdf-and-more": enc([enc({"slot": "password", "kdf": "argon2id", "memory": 2**16})]), "kdf-empty": enc([enc({"slot": "password", "kdf": ""})]),
    }.items():
        yield f"other-{name}", "passed-over", "", "", data

    yield "password-other", "bad-commitment", "password " + b"other".hex(), "", password()
    yield "password-line-feed", "bad-commitment", by_words + "0a", "", password()
    yield "password-commitment", "bad-commitment", by_words, "", password(commit=bytes(32))
    yield "password-commitment-of-header", "bad-commitment", by_words, "", password(header=enc(
        {"slot": "password", "epoch": 3, "database": DATABASE.bytes, "kdf": "pbkdf2-sha256", "salt": SALT, "rounds": 50_001}))
    yield "password-tag", "bad-tag", by_words, "", password(wrapped=bytes(48))
    yield "password-iv", "bad-tag", by_words, "", password(iv=IV[::-1])
    yield "instance-other", "bad-tag", by_secret, "", instance(to=LAB.exchange)
    yield "instance-commitment", "bad-commitment", by_secret, "", instance(commit=bytes(32))
    yield "instance-commitment-of-other-key", "bad-commitment", by_secret, "", instance(commit=hkdf(OLD, b"sea epoch v1"))
    yield "previous-other-key", "bad-commitment", f"key 3 {OLD.hex()}", "", previous()
    yield "previous-other-epoch", "bad-commitment", f"key 4 {KEY.hex()}", "", previous()
    yield "previous-commitment", "bad-commitment", by_key, "", previous(commit=bytes(32))
    yield "previous-iv", "bad-tag", by_key, "", previous(opening=IV[::-1])

    for name, rounds in ("too-few", 49_999), ("none", 0), ("too-many", 10_000_001), ("of-64-bits", 2**64 - 1):
        yield f"rounds-{name}", "bad-rounds", "", "", password(rounds=rounds, claimed=50_000)
    yield "rounds-too-few-and-a-byte-behind", "bad-slot", "", "", password(rounds=0, claimed=50_000) + b"\0"
    yield "rounds-too-few-and-short-commitment", "bad-slot", "", "", password(rounds=0, claimed=50_000, commit=bytes(31))

    good = password()
    for name, data in {
        "empty": b"", "cut": good[:-1], "byte-behind": good + b"\0", "twice": good + good,
        "array-of-five": password(form=lambda p: enc(p + [b""])), "array-of-three": password(form=lambda p: enc(p[:3])),
        "array-open": password(form=lambda p: b"\x9f" + b"".join(map(enc, p)) + b"\xff"),
        "array-long-head": password(form=lambda p: b"\x98\x04" + b"".join(map(enc, p))),
        "header-not-in-a-string": password(form=lambda p: enc([Raw(p[0])] + p[1:])),
        "header-text": password(form=lambda p: b"\x84\x78" + enc(p[0])[1:] + b"".join(map(enc, p[1:]))),
        "header-byte-behind": password(form=lambda p: enc([p[0] + b"\0"] + p[1:])),
        "header-empty": password(form=lambda p: enc([b""] + p[1:])), "header-order": password(header=swapped()),
        "header-open-map": password(form=lambda p: enc([b"\xbf" + p[0][1:] + b"\xff"] + p[1:])),
        "commitment-of-31": password(commit=bytes(31)), "iv-of-11": password(iv=IV[:11]), "iv-of-32": password(iv=bytes(32)),
        "wrapped-of-47": password(wrapped=bytes(47)), "wrapped-of-49": password(wrapped=bytes(49)),
        "enc-of-12": instance(opening=IV), "enc-of-31": instance(opening=bytes(31)),
        "key-of-31": password(key=KEY[:31]), "salt-of-7": password(salt=SALT[:7]), "salt-of-65": password(salt=bytes(65)),
        "salt-empty": password(salt=b""), "kdf-missing": password(kdf=None), "kdf-data": password(kdf=b"argon2id"), "kind-data": password(slot=b"later"), "kind-missing": password(slot=None),
        "other-of-17": enc([enc(other)] + [0] * 16), "other-empty": enc([]), "other-map": enc({"slot": "later"}), "other-header-text": enc(["later"]), "other-header-of-17": enc([enc(other | {f"k{n:02}": n for n in range(15)})]),
        "other-header-byte-behind": enc([enc(other) + b"\0"]), "other-header-order": enc([b"\xa2" + enc("slot") + enc("later") + enc("a") + enc(1)]), "other-header-integer-key": enc([enc(other | {1: 1})]),
        "other-header-double": enc([enc(other | {"a": 0.5})]), "other-header-9-levels": enc([enc(other | {"a": deep(9)})]), "other-double": enc([enc(other), 0.5]), "other-tag": enc([enc(other), Tag(1, 0)]),
        "other-9-levels": enc([enc(other), deep(9)]), "other-byte-behind": enc([enc(other)]) + b"\0", "other-longer-head": b"\x98\x01" + enc(enc(other)), "other-bignum": enc([enc(other), 2**64]),
        "other-too-large": enc([enc(other), bytes(65_536)]),
        **{f"enc-{name}": instance(opening=key) for name, key in refused()},
        "kind-instance-with-salt": password(slot="instance"),
        "kind-password-without-salt": instance(slot="password"), "key-extra": password(note=1),
        "epoch-0": password(epoch=0), "epoch-33-bits": password(epoch=2**32), "epoch-negative": password(epoch=-1),
        "epoch-text": password(epoch="3"), "epoch-long": password(epoch=Raw(b"\x18\x03")), "epoch-float": password(epoch=3.0),
        "database-of-15": password(database=bytes(15)), "database-text": password(database=str(DATABASE)),
        "instance-of-17": instance(instance=bytes(17)), "instance-missing": instance(instance=None),
        "previous-0": previous(previous=0), "previous-33-bits": previous(previous=2**32),
        "previous-and-instance": previous(instance=FIELD.id.bytes), "rounds-float": password(rounds=Raw(b"\xf9\x7a\x1a"), claimed=50_000),
    }.items():
        yield name, "bad-slot", "", "", data

# -- sealed assets

def content(size):
    """Bytes of which no two pieces are alike."""
    return b"".join(sha(struct.pack(">Q", k)) for k in range((size + 31) // 32))[:size]

def asset(size, index=7, number=3):
    info = b"sea asset v1" + DATABASE.bytes + FIELD.id.bytes + struct.pack(">I", index)
    key, clear, sealed = AESGCM(hkdf(KEY, info, SALT)), content(size), epoch_digest(KEY, number) + SALT
    pieces = [clear[k:k + 65_536] for k in range(0, len(clear), 65_536)] or [b""]
    for k, piece in enumerate(pieces):
        sealed += key.encrypt(k.to_bytes(11, "big") + bytes([k == len(pieces) - 1]), piece, None)
    return sealed

def vectors():
    """Path, header lines, bytes. Of a sealed asset only the digest is there; the content is that of `content` above."""
    for name, expect, secret, opens, data in slots():
        said = [("name", name), ("expect", expect), ("database", DATABASE)]
        said += [(k, v) for k, v in (("secret", secret), ("opens", opens)) if v]
        yield f"slot/{name}.vec", said + ([("digest", sha(data).hex())] if expect == "ok" else []), data
    for size in 0, 1, 65_535, 65_536, 65_537, 131_072, 200_000:
        said = [("name", f"asset-{size}"), ("database", DATABASE), ("instance", FIELD.id), ("index", 7), ("salt", SALT.hex()),
                ("key", f"3 {KEY.hex()}"), ("size", size), ("digest", sha(asset(size)).hex())]
        yield f"asset/asset-{size}.vec", said, b""
