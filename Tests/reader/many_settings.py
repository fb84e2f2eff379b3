"""An instance that shares so many settings in one block: many_settings.py CONTAINER COUNT BEGINNING END VALUE"""
import json, os, sys, uuid
from chain_vectors import tree
from sea_writer import Instance, state

folder, count, beginning, end, value = sys.argv[1:]
with open(f"{folder}/info.json") as file:
    flood = Instance("flood", uuid.UUID(json.load(file)["databaseID"]))
first = flood.genesis()
entries = [{"control": "shared", "key": f"{beginning}{100000 + k}{end}", "value": value} for k in range(int(count))]
for path, data in tree(str(flood.id), [first, flood.block(entries, state(first))], 0).items():
    os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data)
