# sealed: yes
# What a bundle has is looked at with tar and jq, not with sea.
cat >lib <<'EOX'
manifest() { tar xOf "$1" MANIFEST.json; }
EOX

t 'a bundle holds every block, byte by byte as a container does' <<'EOT'
. ./lib
sea init -q --name=field --content-type=org.example.birds birds
cd birds
sea add-container -q --create c ../c.sea
sea set -q --create -t site site/north name=North
sea set -q --create -t site site/south name=South
status 0 sea export -o ../all.tar --compress=none
says out 'all.tar   3 blocks, 2 changes'
sea push -q
cd ..
mkdir unpacked
tar xf all.tar -C unpacked
diff -r c.sea/transactions unpacked/transactions
[ "$(tail -c +1 unpacked/END)" = "$(sha256sum unpacked/MANIFEST.json | cut -d' ' -f1)" ]
. ./lib
manifest all.tar | jq -e '.sea == 4 and .blocks == 3 and .base == [] and (.heads | length) == 1' >/dev/null
manifest all.tar | jq -r '.list[] | "\(.sha256)  \(.path)"' >sums
(cd unpacked && sha256sum -c --quiet ../sums)
EOT

t 'unpacked it is a container' <<'EOT'
sea -C birds verify "$PWD/unpacked" >out
says out 'chain field 3 blocks ok'
sea -C birds add-container -q u "$PWD/unpacked"
sea -C birds sync -q u
sea verify unpacked >out
if grep foreign out; then exit 1; fi
EOT

t 'the same data give the same bytes, whatever the compression' <<'EOT'
cd birds
for kind in none gzip xz zstd; do
  sea export -q -o one --compress=$kind
  sea export -q -o two --compress=$kind
  cmp one two
  sea verify one >../verified.$kind
done
sea export -q -o one
sea export -q --compress=zstd -o two
cmp one two
sea export -o - 2>err | cmp - one
says err 'standard output   3 blocks'
rm one two
EOT

t 'an exchange directory gets what it lacks, and nothing twice' <<'EOT'
mkdir KIT
cd birds
status 0 sea export --to=../KIT/x --verify
says out 'exchange directory is new: writing everything'
says out 'birds-field-0001-full.sea.tar.zst   3 blocks, 2 changes'
says out 'written, flushed and read back from the medium: ok   manifest '
[ -s ../KIT/x/heads/"$(sea rev-parse --instance-id)".json ]
status 0 sea export --to=../KIT/x
says out 'nothing new for x; nothing was written'
status $NO sea export --to=../KIT/x --exit-code
sea set -q site/north name=Northern
status 0 sea export --to=../KIT/x -n
says out 'would write birds-field-0002-incr.sea.tar.zst   1 block, 1 change'
[ "$(ls ../KIT/x)" = "birds-field-0001-full.sea.tar.zst
heads" ]
status 0 sea --json export --to=../KIT/x
jq -e -s '.[0].event == "exported" and .[0].blocks == 1 and .[0].base[0].index == 2 and .[0].heads[0].index == 3
  and (.[0].full | not) and .[1].event == "summary"' out >/dev/null
[ -e ../KIT/x/birds-field-0002-incr.sea.tar.zst ]
status 0 sea export --to=../KIT/x --full
says out 'birds-field-0003-full.sea.tar.zst   4 blocks'
EOT

t 'without the bundles and heads everything is written' <<'EOT'
mkdir KIT/y
cp KIT/x/*0002* KIT/y
cd birds
status 0 sea export --to=../KIT/y
says out 'birds-field-0003-full.sea.tar.zst   4 blocks'
echo 'not a bundle' >../KIT/x/odd.sea.tar.zst
rm ../KIT/x/*000*
status 0 sea export --to=../KIT/x
says err 'warning[incompatible]: odd.sea.tar.zst is not a bundle'
says out '0001-full'
EOT

t 'a start is a bundle, heads, a time or an instance' <<'EOT'
. ./lib
cd birds
sea set -q site/north name=N4
sea export -q --full -o ../old.tar.zst
sea heads >../old.heads
sea set -q site/north name=N5
now=$(date +%s)
for start in ../old.tar.zst ../old.heads; do
  sea export -q --since=$start -o ../new.tar --compress=none
  manifest ../new.tar | jq -e '.blocks == 1 and .base[0].index == 4' >/dev/null
done
cp ../KIT/x/heads/*.json ../old.json
sea export -q --since=../old.json -o ../new.tar --compress=none
manifest ../new.tar | jq -e '.blocks == 2' >/dev/null
sea export -q --since=- -o ../new.tar --compress=none <../old.heads
manifest ../new.tar | jq -e '.blocks == 1' >/dev/null
sea export -q --since=@$((now + 100)) -o ../none.tar
[ ! -e ../none.tar ]
sea export -q --since=2001-01-01 -o ../new.tar --compress=none
manifest ../new.tar | jq -e '.blocks == 6' >/dev/null
status $USAGE sea export --since=nowhere -o ../new.tar
says err 'error[usage]'
printf 'x\ty\tz\n' >bad
status $BAD_DATA sea export --since=bad -o ../new.tar
sea clone -q --name=lab ../c.sea ../lab
cd ../lab
sea set -q site/south name=S2
sea push -q
cd ../birds
sea pull -q c
# What lab has seen: what was in the container.
sea export -q --force --for=lab -o ../new.tar --compress=none
manifest ../new.tar | jq -e '.base[0].index == 2 and .blocks == 3' >/dev/null
status $NOT_FOUND sea export --for=nobody -o ../new.tar
EOT

t 'invalid arguments are reported' <<'EOT'
cd birds
status $USAGE sea export
status $USAGE sea export --to=x -o y
status $USAGE sea export --full --since=1d -o y
status $USAGE sea export -o - --verify
status $USAGE sea export -o - --split=1M
status $USAGE sea export -o y --split=10
status $USAGE sea export -o y --compress=lzma
status $UNREACHABLE sea export --to=../nokit/x
says err 'error[unreachable]: '
says err "nokit' does not exist"
status $UNREACHABLE sea export -o ../nokit/x.tar
[ ! -e ../nokit ]
status $SYSTEM sea export -o ..
EOT

t 'a file that was there stays until the new one is whole' <<'EOT'
cd birds
: >../f.tar
mkdir -p .sea/hooks
printf '#!/bin/sh\ncat >"$SEA_DIR/../event"\nexit 3\n' >.sea/hooks/pre-export
chmod +x .sea/hooks/pre-export
status $REFUSED sea export -o ../f.tar
[ -e ../f.tar ]
[ ! -s ../f.tar ]
jq -e '.event == "export" and .blocks > 0 and (.heads | length) > 0' event >/dev/null
status 0 sea export -o ../f.tar --no-hooks
tar tf ../f.tar >/dev/null
rm .sea/hooks/pre-export
EOT

t 'export replaces only an older bundle of this database' <<'EOT'
cd birds
status 0 sea backup -o ../own.tar
status 0 sea backup -o ../own.tar
echo mine >../letter
sea init -q ../others
sea -C ../others backup -q -o ../others.tar
cp ../others.tar ../kept
for option in '' -n; do
  status $SYSTEM sea backup $option -o ../letter
  says err "file '../letter' already exists; nothing was written"
  says err 'to replace it, use --force'
  status $SYSTEM sea export --full $option -o ../others.tar
  says err "a bundle of database $(sea -C ../others rev-parse --database-id | cut -c1-8)"
done
[ "$(cat ../letter)" = mine ]
cmp ../kept ../others.tar
ln -s letter ../link
status $SYSTEM sea backup -o ../link
cp ../own.tar ../cut.tar && truncate -s 100 ../cut.tar
status $SYSTEM sea backup -o ../cut.tar
status 0 sea backup --force -o ../letter
sea verify -q ../letter
status $USAGE sea export --full --force --to=../KIT/forced
EOT

t 'a bundle with more than this one is not replaced' <<'EOT'
cd birds
sea backup -q -o ../whole.tar
status $SYSTEM sea export --since=../whole.tar --backup -o ../whole.tar
says err 'a full bundle, and this one would be incremental'
sea clone -q --name=second ../whole.tar ../second
sea -C ../second set -q --create -t x x/1 n:=1
sea -C ../second backup -q -o "$PWD/../whole.tar"
status $SYSTEM sea backup -o ../whole.tar
says err 'a bundle with blocks not stored in this database'
says err 'to import them, run: sea import ../whole.tar; to replace it, use --force'
sea import -q ../whole.tar
status 0 sea backup -o ../whole.tar
EOT

t 'volumes are joined by cat' <<'EOT'
cd birds
head -c 400000 /dev/urandom | base64 -w 60000 | sed 's/.*/{"t":"&"}/' | sea put -q -
status 0 sea export --full -o ../v.tar.zst --split=100000 --verify
says out 'v.tar.zst.001 to .00'
cat ../v.tar.zst.0* >../joined
sea verify ../joined
sea verify ../v.tar.zst
sea verify ../v.tar.zst.001
[ "$(stat -c %s ../v.tar.zst.001)" = 100000 ]
mv ../v.tar.zst.002 ../away
status $UNREACHABLE sea verify ../v.tar.zst.001
says out 'v.tar.zst.002'
mv ../away ../v.tar.zst.002
mkdir ../KIT/v
mv ../v.tar.zst.0* ../KIT/v
cd ../KIT/v
for f in v.tar.zst.0*; do mv "$f" "a.sea.tar.zst.${f##*.}"; done
sea clone -q --name=z . ../../z
[ "$(sea -C ../../z query --count)" = "$(sea -C ../../birds query --count)" ]
EOT

t 'assets go along as far as they are here' <<'EOT'
. ./lib
sea init -q --name=a a
cd a
head -c 100000 /dev/urandom >p1
head -c 50000 /dev/urandom >p2
sea set -q --create r photo:asset@p1
sea export -q --to=../KIT/a
sea set -q r note=x
sea export -q --to=../KIT/a
for f in ../KIT/a/*.zst; do
  zstd -dc "$f" >../plain.tar
  manifest ../plain.tar | jq -c '[.blocks, .assets, .absentAssets]'
done >counts
same counts <<'EOX'
[2,1,0]
[1,0,0]
EOX
sea set -q r more:asset@p2
sea export --no-assets -o ../n.tar --compress=none >out
says out '2 assets left out'
manifest ../n.tar | jq -e '.assets == 0 and .absentAssets == 2' >/dev/null
rm ../f.tar
sea export --json -o ../f.tar --compress=none >out
jq -e -s '.[0].assets == 2 and .[0].asset_bytes >= 150000' out >/dev/null
EOT

t 'nothing is written behind a link, and what has the next name is passed over' <<'EOT'
sea init -q --name=a links
sea -C links set -q --create r n:=1
mkdir kit elsewhere
sea -C links export -q --to="$PWD/kit"
first=$(ls kit | grep -v heads)
name() { echo "$first" | sed "s/0001-full/$1-incr/"; }
ln -s "$PWD/elsewhere/target" "kit/$(name 0002)"
mkfifo "kit/$(name 0003)"
mkdir "kit/$(name 0004)"
ln -s /nowhere/at/all "kit/$(name 0005).001"
sea -C links set -q r n:=2
status 0 sea -C links export -v --to="$PWD/kit"
says out "$(name 0006)"
[ -f "kit/$(name 0006)" ]
[ -z "$(ls -A elsewhere)" ]
status 0 sea clone -q kit all
[ "$(sea -C all get r n)" = 2 ]
EOT
