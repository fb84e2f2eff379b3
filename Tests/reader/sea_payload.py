"""What a block says, as sea-format(5) has it: its heads, the clear list, and the clear array with its door: format, needs, about, items."""
from sea_header import HEADER, ROW, end_of_heads, least, number
from sea_names import acceptable, exchangeable, instance_id
from sea_values import Bad, Items, body, item, name, need

SEALED, COMPRESSED, SIGNED, REMOVED, CONTROL, ORDERS, UNKNOWN = 1, 2, 4, 8, 0x10, 0x20, 0xC0
CONTROLS = {"instance": {"key", "name", "exchange"}, "shared": {"key", "value"}, "authorize": {"key", "role", "exchange", "instance"},
            "revoke": {"index", "digest", "keeps", "instance"}, "epoch": {"key", "ended", "epoch", "slots", "readers"}, "purge": {"instance", "index", "digest", "changes"}}
NEEDS = set()
MOST_ITEMS, MOST_ROWS, MOST_LEVELS = 1_000_000, 65_536, 8

class Payload:
    """What a block says: its changes, its control entries by item, and of a first block the entry of its instance, with its key and
    the key of its predecessor.

    `problem` is the code of why nothing is applied, or None."""

    def __init__(self, problem=None):
        self.changes, self.controls, self.problem = [], {}, problem
        self.instance, self.key, self.follows, self.under = None, None, None, None

    def silent(self, problem):
        """The same block where nothing of it is applied."""
        self.changes, self.controls, self.problem = [], {}, problem
        return self

# -- CBOR by hand, where only a part is looked at

def head(b, at):
    """Major type and number of a head in its shortest form, and the offset behind it."""
    need(at < len(b))
    major, info, at = b[at] >> 5, b[at] & 31, at + 1
    need(info <= 27)
    width = 1 << info - 24 if info >= 24 else 0
    need(at + width <= len(b))
    n = int.from_bytes(b[at:at + width], "big") if width else info
    need(not width or major == 7 or n >= (24, 1 << 8, 1 << 16, 1 << 32)[info - 24])
    return major, n, at + width

def plain(b, at, level=1):
    """The offset behind plain CBOR, of which nobody knows what it means."""
    start, (major, n, at) = at, head(b, at)
    need(level <= MOST_LEVELS)
    if major in (2, 3):
        need(n <= len(b) - at)
        if major == 3:
            b[at:at + n].decode()
        return at + n
    if major in (4, 5):
        for _ in range(n * (major - 3)):
            at = plain(b, at, level + 1)
        return at
    need(major < 2 or major == 7 and b[start] & 31 in (20, 21, 22))
    return at

def array(b, at, least, most):
    """The number of items of an array and the offset of the first."""
    major, n, at = head(b, at)
    need(major == 4 and least <= n <= most)
    return n, at

def plain_map(b, at):
    """A map of 1 to 16 text keys in their order: of each where its value begins and ends; and the offset behind."""
    major, n, at = head(b, at)
    need(major == 5 and 1 <= n <= 16)
    spans, last = {}, b""
    for _ in range(n):
        start, (key, at) = at, item(b, at)
        need(type(key) is str and b[start:at] > last)
        last = b[start:at]
        spans[key] = at, plain(b, at)
        at = spans[key][1]
    return spans, at

# -- parts of a payload

def revision(v):
    need(type(v) is Items and len(v) == 2 and type(v[0]) is int and 1 <= v[0] < 2**32)
    need(type(v[1]) is bytes and len(v[1]) == 32)
    return v[0], v[1]

def relation(id, type_, parent, merged, kind):
    """What a change says but for its body."""
    need(type(merged) is Items and len(merged) <= 64)
    ident, merged = name(id), [revision(m) for m in merged]
    parent = None if parent is None else revision(parent)
    need((type_ is None or name(type_)) and (parent is None or parent[0] < 2**32 - 1))
    need(merged == sorted(set(merged)) and parent not in merged and kind in ("put", "delete", "resolved"))
    return ident, type_, parent, merged, kind

def change(v):
    """One revision: id, type, parent, merged, kind, and the bytes of the body."""
    need(len(v) == 6)
    said = relation(*v[:5])
    need((v[5] is None) == (v[4] != "put"))
    if v[4] == "put":
        body(v[5])
    return *said, v.raw[5] if v[4] == "put" else None

def order(entry):
    """A purge entry; what it says of the changes is put in the place of its arrays."""
    data(entry["instance"], 16)
    data(entry["digest"], 32)
    need(type(entry["index"]) is int and 1 <= entry["index"] < 2**32 - 1)
    need(type(entry["changes"]) is Items and len(entry["changes"]) <= MOST_ITEMS)
    for n, one in enumerate(entry["changes"]):
        need(type(one) is Items and len(one) == 6)
        said, rev = relation(one[0], one[1], *one[3:]), revision(one[2])
        need(rev[0] == (said[2][0] + 1 if said[2] else 1))
        entry["changes"][n] = (*said, rev)

def short(text, most=1024):
    return type(text) is str and len(text.encode()) <= most

def names(v, size, most):
    """Names or digests, sorted, each once."""
    need(type(v) is Items and len(v) <= most and all(type(d) is bytes and len(d) == size for d in v))
    need(v == sorted(set(v)))
    return set(v)

def data(v, size):
    need(type(v) is bytes and len(v) == size)
    return v

def control(entry):
    """Holds an entry whose name is known against what it has to have."""
    kind = entry["control"]
    need(set(entry) >= CONTROLS[kind])
    if kind == "instance":
        need(short(entry["name"]))
        data(entry["key"], 32)
        data(entry["exchange"], 32)
        if "follows" in entry:
            need(type(entry["follows"]) is Items and len(entry["follows"]) == 2)
            data(entry["follows"][0], 32)
            data(entry["follows"][1], 64)
    elif kind == "shared":
        need(short(entry["key"]))
        need(entry["value"] is None or short(entry["value"], 65536))
    elif kind == "authorize":
        need(entry["role"] in ("read", "write", "admin"))
        need(exchangeable(data(entry["exchange"], 32)))
        need(acceptable(data(entry["key"], 32)) and instance_id(entry["key"]).bytes == data(entry["instance"], 16))
    elif kind == "revoke":
        data(entry["instance"], 16)
        names(entry["keeps"], 16, 1000)
        need((entry["index"] is None) == (entry["digest"] is None))
        if entry["index"] is not None:
            need(type(entry["index"]) is int and 0 <= entry["index"] < 2**32)
            data(entry["digest"], 32)
    elif kind == "purge":
        order(entry)
    else:
        need(type(entry["epoch"]) is int and 1 <= entry["epoch"] < 2**32)
        data(entry["key"], 32)
        names(entry["readers"], 16, 10_000)
        slots, ended = names(entry["slots"], 32, 10_000), names(entry["ended"], 32, 10_000)
        need(slots | ended and not slots & ended)

def rows_of(b):
    """(instanceID, index, hash) of each row of 52 bytes."""
    return [(b[at:at + 16], number(b[at + 16:at + 20]), b[at + 20:at + ROW]) for at in range(0, len(b), ROW)]

def heads_of(b, author):
    """The heads of other chains that a block names, by instanceID."""
    heads = rows_of(b[HEADER:end_of_heads(b)])
    who = [one[0] for one in heads]
    need(who == sorted(set(who)) and author.bytes not in who and all(one[1] < 2**32 - 1 for one in heads))
    return heads

def clear_list(b):
    """The blocks that a block names in the clear, and the offset behind the list in the block."""
    at = end_of_heads(b)
    need(len(b) - at >= 4)
    count = number(b[at:at + 4])
    end = at + 4 + ROW * count
    need(1 <= count <= MOST_ROWS and len(b) - end >= least(b[3]))
    rows = rows_of(b[at + 4:end])
    need(rows == sorted(set(rows)))
    return rows, end

def clear_array(b, mode, first, heads=(), rows=()):
    """Reads the clear array of a block: `mode` is what its header says, `heads` are those it names, `rows` its clear list."""
    try:
        return door(b, mode, first, heads, list(rows))
    except (UnicodeDecodeError, RecursionError):
        raise Bad("bad-payload")

def door(b, mode, first, heads, rows):
    result = Payload()
    count, at = array(b, 0, 1, 2**64)
    major, _, _ = head(b, at)
    need(major < 2)
    number, at = item(b, at)
    need(-2**63 <= number < 2**63)
    if number != 1:
        return result.silent("not-readable")
    need(count == 4)
    array(b, at, 0, 16)
    needs, at = item(b, at)
    need(all(type(one) is str and 1 <= len(one.encode()) <= 64 for one in needs))
    need(needs.raw == sorted(set(needs.raw)))
    if set(needs) - NEEDS:
        return result.silent("not-readable")
    spans, at = plain_map(b, at)
    about = {key: item(b, spans[key][0])[0] for key in ("time", "label") if key in spans}
    need(type(about.get("time")) is int and -2**63 <= about["time"] < 2**63 and short(about.get("label", "")))
    count, at = array(b, at, 0 if heads else 1, MOST_ITEMS)
    said = []
    for n in range(count):
        if at < len(b) and b[at] >> 5 == 4:
            entry, at = item(b, at)
            need(not (first and n == 0))
            result.changes.append(change(entry))
            continue
        spans, at = plain_map(b, at)
        need("control" in spans)
        kind = item(b, spans["control"][0])[0]
        need(type(kind) is str and (kind == "instance") == (first and n == 0))
        said.append(kind)
        if kind in CONTROLS:
            result.controls[n] = {key: item(b, spans[key][0])[0] for key in {"control"} | CONTROLS[kind] | ({"follows"} if kind == "instance" else set()) if key in spans}
            control(result.controls[n])
    need(at == len(b))
    need(bool(said) == bool(mode & CONTROL) and ("purge" in said) == bool(mode & ORDERS))
    need(not first or count)
    orders = [one for one in result.controls.values() if one["control"] == "purge"]
    need(sorted((one["instance"], one["index"], one["digest"]) for one in orders) == rows)
    if first:
        result.instance = result.controls[0]
        result.key, result.follows = result.instance["key"], result.instance.get("follows", [None])[0]
    return result.silent("not-readable") if set(said) - set(CONTROLS) else result
