"""The values of sea-record(5): their one encoding read strictly, and the JSON that people see."""
import base64, datetime, re, struct
from sea_pieces import files, in_pieces

SPACE = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
ASSET = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/(0|[1-9][0-9]*)(-[1-9][0-9]*)?")

class Bad(Exception):
    """What is refused; the argument is a code of sea-verify(1)."""

class Items(list):
    """An array, with the bytes of each of its items in `raw`."""

def need(promise, code="bad-payload"):
    if not promise:
        raise Bad(code)

def shortest(value):
    for form in (">e", ">f", ">d"):
        try:
            if struct.unpack(form, struct.pack(form, value))[0] == value:
                return struct.pack(form, value)
        except OverflowError:
            continue

def item(b, at=0, level=0):
    """The item of deterministic CBOR at an offset, and the offset behind it. A tag is a tuple."""
    need(at < len(b) and level < 512)
    major, info, at = b[at] >> 5, b[at] & 31, at + 1
    need(info <= 27)
    width = 1 << info - 24 if info >= 24 else 0
    need(at + width <= len(b))
    n, at = int.from_bytes(b[at:at + width], "big") if width else info, at + width
    if major == 7 and width < 2:
        need(not width and info in (20, 21, 22))
        return (False, True, None)[info - 20], at
    if major == 7:
        value = struct.unpack({2: ">e", 4: ">f", 8: ">d"}[width], b[at - width:at])[0]
        need(value - value == 0 and shortest(value) == b[at - width:at])
        need(value != int(value) or not -2**64 <= value < 2**64)
        return value, at
    need(not width or n >= (24, 1 << 8, 1 << 16, 1 << 32)[info - 24])
    if major < 2:
        return -1 - n if major else n, at
    if major < 4:
        need(n <= len(b) - at)
        return b[at:at + n] if major == 2 else b[at:at + n].decode(), at + n
    if major == 6:
        value, at = item(b, at, level)
        return (n, value), at
    values, pairs, last = Items(), {}, b""
    values.raw = []
    for _ in range(n):
        start = at
        value, at = item(b, at, level + 1)
        values.append(value)
        values.raw.append(b[start:at])
        if major == 5:
            need(type(value) in (str, bytes, int) and b[start:at] > last)
            last = b[start:at]
            pairs[value], at = item(b, at, level + 1)
    return pairs if major == 5 else values, at

def integer(v):
    if type(v) is tuple:
        need(v[0] in (2, 3) and type(v[1]) is bytes and 9 <= len(v[1]) <= 1024 and v[1][0])
        return int.from_bytes(v[1], "big") if v[0] == 2 else -1 - int.from_bytes(v[1], "big")
    need(type(v) is int)
    return v

def number(n):
    return n if abs(n) <= 2**53 else {"$int": str(n)}

def decimal(exponent, mantissa):
    need(type(exponent) is int and -10000 <= exponent <= 10000)
    n = integer(mantissa)
    digits, sign = str(abs(n)), "-" * (n < 0)
    if -40 <= exponent <= 0:
        digits = digits.rjust(1 - exponent, "0")
        return sign + digits[:len(digits) + exponent] + ("." + digits[exponent:] if exponent else "")
    return f"{sign}{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]}E{exponent + len(digits) - 1:+d}"

def milliseconds(v):
    """Of a date: tag 1 on whole seconds, or tag 1001 on seconds and what is left."""
    seconds, left = v[1], 0
    if v[0] == 1001:
        need(type(v[1]) is dict and list(v[1]) == [1, -3])
        seconds, left = v[1].values()
        need(type(left) is int and 1 <= left <= 999)
    need(type(seconds) is int and -62135596800 <= seconds < 253402300800)
    return seconds * 1000 + left

def date(v):
    ms = milliseconds(v)
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ms // 1000)
    return day.isoformat() + (f".{ms % 1000:03d}" if ms % 1000 else "") + "Z"

def day(text):
    """Of tag 1004: a day of the calendar, in its one spelling."""
    need(type(text) is str and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII))
    try:
        datetime.date(*map(int, text.split("-")))
    except ValueError:
        raise Bad("bad-payload")
    return text

def control(text):
    return any(c < " " or "\x7f" <= c <= "\x9f" for c in text)

def name(text):
    """The id or the type of a record."""
    need(type(text) is str and 1 <= len(text.encode()) <= 255 and text[0] not in "-_")
    need(not control(text) and not SPACE & set(text))
    return text

def label(text, most=1024):
    need(type(text) is str and 1 <= len(text.encode()) <= most and not control(text))
    return text

def dictionary(v, level, inside):
    need(type(v) is dict and all(type(k) is str and len(k.encode()) <= 1024 for k in v))
    return {k: shown(x, level + 1, inside) for k, x in v.items()}

def shown(v, level=1, inside=False):
    """A value as people see it; `level` counts the JSON around it, `inside` a set neither counter nor set may stand."""
    json = form(v, level, inside)
    need(type(json) not in (dict, list) or level < 128)
    return json

def form(v, level, inside):
    if type(v) is bytes:
        return {"$data": base64.b64encode(v).decode()}
    if type(v) is int or type(v) is tuple and v[0] in (2, 3):
        return number(integer(v))
    if type(v) is tuple and v[0] in (1, 1001):
        return {"$date": date(v)}
    if type(v) is tuple and v[0] == 1004:
        return {"$day": day(v[1])}
    if type(v) is tuple:
        need(v[0] == 4 and type(v[1]) is Items and len(v[1]) == 2)
        return {"$decimal": decimal(*v[1])}
    if type(v) is Items:
        return [shown(x, level + 1, inside) for x in v]
    if type(v) is not dict:
        return v
    keys = {k for k in v if type(k) is not str or k.startswith("$")}
    if not keys:
        return dictionary(v, level, inside)
    if keys == {"$label", "$value"} == set(v):
        value = v["$value"]
        need(value is not None and type(value) is not dict or type(value) is dict and set(value) & {"$ref", "$asset"})
        return {"$label": label(v["$label"], 255), "$value": shown(value, level + 1, True)}
    need(len(keys) == 1)
    key, others = keys.pop(), set(v)
    if key == "$ref":
        need(others <= {"$ref", "as"})
        return {k: name(v[k]) if k == "$ref" else label(v[k]) for k in v}
    if key == "$asset":
        digest = "pieces" if type(v.get("size")) is int and in_pieces(v["size"]) else "sha256"
        need(others == {"$asset", "mime", "size", digest})
        need(type(v["$asset"]) is str and ASSET.fullmatch(v["$asset"]))
        index = [int(n) for n in v["$asset"][37:].split("-")]
        need(index == sorted(set(index)) and index[-1] < 2**32 and type(v["size"]) is int and 0 <= v["size"] <= 2**44)
        need(index[-1] - index[0] + 1 == files(v["size"]))
        need(type(v[digest]) is bytes and len(v[digest]) == 32)
        return {"mime": label(v["mime"], 255), "size": v["size"], "$asset": v["$asset"], digest: v[digest].hex()}
    need(len(v) == 1 and (key == "$dict" or not inside) and level < 128)
    state = v[key]
    if key == "$dict":
        need(type(state) is dict and any(type(k) is str and k.startswith("$") for k in state) and level < 127)
        return {"$dict": dictionary(state, level + 1, inside)}
    if key == "$counter":
        need(type(state) is dict and level < 127)
        for who, pair in state.items():
            need(type(who) is bytes and len(who) == 16 and type(pair) is Items and len(pair) == 2)
            need(all(type(n) is int and 0 <= n for n in pair) and any(pair))
        return {"$counter": number(sum(up - down for up, down in state.values()))}
    need(key == "$set" and type(state) is Items and level < 127)
    last = b""
    for one in state:
        need(type(one) is Items and len(one) == 2 and one.raw[0] > last and type(one[1]) is Items and one[1])
        need(all(type(tag) is bytes and len(tag) in (0, 32) for tag in one[1]) and one[1] == sorted(set(one[1])))
        last = one.raw[0]
    return {"$set": [shown(element, level + 2, True) for element, _ in state]}

def body(v):
    """A record's properties."""
    need(type(v) is dict)
    for k, x in v.items():
        need(type(k) is str and 1 <= len(k.encode()) <= 1024 and k[0] not in "_$" and not control(k) and x is not None)
    return {k: shown(x) for k, x in v.items()}
