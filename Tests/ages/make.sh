#!/bin/sh
# Makes an age: an archive of everything that a program leaves on disks, and the text that the same program reads in it.
#
#   usage: Tests/ages/make.sh SEA FOLDER     writes FOLDER.tar.zst and FOLDER.expected, such as Tests/ages/1-candidate
#
# README.md says when to do this. It needs zstd, jq and python3.
set -eu
SEA=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$(dirname "$2")"
target=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 022
mkdir "$work/home" "$work/bin" "$work/age"
for name in $(env | sed -n 's/^\(SEA_[A-Z_0-9]*\)=.*/\1/p'); do unset "$name"; done
export HOME="$work/home" XDG_STATE_HOME="$work/state" SEA_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 TZ=UTC
unset XDG_CONFIG_HOME
ln -s "$SEA" "$work/bin/sea"
# Helper programs get summary files, which folders do not need: served:FOLDER is FOLDER through a helper.
printf '#!/bin/sh\nexec sea serve --stdio "${1#*:}"\n' >"$work/bin/sea-remote-served"
chmod +x "$work/bin/sea-remote-served"
export PATH="$work/bin:$PATH"
cd "$work/age"
echo 'vier kleine Boote' >password
echo 'fünf große Schiffe' >password2
chmod 600 password password2
export SEA_PASSWORD_FILE="$PWD/password"

# expect STATUS COMMAND...: the command must end with this status.
expect() {
  want=$1
  shift
  have=0
  "$@" >"$work/log" 2>&1 || have=$?
  [ "$have" = "$want" ] && return
  echo "status $have instead of $want: $*" >&2
  cat "$work/log" >&2
  exit 1
}

# sync DATABASE...: each database syncs. Conflicts and forks are no errors.
sync() {
  for one; do expect 0 sea -C "$one" sync; done
}

# many NAME FROM TO: records, one a line.
many() {
  python3 -c '
import sys
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    print("{\"_id\":\"%s/%d\",\"_type\":\"many\",\"n\":%d,\"text\":\"the same words again and again\"}" % (sys.argv[1], n, n))' "$@"
}

# start WORLD [OPTION...]: the database `ann` with values of each kind, a small asset, and its container.
start() {
  mkdir "$1"
  world=$1
  shift
  sea init -q --name=ann --content-type=org.example.age "$@" "$world/ann"
  sea -C "$world/ann" put -q - <"$here/records.jsonl"
  printf 'a small asset of %s\n' "$world" >"$work/small"
  sea -C "$world/ann" set -q --create -t file file/small content:asset@"$work/small"
  sea -C "$world/ann" delete -q gone back
  sea -C "$world/ann" set -q --create -t value back text=again
  expect 0 sea -C "$world/ann" add-container --create share "$PWD/$world/container"
  sync "$world/ann"
  expect 0 sea -C "$world/ann" export --full --no-assets -o "$PWD/$world/base.tar.zst"
}

# finish WORLD: bundles of all that there is, of what is new since the base, and a backup.
finish() {
  expect 0 sea -C "$1/ann" export --full -o "$PWD/$1/full.tar.zst"
  expect 0 sea -C "$1/ann" export --since="$PWD/$1/base.tar.zst" -o "$PWD/$1/increment.tar.zst"
  expect 0 sea -C "$1/ann" backup -o "$PWD/$1/backup.tar.zst"
}

# join WORLD NAME [OPTION...]: a clone, and its authorization where there are members.
join() {
  world=$1 name=$2
  shift 2
  expect 0 sea clone --name="$name" "$PWD/$world/container" "$world/$name"
  sea -C "$world/$name" set -q --create "of/$name" text='the first words'
  sync "$world/$name" "$world/ann"
  words=$(sea -C "$world/$name" instances --json | jq -r 'select(.self) | .fingerprint')
  if sea -C "$world/ann" status --json | grep -q '"members":true'; then
    expect 0 sea -C "$world/ann" authorize "$@" --fingerprint="$words" "$name"
    sync "$world/ann" "$world/$name" "$world/ann"
  fi
}

# purge WORLD: one record with its history, and one property, are purged everywhere.
purge() {
  sea -C "$1/ann" set -q --create secret/1 text='purged with the record' keep='purged too'
  sea -C "$1/ann" set -q --create secret/2 text='purged alone' keep='stays'
  printf 'a purged asset' >"$work/purged"
  sea -C "$1/ann" set -q secret/1 content:asset@"$work/purged"
  sync "$1/ann" "$1/bob"
  expect 8 sea -C "$1/ann" purge --confirm=ann secret/1
  expect 8 sea -C "$1/ann" purge --confirm=ann secret/2 text
  sync "$1/ann" "$1/bob" "$1/ann"
}

# fork WORLD: `ann` is restored from an old copy, and both the copy and the later one have written.
fork() {
  cp -a "$1/ann" "$work/old"
  sea -C "$1/ann" put -q '{"_id":"fork/lost-disk","n":1}'
  sync "$1/ann"
  rm -r "$1/ann"
  mv "$work/old" "$1/ann"
  sea -C "$1/ann" put -q '{"_id":"fork/restored","n":2}'
  sync "$1/ann"
  sea -C "$1/ann" put -q '{"_id":"fork/later","n":3}'
  sync "$1/ann" "$1/bob" "$1/ann"
}

# plain: settings, indexes, conflicts of each kind, a large asset, bundles of each kind, dumps.
start plain
ann=plain/ann bob=plain/bob
sea -C $ann config set --shared merge.page.policy /body=text
sea -C $ann config set --shared merge.site.policy '/most=max /newest=newest'
sea -C $ann config set --shared merge.site.atomic /lat,/lon
sea -C $ann config set --shared type.site/visits.default ':={"$counter":0}'
sea -C $ann config set core.abbrev 12
sea -C $ann reindex -q --add=by-n=many:/n --shared
sea -C $ann reindex -q --add-text=words=site:/name
python3 -c 'print("{\"_id\":\"deep\",\"_type\":\"value\",\"in\":" + "[" * 126 + "]" * 126 + "}")' | sea -C $ann put -q -
for how in true false; do
  python3 -c 'import sys; print("{\"_id\":\"long/%s\",\"_type\":\"value\",\"text\":\"%s\"}" % (sys.argv[1], "compressed well " * 4000))' $how |
    sea -C $ann -c core.compress=$how put -q -
done
(printf begin && head -c 16777216 /dev/zero && printf end) >"$work/large"
sea -C $ann set -q --create -t file file/large content:asset@"$work/large"
sync $ann
expect 0 sea -C $ann export --to="$PWD/plain/exchange"
join plain bob
sea -C $bob set -q clash/open text='of bob' count+=4 tags+=bob
sea -C $bob set -q clash/resolved text='of bob'
sea -C $bob set -q clash/merged one='of bob' count+=2 tags+=bob tags-=a in.x:=2
sea -C $bob set -q clash/undone one='of bob'
sea -C $bob delete -q clash/deleted
sea -C $bob put -q '{"_id":"clash/added","_type":"clash","text":"of bob"}'
sea -C $bob set -q page/1 body='FIRST line
second line
third line
fourth line
fifth line'
sea -C $bob set -q site/1 lat:=2 most:=7 newest='of bob'
sea -C $bob set -q site/2 lat:=2 most:=7
sea -C $bob put -q "$(sea -C $bob get --json clash/type | jq -c '._type = "other" | del(._rev)')"
sea -C $ann set -q clash/open text='of ann' count+=3 tags+=ann
sea -C $ann set -q clash/resolved text='of ann'
sea -C $ann set -q clash/merged two='of ann' count-=1 in.y:=3
sea -C $ann set -q clash/undone two='of ann'
sea -C $ann set -q clash/deleted text='of ann'
sea -C $ann put -q '{"_id":"clash/added","_type":"clash","text":"of ann"}'
sea -C $ann set -q page/1 body='first line
second line
third line
fourth line
FIFTH line'
sea -C $ann set -q site/1 most:=9 newest='of ann'
sea -C $ann set -q site/2 lon:=3
sea -C $ann set -q clash/type text='of ann'
sync $ann $bob
sea -C $bob resolve -q --merge --set=text='of both' clash/resolved
sea -C $bob undo -q --only=clash/undone "$(sea -C $bob ops --json | jq -r 'select(.merged > 0) | .op' | tail -1)"
many many 0 300 | sea -C $bob put -q -
sync $bob $ann
sea -C $ann put -q '{"_id":"new/1","_type":"site","name":"with a default"}'
sea -C $ann set -q --create new/2 text='first'
sea -C $ann set -q new/2 text='undone'
sea -C $ann undo -q
sync $ann $bob $ann
expect 0 sea -C $ann export --to="$PWD/plain/exchange"
for kind in none gzip xz; do
  expect 0 sea -C $ann export --full --no-assets --compress=$kind -o "$PWD/plain/full.$kind"
done
expect 0 sea -C $ann export --full --no-assets --compress=none --split=64K -o "$PWD/plain/split.tar"
mkdir $ann/.sea/hooks
printf '#!/bin/sh\nexit 1\n' >$ann/.sea/hooks/pre-import
chmod +x $ann/.sea/hooks/pre-import
finish plain
mkdir plain/dumps
sea -C $ann dump --history -t value >plain/dumps/history.jsonl
for kind in jsonl json csv tsv sqlite; do sea -C $ann dump -q -t value -o "$PWD/plain/dumps/value.$kind"; done
sea -C $ann dump -q --format=datastore -o "$PWD/plain/dumps/datastore" 2>"$work/log"
sea -C $ann heads >plain/heads

# encrypted: two passphrases, a second key, a database that stores no key.
start encrypted --encrypt
join encrypted bob
sea -C encrypted/ann passwd -q --add --new-password-file="$PWD/password2"
sync encrypted/ann
sea -C encrypted/ann passwd -q --rotate
sea -C encrypted/ann passwd -q --add --new-password-file="$PWD/password2"
sea -C encrypted/ann config set --shared merge.policy newest
sea -C encrypted/ann set -q clash/open text='of ann' count+=3
sea -C encrypted/bob set -q clash/open text='of bob' count+=4
many many 0 300 | sea -C encrypted/ann put -q -
sync encrypted/ann encrypted/bob encrypted/ann
expect 0 sea clone --no-store-key --name=locked "$PWD/encrypted/container" encrypted/locked
sync encrypted/locked encrypted/ann encrypted/bob
finish encrypted

# members: a second admin, a writer, a reader, a revoked member, and a clone that waits for its authorization.
start members --require-auth
join members bob
join members carol --admin
join members dora --read-only
join members erik
sea -C members/erik set -q --create erik/1 text='before the revocation'
sync members/erik members/ann
expect 0 sea -C members/ann revoke erik
sea -C members/erik set -q --create erik/2 text='after the revocation'
sync members/erik members/ann members/carol
expect 7 sea -C members/dora set -q --create dora/1 text='not applied'
expect 0 sea clone --name=frank "$PWD/members/container" members/frank
sea -C members/frank set -q --create frank/1 text='pending'
sync members/frank members/ann
sea -C members/carol set -q clash/open text='of carol' count+=3
sea -C members/bob set -q clash/open text='of bob' count+=4
sync members/carol members/bob members/carol members/ann members/dora members/ann
finish members

# purged: purged blocks, an asset, and the orders.
start purged
join purged bob
purge purged
finish purged

# forked: an instance that was restored from an old copy and wrote on.
export XDG_STATE_HOME=/dev/null
start forked
join forked bob
fork forked
finish forked

# packed: pack files in the container, one of them with purged blocks.
start packed
join packed bob
purge packed
many many 0 1010 | sea -C packed/ann put -q --chunk=1 -
sync packed/ann packed/bob packed/ann
finish packed

# house: all of these at once, with a recovery key and a successor.
start house --encrypt --require-auth --recovery="$PWD/recovery"
join house bob
join house carol
sea -C house/carol set -q --create carol/1 text='before the revocation'
many many 0 20 | sea -C house/carol put -q --chunk=1 -
sync house/carol house/ann
sea init -q --renew-instance house/bob
sea -C house/bob set -q --create bob/1 text='under another key'
sync house/bob house/ann
expect 0 sea -C house/ann revoke carol
for name in password password2; do sea -C house/ann passwd -q --add --new-password-file="$PWD/$name"; done
sea -C house/ann set -q --create ann/1 text='under the second key'
sync house/ann house/bob
purge house
fork house
sea -C house/ann set -q clash/open text='of ann' count+=3 tags+=ann
sea -C house/bob set -q clash/open text='of bob' count+=4 tags+=bob
sync house/ann house/bob house/ann
(unset SEA_PASSWORD_FILE && expect 0 sea clone --name=gina "$PWD/house/container" house/gina)
sync house/ann
finish house

# Summary files, by a sync through a helper.
for world in plain house; do
  for one in $world/ann $world/bob; do
    expect 0 sea -C $one add-container helped "served:$PWD/$world/container"
    expect 0 sea -C $one sync helped
    expect 0 sea -C $one remove-container --only-copy-is-fine helped
  done
  [ -n "$(ls $world/container/heads)" ]
done

# The age has everything that its readers look for.
has() { [ -n "$(find "$@")" ] || { echo "the age lacks: $*" >&2; exit 1; }; }
has packed/container -name '*.blocks'
has plain -name 'split.tar.002'
has forked/container/transactions -name '*~*'
has house/container/transactions -name '*~*'
has house/container/requests -type f
has house/container/keys -type f
has plain/container/heads -type f

sea --version >version
tar -c --sort=name --owner=0 --group=0 --numeric-owner . | zstd -q -19 --long=27 >"$work/archive"
sh "$here/read.sh" "$SEA" "$PWD" >"$work/expected"
mv "$work/expected" "$target.expected"
mv "$work/archive" "$target.tar.zst"
