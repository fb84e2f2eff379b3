"""The vectors of sealed blocks and chains: each part changed in turn, by the author itself where the signature covers it."""
import functools, itertools, struct
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from block_vectors import BIRD, ONE, flip, frames
from chain_vectors import EDIT, GONE
from sea_frames import stored
from sea_header import BEFORE_DATA, PREVIOUS, content, row
from sea_seal import epoch_digest, hkdf, open_aes
from sea_sealer import DATABASE, KEYS, Sealed, random
from sea_writer import PROOFS, TIME, COMPRESSED, CONTROL, DATABASE as PLAIN_DATABASE, SEALED, SIGNED, Instance, clear_array, clear_list, enc, hash_of, mode_of, named, purge, removed, sha, state

FIELD, LAB = Sealed("field"), Sealed("lab")
PLAIN = Instance("field")
GENESIS = FIELD.genesis()
AFTER = state(GENESIS)
SECOND, OTHER = epoch_digest(KEYS[2], 2), random("another epoch 1")
FIRST, STRANGE = {1: KEYS[1]}, named(Instance("owl").key, sealed=True)

def follower(*items, **options):
    return FIELD.block(list(items) or [ONE], AFTER, **options)

def resigned(block, at, bit=1):
    """The block with one bit of its payload flipped by its author, who signs for it."""
    return FIELD.block(None, AFTER, mode=block[3], content=flip(content(block), at, bit))

def grow(*transactions, by=FIELD):
    result = [by.genesis()]
    for items, epoch in transactions:
        result.append(by.block(items, state(result[-1]), epoch=epoch))
    return result

def bound():
    """Blocks whose additional data is not what it should be, in one part each."""
    def wrong(**other):
        return lambda *parts: b"".join(other.get(name, part) for name, part in zip(("database", "instance", "fields", "key"), parts))
    def field(at, size):
        return lambda database, instance, fields, key: b"".join((database, instance, fields[:at], bytes(size), fields[at + size:], key))
    yield "database", wrong(database=STRANGE.bytes)
    yield "instance", wrong(instance=LAB.id.bytes)
    yield "key", wrong(key=bytes(32))
    yield "key-of-epoch-2", wrong(key=SECOND)
    yield "number-for-key", wrong(key=bytes(3) + b"\1")
    yield "without-key", wrong(key=b"")
    yield "without-header", wrong(fields=b"")
    yield "nothing", lambda *parts: b""
    for name, at, size in (("magic", 0, 3), ("mode", 3, 1), ("size", 4, 4), ("index", 8, 4), ("lamport", 12, 4), ("count", 16, 4), ("previous", 20, 32)):
        yield name, field(at, size)

# -- a block for two keys: AES-GCM does not commit to its key

def times(a, b):
    """The product of two blocks in the field of GHASH; bits of higher powers come later."""
    a, b, product = int.from_bytes(a, "big"), int.from_bytes(b, "big"), 0
    for n in range(127, -1, -1):
        product ^= a if b >> n & 1 else 0
        a = a >> 1 ^ (0xE1 << 120 if a & 1 else 0)
    return product.to_bytes(16, "big")

def power(a, n):
    result = b"\x80" + bytes(15)
    while n:
        result, a, n = times(result, a) if n & 1 else result, times(a, a), n >> 1
    return result

def xor(*parts):
    return bytes(functools.reduce(lambda a, b: a ^ b, column) for column in zip(*parts))

def hashed(h, additional, coded):
    """GHASH of additional data and ciphertext."""
    padded = lambda b: b + bytes(-len(b) % 16)
    b, y = padded(additional) + padded(coded) + struct.pack(">QQ", 8 * len(additional), 8 * len(coded)), bytes(16)
    for at in range(0, len(b), 16):
        y = times(xor(y, b[at:at + 16]), h)
    return y

def raw_aes(key, blocks):
    """AES of whole blocks, each alone."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return cipher.update(blocks) + cipher.finalize()

def for_two(other):
    """A block that opens under the first key, which it names, and under `other` as well; one of its 16 bytes is worked out so that both
    tags are the same. Under `other` it says something else: that it is of another format."""
    names, mode, room = DATABASE.bytes + FIELD.id.bytes, SIGNED | SEALED, bytes(40)
    clear = clear_array([ONE], about={"time": TIME, "x": room})
    free = (clear.index(room) + 15) // 16 * 16
    fields = b"SEA" + bytes([mode]) + struct.pack(">IIII", len(clear) + 124, 1, 2, 0) + AFTER[2]
    name = epoch_digest(KEYS[1], 1)
    additional, keys = names + fields + name, [hkdf(key, b"sea block v1" + names) for key in (KEYS[1], other)]
    hs = [raw_aes(key, bytes(16)) for key in keys]
    for n in itertools.count():
        iv = struct.pack(">III", 0, 0, n)
        streams = [raw_aes(key, b"".join(iv + struct.pack(">I", k) for k in range(1, len(clear) // 16 + 3))) for key in keys]
        coded = bytearray(xor(clear, streams[0][16:]))
        lie = xor(coded, streams[1][16:])
        # The head of an array that is not empty, and an integer that is not 1 and stands in one byte.
        if not (0x81 <= lie[0] <= 0x97 and (lie[1] < 0x18 or 0x20 <= lie[1] < 0x38) and lie[1] != 1):
            continue
        coded[free:free + 16] = bytes(16)
        wanted = xor(*(xor(hashed(h, additional, bytes(coded)), stream[:16]) for h, stream in zip(hs, streams)))
        powers = xor(*(power(h, (len(clear) + 15) // 16 - free // 16 + 1) for h in hs))
        coded[free:free + 16] = times(wanted, power(powers, 2**128 - 2))
        tag = xor(hashed(hs[0], additional, bytes(coded)), streams[0][:16])
        opened = [open_aes(key, iv, bytes(coded) + tag, additional) for key in keys]
        assert opened[0] == xor(coded, streams[0][16:]) and opened[1][:2] == lie[:2]
        return FIELD.block(None, AFTER, mode=mode, content=name + iv + bytes(coded) + tag)

def blocks():
    """name, expect, layer, the keys that are known (None: none are; False: the database is plain), after, instance, blocks."""
    def say(name, expect, layer, *data, keys=KEYS, after=AFTER, instance=FIELD.id):
        return name, expect, layer, keys, after, instance, list(data)
    def ok(name, *data, **more):
        return say(name, "ok", "revision", *data, **more)
    def first(name, expect, layer, data, **more):
        return say(name, expect, layer, data, **{"after": None} | more)
    one = follower()
    yield ok("genesis", GENESIS, after=None)
    yield ok("genesis-with-change", FIELD.genesis(ONE), after=None)
    yield ok("genesis-of-another-in-epoch-2", LAB.genesis(epoch=2), after=None, instance=LAB.id)
    yield first("genesis-of-the-founder-in-epoch-2", "bad-prev", "chain", FIELD.genesis(epoch=2))
    yield first("genesis-of-the-founder-under-another-key", "bad-prev", "chain", FIELD.genesis(key=OTHER), keys=[(1, KEYS[1]), (1, OTHER)])
    yield first("genesis-under-another-first-key", "bad-prev", "chain", LAB.genesis(key=OTHER, root=hkdf(OTHER, b"sea root v1" + DATABASE.bytes)), keys=[(1, OTHER), (1, KEYS[1])], instance=LAB.id)
    yield first("genesis-first-key-not-known", "no-key", "seal", LAB.genesis(key=OTHER, root=hkdf(OTHER, b"sea root v1" + DATABASE.bytes)), keys=[(1, OTHER)], instance=LAB.id)
    yield ok("put", one)
    yield ok("put-in-epoch-2", follower(epoch=2))
    yield ok("any-iv", follower(iv=bytes(12)))
    yield say("removed", "bad-removal", "removed", removed(one))
    yield say("removed-without-keys", "bad-removal", "removed", removed(one), keys=None)
    yield ok("purge", follower(purge(FIELD, one, [ONE])))
    yield say("purge-that-lists-another", "bad-payload", "payload", follower(purge(FIELD, one, [ONE]), rows=clear_list([(LAB.id.bytes, 1, hash_of(one))])))
    yield say("purge-and-size-124-behind-the-list", "bad-payload", "payload", follower(content=clear_list([(FIELD.id.bytes, 1, hash_of(one))]) + bytes(60), mode=mode_of([purge(FIELD, one)]) | SEALED))
    yield say("purge-of-epoch-not-known", "no-key", "seal", follower(purge(FIELD, one, [ONE]), epoch=2), keys=FIRST)
    yield say("purge-list-wrong-and-epoch-not-known", "bad-payload", "payload", follower(purge(FIELD, one, [ONE]), epoch=2, rows=bytes(4)), keys=FIRST)
    two = [(1, OTHER), (1, KEYS[1])]
    yield ok("two-keys-of-one-number", one, keys=two)
    yield ok("two-keys-of-one-number-the-other", follower(key=OTHER), keys=two)
    yield say("another-key-of-this-number", "no-key", "seal", one, keys=[(1, OTHER), (1, random("a third"))])
    crafted = for_two(OTHER)
    yield ok("crafted-for-two-keys", crafted, keys=two)
    yield say("crafted-for-two-keys-with-the-other", "no-key", "seal", crafted, keys=[(1, OTHER)])
    yield say("epoch-not-known", "no-key", "seal", follower(epoch=2), keys=FIRST)
    yield say("epoch-not-known-signature", "bad-signature", "signature", follower(epoch=2, signature=bytes(64)), keys=FIRST)
    yield ok("without-keys", one, keys=None)
    yield ok("genesis-without-keys", GENESIS, keys=None, after=None)
    yield ok("genesis-wrong-root-without-keys", FIELD.genesis(previous=sha(b"x")), keys=None, after=None)

    mode = SIGNED | SEALED
    yield say("plain-in-sealed", "bad-mode", "header", PLAIN.block([ONE], AFTER))
    yield say("sealed-in-plain", "bad-mode", "header", FIELD.block([ONE], state(PLAIN.genesis())), keys=False, after=state(PLAIN.genesis()))
    yield first("genesis-plain-in-sealed", "bad-mode", "header", PLAIN.genesis())
    yield first("genesis-sealed-in-plain", "bad-mode", "header", GENESIS, keys=False)
    yield first("genesis-removed", "bad-mode", "header", removed(GENESIS))
    yield say("removed-and-unsigned", "bad-mode", "header", follower(mode=SEALED | 8, content=bytes(125)))
    yield say("removed-and-plain", "bad-mode", "header", removed(PLAIN.block([ONE], AFTER)))
    yield say("size-removed-124", "bad-size", "header", removed(one)[:4] + struct.pack(">I", 124) + removed(one)[8:])
    yield say("mode-45", "not-readable", "payload", follower(mode=mode | 0x40, content=b"what nobody knows" * 4))
    yield say("mode-45-without-keys", "not-readable", "payload", follower(mode=mode | 0x40), keys=None)
    yield say("mode-05-with-entry", "bad-payload", "payload", follower({"control": "future"}, mode=mode))
    yield say("mode-15-without-entry", "bad-payload", "payload", follower(mode=mode | CONTROL))
    yield say("mode-15-with-unknown-entry", "not-readable", "payload", follower({"control": "future"}))
    yield say("format-2", "not-readable", "payload", follower(body=enc([2])))
    yield ok("heads", follower(heads=[(LAB, LAB.genesis())]))
    yield ok("heads-and-rows", follower(purge(FIELD, one, [ONE]), heads=[(LAB, LAB.genesis())]))
    yield say("heads-of-epoch-not-known", "no-key", "seal", follower(heads=[(LAB, LAB.genesis())], epoch=2), keys=FIRST)
    yield say("heads-own", "bad-payload", "heads", follower(heads=[(FIELD, GENESIS)]))
    yield say("heads-own-of-epoch-not-known", "bad-payload", "heads", follower(heads=[(FIELD, GENESIS)], epoch=2), keys=FIRST)
    yield say("heads-that-leave-124", "bad-size", "header", FIELD.block(None, AFTER, mode=mode, content=bytes(60), heads=row(LAB.id, 0, bytes(32)), lamport=9))
    yield say("removed-with-heads", "bad-removal", "removed", removed(follower(heads=[(LAB, LAB.genesis())])))
    yield say("lamport-jump", "bad-lamport", "clock", follower(lamport=3))
    yield say("lamport-jump-not-known", "no-key", "seal", follower(lamport=3, epoch=2), keys=FIRST)
    for name, expect, body in frames():
        yield say(f"frames-{name}", expect, "payload" if expect != "ok" else "revision", follower(body=body, mode=mode | COMPRESSED))
    yield say("frames-tag", "bad-tag", "seal", follower(body=stored(clear_array([ONE])), mode=mode | COMPRESSED, tag=bytes(16)))
    for bit in (COMPRESSED, 0x20, 0x40):
        yield first(f"genesis-mode-{mode | CONTROL | bit:02x}", "bad-mode", "header", FIELD.genesis(mode=mode | CONTROL | bit, rows=b""))
    yield first("genesis-mode-05", "bad-mode", "header", FIELD.genesis(mode=mode))
    yield first("genesis-format-2", "bad-payload", "payload", FIELD.genesis(body=enc([2])))
    yield first("genesis-with-unknown-entry", "bad-payload", "payload", FIELD.genesis({"control": "future"}))
    yield say("size-124", "bad-size", "header", FIELD.block(None, AFTER, mode=mode, content=bytes(60)))
    yield say("size-125", "bad-payload", "payload", follower(body=b"\xa0"))
    for name, at in (("magic", 0), ("size", 7), ("index", 11), ("lamport", 15), ("previous", PREVIOUS.start), ("data", BEFORE_DATA)):
        expect = {"magic": "bad-magic", "index": "bad-index", "lamport": "bad-signature", "previous": "bad-prev", "data": "bad-data"}
        if name != "size":
            layer = {"magic": "header", "lamport": "signature", "data": "hash"}.get(name, "chain")
            yield say(f"header-{name}", expect[name], layer, flip(one, at, {"lamport": 4, "index": 2}.get(name, 1)))
    yield say("payload-bit", "bad-data", "hash", flip(one, 100))
    yield say("signature-wrong", "bad-signature", "signature", follower(signature=bytes(64)))
    yield say("signature-of-clear-text", "bad-signature", "signature", follower(signature=FIELD.signer.sign(
        b"sea block v1" + DATABASE.bytes + FIELD.id.bytes + one[:BEFORE_DATA] + sha(b"") + sha(clear_array([ONE])))))
    yield say("signature-missing", "bad-signature", "signature", follower(mode=SEALED))
    yield say("signature-of-other-key", "bad-signature", "signature", follower(signer=LAB.signer))
    yield say("right-key-under-the-name-of-another", "bad-tag", "seal", follower(said=SECOND))
    yield say("right-key-under-no-name", "no-key", "seal", follower(said=bytes(32)))
    yield say("right-key-under-a-number", "no-key", "seal", follower(said=bytes(31) + b"\1"))
    yield say("name-first-bit", "no-key", "seal", resigned(one, 0, 0x80))
    yield say("name-last-bit", "no-key", "seal", resigned(one, 31))
    yield say("other-key-under-this-name", "bad-tag", "seal", follower(key=KEYS[2], said=PROOFS[DATABASE][65:]))
    yield say("this-key-of-another-number", "no-key", "seal", follower(key=KEYS[1], epoch=2))
    yield say("key-of-other-instance", "bad-tag", "seal", follower(names=DATABASE.bytes + LAB.id.bytes))
    yield say("key-of-other-database", "bad-tag", "seal", follower(names=STRANGE.bytes + FIELD.id.bytes))
    yield say("iv-first-bit", "bad-tag", "seal", resigned(one, 32, 0x80))
    yield say("iv-last-bit", "bad-tag", "seal", resigned(one, 43))
    yield say("ciphertext-first-bit", "bad-tag", "seal", resigned(one, 44, 0x80))
    yield say("ciphertext-last-bit", "bad-tag", "seal", resigned(one, len(content(one)) - 17))
    yield say("tag-first-bit", "bad-tag", "seal", resigned(one, len(content(one)) - 16, 0x80))
    yield say("tag-last-bit", "bad-tag", "seal", resigned(one, len(content(one)) - 1))
    yield say("tag-zero", "bad-tag", "seal", follower(tag=bytes(16)))
    for name, additional in bound():
        yield say(f"additional-{name}", "bad-tag", "seal", follower(additional=additional, heads=[(LAB, LAB.genesis())]))
    yield say("clear-trailing-byte", "bad-payload", "payload", follower(body=clear_array([ONE]) + b"\0"))
    yield say("clear-extra-key", "bad-payload", "payload", follower(body=enc([1, [], {"time": 0}, [ONE], 1])))
    yield say("clear-second-instance", "bad-payload", "payload", follower(FIELD.entry()))
    yield first("genesis-without-key", "bad-payload", "payload", FIELD.genesis(items=[ONE], mode=mode | CONTROL))
    yield first("genesis-tag", "bad-tag", "seal", FIELD.genesis(tag=bytes(16)))
    yield first("genesis-wrong-epoch-key", "bad-tag", "seal", FIELD.genesis(key=KEYS[2], said=PROOFS[DATABASE][65:]))
    yield first("genesis-key-of-other", "bad-key", "chain", FIELD.genesis(items=[FIELD.entry(key=LAB.key)]))
    yield first("genesis-of-other-instance", "bad-tag", "seal", LAB.genesis())
    yield first("genesis-wrong-root", "bad-prev", "chain", FIELD.genesis(root=hkdf(KEYS[2], b"sea root v1" + DATABASE.bytes)))
    yield first("genesis-root-of-other-database", "bad-prev", "chain", FIELD.genesis(root=hkdf(KEYS[1], b"sea root v1" + STRANGE.bytes)))
    yield first("genesis-root-is-key", "bad-prev", "chain", FIELD.genesis(root=KEYS[1]))
    yield first("genesis-previous-without-root", "bad-prev", "chain", FIELD.genesis(previous=sha(b"sea chain v1", DATABASE.bytes, FIELD.key)))
    yield first("genesis-of-other-database", "bad-tag", "seal", Sealed("field", STRANGE).genesis())
    yield first("genesis-of-another-without-the-first-key", "no-key", "seal", LAB.genesis(epoch=2), keys={2: KEYS[2]}, instance=LAB.id)
    yield first("genesis-signature", "bad-signature", "signature", FIELD.genesis(signer=LAB.signer))

    good = grow(([ONE], 1), ([EDIT, BIRD], 1), ([GONE], 2))
    chain = {"after": None}
    yield ok("chain", *good, **chain)
    yield say("chain-one-removed", "bad-removal", "removed", *good[:2], removed(good[2]), *good[3:], **chain)
    gone = good + [FIELD.block([purge(FIELD, good[2], [EDIT, BIRD])], state(good[-1]), epoch=1)]
    gone = gone[:2] + [removed(gone[2])] + gone[3:]
    yield ok("chain-order-followed", *gone, **chain)
    yield ok("chain-order-without-keys", *gone, keys=None, **chain)
    yield ok("chain-without-keys", *good, keys=None, **chain)
    # Nobody can say who signed it, so it is neither earned nor wrong.
    yield ok("chain-without-keys-lamport-jump", *good, FIELD.block([BIRD], state(good[-1]), lamport=90), keys=None, **chain)
    yield ok("chain-without-keys-bad-tag", *good, FIELD.block([BIRD], state(good[-1]), tag=bytes(16)), keys=None, **chain)
    yield say("chain-without-keys-exchanged", "bad-index", "chain", good[0], good[2], good[1], keys=None, **chain)
    yield say("chain-without-keys-previous", "bad-prev", "chain", *good[:2], grow(([BIRD], 1), ([ONE], 1))[2], keys=None, **chain)
    yield say("chain-without-keys-goes-plain", "bad-mode", "header", *good, PLAIN.block([BIRD], state(good[-1])), keys=None, **chain)
    yield say("chain-goes-plain", "bad-mode", "header", *good, PLAIN.block([BIRD], state(good[-1])), **chain)
    yield say("chain-epoch-not-known", "no-key", "seal", *good, keys=FIRST, **chain)
    yield say("chain-last-tag", "bad-tag", "seal", *good, FIELD.block([BIRD], state(good[-1]), tag=bytes(16)), **chain)
    yield say("chain-goes-on-by-another", "bad-signature", "signature", *good, LAB.block([BIRD], state(good[-1])), **chain)

def vectors():
    """Path, header lines, bytes."""
    for name, expect, layer, keys, after, instance, data in blocks():
        said = [("name", name), ("expect", expect), ("layer", layer), ("database", PLAIN_DATABASE if keys is False else DATABASE), ("instance", instance)]
        said.append(("sealed", "no" if keys is False else "yes"))
        known = keys.items() if isinstance(keys, dict) else keys or []
        said += [("proof", PROOFS[DATABASE].hex())] if keys is not False else []
        said.append(("keys", ", ".join(f"{n} {key.hex()}" for n, key in known) or "none"))
        if after:
            said += [("key", FIELD.key.hex()), ("after", f"{after[0]} {after[1]} {after[2].hex()}")]
        kept = expect == "no-key" or expect != "ok" and layer in ("payload", "seal", "clock") and (after or len(data) > 1)
        said += [("kept", "yes")] if kept else []
        if expect == "ok" or kept:
            said.append(("head", f"{state(data[-1])[0]} {state(data[-1])[2].hex()}"))
        yield f"seal/{name}.vec", said, b"".join(data)
