"""An instance that writes so many leaves of the record k, each with a counter of an instance of its own: many_leaves.py CONTAINER COUNT"""
import json, os, sys, uuid
from chain_vectors import tree
from sea_writer import Instance, change, rev, sha, state

folder, count = sys.argv[1:]
with open(f"{folder}/info.json") as file:
    flood = Instance("leaves", uuid.UUID(json.load(file)["databaseID"]))
first = flood.genesis()
leaves = [change("k", {"c": {"$counter": {sha(b"%d" % k)[:16]: [1, 0]}}, "n": k}, type="t") for k in range(int(count))]
leaves.sort(key=lambda leaf: rev(leaf)[1])
for path, data in tree(str(flood.id), [first, flood.block(leaves, state(first))], 0).items():
    os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data)
