"""The vectors of merging: the revisions of one record, and what every instance must make of them.

A story is a list of revisions: a label, the labels of its parent and of what it has merged, and its body; DELETED and
RESOLVED stand for those without one, a dictionary with `_type` has that type. Each is a block of its own, of the
instance that is the label's first letter, with Lamport times from 2 on unless `at` says otherwise; one less than 0 is not earned. What must come of it
is written here by hand, as JSON, and in bytes by sea_merge.
"""
import json
import sea_merge
from sea_values import body as as_json, item
from sea_writer import Instance, Raw, enc, sha, text

DELETED, RESOLVED = "delete", "resolved"
A, B, C = (Instance(name).id.bytes for name in ("merge a", "merge b", "merge c"))

def counter(**pairs):
    return {"$counter": {globals()[k]: list(v) if type(v) is tuple else [v, 0] for k, v in pairs.items()}}

def tags(**elements):
    """A set; `own` stands for the revision itself, anything else for a tag of that name."""
    return {"$set": sorted(([k, sorted(b"" if t == "own" else t if type(t) is bytes else sha(t.encode()) for t in v.split())
                             if type(v) is str else sorted(v)] for k, v in elements.items()), key=lambda e: enc(e[0]))}

class Story:
    def __init__(self, *steps, id="r"):
        self.record, self.blocks, self.label, self.id = sea_merge.Record(), [], {}, id
        self.purged = []
        for step in steps:
            self.add(*step)

    def add(self, label, origins, body, at=None, by=None):
        parent, *merged = [self.label[one] for one in origins.split()] or [None]
        kind, bytes_, record_type = (body, None, None) if type(body) is str else ("put", None, None)
        if callable(body):
            body = body({k: rev[1] for k, rev in self.label.items()})
        purged = type(body) is Purged
        if kind == "put":
            record_type = body.get("_type")
            bytes_ = enc({k: v for k, v in body.items() if k != "_type"})
        items = [self.id, record_type, parent, sorted(merged), kind, bytes_]
        at = at or (abs(self.blocks[-1][1]) if self.blocks else 1) + 1
        rev = sea_merge.Revision(items).rev
        if purged:
            self.purged.append(len(self.blocks))
        self.label[label] = self.record.add(items[:5] + [None] if purged else items, at if at > 0 else None, rev[1] if purged else None).rev
        self.blocks.append((by or label[0], at, items))
        return self

class Purged(dict):
    """A body that is not here any more."""

def two(base, x, y, then=()):
    return Story(("a", "", base), ("b", "a", x), ("c", "a", y), *then)

def rich(value):
    """JSON, by which results are compared."""
    return json.dumps(value, sort_keys=True)

from merge_cases import cases  # noqa: E402  (the cases use what is above)

def made(story, shared):
    """The header lines of an outcome."""
    outcome = sea_merge.Outcome(story.record, shared)
    said = [("expect", outcome.word), ("leaves", " ".join(map(text, outcome.tree.live)))]
    if outcome.word == "clash":
        said.append(("clashes", json.dumps(sorted(outcome.clashes), ensure_ascii=False)))
    if outcome.changes:
        revs = [sea_merge.Revision(one) for one in outcome.changes]
        said += [("merged", text(revs[0].rev)), ("resolved", " ".join(text(one.rev) for one in revs[1:])),
                 ("change", (b"\x86" + revs[0].encoded).hex())]
    body = sea_merge.shown(outcome.tree)
    if body:
        said.append(("shown", sea_merge.encode(body).hex()))
    return said, outcome

def agrees(name, want, outcome):
    """Holds what was written by hand against what comes out."""
    if type(want) is dict:
        assert outcome.word == "merged", (name, outcome.word, outcome.clashes)
        record_type = outcome.changes[0][1]
        got = as_json(item(outcome.changes[0][5])[0]) | ({"_type": record_type} if record_type else {})
        assert rich(got) == rich(want), (name, got, want)
    elif type(want) is list:
        assert outcome.word == "clash" and sorted(outcome.clashes) == sorted(want), (name, outcome.word, outcome.clashes)
    else:
        assert outcome.word == want, (name, outcome.word, outcome.clashes)

def headers(name, story, shared):
    said, outcome = made(story, shared)
    front = [("name", name)] + said[:1] + sorted(shared.items())
    return front + [("blocks", ", ".join(f"{by} {at}" if at > 0 else f"{by} {-at} unearned" for by, at, _ in story.blocks))] + \
        ([("purged", " ".join(map(str, story.purged)))] if story.purged else []) + said[1:], outcome

def changes(story):
    return enc([items[:5] + [Raw(items[5]) if items[5] else None] for _, _, items in story.blocks])

def vectors():
    seen = set()
    for name, want, story, *shown in cases():
        shared = shown.pop() if shown and all(k.startswith("merge.") for k in shown[-1]) else {}
        said, outcome = headers(name, story, shared)
        agrees(name, want, outcome)
        if shown:
            got = as_json(item(sea_merge.encode(sea_merge.shown(outcome.tree)))[0])
            assert rich(got) == rich(shown[0]), (name, got, shown[0])
        assert name not in seen, name
        seen.add(name)
        yield f"merge/{name}.vec", said, changes(story)

def judge(said, data):
    """What this reader makes of a vector's bytes alone."""
    record, (values, _) = sea_merge.Record(), item(data)
    blocks = [one.split() for one in said["blocks"].split(", ")]
    purged = [int(n) for n in said.get("purged", "").split()]
    for n, ((_, at, *unearned), one) in enumerate(zip(blocks, values, strict=True)):
        parent, merged = one[2] and tuple(one[2]), [tuple(m) for m in one[3]]
        items, time = [one[0], one[1], parent, merged, one[4], one.raw[5] if one[5] is not None else None], None if unearned else int(at)
        if n in purged:
            record.add(items[:5] + [None], time, sea_merge.Revision(items).digest)
        else:
            record.add(items, time)
    story = Story()
    story.record = record
    return dict(made(story, {k: v for k, v in said.items() if k.startswith("merge.")})[0])
