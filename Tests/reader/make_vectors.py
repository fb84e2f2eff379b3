#!/usr/bin/env python3
"""Makes the vectors of blocks, chains, containers, slots and sealed assets: an independent writer of sea-format(5).

usage: make_vectors.py             writes Tests/vectors/{block,chain,container,slot,asset}
       make_vectors.py --check     holds the files against this program, the second reader against the files,
                                   and the hex examples of the manual against both
       make_vectors.py --examples  prints the worked examples of sea-format(5) and sea-record(5)

A vector is header lines, an empty line, and the bytes in hex. `expect` is ok or the code with which a reader refuses,
`layer` where it does: header, hash, chain, signature, payload or revision. Everything before that layer is in order,
so a reader that refuses for another reason fails the vector.
"""
import os, shutil, subprocess, sys, textwrap, uuid
import examples, sea_reader
from block_vectors import blocks
from chain_vectors import chains, containers
from seal_vectors import seals
from sea_writer import DATABASE, Instance, state

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "vectors")
KINDS = "block", "chain", "container", "slot", "asset"
FIELD = Instance("field")
MAN = os.path.join(HERE, "..", "..", "man")

def lines(data):
    return "\n".join(textwrap.wrap(data.hex(), 120)) + "\n"

def files():
    """Every vector file by its path below Tests/vectors."""
    result = {}
    for name, expect, layer, data, after, more in blocks():
        said = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE)]
        said.append(("instance", more.get("instance", FIELD.id)))
        if after:
            said += [("key", FIELD.key.hex()), ("after", f"{after[0]} {after[1]} {after[2].hex()}")]
        if expect == "ok":
            said.append(("hash", state(data)[2].hex()))
        result[f"block/{name}.vec"] = ("".join(f"{k}: {v}\n" for k, v in said) + "\n" + lines(data)).encode()
    for name, expect, layer, chain in chains():
        said = [("name", name), ("expect", expect), ("layer", layer), ("database", DATABASE), ("instance", FIELD.id)]
        if expect == "ok":
            said += [("head", f"{len(chain) - 1} {state(chain[-1])[2].hex()}")]
        result[f"chain/{name}.vec"] = ("".join(f"{k}: {v}\n" for k, v in said) + "\n" + lines(b"".join(chain))).encode()
    for name, members in containers():
        result |= {os.path.join("container", name, "sea", path): data for path, data in members.items()}
    return result | seals()

def read(path):
    with open(path, "rb") as file:
        return file.read()

def reader_says(path):
    """What sea_reader.py prints of a container: the records, the heads, the problems, the status."""
    program = [sys.executable, os.path.join(HERE, "sea_reader.py")]
    records = subprocess.run(program + [path], capture_output=True)
    heads = subprocess.run(program + ["--heads", path], capture_output=True)
    return {"records": records.stdout, "heads": heads.stdout, "problems": records.stderr,
            "status": b"%d\n" % records.returncode}

def verdict(data, said):
    """What the second reader says of a vector of one block or of a chain: ok, or the code, with what it ended at."""
    database, instance = uuid.UUID(said["database"]), uuid.UUID(said["instance"])
    last, key, trees = None, None, sea_reader.Trees()
    if "after" in said:
        index, lamport, digest = said["after"].split()
        last, key = (int(index), int(lamport), bytes.fromhex(digest)), bytes.fromhex(said["key"])
    whole = said["kind"] == "chain"
    try:
        for block in sea_reader.split(data) if whole else [data]:
            last, key, changes = sea_reader.block(block, database, instance, last, key)
            trees.add(changes)
    except sea_reader.Bad as bad:
        return str(bad), last
    return "bad-depth" if any(trees.record(id)[1] for id in trees.known) else "ok", last

def check():
    want, wrong, seen = files(), [], 0
    for path, data in want.items():
        seen += 1
        if not os.path.isfile(os.path.join(ROOT, path)) or read(os.path.join(ROOT, path)) != data:
            wrong.append(f"{path}: not what this program makes")
            continue
        if path.startswith(("block/", "chain/")):
            front, _, hexes = data.decode().partition("\n\n")
            said = dict(line.split(": ", 1) for line in front.split("\n")) | {"kind": path.split("/")[0]}
            got, last = verdict(bytes.fromhex("".join(hexes.split())), said)
            if got != said["expect"]:
                wrong.append(f"{path}: expected {said['expect']}, the reader says {got}")
            elif last and said.get("head", f"{last[0]} {last[2].hex()}").split()[-1] != said.get("hash", last[2].hex()):
                wrong.append(f"{path}: another hash")
    for name in sorted({path.split("/")[1] for path in want if path.startswith("container/")}):
        for part, data in reader_says(os.path.join(ROOT, "container", name, "sea")).items():
            if read(os.path.join(ROOT, "container", name, part)) != data:
                wrong.append(f"container/{name}/{part}: the reader says {data.decode()!r}")
    there = {os.path.relpath(os.path.join(p, f), ROOT) for kind in KINDS
             for p, _, fs in os.walk(os.path.join(ROOT, kind)) for f in fs}
    parts = {f"container/{p.split('/')[1]}/{part}" for p in want for part in ("records", "heads", "problems", "status") if p.startswith("container/")}
    wrong += [f"{path}: nobody makes it" for path in sorted(there - set(want) - parts)]
    for page, parts in examples.PAGES.items():
        source = read(os.path.join(MAN, page)).decode()
        wrong += [f"{page}: example {part.__name__} is stale" for part in parts if examples.mdoc(part()) not in source]
    print("\n".join(wrong + [f"{seen} vector files, {len(wrong)} wrong"]))
    return 1 if wrong else 0

def write():
    for kind in KINDS:
        shutil.rmtree(os.path.join(ROOT, kind), ignore_errors=True)
    want = files()
    for path, data in want.items():
        os.makedirs(os.path.dirname(os.path.join(ROOT, path)), exist_ok=True)
        with open(os.path.join(ROOT, path), "wb") as file:
            file.write(data)
    for name in sorted({path.split("/")[1] for path in want if path.startswith("container/")}):
        for part, data in reader_says(os.path.join(ROOT, "container", name, "sea")).items():
            with open(os.path.join(ROOT, "container", name, part), "wb") as file:
                file.write(data)

if __name__ == "__main__":
    if "--examples" in sys.argv:
        print("\n".join(f"{page}, {part.__name__}\n\n{part()}" for page, parts in examples.PAGES.items() for part in parts))
    else:
        sys.exit(check() if "--check" in sys.argv else write())
