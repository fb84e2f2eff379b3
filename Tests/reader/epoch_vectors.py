"""The vectors of epoch keys: which of them count, which slots are valid, and under which key a new block is sealed.

The scripts are those of member_vectors.py, with one item more: `*2 k +s,t -u @A,B` names the key k of epoch 2, begins the slots s and t, ends
u, and says that they are for A and B.
"""
import random, re, uuid
import member_vectors
from sea_members import Epochs, entitled
from sea_names import read_proof
from sea_values import Bad
from sea_writer import PROOFS, named, sha

FREE = named(member_vectors.MEMBERS["F"].key, sealed=sha(b"k"))
MEMBERS = named(member_vectors.MEMBERS["F"].key, sealed=sha(b"k"), members=True)
RECOVERABLE = named(member_vectors.MEMBERS["F"].key, sealed=sha(b"k"), members=True, recovery=member_vectors.MEMBERS["R"].key)

DRAWN = [named(member_vectors.MEMBERS["F"].key, sealed=sha(b"k0"), members=True, recovery=key) for key in (None, member_vectors.MEMBERS["R"].key)]

def cases():
    """name, database, script, the keys that count, the valid slots, the key for a new block."""
    yield "free-first", FREE, "F 2: *1 k +s @F", "1 k", "s", "1 k"
    yield "free-none", FREE, "F 2: x", "", "", ""
    yield "free-by-anybody", FREE, "F 2: *1 k +s @F\nA 3: *2 l +t @", "1 k, 2 l", "s t", "2 l"
    yield "free-gap", FREE, "F 2: *1 k +s @F\nA 3: *3 l +t @", "1 k", "s", "1 k"
    yield "free-without-the-first", FREE, "F 2: *2 k +s @F", "", "", ""
    yield "free-gap-filled-later", FREE, "A 3: *3 m +u @\nF 4: *2 l +t @F\nB 9: *1 k +s @", "1 k, 2 l, 3 m", "s t u", "3 m"
    yield "free-two-of-one-number", FREE, "F 2: *1 k +s @F\nA 3: *2 l +t @\nB 3: *2 m +u @", "1 k, 2 l, 2 m", "s t u", "2 l" if sha(b"l") < sha(b"m") else "2 m"
    yield "free-ended", FREE, "F 2: *1 k +s,t @F\nA 3: *1 k +u -s @", "1 k", "t u", "1 k"
    yield "free-ended-before-it-began", FREE, "F 2: *1 k +s @F\nA 2: *1 k -t @\nF 3: *1 k +t @", "1 k", "s", "1 k"
    yield "free-ended-and-begun-again", FREE, "F 2: *1 k +s @F\nF 3: *1 k -s @\nF 4: *1 k +s @", "1 k", "", "1 k"
    yield "free-ended-by-a-key-that-does-not-count", FREE, "F 2: *1 k +s @F\nA 3: *3 l -s @", "1 k", "s", "1 k"
    yield "free-ended-of-another-epoch", FREE, "F 2: *1 k +s @F\nF 3: *2 l +t -s @F", "1 k, 2 l", "t", "2 l"
    yield "free-slots-of-two-keys", FREE, "F 2: *1 k +s @F\nF 3: *2 l +t @F\nA 4: *2 m +t @A", "1 k, 2 l, 2 m", "s t", "2 l" if sha(b"l") < sha(b"m") else "2 m"
    yield "free-another-first", FREE, "F 2: *1 k +s @F\nA 3: *1 l +t -s @A", "1 k", "s", "1 k"
    yield "free-another-first-alone", FREE, "F 2: *1 l +s @F\nA 3: *2 m +t @A", "", "", ""
    yield "another-first-by-the-founder", MEMBERS, "F 2: *1 k +s @F\nF 3: *1 l +t -s @F", "1 k", "s", "1 k"
    yield "founder", MEMBERS, "F 2: *1 k +s @F", "1 k", "s", "1 k"
    yield "founder-without-readers", MEMBERS, "F 2: *1 k +s @", "1 k", "s", "1 k"
    yield "by-a-writer", MEMBERS, "F 2: *1 k +s @F\nF 3: +A write\nA 4: *2 l +t -s @A,F", "1 k", "s", "1 k"
    yield "by-a-stranger", MEMBERS, "F 2: *1 k +s @F\nA 4: *2 l +t @A,F", "1 k", "s", "1 k"
    yield "by-an-admin", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A,F", "1 k, 2 l", "s t", "2 l"
    yield "by-an-admin-that-leaves-out-the-founder", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t -s @A", "1 k", "s", "1 k"
    yield "by-an-admin-and-mended", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A\nA 5: *2 l +u @F", "1 k, 2 l", "s t u", "2 l"
    yield "by-an-admin-and-mended-by-the-founder", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A\nF 5: *2 l +u @", "1 k, 2 l", "s t u", "2 l"
    yield "mended-with-another-key", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A\nA 5: *2 m +u @F", "1 k, 2 m", "s u", "2 m"
    yield "what-depends-on-it-does-not-count", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A\nF 5: *3 m +u @F,A", "1 k", "s", "1 k"
    yield "juniors-are-not-asked-for", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nA 5: *2 l +t @F,A", "1 k, 2 l", "s t", "2 l"
    yield "seniors-are-asked-for", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nB 5: *2 l +t @F,B", "1 k", "s", "1 k"
    yield "a-senior-that-is-revoked", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nF 5: -A A0\nB 6: *2 l +t @F,B", "1 k, 2 l", "s t", "2 l"
    juniors = "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nB 5: -A A0\n"
    yield "a-senior-whom-juniors-revoked-is-not-asked-for", MEMBERS, juniors + "B 6: *2 l +t @F,B", "1 k, 2 l", "s t", "2 l"
    yield "by-a-senior-whom-juniors-revoked", MEMBERS, juniors + "A 6: *2 l +t @F,A", "1 k, 2 l", "s t", "2 l"
    yield "a-senior-that-only-reads", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nF 5: +A read\nB 6: *2 l +t @F,B", "1 k", "s", "1 k"
    yield "a-writer-is-not-asked-for", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin, +C write\nA 4: *2 l +t @F", "1 k, 2 l", "s t", "2 l"
    pairs = {sha(one.encode()): one for one in "mn"}
    yield "two-of-one-number-by-rank-and-digest", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nF 4: +B admin\nB 5: *2 l +t @F,A,B\nA 5: *2 m +u @F,A\nA 6: *2 n +v @F,A", \
        "1 k, 2 l, 2 m, 2 n", "s t u v", f"2 {pairs[min(pairs)]}"
    yield "of-an-admin-that-was-cut", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A,F\nF 5: -A A0", "1 k", "s", "1 k"
    yield "of-an-admin-that-was-revoked-behind-it", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A,F\nF 5: -A A1", "1 k, 2 l", "s t", "2 l"
    yield "of-an-admin-that-writes-now", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A,F\nF 5: +A write", "1 k", "s", "1 k"
    yield "of-a-line", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nB0 4: ^A\nB 5: *2 l +t @F", "1 k, 2 l", "s t", "2 l"
    yield "successor-of-the-founder-is-asked-for", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nG0 4: ^F\nA 5: *2 l +t @F,A", "1 k", "s", "1 k"
    yield "recovery-not-known", RECOVERABLE, "no R\nF 2: *1 k +s @F", "1 k", "s", "1 k"
    yield "recovery-authorized", RECOVERABLE, "no R\nF0 1: +R admin\nF 2: *1 k +s @F", "", "", ""
    yield "recovery-authorized-and-read", RECOVERABLE, "no R\nF0 1: +R admin\nF 2: *1 k +s @F,R", "1 k", "s", "1 k"
    yield "recovery-with-a-chain", RECOVERABLE, "F 2: *1 k +s @F\nR 3: x", "", "", ""
    yield "recovery-begins", RECOVERABLE, "F 2: x\nR 3: *1 k +s @R", "1 k", "s", "1 k"
    yield "future-that-holds-back", MEMBERS, "F 2: *1 k +s @F\nF 3: +A admin\nA 4: *2 l +t @A,F\nF 5: ?", "1 k", "s", "1 k"

def text(script):
    """As that of members; the items of an epoch become lines of their own. Scripts have no x in a block that has one."""
    lines, wanted, counts, label = [], {}, {}, None
    for line in script.split("\n"):
        front, _, items = line.partition(": ")
        parts = re.split(r", (?=[*+x?>^-])", items)
        lines.append(front + ": " + ", ".join("x" if part.startswith("*") else part for part in parts) if items else line)
        who = front.split()[0]
        if items and not who.endswith("0"):
            counts[who] = counts.get(who, 0) + 1
            wanted[f"{who}{counts[who]}"] = [part for part in parts if part.startswith("*")]
    result = []
    for line in member_vectors.text("\n".join(lines)).split("\n"):
        if line.startswith("block "):
            label = line.split()[4]
        result.append(epoch_line(wanted[label].pop(0)) if line == "change" and wanted.get(label) else line)
    named = {line.split()[1] for line in result if line.startswith("instance ")}
    missing = {who for readers in re.findall(r"@(\S+)", script) for who in readers.rstrip(",").split(",")} - named
    return "".join(f"instance {who} {member_vectors.MEMBERS[who].key.hex()}\n" for who in sorted(missing)) + "\n".join(result)

def epoch_line(item):
    number, label, *rest = item[1:].split()
    said = {"+": "", "-": "", "@": ""} | {part[0]: part[1:] for part in rest}
    return f"epoch {number} {label}" + "".join(f" {word} {' '.join(said[mark].split(','))}" for word, mark in (("slots", "+"), ("ended", "-"), ("readers", "@")) if said[mark])

def drawn(seed):
    """Admins that begin epochs, and leave each other out now and then."""
    rng, time, last = random.Random(f"epochs {seed}"), 2, 1
    lines = ["F 2: *1 k0 +s0 @F,R,G", "F 3: +A admin, +B admin", "A 4: +C admin"] + rng.sample(["G0 1: ^F", "H0 1: ^A", "I0 1: ^B"], rng.randrange(3))
    for n in range(1, rng.randrange(3, 10)):
        who = rng.choice("AABBCFGHI")
        number = rng.choice([last, last, last + 1, last + 1, last + 2])
        last = max(last, min(number, last + 1))
        readers = ",".join(one for one in "ABCFGHR" if rng.random() < 0.75)
        key = f"k{rng.choice([n, n, n - 1])}"
        ended = f" -s{rng.randrange(n)}" if rng.random() < 0.3 else ""
        lines.append(f"{who} {4 + n}: *{number} {key} +s{n}{ended} @{readers}")
        if rng.random() < 0.3:
            lines.append(f"F {4 + n}: " + rng.choice(["-A A0", "-A A1", "+B write", "-C", "+A admin", "+C read"]))
    return "\n".join(lines)

def read(body):
    """The blocks of member_vectors, with the epoch entries; and the labels of keys and slots."""
    keys, ids, blocks = member_vectors.read(re.sub(r"(?m)^epoch .*$", "change", body))
    by_label, labels = {b.label: b for b in blocks}, {}
    label = at = None
    def digest(word):
        labels[sha(word.encode())] = word
        return sha(word.encode())
    for line in body.strip().split("\n"):
        kind, *words = line.split()
        if kind == "block":
            label, at = words[3], 0
        elif kind == "epoch":
            parts, into = {"slots": [], "ended": [], "readers": []}, None
            for word in words[2:]:
                into = parts[word] if word in parts else into.append(word) or into
            by_label[label].controls[at] = {"control": "epoch", "epoch": int(words[0]), "key": digest(words[1])} | {
                k: sorted(ids[w].bytes if k == "readers" else digest(w) for w in v) for k, v in parts.items()}
            at += 1
        elif kind in ("change", "authorize", "revoke"):
            at += 1
    return blocks, labels

def judge(said, body):
    blocks, labels = read(body)
    proof = read_proof(bytes.fromhex(said["proof"]), uuid.UUID(said["database"]))
    _, members = entitled(proof, blocks)
    epochs = Epochs(blocks, members, proof.first)
    names = sorted((number, labels[key]) for number, key in epochs.counting)
    new = epochs.newest()
    return {"counting": ", ".join(f"{n} {label}" for n, label in names) or "none", "slots": " ".join(sorted(labels[s] for s in epochs.slots)) or "none",
            "seals": f"{new[0]} {labels[new[1]]}" if new else "none"}

def vectors():
    """Path, header lines, text."""
    made = [*cases()] + [(f"random-{n:02}", DRAWN[n % 2], drawn(n), None, None, None) for n in range(50)]
    for name, database, script, *want in made:
        body, facts = text(script), {"database": str(database), "proof": PROOFS[database].hex()}
        said = judge(facts, body)
        if want[0] is not None and list(said.values()) != [one or "none" for one in want]:
            raise Bad(f"epoch/{name}: expected {want}, the reader says {said}")
        yield f"epoch/{name}.vec", [("name", name), ("expect", "ok"), *facts.items(), *said.items()], body
