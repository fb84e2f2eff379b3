"""An independent writer of what sea-format(5) seals: blocks, slots, assets, join requests. It can also write what is wrong.

What would be random is the digest of a few words, so that the bytes are the same every time.
"""
import hashlib, hmac, struct
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sea_seal import PIECE, epoch_digest, hkdf, hpke_key
from sea_writer import KEYS, SEALED, Instance, enc, named, raw, sha

DATABASE = named(Instance("field").key, sealed=True)

def random(*words):
    return sha(b"sea vector random ", *(word.encode() for word in words))

class Sealed(Instance):
    """An instance of a sealed database."""

    def __init__(self, name, database=DATABASE, keys=KEYS):
        super().__init__(name, database)
        self.keys = keys
        self.exchange_secret = sha(b"sea vector exchange ", name.encode())

    def genesis(self, *more, items=None, previous=None, root=None, **options):
        root = root or hkdf(self.keys[1], b"sea root v1" + self.database.bytes)
        previous = previous or hmac.digest(root, b"sea chain v1" + self.database.bytes + self.key, "sha256")
        return super().genesis(*more, items=items, previous=previous, **options)

    seals = SEALED

    def block(self, items, after, epoch=1, key=None, iv=None, said=None, tag=None, additional=None, names=None, **options):
        """One sealed block; `said` is the name of the key in the payload, `additional` changes the additional data."""
        self.how = epoch, key, iv, said, tag, additional, names
        return super().block(items, after, **options)

    def sealed(self, clear, fields, before, mode):
        if not mode & SEALED:
            return clear
        epoch, key, iv, said, tag, additional, names = self.how
        fields = fields[:4] + struct.pack(">I", before + len(clear) + 124) + fields[8:]
        names = names or self.database.bytes + self.id.bytes
        key = key or self.keys[epoch]
        name = epoch_digest(key, epoch) if said is None else said
        if iv is None:
            drawn = random("iv", self.name, str(int.from_bytes(fields[8:12], "big")))
            iv = hmac.digest(hkdf(key, b"sea iv v1" + names), drawn + fields + clear, "sha256")[:12]
        bound = (additional or (lambda *parts: b"".join(parts)))(self.database.bytes, self.id.bytes, fields, name)
        coded = AESGCM(hkdf(key, b"sea block v1" + names)).encrypt(iv, clear, bound)
        return name + iv + coded[:-16] + (tag or coded[-16:])

# -- slots

def slot_header(kind, epoch, database=DATABASE, **more):
    return enc({"slot": kind, "epoch": epoch, "database": database.bytes} | more)

def outer(header, commitment, nonce, wrapped):
    return enc([header, commitment, nonce, wrapped])

def password_slot(password, key, header=None, epoch=1, salt=None, rounds=50_000, derive=True, iv=None, database=DATABASE):
    """With derive false nothing is derived: for slots that nobody is to open."""
    salt = random("salt", password)[:16] if salt is None else salt
    header = header or slot_header("password", epoch, database, kdf="pbkdf2-sha256", salt=salt, rounds=rounds)
    prk = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds, 32) if derive else bytes(32)
    iv = iv or random("slot", password)[:12]
    wrapped = AESGCM(hkdf(prk, b"sea slot key v1" + header)).encrypt(iv, key, header)
    return outer(header, hkdf(prk, b"sea slot commit v1" + header), iv, wrapped)

def hpke_seal(clear, receiver, info, additional, ephemeral):
    private = X25519PrivateKey.from_private_bytes(ephemeral)
    enc_ = raw(private)
    key, nonce = hpke_key(private.exchange(X25519PublicKey.from_public_bytes(receiver)), enc_, receiver, info)
    return enc_, AESGCM(key).encrypt(nonce, clear, additional)

def instance_slot(instance, exchange, key, header=None, epoch=1, database=DATABASE, committed=None, info=b"sea slot v1", ephemeral=None):
    header = header or slot_header("instance", epoch, database, instance=instance.bytes)
    enc_, wrapped = hpke_seal(key, exchange, info, header, ephemeral or random("ephemeral", str(instance), str(epoch)))
    return outer(header, hkdf(committed or key, b"sea epoch v1" + header), enc_, wrapped)

def previous_slot(old, new, header=None, epoch=2, previous=1, database=DATABASE, committed=None, iv=None):
    header = header or slot_header("previous", epoch, database, previous=previous)
    iv = iv or random("previous", str(epoch), str(previous))[:12]
    wrapped = AESGCM(hkdf(new, b"sea previous v1" + header)).encrypt(iv, old, header)
    return outer(header, hkdf(committed or new, b"sea epoch v1" + header), iv, wrapped)

def epoch_entry(number, key, *slots, ended=(), readers=(), **other):
    """The entry that begins an epoch with these slots, for these instances, or ends some."""
    return {"control": "epoch", "epoch": number, "key": epoch_digest(key, number), "slots": sorted(map(sha, slots)), "ended": sorted(map(sha, ended)),
            "readers": sorted(one.id.bytes for one in readers)} | other

# -- assets and requests

def pieces(content, size=PIECE):
    return [content[at:at + size] for at in range(0, len(content), size)] or [b""]

def asset(content, instance, index, key=KEYS[1], epoch=1, salt=None, database=DATABASE, cut=pieces, nonce=None, said=None):
    """`said` is the name of the key in the file; `cut` and `nonce` say which pieces there are, and what the nonce of one of `count` is."""
    salt = salt or random("asset", str(index))[:16]
    nonce = nonce or (lambda n, count: n.to_bytes(11, "big") + bytes([n == count - 1]))
    aes = AESGCM(hkdf(key, b"sea asset v1" + database.bytes + instance.bytes + struct.pack(">I", index), salt))
    parts = cut(content)
    return (said or epoch_digest(key, epoch)) + salt + b"".join(aes.encrypt(nonce(n, len(parts)), p, b"") for n, p in enumerate(parts))

def request(instance, array=None, signature=None, signer=None):
    said = array or enc(["sea join v1", instance.database.bytes, instance.key, instance.exchange, instance.name])
    return said + (signature or (signer or instance.signer).sign(said))
