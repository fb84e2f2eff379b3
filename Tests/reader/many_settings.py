"""An instance that shares so many settings in one block: many_settings.py CONTAINER COUNT BEGINNING END VALUE

Names are numbered between BEGINNING and END; with 0 it is one, without a number."""
import json, os, sys, uuid
from chain_vectors import tree
from sea_writer import Instance, state

folder, count, beginning, end, value = sys.argv[1:]
with open(f"{folder}/info.json") as file:
    flood = Instance("flood", uuid.UUID(json.load(file)["databaseID"]))
first = flood.genesis()
names = [beginning + end] if count == "0" else [f"{beginning}{100000 + k}{end}" for k in range(int(count))]
entries = [{"control": "shared", "key": name, "value": value} for name in names]
for path, data in tree(str(flood.id), [first, flood.block(entries, state(first))], 0).items():
    os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data)
