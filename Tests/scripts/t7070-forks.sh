# sealed: yes
# Copies, backups and rolled-back containers, as they happen to people. Whatever they did, nothing that was acknowledged
# is lost, and everybody ends with the same records.

t 'two go on in copies of one directory, where the copy guard keeps no notes' <<'EOT'
export XDG_STATE_HOME=/dev/null
sea init -q --name=field --content-type=org.example.test field
sea -C field add-container -q --create team "$PWD/team"
sea -C field put -q '{"_id":"a","n":1}'
sea -C field sync -q
cp -r field copy
sea -C field put -q '{"_id":"of-field"}'
sea -C copy put -q '{"_id":"of-copy","n":1}'
sea -C copy set -q of-copy n:=2
old=$(sea -C field rev-parse --instance-id)
sea -C field sync -q
status 0 sea -C copy sync
says err 'warning[fork]'
says err 'warning[renewed]'
says out 'team: pulled 1, pushed 3'
[ "$(sea -C copy rev-parse --instance-id)" != "$old" ]
[ -d team/transactions/$old~* ]
EOT

t 'the other one learns of it, and then it is over' <<'EOT'
export XDG_STATE_HOME=/dev/null
status 0 sea -C field sync --json
grep '"event":"problem"' out | grep -q '"code":"fork"'
python3 - <<'EOP'
import json
events = [json.loads(line) for line in open("err")]
renewed = [e for e in events if e["event"] == "renewed"]
assert len(renewed) == 1 and renewed[0]["code"] == "renewed" and renewed[0]["reason"] == "forked", events
assert renewed[0]["old"] != renewed[0]["instance"]
EOP
for round in 1 2; do for one in field copy; do sea -C $one put -q "{\"_id\":\"$one-$round\"}"; status 0 sea -C $one sync; done; done
status 0 sea -C field sync
for one in field copy; do
  sea -C $one query --json >$one.records
  [ "$(wc -l <$one.records)" -eq 7 ]
  status 0 sea -C $one verify
  says out 'fork: '
  sea -C $one status >out
  says out 'fork block '
done
cmp field.records copy.records
[ "$(sea -C copy get of-copy n)" = 2 ]
status 0 sea verify team
status 0 sea -C field reindex --projection
says out 'the content was correct'
EOT

t 'heads, log and cat-block name the second branch' <<'EOT'
sea -C field heads >heads
branch=$(grep -o '^[^	]*~[0-9a-f]*' heads)
sea -C field log --format='%(block)' | grep -q "^$branch/2$"
sea -C field cat-block "$branch/2" | cmp - team/transactions/$branch/1/2
status 0 sea -C field verify "$branch/2"
# People see 8 of its digits, and name it by them.
shown=$(printf %.45s "$branch")
sea -C field cat-block "$shown/2" | cmp - team/transactions/$branch/1/2
status 0 sea -C field verify "$shown/2"
status $NOT_FOUND sea -C field cat-block "$(printf %.44s "$branch")/2"
status 0 sea -C field verify
grep "^chain [a-z]*~${shown#*~} [0-9]* blocks ok$" out
sea -C field rev-parse "$branch/2" >out
says out "$branch/2"
sea heads --container=team | grep -v "$(sea -C field rev-parse --instance-id)" >there
sea -C field heads --have="$PWD/there" >out
fails grep -q "~" out
EOT

t 'mirrors carry both branches' <<'EOT'
sea mirror team stick
status 0 sea verify stick
sea clone -q --name=third stick third || [ $? -eq 5 ]
sea -C third query --json | cmp - field.records
status 0 sea mirror --json team stick
says out '"blocks":0'
EOT

t 'a copy takes another name with its first write, and the original keeps its own' <<'EOT'
sea init -q --name=home --content-type=org.example.test home
sea -C home put -q '{"_id":"a"}'
[ -f "$HOME/.local/state/sea/guards/$(sea -C home rev-parse --instance-id)" ]
cp -r home twin
status 0 sea -C twin get a
[ ! -s err ]
status 0 sea -C twin put '{"_id":"b"}'
says err 'warning[renewed]'
says err 'this is a copy of a database that still uses'
status 0 sea -C twin put '{"_id":"c"}'
[ ! -s err ]
status 0 sea -C home put '{"_id":"d"}'
[ ! -s err ]
[ "$(sea -C home rev-parse --instance-id)" != "$(sea -C twin rev-parse --instance-id)" ]
EOT

t 'a directory that was moved is the same instance' <<'EOT'
mv home house
status 0 sea -C house put '{"_id":"e"}'
[ ! -s err ]
EOT

t 'a restored backup with no container in reach' <<'EOT'
cp -r house backup
sea -C house put -q '{"_id":"lost"}'
rm -r house
cp -r backup house
status 0 sea -C house put '{"_id":"f"}'
says err 'such as a restored backup'
sea -C house verify -q
EOT

t 'a restored backup that syncs first takes back what a container has, and keeps its id' <<'EOT'
sea -C house add-container -q --create cloud "$PWD/cloud"
sea -C house sync -q
rm -r backup
cp -r house backup
sea -C house put -q '{"_id":"g"}'
sea -C house sync -q
rm -r house
cp -r backup house
name=$(sea -C house rev-parse --instance-id)
status 0 sea -C house sync
sea -C house get g >/dev/null
status 0 sea -C house put '{"_id":"h"}'
[ ! -s err ]
status 0 sea -C house sync
[ "$(sea -C house rev-parse --instance-id)" = "$name" ]
EOT

t 'a restored backup that writes first continues under a new id, and loses nothing' <<'EOT'
rm -r backup
cp -r house backup
sea -C house put -q '{"_id":"j"}'
sea -C house sync -q
rm -r house
cp -r backup house
status 0 sea -C house put '{"_id":"k"}'
says err 'this database is an older copy'
status 0 sea -C house sync
sea -C house get j >/dev/null
sea -C house get k >/dev/null
EOT

t 'a container that was rolled back is filled up again' <<'EOT'
cp -r cloud cloud.old
sea -C house put -q '{"_id":"i"}'
sea -C house sync -q
rm -r cloud
mv cloud.old cloud
status 0 sea -C house sync
says err 'warning[rolled-back]'
says out 'pushed 1'
status 0 sea -C house sync
[ ! -s err ]
sea verify -q cloud
EOT

t 'a chain of another instance or another database is refused' <<'EOT'
name=$(sea -C house rev-parse --instance-id)
other=$(sea -C field rev-parse --instance-id)
cp -r "team/transactions/$other" cloud/transactions/
# A sealed block of elsewhere names a key that nobody here has. The plain one has taken another name, which was vouched for there and not here.
if [ "$SEA_TEST_SEALED" ]; then verify='-C house verify --keys' elsewhere=no-key code=8; else verify=verify elsewhere=bad-key code=5; fi
status $code sea -C house pull
says err "warning[$elsewhere]"
status $code sea $verify "$PWD/cloud"
says out $elsewhere
rm -r "cloud/transactions/$other"
sea clone -q cloud friend
friend=$(sea -C friend rev-parse --instance-id)
sea -C friend push -q
cp -r "cloud/transactions/$name" keep
rm -r "cloud/transactions/$friend"
cp -r keep "cloud/transactions/$friend"
rm -rf blank
sea clone -q cloud blank 2>err || [ $? -eq 5 ]
if [ "$SEA_TEST_SEALED" ]; then stolen=bad-tag; else stolen=bad-key; fi
says err "warning[$stolen]"
status $CORRUPT sea $verify "$PWD/cloud"
says out $stolen
EOT

t 'by hand' <<'EOT'
old=$(sea -C house rev-parse --instance-id)
status 0 sea init --renew-instance --dry-run house
says out 'would give instance'
[ "$(sea -C house rev-parse --instance-id)" = "$old" ]
status 0 sea init --renew-instance house
says out ' continues as '
[ "$(sea -C house rev-parse --instance-id)" != "$old" ]
status 0 sea init --renew-instance --name=again --json house
python3 -c 'import json
event, summary = map(json.loads, open("out"))
assert summary["event"] == "summary" and event["event"] == "renewed" and event["old"] != event["instance"] and event["reason"] == "asked"'
sea -C house status >out
says out again
status $NO_DATABASE sea init --renew-instance nowhere
status $USAGE sea init --renew-instance --database-id=3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40 house
[ "$(stat -c %a house/.sea/keys/instance)" = 600 ]
[ "$(ls house/.sea/keys | grep -v "^epochs$")" = instance ]
EOT

t 'killed anywhere while the name changes: the next command works, and nobody writes to the old chain' <<'EOT'
export XDG_STATE_HOME=/dev/null
sea init -q --name=killed --content-type=org.example.test killed
sea -C killed put -q '{"_id":"a"}'
old=$(sea -C killed rev-parse --instance-id)
kills=0
for call in fdatasync fsync renameat2 rename pwrite64; do
  for n in 1 2 3 4 5 6 7 8; do
    rm -rf run
    cp -r killed run
    strace -f -o trace -e trace=$call -e inject=$call:signal=KILL:when=$n sea init --renew-instance run >out 2>&1 || true
    grep -q 'killed by SIGKILL' trace || break
    kills=$((kills + 1))
    status 0 sea -C run put '{"_id":"b"}'
    status 0 sea -C run verify
    now=$(sea -C run rev-parse --instance-id)
    if [ "$now" = "$old" ]; then want=2; else want=1; fi
    [ "$(sea -C run heads | grep "^$old" | cut -f2)" = "$want" ]
    [ "$(ls run/.sea/keys | grep -v "^epochs$")" = instance ]
  done
done
echo "$kills kills"
[ "$kills" -gt 10 ]
EOT

t 'a name that several have is that of this instance' <<'EOT'
sea -C house log --instance=again >out
sea -C twin log --instance=home --format='%(block)' >out
grep -q "^$(sea -C twin rev-parse --instance-id)/0" out
EOT
