"""The vectors of whole containers that are sealed, or have members, or both."""
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
import name_vectors
from block_vectors import BIRD, ONE, authorize, revoke
from chain_vectors import EDIT, RIVAL, info, tree
from sea_names import instance_id, recovery_exchange, recovery_words
from sea_sealer import DATABASE, KEYS, Sealed, epoch_entry, instance_slot, password_slot, previous_slot, request
from sea_writer import OTHER, Instance, change, enc, named, purge, raw, removed, sha, state

FIELD, LAB = Sealed("field"), Sealed("lab")

def keys(*slots):
    return {f"keys/{sha(slot).hex()}": slot for slot in slots}

def begun(number, *slots, **more):
    return epoch_entry(number, KEYS[number], *slots, **more)

def grow(instance, first, *transactions):
    """A chain; a number among the items is the epoch of their block."""
    result = [instance.genesis(*first)]
    for items in transactions:
        options = {"epoch": n for n in items if isinstance(n, int)}
        result.append(instance.block([i for i in items if not isinstance(i, int)], state(result[-1]), **options))
    return result

def site(n, **more):
    return change(f"site/{n}", {"n": n} | more, type="site")

def sealed():
    one = password_slot("one", KEYS[1])
    field = grow(FIELD, [begun(1, one)], [ONE], [EDIT, BIRD])
    lab = grow(LAB, [], [RIVAL], [site(1)])
    both = tree(str(FIELD.id), field) | tree(str(LAB.id), lab)
    base = info(DATABASE) | keys(one) | both
    yield "password", b"one\n", base
    yield "password-without-line-feed", b"one", base
    yield "password-wrong", b"two\n", base
    yield "password-not-utf8", b"\xff\n", base
    yield "password-empty", b"\n", base
    yield "no-password", None, base
    yield "no-slots", b"one\n", info(DATABASE) | both
    yield "no-proof", b"one\n", {"info.json": name_vectors.info(DATABASE, sealed=None).encode()} | keys(one) | both
    yield "slot-not-declared", b"two\n", base | keys(password_slot("two", KEYS[1]))
    foreign = keys(password_slot("other", KEYS[1], database=OTHER), b"no slot")
    foreign |= {"keys/" + "0" * 64: one, "keys/readme.txt": b"x", "keys/.sea-tmp-" + "0" * 32: b"x"}
    yield "slot-of-another-kind", b"one\n", base | keys(enc([enc({"slot": "later", "what": [1]}), None]))
    yield "foreign-slots", b"one\n", base | foreign

    two, three = password_slot("two", KEYS[2], epoch=2), password_slot("three", KEYS[3], epoch=3)
    back = [previous_slot(KEYS[1], KEYS[2]), previous_slot(KEYS[2], KEYS[3], epoch=3, previous=2)]
    member = instance_slot(LAB.id, LAB.exchange, KEYS[3], epoch=3)
    rotated = grow(FIELD, [begun(1, one)], [ONE], [begun(2, two, back[0], ended=[one]), 2], [EDIT, 2],
                   [begun(3, three, back[1], member, ended=[two]), 3], [BIRD, 3])
    newcomer = [LAB.genesis(epoch=3)]
    newcomer.append(LAB.block([site(1)], state(newcomer[0]), epoch=3))
    base = info(DATABASE) | keys(one, two, three, *back, member) | tree(str(FIELD.id), rotated) | tree(str(LAB.id), newcomer)
    yield "rotated", b"three\n", base
    yield "rotated-ended-password", b"one\n", base
    yield "rotated-ended-password-of-2", b"two\n", base
    gone = {path: data for path, data in base.items() if path != f"keys/{sha(back[0]).hex()}"}
    yield "rotated-epoch-1-missing", b"three\n", gone
    stray = previous_slot(KEYS[4], KEYS[3], epoch=3, previous=4)
    under = [*newcomer, LAB.block([site(2), {"control": "shared", "key": "merge.auto", "value": "off"}], state(newcomer[-1]), epoch=4)]
    yield "slot-not-valid-leads-on", b"three\n", base | keys(stray) | tree(str(LAB.id), under)
    # Its key counts, whatever became of the slot that gives it.
    again = password_slot("one", KEYS[2], epoch=2)
    ended = grow(FIELD, [begun(1, one)], [ONE], [begun(2, again)], [EDIT, 2], [begun(1, three, ended=[again]), BIRD, 2])
    yield "slot-ended-key-counts", b"one\n", info(DATABASE) | keys(one, again, three) | tree(str(FIELD.id), ended)
    stranger = [Instance("stranger").genesis(ONE)]
    yield "plain-chain-inside", b"three\n", base | tree(str(Instance("stranger").id), stranger)

def members():
    open_database, database = (named(Instance("field").key, members=True, sealed=sealed) for sealed in (False, True))
    who = {name: Sealed(name, database) for name in ("field", "lab", "hut", "stranger")}
    one, theirs = (password_slot(word, KEYS[1], database=database) for word in ("one", "theirs"))
    def chains(kind, database):
        field, lab, hut, stranger = (kind(name, database) for name in who)
        a = grow(field, [begun(1, one)], [authorize(lab, "write")], [authorize(hut, "admin"), ONE])
        b = grow(lab, [], [EDIT], [begun(1, theirs)], [site(2)])
        c = grow(hut, [], [site(3)], [site(4)])
        a.append(field.block([revoke(hut, (1, state(c[1])[2]))], state(a[-1]), heads=[(hut, c[1])]))
        d = grow(stranger, [], [RIVAL])
        made = {}
        for instance, blocks in ((field, a), (lab, b), (hut, c), (stranger, d)):
            made |= tree(str(instance.id), blocks)
        return made | {f"requests/{stranger.id}": request(stranger), f"heads/{field.id}": b"not believed"}
    yield "members-plain", None, info(open_database) | chains(Instance, open_database)
    yield from orders(open_database)
    base = info(database) | keys(one, theirs) | chains(Sealed, database)
    yield "members", b"one\n", base
    yield "members-slot-of-a-writer", b"theirs\n", base
    yield "members-epoch-of-the-revoked", b"one\n", revoked(database, one, who)
    yield "members-epoch-of-the-revoked-wrapped", b"one\n", revoked(database, one, who, wrapped=True)

def revoked(database, one, who, wrapped=False):
    """An admin that began an epoch is revoked as if it had never been one: what others have sealed since is hidden, until somebody
    who may wraps that key."""
    field, lab, hut = (Sealed(who[name].name, database) for name in ("field", "lab", "hut"))
    two = password_slot("one", KEYS[2], epoch=2, database=database)
    a = grow(field, [begun(1, one)], [authorize(lab, "write"), authorize(hut, "admin"), ONE])
    c = [hut.genesis(heads=[(field, a[1])])]
    c.append(hut.block([begun(2, two, readers=[field])], state(c[-1]), heads=[]))
    b = grow(lab, [], [EDIT], [BIRD, 2], [site(2)])
    a.append(field.block([revoke(hut, (None, None))], state(a[-1]), heads=[(hut, c[1])]))
    made = keys(one, two)
    if wrapped:
        back = previous_slot(KEYS[2], KEYS[1], epoch=1, previous=2, database=database)
        a.append(field.block([begun(1, back)], state(a[-1])))
        made |= keys(back)
    for instance, blocks in ((field, a), (lab, b), (hut, c)):
        made |= tree(str(instance.id), blocks)
    return info(database) | made

class Recovery:
    """What the words of recovery give."""

    def __init__(self, seed):
        self.words = "\n".join(" ".join(recovery_words(seed)[n:n + 4]) for n in range(0, 24, 4)) + "\n"
        self.key = raw(Ed25519PrivateKey.from_private_bytes(seed))
        self.exchange, self.id = raw(X25519PrivateKey.from_private_bytes(recovery_exchange(seed))), instance_id(self.key)

def recovered():
    one, other = Recovery(sha(b"sea vector recovery")), Recovery(sha(b"sea vector other recovery"))
    database = named(Instance("field").key, sealed=True, members=True, recovery=one.key)
    field = Sealed("field", database)
    def slot(epoch, who=one):
        return instance_slot(who.id, who.exchange, KEYS[epoch], epoch=epoch, database=database)
    def made(first, *rest, listed=True, readers=(one,), kept=()):
        entries = [begun(1, *([first] if listed else []), password, readers=readers if listed else []), authorize(one, "admin")]
        return info(database) | keys(first, password, *kept) | tree(str(field.id), grow(field, entries, [ONE], *rest))
    password = password_slot("one", KEYS[1], database=database)
    yield "recovery", one.words, made(slot(1))
    yield "recovery-of-another", other.words, made(slot(1))
    yield "recovery-not-declared", one.words, made(slot(1), listed=False)
    yield "recovery-no-slot", one.words, info(database) | keys(password) | tree(str(field.id), grow(field, [begun(1, password), authorize(one, "admin")], [ONE]))
    back, second = previous_slot(KEYS[1], KEYS[2], database=database), password_slot("one", KEYS[2], epoch=2, database=database)
    later = begun(2, slot(2), back, second, readers=[one])
    yield "recovery-rotated", one.words, made(slot(1), [later], [EDIT, 2], kept=(slot(2), back, second))
    without = begun(2, back, second)
    yield "recovery-left-out", b"one\n", made(slot(1), [without], [EDIT, 2], kept=(back, second))

def orders(database):
    """Who may order what: field is the founder, hut an admin, lab a writer."""
    field, lab, hut = (Instance(name, database) for name in ("field", "lab", "hut"))
    def made(by, whose, revoked=False):
        a = grow(field, [authorize(lab, "write"), authorize(hut, "admin")], [ONE])
        b, c = grow(lab, [], [EDIT], [site(2)]), grow(hut, [], [site(3)], [site(4)])
        chains = {field: a, lab: b, hut: c}
        whole = {who: list(blocks) for who, blocks in chains.items()}
        items = {field: [ONE], lab: [EDIT], hut: [site(3)]}[whose]
        chains[by].append(by.block([purge(whose, chains[whose][1], items)], state(chains[by][-1]), heads=[(whose, chains[whose][1])] if by != whose else ()))
        if revoked:
            a.append(field.block([revoke(by, (2, state(whole[by][2])[2]))], state(a[-1]), heads=[(by, chains[by][-1])]))
        chains[whose][1] = removed(chains[whose][1])
        return info(database) | {path: data for who, blocks in chains.items() for path, data in tree(str(who.id), blocks).items()}
    def goes_on(by, whose, keeps=None, revokes=True):
        """barn goes on for lab, a writer; perhaps lab is revoked by then, with or without barn."""
        barn, jay = (Instance(name, database) for name in ("barn", "jay"))
        who = {"lab": lab, "barn": barn, "jay": jay}
        a, b = grow(field, [authorize(lab, "write")], [ONE]), grow(lab, [], [EDIT], [site(2)])
        chains = {field: a, lab: b, **{one: [one.genesis(items=[one.entry(follows=one.follows(lab))])] for one in (barn, jay)}}
        chains[barn] += [barn.block([site(3)], state(chains[barn][-1]))]
        if revokes:
            a.append(field.block([revoke(lab, (2, state(b[2])[2]), keeps=sorted(who[one].id.bytes for one in keeps or ()))], state(a[-1]), heads=[(lab, b[2])]))
        by, whose = who[by], who[whose]
        items = [EDIT] if whose is lab else [site(3)]
        chains[by].append(by.block([purge(whose, chains[whose][1], items)], state(chains[by][-1]), heads=[(whose, chains[whose][1])]))
        chains[whose][1] = removed(chains[whose][1])
        return info(database) | {path: data for one, blocks in chains.items() for path, data in tree(str(one.id), blocks).items()}
    yield "purged-by-a-successor", None, goes_on("barn", "lab", revokes=False)
    yield "purged-by-a-successor-that-is-kept", None, goes_on("barn", "lab", keeps=["barn"])
    yield "purged-by-a-successor-that-is-not-kept", None, goes_on("jay", "lab", keeps=["barn"])
    yield "purged-by-a-sibling", None, goes_on("jay", "barn", revokes=False)
    yield "purged-by-a-predecessor", None, goes_on("lab", "barn", revokes=False)
    yield "purged-by-the-founder", None, made(field, lab)
    yield "purged-by-an-admin", None, made(hut, lab)
    yield "purged-by-itself", None, made(lab, lab)
    yield "purged-by-a-writer", None, made(lab, hut)
    yield "purged-upward", None, made(hut, field)
    yield "purged-by-an-admin-that-was-revoked", None, made(hut, lab, revoked=True)

def containers():
    """name, password file (bytes), words of recovery (text) or None, files."""
    yield from sealed()
    yield from members()
    yield from recovered()
