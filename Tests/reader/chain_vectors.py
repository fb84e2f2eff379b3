"""The vectors of chains, the blocks one after another as in a folded file, and of whole containers."""
import os
import name_vectors
from sea_frames import stored
from sea_header import BEFORE_DATA, HEADER, PREVIOUS, ROW, row, with_data
from block_vectors import *

def grow(instance, *transactions):
    """The blocks of a chain: the genesis block, then one for each list of items."""
    result = [instance.genesis()]
    for items in transactions:
        result.append(instance.block(items, state(result[-1])))
    return result

def grow_on(chain, instance, *transactions):
    """The blocks that come behind a chain."""
    chain, start = list(chain), len(chain)
    for items in transactions:
        chain.append(instance.block(items, state(chain[-1])))
    return chain[start:]

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
    yield "one-removed", "bad-removal", "removed", good[:2] + [removed(good[2])] + good[3:]
    yield "last-removed", "bad-removal", "removed", good[:-1] + [removed(good[-1])]
    yield "all-but-genesis-removed", "bad-removal", "removed", good[:1] + [removed(b) for b in good[1:]]
    def and_orders(*entries, chain=good):
        return chain + [FIELD.block(list(entries), state(chain[-1]))]
    second = purge(FIELD, good[2], [EDIT, BIRD])
    ordered = and_orders(second)
    yield "order-not-followed", "ok", "revision", ordered
    yield "order-followed", "ok", "revision", ordered[:2] + [removed(ordered[2])] + ordered[3:]
    yield "order-behind-two-that-are-gone", "ok", "revision", good[:1] + [removed(b) for b in good[1:]] + and_orders(
        *(purge(FIELD, b, items) for b, items in zip(good[1:], ([ONE], [EDIT, BIRD], [RIVAL], [GONE]))))[-1:]
    yield "order-for-another-only", "bad-removal", "removed", ordered[:2] + [removed(ordered[2]), removed(ordered[3])] + ordered[4:]
    for name, wrong in (("index", {"index": 7}), ("digest", {"digest": sha(b"x")})):
        one = and_orders(second | wrong)
        yield f"order-with-another-{name}", "bad-removal", "removed", one[:2] + [removed(one[2])] + one[3:]
        yield f"order-for-what-never-was-{name}", "ok", "revision", one
    one = grow(FIELD, [ONE], [revoke(), EDIT])
    yield "order-for-a-control-block", "ok", "revision", and_orders(purge(FIELD, one[2], [EDIT]), chain=one)
    one = and_orders(purge(LAB, good[2], [EDIT, BIRD]))
    yield "order-for-another-instance", "bad-removal", "removed", one[:2] + [removed(one[2])] + one[3:]
    one = good + [FIELD.block([second], state(good[-1]), lamport=9)]
    yield "order-that-is-bad-lamport", "bad-removal", "removed", one[:2] + [removed(one[2])] + one[3:]
    one = and_orders(second, {"control": "future"})
    yield "order-that-is-not-read", "bad-removal", "removed", one[:2] + [removed(one[2])] + one[3:]
    twice = and_orders(second, chain=ordered)
    yield "order-that-was-removed-itself", "bad-mode", "header", twice[:2] + [removed(twice[2]), *twice[3:5], removed(twice[5])]
    wrong = second | {"changes": [second["changes"][0]]}
    one = and_orders(wrong)
    yield "order-that-names-fewer-changes", "ok", "revision", one[:2] + [removed(one[2])] + one[3:]
    deep = [change("note/1", {"n": 1}, parent=[7, rev(ONE)[1]])]
    one = grow(FIELD, [ONE], deep)
    one += [FIELD.block([purge(FIELD, one[2], deep)], state(one[-1]))]
    yield "order-with-a-depth-invented", "bad-depth", "revision", one[:2] + [removed(one[2])] + one[3:]
    one = grow(FIELD, [ONE])
    one += [FIELD.block([EDIT], state(one[-1]), heads=[(LAB, LAB.genesis())])]
    one += [FIELD.block([purge(FIELD, one[2], [EDIT])], state(one[-1]))]
    yield "removed-with-heads", "ok", "revision", one[:2] + [removed(one[2])] + one[3:]
    one = grow(FIELD, [ONE], [EDIT])
    one += [FIELD.block([BIRD], state(one[-1]), lamport=9)]
    one += [FIELD.block([purge(FIELD, one[2], [EDIT])], state(one[-1]))]
    yield "order-and-bad-lamport", "bad-removal", "removed", one[:2] + [removed(one[2])] + one[3:]
    one = grow(FIELD, [ONE])
    one += [FIELD.block([EDIT], state(one[-1]), lamport=9)]
    yield "removed-and-bad-lamport", "bad-removal", "removed", one[:2] + [removed(one[2])]
    late = good[:2] + [FIELD.block([EDIT, BIRD], state(good[1]), signature=bytes(64))]
    yield "signature-of-a-later-block", "ok", "revision", late + [FIELD.block([RIVAL], state(late[2]))]
    yield "signature-of-a-later-block-wrong", "bad-signature", "signature", late + [FIELD.block([RIVAL], state(late[2]), signature=bytes(64))]
    # A removed block carries a signature back, as a whole one does; nobody can put another one in its place.
    gone = late + [FIELD.block([RIVAL], state(late[2]))]
    gone += [FIELD.block([purge(FIELD, gone[3], [RIVAL])], state(gone[3]))]
    yield "signature-behind-a-removed-block", "ok", "revision", gone[:3] + [removed(gone[3])] + gone[4:]
    yield "signature-behind-a-removed-block-wrong", "bad-signature", "signature", gone[:3] + [removed(gone[3]), FIELD.block([GONE], state(gone[3]), signature=bytes(64))]
    another = FIELD.block([BIRD], state(good[1]))
    yield "removed-and-put-behind-another", "bad-signature", "signature", good[:2] + [another, removed(good[3])[:PREVIOUS.start] + hash_of(another) + removed(good[3])[PREVIOUS.stop:]] + good[4:]
    yield "removed-for-another", "bad-signature", "signature", good[:2] + [removed(good[3])[:8] + good[2][8:BEFORE_DATA] + removed(good[3])[BEFORE_DATA:]] + good[3:]
    yield "removed-with-a-wrong-signature", "bad-signature", "signature", good[:4] + [removed(FIELD.block([GONE], state(good[3]), signature=bytes(64)))]
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
    yield "lamport-behind-what-is-not-read", "bad-payload", "payload", late, "2 bad-payload, 3 bad-lamport"
    late = grow(FIELD, [ONE])
    late += [FIELD.block(None, state(late[-1]), body=b"what", mode=SIGNED | 0x40, lamport=9)]
    late += [FIELD.block([EDIT], state(late[-1]))]
    yield "lamport-jump-of-an-unknown-bit", "not-readable", "payload", late, "2 not-readable, 3 bad-lamport"
    late = grow(FIELD, [ONE])
    late += [FIELD.block(None, state(late[-1]), body=b"what", mode=SIGNED | 0x40, heads=[(LAB, LAB.genesis())], lamport=9)]
    late += [FIELD.block([EDIT], state(late[-1]))]
    yield "lamport-behind-an-unknown-bit-and-heads-not-here", "not-readable", "payload", late, "2 not-readable"
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
    order = purge(FIELD, field[2], [EDIT, BIRD])
    gone = [*field[:2], removed(field[2]), FIELD.block([order], state(field[2]))]
    gone += [FIELD.block([change("bird/1", {"name": "Upupa"}, parent=rev(BIRD), type="sighting")], state(gone[-1]))]
    yield "purged", info() | tree(id, gone) | tree(lab, other)
    yield "purged-order-of-another", info() | tree(id, [*gone[:3], FIELD.block([ONE], state(field[2]))]) | tree(lab, [*other, LAB.block([order], state(other[-1]))])
    # Who goes on in its place orders it, and so does who goes on for that one; neither a sibling nor the one before may.
    hut, owl = Instance("hut"), Instance("owl")
    def goes_on(*line, by, gone=FIELD):
        at = {FIELD: field, **{after: [after.genesis(items=[after.entry(follows=after.follows(before))])] for before, after in line}}
        if gone is not FIELD:
            at[gone] += grow_on(at[gone], gone, [ONE], [EDIT])
        order = purge(gone, at[gone][2], [EDIT, BIRD] if gone is FIELD else [EDIT])
        at[by] = [*at.get(by, [by.genesis()])]
        at[by].append(by.block([order], state(at[by][-1]), heads=[(gone, at[gone][2])]))
        at[gone] = [*at[gone][:2], removed(at[gone][2]), *at[gone][3:]]
        return info() | {path: data for one, blocks in at.items() for path, data in tree(str(one.id), blocks).items()}
    yield "purged-by-a-successor", goes_on((FIELD, LAB), by=LAB)
    yield "purged-by-a-successor-of-a-successor", goes_on((FIELD, LAB), (LAB, hut), by=hut)
    yield "purged-by-a-sibling", goes_on((FIELD, LAB), (FIELD, hut), by=hut, gone=LAB)
    yield "purged-by-a-predecessor", goes_on((FIELD, LAB), by=FIELD, gone=LAB)
    yield "purged-by-somebody-of-another-line", goes_on((owl, LAB), by=LAB)
    yield "removed", info() | tree(id, [*field[:2], removed(field[2]), FIELD.block([RIVAL], state(field[2]))]) | tree(
        lab, [*other, LAB.block([change("site/south", {"n": 1}, type="site")], state(other[-1]), heads=[(FIELD, removed(field[2]))])])
    yield "removed-last", info() | tree(id, [*field[:2], removed(field[2])])
    # The clocks of others follow from a removed block as they did from the whole one; a forged one is refused with what is behind it.
    seen = [*field[:2], FIELD.block([EDIT, BIRD], state(field[1]), heads=[(LAB, other[2])])]
    seen += [FIELD.block([purge(FIELD, seen[2], [EDIT, BIRD])], state(seen[2]))]
    named = [*other, LAB.block([change("site/south", {"n": 1}, type="site")], state(other[2]), heads=[(FIELD, seen[2])])]
    for name, left in (("with-heads", removed(seen[2])), ("with-other-heads", with_data(removed(seen[2])[:HEADER] + row(LAB.id, 1, hash_of(other[1])) + removed(seen[2])[HEADER + ROW:]))):
        yield f"purged-{name}", info() | tree(id, [*seen[:2], left, seen[3]]) | tree(lab, named)
    yield "purged-and-whole-elsewhere", info() | tree(id, gone) | tree(lab, grow(LAB, [ONE], [EDIT]))
    branch = [FIELD.block([RIVAL], state(field[1])), ]
    branch += [FIELD.block([purge(FIELD, field[2], [EDIT, BIRD])], state(branch[0]))]
    yield "purged-by-a-branch", info() | tree(id, [*field[:2], removed(field[2])]) | tree(f"{id}~{hash_of(branch[0]).hex()[:32]}", branch, at=2)
    gap = dict(two)
    del gap[f"transactions/{id}/1/1"]
    yield "gap", gap
    yield "damaged", two | {f"transactions/{id}/1/1": field[1][:-1] + b"\0"}
    yield "chain-of-another", info() | tree(id, field) | tree(lab, field)
    yield "other-database", info(OTHER) | tree(id, field)
    fork = [FIELD.block([RIVAL], state(field[1]))]
    fork.append(FIELD.block([change("site/north", {"lat": 47}, type="site")], state(fork[0])))
    yield "fork", two | tree(f"{id}~{hash_of(fork[0]).hex()[:32]}", fork, at=2)
    # A cloud client has chosen file by file: no folder says to which branch a block belongs.
    yield "fork-mixed", two | {f"transactions/{id}/1/3": fork[1]} | tree(f"{id}~{hash_of(fork[0]).hex()[:32]}", fork[:1], at=2)
    yield "fork-exchanged", two | {f"transactions/{id}/1/2": fork[0], f"transactions/{id}/1/2 (conflicted copy)": field[2], f"transactions/{id}/1/3": fork[1]}
    yield "fork-in-another-folder", two | tree(f"{id}~{'0' * 32}", fork, at=2)
    yield "fork-behind-a-gap", two | {f"transactions/{id}/1/3": fork[1]}
    # The first 32 bits of the hashes of both are alike: it took two seconds to find them.
    alike = [FIELD.block([change("site/alike", {"n": n}, type="site")], state(field[1])) for n in (4448, 29341)]
    assert hash_of(alike[0])[:4] == hash_of(alike[1])[:4]
    yield "forks-alike", two | tree(f"{id}~{hash_of(alike[0]).hex()[:32]}", alike[:1], at=2) | tree(f"{id}~{hash_of(alike[1]).hex()[:32]}", alike[1:], at=2)
    long = many(1002)
    yield "folded", info() | {f"transactions/{id}/1.blocks": b"".join(long[:1000])} | tree(id, long[1000:], at=1000)
    yield "folded-cut", info() | {f"transactions/{id}/1.blocks": b"".join(long[:1000])[:-1]}
