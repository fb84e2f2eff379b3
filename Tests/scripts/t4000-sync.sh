# sealed: yes
t 'three instances through one folder come to hold the same' <<'EOT'
sea init -q --name=one --content-type=org.example.test one
printf '%s\n' '{"_id":"a","n":1}' '{"_id":"b","n":2}' | sea -C one put -q -
sea -C one add-container -q --create team "$PWD/team"
status 0 sea -C one sync
echo 'team: pulled 0, pushed 2' | same out
for i in two three; do sea clone -q --name=$i team $i; sea -C $i set -q --create "r$i" by=$i; done
for i in one two three one two; do sea -C $i sync -q; done
for i in one two three; do sea -C $i query --json | sort >$i.ndjson; sea -C $i heads >$i.heads; done
same two.ndjson <one.ndjson
same three.ndjson <one.ndjson
same two.heads <one.heads
same three.heads <one.heads
[ "$(wc -l <one.ndjson)" = 4 ]
EOT

t 'nothing new, nothing moved' <<'EOT'
find team -type f | sort >before
status 0 sea -C one sync
echo 'team: pulled 0, pushed 0' | same out
find team -type f | sort | same before
EOT

t 'two folders meet in the instance that knows both' <<'EOT'
sea -C two add-container -q --create aside "$PWD/aside"
sea -C two sync -q
sea clone -q --name=four aside four
sea -C four set -q --create far by=four
sea -C four sync -q
# What comes from one container is in the others after one run, whichever was asked first.
sea -C two sync -q
sea -C one sync -q
[ "$(sea -C one get far by)" = four ]
EOT

t 'a conflict is reported and stops nothing' <<'EOT'
sea -C three sync -q
sea -C one set -q --create a n:=5
sea -C three set -q --create a n:=6 other=x
sea -C one sync -q
status $CONFLICT sea -C three sync --fail-on-conflict
says out 'CONFLICT - a edit/edit: /n   (/other merges automatically)'
status $CONFLICT sea -C one sync --fail-on-conflict -q
[ ! -s out ]
status 0 sea -C one sync
[ "$(sea -C one get a n)" = "$(sea -C three get a n)" ]
EOT

t 'the frozen lines' <<'EOT'
sea -C one set -q --create c n:=1
status 0 sea -C one sync --porcelain=v1
echo 'team	ok	0	1	0	0	0' | same out
EOT

t '--json is events and a summary' <<'EOT'
sea -C one set -q --create c n:=2
status 0 sea -C one sync --json
python3 - <<'EOP'
import json
events = [json.loads(line) for line in open("out")]
assert [e["event"] for e in events] == ["container", "summary"], events
assert events[0]["pushed"] == 1 and events[0]["name"] == "team" and events[1]["ok"] and events[1]["exit"] == 0
EOP
EOT

t '-n moves nothing' <<'EOT'
sea -C one set -q --create c n:=3
status 0 sea -C one sync -n
echo 'team: would have pulled 0, pushed 1' | same out
status 0 sea -C one sync
echo 'team: pulled 0, pushed 1' | same out
EOT

t 'without a container there is nothing to do' <<'EOT'
sea init -q lonely
status 0 sea -C lonely sync
says err 'notice: there is no container to sync with'
status $NOT_FOUND sea -C lonely sync team
EOT

t 'an unavailable container does not affect the others' <<'EOT'
mv aside away
sea -C two set -q --create d n:=1
status $PARTIAL sea -C two sync
says out 'aside: unavailable'
says out 'origin: pulled'
says err 'warning[unreachable]: container aside'
status $UNREACHABLE sea -C two sync aside
status $PARTIAL sea -C two sync --json
grep -q '"name":"aside","state":"unavailable"' out
python3 -c 'import json; [json.loads(line) for name in ("out", "err") for line in open(name)]'
mv away aside
status 0 sea -C two sync
EOT

t 'a container of another database is refused' <<'EOT'
sea init -q --content-type=org.example.test other
sea -C other add-container -q --create theirs "$PWD/theirs"
sea -C other push -q
mv team ours && cp -r theirs team
status $INCOMPATIBLE sea -C one sync
says out 'team: mismatch'
says err 'error[incompatible]'
rm -r team && mv ours team
status 0 sea -C one sync
EOT

t 'a damaged block is reported and quarantined, and the sync continues' <<'EOT'
sea -C one set -q --create e n:=1
sea -C one push -q
block=$(ls -t $(find team -path "*$(sea -C one rev-parse --instance-id)*" -type f) | head -1)
cp "$block" good
chmod u+w "$block"
printf xxxx | dd of="$block" bs=1 seek=100 conv=notrunc status=none
status $CORRUPT sea -C three sync
says err 'warning[bad-data]: origin: block'
says out 'origin: pulled'
status $CORRUPT sea -C three sync --json
grep -q '"event":"problem","code":"bad-data","where":"origin"' out
cp good "$block"
status 0 sea -C three sync
[ "$(sea -C three get e n)" = 1 ]
EOT

t 'a file in the place of all blocks is set aside, and the others are done, too' <<'EOT'
rm -rf kept && cp -rp team kept
rm -r team/transactions && echo x >team/transactions
sea -C two set -q --create g n:=1
status 0 sea -C two sync
says out 'lost blocks restored'
says out 'aside: pulled 0, pushed'
status 0 sea -C two sync
sea verify -q team
for chain in kept/transactions/*; do [ -d "team/transactions/${chain##*/}" ]; done
EOT

t 'two syncs of one database at once' <<'EOT'
for n in 1 2 3 4 5; do sea -C three set -q --create x$n n:=$n; sea -C three push -q; done
sea -C one sync -q & first=$!
sea -C one sync -q & second=$!
wait $first && wait $second
sea -C one verify -q
[ "$(sea -C one get x5 n)" = 5 ]
EOT

t 'the lock is waited for no longer than told' <<'EOT'
sea -C three set -q --create y n:=1
sea -C three push -q
flock one/.sea/lock sh -c 'sea -C one sync --lock-wait=0 >out 2>err; echo $? >code'
[ "$(cat code)" = 6 ]
says err 'error[locked]'
EOT

t 'a sync with nothing new looks at names and sizes, and into a part of what is folded' <<'EOT'
sea init -q --name=long long
seq 5005 | sed 's/.*/{"_id":"r&"}/' | sea -C long put -q --chunk=1 -
sea -C long add-container -q --create c "$PWD/long-folder"
sea -C long sync -q
sleep 0.1
# What was written there is read once.
sea -C long sync -q
[ "$(find long-folder -name '*.blocks' | wc -l)" = 5 ]
# looks MOST: so many looks at names.
looks() {
  for n in 1 2 3; do
    strace -f -o trace -e trace=openat,getdents64,statx,newfstatat sea -C long sync >out
    echo 'c: pulled 0, pushed 0' | same out
    [ "$(grep -cE 'openat.*"[0-9]+\.blocks".* = [0-9]+$' trace)" -le 2 ]
    [ "$(wc -l <trace)" -lt $1 ]
  done
}
looks 500
# Nor more once something was purged, and all was looked at for copies of it.
for n in $(seq 10); do echo "$n" >long-folder/letter-$n; done
sea -C long purge --confirm=long r7 >/dev/null || [ $? = 8 ]
for n in 1 2; do sea -C long sync -q; done
looks 600
[ "$(grep -cE 'openat.*"letter-' trace)" = 0 ]
EOT

t 'temporary files of killed writers are removed everywhere' <<'EOT'
sea init -q tidy
sea -C tidy put -q '{"_id":"x"}'
sea -C tidy add-container -q --create c "$PWD/tidied"
sea -C tidy sync -q
for folder in . keys requests heads assets; do
  mkdir -p tidied/$folder
  : >tidied/$folder/.sea-tmp-00112233445566778899aabbccddeeff
  touch -d '2 hours ago' tidied/$folder/.sea-tmp-00112233445566778899aabbccddeeff
  : >tidied/$folder/.sea-tmp-ffeeddccbbaa99887766554433221100
done
status 0 sea -C tidy pull -q
[ "$(find tidied -name '.sea-tmp-*' | wc -l)" = 10 ]
status 0 sea -C tidy sync -q
[ "$(find tidied -name '.sea-tmp-0*' | wc -l)" = 0 ]
[ "$(find tidied -name '.sea-tmp-f*' | wc -l)" = 5 ]
EOT

t 'a sync with nothing new reads as little of a database with many transactions' <<'EOX'
for many in 500 5000; do
  sea init -q "d$many"
  seq "$many" | sed 's/.*/{"_id":"r&","n":&}/' | sea -C "d$many" put -q --chunk=1 -
  sea -C "d$many" add-container -q --create "c$many" "$PWD/c$many.sea"
  sea -C "d$many" sync -q
  sea -C "d$many" sync -q
  strace -f -y -e trace=pread64 -o log sea -C "d$many" sync -q
  grep -c '\.sea/db>' log >"reads$many"
done
[ "$(cat reads5000)" -le "$(($(cat reads500) * 2))" ]
EOX
