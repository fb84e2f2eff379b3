"""Writes a sealed container with members in which somebody who was revoked orders, under a key that nobody has, a block of another one.

unread_order.py FOLDER

FOLDER/whole has the block, FOLDER/gone its removed form in its place. Prints the path of the block. The passphrase is `one`.
"""
import os
import sys

from chain_vectors import info, tree
from sea_sealer import Sealed, epoch_entry, password_slot
from sea_writer import KEYS, Instance, change, named, purge, removed, sha, state


def authorize(one):
    return {"control": "authorize", "key": one.key, "role": "write", "exchange": one.exchange, "instance": one.id.bytes}


def revoke(one, last):
    index, digest = state(last)[0], state(last)[2]
    return {"control": "revoke", "index": index, "digest": digest, "keeps": [], "instance": one.id.bytes}


def main():
    database = named(Instance("field").key, members=True, sealed=True)
    field, lab, rogue = [Sealed(name, database) for name in ("field", "lab", "owl")]
    slot = password_slot("one", KEYS[1], database=database)
    one = [field.genesis(epoch_entry(1, KEYS[1], slot))]
    one.append(field.block([authorize(lab), authorize(rogue)], state(one[0])))
    changes = [change(f"m/{number}", {"k": number}) for number in range(3)]
    two = [lab.genesis()]
    for each in changes:
        two.append(lab.block([each], state(two[-1])))
    three = [rogue.genesis()]
    one.append(field.block([revoke(rogue, three[0])], state(one[1]), heads=[(rogue, three[0])]))
    three.append(rogue.block([purge(lab, two[2], [changes[1]])], state(three[0]), epoch=5))
    for kind, chain in (("whole", two), ("gone", two[:2] + [removed(two[2])] + two[3:])):
        files = info(database) | tree(str(field.id), one) | tree(str(lab.id), chain) | tree(str(rogue.id), three)
        files[f"keys/{sha(slot).hex()}"] = slot
        for path, content in files.items():
            path = os.path.join(sys.argv[1], kind, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
    print(f"transactions/{lab.id}/1/2")


main()
