# sealed: yes
# limit: 120
# An exchange directory elsewhere: over `sea serve`, as ssh would start it, and over the sample of a helper.
mkdir bin && cp "$SEA_TEST_ROOT/Helpers/samples/sea-remote-folder" bin/
cat >bin/line <<'EOX'
#!/bin/sh
shift
exec sh -c "$1"
EOX
chmod +x bin/line
echo "export PATH=$PWD/bin:\$PATH SEA_SSH=$PWD/bin/line" >lib
head -c 300000 /dev/urandom >photo

for kind in ssh folder; do
  case $kind in ssh) at=ssh://host$PWD/ssh.kit ;; *) at=folder://$PWD/folder.kit ;; esac
  echo "kind=$kind at=$at dir=$PWD/$kind.kit top=$PWD" >which

t "there and back, $kind" <<'EOT'
. ./lib && . ./which
rm -rf field lab && sea init -q --name=field --content-type=org.example.birds field
sea -C field set -q --create 7c1e species=hoopoe photo:asset@"$PWD/photo"
status 0 sea -C field export -n --to="$at"
says out "would write birds-field-0001-full.sea.tar.zst"
[ ! -e "$dir" ]
status 0 sea -C field export --to="$at" --verify
says out 'birds-field-0001-full.sea.tar.zst   '
says out 'read back from the medium: ok'
[ -f "$dir/birds-field-0001-full.sea.tar.zst" ]
[ -f "$dir/heads/$(sea -C field rev-parse --instance-id).json" ]
status 0 sea verify "$dir"/*.zst
# It is a folder of bundles as any other.
sea clone -q --name=lab "$dir" lab
# Elsewhere it is no container, and is called what it is.
for dry in '' -n; do
  status $INCOMPATIBLE sea clone $dry "$at" far
  says err "'$at' is an exchange directory, not a container"
  says err "to clone it, copy its bundles to a local folder and run: sea clone FOLDER"
done
[ ! -e far ]
status $NO sea -C field export --exit-code --to="$at"
says out "nothing new for $at"
sea -C lab set -q 7c1e notes='two adults'
status 0 sea -C lab --json export --to="$at"
grep -qF "\"file\":\"$at/birds-lab-0001-incr.sea.tar.zst\"" out
status 0 sea -C field import -n "$at"
says out 'birds-lab-0001-incr.sea.tar.zst: '
status 0 sea -C field import "$at"
says out 'birds-lab-0001-incr.sea.tar.zst: '
[ "$(sea -C field get 7c1e notes)" = 'two adults' ]
status 0 sea -C field import "$at"
says out 'nothing new'
status 0 sea -C field status
says out "$at"
# As by hand.
rm -rf by-hand && sea -C field export -q --to="$PWD/by-hand"
rm -rf third && sea clone -q --name=third by-hand third && sea -C third dump | sort >want && sea -C lab dump | sort | same want
EOT

t "bundles are never overwritten, and known blocks are not imported, $kind" <<'EOT'
. ./lib && . ./which
sha256sum "$dir"/*.zst >sums
for n in 1 2 3; do
  sea -C field set -q 7c1e n:=$n
  status 0 sea -C field export --to="$at"
done
sha256sum -c sums >/dev/null
ls "$dir" | grep -c 'birds-field-000[1-4]' | same /dev/stdin <<EOX
4
EOX
status 0 sea -C lab import "$at"
[ "$(sea -C lab get 7c1e n)" = 3 ]
# An import with nothing new reads the beginnings alone.
head -c 3000000 /dev/urandom >large && sea -C field set -q big f:asset@"$PWD/large" --create
sea -C field export -q --to="$at"
sea -C lab import -q "$at"
SEA_TRACE_JSON=$PWD/trace status 0 sea -C lab import "$at"
python3 - <<'EOP'
import json
got = [one["received"] for one in map(json.loads, open("trace")) if one["event"] == "request"]
assert sum(got) < 2000000, sum(got)
EOP
EOT

t "a damaged, foreign or unavailable exchange directory, $kind" <<'EOT'
. ./lib && . ./which
cp -r "$dir" kept
sea -C field set -q 7c1e n:=9
sea -C field export -q --to="$at"
last=$(ls "$dir"/birds-field-*.zst | tail -1)
size=$(stat -c %s "$last")
spoil "$last" $((size / 2))
status $CORRUPT sea -C lab import "$at"
[ "$(sea -C lab get 7c1e n)" = 3 ]
# An export reads what comes here whole to be looked at, and writes again what is damaged.
status 0 sea -C field export --to="$at"
says err 'its content is exported again'
rm -rf "$dir" && mv kept "$dir"
rm -rf other && sea init -q --name=other --content-type=org.example.birds other
status $INCOMPATIBLE sea -C other import "$at"
status $NOT_FOUND sea -C field import "$at.none" || [ $? = 4 ] || true
sea -C field import "$at.none" >out 2>err && false || true
says err 'no bundle'
status $USAGE sea -C field export --to="dav://me:word@host/x"
status $USAGE sea -C field export --to="nothing-such://host/x"
EOT
done

for kind in ssh folder; do
  case $kind in ssh) at=ssh://host$PWD/ssh.keep ;; *) at=folder://$PWD/folder.keep ;; esac
  echo "kind=$kind at=$at dir=$PWD/$kind.keep top=$PWD" >which

t "bundles that no rule keeps are removed, needed ones stay, $kind" <<'EOT'
. ./lib && . ./which
names() { ls "$dir" | sed -n 's/^birds-keeper-0*\([0-9]*\)-.*/\1/p' | sort -nu | tr '\n' ' '; }
rm -rf keeper && sea init -q --name=keeper --content-type=org.example.birds keeper
sea -C keeper set -q --create a photo:asset@"$PWD/photo"
sea -C keeper export -q --to="$at" --full
for n in 2 3; do
  sea -C keeper set -q a n:=$n
  sea -C keeper export -q --to="$at"
done
# Increments build on the first one.
status 0 sea -C keeper export --to="$at" --keep-last=1 --json
[ "$(grep -c "\"event\":\"kept\",\"file\":\"$at/birds-" out)" = 2 ]
[ "$(names)" = '1 2 3 ' ]
for n in 4 5; do
  sea -C keeper set -q a n:=$n
  sea -C keeper export -q --to="$at" --full --split=128K
done
touch -d '3 days ago' "$dir"/birds-keeper-000[123]*
touch -d '2 days ago' "$dir"/birds-keeper-0004*
ls -l "$dir" >before
status 0 sea -C keeper export -n --to="$at" --keep-daily=2
for n in 1 2 3; do says out "would remove birds-keeper-000$n-"; done
[ "$(grep -c 'would remove' out)" = 3 ] && ls -l "$dir" | same before
# One that is relied upon and damaged there is relied upon for nothing.
last=$(ls "$dir"/birds-keeper-0005* | tail -1)
cp -p "$last" kept-part && spoil "$last" 1000 && touch -r kept-part "$last"
status 0 sea -C keeper export --to="$at" --keep-last=1
[ "$(names)" = '1 2 3 4 5 ' ] || { cat out err; false; }
cp -p kept-part "$last"
status 0 sea -C keeper export --to="$at" --keep-daily=2
for n in 1 2 3; do says out "removed birds-keeper-000$n-"; done
[ "$(names)" = '4 5 ' ]
status 0 sea -C keeper export --to="$at" --keep-last=1
[ "$(names)" = '5 ' ]
# No faster than it may be, in each way.
sea -C keeper add-container -q --create "$kind" "$at.con"
sea -C keeper sync -q "$kind"
status $USAGE sea -C keeper import "$at" --limit-rate=1
start=$(date +%s%N)
status 0 sea -C keeper export --full --to="$at.slow" --limit-rate=150K
[ $((($(date +%s%N) - start) / 1000000)) -gt 1000 ]
start=$(date +%s%N)
status 0 sea -C keeper verify --assets "$at.con" --limit-rate=150K
[ $((($(date +%s%N) - start) / 1000000)) -gt 1000 ]
rm -rf again && sea clone -q --name=again "$dir" again && [ "$(sea -C again get a n)" = 5 ]
sea -C again get --raw a photo | cmp - photo
EOT
done

t 'sea serve takes bundles where it may, and nothing else' <<'EOT'
. ./lib
ask() { printf 'sea-helper 1\n%bbye\n' "$1" | sea serve --stdio ${2:-} kit.served; }
mkdir -p kit.served
ask 'put a-b-0001-full.sea.tar 2\nhi' >out
grep -q '^ok$' out
[ "$(cat kit.served/a-b-0001-full.sea.tar)" = hi ]
ask 'put a-b-0001-full.sea.tar 2\nho' >out && says out 'error exists'
for no in 'replace a-b-0001-full.sea.tar 2\nho' 'put notes.txt 2\nhi' 'put sub/a-0001-full.sea.tar 2\nhi' 'put .a.sea.tar 2\nhi' \
  'replace heads/me.json 2\nhi' 'replace heads/../x.json 2\nhi'; do
  ask "$no" >out
  grep -qE 'error (denied|bad-request)' out || { echo "$no"; cat out; false; }
done
ask 'delete a-b-0001-full.sea.tar\n' --append-only >out && says out 'error denied'
ask 'put c-d-0001-full.sea.tar 2\nhi' --append-only >out && grep -q '^ok$' out
ask 'put e-f-0001-full.sea.tar 2\nhi' --read-only >out && says out 'error denied'
ls -A kit.served | sort | same /dev/stdin <<EOX
a-b-0001-full.sea.tar
c-d-0001-full.sea.tar
EOX
EOT
