"""A container in which somebody has written two revisions of one record, each as large as a block may be, and mostly in few KB.

usage: large_record.py zeros|text|names CONTAINER [conflict [LEAVES]]: with that so many more, two or LEAVES, that follow the
first and disagree"""
import os, sys, uuid
from chain_vectors import info, tree
from sea_frames import deflate
from sea_writer import Instance, Raw, change, enc, head, rev, state

kind, folder = sys.argv[1:3]
leaves = int((sys.argv[4:] or [2])[0]) if sys.argv[3:4] == ["conflict"] else 1
MOST = 33_500_000

def body(step):
    if kind == "zeros":
        return Raw(b"\xa1" + enc("n") + head(4, MOST - step) + bytes(MOST - step))
    if kind == "text":
        return Raw(b"\xa1" + enc("n") + head(3, MOST - step) + b"x" * (MOST - step))
    return Raw(head(5, MOST // 12) + b"".join(b"\x6a%010x" % k + bytes([step]) for k in range(MOST // 12)))

database = uuid.UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")
who = Instance("large", database)
one = change("k", body(0))
chain = [who.genesis()]
items = [one] + [change("k", body(k + 1), rev(one)) for k in range(leaves)]
for item in items:
    chain.append(who.block([item], state(chain[-1]), compressed=deflate))
for path, data in (dict(info(database)) | tree(str(who.id), chain, 0)).items():
    os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data)
