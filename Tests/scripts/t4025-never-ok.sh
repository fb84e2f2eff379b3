# limit: 180
# sealed: yes
# Nothing is called well of a container that a clone would get less from, whoever looks and with whatever command.
export XDG_STATE_HOME=/dev/null
t 'a world' <<'EOT'
sea init -q --name=d d
sea -C d put -q '{"_id":"x","n":1}'
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
sea clone -q --name=r c r
sea clone -q --name=w c w
for n in 1 2 3; do sea -C w set -q --create w/$n n:=$n; sea -C d set -q x n:=$n; done
sea -C w sync -q
sea -C d sync -q
printf 'T=%s\nW=%s\n' "$(sea -C d rev-parse --instance-id)" "$(sea -C w rev-parse --instance-id)" >ids
rm -rf whole && cp -rp c whole
EOT

t 'an unreadable container is never ok: pull, push, probe, clone' <<'EOT'
. ./ids
for harm in 'rm c/transactions/$W/1/0' ': >c/transactions/$W/1/1' 'rm c/transactions/$W/1/1; mkdir c/transactions/$W/1/1'; do
  rm -rf c s && cp -rp whole c && cp -rp r s
  eval "$harm"
  status $PARTIAL sea -C s containers --probe
  status $PARTIAL sea -C s pull
  status $PARTIAL sea -C s status --exit-code
  status $PARTIAL sea -C s containers --probe
  status $PARTIAL sea -C s push
  status $PARTIAL sea -C s status --exit-code
  status $PARTIAL sea -C s containers --probe
  status $PARTIAL sea -C s sync
  status $PARTIAL sea -C s push
  status $PARTIAL sea -C s status --exit-code
  status $PARTIAL sea clone c n
  rm -rf n
done
EOT

t 'invalid blocks are still reported when other instances only push' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp r s
spoil c/transactions/$W/1/1 100
for command in sync pull push; do status $CORRUPT sea -C s $command; done
status $CORRUPT sea -C s status --exit-code
status $CORRUPT sea -C s containers --probe
EOT

t 'an instance that has missing blocks reports it, also for a read-only container' <<'EOT'
. ./ids
for harm in 'rm c/transactions/$T/1/1' 'rm -r c/transactions/$T'; do
  rm -rf c s && cp -rp whole c && cp -rp d s
  eval "$harm"
  status $PARTIAL sea -C s pull
  says err 'is incomplete: it was complete before'
  status $PARTIAL sea -C s status --exit-code
  status 0 sea -C s sync -n
  says out 'lost block'
  grep -Eo 'pushed [0-9]+' out >want
  status 0 sea -C s push -n
  grep -Eo 'pushed [0-9]+' out | same want
  status 0 sea -C s push
  grep -Eo 'pushed [0-9]+' out | same want
  status 0 sea -C s pull
  status 0 sea -C s status --exit-code
  sea clone -q c n
  [ "$(sea -C n get x n)" = 3 ]
  rm -rf n
done
EOT

t 'a dry run counts lost assets and slots too' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp d s
echo photo >file
sea -C s set -q --create p scan:asset@../file
sea -C s sync -q
status 0 sea -C s sync -n
[ "$(cat out)" = 'c: would have pulled 0, pushed 0' ]
rm -rf c/assets c/keys
for command in sync push; do
  status 0 sea -C s $command -n
  says out '1 lost asset restored'
  [ -z "$SEA_TEST_SEALED" ] || says out '1 lost key slot restored'
  cut -d, -f2- out >$command.want
done
status $PARTIAL sea -C s pull -n
status 0 sea -C s sync
cut -d, -f2- out | same sync.want
status 0 sea -C s sync -n
[ "$(cat out)" = 'c: would have pulled 0, pushed 0' ]
EOT

t 'files in the place of folders that nobody misses' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp d s
for name in heads requests; do
  rm -rf c/$name
  echo junk >c/$name
done
status 0 sea verify c
says out 'ignored "heads"'
says out 'ignored "requests"'
status 0 sea -C s sync
rm -rf copy
status 0 sea mirror c copy
status 0 sea verify c --repair=copy
echo junk >c/assets
status $CORRUPT sea verify c
EOT

t 'blocks that others have seen but nobody has make a container incomplete' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp w s
sea -C s sync -q
sea -C s put -q '{"_id":"seen"}'
sea -C s sync -q
rm c/transactions/$T/1/3
status $PARTIAL sea clone c n
says err 'is known to others, but missing from all containers'
status $PARTIAL sea -C n sync
status $PARTIAL sea -C n status --exit-code
sea -C s sync -q
status 0 sea -C n sync
status 0 sea -C n status --exit-code
rm -rf n
EOT

t 'a file in the place of a folder keeps nobody from writing' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp d s
rm -r c/transactions/$W
echo junk >c/transactions/$W
sea -C s put -q '{"_id":"later"}'
status 0 sea -C s sync
says out 'lost blocks restored'
[ -d c/transactions/$W ]
status 0 sea -C s sync
sea clone -q c n
[ "$(sea -C n get w/3 n)" = 3 ]
sea verify -q c
echo junk >c/assets
echo photo >file
sea -C s set -q --create p scan:asset@../file
[ -d c/assets ] || status 0 sea -C s sync
[ -d c/assets ]
id=$(sea -C n rev-parse --instance-id)
echo junk >c/transactions/$id
sea -C n put -q '{"_id":"mine"}'
status 0 sea -C n sync
sea -C s sync -q
sea -C s get mine >mine
EOT

t 'a known problem is reported until it is repaired' <<'EOT'
. ./ids
rm -rf c s && cp -rp whole c && cp -rp d s
sea -C s sync -q
sleep 0.1
# Placeholders say that the cloud client may bring them yet.
for n in 0 2; do : >c/transactions/$W/1/.$n.icloud; spoil c/transactions/$W/1/$n 100; done
for n in 1 2 3 4; do
  status $PARTIAL sea -C s sync
  status $PARTIAL sea -C s status --exit-code
done
for n in 1 2 3 4 5; do sea -C s -c sync.patience=0 sync || :; done
status 0 sea -C s sync
status 0 sea -C s status --exit-code
sea verify -q c
EOT

t 'nor of one that keeps out who comes with the right passphrase' <<'EOT'
umask 077
mkdir crowd && cd crowd
printf 'correct horse\n' >word
export SEA_PASSWORD_FILE="$PWD/word"
sea init -q --encrypt one
sea -C one add-container -q --create c "$PWD/c"
sea -C one put -q '{"_id":"a"}'
sea -C one sync -q
# More than anybody reads: a newcomer comes no further than the first 10,000.
zeros=$(printf '0%.0s' $(seq 59))
(cd c/keys && seq 10001 20001 | sed "s/^/$zeros/" | xargs touch)
status $DENIED sea clone c two
says err 'not tried'
says err 'sea containers --drop-held=NAME'
# Or all of them are tried.
status $CORRUPT sea clone --all-slots c two
says err 'warning[crowded]: origin: '
[ "$(sea -C two query --ids)" = a ]
status $CORRUPT sea -C one sync
says err 'warning[crowded]: c: 10001 files from non-members in its folder keys'
says err 'sea containers --drop-held=c'
status $CORRUPT sea -C one push
status $CORRUPT sea -C one sync -n
status $CORRUPT sea -C one containers --probe
says out 'damaged'
status $CORRUPT sea -C one status --exit-code
status $CORRUPT sea -C one verify c
says out 'crowded: 10001 files'
status 0 sea -C one containers --drop-held=c
says out 'removed 10001 unlisted key slots'
status 0 sea -C one sync
status 0 sea -C one verify c
status 0 sea clone c three
EOT

t 'verify NAME knows what was there, as sync does' <<'EOT'
mkdir gone && cd gone
sea init -q --name=one one
sea -C one add-container -q --create c "$PWD/c"
sea -C one put -q '{"_id":"a"}'
sea -C one sync -q
sea clone -q --name=two c two
sea -C two put -q '{"_id":"b"}'
sea -C two sync -q
sea -C one sync -q
status 0 sea -C one verify c
two=$(sea -C two rev-parse --instance-id)
cp -R c whole
rm -r "c/transactions/$two"
for place in c "$PWD/c"; do
  status $CORRUPT sea -C one verify "$place"
  says out '/0 was lost or damaged; good copy: .sea'
done
# Nobody else can know.
status 0 sea verify c
status 0 sea -C one verify "$PWD/whole"
status 0 sea -C one sync
status 0 sea -C one verify c
# And the end of a chain.
last=$(find "c/transactions/$two" -type f | sort | tail -1)
rm "$last"
status $CORRUPT sea -C one verify c
status 0 sea -C one push
status 0 sea -C one verify c
EOT

t 'blocks of an unknown author after a gap can be quarantined' <<'EOT'
mkdir junk && cd junk
sea init -q --name=one one
sea -C one add-container -q --create c "$PWD/c"
sea -C one put -q '{"_id":"a"}'
sea -C one sync -q
one=$(sea -C one rev-parse --instance-id)
junk="c/transactions/$one~00000000000000000000000000000000"
mkdir -p "$junk/1" && head -c 300 /dev/zero >"$junk/1/2"
# Of one that nobody here knows the first block is gone for good.
sea init -q --name=other other
for n in 1 2 3; do sea -C other set -q --create x n:=$n; done
sea -C other add-container -q --create o "$PWD/o"
sea -C other sync -q
stranger=$(sea -C other rev-parse --instance-id)
cp -R o/transactions/. c/transactions/
mv "c/transactions/$stranger/1/0" first
# As long as it may be arriving it stays.
status $PARTIAL sea -C one -c sync.patience=0 sync
cp -a c c0
status 0 sea -C one containers -n --drop-held=c
sea -C one containers --drop-held=c || :
diff -r c c0
for n in 1 2 3; do sea -C one -c sync.patience=0 sync || :; done
status $CORRUPT sea -C one -c sync.patience=0 sync
says err "gap"
status 0 sea -C one -c sync.patience=0 containers -n --drop-held=c
says out 'would set aside '
diff -r c c0
status 0 sea -C one -c sync.patience=0 containers --drop-held=c
says out 'set aside 4 files without a valid block'
status 0 sea -C one -c sync.patience=0 sync
status 0 sea -C one containers --probe
status 0 sea -C one status --exit-code
EOT

t 'but not what a member has signed, as nobody knows what is before it' <<'EOT'
mkdir real && cd real
sea init -q --name=one one
sea -C one add-container -q --create c "$PWD/c"
sea -C one put -q '{"_id":"a"}'
sea -C one sync -q
sea clone -q --name=two c two
sea -C two put -q '{"_id":"b"}'
sea -C two sync -q
sea -C one sync -q
for n in 1 2; do sea -C two set -q b n:=$n; done
sea -C two sync -q
two=$(sea -C two rev-parse --instance-id)
mv "c/transactions/$two/1/2" late
for n in 1 2 3 4; do sea -C one -c sync.patience=0 sync || :; done
status $CORRUPT sea -C one -c sync.patience=0 sync
cp -a c c0
sea -C one -c sync.patience=0 containers --drop-held=c || :
diff -r c c0
mv late "c/transactions/$two/1/2"
status 0 sea -C one sync
[ "$(sea -C one get b n)" = 2 ]
EOT

t 'a trunk that lies under the name of another branch, without its beginning, is written again' <<'EOT'
mkdir trunk && cd trunk
sea init -q --name=one one
sea -C one add-container -q --create d "$PWD/d"
sea -C one put -q '{"_id":"a"}'
sea -C one sync -q
sea clone -q --name=two d two
for n in 1 2 3; do sea -C two set -q --create b n:=$n; done
sea -C two sync -q
sea -C one sync -q
two=$(sea -C two rev-parse --instance-id)
for cut in no yes; do
  for who in one two; do
    rm -rf c s && cp -R d c && cp -a $who s
    chmod -R u+w c
    other="c/transactions/$two~00112233445566778899aabbccddeeff"
    mv "c/transactions/$two" "$other"
    rm "$other/1/0"
    if [ $cut = yes ]; then mkdir -p "c/transactions/$two/1" && head -c 50 "$other/1/2" >"c/transactions/$two/1/0"; fi
    export XDG_STATE_HOME="$PWD/state-$cut-$who"
    sea -C s add-container -q c "$PWD/c"
    for n in 1 2 3 4 5; do sea -C s -c sync.patience=0 sync -q c || :; done
    status 0 sea -C s -c sync.patience=0 sync c
    status 0 sea -C s containers --probe
    status 0 sea clone -q --name=new c new
    [ "$(sea -C new get b n)" = 3 ]
    rm -rf new
    export XDG_STATE_HOME=/dev/null
  done
done
EOT

for kind in link dangling folder fifo socket icloud part; do
  echo "kind=$kind" >kind
  t "something else at the path of the next block may hide a block: $kind" <<'EOT'
. ./kind
rm -rf next && mkdir next && cd next
sea init -q --name=a a
sea -C a put -q '{"_id":"r"}'
sea -C a add-container -q --create st ../st
sea -C a sync -q
sea clone -q --name=b st b
sea -C a put -q '{"_id":"s"}'
sea -C a sync -q
folder=st/transactions/$(sea -C a rev-parse --instance-id)/1
mv $folder/2 kept
case $kind in
link) ln -s "$PWD/kept" $folder/2 ;;
dangling) ln -s nowhere $folder/2 ;;
folder) mkdir $folder/2 ;;
fifo) mkfifo $folder/2 ;;
socket) (cd $folder && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("2")') ;;
icloud) : >$folder/.2.icloud ;;
part) head -c 50 kept >$folder/2.part ;;
esac
for round in 1 2; do
  for command in pull sync 'sync --full'; do
    status $PARTIAL sea -C b $command
    says err 'incomplete'
  done
done
rm -rf $folder/2 $folder/.2.icloud $folder/2.part
mv kept $folder/2
status 0 sea -C b sync
[ "$(sea -C b query --count)" = 2 ]
EOT
done

t 'files of operating systems are ignored silently' <<'EOT'
rm -rf litter && mkdir litter && cd litter
sea init -q --name=a a
sea -C a put -q '{"_id":"r"}'
sea -C a add-container -q --create st ../st
sea -C a sync -q
sea clone -q --name=b st b
chain=$(sea -C a rev-parse --instance-id)
for folder in st st/transactions st/transactions/$chain st/transactions/$chain/1; do
  for name in .DS_Store ._$chain ._2 ._3 desktop.ini Thumbs.db; do printf '\0\5\26\7' >$folder/$name; done
done
sea -C a put -q '{"_id":"t"}'
for who in a b; do
  for command in sync 'sync --full' sync; do
    status 0 sea -C $who $command
    [ ! -s err ]
  done
done
[ "$(sea -C b query --count)" = 2 ]
EOT
