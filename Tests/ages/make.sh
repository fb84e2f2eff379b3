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

cp "$here/read.sh" password "$to"
for name in plain sealed members; do
  tar -c --sort=name --owner=0 --group=0 --mtime=@0 "$name-container" | zstd -q -19 >"$to/$name-container.tar.zst"
  tar -c --sort=name --owner=0 --group=0 --mtime=@0 "$name/.sea" | zstd -q -19 >"$to/$name-database.tar.zst"
done
mkdir read
(cd read && sh "$to/read.sh" "$to") >"$to/expect"
