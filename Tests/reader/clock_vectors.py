"""The vectors of Lamport times: which blocks are earned, and which are bad-lamport, of a set of blocks.

The scripts are those of member_vectors.py: `A 5: >B3, ?` is the next block of A, with the Lamport time 5, that names the
head B3, and whose heads cannot be read; with `*` it was removed, and orders claim those heads. Every instance has a first block with the Lamport time 1 unless it has `A0 T:`.
"""
import random
import member_vectors, sea_clock
from sea_values import Bad
from sea_writer import DATABASE

END = 2**32 - 1

def cases():
    """name, script, which blocks are earned, which are bad-lamport."""
    yield "one-chain", "A 2: x\nA 3: x", "A0 A1 A2", ""
    yield "one-too-much", "A 2: x\nA 4: x\nA 5: x", "A0 A1", "A2 A3"
    yield "first-block-0", "A0 0: x\nA 1: x", "", "A0 A1"
    yield "first-block-2", "A0 2: x\nA 3: x", "", "A0 A1"
    yield "first-block-with-head", "A 2: x\nB0 3: >A1\nB 4: x", "A0 A1 B0 B1", ""
    yield "first-block-with-head-too-little", "A 2: x\nB0 2: >A1\nB 3: x", "A0 A1", "B0 B1"
    yield "head", "A 2: x\nA 3: x\nB 4: >A2", "A0 A1 A2 B0 B1", ""
    yield "head-and-one-too-much", "A 2: x\nA 3: x\nB 5: >A2", "A0 A1 A2 B0", "B1"
    yield "head-passed-over", "A 2: x\nA 3: x\nB 2: >A2\nB 3: x", "A0 A1 A2 B0", "B1 B2"
    yield "head-that-is-lower", "A 2: x\nA 3: x\nA 4: >B0", "A0 A1 A2 A3 B0", ""
    yield "heads-of-two", "A 2: x\nB 2: x\nB 3: x\nC 4: >A1, >B2", "A0 A1 B0 B1 B2 C0 C1", ""
    yield "head-of-a-block-in-the-middle", "A 2: x\nA 3: x\nB 3: >A1", "A0 A1 A2 B0 B1", ""
    yield "head-not-here", "B 9: >A4\nB 10: x\nB 3: x", "A0 B0", ""
    yield "head-with-another-index", "A 2: x\nB 9: >A1@2", "A0 A1 B0", ""
    yield "head-not-here-and-too-much-behind", "B 9: >A4\nB 99: x", "A0 B0", ""
    yield "head-not-here-of-another", "B 9: >A4\nC 10: >B1\nC 99: x", "A0 B0 C0", ""
    yield "head-that-is-wrong", "A 9: x\nB 10: >A1\nB 11: x", "A0 B0", "A1"
    yield "head-of-a-wrong-block-before", "A 2: x\nA 9: x\nB 3: >A1", "A0 A1 B0 B1", "A2"
    yield "unread", "A 2: ?\nA 3: x\nB 3: >A1", "A0 B0", ""
    yield "unread-first", "A0 1: ?\nA 2: x\nB 2: >A0", "B0", ""
    yield "unread-and-too-much", "A 9: ?\nA 99: x", "A0", ""
    yield "fork", "A 2: x\nA~0 2: x\nA' 3: x\nB 4: >A2'", "A0 A1 A1' A2' B0 B1", ""
    yield "fork-behind-a-wrong-block", "A 9: x\nA 10: x\nA~1 10: x\nA' 11: x", "A0", "A1 A2 A2' A3'"
    yield "fork-before-a-wrong-block", "A 2: x\nA 9: x\nA~1 3: x", "A0 A1 A2'", "A2"
    yield "fork-wrong", "A 2: x\nA 3: x\nA~1 9: x\nA' 10: x", "A0 A1 A2", "A2' A3'"
    yield "end-by-a-claim", f"A {END}: x\nA {END}: x", "A0", "A1 A2"
    yield "end-not-here", f"A {END}: >B4\nA {END}: x\nC {END}: >A1", "A0 B0 C0", ""
    yield "last-head-comes-later", "A 2: x\nB 3: >A1\nC 4: >B1\nC 6: x\nC 7: x", "A0 A1 B0 B1 C0 C1", "C2 C3"
    yield "in-turn", "A 2: x\nB 3: >A1\nC 4: >B1\nA 5: >C1\nB 6: >A2\nC 7: >B2", "A0 A1 A2 B0 B1 B2 C0 C1 C2", ""

    # What claims to come late cannot be named, and what somebody says next of what he can name overrules it.
    yield "setting-behind-a-head-not-here", "A 2: x\nA 50: >C48\nA 51: x\nA 52: x\nB 3: >A1", "A0 A1 B0 B1 C0", ""
    yield "setting-before-what-is-not-earned", "A 2: x\nB 3: >A1\nB 4: x\nA 9: >C7\nA 10: x\nA 11: x", "A0 A1 B0 B1 B2 C0", ""
    yield "setting-of-a-chain-without-earned-blocks", "A0 9: >C7\nA 10: x\nA 11: x\nB 2: x", "B0 B1 C0", ""
    yield "setting-on-a-branch", "A 2: x\nA 3: x\nA~1 9: >C7\nA' 10: x\nB 3: >A1\nB 4: x", "A0 A1 A2 B0 B1 B2 C0", ""
    yield "removed", "A 2: *\nA 3: x", "A0 A1 A2", ""
    yield "removed-with-heads", "B 2: x\nA 3: *, >B1\nA 4: x", "A0 A1 A2 B0 B1", ""
    yield "removed-with-heads-not-here", "A 9: *, >B7\nA 10: x\nA 11: x", "A0 B0", ""
    yield "removed-with-a-head-that-is-too-late", "A 3: *, >B2\nA 4: x\nB 2: x\nB 3: x", "A0 B0 B1 B2", ""
    yield "removed-with-claims-of-two-orders", "A 4: *, >B2, >C1\nA 5: x\nB 2: x\nB 3: x\nC 9: x", "A0 A1 A2 B0 B1 B2 C0", "C1"
    yield "removed-with-a-head-that-is-wrong", "A 5: *, >B1, >C1\nA 6: x\nB 4: x\nC 2: x", "A0 B0 C0 C1", "B1"
    yield "removed-and-never-wrong", "A 9: *\nA 10: x\nA 99: x", "A0", ""
    yield "removed-at-the-end", f"A {END}: *, >B1\nA {END}: *\nB 2: x\nC {END - 1}: >D4\nD {END}: *, >C1", "A0 B0 B1 C0 D0", ""
    yield "removed-as-the-first-of-a-branch", "A 2: x\nA 3: x\nA~1 4: *, >B2\nA' 5: x\nB 2: x\nB 3: x", "A0 A1 A2 A2' A3' B0 B1 B2", ""
    yield "claims-that-lead-back", "A 3: *, >B1\nA 4: x\nB 4: >A1\nB 5: x", "A0 B0", ""
    yield "claims-that-lead-back-and-another", "A 5: *, >B1, >C2\nA 6: x\nB 6: >A1\nC 2: x\nC 3: x", "A0 B0 C0 C1 C2", ""
    yield "claims-of-two-that-name-each-other", "A 3: *, >B1\nA 4: x\nB 3: *, >A1\nB 4: x\nC 5: >A2, >B2", "A0 B0 C0", ""
    yield "claims-of-three-in-a-circle", "A 3: *, >B1\nB 3: *, >C1\nC 3: *, >A1\nA 4: x\nB 4: x\nC 4: x\nC 5: x", "A0 B0 C0", ""
    yield "claims-beside-what-leads-back", "A 11: *, >B2\nA 12: x\nB 2: x\nB 10: >A7\nC 13: >A2, >B2\nC 14: x", "A0 B0 B1 C0", ""

def drawn_claims(seed):
    """Three whose orders claim what they like."""
    rng = random.Random(f"claims {seed}")
    lines, ends, times = [], dict.fromkeys("ABC", 0), dict.fromkeys("ABC", 1)
    for _ in range(rng.randrange(5, 18)):
        who = rng.choice("ABC")
        ends[who] += 1
        removed = rng.random() < 0.4
        # A block names what came before it, an order whatever there may be.
        names = [f"{one}{rng.randrange(8) if removed else rng.randrange(ends[one] + 1)}" for one in "ABC" if one != who and rng.random() < 0.5]
        times[who] += 1 + rng.choice([0, 1, 2, 5]) * (len(names) > 0)
        lines.append(f"{who} {times[who]}: {', '.join(['*'] * removed + [f'>{one}' for one in names]) or 'x'}")
    return "\n".join(lines)

def drawn(seed):
    """Three or four who name what they know, and now and then something else."""
    rng = random.Random(f"clock {seed}")
    lines, tips, time = [], {one: (0, f"{one}0") for one in "ABCD"}, {f"{one}0": 1 for one in "ABCD"}
    for _ in range(rng.randrange(5, 25)):
        who = rng.choice("ABCD")
        index, last = tips[who]
        names = [tips[one][1] for one in rng.sample([o for o in "ABCD" if o != who], rng.randrange(3))]
        if rng.random() < 0.06:
            names = [f"{rng.choice([o for o in 'ABCD' if o != who])}{rng.randrange(77, 79)}"]
        lamport = 1 + max([time[last], *(time.get(one, 20) for one in names)])
        if rng.random() < 0.08:
            lamport += rng.choice([1, 1, 5, -1])
        items = [f">{one}" for one in names] + ["?"] * (rng.random() < 0.06)
        tips[who] = index + 1, f"{who}{index + 1}"
        time[tips[who][1]] = lamport
        lines.append(f"{who} {lamport}: {', '.join(items) or 'x'}")
    return "\n".join(lines)

def judge(said, body):
    _, _, blocks = member_vectors.read(body)
    for b in blocks:
        if b.unread:
            b.heads = None
    earned, wrong = sea_clock.judge(blocks)
    def labels(places):
        return " ".join(sorted(b.label for b in blocks if (b.instance.bytes, b.hash) in places)) or "none"
    times = sea_clock.proven(blocks)
    proven = ", ".join(sorted(f"{b.label} {times[b.instance.bytes, b.hash]}" for b in blocks))
    settings = " ".join(b.label for b in sea_clock.by_settings(blocks) if b.index) or "none"
    return {"earned": labels(earned), "bad-lamport": labels(wrong), "proven": proven, "settings": settings}

def vectors():
    """Path, header lines, text."""
    for name, script, earned, wrong in [*cases(), *((f"random-{n:02}", drawn(n), None, None) for n in range(40)),
                                        *((f"claims-{n:02}", drawn_claims(n), None, None) for n in range(20))]:
        body = member_vectors.text(script)
        said = judge({}, body)
        if earned is not None and (said["earned"], said["bad-lamport"]) != (earned or "none", wrong or "none"):
            raise Bad(f"clock/{name}: expected {earned}; {wrong}, the reader says {said}")
        yield f"clock/{name}.vec", [("name", name), ("expect", "ok"), *said.items()], body
