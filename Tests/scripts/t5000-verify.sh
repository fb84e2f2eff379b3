# sealed: yes
t 'verify of the own store' <<'EOT'
sea init -q --name=one one
printf '%s\n' '{"_id":"a","n":1}' '{"_id":"b","n":2}' | sea -C one put -q -
status 0 sea -C one verify
printf '%s\n' 'chain one 2 blocks ok' 'local index ok' | same out
EOT

t 'verify of a container needs no database' <<'EOT'
sea -C one add-container -q --create team "$PWD/team"
sea -C one push -q
mkdir elsewhere
status 0 sea -C elsewhere verify ../team
# Only a key tells the name and checks the signatures.
sealed="chain $(cd team/transactions && ls | cut -c1-8) 2 blocks ok, encrypted: signatures not checked"
if [ "$SEA_TEST_SEALED" ]; then echo "../team: $sealed"; else echo '../team: chain one 2 blocks ok'; fi | same out
status 0 sea -C one verify team
echo 'team: chain one 2 blocks ok' | same out
status 0 sea -C one verify team --keys -q
[ ! -s out ]
status 0 sea fsck team
EOT

t 'verify of an instance and of a block' <<'EOT'
sea clone -q --name=two team two
status 0 sea -C two verify one
echo 'chain one 2 blocks ok' | same out
status 0 sea -C two verify origin one
echo 'origin: chain one 2 blocks ok' | same out
status 0 sea -C two verify one/1
says out '/1 ok'
status $NOT_FOUND sea -C two verify one/9
EOT

t 'a changed byte is found wherever it is' <<'EOT'
block=$(ls team/transactions/*/1/1)
size=$(stat -c %s "$block")
cp "$block" good
chmod u+w "$block"
for at in 0 3 4 8 12 16 20 52 84 $((size - 65)) $((size - 1)); do
  cp good "$block"
  other=$((255 - $(od -An -tu1 -j$at -N1 "$block")))
  printf "$(printf '\\%03o' $other)" | dd of="$block" bs=1 seek=$at conv=notrunc status=none
  # What no digest covers in the last block, its signature does; of a sealed one that is checked where its key is known.
  status $CORRUPT sea ${SEA_TEST_SEALED:+-C one} verify team
  says out 'chain one 1 block ok, then '
done
cp good "$block"
EOT

t 'a block without a valid signature is reported once' <<'EOT'
block=$(ls team/transactions/*/1/1)
# A mode that a newer program might have.
mode=$(($(od -An -tu1 -j3 -N1 "$block") | 64))
printf "$(printf '\\%03o' $mode)" | dd of="$block" bs=1 seek=3 conv=notrunc status=none
status $CORRUPT sea -C one verify --keys team --porcelain
[ "$(cut -f1,4 out | grep -v '^ok')" = "$(printf 'bad-signature\t1')" ]
cp good "$block"
EOT

t 'a block that is not whole, a block that is missing' <<'EOT'
block=$(ls team/transactions/*/1/1)
truncate -s 50 "$block"
status $CORRUPT sea verify team
says out 'truncated'
cp good "$block"
sea -C one set -q --create c n=1
sea -C one push -q
mv "$block" aside
status $CORRUPT sea verify team --porcelain
says out 'gap	team'
mv aside "$block"
status 0 sea verify team
EOT

t 'the good copy is named' <<'EOT'
block=$(ls team/transactions/*/1/1)
printf '\377\377\377\377' | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status $CORRUPT sea -C one verify team
says out 'good copy: .sea'
status $CORRUPT sea -C one verify --porcelain=v1 team
says out 'bad-data	team	'
cut -f1,2,4- out >fields
echo 'bad-data	team	1	-	-	.sea' | same fields
status $CORRUPT sea -C one verify --json team
python3 - <<'EOP'
import json
events = [json.loads(line) for line in open("out")]
assert [e["event"] for e in events] == ["problem", "summary"], events
assert events[0]["code"] == "bad-data" and events[0]["good_copy"] == ".sea" and events[1]["exit"] == 5
EOP
cp good "$block"
EOT

t 'verify with a key checks the content too' <<'EOT'
mkdir sealed
cd sealed
(umask 077 && echo 'nur wir zwei' >right && echo 'nur wir drei' >wrong)
export SEA_PASSWORD_FILE="$PWD/right"
sea init -q --encrypt --name=one --content-type=org.example.birds one
sea -C one put -q '{"_id":"a"}'
sea -C one add-container -q --create team "$PWD/team"
sea -C one sync -q
# Without a key: digests. With the key of a chain that is known: signatures too. With --keys everything.
status 0 sea verify team --json
says out '"signed":false,"unopened":0'
says out '"name":""'
status 0 sea -C one verify --json team
says out '"signed":true,"unopened":0'
status 0 sea verify --keys team
echo 'team: chain one 2 blocks ok' | same out
status 0 sea verify --keys --json team
says out '"signed":true,"unopened":0'
status 0 sea -C one verify --keys
printf '%s\n' 'chain one 2 blocks ok' 'local index ok' | same out
status $DENIED sea --password-file=wrong verify --keys team
says err 'error[bad-password]'
unset SEA_PASSWORD_FILE
status $DENIED sea --no-input verify --keys team
says err 'error[no-key]'
# The database has the key.
status 0 sea --no-input -C one verify --keys team
EOT

t 'content that no available key decrypts' <<'EOT'
cd sealed
export SEA_PASSWORD_FILE="$PWD/right"
cp -r team other
header="/usr/bin/python3 $SEA_TEST_ROOT/Tests/reader/sea_header.py"
chain=$(ls other/transactions)
# What is sealed was changed, with the digest that anyone can make.
$header forge other/transactions/$chain/1/0 70
status $CORRUPT sea verify --keys other
says out 'bad-tag'
cp -r team later
rm -f later/transactions/$chain/1/1
# The same block under an epoch that no slot has a key of, with the digest that anyone can make.
$header forge later/transactions/$chain/1/0 3
status $PARTIAL sea verify --keys --porcelain later
echo "ok	later	$chain	0	-	-	-
no-key	later	$chain	0	-	-	-" | same out
status $PARTIAL sea verify --keys --json later
says out '"signed":false,"unopened":1'
status 0 sea verify later
says out 'encrypted: signatures not checked'
# A slot that is not what its name says is no slot.
slot=$(ls team/keys/* | head -1)
chmod u+w "$slot"
printf x >>"$slot"
status 0 sea verify team
says out 'foreign-file: ignored "keys/'
status $DENIED sea verify --keys team
EOT

t 'foreign files are told and are no error' <<'EOT'
touch team/transactions/Thumbs.db "team/info (1).json"
status 0 sea verify team
says out 'foreign-file: ignored "transactions/Thumbs.db"'
says out 'foreign-file: ignored "info (1).json"'
EOT

t 'paths that are no container' <<'EOT'
status $INCOMPATIBLE sea verify one
says err 'not a container'
echo x >file
status $INCOMPATIBLE sea verify file
status $UNREACHABLE sea verify nowhere
status $PARTIAL sea verify team nowhere
status $NO_DATABASE sea -C elsewhere --sea-dir=.sea verify
EOT

t 'both branches of a fork verify and are reported' <<'EOT'
status 0 sea verify "$SEA_TEST_ROOT/Tests/vectors/container/fork/sea"
says out 'chain field 3 blocks ok'
says out 'chain field~9d46323d 4 blocks ok'
says out 'fork: chain 3d8ea140'
EOT

t 'the frozen container vectors' <<'EOT'
for vector in "$SEA_TEST_ROOT"/Tests/vectors/container/*/; do
  name=$(basename "$vector")
  have=0
  sea verify --keys "$vector/sea" >out 2>err || have=$?
  if [ "$have" -ne "$(cat "$vector/status")" ]; then echo "$name: $have"; cat out err; exit 1; fi
  while read -r code place; do
    grep -q "$code" out || { echo "$name: no $code $place"; cat out; exit 1; }
  done <"$vector/problems"
  # A chain in which something is wrong has a head there all the same; only whole containers are compared.
  if [ "$have" -eq 0 ]; then sea heads --container="$vector/sea" | sort | diff - "$vector/heads"; fi
done
EOT

t 'assets that are here are read, too' <<'EOT'
sea init -q --name=zoo zoo
echo hoot >owl; head -c 100000 /dev/urandom >film
sea -C zoo set -q --create owl call:asset@"$PWD/owl" film:asset@"$PWD/film"
sea -C zoo verify >out
same out <<'EOX'
chain zoo 2 blocks ok
local index ok
2 assets ok
EOX
sea -C zoo add-container -q --create box "$PWD/zoobox.sea"
sea -C zoo sync -q
sea clone -q --name=field zoobox.sea zoo2
# What was never fetched is not missing.
sea -C zoo2 verify >out
fails grep -q asset out
EOT

t 'a damaged asset here: what it is, and where a good copy is' <<'EOT'
file=$(find zoo/.sea/assets -type f -size +50k)
chmod u+w "$file"
printf XXXX | dd of="$file" bs=1 seek=50000 conv=notrunc status=none
status $CORRUPT sea -C zoo verify
says out 'bad-asset: asset '
says out '; good copy: box'
says out '1 asset ok'
status $CORRUPT sea -C zoo verify --json
jq -c 'select(.event == "problem") | [.code, .where, .good_copy]' out >found
echo '["bad-asset",".sea","box"]' | same found
status $CORRUPT sea -C zoo verify --porcelain
grep "$(printf '^bad-asset\t.sea\t')" out | cut -f7 >found
echo box | same found
rm -f "$file"
status $CORRUPT sea -C zoo verify
says out 'missing-asset: asset '
says out 'was lost; good copy: box'
sea -C zoo fetch-assets -q
sea -C zoo verify -q
sea -C zoo get owl film --raw | cmp - film
EOT

t 'the assets of a container, with --assets' <<'EOT'
sea -C zoo verify box >out
same out <<'EOX'
box: chain zoo 2 blocks ok
EOX
sea -C zoo verify --assets box >out
same out <<'EOX'
box: chain zoo 2 blocks ok
box: 2 assets ok
EOX
# Without the database the blocks that lie there say what they should be.
case $SEA_TEST_SEALED in
1)
  status $PARTIAL sea verify --assets zoobox.sea
  says out 'zoobox.sea: 2 asset files not checked: no key'
  keys=--keys
  ;;
*) keys= ;;
esac
sea verify --assets $keys zoobox.sea >out
says out 'zoobox.sea: 2 assets ok'
file=$(find zoobox.sea/assets -type f -size +50k)
chmod u+w "$file"
printf XXXX | dd of="$file" bs=1 seek=50000 conv=notrunc status=none
status $CORRUPT sea verify --assets $keys zoobox.sea
says out 'zoobox.sea: bad-asset: asset '
says out 'zoobox.sea: 1 asset ok'
status $CORRUPT sea -C zoo verify --assets box
says out 'box: bad-asset: asset '
says out '; good copy: .sea'
truncate -s 10 "$file"
status $CORRUPT sea -C zoo verify --assets box
says out 'does not have the size given in the records'
rm -f "$file"
sea -C zoo verify --assets box >out
says out 'box: 1 asset ok'
EOT

t 'a page of the database file that nobody reads just now is read by verify' <<'EOT'
sea init -q pages
seq 60 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C pages put -q --chunk=10 -
sqlite3 pages/.sea/db 'PRAGMA wal_checkpoint(TRUNCATE)' >checkpointed
# A sealed database keeps more at the end of the page.
if [ "$SEA_TEST_SEALED" ]; then size=2930; else size=2960; fi
head -c $size /dev/zero | tr '\000' '\377' | dd of=pages/.sea/db bs=1 seek=5000 conv=notrunc status=none
status $CORRUPT sea -C pages verify
says out 'projection: the local index differs'
status $CORRUPT sea -C pages status
says err 'sea dump --history'
sea -C pages dump --history -o "$PWD/saved"
[ "$(wc -l <saved)" -eq 60 ]
have=0
sea -C pages doctor --fix projection >out 2>err || have=$?
[ $have = 1 ] || [ $have = 8 ]
says out 'sea dump --history'
EOT
