"""The vectors of info.json: what it says of a database, whether that proves the databaseID, and what is no info.json."""
import json
from sea_names import read_info
from sea_writer import DATABASE, FIRST, PROOFS, Instance, named, uuid8

FIELD, LAB = Instance("field"), Instance("lab")

def info(database, **other):
    """The object as it has to be; what is given replaces a part, None takes it out."""
    proof = PROOFS.get(database, b"")
    sealed, recovery = bool(proof and proof[32] & 1), bool(proof and proof[32] & 4)
    said = {"sea": 4, "containerID": "c0ffee00-0000-4000-8000-000000000001", "databaseID": str(database), "contentType": "org.example.notes",
            "founder": proof[:32].hex() or None, "sealed": proof[65:97].hex() if sealed else None, "members": True if proof and proof[32] & 2 else None,
            "recovery": proof[-32:].hex() if recovery or len(proof) == 97 and not sealed else None} | other
    return json.dumps({k: v for k, v in said.items() if v is not None}, separators=(",", ":")) + "\n"

def cases():
    """name, expect, text."""
    p = 2**255 - 19
    low = (1).to_bytes(32, "little")
    recovery = named(FIELD.key, members=True, recovery=LAB.key)
    for name, database in (("version-4", DATABASE), ("plain", named(FIELD.key)), ("sealed", named(FIELD.key, sealed=True)), ("members", named(FIELD.key, members=True)),
                           ("sealed-members", named(FIELD.key, sealed=True, members=True)), ("recovery", recovery),
                           ("sealed-recovery", named(FIELD.key, sealed=True, members=True, recovery=LAB.key))):
        yield name, "ok", info(database)
    sealed = named(FIELD.key, sealed=True)
    yield "other-keys", "ok", info(sealed, more=[1])
    yield "version-4-of-another-content-type", "ok", info(DATABASE, contentType="org.example.birds")
    yield "other-order", "ok", json.dumps(dict(reversed(json.loads(info(recovery)).items()))) + "\n"
    for name, text in {
        "founder-missing": info(sealed, founder=None), "founder-of-another": info(sealed, founder=LAB.key.hex()), "founder-upper": info(sealed, founder=FIELD.key.hex().upper()),
        "founder-short": info(sealed, founder=FIELD.key.hex()[:-2]), "founder-null": info(sealed).replace('"founder":"' + FIELD.key.hex() + '"', '"founder":null'),
        "sealed-missing": info(sealed, sealed=None), "sealed-false": info(named(FIELD.key), sealed=False), "sealed-added": info(named(FIELD.key), sealed=FIRST.hex()), "sealed-true": info(sealed, sealed=True),
        "sealed-short": info(sealed, sealed=FIRST.hex()[:-2]), "sealed-by-another-key": info(sealed, sealed=LAB.key.hex()), "sealed-upper": info(sealed, sealed=FIRST.hex().upper()), "members-missing": info(named(FIELD.key, members=True), members=None), "members-added": info(sealed, members=True),
        "members-false": info(sealed, members=False), "recovery-missing": info(recovery, recovery=None), "recovery-added": info(named(FIELD.key, members=True), recovery=LAB.key.hex()),
        "recovery-of-another": info(recovery, recovery=Instance("owl").key.hex()), "recovery-of-the-founder": info(named(FIELD.key, members=True, recovery=FIELD.key)),
        "recovery-without-members": info(named(FIELD.key, recovery=LAB.key)), "recovery-of-low-order": info(named(FIELD.key, members=True, recovery=low)),
        "founder-of-low-order": info(named(low)), "founder-not-canonical": info(named((p + 9).to_bytes(32, "little"))),
        "version-4-and-founder": info(DATABASE, founder=FIELD.key.hex()), "version-4-and-sealed": info(DATABASE, sealed=FIRST.hex()), "version-4-and-members": info(DATABASE, members=True),
        "version-4-of-another-variant": info("3e0d9a52-0c1b-4f6a-4a77-2f5d1c9b6e40"), "version-8-without-anything": info(DATABASE, databaseID=str(sealed)),
        "version-8-as-it-was": info(DATABASE, databaseID=str(uuid8(b"sea database v1", FIELD.key)), founder=FIELD.key.hex()),
        "version-1": info("3e0d9a52-0c1b-1f6a-8a77-2f5d1c9b6e40"), "version-7": info("3e0d9a52-0c1b-7f6a-8a77-2f5d1c9b6e40"), "database-upper": info(DATABASE, databaseID=str(DATABASE).upper()),
        "content-type-of-another": info(sealed, contentType="org.example.birds"),
    }.items():
        yield name, "no-proof", text
    def nested(levels):
        return info(DATABASE).replace('"sea"', '"later":' + "[" * (levels - 1) + "]" * (levels - 1) + ',"sea"')
    yield "32-levels", "ok", nested(32)
    yield "65536-bytes", "ok", info(DATABASE).rstrip("\n").ljust(65_536)
    yield "number-of-another-format", "incompatible", info(DATABASE, sea=5)
    yield "number-of-another-format-alone", "incompatible", '{"sea":3}'
    for name, text in {
        "database-missing": info(DATABASE, databaseID=None), "database-number": info(DATABASE, databaseID=7), "container-missing": info(DATABASE, containerID=None),
        "container-upper": info(DATABASE, containerID="C0FFEE00-0000-4000-8000-000000000001"), "content-type-missing": info(DATABASE, contentType=None),
        "content-type-number": info(DATABASE, contentType=1), "sea-missing": info(DATABASE, sea=None), "sea-text": info(DATABASE, sea="4"), "sea-with-fraction": info(DATABASE).replace(":4,", ":4.0,", 1),
        "sea-with-exponent": info(DATABASE).replace(":4,", ":4e0,", 1), "byte-order-mark": "\ufeff" + info(DATABASE), "key-twice": info(DATABASE).replace("{", '{"sea":4,', 1),
        "other-key-twice": info(DATABASE).replace("{", '{"a":1,"a":1,', 1), "key-twice-inside": info(DATABASE).replace("{", '{"a":{"b":1,"b":1},', 1), "array": "[" + info(DATABASE).rstrip() + "]",
        "two-objects": info(DATABASE) + info(DATABASE), "cut": info(DATABASE)[:-3], "empty": "", "33-levels": nested(33), "65537-bytes": info(DATABASE).rstrip("\n").ljust(65_537),
    }.items():
        yield name, "bad-info", text

def vectors():
    """Path, header lines, text."""
    for name, expect, text in cases():
        yield f"name/{name}.vec", [("name", name), ("expect", expect)] + (sorted(judge(None, text).items()) if expect == "ok" else []), text

def judge(said, body):
    database, proof = read_info(body)
    return {"database": str(database), "proof": proof.bytes.hex() if proof else "none"}
