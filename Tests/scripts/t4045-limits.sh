# limit: 240
# sealed: yes
# What is stopped by a limit goes on where it was, until nothing is left: over folders and over helpers.
mkdir bin && cp "$SEA_TEST_ROOT/Helpers/samples/sea-remote-folder" bin/
cat >lib <<'EOX'
export PATH=$PWD/bin:$PATH
# until_done COMMAND: again and again while the status is 8; how often is in $runs. A run that ends so has moved something.
until_done() {
  runs=0
  while :; do
    runs=$((runs + 1))
    have=0
    "$@" >out 2>err || have=$?
    [ "$have" = 8 ] || break
    grep -q ' (--' out || { cat out err; return 1; }
    [ $runs -lt 200 ] || return 1
  done
  [ "$have" = 0 ] || { cat out err; return 1; }
}
# same_records ONE OTHER
same_records() {
  sea -C "$1" dump | sort >want.records
  sea -C "$2" dump | sort >have.records
  diff want.records have.records
}
EOX
. ./lib
sea init -q --name=one one
# Many blocks, among them larger ones.
for n in $(seq 40); do
  head -c $((n * 100)) /dev/urandom | base64 -w0 | sed "s/.*/{\"_id\":\"r$n\",\"v\":\"&\"}/" | sea -C one put -q -
done
for n in 1 2 3; do
  head -c 200000 /dev/urandom >asset
  sea -C one set -q --create "a$n" f:asset@"$PWD/asset"
done

for kind in folder helper; do
  case $kind in folder) at=$PWD/folder.sea ;; *) at=folder://$PWD/helper.sea ;; esac
  echo "kind=$kind at=$at" >which

t "a push and a clone by size, $kind" <<'EOT'
. ./lib && . ./which
sea -C one add-container -q --create "$kind" "$at"
status $PARTIAL sea -C one sync --size-limit=20K "$kind"
says out '(--size-limit)'
grep -qE 'pushed [1-9][0-9]*, left [0-9]+ blocks to push, 3 assets \(--size-limit\)' out
status $PARTIAL sea -C one --json push --size-limit=20K "$kind"
python3 - <<'EOP'
import json
lines = [json.loads(line) for line in open("out")]
one = next(line for line in lines if line["event"] == "container")
assert one["limit"] == "size" and one["left_push"] > 0 and one["left_pull"] == 0 and one["left_assets"] == 3, one
assert 0 < one["pushed"] < 45 and lines[-1]["exit"] == 8 and lines[-1]["left_push"] == one["left_push"]
EOP
# What is there is whole at any time.
status 0 sea verify "$at"
until_done sea -C one sync --size-limit=210K "$kind"
[ $runs -gt 2 ]
status 0 sea -C one sync "$kind"
says out 'pulled 0, pushed 0'
status 0 sea -C one verify --assets "$at"
# As if it had been done at once.
sea -C one add-container -q --create "$kind.all" "$PWD/all.$kind"
sea -C one sync -q "$kind.all"
sea heads --container="$at" >have.heads
sea heads --container="all.$kind" | same have.heads
rm -rf c && status $PARTIAL sea clone --name="c$kind" --size-limit=1 "$at" c
says out 'to continue, run: sea sync'
until_done sea -C c sync --size-limit=15K
[ $runs -gt 5 ]
same_records one c
status 0 sea -C c verify
rm -rf d && until_done sea clone -q --name=d --time-limit=10m --size-limit=1G --assets=all "$at" d
same_records one d
[ "$(sea -C d assets --present --json | wc -l)" -ge 3 ]
EOT

t "assets by size and by time, $kind" <<'EOT'
. ./lib && . ./which
sea -C c config set container.origin.assets all
until_done sea -C c sync --size-limit=210K
[ $runs -gt 2 ]
status 0 sea -C c verify --assets
rm -rf e && sea clone -q --name=e "$at" e
# What is moved in a second at such a rate is less than there is.
status $PARTIAL sea -C e fetch-assets --time-limit=1 --limit-rate=150K
says out '(--time-limit)'
until_done sea -C e fetch-assets --time-limit=1 --limit-rate=150K
[ $runs -gt 2 ]
same_records one e
status 0 sea -C e verify --assets
until_done sea -C e fetch-assets --size-limit=250000
EOT

t "both ways, while both write, $kind" <<'EOT'
. ./lib && . ./which
for n in $(seq 6); do
  sea -C one put -q "{\"_id\":\"$kind-one-$n\"}"
  sea -C d put -q "{\"_id\":\"$kind-d-$n\"}"
  sea -C one sync -q --size-limit=900 "$kind" >/dev/null || [ $? = 8 ]
  sea -C d sync -q --size-limit=900 >/dev/null || [ $? = 8 ]
done
until_done sea -C one sync --size-limit=2K "$kind"
until_done sea -C d sync --size-limit=2K
until_done sea -C one sync --size-limit=2K "$kind"
same_records one d
status 0 sea verify "$at"
EOT

t "a rate, $kind" <<'EOT'
. ./lib && . ./which
rm -rf f && sea init -q --name=f f
head -c 300000 /dev/urandom | base64 -w0 | sed 's/.*/{"_id":"x","v":"&"}/' | sea -C f put -q -
rm -rf "rate.$kind"
case $kind in folder) to=$PWD/rate.$kind ;; *) to=folder://$PWD/rate.$kind ;; esac
sea -C f add-container -q --create hub "$to"
start=$(date +%s%N)
status 0 sea -C f sync --limit-rate=100K
took=$((($(date +%s%N) - start) / 1000000))
[ $took -gt 2500 ] || { echo "$took ms"; false; }
EOT

t "a mirror, $kind" <<'EOT'
. ./lib && . ./which
case $kind in folder) to=$PWD/mirror.$kind ;; *) to=folder://$PWD/mirror.$kind ;; esac
rm -rf "mirror.$kind"
status $PARTIAL sea mirror --size-limit=20K "$at" "$to"
grep -qE 'left [0-9]+ blocks to push, 3 assets \(--size-limit\)' out
until_done sea mirror --size-limit=250K "$at" "$to"
[ $runs -gt 2 ]
sea heads --container="$at" >have.heads
sea heads --container="$to" | same have.heads
status 0 sea -C one verify --assets "$to"
EOT
done

t 'a helper that says wait does not hold a run beyond its time' <<'EOT'
. ./lib
# Helpers that are well until they are slow, each in its way.
for name in slow mute; do
  case $name in slow) slowly='while echo wait; do sleep 0.1; done' ;; *) slowly='exec sleep 600' ;; esac
  cat >bin/sea-remote-$name <<EOX
#!/bin/sh
[ -e "$PWD/late" ] || exec "$PWD/bin/sea-remote-folder" "folder:\${1#*:}"
read -r line && echo 'sea-helper 1' && $slowly
EOX
  chmod +x bin/sea-remote-$name
done
sea init -q --name=s s
sea -C s put -q '{"_id":"a"}'
sea -C s add-container -q --create near near.sea
for name in slow mute; do sea -C s add-container -q --create $name $name://$PWD/$name.sea; done
touch late
for name in slow mute; do
  status $PARTIAL timeout 300 sea -C s sync --time-limit=1 $name
  grep -q "^$name: .*(--time-limit)" out
done
# The others have their turn.
status $PARTIAL sea -C s sync --time-limit=1 slow near
says out 'near: pulled 0, pushed 1'
status $PARTIAL sea -C s sync --json --time-limit=1 slow
grep -q '"event":"container".*"limit":"time"' out
status $UNREACHABLE timeout 300 sea clone --time-limit=1 slow://$PWD/slow.sea t
says err 'no answer within --time-limit'
status 0 sea -C s status
says out 'slow: limit reached, not fully read'
EOT

t 'invalid limits are refused' <<'EOT'
. ./lib
status $USAGE sea -C one sync --limit-rate=1023
says err '1K or more'
status $USAGE sea -C one sync --limit-rate=fast
status $USAGE sea -C one sync --size-limit=-1
status $USAGE sea -C one sync --time-limit=soon
# Nothing at all.
sea -C one sync -q folder helper
sea -C one put -q '{"_id":"last"}'
status $PARTIAL sea -C one sync --size-limit=0 folder
says out 'left 1 block to push'
# No limit is met where nothing is left.
status 0 sea -C one sync --size-limit=1M --time-limit=1h folder
status 0 sea -C one sync --size-limit=0 folder
says out 'pulled 0, pushed 0'
sea -C one sync -q helper
# The second of two is not looked at.
sea -C one put -q '{"_id":"very-last"}'
status $PARTIAL sea -C one sync --size-limit=1 folder helper
says out 'folder: pulled 0, pushed 1'
grep -q 'helper: .*(--size-limit)' out
EOT
