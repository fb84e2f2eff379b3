# hook NAME: makes it of the lines on standard input.
cat >lib <<'EOX'
hook() {
  mkdir -p "$(dirname ".sea/hooks/$1")"
  { echo '#!/bin/sh' && cat; } >".sea/hooks/$1"
  chmod +x ".sea/hooks/$1"
}
# A new conflict of the record, here.
split() {
  sea -q put "{\"_id\":\"$1\",\"_type\":\"t\",\"n\":$2}"
  sea -q -C ../b put "{\"_id\":\"$1\",\"_type\":\"t\",\"n\":$(($2 + 1))}"
  sea -q -C ../b sync
}
lacks() { if grep -F -e "$2" -- "$1"; then return 1; fi; }
EOX
mkdir 'a folder'

t 'post-conflict is given what sea conflicts prints' <<'EOT'
. ./lib
sea init -q --name=a 'a folder'
cp lib 'a folder'
cd 'a folder'
sea add-container -q c ../c.sea --create
sea put -q '{"_id":"none"}'
sea sync -q
sea clone -q --name=b ../c.sea ../b
hook post-conflict <<'EOX'
echo "printed to $SEA_OP"
cat >"$SEA_DIR/../seen"
env | grep '^SEA_' | sort >"$SEA_DIR/../variables"
pwd >where
EOX
split x 1
split y 3
SEA_PASSWORD_FILE=${SEA_PASSWORD_FILE-/none} SSH_ASKPASS=/none sea sync >out 2>err
says err 'printed to sync'
lacks out printed
sea conflicts --json | same seen
[ "$(wc -l <seen)" = 2 ]
pwd | same where
grep -E '^SEA_(DIR|EVENT|INSTANCE|OP)=' variables >some
same some <<EOX
SEA_DIR=$PWD/.sea
SEA_EVENT=post-conflict
SEA_INSTANCE=$(sea status --json | sed -n '1s/.*"instance":"\([^"]*\)".*/\1/p')
SEA_OP=sync
EOX
lacks variables PASS
EOT

t 'it is called only for what is new, and from wherever sea is started' <<'EOT'
. ./lib
cd 'a folder'
rm seen
sea sync -q
[ ! -e seen ]
split z 1
cd ..
sea --sea-dir='a folder/.sea' pull -q 2>err
says err 'printed to pull'
says 'a folder/seen' '"id":"z"'
[ "$(wc -l <'a folder/seen')" = 1 ]
EOT

t 'several run in the order of their bytes, and none of them changes the status' <<'EOT'
. ./lib
cd 'a folder'
split s 1
for name in B a b '10' 'with a space'; do hook "post-conflict.d/$name" <<'EOX'
printf '%s\n' "${0##*/}" >>order
cat >/dev/null
exit 3
EOX
done
hook post-conflict <<'EOX'
echo first >order
kill -KILL $$
EOX
hook post-conflict.d/.hidden <<'EOX'
echo hidden >>order
EOX
echo 'echo never >>order' >.sea/hooks/post-conflict.d/plain
mkdir .sea/hooks/post-conflict.d/folder
printf 'not a program' >.sea/hooks/post-conflict.d/odd
chmod +x .sea/hooks/post-conflict.d/odd
status 0 sea sync
same order <<'EOX'
first
10
B
a
b
with a space
EOX
says err "warning[hook-failed]: hook 'post-conflict' was terminated by signal 9"
says err "warning[hook-failed]: hook 'post-conflict.d/10' failed with status 3"
says err "warning[hook-not-executable]: skipped hook 'post-conflict.d/plain': not an executable file"
says err "skipped hook 'post-conflict.d/folder': not an executable file"
says err "cannot start hook 'post-conflict.d/odd'"
split s2 1
status 0 sea --json sync
says err '{"event":"warning","code":"hook-failed","message":'
EOT

t 'hooks can be disabled' <<'EOT'
. ./lib
cd 'a folder'
rm -rf .sea/hooks/post-conflict.d
hook post-conflict <<'EOX'
echo here
EOX
split q 1
status 0 sea --no-hooks sync
[ ! -s err ]
split q2 1
SEA_NO_HOOKS=1 status 0 sea sync
[ ! -s err ]
split q3 1
SEA_NO_HOOKS=0 status 0 sea sync
says err here
split q4 1
status 0 sea sync -n
[ ! -s err ]
mv .sea/hooks kept
echo 'not a folder' >.sea/hooks
status 0 sea sync
[ ! -s err ]
rm .sea/hooks
ln -s ../kept .sea/hooks
split q5 1
sea sync -q 2>err
says err here
rm .sea/hooks
mv kept .sea/hooks
EOT

t 'a hook may write, and what it does calls no hook' <<'EOT'
. ./lib
cd 'a folder'
hook post-conflict <<'EOX'
sed 's/.*"id":"\([^"]*\)".*/\1/' | sea --lock-wait=0 resolve --winner --stdin
echo called
EOX
split w 1
status 0 sea sync
says err called
[ "$(sea conflicts w --count)" = 0 ]
split w2 1
SEA_EVENT=post-sync sea sync 2>err
[ ! -s err ]
EOT

t 'a hook that takes too long is ended with all that it started' <<'EOT'
. ./lib
cd 'a folder'
hook post-conflict <<'EOX'
sleep 3000 &
echo $! >child
wait
EOX
split l 1
status 0 timeout 300 sea -c hook.timeout=1 sync
says err "hook 'post-conflict' timed out after 1 s"
for n in $(seq 1000); do
  grep -q '^State:[[:space:]]*[^Z]' "/proc/$(cat child)/status" 2>/dev/null || break
  sleep 0.1
done
if grep -q '^State:[[:space:]]*[^Z]' "/proc/$(cat child)/status"; then exit 1; fi
split l2 1
status $BAD_DATA sea -c hook.timeout=soon sync
hook post-conflict <<'EOX'
sleep 0.1
echo slept
EOX
split l3 1
sea -c hook.timeout=0 sync 2>err
says err slept
EOT

t 'ending sea ends the hook' <<'EOT'
. ./lib
cd 'a folder'
hook post-conflict <<'EOX'
trap 'echo told >told; exit 1' TERM
echo $$ >running
while :; do sleep 0.1; done
EOX
rm -f running
split e 1
sea sync >out 2>err &
for n in $(seq 1000); do
  [ ! -s running ] || break
  sleep 0.1
done
kill -TERM $!
have=0
wait $! || have=$?
[ "$have" = 143 ]
says told told
[ ! -e "/proc/$(cat running)" ]
EOT

t 'its input may be left unread, and its children may live on' <<'EOT'
. ./lib
cd 'a folder'
hook post-conflict <<'EOX'
exec <&-
sleep 3000 &
echo $! >child
EOX
split u 1
long=$(printf '%0100000d' 1)
for n in 1 2 3; do
  sea put -q "{\"_id\":\"u$n\",\"n\":\"$long\"}"
  sea -C ../b put -q "{\"_id\":\"u$n\",\"n\":\"2$long\"}"
done
sea -C ../b sync -q
status 0 timeout 300 sea sync -q
[ ! -s err ]
kill "$(cat child)"
EOT

t 'pre-resolve sees what is to be written' <<'EOT'
. ./lib
cd 'a folder'
rm -rf .sea/hooks
sea resolve -q --all --winner
split r1 1
split r2 5
sea sync -q
hook pre-resolve <<'EOX'
cat >given
echo "$SEA_OP $SEA_EVENT" >how
sea --lock-wait=0 set -q during n:=1 --create
EOX
status 0 sea resolve -n --prefer=max r1
[ ! -e given ]
leaves=$(sea conflicts r1 --json | jq -c .leaves)
status 0 sea resolve --prefer=max --set=s=x r1
[ "$(jq -c '[.event, .id, .type, .record, .leaves]' given)" \
  = "[\"resolve\",\"r1\",\"t\",{\"_id\":\"r1\",\"_type\":\"t\",\"n\":2,\"s\":\"x\"},$leaves]" ]
echo 'resolve pre-resolve' | same how
[ "$(sea get during n)" = 1 ]
[ "$(sea get r1 --json | jq -c '[.n, .s, ._conflicts]')" = '[2,"x",null]' ]
rm given
status 0 sea resolve --winner r1
[ ! -e given ]
status $CONFLICT sea resolve r2
[ ! -e given ]
EOT

t 'pre-resolve refuses' <<'EOT'
. ./lib
cd 'a folder'
split r3 1
sea sync -q
rm -f .sea/hooks/pre-resolve
hook pre-resolve.d/1 <<'EOX'
jq -es 'all(.record.n < 6)' >/dev/null || { echo 'too much'; exit 7; }
EOX
hook pre-resolve.d/2 <<'EOX'
echo second >>second
EOX
before=$(sea log --format='%(block)' -1)
status $REFUSED sea resolve --prefer=max r2 r3
says err 'too much'
says err "error[refused]: hook 'pre-resolve.d/1' failed with status 7; nothing was changed"
status $REFUSED sea --json resolve --prefer=max r2 r3
says err '"code":"refused","exit":14,"hook":"pre-resolve.d/1"'
[ "$(sea log --format='%(block)' -1)" = "$before" ]
[ ! -e second ]
status $REFUSED sea resolve --partial --all --prefer=max
status 0 sea resolve r2 --prefer=min
says second second
# A deletion is one too; one that cannot be started or takes too long refuses.
sea put -q '{"_id":"d","a":0}'
sea sync -q
sea -C ../b sync -q
sea set -q d a:=1
sea -C ../b delete -q d
sea -C ../b sync -q
sea sync -q
hook pre-resolve.d/1 <<'EOX'
jq -e '.deleted and (has("record") | not)' >/dev/null
EOX
status $REFUSED sea resolve --winner r3
status 0 sea resolve --theirs d
printf 'no program' >.sea/hooks/pre-resolve.d/1
status $REFUSED sea resolve --winner r3
says err "cannot start hook 'pre-resolve.d/1'"
hook pre-resolve.d/1 <<'EOX'
sleep 100
EOX
status $REFUSED sea -c hook.timeout=1 resolve --winner r3
says err 'timed out after 1 s'
chmod -x .sea/hooks/pre-resolve.d/1
hook pre-resolve.d/2 <<'EOX'
exit 1
EOX
status $REFUSED sea resolve --winner r3
says err 'hook-not-executable'
SEA_EVENT=pre-resolve status 0 sea resolve --winner r3
split r4 1
sea sync -q
SEA_EVENT=post-conflict status $REFUSED sea resolve --winner r4
status 0 sea --no-hooks resolve --winner r4
EOT

t 'a change that was made while the hook ran is kept' <<'EOT'
. ./lib
cd 'a folder'
rm -rf .sea/hooks
split c 1
sea sync -q
hook pre-resolve <<'EOX'
sea --lock-wait=0 set -q c z:=1
EOX
status $CONFLICT sea resolve --winner c
says err 'error[stale]: c'
[ "$(sea get c z)" = 1 ]
sea --no-hooks resolve -q --winner c
EOT

t 'hooks see no more of a sealed database than what they are given' <<'EOT'
. ./lib
cd 'a folder'
rm -rf .sea/hooks
hook post-conflict <<'EOX'
ls -l "/proc/$$/fd" | grep -v hooks >fds
EOX
split sealed 1
sea sync -q
says fds ' -> '
lacks fds .sea
EOT

t 'around each container' <<'EOT'
. ./lib
cd 'a folder'
rm -rf .sea/hooks around
sea add-container -q away ../away.sea --create
mv ../away.sea ../gone.sea
hook pre-sync <<'EOX'
{ echo "$SEA_EVENT $SEA_OP"; cat; } >>around
EOX
cp .sea/hooks/pre-sync .sea/hooks/post-sync
sea put -q '{"_id":"around"}'
status $PARTIAL sea --json sync c away
grep '"event":"container"' out >events
grep '"event":"container"' around | same events
grep -v '"event":"container"' around >before
same before <<EOX
pre-sync sync
{"event":"sync","name":"c","location":"$(cd .. && pwd)/c.sea","pull":true,"push":true}
pre-sync sync
{"event":"sync","name":"away","location":"$(cd .. && pwd)/away.sea","pull":true,"push":true}
post-sync sync
post-sync sync
EOX
says events '"name":"c","state":"ok","pulled":0,"pushed":1'
says events '"name":"away","state":"unavailable","pulled":0,"pushed":0,"healed":0,"emptied":0,"assets":0,"error":"unreachable"'
rm around
sea pull -q c
says around '"pull":true,"push":false'
sea sync -q -n c
[ "$(grep -c pre-sync around)" = 1 ]
EOT

t 'a container that a hook refuses is left alone, and the others are done' <<'EOT'
. ./lib
cd 'a folder'
mv ../gone.sea ../away.sea
rm -f around
hook pre-sync <<'EOX'
! grep -q '"name":"c"'
EOX
sea put -q '{"_id":"refused"}'
status $REFUSED sea sync
says err "error[refused]: hook 'pre-sync' failed with status 1; nothing was changed"
says out 'c: refused'
says out 'away: pulled 0, pushed'
[ "$(grep -c '"name"' around)" = 1 ]
sea containers --porcelain | grep -q '^c	.*	1	-	'
rm .sea/hooks/pre-sync
hook post-sync <<'EOX'
sea --lock-wait=0 set -q --create after n:counter+=1
exit 5
EOX
status 0 sea sync
says err "warning[hook-failed]: hook 'post-sync' failed with status 5"
[ "$(sea get after n)" -ge 2 ]
EOT

t 'no hook and no driver steers a terminal, and a pipe gets its bytes' <<'EOT'
. ./lib
cat >steers <<'PY'
import sys
shown = sys.stdin.buffer.read()
text = shown.decode("utf-8")
bad = [c for c in text if (c < " " and c not in "\r\n\t") or "\x7f" <= c <= "\x9f" or "\u2028" <= c <= "\u202e"]
assert not bad, (sys.argv, bad, shown)
assert "told ä\\x1b]0;t\\x07 " in text and "\\u202eb" in text, shown
PY
cat >speaks <<'EOX'
printf 'told \303\244\033]0;t\a \302\2332J\342\200\256b\177\n'
sleep 0.1
printf '\302' >&2
printf '\2332J' >&2
EOX
PATH=$PWD:$PATH
python=${PYTHON:-/usr/bin/python3}
steered() {
  $python "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea "$@" >screen || true
  $python ../steers "$@" <screen
}
sea init -q --name=p p
cp lib speaks p
cd p
sea put -q '{"_id":"d","_type":"t","n":0}'
hook pre-put <../speaks
for limit in 60 0; do
  sea config set hook.timeout $limit
  steered set d n:=$limit
done
[ "$(sea get d n)" = 0 ]
sea set d n:=8 2>err
{ sh ./speaks 2>&1; } | same err
rm .sea/hooks/pre-put
sea add-container -q --create c ../p.sea
sea sync -q
sea clone -q ../p.sea ../q
sea set -q d n:=1
sea -C ../q set -q d n:=2
sea -C ../q sync -q
sea sync -q
sea config set driver.speaks.command "sh $PWD/speaks"
steered resolve d --driver=speaks
EOT
