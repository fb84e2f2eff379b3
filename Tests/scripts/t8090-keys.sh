# What no key opens that is here is told each time until the key comes, whatever other keys of its number are here; and slots that are none.
umask 077
unset SEA_PASSWORD_FILE
export p=$PWD
echo 'the passphrase' >pw
echo 'another one' >pw2
export reader="$SEA_TEST_ROOT/Tests/reader" SEA_PASSWORD_FILE=$p/pw

cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
join() {
  sea clone -q --name="$1" team "$1"; sea -C "$1" sync -q; sea -C alice sync -q
  who=$1; shift; sea -C alice authorize -q "$@" --fingerprint="$(words "$who")" "$who"
  sea -C alice sync -q; sea -C "$who" sync -q
}
found() {
  sea init -q --encrypt --require-auth --name=alice alice
  sea -C alice add-container -q --create team "$PWD/team"
  sea -C alice sync -q
}
EOX

t 'two epochs of one number need the keys of both' <<'EOT'
. ./world.sh
found
join bob --admin; join carol; join eve
for who in alice bob carol; do sea -C $who sync -q; done
# Neither knows of the other's.
sea -C alice revoke -q eve; sea -C bob revoke -q eve
sea -C alice set -q --create r/a x=1; sea -C bob set -q --create r/b x=1
sea -C alice sync -q; sea -C carol sync -q
ls team/keys >before
sea -C bob sync -q
# A cloud withholds what bob has brought.
mkdir held
for slot in $(ls team/keys | comm -13 before -); do mv team/keys/$slot held/; done
[ "$(ls held | wc -l)" -gt 0 ]
for round in 1 2 3; do
  status $PARTIAL sea -C carol sync
  says err 'warning[no-key]'
  fails grep bad-tag out err
done
status $PARTIAL sea -C carol status --exit-code
status $PARTIAL sea -C carol verify
says out 'no-key: '
[ "$(sea -C carol query --ids)" = r/a ]
# The key that she has is that of the founder, who is senior: it is the one to write under.
status 0 sea -C carol set --create r/c x=1
# Nor is it damage to whoever has but a passphrase, which opens the one of them.
sea -C alice passwd -q --add --new-password-file="$p/pw"
sea -C alice push -q
status $PARTIAL sea verify --keys team
says out 'no-key: '
fails grep 'bad-' out
mv held/* team/keys/
status 0 sea -C carol sync
[ "$(sea -C carol query --ids | tr '\n' ' ')" = 'r/a r/b r/c ' ]
status 0 sea -C carol verify
sea -C bob sync -q
status 0 sea -C bob get r/c
EOT

t 'a key that somebody has made up is not the key that is waited for' <<'EOT'
. ./world.sh
mkdir made; cd made
found
join carol
cp -r team/keys before
sea -C alice passwd -q --rotate
sea -C alice set -q --create r/a x=1
sea -C alice sync -q
mkdir held
for slot in $(ls team/keys); do [ -e before/$slot ] || mv team/keys/$slot held/; done
# Instead of it somebody puts a slot for her, with a key of that number.
cat >plant.py <<'EOP'
import json, os, sys, uuid
sys.path.insert(0, os.environ["reader"])
from sea_sealer import KEYS, instance_slot
from sea_writer import sha
with open("team/info.json") as file:
    database = uuid.UUID(json.load(file)["databaseID"])
slot = instance_slot(uuid.UUID(sys.argv[1]), bytes.fromhex(sys.argv[2]), KEYS[5], epoch=2, database=database)
with open(f"team/keys/{sha(slot).hex()}", "wb") as file:
    file.write(slot)
EOP
carol=$(sea -C carol rev-parse --instance-id)
python3 plant.py "$carol" "$(sea -C carol cat-block --json "$carol/0" | grep -o '"exchange":"[0-9a-f]*"' | cut -d'"' -f4)"
for round in 1 2 3; do
  status $PARTIAL sea -C carol --password-file="$p/pw2" sync
  says err 'no-key'
done
status $PARTIAL sea -C carol status --exit-code
mv held/* team/keys/
status 0 sea -C carol sync
[ "$(sea -C carol get r/a x)" = 1 ]
EOT

t 'slots that are none are told, and keep nobody from anything' <<'EOT'
. ./world.sh
mkdir bad; cd bad
sea init -q --encrypt --name=alice alice
sea -C alice add-container -q --create team "$PWD/team"
sea -C alice set -q --create r/a x=1
sea -C alice sync -q
cat >slots.py <<'EOP'
import json, os, sys, uuid
sys.path.insert(0, os.environ["reader"])
from sea_sealer import KEYS, password_slot
from sea_writer import sha
with open("team/info.json") as file:
    database = uuid.UUID(json.load(file)["databaseID"])
few = password_slot("x", KEYS[5], rounds=49_999, derive=False, database=database)
for slot in (few, few[:-1]):
    with open(f"team/keys/{sha(slot).hex()}", "wb") as file:
        file.write(slot)
EOP
python3 slots.py
status 0 sea verify team
says out 'bad-rounds: '
says out 'bad-slot: '
status 0 sea verify --keys team
status 0 sea clone -q --name=bob team bob
[ "$(sea -C bob get r/a x)" = 1 ]
EOT

t 'a passphrase that is given opens an epoch that is not here, beside keys that are kept' <<'EOT'
. ./world.sh
mkdir given; cd given
sea init -q --encrypt --name=alice alice
sea -C alice add-container -q --create team "$PWD/team"
sea -C alice sync -q
sea clone -q --name=bob team bob
sea -C bob sync -q
cp -r bob late
sea -C alice sync -q
sea -C alice passwd -q --rotate
sea -C alice set -q --create r/a x=1
sea -C alice sync -q
# The slots for instances are withheld: there is the passphrase, and nothing else.
python3 - <<'EOP'
import os
for name in os.listdir("team/keys"):
    with open(f"team/keys/{name}", "rb") as file:
        if b"instance" in file.read():
            os.remove(f"team/keys/{name}")
EOP
unset SEA_PASSWORD_FILE
status $PARTIAL sea -C bob sync
says err 'no-key'
status $PARTIAL sea -C bob --password-file="$p/pw2" sync
says err 'no-key'
status 0 sea -C bob --password-file="$p/pw" sync
[ "$(sea -C bob get r/a x)" = 1 ]
status 0 sea -C bob sync
EOT
