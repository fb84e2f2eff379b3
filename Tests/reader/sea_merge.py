"""The merge of sea-merge(5), written from the page: what every instance makes of the leaves of a record that do not clash.

A value is (kind, content): dict with values by key, counter with pairs by instanceID, set with tags by encoded element,
list with values, and atom with the encoding of anything else. None is an absent value.
"""
import hashlib, re
from fractions import Fraction
from sea_values import Bad, body as check_body, day, integer, item, milliseconds
from sea_writer import enc, head

MOST_LEAVES, MOST_ANCESTORS, MOST_BYTES, MOST_PATHS, MOST_CELLS = 65, 16, 2**26 - 2**16, 1000, 2**20
TYPE = ("_type",)
POLICIES = ("winner", "newest", "max", "min", "text")

# -- values

def decode(b, at=0):
    """The value at an offset, and the offset behind it."""
    major = b[at] >> 5
    if major not in (4, 5):
        _, end = item(b, at)
        return ("atom", b[at:end]), end
    width = 1 << (b[at] & 31) - 24 if b[at] & 31 >= 24 else 0
    count = int.from_bytes(b[at + 1:at + 1 + width], "big") if width else b[at] & 31
    start, at = at, at + 1 + width
    if major == 4:
        values = []
        for _ in range(count):
            value, at = decode(b, at)
            values.append(value)
        return ("list", values), at
    pairs = {}
    if count == 1 and item(b, at)[0] == "$dict":
        return raw_dictionary(b, item(b, at)[1]), item(b, start)[1]
    for _ in range(count):
        key, at = item(b, at)
        pairs[key], at = decode(b, at)
    special = [k for k in pairs if type(k) is str and k.startswith("$")]
    if special in (["$ref"], ["$asset"], ["$label", "$value"]):
        return ("atom", b[start:at]), at
    if special == ["$counter"]:
        state, _ = item(b, start)
        return ("counter", {k: tuple(v) for k, v in state["$counter"].items()}), at
    if special == ["$set"]:
        state, _ = item(b, start)
        return ("set", {one.raw[0]: frozenset(one[1]) for one in state["$set"]}), at
    return ("dict", pairs), at

def raw_dictionary(b, at):
    """What $dict has: keys mean nothing but themselves."""
    width = 1 << (b[at] & 31) - 24 if b[at] & 31 >= 24 else 0
    count = int.from_bytes(b[at + 1:at + 1 + width], "big") if width else b[at] & 31
    at, pairs = at + 1 + width, {}
    for _ in range(count):
        key, at = item(b, at)
        pairs[key], at = decode(b, at)
    return ("dict", pairs)

def pairs_of(encoded):
    return head(5, len(encoded)) + b"".join(k + v for k, v in sorted(encoded))

def encode(value):
    kind, v = value
    if kind == "atom":
        return v
    if kind == "list":
        return head(4, len(v)) + b"".join(map(encode, v))
    if kind == "dict":
        plain = pairs_of([(enc(k), encode(x)) for k, x in v.items()])
        return pairs_of([(enc("$dict"), plain)]) if any(k.startswith("$") for k in v) else plain
    if kind == "counter":
        return enc({"$counter": {k: list(pair) for k, pair in v.items()}})
    elements = head(4, len(v)) + b"".join(head(4, 2) + e + enc(sorted(v[e])) for e in sorted(v))
    return pairs_of([(enc("$set"), elements)])

def equal(a, b):
    if a is None or b is None:
        return a is b
    return a is b or encode(a) == encode(b)

def settled(value, digest):
    kind, v = value
    if kind == "dict":
        return kind, {k: settled(x, digest) for k, x in v.items()}
    if kind == "list":
        return kind, [settled(x, digest) for x in v]
    if kind == "set":
        return kind, {e: frozenset(tag or digest for tag in tags) for e, tags in v.items()}
    return value

def at_path(value, path):
    for key in path:
        if value is None or value[0] != "dict":
            return None
        value = value[1].get(key)
    return value

# -- revisions

class Revision:
    def __init__(self, items, lamport=None, digest=None):
        """`items` are the six of a change, the body as bytes or None. With its digest, only what is known of one that was purged."""
        self.id, self.type, self.parent, self.merged, self.kind, self.bytes = items
        self.parent = self.parent and tuple(self.parent)
        self.merged = [tuple(one) for one in self.merged]
        self.encoded = b"".join(map(enc, (self.id, self.type, self.parent, self.merged, self.kind))) + (self.bytes or b"\xf6")
        self.digest = digest or hashlib.sha256(b"\x87" + enc("sea rev v1") + self.encoded).digest()
        self.rev = (self.parent[0] + 1 if self.parent else 1, self.digest)
        self.purged = bool(digest) and self.kind == "put"
        self.lamport = lamport
        self.body = settled(decode(self.bytes)[0], self.digest) if self.bytes is not None else None

    def content(self):
        return self.type and ("atom", enc(self.type)), self.body

class Record:
    """The revisions of one record that are known here."""
    def __init__(self):
        self.all = {}

    def add(self, items, lamport, digest=None):
        """A change that stands in an earned block with this Lamport time, or in one that is not earned (None)."""
        new = Revision(items, lamport, digest)
        known = self.all.setdefault(new.rev, new)
        if known.purged and not new.purged:
            new.lamport, self.all[new.rev] = known.lamport, new
            known = new
        known.lamport = min((t for t in (known.lamport, lamport) if t is not None), default=None)
        return known

    def attached(self):
        """Those that count; a parent is less deep than its child."""
        found = {}
        for rev in sorted(self.all):
            one = self.all[rev]
            if one.parent is None or one.parent in found:
                found[rev] = one
        return found

class Tree:
    """What the revisions of a record are to each other."""
    def __init__(self, record):
        self.known = record.attached()
        parents = {one.parent for one in self.known.values()}
        self.leaves = sorted((rev for rev in self.known if rev not in parents), reverse=True)
        self.live = [rev for rev in self.leaves if self.known[rev].kind == "put"]
        self.cache = {}

    def origins(self, rev):
        one = self.known[rev]
        return [r for r in [one.parent] + one.merged if r in self.known]

    def ancestors(self, rev):
        if rev not in self.cache:
            found, stack = set(), [rev]
            while stack:
                one = stack.pop()
                if one not in found:
                    found.add(one)
                    stack += self.origins(one)
            self.cache[rev] = found
        return self.cache[rev]

    def nearest(self, side, other):
        common = set().union(*map(self.ancestors, side)) & self.ancestors(other)
        farther = set()
        for one in common:
            farther |= self.ancestors(one) - {one}
        return sorted(common - farther, reverse=True)

# -- settings

def path_of(text):
    """The path that a JSON Pointer means; None if it is none."""
    if text and text[0] != "/" or re.search("~(?![01])", text):
        return None
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])

def items_of(value):
    """The items of a value; none if there is a control character in it."""
    return [] if re.search("[\x00-\x1f\x7f]", value) else [one for one in value.split(" ") if one]

def pointer(path):
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in path)

class Settings:
    def __init__(self, shared, record_type):
        self.shared, self.type = shared, record_type

    def values(self, name):
        """Those for the type and for all records, as they are set."""
        names = [f"merge.{self.type}.{name}"] if self.type is not None else []
        return [self.shared.get(one, "") for one in names + [f"merge.{name}"]]

    @staticmethod
    def policies(value):
        """By path; nothing if the value is not valid."""
        found = {}
        for one in items_of(value):
            text, equals, policy = one.rpartition("=")
            path = path_of(text)
            if path is None or path in found or policy not in POLICIES + ("",) * len(equals):
                return {}
            found[path] = policy or None
        return found if len(found) <= MOST_PATHS else {}

    def policy(self, path):
        for found in map(self.policies, self.values("policy")):
            for n in range(len(path), -1, -1):
                if path[:n] in found:
                    return found[path[:n]]
        return None

    def groups(self):
        found = []
        for value in self.values("atomic"):
            said = [[path_of(one) for one in group.split(",")] for group in items_of(value)]
            if all(path for group in said for path in group) and sum(map(len, said)) <= MOST_PATHS:
                found += said
        return found

# -- policies

def number(value):
    if value[0] != "atom":
        return None
    v, _ = item(value[1])
    if type(v) is tuple and v[0] == 4:
        exponent, mantissa = v[1]
        return Fraction(integer(mantissa)) * Fraction(10) ** exponent
    if type(v) is tuple and v[0] in (2, 3):
        return Fraction(integer(v))
    return Fraction(v) if type(v) in (int, float) else None

def time(value):
    """A date or a day, with its kind, since the two have no order."""
    v = item(value[1])[0] if value[0] == "atom" else None
    if type(v) is not tuple or v[0] not in (1, 1001, 1004):
        return None, None
    return ("day", day(v[1])) if v[0] == 1004 else ("date", milliseconds(v))

def string(value):
    """The bytes of a string; None if it is something else."""
    v = item(value[1])[0] if value and value[0] == "atom" else None
    return v.encode() if type(v) is str else None

def lines(text):
    """They end with LF, but for the last one."""
    *ended, rest = text.split(b"\n")
    return [one + b"\n" for one in ended] + ([rest] if rest else [])

def edits(base, side):
    """What a side changes: start and end in the base, and the lines that replace these. None: too much work."""
    start, n, m = 0, len(base), len(side)
    while start < min(n, m) and base[start] == side[start]:
        start += 1
    while min(n, m) > start and base[n - 1] == side[m - 1]:
        n, m = n - 1, m - 1
    b, s = base[start:n], side[start:m]
    n, m = len(b), len(s)
    if n * m > MOST_CELLS:
        return None
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            table[i][j] = 1 + table[i + 1][j + 1] if b[i] == s[j] else max(table[i + 1][j], table[i][j + 1])
    found, i, j, run = [], 0, 0, None
    while i < n or j < m:
        if i < n and j < m and b[i] == s[j]:
            i, j, run = i + 1, j + 1, None
            continue
        if run is None:
            run = [start + i, start + i, []]
            found.append(run)
        if j == m or i < n and table[i + 1][j] >= table[i][j + 1]:
            i += 1
            run[1] = start + i
        else:
            run[2].append(s[j])
            j += 1
    return found

def applied(base, changes, start, end):
    result = []
    for a, b, new in changes:
        result += base[start:a] + new
        start = b
    return result + base[start:end]

def text_merge(base, ours, theirs):
    """The lines of both sides; None: no answer."""
    base, sides = lines(base), [edits(lines(base), lines(one)) for one in (ours, theirs)]
    if None in sides:
        return None
    groups = []
    for a, b, side, new in sorted((a, b, k, new) for k, one in enumerate(sides) for a, b, new in one):
        if groups and a <= groups[-1][1]:
            groups[-1][1] = max(b, groups[-1][1])
        else:
            groups.append([a, b, [], []])
        groups[-1][2 + side].append((a, b, new))
    result, at = [], 0
    for start, end, *both in groups:
        made = [applied(base, one, start, end) for one in both if one]
        if made[1:] and made[0] != made[1]:
            return None
        result += base[at:start] + made[0]
        at = end
    return b"".join(result + base[at:])

def unlabeled(value):
    """The semantic type of a value, or None, and the value inside."""
    v = item(value[1])[0] if value[0] == "atom" else None
    if type(v) is not dict or "$label" not in v:
        return None, value
    return v["$label"], decode(value[1], 1 + len(enc("$label") + enc(v["$label"]) + enc("$value")))[0]

def by_value(policy, base, ours, theirs):
    """ours, theirs, a value, or None: no answer. The base is None where it is not known."""
    if ours is None or theirs is None:
        return None
    (label, x), (other, y) = unlabeled(ours), unlabeled(theirs)
    if policy == "text":
        texts = [string(one) for one in (base and unlabeled(base)[1], x, y)]
        made = text_merge(*texts) if None not in texts and label == other else None
        made = made if made is None else enc(made.decode())
        return made and ("atom", made if label is None else pairs_of([(enc("$label"), enc(label)), (enc("$value"), made)]))
    a, b = number(x), number(y)
    if a is None:
        (kind, a), (other, b) = time(x), time(y)
        if kind != other:
            return None
    if a is None or b is None:
        return None
    if a == b:
        return "ours" if encode(ours) > encode(theirs) else "theirs"
    return "ours" if (a > b) == (policy != "min") else "theirs"

def by_side(policy, ours, theirs):
    """The authors are revisions; these are never the same. Without a Lamport time there is no newest."""
    if policy == "newest" and None in (ours.lamport, theirs.lamport):
        return None
    if policy == "newest" and ours.lamport != theirs.lamport:
        return "ours" if ours.lamport > theirs.lamport else "theirs"
    return "ours" if ours.rev > theirs.rev else "theirs"

# -- two contents

def overlap(a, b):
    n = min(len(a), len(b))
    return a[:n] == b[:n]

class Base:
    def __init__(self, kind=None, body=None, open=()):
        self.type, self.body, self.open = kind, body or ("dict", {}), list(open)

    def value(self, path):
        if any(len(one) < len(path) and overlap(one, path) for one in self.open):
            return None
        return self.type if path == TYPE else at_path(self.body, path)

    def is_open(self, path):
        return any(overlap(one, path) for one in self.open)

    def unchanged(self, path, side):
        return not self.is_open(path) and equal(self.value(path), side)

UNKNOWN = Base(open=[()])

def fitted(groups, ours, theirs):
    """Atomic groups as they fit two bodies."""
    made = []
    for group in groups:
        cut = []
        for path in group:
            if path[:1] == TYPE:
                continue
            n = 0
            while n < len(path) and all((at_path(side, path[:n]) or (0,))[0] == "dict" for side in (ours, theirs)):
                n += 1
            cut.append(path[:n])
        if cut:
            made.append(cut)
    again = True
    while again:
        again = False
        for a in made:
            for b in made:
                if a is not b and any(overlap(p, q) for p in a for q in b) and not again:
                    made.remove(b)
                    a += b
                    again = True
    result = []
    for group in made:
        kept = []
        for path in sorted(group, key=len):
            if not any(overlap(path, one) for one in kept):
                kept.append(path)
        result.append(sorted(kept, key=lambda path: pointer(path).encode()))
    return result

class Merge:
    """Ours and theirs against a base. `authors` says of a path who wrote each side."""
    def __init__(self, base, ours, theirs, groups=(), policy=None, authors=None):
        self.base, self.policy, self.authors = base, policy or (lambda path: None), authors
        self.taken, self.clashes = [], []
        self.group = {path: group for group in fitted(groups, ours[1], theirs[1]) for path in group}
        self.sides = {}
        for group in {id(g): g for g in self.group.values()}.values():
            if len(group) > 1:
                side = self.choose_group(group, ours[1], theirs[1])
                self.sides |= {path: side for path in group}
                if side == "theirs":
                    self.taken += group
        self.type = self.value(TYPE, ours[0], theirs[0])
        self.body = self.dictionary((), ours[1], theirs[1])

    def choose_group(self, group, ours, theirs):
        def unchanged(side):
            return all(self.base.unchanged(path, at_path(side, path)) for path in group)
        if all(equal(at_path(ours, path), at_path(theirs, path)) for path in group):
            return "ours"
        if unchanged(ours):
            return "theirs"
        if unchanged(theirs):
            return "ours"
        policies = {self.policy(path) for path in group}
        if len(policies) == 1 and policies <= {"winner", "newest"}:
            return by_side(*policies, *self.authors(group[0])) or "clash"
        return "clash"

    def dictionary(self, path, x, y):
        result = {}
        for key in sorted({*x[1], *y[1]}, key=enc):
            value = self.value(path + (key,), x[1].get(key), y[1].get(key))
            if value is not None:
                result[key] = value
        return "dict", result

    def take(self, path, y):
        self.taken.append(path)
        return y

    def value(self, path, x, y):
        if path in self.sides:
            if self.sides[path] == "clash" and not equal(x, y):
                self.clashes.append(path)
            return y if self.sides[path] == "theirs" else x
        if equal(x, y):
            return x
        kinds = {side[0] if side else None for side in (x, y)}
        if kinds == {"dict"} and path not in self.group:
            return self.dictionary(path, x, y)
        joined = None
        if kinds == {"counter"}:
            joined = "counter", {k: tuple(map(max, x[1].get(k, (0, 0)), y[1].get(k, (0, 0)))) for k in {*x[1], *y[1]}}
        if self.base.unchanged(path, x) and (joined is None or equal(joined, y)):
            return self.take(path, y)
        if self.base.unchanged(path, y) and (joined is None or equal(joined, x)):
            return x
        if joined:
            return joined
        if kinds == {"set"}:
            return three_way(self.base.value(path), x, y)
        return self.settle(path, x, y)

    def settle(self, path, x, y):
        policy, answer = self.policy(path), None
        if policy in ("winner", "newest"):
            answer = by_side(policy, *self.authors(path))
        elif policy and path != TYPE:
            answer = by_value(policy, None if self.base.is_open(path) else self.base.value(path), x, y)
        if answer == "theirs":
            return self.take(path, y)
        if answer is None:
            self.clashes.append(path)
        return x if answer in ("ours", None) else answer

def three_way(base, x, y):
    base, result = base[1] if base and base[0] == "set" else {}, {}
    for element in {*x[1], *y[1]}:
        a, b, before = (side.get(element, frozenset()) for side in (x[1], y[1], base))
        tags = a & b | (a | b) - before
        if tags:
            result[element] = tags
    return "set", result

# -- leaves

class Fold:
    """The leaves of a record merged one after another. After it: type, body, clashes."""
    def __init__(self, tree, leaves, settings):
        self.tree, self.groups = tree, settings.groups()
        self.leaves, self.clashes = leaves[:MOST_LEAVES], []
        self.type, self.body = tree.known[self.leaves[0]].content()
        known = {(): self.leaves[0]}
        for k, leaf in enumerate(self.leaves[1:], 1):
            def authors(path):
                n = len(path)
                while path[:n] not in known:
                    n -= 1
                return tree.known[known[path[:n]]], tree.known[leaf]
            merge = Merge(self.base(self.leaves[:k], leaf), (self.type, self.body), tree.known[leaf].content(),
                          self.groups, settings.policy, authors)
            self.type, self.body = merge.type, merge.body
            for path in merge.taken:
                known = {p: r for p, r in known.items() if p[:len(path)] != path} | {path: leaf}
            self.clashes += [path for path in merge.clashes if path not in self.clashes]

    def near(self, side, other):
        """The nearest common ancestors with a body; None if the base is unknown."""
        near = [rev for rev in self.tree.nearest(side, other) if self.tree.known[rev].kind == "put"]
        return None if len(near) > MOST_ANCESTORS or any(self.tree.known[rev].purged for rev in near) else near

    def base(self, side, other):
        near = self.near(side, other)
        if not near:
            return UNKNOWN if near is None else Base()
        kind, body = self.tree.known[near[0]].content()
        open = []
        for k in range(1, len(near)):
            deeper = self.near(near[:k], near[k])
            ground = UNKNOWN if deeper is None or len(deeper) > 1 else Base(*self.tree.known[deeper[0]].content()) if deeper else Base()
            merge = Merge(ground, (kind, body), self.tree.known[near[k]].content(), self.groups)
            kind, body, open = merge.type, merge.body, open + merge.clashes
        return Base(kind, body, open)

class Outcome:
    """What becomes of a record: `word` is merged, clash, apart, deletion, purged, invalid, off, or none where nothing disagrees."""
    def __init__(self, record, shared):
        self.tree = tree = Tree(record)
        self.changes, self.clashes, self.word = [], [], "none"
        if len(tree.live) < 2:
            return
        winner, purged = tree.known[tree.live[0]], any(tree.known[rev].purged for rev in tree.live)
        fold = None if purged else Fold(tree, tree.live, Settings(shared, winner.type))
        self.clashes = [pointer(path) for path in fold.clashes] if fold else []
        if shared.get("merge.auto") == "off":
            self.word = "off"
        elif any(tree.known[rev].kind == "delete" for rev in tree.leaves):
            self.word = "deletion"
        elif purged:
            self.word = "purged"
        elif any(self.repeats(rev) for rev in fold.leaves):
            self.word = "apart"
        elif fold.clashes:
            self.word = "clash"
        else:
            self.write(fold, winner)

    def repeats(self, rev):
        one = self.tree.known[rev]
        parent = one.parent and self.tree.known[one.parent]
        if parent and parent.kind == "resolved" and parent.parent:
            parent = self.tree.known[parent.parent]
        return bool(parent) and not one.merged and parent.kind == "put" and not parent.purged and one.type == parent.type and equal(one.body, parent.body)

    def write(self, fold, winner):
        body = encode(fold.body)
        try:
            check_body(item(body)[0])
        except Bad:
            self.word = "invalid"
        if self.word == "invalid" or len(body) > MOST_BYTES:
            return
        others = [self.tree.known[rev] for rev in fold.leaves[1:]]
        kind = fold.type and item(fold.type[1])[0]
        self.word = "merged"
        self.changes = [[winner.id, kind, winner.rev, sorted(one.rev for one in others), "put", body]]
        self.changes += [[one.id, one.type, one.rev, [], "resolved", None] for one in others]

def shown(tree):
    """The body that readers show; None of a deleted record."""
    if not tree.live or tree.known[tree.live[0]].purged:
        return None
    states = [(tree.known[rev].body, {r[1] for r in tree.ancestors(rev)}) for rev in tree.live if not tree.known[rev].purged]

    def show(path, value):
        kind, v = value
        if kind == "dict":
            return kind, {k: show(path + (k,), x) for k, x in v.items()}
        same = [(at_path(body, path), seen) for body, seen in states]
        same = [(one[1], seen) for one, seen in same if one and one[0] == kind]
        if kind == "counter":
            return kind, {k: tuple(max(one.get(k, (0, 0))[n] for one, _ in same) for n in (0, 1)) for one, _ in same for k in one}
        if kind != "set":
            return value
        same = [(one, seen.union(*one.values())) for one, seen in same]
        tags = {e: {t for one, _ in same for t in one.get(e, ()) if all(t in o.get(e, ()) or t not in s for o, s in same)}
                for one, _ in same for e in one}
        return kind, {e: frozenset(t) for e, t in tags.items() if t}

    return show((), tree.known[tree.live[0]].body)
