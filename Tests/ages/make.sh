#!/bin/sh
# Makes one age: databases, containers and bundles as this version of the program writes them, and what it reads in them.
#
#   usage: Tests/ages/make.sh FOLDER          with `sea` on PATH; FOLDER, such as Tests/ages/1, is made
#
# An age is made once, when a version is done, and never again: t9100-ages.sh reads all of them for ever, with `read.sh`
# of the age itself, and holds what it finds against `expect`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$1"
to=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
export SEA_CONFIG_NOSYSTEM=1 SEA_CONFIG_GLOBAL=/dev/null XDG_STATE_HOME="$work/state"
umask 077
echo 'the password of an age' >password
export SEA_PASSWORD_FILE="$work/password"

# fill NAME [OPTION...]: a database with every kind of value, an asset, a conflict, a settled one, a deletion, two instances
# that met in a container, and a bundle beside it.
fill() {
  name=$1
  shift
  sea init -q --name=ann --content-type=org.example.age "$@" "$name"
  head -c 70000 /dev/zero | tr '\0' 'x' >photo
  sea -C "$name" put -q - <"$here/records.json"
  sea -C "$name" set -q thing/1 photo:asset@"$work/photo" count+=3 tags+=new
  sea -C "$name" delete -q thing/gone
  sea -C "$name" add-container -q --create share "$work/$name-container"
  sea -C "$name" sync -q
}

# meet NAME: what a second instance writes, and what becomes of it.
meet() {
  name=$1
  sea -C "$name-bob" set -q thing/1 count+=4 text='of bob'
  sea -C "$name" set -q thing/1 text='of ann'
  sea -C "$name-bob" set -q thing/2 size:=2
  sea -C "$name" set -q thing/2 text='of ann'
  sea -C "$name-bob" put -q - <"$work/many.json"
  for one in "$name" "$name-bob" "$name"; do sea -C "$one" sync -q || [ $? = 1 ]; done
  sea -C "$name" export -q -o "$to/$name.tar.zst" --full
}

for k in $(seq 400); do printf '{"_id":"many/%d","_type":"many","n":%d,"text":"the same words again and again"}\n' "$k" "$k"; done >"$work/many.json"

fill plain
sea clone -q --name=bob "$work/plain-container" plain-bob
meet plain
fill sealed --encrypt
sea clone -q --name=bob "$work/sealed-container" sealed-bob
meet sealed
fill members --require-auth
sea clone -q --name=bob "$work/members-container" members-bob
sea -C members-bob set -q thing/0 text='held until ann lets bob in'
sea -C members-bob sync -q || :
sea -C members sync -q || :
words=$(sea -C members-bob instances --json --fingerprint | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')
sea -C members authorize -q --fingerprint="$words" bob
sea -C members sync -q
sea -C members-bob sync -q
meet members

# house: what takes longer to happen. A recovery key, members in a sealed database, a successor, one who is revoked and the
# key that follows, purges, a fork, folders that are folded, bundles of each kind.
let_in() {
  sea -C "house-$1" sync -q || :
  sea -C house sync -q || :
  words=$(sea -C "house-$1" instances --json --fingerprint | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')
  sea -C house authorize -q --fingerprint="$words" "$1"
  for one in house "house-$1"; do sea -C "$one" sync -q; done
}
export XDG_STATE_HOME=/dev/null
fill house --encrypt --require-auth --recovery="$work/recovery"
for one in bob carol; do
  sea clone -q --name=$one "$work/house-container" house-$one || [ $? = 8 ]
  let_in $one
done
meet house
sea -C house-carol set -q --create of/carol text='what she wrote stays'
for k in $(seq 1030); do printf '{"_id":"fold/%d","_type":"many","n":%d}\n' "$k" "$k"; done |
  sea -C house-carol put -q --chunk=1 -
for one in house-carol house; do sea -C "$one" sync -q || :; done
sea init -q --renew-instance house-bob
sea -C house-bob set -q --create of/bob text='under another key'
for one in house-bob house; do sea -C "$one" sync -q || :; done
sea -C house revoke -q carol 2>/dev/null
sea -C house passwd -q --add --new-password-file="$work/password"
sea -C house set -q --create secret/1 text='gone with the record' keep='gone too'
sea -C house set -q --create secret/2 text='gone alone' keep='stays'
for one in house house-bob; do sea -C "$one" sync -q || :; done
sea -C house purge -q --confirm=ann secret/1 || echo $?
sea -C house purge -q --confirm=ann secret/2 text || echo $?
for one in house house-bob house; do sea -C "$one" sync -q || :; done
cp -r house house-copy
sea -C house put -q '{"_id":"fork/here","n":1}'
sea -C house-copy put -q '{"_id":"fork/there","n":2}'
for one in house house-copy house; do sea -C "$one" sync -q || [ $? = 5 ]; done
rm -r house-copy
for kind in none xz; do sea -C house export -q -o "$to/house-$kind" --full --compress=$kind; done

cp "$here/read.sh" password "$to"
cp recovery "$to/recovery"
for name in plain sealed members house; do
  tar -c --sort=name --owner=0 --group=0 --mtime=@0 "$name-container" | zstd -q -19 >"$to/$name-container.tar.zst"
  tar -c --sort=name --owner=0 --group=0 --mtime=@0 "$name/.sea" | zstd -q -19 >"$to/$name-database.tar.zst"
done
mkdir read
(cd read && sh "$to/read.sh" "$to") >"$to/expect"
