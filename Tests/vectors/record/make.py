#!/usr/bin/env python3
"""Writes the vectors of this folder, or writes them into the folder in its argument. It encodes by itself, from sea-record(5) alone, and shares nothing with Sea.

A vector is header lines, an empty line, and the bytes: of a JSON text (`bytes: json`) or of a body in hex (`bytes: cbor`).
`expect` is ok, or the layer that must refuse: json or encoding; then `fault` says why. `cbor` is the body that the bytes
stand for, `json` how it is printed.
"""
import base64, datetime, json, os, re, struct, sys

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = sys.argv[1] if len(sys.argv) > 1 else HERE
ID = "00000000-0000-8000-8000-0000000000aa"


class Decimal:
    def __init__(self, exponent, mantissa): self.exponent, self.mantissa = exponent, mantissa


class Date:
    def __init__(self, ms): self.ms = ms


class Day:
    def __init__(self, text): self.text = text


class Raw:
    """Bytes of CBOR and the JSON they print as."""
    def __init__(self, cbor, text): self.cbor, self.text = cbor, text


def head(major, n):
    for info, size, fmt in ((24, 1, ">B"), (25, 2, ">H"), (26, 4, ">I"), (27, 8, ">Q")):
        if n < 24: return bytes([major << 5 | n])
        if n < 1 << 8 * size: return bytes([major << 5 | info]) + struct.pack(fmt, n)
    raise ValueError(n)


def quoted(v):
    """JSON with escapes for what a terminal or a line reader would take for more than a letter."""
    return re.sub("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(v, ensure_ascii=False))


def integer(n):
    major, m = (0, n) if n >= 0 else (1, -1 - n)
    if m < 1 << 64: return head(major, m)
    data = m.to_bytes((m.bit_length() + 7) // 8, "big")
    return bytes([0xC2 + major]) + head(2, len(data)) + data


def double(d):
    if d == int(d) and -2**64 <= d < 2**64: return integer(int(d))
    return floating(d)


def floating(d):
    for lead, fmt in ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d")):
        try:
            data = struct.pack(fmt, d)
        except OverflowError:
            continue
        if struct.unpack(fmt, data)[0] == d: return bytes([lead]) + data


def pairs(d):
    items = sorted((enc(k), enc(v)) for k, v in d.items())
    return head(5, len(items)) + b"".join(k + v for k, v in items)


def enc(v):
    if v is None: return b"\xf6"
    if v is True or v is False: return b"\xf5" if v else b"\xf4"
    if isinstance(v, Raw): return v.cbor
    if isinstance(v, int): return integer(v)
    if isinstance(v, float): return double(v)
    if isinstance(v, str): return head(3, len(v.encode())) + v.encode()
    if isinstance(v, bytes): return head(2, len(v)) + v
    if isinstance(v, Decimal): return b"\xc4\x82" + integer(v.exponent) + integer(v.mantissa)
    if isinstance(v, Date) and v.ms % 1000 == 0: return b"\xc1" + integer(v.ms // 1000)
    if isinstance(v, Date): return bytes.fromhex("d903e9 a2 01") + integer(v.ms // 1000) + b"\x22" + integer(v.ms % 1000)
    if isinstance(v, Day): return bytes.fromhex("d903ec") + enc(v.text)
    if isinstance(v, list): return head(4, len(v)) + b"".join(map(enc, v))
    inner = pairs(v)
    return head(5, 1) + enc("$dict") + inner if any(k.startswith("$") for k in v) else inner


def ref(i, kind=None):
    body = head(5, 1 + (kind is not None)) + (enc("as") + enc(kind) if kind is not None else b"") + enc("$ref") + enc(i)
    text = '{"as":%s,"$ref":%s}' % (json.dumps(kind), json.dumps(i)) if kind is not None else '{"$ref":%s}' % json.dumps(i)
    return Raw(body, text)


def asset(place, mime, size, digest):
    key = "pieces" if size > 2**24 else "sha256"
    return Raw(
        head(5, 4) + enc("mime") + enc(mime) + enc("size") + enc(size) + enc("$asset") + enc(place) + enc(key) + enc(digest),
        '{"mime":"%s","size":%d,"$asset":"%s","%s":"%s"}' % (mime, size, place, key, digest.hex()))


def counter(entries):
    body = head(5, len(entries)) + b"".join(enc(i) + enc([p, n]) for i, (p, n) in sorted(entries.items()))
    return Raw(head(5, 1) + enc("$counter") + body, '{"$counter":%s}' % out(sum(p - n for p, n in entries.values())))


def labeled(label, v):
    return Raw(head(5, 2) + enc("$label") + enc(label) + enc("$value") + enc(v), '{"$label":%s,"$value":%s}' % (out(label), out(v)))


def elements(items):
    items = sorted(items, key=lambda item: enc(item[0]))
    body = head(4, len(items)) + b"".join(
        head(4, 2) + enc(e) + head(4, len(tags)) + b"".join(sorted(map(enc, tags))) for e, tags in items)
    return Raw(head(5, 1) + enc("$set") + body, '{"$set":[%s]}' % ",".join(out(e) for e, _ in items))


def out(v):
    if isinstance(v, Raw): return v.text
    if v is None or isinstance(v, (bool, str)): return quoted(v)
    if isinstance(v, float) and not (v == int(v) and -2**64 <= v < 2**64): return repr(v)
    if isinstance(v, (int, float)): return str(int(v)) if abs(v) <= 2**53 else '{"$int":"%d"}' % int(v)
    if isinstance(v, Decimal):
        digits, sign = str(abs(v.mantissa)), "-" if v.mantissa < 0 else ""
        if -40 <= v.exponent <= 0:
            digits = digits.rjust(1 - v.exponent, "0")
            cut = len(digits) + v.exponent
            return '{"$decimal":"%s"}' % (sign + digits[:cut] + ("." + digits[cut:] if v.exponent else ""))
        power = v.exponent + len(digits) - 1
        return '{"$decimal":"%s%s%sE%+d"}' % (sign, digits[0], "." + digits[1:] if digits[1:] else "", power)
    if isinstance(v, Date):
        t = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=v.ms)
        text = t.isoformat(timespec="milliseconds" if v.ms % 1000 else "seconds")
        return '{"$date":"%sZ"}' % text
    if isinstance(v, Day): return '{"$day":"%s"}' % v.text
    if isinstance(v, bytes):
        return '{"$data":"%s"}' % base64.b64encode(v).decode()
    if isinstance(v, list): return "[" + ",".join(map(out, v)) + "]"
    text = "{" + ",".join(quoted(k) + ":" + out(v[k]) for k in sorted(v, key=enc)) + "}"
    return '{"$dict":%s}' % text if any(k.startswith("$") for k in v) else text


def write(name, headers, data):
    lines = ["name: " + name] + ["%s: %s" % pair for pair in headers]
    with open(os.path.join(TARGET, name + ".txt"), "wb") as f:
        f.write("\n".join(lines).encode() + b"\n\n" + data)


def good(name, text, value):
    data = text.encode() if isinstance(text, str) else text
    write(name, [("expect", "ok"), ("bytes", "json"), ("json", out(value)), ("cbor", pairs(value).hex())], data)


def state(name, value):
    body = pairs(value).hex()
    write(name, [("expect", "ok"), ("bytes", "cbor"), ("json", out(value)), ("cbor", body)], body.encode() + b"\n")


def bad_json(name, fault, text):
    write(name, [("expect", "json"), ("bytes", "json"), ("fault", fault)], text.encode() if isinstance(text, str) else text)


def bad_cbor(name, fault, data):
    data = bytes.fromhex(data.replace(" ", "")) if isinstance(data, str) else data
    write(name, [("expect", "encoding"), ("bytes", "cbor"), ("fault", fault)], data.hex().encode() + b"\n")


def one(v): return head(5, 1) + enc("a") + (v if isinstance(v, bytes) else bytes.fromhex(v.replace(" ", "")))


if __name__ == "__main__":
    for old in os.listdir(TARGET):
        if old.endswith(".txt"): os.remove(os.path.join(TARGET, old))
    sys.path.insert(0, HERE)
    import cases
    cases.write_all(sys.modules[__name__])
