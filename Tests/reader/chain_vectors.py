"""The vectors of chains, the blocks one after another as in a folded file, and of whole containers."""
import os
import name_vectors
from sea_frames import stored
from block_vectors import *

def grow(instance, *transactions):
    """The blocks of a chain: the genesis block, then one for each list of items."""
    result = [instance.genesis()]
    for items in transactions:
        result.append(instance.block(items, state(result[-1])))
    return result

EDIT = change("note/1", {"text": "hello, world", "n": 64}, parent=rev(ONE))
RIVAL = change("note/1", {"text": "hullo", "n": 64}, parent=rev(ONE))
GONE = change("note/1", None, parent=rev(EDIT), kind="delete")

def chains():
    """name, expect, layer, blocks."""
    good = grow(FIELD, [ONE], [EDIT, BIRD], [RIVAL], [GONE])
    yield "good", "ok", "revision", good
    yield "genesis-only", "ok", "revision", good[:1]
    yield "parent-later", "ok", "revision", grow(FIELD, [EDIT], [ONE])
    yield "parent-never", "ok", "revision", grow(FIELD, [EDIT])
    yield "same-revision-twice", "ok", "revision", grow(FIELD, [ONE], [ONE])
    yield "one-removed", "ok", "revision", good[:2] + [removed(good[2])] + good[3:]
    yield "all-but-genesis-removed", "ok", "revision", good[:1] + [removed(b) for b in good[1:]]
    yield "removed-for-another", "bad-prev", "chain", good[:2] + [removed(good[3])[:8] + good[2][8:48] + removed(good[3])[48:]] + good[3:]
    yield "removed-genesis", "bad-mode", "header", [removed(good[0])] + good[1:]
    yield "cut", "truncated", "header", good[:-1] + [good[-1][:-1]]
    yield "cut-in-header", "truncated", "header", good[:-1] + [good[-1][:40]]
    yield "one-missing", "bad-index", "chain", good[:2] + good[3:]
    yield "first-missing", "bad-index", "chain", good[1:]
    yield "exchanged", "bad-index", "chain", good[:2] + [good[3], good[2]] + good[4:]
    yield "repeated", "bad-index", "chain", good[:2] + good[1:]
    yield "lamport-fallen", "bad-lamport", "chain", good + [FIELD.block([BIRD], state(good[-1]), lamport=4)]
    late = good[:2] + [FIELD.block([EDIT], state(good[1]), lamport=9)]
    late += [FIELD.block([BIRD], state(late[-1]))]
    yield "lamport-jump", "bad-lamport", "clock", late, "2 bad-lamport, 3 bad-lamport"
    late += [FIELD.block([{"control": "future"}], state(late[-1])), FIELD.block([1], state(late[-1]))]
    late[-1] = FIELD.block([1], state(late[-2]))
    yield "lamport-jump-and-more-behind", "bad-lamport", "clock", late, "2 bad-lamport, 3 bad-lamport, 4 not-readable, 5 bad-payload"
    heads = [FIELD.genesis(heads=[(LAB, LAB.genesis())])]
    heads += [FIELD.block([ONE], state(heads[-1]), lamport=99)]
    yield "lamport-behind-heads-not-here", "ok", "revision", heads
    yield "previous-of-sibling", "bad-prev", "chain", grow(FIELD, [BIRD])[:2] + good[2:]
    yield "other-instance-goes-on", "bad-signature", "signature", good + [LAB.block([BIRD], state(good[-1]))]
    yield "last-signature", "bad-signature", "signature", good[:-1] + [FIELD.block([GONE], state(good[-2]), signature=bytes(64))]
    yield "last-payload", "bad-payload", "payload", good[:-1] + [FIELD.block([], state(good[-2]))], "4 bad-payload"
    odd = grow(FIELD, [ONE], [1], [BIRD], [{"control": "future"}], [GONE])
    odd += [FIELD.block(None, state(odd[-1]), body=b"\x81\x02", mode=SIGNED), FIELD.block([RIVAL], (6, 7, b""), previous=bytes(32))]
    odd[-1] = FIELD.block([RIVAL], state(odd[-2]))
    odd += [FIELD.block(None, state(odd[-1]), body=b"what", mode=SIGNED | 0x40)]
    odd += [FIELD.block([EDIT], state(odd[-1]))]
    yield "goes-on-behind-what-is-not-read", "bad-payload", "payload", odd, "2 bad-payload, 4 not-readable, 6 not-readable, 8 not-readable"
    late = grow(FIELD, [ONE], [1])
    late += [FIELD.block([EDIT], state(late[-1]), lamport=9)]
    yield "lamport-behind-what-is-not-read", "bad-payload", "payload", late, "2 bad-payload"
    late = grow(FIELD, [ONE], [{"control": "future"}])
    late += [FIELD.block([EDIT], state(late[-1]), lamport=9)]
    yield "lamport-behind-an-unknown-entry", "not-readable", "payload", late, "2 not-readable, 3 bad-lamport"
    deep = change("note/1", {"n": 1}, parent=[7, rev(ONE)[1]])
    yield "depth-invented", "bad-depth", "revision", grow(FIELD, [ONE], [deep])
    yield "depth-invented-parent-later", "bad-depth", "revision", grow(FIELD, [deep], [ONE])

# -- containers: whole directories, and what a reader says of them

def where(index, folded=False):
    digits = [str(index // 1000**k % 1000) for k in range(3) if k == 0 or index >= 1000**k]
    path = [str(len(digits))] + digits[::-1]
    return os.path.join(*path[:-1]) + ".blocks" if folded else os.path.join(*path)

def info(database=DATABASE):
    return {"info.json": name_vectors.info(database).encode()}

def tree(chain, blocks, at=0):
    return {os.path.join("transactions", chain, where(at + n)): b for n, b in enumerate(blocks)}

def many(count):
    """A chain of `count` blocks with small records."""
    return grow(FIELD, *([change(f"n/{n}", {"n": n}, type=None)] for n in range(1, count)))

def containers():
    field, other = grow(FIELD, [ONE], [EDIT, BIRD]), grow(LAB, [RIVAL], [change("site/north", {"lat": Tag(4, [-4, 473769])}, type="site")])
    id, lab = str(FIELD.id), str(LAB.id)
    two = info() | tree(id, field) | tree(lab, other)
    yield "empty", info()
    yield "two-chains", two
    yield "foreign-files", two | {"transactions/desktop.ini": b"x", f"transactions/{id}/1/1 (bob's conflicted copy)": field[1],
                                  f"transactions/{id}/1/.sea-tmp-{'0' * 32}": b"SEA", f"transactions/{id}/1/007": b"", "Thumbs.db": b""}
    yield "not-whole-yet", two | {f"transactions/{lab}/1/2": other[2][:-9]}
    yield "nothing-there-yet", two | {f"transactions/{lab}/1/2": b""}
    yield "hints", two | {f"heads/{id}": b"not believed"}
    kept = grow(FIELD, [ONE], [1], [{"control": "future"}, BIRD], [EDIT])
    kept += [FIELD.block(None, state(kept[-1]), body=b"what", mode=0x44)]
    kept += [FIELD.block([change("site/north", {"n": 1}, type="site")], state(kept[-1]), lamport=99)]
    yield "kept", info() | tree(id, kept)
    yield "compressed", info() | tree(id, [*kept[:2], FIELD.block([EDIT, BIRD], state(kept[1]), label="x" * 600, compressed=stored)])
    late = grow(FIELD, [ONE], [EDIT])
    late += [FIELD.block([BIRD], state(late[-1]), lamport=7)]
    late += [FIELD.block([GONE], state(late[-1]))]
    named = [LAB.genesis(heads=[(FIELD, late[1])])]
    named += [LAB.block([change("site/north", {"n": 1}, type="site")], state(named[0]), heads=[(FIELD, late[3])])]
    named += [LAB.block([change("site/south", {"n": 1}, type="site")], state(named[1]), lamport=90)]
    yield "lamport", info() | tree(id, late) | tree(lab, named)
    gap = dict(two)
    del gap[f"transactions/{id}/1/1"]
    yield "gap", gap
    yield "damaged", two | {f"transactions/{id}/1/1": field[1][:-1] + b"\0"}
    yield "chain-of-another", info() | tree(id, field) | tree(lab, field)
    yield "other-database", info(OTHER) | tree(id, field)
    fork = [FIELD.block([RIVAL], state(field[1]))]
    fork.append(FIELD.block([change("site/north", {"lat": 47}, type="site")], state(fork[0])))
    yield "fork", two | tree(f"{id}~{sha(fork[0]).hex()[:8]}", fork, at=2)
    long = many(1002)
    yield "folded", info() | {f"transactions/{id}/1.blocks": b"".join(long[:1000])} | tree(id, long[1000:], at=1000)
    yield "folded-cut", info() | {f"transactions/{id}/1.blocks": b"".join(long[:1000])[:-1]}
