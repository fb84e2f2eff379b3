# sealed: yes
# Two instances; what one has written is taken in by the other.
cat >lib <<'EOX'
sums() { (cd "$1" && find .sea -type f ! -name lock ! -name 'db-*' ! -path '*/tmp/*' -exec sha256sum {} + | sort); }
heads() { sea -C "$1" heads | sort; }
EOX

t 'a bundle brings what is new, and nothing the second time' <<'EOT'
sea init -q --name=a --content-type=org.example.x a
sea -C a set -q --create r1 n:=1
sea -C a export -q -o ../b0.tar.zst
sea clone -q --name=b b0.tar.zst b
sea -C a set -q r1 n:=2
sea -C a set -q --create r2 n:=1
sea -C a export -q --since=../b0.tar.zst -o ../b1.tar.zst
sea -C a set -q r2 n:=3
sea -C a export -q --since=../b1.tar.zst -o ../b2.tar.zst
cd b
status 0 sea import ../b1.tar.zst
says out 'b1.tar.zst: 2 blocks of a, 2 records changed'
[ "$(sea get r1 n)" = 2 ]
status 0 sea import ../b1.tar.zst
says out 'b1.tar.zst: nothing new'
status 0 sea --json import ../b0.tar.zst
jq -e -s '.[0].event == "imported" and .[0].blocks == 0 and .[1].event == "summary" and .[1].bundles == 1' out >/dev/null
EOT

t 'order does not matter, and a missing base is named' <<'EOT'
sea clone -q --name=c b0.tar.zst c
cd c
status $PARTIAL sea import ../b2.tar.zst
says err 'error[base-missing]: b2.tar.zst requires blocks that are missing here: a/3 (here: up to 1)'
says err 'hint: import earlier bundles first'
status $PARTIAL sea --json import ../b2.tar.zst
says err '"code":"base-missing","exit":8'
says err '"index":3'
says out '"missing":1'
status 0 sea import ../b2.tar.zst ../b0.tar.zst ../b1.tar.zst
[ "$(sea get r2 n)" = 3 ]
sea verify -q
status 0 sea import ../b1.tar.zst ../b0.tar.zst
. ../lib
[ "$(heads ../c | grep -v "$(sea rev-parse --instance-id)")" = "$(heads ../a | head -3)" ]
EOT

t 'a damaged bundle changes nothing' <<'EOT'
. ./lib
sea clone -q --name=d b0.tar.zst d
sums d >before
size=$(stat -c %s b1.tar.zst)
zstd -q -dc b1.tar.zst >b1.tar
for cut in 0 1 100 $((size / 2)) $((size - 1)); do
  head -c $cut b1.tar.zst >cut.tar.zst
  have=0
  sea -C d import ../cut.tar.zst >out 2>err || have=$?
  case $have in 5|11) ;; *) echo "$cut: $have"; exit 1 ;; esac
done
says err 'error[truncated]: cut.tar.zst ends too early'
n=0
for at in $(seq 700 97 $(($(stat -c %s b1.tar) - 1100))); do
  cp b1.tar flip.tar
  old=$(od -An -tu1 -j$at -N1 b1.tar | tr -d ' ')
  printf "\\$(printf %o $(((old + 1) % 256)))" | dd of=flip.tar bs=1 seek=$at conv=notrunc status=none
  have=0
  sea -C d import ../flip.tar >out 2>err || have=$?
  # A digit of the version may have been hit.
  case $have in 5|11) ;; *) echo "$at: $have"; cat err; exit 1 ;; esac
  n=$((n + 1))
done
[ $n -gt 20 ]
echo more >>b1.tar
status $CORRUPT sea -C d import ../b1.tar
says err 'has data after its end'
echo hello >no.tar
status $INCOMPATIBLE sea -C d import ../no.tar
says err 'no.tar is not a bundle'
status $UNREACHABLE sea -C d import ../nothing.tar
sums d | diff before -
[ -z "$(ls d/.sea/tmp 2>/dev/null)" ]
sea -C d import -q ../b1.tar.zst
EOT

t 'another database is refused' <<'EOT'
sea init -q --name=o other
status $INCOMPATIBLE sea -C other import ../b0.tar.zst
says err 'is from database '
mkdir -p stick
sea -C other export -q --to=../stick
status $INCOMPATIBLE sea -C a import ../stick
sea -C a export -q --to=../stick
status 0 sea -C b import ../stick
[ ! -s err ]
status $INCOMPATIBLE sea -C b import ../stick/data-o-0001-full.sea.tar.zst
EOT

t 'from standard input, and a dry run' <<'EOT'
sea clone -q --name=e b0.tar.zst e
cd e
status 0 sea import -n ../b1.tar.zst ../b2.tar.zst
says out 'b1.tar.zst: 2 blocks, some may be here already'
status $PARTIAL sea import -n ../b2.tar.zst
says out 'b2.tar.zst: needs earlier bundles'
[ "$(sea get r1 n)" = 1 ]
sea import -q - <../b1.tar.zst
[ "$(sea get r1 n)" = 2 ]
sea -C ../a heads >../heads
sea -C ../a export -q -o - | sea import -q -
[ "$(sea get r2 n)" = 3 ]
EOT

t 'blocks that a bundle names but does not contain are reported' <<'EOT'
sea clone -q --name=third b0.tar.zst third
sea -C third set -q --create t1 n:=1
sea -C third export -q --since=../b0.tar.zst -o ../third.tar.zst
third=$(sea -C third rev-parse --instance-id)
sea clone -q --name=x b0.tar.zst x
sea -C x import -q ../third.tar.zst
sea -C x set -q --create x1 n:=1
sea -C x heads | grep "$third" >have
sea -C x export -q --since=../have -o ../x.tar.zst
status 0 sea --json verify x.tar.zst
jq -e -s --arg i "$third" '.[] | select(.event == "bundle") | .heads | map(.instance) | index($i) != null' out >/dev/null
[ "$(grep -c '"event":"chain"' out)" = 2 ]
sea clone -q --name=z b0.tar.zst z
cd z
status 0 sea import ../x.tar.zst
says err '/1 is missing, also from this database'
[ "$(sea get x1 n)" = 1 ]
status 0 sea --json import ../x.tar.zst
jq -e -s --arg i "$third" '.[] | select(.event == "problem") | .code == "withheld" and .instance == $i and .index == 1' out >/dev/null
status 0 sea import ../third.tar.zst ../x.tar.zst
if grep 'neither here' err; then exit 1; fi
# Who has taken in that bundle is at least there.
sea -C ../x set -q x1 n:=2
status 0 sea -C ../x export --since=../x.tar.zst -o ../x2.tar.zst
says out '1 block,'
EOT

t 'conflicts and merges are told, and hooks are called' <<'EOT'
cd b
sea import -q ../b2.tar.zst
sea set -q r1 n:=7 mine=b
sea -C ../a set -q r1 n:=8 theirs=a
sea -C ../a set -q r2 z:=1
sea set -q r2 y:=1
mkdir -p .sea/hooks
printf '#!/bin/sh\ncat >>"$SEA_DIR/../event"\n' >.sea/hooks/post-import
cp .sea/hooks/post-import .sea/hooks/post-conflict
chmod +x .sea/hooks/*
sea -C ../a export -q -o ../b3.tar.zst
status 0 sea import ../b3.tar.zst
says out 'b3.tar.zst: 2 blocks of a, '
says out 'merged: r2 '
says out 'CONFLICT - r1 edit/edit: /n'
jq -e -s '.[0].event == "imported" and .[0].blocks == 2 and .[1].event == "conflict" and .[1].id == "r1"' event >/dev/null
status $CONFLICT sea import --fail-on-conflict ../b3.tar.zst
sea -C ../c import -q ../b3.tar.zst
status 0 sea import --no-merge ../b3.tar.zst
status $USAGE sea import
EOT

t 'a fork travels' <<'EOT'
cp -r a copy
sea -C a set -q --create f1 n:=1
XDG_STATE_HOME=$PWD/elsewhere sea -C copy set -q --create f2 n:=1
sea -C a export -q -o ../f1.tar.zst
XDG_STATE_HOME=$PWD/elsewhere sea -C copy export -q -o ../f2.tar.zst
sea clone -q --name=g f1.tar.zst g
cd g
have=0
sea import ../f2.tar.zst >out 2>err || have=$?
[ "$(sea get f1 n)$(sea get f2 n)" = 11 ]
sea export -q -o ../f3.tar.zst
cd ..
have=0
sea clone --name=h f3.tar.zst h >out 2>err || have=$?
[ "$(sea -C h get f1 n)$(sea -C h get f2 n)" = 11 ]
sea verify f3.tar.zst >out || true
sea -C g heads | grep -v "$(sea -C g rev-parse --instance-id)" | sort >one
sea -C h heads | grep -v "$(sea -C h rev-parse --instance-id)" | grep -v "$(sea -C g rev-parse --instance-id)" | sort >two
diff one two
if grep -E ': (bad-|gap)' out; then exit 1; fi
EOT

t 'a file of assets that a dying import left is replaced and noted: it is handed on' <<'EOT'
rm -rf origin late box
head -c 40000 /dev/urandom >picture
sea init -q --name=origin origin
sea -C origin set -q --create r p:asset@"$PWD/picture"
sea -C origin export -q -o "$PWD/with.sea.tar.zst"
sea clone -q --name=late --assets=none with.sea.tar.zst late
place=$(cd origin/.sea && find assets -type f)
mkdir -p "late/.sea/$(dirname "$place")"
head -c 40000 /dev/zero >"late/.sea/$place"
status 0 sea -C late import "$PWD/with.sea.tar.zst"
sea -C late get --raw r p | cmp - picture
sea -C late add-container -q --create box "$PWD/box"
sea -C late push -q
cmp "box/$place" "origin/.sea/$place"
EOT

t 'the announced size of a bundle is checked against the limit and the free space' <<'EOT'
sea init -q --name=big big
head -c 400000 /dev/urandom >much
sea -C big set -q --create r scan:asset@../much
sea -C big export -q -o ../big.sea.tar
sea init -q other
sea clone -q big.sea.tar small --max-size=1M
rm -rf small
for how in 'sea clone --max-size=100K big.sea.tar small' 'sea -c import.maxSize=100K clone big.sea.tar small'; do
  strace -f -o trace -e trace=openat $how >out 2>err && exit 1
  status $SYSTEM $how
  says err '--max-size'
  ! grep -E 'O_CREAT' trace | grep -E '/tmp/.*(assets|transactions)' || exit 1
done
[ ! -e small/.sea ]
sea clone -q --max-size=100K big.sea.tar small --assets=none
rm -rf small
status $SYSTEM sea clone --max-size=100K - small <big.sea.tar
sea clone -q - small <big.sea.tar
sea -C big set -q r n:=1
sea -C big export -q --full -o ../big2.sea.tar
status $SYSTEM sea -C small import --max-size=100K ../big2.sea.tar
status $SYSTEM sea -C small -c import.maxSize=10K import ../big2.sea.tar
[ -z "$(ls small/.sea/tmp 2>/dev/null)" ]
sea -C small import -q --max-size=1M ../big2.sea.tar
if mkdir -p tiny && mount -t tmpfs -o size=20m none tiny 2>/dev/null; then
  head -c 5000000 /dev/urandom >much
  sea -C big set -q r scan:asset@../much
  sea -C big export -q --full -o ../big3.sea.tar
  status $SYSTEM sea clone big3.sea.tar tiny/d
  says err 'are free'
  umount tiny
fi
EOT
