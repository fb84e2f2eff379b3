# limit: 180
# What changes is told as it changes, and exchanged with containers.
cat >lib <<'EOX'
# until_ SECONDS COMMAND: waits until it succeeds; a slow machine gets twenty times as long.
until_() {
  left=$(($1 * 1000))
  shift
  while ! "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || { echo "never: $*"; return 1; }
    sleep 0.02
  done
}
has() { grep -qF -e "$2" -- "$1"; }
# watch NAME ARGUMENTS: in the background; its output is in NAME.out and NAME.err, its pid in $pid.
watch_() {
  name=$1
  shift
  env --default-signal=INT sea watch "$@" >"$name.out" 2>"$name.err" &
  pid=$!
  echo $pid >"$name.pid"
  until_ 20 has "$name.err" 'watching from'
}
# ends PID STATUS
ends() {
  ended=0
  # Until it is a zombie, or nothing.
  until_ 60 sh -c "! grep -q '^State:.[^ZX]' /proc/$1/status" || {
    cat "/proc/$1/status" "/proc/$1/wchan"
    return 1
  }
  wait "$1" || ended=$?
  [ "$ended" = "$2" ]
}
EOX

t 'watch prints changes from now or from a position' <<'EOT'
. ./lib
sea init -q --name=a a
cp lib a && cd a
sea put -q '{"_id":"before"}'
watch_ one
sea put -q '{"_id":"x","n":1}'
until_ 5 has one.out 'created  x'
sea set -q x n:=2
until_ 5 has one.out 'updated  x'
[ "$(wc -l <one.out)" = 2 ]
kill -TERM $pid
ends $pid 143
sea changes | tail -2 | same one.out
at=$(sea changes | sed 's/ .*//;q')
watch_ two --since="$at" --json
until_ 5 has two.out '"updated"'
kill -INT $pid
ends $pid 130
sea changes --since="$at" --json | grep '"change"' >want
grep '"change"' two.out | same want
[ "$(tail -1 two.out | jq -r '.event + " " + .position')" = "summary $(sea changes --position)" ]
status $NOT_FOUND sea watch --since=9-000000000000
status $USAGE sea watch --interval=5
EOT

t 'once, and for so long' <<'EOT'
. ./lib
cd a
status $NO sea watch --once --timeout=1
status 0 sea watch --timeout=1
status 0 sea watch --once --since=0
[ "$(wc -l <out)" = 3 ]
watch_ once --once --where='n > 5'
sea set -q x n:=3
sea set -q x n:=9
ends $pid 0
[ "$(grep -c . once.out)" -ge 1 ] && has once.out 'x'
EOT

t 'a command gets each change once it can, and the position is kept' <<'EOT'
. ./lib
cd a
cat >take <<'EOX'
[ ! -e refuse ] || exit 3
jq -r .id >>taken
EOX
watch_ exec --state=seen --exec='sh ./take'
[ "$(cat seen)" = "$(sea changes --position)" ]
sea put -q '{"_id":"e1"}' '{"_id":"e2"}'
until_ 5 has taken e2
touch refuse
sea put -q '{"_id":"e3"}'
until_ 5 has exec.err 'exec-failed'
before=$(cat seen)
sea put -q '{"_id":"e4"}'
rm refuse
until_ 10 has taken e4
until_ 5 has seen "$(sea changes --position)"
kill $pid
ends $pid 143
printf 'e1\ne2\ne3\ne4\n' | same taken
[ "$(cat seen)" != "$before" ]
[ ! -s exec.out ]
sea put -q '{"_id":"e5"}'
watch_ again --state=seen --exec='sh ./take'
until_ 5 has taken e5
until_ 5 has seen "$(sea changes --position)"
kill $pid
ends $pid 143
printf 'e1\ne2\ne3\ne4\ne5\n' | same taken
EOT

t 'a command finds the database, wherever it was started' <<'EOT'
. ./lib
mkdir -p other
cd other
[ -e .sea ] || sea init -q --name=other .
sea -C ../a watch --once --since=0 --timeout=20 --exec='cat >/dev/null; pwd; echo "$SEA_DIR"; sea status --json | head -1 | jq -r .name' >out
printf '%s\n' "$(cd ../a && pwd)" "$(cd ../a && pwd)/.sea" a | same out
cd ../a
sea --sea-dir=../other/.sea put -q '{"_id":"o"}'
sea --sea-dir=../other/.sea watch --once --since=0 --timeout=20 --exec='cat >/dev/null; pwd; echo "$SEA_DIR"' >out
printf '%s\n' "$PWD" "$(cd ../other && pwd)/.sea" | same out
EOT

t 'a command that fails to the end is a status' <<'EOT'
. ./lib
cd a
status $REFUSED sea watch --once --since=0 --timeout=2 --exec='exit 3'
says err 'the command exited with status 3'
status $REFUSED sea watch --since=0 --timeout=2 --exec='exit 3'
EOT

t 'a typo is an error' <<'EOT'
. ./lib
cd a
sea put -q -t contact '{"_id":"typed","color":"red"}'
for command in changes 'watch --timeout=1' 'watch --since=0 --timeout=1'; do
  status $BAD_DATA sea $command -t contct
  says err "did you mean 'contact'"
  status $BAD_DATA sea $command -t contact --where="coluor = 'red'"
  says err "did you mean 'color'"
done
# A type that is still to come, and one that is gone.
status 0 sea watch --timeout=1 -t somethingelse
sea delete -q typed
sea changes -t contact >out
[ "$(wc -l <out)" = 2 ]
EOT

t 'ending watch waits for the command; a second signal does not' <<'EOT'
. ./lib
cd a
for signal in INT TERM; do
  rm -f done begun
  watch_ patient --since=0 --state=patient.state --exec='cat >/dev/null; touch begun; sleep 2; touch done'
  until_ 5 test -e begun
  kill -$signal $pid
  [ ! -e done ]
  if [ $signal = INT ]; then ends $pid 130; else ends $pid 143; fi
  [ -e done ]
  [ "$(grep -c warning patient.err)" = 0 ]
  [ "$(cat patient.state)" = "$(sea changes --position)" ]
  rm patient.state
done
rm -f begun
watch_ hasty --since=0 --state=hasty.state --exec='cat >/dev/null; echo $$ >begun; exec sleep 300'
until_ 5 test -s begun
kill -INT $pid
sleep 0.5
kill -TERM $pid
ends $pid 143 || [ $ended = 130 ]
[ ! -e "/proc/$(cat begun)" ]
[ "$(cat hasty.state)" = 0 ]
EOT

t 'the file of a position is one at a time, also after a kill' <<'EOT'
. ./lib
cd a
watch_ orphan --since=0 --state=one.state --exec='echo $$ >orphan.command; jq -r .id; touch told; sleep 3; touch over'
until_ 5 test -e told
kill -KILL $pid
ends $pid 137
[ -e "/proc/$(cat orphan.command)" ]
# Who comes next waits for the command.
status $LOCKED sea watch --state=one.state --timeout=1 --exec='touch never'
says err "notice: another sea watch, or a command started by one, uses 'one.state': waiting"
[ "$(grep -c notice err)" = 1 ]
[ ! -e never ]
sea watch --state=one.state --once --timeout=30 --exec='cat >next' 2>err
[ -e over ]
[ "$(wc -l <next)" = "$(sea changes | wc -l)" ]
# What it left in the background earlier holds nothing up.
sea put -q '{"_id":"behind"}'
watch_ first --state=one.state --exec='cat >/dev/null; sleep 300 >/dev/null & echo $! >background'
until_ 5 test -s background
until_ 5 has one.state "$(sea changes --position)"
kill -KILL $pid
ends $pid 137
kill -0 "$(cat background)"
status 0 sea watch --state=one.state --timeout=1
kill "$(cat background)"
# While it runs, another one waits and can be ended.
watch_ holder --state=one.state
env --default-signal=INT sea watch --state=one.state 2>other.err &
other=$!
until_ 5 has other.err waiting
kill -INT $other
ends $other 130
kill $pid
ends $pid 143
[ "$(find . -name '*sea-tmp*' | wc -l)" = 0 ]
EOT

t 'a file that has no position of this database is named' <<'EOT'
. ./lib
cd a
echo 4-abcdefabcdef >bad.state
status $NOT_FOUND sea watch --state=bad.state --since=0
says err "bad.state'"
says err "hint: to start again, run: rm 'bad.state'; to choose a position, use --since"
: >bad.state
status $BAD_DATA sea watch --state=bad.state
says err "bad.state' is empty"
echo rubbish >bad.state
status $BAD_DATA sea watch --state=bad.state
says err "bad.state' does not contain a position: 'rubbish'"
mkdir -p dir.state
status $SYSTEM sea watch --state=dir.state
mkfifo pipe.state
status $SYSTEM timeout 300 sea watch --state=pipe.state
says err 'is a named pipe (FIFO), not a file'
seq 1000 >bad.state
status $BAD_DATA sea watch --state=bad.state
says err 'more than 256 bytes'
EOT

t 'no file of a database, nor any other that is there, becomes the file of a position' <<'EOT'
rm -rf guarded named && sea init -q --name=guarded guarded
mv guarded/.sea named && mkdir near
cd near && sea init -q --name=near . && cd ..
cp -r named named.before && cp -r near/.sea near.before
mkdir links && ln -s ../near/.sea links/in && ln -s ../near/.sea/config links/config
for file in named/config named/hooks named/db named/keys/new near/.sea/config near/.sea/x links/in/config; do
  status $SYSTEM sea --sea-dir=named watch --state=$file --timeout=1
  says err "$file' is inside"
done
status $SYSTEM timeout 300 sea --sea-dir=named watch --state=links/config --timeout=1
diff -r -x 'db*' -x lock named named.before
diff -r -x 'db*' -x lock near/.sea near.before
# What is there and says something else stays as it is, and nobody is told to remove it.
echo 'dear diary' >diary
status $BAD_DATA sea -C near watch --state=../diary --timeout=1
says err "diary' does not contain a position: 'dear diary"
if grep 'rm ' err; then false; fi
echo 'dear diary' | same diary
# A link is followed, and stays one; to nothing it is an error, at once.
ln -s kept.state state.link && : >kept.state && rm kept.state
status $SYSTEM timeout 300 sea -C near watch --state=../state.link --timeout=1
says err 'state.link'
sea -C near changes --position >kept.state
status 0 sea -C near watch --state=../state.link --timeout=1
sea -C near put -q '{"_id":"x"}'
status 0 sea -C near watch --state=../state.link --timeout=1
[ -L state.link ]
sea -C near changes --position | same kept.state
EOT

t 'a database that is another one is noticed' <<'EOT'
. ./lib
sea init -q --name=r r
cp lib r && cd r
sea put -q '{"_id":"c/0"}'
cp -r .sea ../r-backup
sea put -q '{"_id":"c/gone"}'
watch_ replaced --state=st --exec='cat >>told'
mv .sea ../r-gone && mv ../r-backup .sea
ends $pid 4
says replaced.err 'error[expired]'
sea put -q '{"_id":"c/1"}'
EOT

t 'it ends when the database is taken away' <<'EOT'
. ./lib
sea init -q --name=above above
for more in '' --sync; do
  rm -rf above/below && sea init -q --name=below above/below
  cp lib above/below && cd above/below
  sea add-container -q "c$more" "../../gone$more.sea" --create
  watch_ gone $more --exec='cat >>told'
  sea put -q '{"_id":"x"}'
  until_ 10 has told x
  # Who watches may make a file in it at that moment.
  until_ 20 rm -rf .sea
  # Not the one above it.
  ends $pid 10
  says gone.err "the database in '$PWD/.sea' no longer exists"
  cd ../..
done
EOT

t 'nor is it missed that one goes between being opened and being looked at' <<'EOT'
. ./lib
command -v strace >/dev/null || exit 0
rm -rf going && sea init -q --name=going going
cp lib going && cd going
strace -f -qq -o calls -e trace=newfstatat,inotify_add_watch sea watch --timeout=1
last=$(sed '/inotify_add_watch/q' calls | grep -c newfstatat)
sed '/inotify_add_watch/q' calls | grep newfstatat | tail -1 | grep -q '\.sea/db"'
strace -f -qq -o calls -e trace=newfstatat -e inject=newfstatat:delay_enter=1500000:when=$last sea watch 2>watch.err &
pid=$!
sleep 1
rm -rf .sea
ends $pid 10
says watch.err 'no longer exists'
EOT

t 'a name that nothing has is nothing, also if something is called alike later on' <<'EOT'
. ./lib
rm -rf names && sea init -q --name=names names
cp lib names && cd names
status $BAD_DATA sea watch --timeout=1 --where='price >'
says err 'syntax error'
watch_ names --where='price > 5 AND color IS NULL' -t fruit
has names.err "no record has the type 'fruit'"
sea put -q '{"_id":"a","_type":"fruits","prices":6,"color":1}' '{"_id":"b","_type":"fruit","prices":6,"pricy":7}'
sea put -q '{"_id":"c","_type":"fruit","price":6}'
until_ 5 has names.out 'created  c'
has names.err "property 'color'"
# Two that SQL cannot tell apart: it waits until that has ended.
sea put -q '{"_id":"d","_type":"fruit","PRICE":7}'
until_ 5 has names.err 'differ only in case'
sea put -q '{"_id":"e","_type":"fruit","price":8}'
sleep 0.3
fails has names.out 'created  e'
sea set -q d --unset=PRICE price:=9
until_ 5 has names.out 'created  e'
has names.out 'updated  d'
[ "$(grep -c 'differ only in case' names.err)" = 1 ]
[ "$(grep -c "property 'color'" names.err)" = 1 ]
kill $pid
ends $pid 143
EOT

t 'a full container is reported once' <<'EOT'
. ./lib
rm -rf full && sea init -q --name=full full
cp lib full && cd full
cat >inside <<'EOX'
. ./lib
mkdir -p disk && mount -t tmpfs -o size=256k none disk
sea add-container -q c disk/c.sea --create
watch_ full --sync --interval=1
seq 300 | sed 's/.*/{"_id":"f&"}/' | sea put -q -
head -c 400000 /dev/urandom | base64 -w0 | sed 's/.*/{"_id":"big","v":"&"}/' >big
sea put -q - <big
until_ 10 has full.err 'No space'
sleep 4
[ "$(grep -c 'warning' full.err)" = 1 ] || { cat full.err; false; }
mount -o remount,size=4m disk
until_ 10 has full.err 'c is available again'
kill $pid
ends $pid 143
EOX
unshare -m sh -eu inside
EOT

t 'it ends when nobody reads it' <<'EOT'
. ./lib
cd a
mkfifo pipe
sea watch >pipe 2>pipe.err & pid=$!
head -1 <pipe >first &
until_ 10 has pipe.err 'watching from'
sea put -q '{"_id":"p1"}'
until_ 10 has first p1
ends $pid 141
EOT

t 'two of them keep each other up to date' <<'EOT'
. ./lib
cp lib . 2>/dev/null || true
sea -C a add-container -q c ../c.sea --create
sea -C a sync -q
sea clone -q --name=b c.sea b
cp lib b
(cd a && watch_ sync --sync=c)
(cd b && watch_ sync --sync)
for n in 1 2 3 4 5; do
  sea -C a put -q "{\"_id\":\"from-a-$n\"}"
  sea -C b put -q "{\"_id\":\"from-b-$n\"}"
done
until_ 10 has a/sync.out from-b-5
until_ 10 has b/sync.out from-a-5
sea -C a set -q from-a-1 v:=1
until_ 10 has b/sync.out 'updated  from-a-1'
sleep 0.5
# All of it has come, each once.
[ "$(grep -c 'created  from-' a/sync.out)" = 10 ]
[ "$(grep -c 'created  from-' b/sync.out)" = 10 ]
# While nothing happens nothing is done.
if command -v strace >/dev/null; then
  timeout 4 strace -f -o trace -p "$(cat a/sync.pid)" 2>/dev/null || true
  [ "$(grep -vc 'restart_syscall\|detached\|poll(' trace)" = 0 ] || { cat trace; false; }
fi
EOT

t 'a container goes, comes back, is another one, and half there' <<'EOT'
. ./lib
mv c.sea away.sea
sea -C a put -q '{"_id":"meanwhile"}'
until_ 10 has a/sync.err 'unreachable'
sleep 3
[ "$(grep -c unreachable a/sync.err)" = 1 ]
mv away.sea c.sea
until_ 10 has a/sync.err 'c is available again'
until_ 10 has b/sync.out meanwhile
# Another database stands there.
mv c.sea away.sea
sea init -q --name=z z
sea -C z add-container -q c ../c.sea --create
sea -C a put -q '{"_id":"still"}'
until_ 10 has a/sync.err 'incompatible'
[ ! -e c.sea/transactions/"$(sea -C a rev-parse --instance-id)" ]
# Who watches may be writing in it.
until_ 20 rm -rf c.sea
mkdir c.sea
sea -C a put -q '{"_id":"and-still"}'
sleep 1
cp -r away.sea/info.json c.sea/
until_ 20 rm -rf c.sea
mv away.sea c.sea
until_ 20 has b/sync.out and-still
# A block that is not whole yet.
blocks=c.sea/transactions/$(sea -C b rev-parse --instance-id)
kill -TERM "$(cat b/sync.pid)"
until_ 10 sh -c "! kill -0 $(cat b/sync.pid)"
sea -C b put -q '{"_id":"late"}'
cp -r c.sea copy.sea
sea -C b config set -q container.origin.location "$PWD/copy.sea"
sea -C b sync -q
new=$(cd copy.sea && find transactions -type f -newer ../c.sea/info.json | while read -r f; do [ -e "../c.sea/$f" ] || echo "$f"; done)
head -c 50 "copy.sea/$new" >"c.sea/$new"
sleep 1
fails has a/sync.out late
cp "copy.sea/$new" "c.sea/$new"
until_ 10 has a/sync.out late
kill -TERM "$(cat a/sync.pid)"
until_ 10 sh -c "! kill -0 $(cat a/sync.pid)"
EOT

t 'a database that is locked or replaced is waited for' <<'EOT'
. ./lib
cd a
watch_ lock --sync --lock-wait=0
(echo start; sleep 2) | sea batch -q >/dev/null 2>&1 &
sleep 0.3
touch ../c.sea/transactions/nothing
sleep 3
sea put -q '{"_id":"unlocked"}'
until_ 10 has lock.out unlocked
kill -TERM $pid
ends $pid 143
EOT

t 'constant local writes do not delay changes from elsewhere' <<'EOT'
. ./lib
mkdir busy && cp lib busy && cd busy
printf '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n' >ssh
chmod +x ssh
export SEA_SSH=$PWD/ssh
sea init -q --name=one one
sea -C one put -q '{"_id":"first"}'
sea -C one add-container -q --create hub "ssh://here$PWD/hub.sea"
sea -C one push -q
sea clone -q --name=two hub.sea two
cp lib one
# During each exchange something more is written.
mkdir one/.sea/hooks
printf '#!/bin/sh\nsleep 0.1\n[ -e ../enough ] || sea put -q "{\\"_type\\":\\"more\\"}"\n' >one/.sea/hooks/post-sync
chmod +x one/.sea/hooks/post-sync
(cd one && watch_ seen --sync)
until_ 20 has one/seen.err 'hub: pulled 0, pushed'
sea -C two put -q '{"_id":"two"}'
sea -C two push -q
until_ 20 has one/seen.out 'created  two' || failed=1
touch enough
kill "$(cat one/seen.pid)"
[ -z "${failed:-}" ]
EOT

t 'hooks receive incoming changes' <<'EOT'
. ./lib
cd a
rm -f ../c.sea/transactions/nothing
sea -C ../b config set -q container.origin.location "$PWD/../c.sea"
mkdir -p .sea/hooks
printf '#!/bin/sh\njq -r .id >>changed\n' >.sea/hooks/post-change
chmod +x .sea/hooks/post-change
watch_ hooks --sync
sea -C ../b put -q '{"_id":"for-the-hook"}'
sea -C ../b sync -q
until_ 10 has changed for-the-hook
kill -HUP $pid
ends $pid 129
EOT

t 'the unit is one' <<'EOT'
command -v systemd-analyze >/dev/null || exit 0
mkdir -p prefix/bin
cp "$(command -v sea)" prefix/bin/
sed "s|@PREFIX@|$PWD/prefix|" "$SEA_TEST_ROOT/systemd/sea-watch@.service" >'sea-watch@.service'
systemd-analyze --man=no verify "$PWD/sea-watch@.service" 2>verified || { cat verified; false; }
if grep -F sea-watch verified; then false; fi
EOT

t 'the systemd unit runs with the environment of a service' <<'EOT'
. ./lib
mkdir -p bare/bin && ln -s "$(command -v sea)" bare/bin/sea
sea init -q --name=served served
sea -C served add-container -q c ../served.sea --create
line=$(sed -n 's/^ExecStart=//p' "$SEA_TEST_ROOT/systemd/sea-watch@.service" | sed "s|@PREFIX@|$PWD/bare|; s|%f|$PWD/served|")
cd /
env -i HOME="$OLDPWD/bare" PATH=/usr/bin:/bin $line <&- >/dev/null 2>"$OLDPWD/unit.err" & pid=$!
cd "$OLDPWD"
sea -C served put -q '{"_id":"a"}'
until_ 20 sh -c 'sea -C served status | grep "container c  synced  nothing to push"'
kill -TERM $pid
ends $pid 143
same unit.err </dev/null
EOT
