# limit: 120
# Somebody who can write a folder takes the content out of a block, with the digest of it left in its place, so that nobody would miss it.
umask 077
unset SEA_PASSWORD_FILE
echo 'the passphrase of the team' >pw
export remove="/usr/bin/python3 $SEA_TEST_ROOT/Tests/reader/sea_header.py remove"
cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
mkdir -p "$kind"
cd "$kind"
p=$PWD
case $kind in
  plain) encrypt=false given= ;;
  sealed) encrypt=true given=--password-file=$p/../pw ;;
esac
state() { sea -C "$1" instances --json | sed -n '/"name":"'"$2"'"/s/.*"state":"\([^"]*\)".*/\1/p'; }
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
EOX

for kind in plain sealed; do
  export kind

  t "$kind: an unauthorized removal is reported and hides nothing" <<'EOT'
. ./world.sh
sea -c init.encrypt=$encrypt init -q --require-auth $given --name=alice alice
sea -C alice add-container -q --create team "$p/team"
sea -C alice push -q
for one in bob carol; do
  sea clone -q $given --name=$one team $one
  sea -C $one push -q
  sea -C alice sync -q
  sea -C alice authorize -q --fingerprint="$(words $one)" $one
done
sea -C alice sync -q
sea -C carol sync -q
alice=team/transactions/$(sea -C alice rev-parse --instance-id)
last() { ls $alice/1 | sort -n | tail -1; }
sea -C alice set -q --create n/1 text=taken
sea -C alice push -q
taken=$(last)
sea -C alice revoke -q --keep-all bob 2>revoke.err || sea -C alice revoke -q bob
sea -C alice push -q
cp -r team whole
$remove $alice/1/$taken
status $CORRUPT sea -C carol sync
says err 'was purged without a valid purge order'
status $CORRUPT sea -C carol sync
# What stands behind it counts.
[ "$(state carol bob)" = revoked ]
status $NOT_FOUND sea -C carol get n/1
status $CORRUPT sea verify team
says out 'team: bad-removal: block'
status $CORRUPT sea verify --json team
grep '"event":"chain".*"ok":false' out | grep -q "\"instance\":\"$(sea -C alice rev-parse --instance-id)\""
status $CORRUPT sea -C alice verify team
says out 'good copy: .sea'
status $CORRUPT sea mirror team elsewhere
says err 'was purged without a valid purge order'
EOT

  t "$kind: a revocation cannot be taken out" <<'EOT'
. ./world.sh
alice=team/transactions/$(sea -C alice rev-parse --instance-id)
$remove $alice/1/$(ls $alice/1 | sort -n | tail -1)
status $CORRUPT sea verify team
says out bad-mode
status $CORRUPT sea -C carol sync
[ "$(state carol bob)" = revoked ]
# Who writes on after the revocation is held by those who know of it.
sea -C bob set -q --create n/2 text=late
sea -C bob push -q
sea -C alice sync -q || [ $? = 5 ]
status $NOT_FOUND sea -C alice get n/2
EOT

  t "$kind: a whole copy heals" <<'EOT'
. ./world.sh
cp -r whole/. team/
status 0 sea -C carol sync
[ "$(state carol bob)" = revoked ]
sea -C carol get n/1 >out
status $NOT_FOUND sea -C carol get n/2
status 0 sea verify team
EOT
done

t 'a block that was taken out of a folded file is written again by whoever has it' <<'EOT'
sea init -q --name=ann folded && cd folded
seq 1005 | jq -c '{_id: "n/\(.)", _type: "n"}' | sea put -q --chunk=1 -
sea add-container -q --create stick "$PWD/stick"
sea push -q
file=stick/transactions/$(sea rev-parse --instance-id)/1.blocks
cp $file whole
/usr/bin/python3 - $file <<'EOX'
import os, sys
sys.path.insert(0, os.environ["SEA_TEST_ROOT"] + "/Tests/reader")
from sea_header import removed, split
with open(sys.argv[1], "rb") as file:
    blocks = list(split(file.read()))
blocks[500] = removed(blocks[500])
with open(sys.argv[1], "wb") as file:
    file.write(b"".join(blocks))
EOX
status $CORRUPT sea verify "$PWD/stick"
status 0 sea sync
cmp $file whole
status 0 sea verify "$PWD/stick"
EOT

t 'an order that cannot be read, of somebody who was revoked, keeps nobody from mending' <<'EOT'
block=$(/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/unread_order.py" rogue)
echo one >rogue.pw
sea clone -q --password-file="$PWD/rogue.pw" --name=ann rogue/whole rogue/ann || [ $? = 8 ]
cp rogue/whole/$block rogue/before
cp rogue/gone/$block rogue/whole/$block
sea -C rogue/ann sync || [ $? = 8 ]
cmp rogue/whole/$block rogue/before
EOT
