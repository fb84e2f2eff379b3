"""What the second reader says of a vector, family by family: `expect`, and the other header lines that must agree."""
import hashlib, json, uuid
import bundle_vectors, clock_vectors, epoch_vectors, hint_vectors, member_vectors, merge_vectors, name_vectors, piece_vectors, recovery_vectors, sea_names, sea_reader, sea_seal, sea_sealer, slot_vectors
from sea_removal import Whole
from sea_values import Bad

def judge(family, said, body):
    by_family = {"block": block, "slot": slot, "asset": asset, "request": request, "member": member_vectors.judge, "merge": merge_vectors.judge, "clock": clock_vectors.judge, "hint": hint_vectors.judge, "epoch": epoch_vectors.judge, "name": name_vectors.judge, "recovery": recovery_vectors.judge,
                 "bundle": bundle_vectors.judge, "pieces": piece_vectors.judge}
    data = body if family in ("member", "clock", "epoch", "name", "recovery") else bytes.fromhex("".join(body.split()))
    try:
        return {"expect": "ok"} | by_family.get(family, chain)(said, data)
    except Bad as bad:
        return {"expect": str(bad)}

def numbered(text):
    number, value = text.split()
    return int(number), bytes.fromhex(value)

def block(said, data):
    return chain(said, data, [data])

class Given:
    """The block before the first one, which is earned."""

    def __init__(self, instance, index, lamport, hash):
        self.instance, self.index, self.lamport, self.hash, self.heads, self.previous, self.given = instance, index, lamport, hash, [], None, True

def chain(said, data, blocks=None):
    """One block after another, cut by their own sizes. What refuses none is told; the first of it is `expect`."""
    database, instance = uuid.UUID(said["database"]), uuid.UUID(said["instance"])
    last, key, keys, sealed, trees = None, None, None, said.get("sealed") == "yes", sea_reader.Trees()
    if said.get("keys", "none") != "none":
        proof = sea_names.read_proof(bytes.fromhex(said["proof"]), database)
        keys = sea_seal.Keys(database, map(numbered, said["keys"].split(", ")), proof)
    given = []
    if "after" in said:
        index, lamport, digest = said["after"].split()
        last, key = (int(index), int(lamport), bytes.fromhex(digest)), bytes.fromhex(said["key"])
        given.append(Given(instance, *last))
    made, unsigned = [], []
    try:
        for one in blocks or sea_reader.split(data):
            last, key, payload = sea_reader.block(one, database, instance, last, key, sealed, keys, unsigned)
            made.append(sea_reader.Block(instance, one, last, key, payload))
    except Bad:
        # A block that no good signature covers comes before the block that ended the run.
        if not unsigned:
            raise
    if unsigned:
        raise Bad("bad-signature")
    whole = Whole(None, made, given)
    if whole.unsound:
        raise Bad("bad-removal")
    told = []
    for one in made:
        problem = one.payload.problem or ("bad-lamport" if (instance.bytes, one.hash) in whole.wrong else None)
        if problem and (keys or problem != "no-key"):
            told.append((one.index, problem))
        if not problem:
            trees.add(one.payload.changes)
        if (instance.bytes, one.hash) in whole.orders:
            for *said_, rev in whole.orders[instance.bytes, one.hash].changes:
                trees.add([(*said_, None)], None, rev[1])
    if any(trees.record(id)[1] for id in trees.known):
        raise Bad("bad-depth")
    result = {"hash": last[2].hex(), "head": f"{last[0]} {last[2].hex()}"}
    if told:
        result |= {"expect": told[0][1], "kept": "yes", "told": ", ".join(f"{index} {code}" for index, code in told)}
    return result

def slot(said, data):
    one, result = sea_seal.Slot(data), {"digest": hashlib.sha256(data).hexdigest()}
    if not one.kind:
        raise Bad("passed-over")
    way, *words = said.get("secret", "nothing").split()
    if way == "password":
        epoch, key = one.open_password(sea_seal.normalized(bytes.fromhex(words[0])))
    elif way == "exchange":
        epoch, key = one.open_instance(bytes.fromhex(words[0]))
    elif way == "key":
        if int(words[0]) != one.epoch:
            raise Bad("bad-commitment")
        epoch, key = one.open_previous(bytes.fromhex(words[1]))
    else:
        return result
    return result | {"opens": f"{epoch} {key.hex()}"}

def asset(said, data):
    epoch, key = numbered(said["key"])
    database, instance, index = uuid.UUID(said["database"]), uuid.UUID(said["instance"]), int(said["index"])
    if "size" in said:
        data = sea_sealer.asset(slot_vectors.content(int(said["size"])), instance, index, key, epoch, bytes.fromhex(said["salt"]), database)
        sea_seal.Keys(database, [(epoch, key)]).open_asset(data, instance, index)
        return {"digest": hashlib.sha256(data).hexdigest()}
    try:
        content = sea_seal.Keys(database, [(epoch, key)]).open_asset(data, instance, index)
    except Bad as bad:
        raise Bad(str(bad).replace("no-key", "other-key"))
    return {"content": f"{len(content)} {hashlib.sha256(content).hexdigest()}"}

def request(said, data):
    key, exchange, called = sea_names.join_request(data, uuid.UUID(said["database"]), uuid.UUID(said["instance"]))
    return {"key": key.hex(), "exchange": exchange.hex(), "words": " ".join(sea_names.words(key, exchange)), "called": json.dumps(called)}
