"""The vectors of Lamport times: which blocks are earned, and which are bad-lamport, of a set of blocks.

The scripts are those of member_vectors.py: `A 5: >B3` is the next block of A, with the Lamport time 5, that names the
head B3. Every instance has a first block with the Lamport time 1 unless it has `A0 T:`.
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
    yield "head-of-a-branch-that-is-wrong", "A 2: x\nA 3: x\nA~1 9: x\nB 10: >A2'\nB 11: x", "A0 A1 A2 B0", "A2'"
    yield "proven-by-a-claim-that-is-wrong", "A 50: x\nA 51: >B7\nC 52: >A2\nC 53: x", "A0 B0 C0", "A1 A2"
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
        items = [f">{one}" for one in names]
        tips[who] = index + 1, f"{who}{index + 1}"
        time[tips[who][1]] = lamport
        lines.append(f"{who} {lamport}: {', '.join(items) or 'x'}")
    return "\n".join(lines)

def judge(said, body):
    _, _, blocks = member_vectors.read(body)
    earned, wrong = sea_clock.judge(blocks)
    def labels(places):
        return " ".join(sorted(b.label for b in blocks if (b.instance.bytes, b.hash) in places)) or "none"
    times = sea_clock.proven(blocks)
    proven = ", ".join(sorted(f"{b.label} {times[b.instance.bytes, b.hash]}" for b in blocks))
    settings = " ".join(b.label for b in sea_clock.by_settings(blocks) if b.index) or "none"
    return {"earned": labels(earned), "bad-lamport": labels(wrong), "proven": proven, "settings": settings}

def vectors():
    """Path, header lines, text."""
    for name, script, earned, wrong in [*cases(), *((f"random-{n:02}", drawn(n), None, None) for n in range(40))]:
        body = member_vectors.text(script)
        said = judge({}, body)
        if earned is not None and (said["earned"], said["bad-lamport"]) != (earned or "none", wrong or "none"):
            raise Bad(f"clock/{name}: expected {earned}; {wrong}, the reader says {said}")
        yield f"clock/{name}.vec", [("name", name), ("expect", "ok"), *said.items()], body
