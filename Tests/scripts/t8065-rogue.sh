# limit: 240
# A rogue admin does what it can so that it cannot be revoked; the founder does it all the same, and the others read what comes after.
umask 077
unset SEA_PASSWORD_FILE
export reader="$SEA_TEST_ROOT/Tests/reader"
echo 'the passphrase of the team' >pw

cat >rogue.py <<'EOX'
# An instance that is written by hand: rogue.py FOLDER join|WHAT
import json, os, sys, uuid
sys.path.insert(0, os.environ["reader"])
from chain_vectors import tree
from sea_seal import Slot, unlock
from sea_sealer import KEYS, Sealed, epoch_entry, instance_slot, request
from block_vectors import authorize
from sea_writer import Instance, change, sha, state

folder, what = sys.argv[1:]
with open(f"{folder}/info.json") as file:
    database = uuid.UUID(json.load(file)["databaseID"])
slots = [Slot(open(f"{folder}/keys/{name}", "rb").read()) for name in os.listdir(f"{folder}/keys")]
keys, _ = unlock(slots, database, b"the passphrase of the team")
rogue = Sealed("rogue", database, dict(keys.known.values()))
accomplice = Sealed("accomplice", database, rogue.keys)
home, blocks = f"{folder}/transactions/{rogue.id}/1", []
while os.path.exists(f"{home}/{len(blocks)}"):
    blocks.append(open(f"{home}/{len(blocks)}", "rb").read())
files, new = {}, []
def add(*items, **options):
    new.append(rogue.block(list(items), state((blocks + new)[-1]), **options))
def mine(epoch, key):
    slot = instance_slot(rogue.id, rogue.exchange, key, epoch=epoch, database=database)
    files[f"keys/{sha(slot).hex()}"] = slot
    return epoch_entry(epoch, key, slot, readers=[rogue])
LAST = 2**32 - 1
if what == "join":
    new = [rogue.genesis()]
elif what == "zero":
    new = [rogue.genesis(items=[rogue.entry(exchange=bytes(32))])]
elif what == "zero-request":
    rogue.exchange = bytes(32)
    files[f"requests/{rogue.id}"] = request(rogue)
elif what == "zero-accomplice":
    add(authorize(accomplice, "admin", exchange=bytes(32)))
elif what == "own-epoch":
    add(mine(2, KEYS[5]))
    rogue.keys[2] = KEYS[5]
    add(change("mine", {"n": 1}), epoch=2)
elif what == "last-epoch":
    add(mine(LAST, KEYS[4]))
elif what == "last-epoch-used":
    add(mine(LAST, KEYS[4]))
    rogue.keys[LAST] = KEYS[4]
    add(change("mine", {"n": 1}), epoch=LAST)
    add(authorize(accomplice, "admin"), epoch=LAST)
elif what == "all-epochs":
    for epoch in (2, 3, 1000, LAST - 1, LAST):
        add(mine(epoch, sha(str(epoch).encode())))
elif what == "last-clock":
    add(change("mine", {"n": 1}), lamport=LAST)
elif what.startswith("second-key="):
    founder, exchange = uuid.UUID(what[11:]), bytes.fromhex(os.environ["FOUNDER"])
    slot = instance_slot(founder, exchange, KEYS[5], epoch=1, database=database)
    files[f"keys/{sha(slot).hex()}"] = slot
    add(epoch_entry(1, KEYS[5], slot, readers=sorted([type("", (), {"id": founder}), rogue], key=lambda one: one.id)))
    add(change("mine", {"n": 1}), key=KEYS[5])
elif what == "no-readers":
    slot = instance_slot(rogue.id, bytes([9]) + bytes(31), KEYS[5], epoch=2, database=database)
    files[f"keys/{sha(slot).hex()}"] = slot
    add(epoch_entry(2, KEYS[5], slot, readers=[]))
for path, data in (files | tree(str(rogue.id), new, len(blocks))).items():
    os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data)
print(rogue.id)
EOX
cat >many.py <<'EOX'
# many.py FOLDER first|named|COUNT: an instance, one with a name of two lines, or so many that follow the first
import json, os, sys, uuid
sys.path.insert(0, os.environ["reader"])
from chain_vectors import tree
from sea_writer import Instance
folder, what = sys.argv[1:]
with open(f"{folder}/info.json") as file:
    database = uuid.UUID(json.load(file)["databaseID"])
def write(instance, **options):
    entry = instance.entry(**options)
    for path, data in tree(str(instance.id), [instance.genesis(items=[entry])], 0).items():
        os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
        with open(f"{folder}/{path}", "wb") as file:
            file.write(data)
rogue = Instance("bob\nforged" if what == "named" else "rogue", database)
if what in ("first", "named"):
    write(rogue)
    print(rogue.id)
else:
    for n in range(int(what)):
        one = Instance(f"follower{n}", database)
        write(one, follows=one.follows(rogue))
EOX
cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
words() { sea -C "$1" instances --json | jq -r "select(.instance == \"$2\" or .name == \"$2\").fingerprint"; }
state() { sea -C "$1" instances --json | jq -r "select(.instance == \"$2\").state"; }
# Whatever came, it is a status that the pages name.
ends() { have=0; "$@" >out 2>err || have=$?; [ $have -lt 70 ] || { echo "status $have: $*"; cat err; exit 1; }; }
EOX

for what in zero zero-request zero-accomplice own-epoch last-epoch last-epoch-used all-epochs last-clock no-readers; do
  export what
  t "$what" <<'EOT'
mkdir "$what"
cd "$what"
. ../world.sh
given="--password-file=$PWD/../pw"
python=${PYTHON:-/usr/bin/python3}
sea -c init.encrypt=true init -q --require-auth $given --name=ann ann
sea -C ann put -q '{"_id":"r","n":1}'
sea -C ann add-container -q --create c "$PWD/c"
sea -C ann sync -q
sea clone -q $given --name=bob c bob
sea -C bob sync -q
sea -C ann sync -q
sea -C ann authorize -q --fingerprint="$(words ann bob)" bob
sea -C ann sync -q
sea -C bob sync -q
case $what in
  zero | zero-request)
    rogue=$($python ../rogue.py c "$what")
    ends sea -C ann sync
    ends sea -C bob sync
    # Nobody can be let in whom no key can be wrapped for.
    ends sea -C ann authorize -q --admin --fingerprint="$(words ann "$rogue")" "$rogue"
    ends sea -C ann sync
    [ "$(state ann "$rogue")" != active ]
    ;;
  *)
    rogue=$($python ../rogue.py c join)
    sea -C ann sync -q || :
    sea -C ann authorize -q --admin --fingerprint="$(words ann "$rogue")" "$rogue"
    sea -C ann sync -q
    $python ../rogue.py c "$what" >/dev/null
    ends sea -C ann sync
    ends sea -C bob sync
    status 0 sea -C ann revoke "$rogue"
    ends sea -C ann sync
    ends sea -C bob sync
    [ "$(state ann "$rogue")" = revoked ]
    [ "$(state bob "$rogue")" = revoked ]
    status $NOT_FOUND sea -C bob get mine
    ;;
esac
# Life goes on: both write, and both read it.
sea -C ann put -q '{"_id":"after","n":1}'
ends sea -C ann sync
ends sea -C bob sync
[ "$(sea -C bob get after n)" = 1 ]
sea -C bob put -q '{"_id":"more","n":1}'
ends sea -C bob sync
ends sea -C ann sync
[ "$(sea -C ann get more n)" = 1 ]
ends sea -C ann verify
ends sea verify $given c
EOT
done

t 'a second key for an epoch, given to the founder alone' <<'EOT'
mkdir second
cd second
. ../world.sh
given="--password-file=$PWD/../pw"
python=${PYTHON:-/usr/bin/python3}
sea -c init.encrypt=true init -q --require-auth $given --name=ann ann
sea -C ann add-container -q --create c "$PWD/c"
sea -C ann sync -q
sea clone -q $given --name=bob c bob
sea -C bob sync -q
rogue=$($python ../rogue.py c join)
sea -C ann sync -q
sea -C ann authorize -q --fingerprint="$(words ann bob)" bob
sea -C ann authorize -q --admin --fingerprint="$(words ann "$rogue")" "$rogue"
sea -C ann sync -q
ann=$(sea -C ann rev-parse --instance-id)
FOUNDER=$(sea -C ann cat-block --json "$ann/0" | jq -r 'select(.control == "instance").exchange')
export FOUNDER
$python ../rogue.py c "second-key=$ann" >/dev/null
sea -C ann put -q '{"_id":"after","n":1}'
status 0 sea -C ann sync
status 0 sea -C bob sync
[ "$(sea -C bob get after n)" = 1 ]
[ "$(sea -C bob get mine n)" = 1 ]
status 0 sea -C ann verify
EOT

t 'more successors than a revocation can name: nothing is written that nobody reads' <<'EOT'
mkdir many
cd many
. ../world.sh
python=${PYTHON:-/usr/bin/python3}
sea init -q --require-auth --name=ann ann
sea -C ann add-container -q --create c "$PWD/c"
sea -C ann sync -q
rogue=$($python ../many.py c first)
sea -C ann sync -q
sea -C ann authorize -q --read-only --fingerprint="$(words ann "$rogue")" "$rogue"
sea -C ann sync -q
$python ../many.py c 1001
sea -C ann sync -q
head=$(sea -C ann heads)
status $BAD_DATA sea -C ann revoke --only -n "$rogue"
says err 'omit --only'
status $BAD_DATA sea -C ann revoke --only "$rogue"
[ "$(sea -C ann heads)" = "$head" ]
status 0 sea -C ann revoke "$rogue"
status 0 sea -C ann sync
status 0 sea -C ann verify -q
[ "$(state ann "$rogue")" = revoked ]
EOT

t 'a name does not make a second line' <<'EOT'
mkdir lines
cd lines
. ../world.sh
sea init -q --require-auth --name=ann ann
sea -C ann add-container -q --create c "$PWD/c"
sea -C ann sync -q
${PYTHON:-/usr/bin/python3} ../many.py c named
sea -C ann sync >sync.out
sea -C ann instances --fingerprint --pending >out
[ "$(wc -l <out)" = 2 ]
says out 'x0aforged'
sea -C ann verify >out
fails grep -q '^forged' out sync.out
sea -C ann status >out
fails grep -q '^forged' out
EOT

# The founder revokes V after V/1, which names a long chain of nobody; an older word for V is said at a time between: who is right follows from
# whether that chain is here. V/1 is of a newer program, or damaged, or V's blocks do not count.
cat >named.py <<'EOX'
import os, sys
sys.path.insert(0, os.environ["reader"])
from block_vectors import authorize, revoke
from chain_vectors import info, tree
from sea_writer import Instance, change, enc, named, state

kind = sys.argv[1]
database = named(Instance("F").key, members=True)
F, A, V, X = (Instance(name, database) for name in "FAVX")
f = [F.genesis()]
f.append(F.block([authorize(A, "admin"), authorize(V, "admin")], state(f[0])))
x = [X.genesis()]
for n in range(20): x.append(X.block([change(f"x/{n}", {"n": n})], state(x[-1])))
a = [A.genesis(heads=[(F, f[1])])]
for n in range(6): a.append(A.block([change(f"a/{n}", {"n": n})], state(a[-1])))
a.append(A.block([authorize(V, "admin")], state(a[-1])))
how = {"newer": {"needs": ["later"]}, "bit": {"mode": 0x44}, "payload": {"body": enc([1, [], {"time": 1}, [7]]), "mode": 4}}[kind]
v = [V.genesis()]
v.append(V.block([change("v/1", {"n": 1})], state(v[0]), heads=[(X, x[-1])], **how))
v.append(V.block([change("v/2", {"n": 2})], state(v[1])))
f.append(F.block([revoke(V, state(v[2])[::2])], state(f[1]), heads=[(V, v[2])]))
files = info(database)
for who, blocks in ((F, f), (A, a), (V, v), (X, x)): files |= tree(str(who.id), blocks)
for name, data in files.items():
    os.makedirs(os.path.dirname(f"c1/{name}") or ".", exist_ok=True)
    open(f"c1/{name}", "wb").write(data)
EOX

t 'named blocks are passed on, so that all instances see the same members' <<'EOT'
for kind in newer bit payload; do
  mkdir "$kind"
  cd "$kind"
  ${PYTHON:-/usr/bin/python3} ../named.py $kind
  sea clone -q --name=one c1 one || :
  sea -C one add-container -q --create c2 "$PWD/c2"
  sea -C one sync -q c2 || :
  sea clone -q --name=two c2 two || :
  for one in one two one; do sea -C $one sync -q || :; done
  for one in one two; do sea -C $one instances | grep '^V ' >$one.v; done
  grep -q revoked one.v
  diff one.v two.v
  cd ..
done
EOT
