#!/usr/bin/env python3
"""A valid bundle of two instances, made by the independent writer of sea-bundle(5). The same options give the same bytes.

usage: make_base.py OUT.tar[.gz|.xz|.zst] [--seed N] [--instances N] [--blocks N]

Each instance has N blocks of one change, the third with an asset. --blocks 1 gives what a store begins with into which
the others are imported. Another seed is another database.
"""
import argparse, gzip, hashlib, lzma, os, random, subprocess, sys, uuid
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reader"))
from bundle_vectors import head_of, tar
from sea_bundle import place
from sea_writer import DATABASE, Instance, change, sha, state

def database(seed):
    return DATABASE if seed == 1 else uuid.UUID(bytes=sha(b"sea hostile database", b"%d" % seed)[:16], version=4)

class Story:
    """Instances that write in turn."""
    def __init__(self, seed=1, instances=2, blocks=12):
        self.database, draw = database(seed), random.Random(seed)
        self.instances = [Instance(name, self.database) for name in ("field", "lab", "attic")[:instances]]
        self.chains = {one.id: [one.genesis(lamport=1)] for n, one in enumerate(self.instances)}
        self.files = {}
        for index in range(1, blocks):
            for one in self.instances:
                body = {"text": "x" * draw.randrange(400)}
                if index == 2:
                    content = draw.randbytes(1500)
                    self.files[f"assets/{one.id}/1/3"] = content
                    body["photo"] = {"$asset": f"{one.id}/3", "mime": "application/octet-stream", "size": len(content), "sha256": sha(content)}
                self.chains[one.id].append(one.block([change(f"{one.name}-{index}", body)], state(self.chains[one.id][-1]), lamport=index + 1))
        for ident, chain in self.chains.items():
            self.files |= {f"transactions/{ident}/1/{k}": block for k, block in enumerate(chain)}
        self.files = dict(sorted(self.files.items(), key=lambda one: place(one[0])))

    def tar(self, files=None, **options):
        heads = [head_of(one, self.chains[one.id][-1]) for one in sorted(self.instances, key=lambda one: one.id.bytes)]
        return tar(self.files if files is None else files, databaseID=str(self.database), heads=heads, **options)

def compress(raw, ext):
    if ext == "tar":
        return raw
    if ext == "tar.gz":
        return gzip.compress(raw, 9, mtime=0)
    if ext == "tar.xz":
        return lzma.compress(raw)
    return subprocess.run(["zstd", "-q", "-c", "-3"], input=raw, stdout=subprocess.PIPE, check=True).stdout

if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("out")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--instances", type=int, default=2)
    options.add_argument("--blocks", type=int, default=12)
    said = options.parse_args()
    ending = said.out[said.out.rindex(".tar") + 1:]
    with open(said.out, "wb") as file:
        file.write(compress(Story(said.seed, said.instances, said.blocks).tar(), ending))
