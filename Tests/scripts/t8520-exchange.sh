# sealed: yes
# Two people, one stick, no network: what interface and tutorial promise of it.

t 'the first has records and a photo, and takes them along' <<'EOT'
mkdir KIT
sea init -q --name=field --content-type=org.example.birds field
head -c 300000 /dev/urandom >IMG.jpg
cd field
sea set -q --create -t site site/north name='North hide' lat:decimal=47.3769
sea set -q --create -t sighting 7c1e species='Upupa epops' site:ref=site/north count:counter=2 tags:set+=song \
  photo:asset@../IMG.jpg
status 0 sea export --to=../KIT/sea-birds --verify
says out 'exchange directory is new: writing everything'
says out 'birds-field-0001-full.sea.tar.zst   3 blocks, 2 changes, 1 asset, '
says out 'written, flushed and read back from the medium: ok   manifest '
EOT

t 'the second checks it, begins with it, and answers' <<'EOT'
status 0 sea verify KIT/sea-birds/*.zst
says out '1 asset ok'
sea clone --name=lab --assets=none KIT/sea-birds lab >out
says out '3 blocks, 2 records, no conflicts; 1 asset ('
says out 'not fetched; to get them, run: sea fetch-assets'
[ ! -e lab/.sea/assets ] || [ -z "$(find lab/.sea/assets -type f)" ]
cd lab
[ "$(sea containers --porcelain | wc -l)" = 0 ]
sea set -q 7c1e species='Upupa epops epops' notes='two adults' count+=1
status 0 sea export --to=../KIT/sea-birds --verify
says out 'increment for field (it has: field 2)'
says out 'birds-lab-0001-incr.sea.tar.zst   2 blocks, 1 change'
EOT

t 'a hasty copy is damaged; the original is fine' <<'EOT'
cp -r KIT COPY
truncate -s 1000 COPY/sea-birds/birds-lab-0001-incr.sea.tar.zst
cd field
sea set -q 7c1e notes='adult feeding young' count+=2 tags+=nest
before=$(sea heads)
status $CORRUPT sea import ../COPY/sea-birds
says err 'error[truncated]: birds-lab-0001-incr.sea.tar.zst ends too early: in '
says err 'hint: use another copy'
[ "$(sea heads)" = "$before" ]
status 0 sea import ../KIT/sea-birds
says out 'birds-lab-0001-incr.sea.tar.zst: 2 blocks of lab, '
says out 'CONFLICT sighting 7c1e edit/edit: /notes'
sea resolve -q 7c1e --merge --set=notes='two adults, one feeding young'
status 0 sea export --to=../KIT/sea-birds --verify
says out 'increment for lab (it has: field 2, lab 1)'
status 0 sea export --to=../KIT/sea-birds
says out 'nothing new'
EOT

t 'and both have the same' <<'EOT'
cd lab
status 0 sea import ../KIT/sea-birds
says out 'birds-field-0002-incr.sea.tar.zst: 2 blocks of field, '
[ "$(wc -l <out)" = 1 ]
[ "$(sea heads | sort)" = "$(sea -C ../field heads | sort)" ]
[ "$(sea get 7c1e --json)" = "$(sea -C ../field get 7c1e --json)" ]
[ "$(sea get 7c1e count)" = 5 ]
# The photo was left out on purpose; now it is wanted.
status $UNREACHABLE sea get 7c1e photo --raw
sea import -q ../KIT/sea-birds/birds-field-0001-full.sea.tar.zst
sea get 7c1e photo --raw | cmp - ../IMG.jpg
sea verify -q
EOT

t 'a third one comes later, and nobody has to remember anything' <<'EOT'
sea clone -q --name=attic KIT/sea-birds attic
cd attic
sea set -q --create -t site site/attic name=Attic
status 0 sea export --to=../KIT/sea-birds
says out '   2 blocks, 1 change'
for one in field lab; do sea -C ../$one import -q ../KIT/sea-birds; done
for one in field lab attic; do sea -C ../$one export -q --to=../KIT/sea-birds; done
for one in field lab attic; do sea -C ../$one import -q ../KIT/sea-birds; done
for one in field lab; do [ "$(sea -C ../$one query --json)" = "$(sea query --json)" ]; done
before=$(ls ../KIT/sea-birds)
for one in field lab attic; do
  status 0 sea -C ../$one export --to=../KIT/sea-birds
  says out 'nothing new'
done
[ "$(ls ../KIT/sea-birds)" = "$before" ]
EOT

t 'the exchange continues after old bundles were removed' <<'EOT'
rm KIT/sea-birds/*.zst
cd field
sea set -q site/north name=N2
status 0 sea export --to=../KIT/sea-birds
says out 'increment for receivers with: '
cd ../lab
status 0 sea import ../KIT/sea-birds
[ "$(sea get site/north name)" = N2 ]
# Only a newcomer misses something.
status $PARTIAL sea clone --name=new ../KIT/sea-birds ../new
[ ! -e ../new ]
sea -C ../field export -q --full --to=../KIT/sea-birds
sea clone -q --name=new ../KIT/sea-birds ../new
EOT

t 'a directory that was used before and is gone or empty is not begun again' <<'EOT'
mkdir media
sea init -q --name=a away
sea -C away set -q --create x/1 v:=1
sea -C away export -q --to=../media/kit
sea clone -q --name=b media/kit borrowed
sea -C away set -q x/1 v:=2
sea -C borrowed set -q x/2 --create v:=1
mv media stick
# The mount point is still there, then the drive's own folder is, and then the directory itself is the mount point.
for there in media media/kit media/kit/heads; do
  mkdir -p $there
  [ $there = media ] || : >media/kit/.Trash-1000
  for who in away borrowed; do
    for option in '' -n --full; do
      status $UNREACHABLE sea -C $who export $option --to=../media/kit
      says err "error[unreachable]: exchange directory '$PWD/media/kit' is missing or empty, but was used before"
      says err "to start a new one, run: sea export --create --to=$PWD/media/kit"
    done
  done
  find media -name '*.zst' -o -name '*.json' | same /dev/stdin </dev/null
done
status 0 sea -C away export --create --to=../media/kit
says out 'exchange directory is new: writing everything'
# One that was never used is made without being asked for.
status 0 sea -C away export --to=../media/other
# The drive is back.
rm -rf media && mv stick media
for who in away borrowed; do status 0 sea -C $who export --to=../media/kit; says out '-incr.sea.tar.zst'; done
status $USAGE sea -C away export --create -o ../x.tar.zst
says err "'--create' requires '--to'"
EOT

t 'assets that an increment left out follow with the next one' <<'EOT'
mkdir PHOTOS
for n in 1 2 3; do head -c 100000 /dev/urandom >$n.jpg; done
sea init -q --name=a sender
sea -C sender export -q --to=../PHOTOS/x
sea clone -q --name=b PHOTOS/x taker
sea -C sender set -q --create -t s s/1 foto:asset@../1.jpg
sea -C sender set -q --create -t s s/2 foto:asset@../2.jpg
status 0 sea -C sender export --to=../PHOTOS/x --no-assets
says out '2 assets left out'
for probe in '' --probe; do
  status 0 sea -C sender status $probe
  says out "PHOTOS/x  2 assets to export"
done
status 0 sea -C sender status --json
says out '"to_export":0,"assets_to_export":2'
status 0 sea -C sender status --porcelain
says out '# assets.to-export	2'
status $NO sea -C sender status -q --probe --exit-code
status 0 sea -C sender export --to=../PHOTOS/x --no-assets
says out 'nothing new'
sea -C sender set -q --create -t s s/3 foto:asset@../3.jpg
status 0 sea -C sender export -n --to=../PHOTOS/x
says out '1 block, 1 change, 3 assets'
sea -C taker import -q ../PHOTOS/x
# With nothing else that is new they are a bundle of their own, which waits for the blocks that name them.
sea -C sender export -q --to=../PHOTOS/x --no-assets
status 0 sea -C sender export --to=../PHOTOS/x
says out '0 blocks, 0 changes, 3 assets'
status 0 sea -C sender export --to=../PHOTOS/x
says out 'nothing new'
status 0 sea -C sender status --probe
says out "PHOTOS/x  nothing to export"
last=$(ls PHOTOS/x/*.zst | tail -1)
status 0 sea verify "$last"
status $PARTIAL sea -C taker import "../$last"
says err 'requires blocks that are missing here'
status 0 sea -C taker status --probe
says out '2 bundles to import'
status 0 sea -C taker import ../PHOTOS/x
for n in 1 2 3; do sea -C taker get s/$n foto --raw | cmp - $n.jpg; done
status 0 sea -C taker import ../PHOTOS/x
says out 'nothing new'
sea clone -q --name=c PHOTOS/x later
for n in 1 2 3; do sea -C later get s/$n foto --raw | cmp - $n.jpg; done
# Where the bundles were taken away nobody knows what came with them, and nothing is written twice.
sea -C taker set -q --create t/1 n:=1
sea -C taker export -q --to=../PHOTOS/x
for one in sender later; do sea -C $one import -q ../PHOTOS/x; done
# Where only the bundle is left that left something out, that still follows, and nothing else.
before=$(ls PHOTOS/x/*.zst)
head -c 100000 /dev/urandom >4.jpg
sea -C sender set -q --create -t s s/4 foto:asset@../4.jpg
sea -C sender export -q --to=../PHOTOS/x --no-assets
rm $before
for one in taker later; do sea -C $one import -q ../PHOTOS/x; done
status 0 sea -C sender export --to=../PHOTOS/x
says out '0 blocks, 0 changes, 1 asset'
sea -C taker import -q ../PHOTOS/x
sea -C taker get s/4 foto --raw | cmp - 4.jpg
rm PHOTOS/x/*.zst
sea -C sender set -q --create t/2 n:=1
status 0 sea -C sender export --to=../PHOTOS/x
says out '1 block, 1 change, '
lacks out asset
EOT

t 'the word of somebody unknown withholds nothing' <<'EOT'
cd field
rm -rf ../NEW; mkdir -p ../NEW/heads
stranger=aaaaaaaa-aaaa-8aaa-8aaa-aaaaaaaaaaaa
sed "s/$(sea rev-parse --instance-id)\",\"heads/$stranger\",\"heads/" "../KIT/sea-birds/heads/$(sea rev-parse --instance-id).json" >../NEW/heads/$stranger.json
grep -q "\"instance\":\"$stranger" ../NEW/heads/$stranger.json
status 0 sea export --to=../NEW
says out '-full.sea.tar.zst'
fails grep -q 'nothing new' out
EOT

t 'kill -9 leaves the old or the new, and nothing else' <<'EOT'
sea init -q --name=big big
sea -C big export -q -o ../empty.tar.zst
head -c 6000000 /dev/urandom | base64 -w 3000 | sed 's/.*/{"t":"&"}/' | sea -C big put -q --chunk=200 -
mkdir KIT/big
sea -C big export -q -o ../whole.tar.zst
for ms in 5 15 30 50 80 120 200 300 400; do
  sea -C big export -q --full --to=../KIT/big &
  sleep 0.$(printf %03d $ms)
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  for f in KIT/big/*.zst; do [ ! -e "$f" ] || cmp "$f" whole.tar.zst; done
done
rm -f KIT/big/*.zst
sea -C big export -q --full --to=../KIT/big
[ "$(ls -A KIT/big | wc -l)" = 2 ]
sea -C big set -q --create one n:=1
sea -C big export -q --since=../whole.tar.zst -o ../incr.tar.zst
for ms in 5 20 40 60 80 120 160 200 300 500; do
  rm -rf small
  sea clone -q --name=small empty.tar.zst small
  before=$(sea -C small heads)
  sea -C small import -q ../whole.tar.zst &
  sleep 0.$(printf %03d $ms)
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  case $(sea -C small heads | wc -l) in
  2) ;;
  *) exit 1 ;;
  esac
  if [ "$(sea -C small heads)" != "$before" ]; then
    [ "$(sea -C small query --count)" = "$(($(sea -C big query --count) - 1))" ]
  fi
  sea -C small verify -q
  sea -C small import -q ../whole.tar.zst
  sea -C small import -q ../incr.tar.zst
  [ "$(sea -C small query --count)" = "$(sea -C big query --count)" ]
  [ -z "$(ls -A small/.sea/tmp)" ]
done
EOT

t 'several exports into one directory at once: all succeed' <<'EOT'
sea init -q --name=one many
sea -C many put -q '{"_id":"a","n":1}'
for flags in '' --full; do
  rm -rf stick
  mkdir stick
  jobs=
  for k in 1 2 3 4; do
    sea -C many export -q --create $flags --to="$PWD/stick" &
    jobs="$jobs $!"
  done
  for job in $jobs; do wait "$job"; done
  # Of those that begin together each may write all; who comes later has nothing new.
  count=$(ls stick/*.tar.zst | wc -l)
  if [ -z "$flags" ]; then [ "$count" -ge 1 ]; [ "$count" -le 4 ]; else [ "$count" -eq 4 ]; fi
  sea -C many export -q $flags --to="$PWD/stick"
  [ "$(ls stick/*.tar.zst | wc -l)" -eq $([ -z "$flags" ] && echo "$count" || echo 5) ]
  sea verify -q stick/*.tar.zst
done
EOT

t 'two copies of a machine fork a chain: it is called a fork, and later bundles still go in' <<'EOT'
mkdir fork
cd fork
XDG_STATE_HOME=/dev/null
export XDG_STATE_HOME
x=$PWD/x
mkdir x
sea init -q --name=one a
sea -C a put -q '{"_id":"r","n":1}'
sea -C a export -q --to="$x"
sea clone -q --name=two x b
cp -a a a2
sea -C a put -q '{"_id":"p","n":1}'
sea -C a2 put -q '{"_id":"q","n":1}'
sea -C a export -q --to="$x"
sea -C a2 export -q --to="$x"
status 0 sea -C b import "$x"
says err 'warning[fork]'
[ "$(sea -C b query --json | wc -l)" = 3 ]
status 0 sea -C b import "$x"
sea -C a put -q '{"_id":"s","n":1}'
sea -C a export -q --to="$x"
sea -C a2 put -q '{"_id":"t","n":1}'
sea -C a2 export -q --to="$x"
status 0 sea -C b import "$x"
[ "$(sea -C b query --json | wc -l)" = 5 ]
status 0 sea -C a import "$x"
says err 'warning[fork]'
status 0 sea -C a2 import "$x"
sea -C a put -q '{"_id":"u","n":1}'
sea -C a export -q --to="$x"
status 0 sea -C b import "$x"
sea -C b export -q --to="$x"
status 0 sea -C a import "$x"
status 0 sea -C a2 import "$x"
for one in a a2 b; do
  sea -C $one verify -q
  [ "$(sea -C $one query --json | wc -l)" = 6 ]
done
EOT

t 'a damaged bundle keeps nothing from being written again' <<'EOT'
sea init -q --name=one one
sea -C one put -q '{"_id":"r","n":"some text that is long enough to be found in a bundle"}'
for compress in none zstd; do
  mkdir "X-$compress"
  sea -C one export -q --to="$PWD/X-$compress" --compress=$compress
  bundle=$(ls "X-$compress"/*.sea.tar*)
  # One byte of a block; the manifest is whole. Of what is compressed a byte may mean nothing: it is opened for that.
  case $compress in zstd) zstd -qdc "$bundle" >opened ;; *) cp "$bundle" opened ;; esac
  python3 -c 'data = bytearray(open("opened", "rb").read())
data[data.rindex(b"SEA") + 100] ^= 1
open("opened", "wb").write(data)'
  case $compress in zstd) zstd -qc opened >"$bundle" ;; *) cp opened "$bundle" ;; esac
  for option in '' --verify; do
    status 0 sea -C one export -n --to="$PWD/X-$compress" $option
    says err 'its content is exported again'
    says out 'would'
  done
  status 0 sea -C one export --to="$PWD/X-$compress"
  status 0 sea -C one export --to="$PWD/X-$compress"
  says out 'nothing new'
  sea clone -q "$(ls "X-$compress"/*.sea.tar* | tail -1)" "two-$compress"
done
EOT

t 'a container is no exchange directory, and a bundle that lies in one is called what it is' <<'EOT'
sea init -q --name=f f
sea -C f add-container -q --create c "$PWD/fc"
sea -C f sync -q
for option in '' -n; do
  status $SYSTEM sea -C f export $option --to=../fc
  says err "'../fc' is a container (c), not a folder for bundles; nothing was written"
  says err 'to send new transactions to it, run: sea push c'
done
cp -r fc other
status $SYSTEM sea -C f export --to=../other
says err 'choose another folder'
ls fc | lacks /dev/stdin .sea.tar
sea -C f export -q --to="$PWD/beside"
cp -r beside/* fc
status $NO sea -C f doctor cloud-debris
says out 'it is a bundle written by sea export, not a part of the container'
lacks out "not a file of sea"
sea -C f doctor --porcelain cloud-debris | cut -f4 | sort -u | grep -qx bundle
sea verify fc >out 2>&1
[ "$(grep -c 'foreign-file: ignored .*: it was written by sea export' out)" = 2 ]
EOT
