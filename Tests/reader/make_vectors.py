#!/usr/bin/env python3
"""Makes the vectors of blocks, chains, containers, merges and bundles: an independent writer of sea-format(5),
sea-merge(5) and sea-bundle(5).

usage: make_vectors.py             writes Tests/vectors/{block,chain,container,seal,slot,asset,request,member,merge,unlock,
                                   bundle,pieces}
       make_vectors.py --check     holds the files against this program, the second reader against the files,
                                   and the hex examples of the manual against both
       make_vectors.py --examples  prints the worked examples of the manual
       make_vectors.py --pages     writes them into the pages, each in the place of the literal text that is most like it

A vector is header lines, an empty line, and the bytes in hex. `expect` is ok or the code with which a reader refuses,
`layer` where it does. Everything before that layer is in order, so a reader that refuses for another reason fails the
vector. Tests/vectors/README.md says what a test has to do with each family.
"""
import difflib, glob, json, os, re, subprocess, sys, textwrap, tempfile
import bundle_vectors, clock_vectors, epoch_vectors, examples, hint_vectors, name_vectors, piece_vectors, recovery_vectors, member_vectors, merge_vectors, seal_vectors, secret_vectors, slot_vectors, unlock_vectors
from block_vectors import blocks
from chain_vectors import chains, containers
from judges import judge
from sea_reader import shown
from sea_values import Bad, body as as_json, item
from sea_writer import DATABASE, Instance, state

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "vectors")
FIELD = Instance("field")
MAN = os.path.join(HERE, "..", "..", "man")

def lines(data):
    return "".join(line + "\n" for line in textwrap.wrap(data.hex(), 120))

FAMILIES = ("block", "chain", "container", "seal", "slot", "asset", "request", "member", "merge", "unlock", "bundle", "clock", "hint", "epoch", "name",
            "recovery", "pieces")
WHOLE = ("container", "unlock")
PARTS = ("records", "heads", "problems", "status")

def vectors():
    """Path, header lines, and bytes or text of every vector that is one file."""
    for name, expect, layer, data, after, more in blocks():
        said = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE)]
        said.append(("instance", more.get("instance", FIELD.id)))
        if after:
            said += [("key", FIELD.key.hex()), ("after", f"{after[0]} {after[1]} {after[2].hex()}")]
        kept = expect != "ok" and layer in ("payload", "clock") and (after or layer == "clock")
        said += [("kept", "yes")] if kept else []
        if expect == "ok" or kept:
            said.append(("hash", state(data)[2].hex()))
        yield f"block/{name}.vec", said, data
    for name, expect, layer, chain, *told in chains():
        told = "".join(told)
        said = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE), ("instance", FIELD.id)]
        said += [("kept", "yes"), ("told", told)] if told else []
        if expect == "ok" or told:
            said += [("head", f"{len(chain) - 1} {state(chain[-1])[2].hex()}")]
        yield f"chain/{name}.vec", said, b"".join(chain)
    for family in (seal_vectors, slot_vectors, secret_vectors, member_vectors, merge_vectors, bundle_vectors, clock_vectors, hint_vectors, epoch_vectors, name_vectors,
                   recovery_vectors, piece_vectors):
        yield from family.vectors()

def files():
    """Every vector file by its path below Tests/vectors."""
    result = {}
    for path, said, body in vectors():
        front = "".join(f"{k}: {v}\n" for k, v in said) + "\n"
        assert path not in result, path
        result[path] = (front + (body if isinstance(body, str) else lines(body))).encode()
    for name, members in containers():
        result |= {os.path.join("container", name, "sea", path): data for path, data in members.items()}
    for name, password, members in unlock_vectors.containers():
        result |= {os.path.join("unlock", name, "sea", path): data for path, data in members.items()}
        if password is not None:
            result[f"unlock/{name}/{'recovery' if isinstance(password, str) else 'password'}"] = password if isinstance(password, bytes) else password.encode()
    return result

def read(path):
    with open(path, "rb") as file:
        return file.read()

def reader_says(path):
    """What sea_reader.py prints of a container: the records, the heads, the problems, the status."""
    program = [sys.executable, os.path.join(HERE, "sea_reader.py")]
    if os.path.isfile(os.path.join(path, "..", "password")):
        program += ["--password-file", os.path.join(path, "..", "password")]
    if os.path.isfile(os.path.join(path, "..", "recovery")):
        program += ["--recovery-file", os.path.join(path, "..", "recovery")]
    records = subprocess.run(program + [path], capture_output=True)
    heads = subprocess.run(program + ["--heads", path], capture_output=True)
    return dict(zip(PARTS, (records.stdout, heads.stdout, records.stderr, b"%d\n" % records.returncode)))

def wholes(want):
    """The folders of container vectors."""
    return sorted({"/".join(path.split("/")[:2]) for path in want if path.split("/")[0] in WHOLE})

def there():
    """All files of the families; those of merge that are no .vec have another maker."""
    found = {os.path.relpath(os.path.join(p, f), ROOT) for kind in FAMILIES for p, _, fs in os.walk(os.path.join(ROOT, kind)) for f in fs}
    return {path for path in found if not path.startswith("merge/") or path.endswith(".vec")}

def records():
    """What the maker of records, or sea_values, says otherwise than the vectors of records."""
    with tempfile.TemporaryDirectory() as fresh:
        subprocess.run([sys.executable, os.path.join(ROOT, "record", "make.py"), fresh], check=True)
        for name in sorted({f for folder in (fresh, os.path.join(ROOT, "record")) for f in os.listdir(folder) if f.endswith(".txt")}):
            one, other = (os.path.join(folder, name) for folder in (fresh, os.path.join(ROOT, "record")))
            if not (os.path.exists(one) and os.path.exists(other) and read(one) == read(other)):
                yield f"record/{name}: not what record/make.py makes"
    for path in sorted(glob.glob(os.path.join(ROOT, "record", "*.txt"))):
        front, _, data = read(path).partition(b"\n\n")
        said = dict(line.split(": ", 1) for line in front.decode().split("\n"))
        if said["expect"] == "json":
            continue
        b, got = bytes.fromhex(said.get("cbor") or data.decode()), "encoding"
        try:
            value, end = item(b)
            if end == len(b):
                got = shown(as_json(value))
        except (Bad, UnicodeDecodeError):
            pass
        if got != said.get("json", "encoding"):
            yield f"record/{said['name']}: the reader says {got}"

def pages():
    """The sources of the pages with the examples as they are."""
    for page, parts in examples.PAGES.items():
        source, made = read(os.path.join(MAN, page)).decode(), [examples.mdoc(part()) for part in parts]
        there = re.findall(r"\n\.Bd -literal\n(.*?)(?=\.Ed\n)", source, re.S)
        old, new = [b for b in there if b not in made], [one for one in made if one not in there]
        def likeness(pair):
            said = [re.findall(r"(?m)(?<=  )\S.*$|^[a-zA-Z].*$", text) for text in pair]
            return difflib.SequenceMatcher(None, *said, False).ratio()
        while new:
            best = max(((b, one) for b in old for one in new), key=likeness)
            source = source.replace(*best)
            old.remove(best[0])
            new.remove(best[1])
        yield page, source

def check():
    want, wrong, seen = files(), [], 0
    for path, data in want.items():
        seen += 1
        if not os.path.isfile(os.path.join(ROOT, path)) or read(os.path.join(ROOT, path)) != data:
            wrong.append(f"{path}: not what this program makes")
            continue
        if path.endswith(".vec"):
            front, _, body = data.decode().partition("\n\n")
            said = dict(line.split(": ", 1) for line in front.split("\n"))
            for key, got in judge(path.split("/")[0], said, body).items():
                if got != said.get(key, got):
                    wrong.append(f"{path}: {key} should be {said[key]}, the reader says {got}")
    for name in wholes(want):
        for part, data in reader_says(os.path.join(ROOT, name, "sea")).items():
            if read(os.path.join(ROOT, name, part)) != data:
                wrong.append(f"{name}/{part}: the reader says {data.decode()!r}")
    parts = {f"{name}/{part}" for name in wholes(want) for part in PARTS}
    wrong += [f"{path}: nobody makes it" for path in sorted(there() - set(want) - parts)]
    for page, parts in examples.PAGES.items():
        source = read(os.path.join(MAN, page)).decode()
        wrong += [f"{page}: example {part.__name__} is stale" for part in parts if examples.mdoc(part()) not in source]
    wrong += records()
    print("\n".join(wrong + [f"{seen} vector files, {len(wrong)} wrong"]))
    return 1 if wrong else 0

def write():
    want = files()
    for path in there():
        os.remove(os.path.join(ROOT, path))
    for path, data in want.items():
        os.makedirs(os.path.dirname(os.path.join(ROOT, path)), exist_ok=True)
        with open(os.path.join(ROOT, path), "wb") as file:
            file.write(data)
    for name in wholes(want):
        for part, data in reader_says(os.path.join(ROOT, name, "sea")).items():
            with open(os.path.join(ROOT, name, part), "wb") as file:
                file.write(data)

if __name__ == "__main__":
    if "--examples" in sys.argv:
        print("\n".join(f"{page}, {part.__name__}\n\n{part()}" for page, parts in examples.PAGES.items() for part in parts))
    elif "--pages" in sys.argv:
        for page, source in pages():
            with open(os.path.join(MAN, page), "w", encoding="utf-8") as file:
                file.write(source)
    else:
        sys.exit(check() if "--check" in sys.argv else write())
