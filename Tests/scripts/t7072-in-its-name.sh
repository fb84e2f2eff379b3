# What somebody else puts into a container in the name of an instance, or beside its files, takes nothing from anybody: neither the
# copy of a machine, which has its key, nor a stranger who may write the folder.
cat >crafted.py <<'P'
import json, os, sys, uuid
sys.path.insert(0, os.environ["SEA_TEST_ROOT"] + "/Tests/reader")
from sea_writer import *
from chain_vectors import tree

database = uuid.UUID(json.load(open("k/info.json"))["databaseID"])

def own(path):
    """The instance whose key a database has: what a copy of the machine can sign."""
    keys = json.load(open(path + "/.sea/keys/instance"))
    one = Instance("copy", database)
    one.signer = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(keys["ed25519"]))
    one.key = raw(one.signer)
    one.exchange = raw(X25519PrivateKey.from_private_bytes(bytes.fromhex(keys["x25519"])))
    one.id = instance_id(one.key)
    return one

def blocks(of): return [open(f"k/transactions/{of}/1/{n}", "rb").read() for n in range(len(os.listdir(f"k/transactions/{of}/1")))]

def write(files):
    for name, data in files.items():
        os.makedirs(os.path.dirname("k/" + name), exist_ok=True)
        open("k/" + name, "wb").write(data)

def flipped(block): return block[:100] + bytes([block[100] ^ 1]) + block[101:]
P
export PYTHONPATH=$PWD
cat >world <<'EOX'
begin() {
  rm -rf k ada bob new
  sea init -q --name=ada ada
  sea -C ada add-container -q --create k "$PWD/k"
  sea -C ada set -q --create n/1 a=1
  sea -C ada sync -q
  sea clone -q --name=bob k bob
  sea -C bob sync -q
  sea -C ada sync -q
}
EOX

t 'an author goes on behind no block whose clock is wrong' <<'EOT'
. ./world
for lamport in 4294967295 50; do
  begin
  /usr/bin/python3 - $lamport <<'P'
from crafted import *
ada = own("ada")
there = blocks(ada.id)
write(tree(str(ada.id), [ada.block([change("evil", {"n": 1})], state(there[-1]), lamport=int(sys.argv[1]))], len(there)))
P
  status 0 sea -C ada sync
  says err 'warning[renewed]'
  sea -C ada set -q n/1 a=2
  [ "$(sea -C ada get n/1 a)" = 2 ]
  sea -C ada sync -q
  sea -C bob sync -q
  [ "$(sea -C bob get n/1 a)" = 2 ]
done
EOT

t 'nor behind one whose clock may turn out to be wrong: nothing is taken back later' <<'EOT'
. ./world
begin
/usr/bin/python3 - <<'P'
from crafted import *
ada, stranger = own("ada"), Instance("stranger", database)
there, first = blocks(ada.id), stranger.genesis()
write(tree(str(ada.id), [ada.block([change("evil", {"n": 1})], state(there[-1]), heads=[(stranger, first)], lamport=50)], len(there)))
os.mkdir("late")
open("late/0", "wb").write(first)
open("stranger", "w").write(str(stranger.id))
P
status $PARTIAL sea -C ada sync
says err 'warning[renewed]'
for n in 2 3 4; do sea -C ada set -q n/1 a=$n; done
sea -C ada sync -q || [ $? = 8 ]
sea -C bob sync -q || [ $? = 8 ]
[ "$(sea -C bob get n/1 a)" = 4 ]
mkdir -p "k/transactions/$(cat stranger)/1"
mv late/0 "k/transactions/$(cat stranger)/1/0"
sea -C ada sync -q
sea -C bob sync -q
[ "$(sea -C ada get n/1 a)$(sea -C bob get n/1 a)" = 44 ]
EOT

cat >beside.py <<'P'
from crafted import *
author = Instance("author", database)
chain = [author.genesis()]
for n in range(1, 20): chain.append(author.block([change(f"r/{n}", {"n": n})], state(chain[-1])))
write(tree(str(author.id), chain))
at = 0 if sys.argv[1] == "flipped-first" else 5
other = removed(chain[at]) if sys.argv[1] == "removed" else flipped(chain[at])
write({f"transactions/{author.id}/1.blocks": b"".join(chain[:at] + [other] + chain[at + 1:])})
open("author", "w").write(str(author.id))
P

t 'a folded file that is wrong hides no block in a file of its own' <<'EOT'
. ./world
for way in flipped flipped-first; do
  begin
  /usr/bin/python3 beside.py $way
  # It is damage, and nothing is lost by it.
  status $CORRUPT sea -C ada sync
  [ "$(sea -C ada query --count)" = 20 ]
  status $CORRUPT sea clone k new
  [ "$(sea -C new query --count)" = 20 ]
done
EOT

t 'it is the wrong one of both files that is set aside' <<'EOT'
. ./world
for way in flipped flipped-first removed; do
  begin
  /usr/bin/python3 beside.py $way
  cp -a "k/transactions/$(cat author)/1" right
  for n in 1 2 3 4 5; do sea -C ada -c sync.patience=0 sync 2>err || :; done
  [ "$(sea -C ada query --count)" = 20 ]
  diff -r right "k/transactions/$(cat author)/1"
  [ ! -e "k/transactions/$(cat author)/1.blocks" ]
  ls "k/transactions/$(cat author)" | grep '^1.blocks.damaged-'
  status 0 sea -C ada sync
  status 0 sea verify -q k
  status 0 sea clone -q k new
  [ "$(sea -C new query --count)" = 20 ]
  rm -r right
done
EOT
