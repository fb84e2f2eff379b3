"""The vectors of sealed blocks and chains: each part changed in turn, by the author itself where the signature covers it."""
import struct
from block_vectors import BIRD, ONE, flip, frames
from chain_vectors import EDIT, GONE
from sea_frames import stored
from sea_seal import hkdf
from sea_sealer import DATABASE, KEYS, Sealed, random
from sea_writer import COMPRESSED, CONTROL, DATABASE as PLAIN_DATABASE, SEALED, SIGNED, Instance, clear_array, clear_list, enc, mode_of, named, purge, removed, sha, state

FIELD, LAB = Sealed("field"), Sealed("lab")
PLAIN = Instance("field")
GENESIS = FIELD.genesis()
AFTER = state(GENESIS)
FIRST, STRANGE = {1: KEYS[1]}, named(Instance("owl").key, sealed=True)

def follower(*items, **options):
    return FIELD.block(list(items) or [ONE], AFTER, **options)

def resigned(block, at, bit=1):
    """The block with one bit of its payload flipped by its author, who signs for it."""
    return FIELD.block(None, AFTER, mode=block[3], payload=flip(block[80:-64], at, bit))

def grow(*transactions, by=FIELD):
    result = [by.genesis()]
    for items, epoch in transactions:
        result.append(by.block(items, state(result[-1]), epoch=epoch))
    return result

def bound():
    """Blocks whose additional data is not what it should be, in one part each."""
    def wrong(**other):
        return lambda *parts: b"".join(other.get(name, part) for name, part in zip(("database", "instance", "fields", "epoch"), parts))
    def field(at, size):
        return lambda database, instance, fields, epoch: b"".join((database, instance, fields[:at], bytes(size), fields[at + size:], epoch))
    yield "database", wrong(database=STRANGE.bytes)
    yield "instance", wrong(instance=LAB.id.bytes)
    yield "epoch", wrong(epoch=bytes(4))
    yield "without-epoch", wrong(epoch=b"")
    yield "without-header", wrong(fields=b"")
    yield "nothing", lambda *parts: b""
    for name, at, size in (("magic", 0, 3), ("mode", 3, 1), ("size", 4, 4), ("index", 8, 4), ("lamport", 12, 4), ("previous", 16, 32)):
        yield name, field(at, size)

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
    yield ok("genesis-in-epoch-2", FIELD.genesis(epoch=2), after=None)
    yield ok("put", one)
    yield ok("put-in-epoch-2", follower(epoch=2))
    yield ok("any-iv", follower(iv=bytes(12)))
    yield say("removed", "bad-removal", "removed", removed(one))
    yield say("removed-without-keys", "bad-removal", "removed", removed(one), keys=None)
    yield ok("purge", follower(purge(FIELD, one, [ONE])))
    yield say("purge-of-plain", "bad-payload", "payload", follower(purge(FIELD, one[:3] + b"\4" + one[4:], [ONE])))
    yield say("purge-that-lists-another", "bad-payload", "payload", follower(purge(FIELD, one, [ONE]), rows=clear_list([(LAB.id.bytes, 1, sha(one))])))
    yield say("purge-and-size-96-behind-the-list", "bad-payload", "payload", follower(payload=clear_list([(FIELD.id.bytes, 1, sha(one))]) + bytes(32), mode=mode_of([purge(FIELD, one)]) | SEALED))
    yield say("purge-of-epoch-not-known", "no-key", "seal", follower(purge(FIELD, one, [ONE]), epoch=2), keys=FIRST)
    yield say("purge-list-wrong-and-epoch-not-known", "bad-payload", "payload", follower(purge(FIELD, one, [ONE]), epoch=2, rows=bytes(4)), keys=FIRST)
    other = random("another epoch 1")
    yield ok("two-keys-of-one-number", one, keys=[(1, other), (1, KEYS[1])])
    yield say("two-wrong-keys", "bad-tag", "seal", one, keys=[(1, other), (1, random("a third"))])
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
    yield say("sealed-and-removed", "bad-mode", "header", follower(mode=SEALED | 8, payload=bytes(97)))
    yield say("mode-45", "not-readable", "payload", follower(mode=mode | 0x40, payload=b"what nobody knows" * 3))
    yield say("mode-45-without-keys", "not-readable", "payload", follower(mode=mode | 0x40), keys=None)
    yield say("mode-05-with-entry", "bad-payload", "payload", follower({"control": "future"}, mode=mode))
    yield say("mode-15-without-entry", "bad-payload", "payload", follower(mode=mode | CONTROL))
    yield say("mode-15-with-unknown-entry", "not-readable", "payload", follower({"control": "future"}))
    yield say("format-2", "not-readable", "payload", follower(body=enc([2])))
    yield ok("heads", follower(heads=[(LAB, LAB.genesis())]))
    yield say("heads-own", "bad-payload", "payload", follower(heads=[(FIELD, GENESIS)]))
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
    yield say("size-96", "bad-size", "header", FIELD.block(None, AFTER, mode=mode, payload=bytes(32)))
    yield say("size-97", "bad-payload", "payload", follower(body=b"\xa0"))
    for name, at in (("magic", 0), ("size", 7), ("index", 11), ("lamport", 15), ("previous", 16), ("data", 48)):
        expect = {"magic": "bad-magic", "index": "bad-index", "lamport": "bad-signature", "previous": "bad-prev", "data": "bad-data"}
        if name != "size":
            layer = {"magic": "header", "lamport": "signature", "data": "hash"}.get(name, "chain")
            yield say(f"header-{name}", expect[name], layer, flip(one, at, {"lamport": 4, "index": 2}.get(name, 1)))
    yield say("payload-bit", "bad-data", "hash", flip(one, 100))
    yield say("signature-wrong", "bad-signature", "signature", follower(signature=bytes(64)))
    yield say("signature-of-clear-text", "bad-signature", "signature", follower(signature=FIELD.signer.sign(
        b"sea block v1" + DATABASE.bytes + FIELD.id.bytes + one[:48] + sha(clear_array([ONE])))))
    yield say("signature-missing", "bad-signature", "signature", follower(mode=SEALED))
    yield say("signature-of-other-key", "bad-signature", "signature", follower(signer=LAB.signer))
    yield say("said-epoch-2", "bad-tag", "seal", follower(said=2))
    yield say("said-epoch-0", "no-key", "seal", follower(said=0))
    yield say("said-epoch-flipped", "no-key", "seal", resigned(one, 0, 0x80))
    yield say("wrong-epoch-key", "bad-tag", "seal", follower(key=KEYS[2]))
    yield say("key-of-other-instance", "bad-tag", "seal", follower(names=DATABASE.bytes + LAB.id.bytes))
    yield say("key-of-other-database", "bad-tag", "seal", follower(names=STRANGE.bytes + FIELD.id.bytes))
    yield say("iv-first-bit", "bad-tag", "seal", resigned(one, 4, 0x80))
    yield say("iv-last-bit", "bad-tag", "seal", resigned(one, 15))
    yield say("ciphertext-first-bit", "bad-tag", "seal", resigned(one, 16, 0x80))
    yield say("ciphertext-last-bit", "bad-tag", "seal", resigned(one, len(one) - 80 - 64 - 17))
    yield say("tag-first-bit", "bad-tag", "seal", resigned(one, len(one) - 80 - 64 - 16, 0x80))
    yield say("tag-last-bit", "bad-tag", "seal", resigned(one, len(one) - 80 - 64 - 1))
    yield say("tag-zero", "bad-tag", "seal", follower(tag=bytes(16)))
    for name, additional in bound():
        yield say(f"additional-{name}", "bad-tag", "seal", follower(additional=additional))
    yield say("clear-trailing-byte", "bad-payload", "payload", follower(body=clear_array([ONE]) + b"\0"))
    yield say("clear-extra-key", "bad-payload", "payload", follower(body=enc([1, [], [], {"time": 0}, [ONE], 1])))
    yield say("clear-second-instance", "bad-payload", "payload", follower(FIELD.entry()))
    yield first("genesis-without-key", "bad-payload", "payload", FIELD.genesis(items=[ONE], mode=mode | CONTROL))
    yield first("genesis-tag", "bad-tag", "seal", FIELD.genesis(tag=bytes(16)))
    yield first("genesis-wrong-epoch-key", "bad-tag", "seal", FIELD.genesis(key=KEYS[2]))
    yield first("genesis-key-of-other", "bad-key", "chain", FIELD.genesis(items=[FIELD.entry(key=LAB.key)]))
    yield first("genesis-of-other-instance", "bad-tag", "seal", LAB.genesis())
    yield first("genesis-wrong-root", "bad-prev", "chain", FIELD.genesis(root=hkdf(KEYS[2], b"sea root v1" + DATABASE.bytes)))
    yield first("genesis-root-of-other-database", "bad-prev", "chain", FIELD.genesis(root=hkdf(KEYS[1], b"sea root v1" + STRANGE.bytes)))
    yield first("genesis-root-is-key", "bad-prev", "chain", FIELD.genesis(root=KEYS[1]))
    yield first("genesis-previous-without-root", "bad-prev", "chain", FIELD.genesis(previous=sha(b"sea chain v1", DATABASE.bytes, FIELD.key)))
    yield first("genesis-of-other-database", "bad-tag", "seal", Sealed("field", STRANGE).genesis())
    yield first("genesis-epoch-1-not-known", "no-key", "seal", FIELD.genesis(epoch=2), keys={2: KEYS[2]})
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
        said.append(("keys", ", ".join(f"{n} {key.hex()}" for n, key in known) or "none"))
        if after:
            said += [("key", FIELD.key.hex()), ("after", f"{after[0]} {after[1]} {after[2].hex()}")]
        kept = expect == "no-key" or expect != "ok" and layer in ("payload", "seal", "clock") and (after or len(data) > 1)
        said += [("kept", "yes")] if kept else []
        if expect == "ok" or kept:
            said.append(("head", f"{state(data[-1])[0]} {state(data[-1])[2].hex()}"))
        yield f"seal/{name}.vec", said, b"".join(data)
