"""Keys, slots and what is sealed under them, as sea-format(5) says; reading only, and every refusal has a name."""
import hashlib, hmac, struct, unicodedata, uuid
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sea_names import exchangeable
from sea_payload import array, plain, plain_map
from sea_values import Bad, Items, item, need

PIECE = 65536
LEAST_ROUNDS, MOST_ROUNDS, MOST_ROUNDS_TOGETHER = 50_000, 10_000_000, 50_000_000

def expand(prk, info, length):
    out, block = b"", b""
    for n in range(1, (length + 31) // 32 + 1):
        block = hmac.digest(prk, block + info + bytes([n]), "sha256")
        out += block
    return out[:length]

def hkdf(secret, info, salt=bytes(32)):
    """HKDF-SHA256, 32 bytes; no salt is 32 zero bytes."""
    return expand(hmac.digest(salt, secret, "sha256"), info, 32)

def open_aes(key, iv, sealed, additional):
    need(len(sealed) >= 16, "truncated")
    try:
        return AESGCM(key).decrypt(iv, sealed, additional)
    except InvalidTag:
        raise Bad("bad-tag")

# -- HPKE (RFC 9180): base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM

KEM, SUITE = b"KEM" + struct.pack(">H", 0x20), b"HPKE" + struct.pack(">HHH", 0x20, 1, 2)

def labeled_extract(suite, salt, label, secret):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + secret, "sha256")

def labeled_expand(suite, prk, label, info, length):
    return expand(prk, struct.pack(">H", length) + b"HPKE-v1" + suite + label + info, length)

def hpke_key(shared, enc, receiver, info):
    """Key and nonce of the first message."""
    secret = labeled_expand(KEM, labeled_extract(KEM, b"", b"eae_prk", shared), b"shared_secret", enc + receiver, 32)
    context = b"\0" + labeled_extract(SUITE, b"", b"psk_id_hash", b"") + labeled_extract(SUITE, b"", b"info_hash", info)
    prk = labeled_extract(SUITE, secret, b"secret", b"")
    return labeled_expand(SUITE, prk, b"key", context, 32), labeled_expand(SUITE, prk, b"base_nonce", context, 12)

def hpke_open(enc, sealed, secret, info, additional):
    private = X25519PrivateKey.from_private_bytes(secret)
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(enc))
    except ValueError:
        raise Bad("bad-tag")
    receiver = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    key, nonce = hpke_key(shared, enc, receiver, info)
    return open_aes(key, nonce, sealed, additional)

# -- slots

def normalized(password):
    """A password as it is used: UTF-8 of its NFC form."""
    try:
        text = unicodedata.normalize("NFC", password.decode())
    except UnicodeDecodeError:
        raise Bad("bad-password")
    need(text and "\0" not in text, "bad-password")
    return text.encode()

FIELDS = {"password": {"kdf", "salt", "rounds"}, "instance": {"instance"}, "previous": {"previous"}}

def whole(b, code):
    """The one item of CBOR that all of the bytes are."""
    try:
        value, end = item(b)
    except (Bad, UnicodeDecodeError, RecursionError):
        raise Bad(code)
    need(end == len(b), code)
    return value

def number(v, code):
    need(type(v) is int and 1 <= v < 2**32, code)
    return v

class Slot:
    def __init__(self, b):
        need(len(b) <= 65536, "bad-slot")
        self.digest, self.database, self.kind = hashlib.sha256(b).digest(), None, None
        if not self.is_ours(b):
            return
        outer = whole(b, "bad-slot")
        need(type(outer) is Items and len(outer) == 4 and all(type(x) is bytes for x in outer), "bad-slot")
        self.header, self.commitment, self.nonce, self.wrapped = outer
        said = whole(self.header, "bad-slot")
        self.kind = said["slot"]
        need(set(said) == {"slot", "epoch", "database"} | FIELDS[self.kind], "bad-slot")
        need(len(self.commitment) == 32 and len(self.wrapped) == 48, "bad-slot")
        need(len(self.nonce) == (32 if self.kind == "instance" else 12), "bad-slot")
        self.epoch = number(said["epoch"], "bad-slot")
        need(type(said["database"]) is bytes and len(said["database"]) == 16, "bad-slot")
        self.database = uuid.UUID(bytes=said["database"])
        if self.kind == "password":
            need(said["kdf"] == "pbkdf2-sha256" and type(said["salt"]) is bytes and 8 <= len(said["salt"]) <= 64, "bad-slot")
            need(type(said["rounds"]) is int and said["rounds"] >= 0, "bad-slot")
            need(LEAST_ROUNDS <= said["rounds"] <= MOST_ROUNDS, "bad-rounds")
            self.salt, self.rounds = said["salt"], said["rounds"]
        elif self.kind == "instance":
            need(type(said["instance"]) is bytes and len(said["instance"]) == 16, "bad-slot")
            self.instance = uuid.UUID(bytes=said["instance"])
            need(exchangeable(self.nonce), "bad-slot")
        else:
            self.previous = number(said["previous"], "bad-slot")

    def is_ours(self, b):
        """Whether it is of a kind that this program knows; if not, its `kind` is None, and nothing else of it is looked at."""
        try:
            count, at = array(b, 0, 1, 16)
            header, at = item(b, at)
            for _ in range(count - 1):
                at = plain(b, at)
            need(at == len(b) and type(header) is bytes)
            spans, at = plain_map(header, 0)
            need(at == len(header) and "slot" in spans)
            kind, kdf = (item(header, spans[key][0])[0] if key in spans else None for key in ("slot", "kdf"))
            need(type(kind) is str)
        except (Bad, UnicodeDecodeError, RecursionError):
            raise Bad("bad-slot")
        return kind in FIELDS and not (kind == "password" and type(kdf) is str and kdf != "pbkdf2-sha256")

    def committed(self, secret, info):
        need(hmac.compare_digest(hkdf(secret, info + self.header), self.commitment), "bad-commitment")

    def open_password(self, password):
        need(self.kind == "password", "wrong-kind")
        prk = hashlib.pbkdf2_hmac("sha256", password, self.salt, self.rounds, 32)
        self.committed(prk, b"sea slot commit v1")
        return self.epoch, open_aes(hkdf(prk, b"sea slot key v1" + self.header), self.nonce, self.wrapped, self.header)

    def open_instance(self, secret):
        need(self.kind == "instance", "wrong-kind")
        key = hpke_open(self.nonce, self.wrapped, secret, b"sea slot v1", self.header)
        self.committed(key, b"sea epoch v1")
        return self.epoch, key

    def open_previous(self, key):
        need(self.kind == "previous", "wrong-kind")
        self.committed(key, b"sea epoch v1")
        return self.previous, open_aes(hkdf(key, b"sea previous v1" + self.header), self.nonce, self.wrapped, self.header)

def epoch_digest(key, number):
    """The name of an epoch key in all that is sealed under it."""
    return hkdf(key, b"sea epoch id v1" + struct.pack(">I", number))

class Keys:
    """The epoch keys that are known, by their names. `proof` is that of the database."""

    def __init__(self, database, known=(), proof=None):
        self.database, self.proof, self.known = database, proof, {}
        for epoch, key in known:
            self.add(epoch, key)

    def add(self, epoch, key):
        name = epoch_digest(key, epoch)
        is_new = name not in self.known
        self.known[name] = epoch, key
        return is_new

    def key(self, name):
        """The one key with that name."""
        need(name in self.known, "no-key")
        return self.known[name][1]

    def genesis(self, key):
        """The previous of the first block of a chain with that Ed25519 key; None if the first key is not known."""
        if self.proof.first not in self.known:
            return None
        root = hkdf(self.key(self.proof.first), b"sea root v1" + self.database.bytes)
        return hmac.digest(root, b"sea chain v1" + self.database.bytes + key, "sha256")

    def follow(self, slots):
        """Opens whatever slots of the kind previous lead on."""
        progress = True
        while progress:
            progress = False
            for slot in slots:
                for number, key in list(self.known.values()) if slot.kind == "previous" else ():
                    try:
                        progress |= number == slot.epoch and self.add(*slot.open_previous(key))
                    except Bad:
                        continue

    def open_block(self, fields, stored, instance):
        """The clear text of a sealed payload without its signature; fields is the header without data."""
        name, iv, sealed = stored[:32], stored[32:44], stored[44:]
        names = self.database.bytes + instance.bytes
        return open_aes(hkdf(self.key(name), b"sea block v1" + names), iv, sealed, names + fields + name)

    def open_asset(self, b, instance, index):
        need(len(b) >= 64, "truncated")
        info = b"sea asset v1" + self.database.bytes + instance.bytes + struct.pack(">I", index)
        return open_pieces(hkdf(self.key(b[:32]), info, b[32:48]), b[48:])

def open_pieces(key, b):
    pieces = [b[at:at + PIECE + 16] for at in range(0, len(b), PIECE + 16)]
    need(len(pieces[-1]) >= 16, "truncated")
    clear = [open_aes(key, n.to_bytes(11, "big") + bytes([n == len(pieces) - 1]), piece, b"") for n, piece in enumerate(pieces)]
    need(clear[-1] or len(clear) == 1, "bad-size")
    return b"".join(clear)

def unlock_as(slots, database, instance, secret):
    """The keys that are wrapped for an instance, and the digests of the slots that it opened."""
    keys, opened = Keys(database), set()
    for slot in slots:
        if slot.kind == "instance" and slot.instance == instance:
            try:
                epoch, key = slot.open_instance(secret)
            except Bad:
                continue
            keys.add(epoch, key)
            opened.add(slot.digest)
    need(opened, "no-key")
    keys.follow(slots)
    return keys, opened

def unlock(slots, database, password):
    """The keys that a password opens, and the digests of the slots that it opened."""
    keys, opened, rounds, password = Keys(database), set(), 0, normalized(password)
    for slot in sorted((s for s in slots if s.kind == "password"), key=lambda s: (s.rounds, s.digest)):
        rounds += slot.rounds
        if rounds > MOST_ROUNDS_TOGETHER:
            break
        try:
            epoch, key = slot.open_password(password)
        except Bad:
            continue
        keys.add(epoch, key)
        opened.add(slot.digest)
    need(opened, "bad-password")
    keys.follow(slots)
    return keys, opened
