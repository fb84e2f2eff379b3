# Two instances whose path has a space in it, and programs in ./bin.
mkdir 'a folder' bin
export PATH="$PWD/bin:$PATH" here="$PWD"
cat >lib <<'EOX'
# program NAME: makes it of the lines on standard input.
program() {
  { echo '#!/bin/sh' && cat; } >"$here/bin/$1"
  chmod +x "$here/bin/$1"
}
# split ID A B [BASE]: a record in conflict, of type t, with those values of a and b and one of c that merges.
split() {
  sea -C "$here/a folder" put -q "{\"_id\":\"$1\",\"_type\":\"t\",\"a\":${4-0},\"b\":0,\"c\":0}"
  sea -C "$here/a folder" sync -q --no-hooks
  sea -C "$here/b" sync -q
  sea -C "$here/a folder" set -q "$1" a:="$2" b:="$2" c:=1
  sea -C "$here/b" set -q "$1" a:="$3" b:="$3" n:counter+=1
  sea -C "$here/b" sync -q
  sea -C "$here/a folder" sync -q --no-hooks
  [ "$(sea -C "$here/a folder" conflicts --count "$1")" = 1 ]
}
# Nothing of a run is left but what somebody edited.
clean() { [ -z "$(find "$here/a folder/.sea/tmp" -mindepth 1 ! -name '*.json')" ]; }
lacks() { if grep -F -e "$2" -- "$1"; then return 1; fi; }
cd "$here/a folder"
EOX

t 'two databases' <<'EOT'
sea init -q --name=a 'a folder'
sea -C 'a folder' add-container -q --create hub ../hub.sea
sea -C 'a folder' sync -q
sea clone -q --name=b hub.sea b
EOT

t 'one property by a program, another by a policy' <<'EOT'
. ./lib
program merge-notes <<'EOX'
jq -n --slurpfile a "$2" --slurpfile b "$3" '$a[0] + "; " + $b[0]' >"$2.new" && mv "$2.new" "$2"
EOX
sea config set --global driver.notes.command 'merge-notes %O %A %B'
sea config set --global driver.notes.scope property
sea put -q '{"_id":"host/web1","_type":"host","notes":"old","ram_mb":1}'
sea sync -q
sea -C ../b sync -q
sea set -q host/web1 ram_mb:=65536 owner:ref=person/ada notes='moved to rack 4'
sea -C ../b set -q host/web1 ram_mb:=131072 notes='new DIMMs' tags:set+=db
sea -C ../b sync -q
sea sync -q
status $CONFLICT sea resolve host/web1 --merge
says err 'error[conflict]: host/web1: unresolved conflicts in /notes, /ram_mb'
grep -q '^  /notes  2-[0-9a-f]* "[a-zA-Z 4]*"   2-[0-9a-f]* "[a-zA-Z 4]*"$' err
says err 'hint: choose with --pick=/notes=REV, --prefer=POLICY or --set=notes=...; to show the conflict, run: sea conflicts host/web1'
status 0 sea resolve host/web1 --merge --pick=/ram_mb=max --pick=/notes=driver:notes -n
grep -q '^would write host/web1 3-[0-9a-f]*: .*ram_mb 131072' out
grep -qE 'notes "(moved to rack 4; new DIMMs|new DIMMs; moved to rack 4)"' out
status 0 sea resolve host/web1 --merge --pick=/ram_mb=max --pick=/notes=driver:notes --json
says out '"how":"driver:notes"'
sea get host/web1 notes | grep -qE '^(moved to rack 4; new DIMMs|new DIMMs; moved to rack 4)$'
[ "$(sea get host/web1 ram_mb owner tags --json | jq -c .)" != '' ]
[ "$(sea get host/web1 --json | jq -c '[.ram_mb, .owner, .tags]')" = '[131072,{"$ref":"person/ada"},{"$set":["db"]}]' ]
clean
EOT

t 'the environment of a record merge program' <<'EOT'
. ./lib
split one 1 2
program look <<'EOX'
{
  printf '%s\n' "$@"
  pwd
  env | grep '^SEA_.*PASSWORD' || :
  stat -c '%a %F' "$1" "$2" "$3" "$(dirname "$1")"
  [ -t 0 ] || cat
} >../found
cat "$1" >../base
cat "$2" >../ours
cat "$3" >../theirs
echo 'this is talk'
jq '.a = 7' <"$2" >"$2.new"
mv "$2.new" "$2"
EOX
sea config set driver.look.command "look %O %A %B 'id %P' %T %% %x %"
cd ..
SEA_PASSWORD_FD=9 sea -C 'a folder' resolve --driver=look one </dev/null >out 2>err
grep -q '^resolved.one.3-' out
says err 'this is talk'
sed -n '4,9p' found >words
same words <<EOX
id one
t
%
%x
%
$here/a folder
EOX
sed -n '10,$p' found >modes
same modes <<'EOX'
600 regular file
600 regular file
600 regular file
700 directory
EOX
sed -n 1p found | grep -q "^$here/a folder/.sea/tmp/[0-9a-f]*/base.json$"
jq -c '[.a, .b, .c, .n]' base >got
same got <<'EOX'
[0,0,0,null]
EOX
sort -u ours theirs | grep -q '"c": 1'
# Counts are what both sides come to: no program has to add.
grep -q '"$counter": 1' ours
grep -q '"$counter": 1' theirs
cd 'a folder'
[ "$(sea get one a n | tr '\n' ' ')" = '7 1 ' ]
clean
EOT

t 'how it ends' <<'EOT'
. ./lib
split two 1 2
before=$(sea log --format='%(block)' -1)
for code in 1 2 126 127; do
  status $CONFLICT sea -c "driver.x.command=sh -c 'exit $code'" resolve --driver=x two
  says err 'error[conflict]: two: unresolved conflicts in /a, /b'
done
for code in 128 200; do
  status $REFUSED sea -c "driver.x.command=sh -c 'exit $code'" resolve --driver=x two
  says err "error[refused]: two: driver 'x' failed with status $code"
done
status $REFUSED sea -c "driver.x.command=sh -c 'kill -KILL \$\$'" resolve --driver=x two
says err "two: driver 'x' was terminated by signal 9"
stop='import os, signal as s; s.signal(s.SIGINT, s.SIG_DFL); os.kill(os.getpid(), s.SIGINT)'
status 130 sea -c "driver.x.command=python3 -c '$stop'" resolve --driver=x two
status $REFUSED sea -c driver.x.command=no-such-program resolve --driver=x two
says err "cannot start driver 'x': No such file"
status $REFUSED sea -c driver.x.command=/etc resolve --driver=x two
[ "$(sea log --format='%(block)' -1)" = "$before" ]
clean
EOT

t 'the result of a merge program' <<'EOT'
. ./lib
before=$(sea log --format='%(block)' -1)
run() { status "$1" sea -c "driver.x.command=sh -c '$2' sh %O %A %B" resolve --driver=x two; }
run 14 'echo garbage >"$2"'
says err "error[refused]: two: driver 'x' produced an invalid result:"
run 14 'printf "{\"_id\":\"two\"" >"$2"'
run 14 'echo "[1]" >"$2"'
run 14 'echo "{\"_id\":\"other\"}" >"$2"'
says err 'the document is for record other, not two'
run 14 'echo "{\"a\":{\"\$no\":1}}" >"$2"'
run 14 'printf "{\"a\":\"\\377\"}" >"$2"'
run 14 'echo "{} {}" >"$2"'
run 14 'rm "$2"'
says err 'produced no result: No such file'
run 14 'rm -r "$(dirname "$2")"'
echo '{"_id":"two","a":"outside"}' >../outside
run 14 'ln -sf ../../../../outside "$2"'
says err 'produced no result'
run 14 'rm "$2"; mkfifo "$2"'
run 14 'rm "$2"; mkdir "$2"'
run 14 'truncate -s 70M "$2"'
says err 'produced more than 67108864 bytes'
says ../outside outside
[ "$(sea log --format='%(block)' -1)" = "$before" ]
clean
run 0 'd=$(dirname "$2"); mkdir -p "$d/x/y"; ln -s / "$d/x/root"; echo "{\"a\":8}" >"$2"; touch "$d/x/y/z"; sleep 30 & echo $! >../../child'
kill "$(cat ../../child)"
[ "$(sea get two --json | jq -c '[._type, .a, .b]')" = '["t",8,null]' ]
clean
EOT

t 'a side that is not there' <<'EOT'
. ./lib
sea put -q '{"_id":"gone","_type":"t","a":0}'
sea sync -q
sea -C ../b sync -q
sea set -q gone a:=1
sea -C ../b delete -q gone
sea -C ../b sync -q
sea sync -q
status $CONFLICT sea resolve --merge gone
says err 'hint: choose with --take=REV, --winner'
status $CONFLICT sea -c driver.x.command=false resolve --driver=x gone
program sides <<'EOX'
wc -c <"$3" | tr -d ' ' >../size
: >"$2"
EOX
status 0 sea -c 'driver.x.command=sides %O %A %B' resolve -n --driver=x gone
says out 'deleted'
same ../size <<'EOX'
0
EOX
status 0 sea -c 'driver.x.command=true %A' resolve --driver=x gone
[ "$(sea get gone a)" = 1 ]
# Made twice: there is no base.
sea put -q '{"_id":"twice","a":1}'
sea -C ../b put -q '{"_id":"twice","a":2}'
sea -C ../b sync -q
sea sync -q
status 0 sea -c 'driver.x.command=sh -c "test ! -s \"\$1\"" sh %O' resolve -n --driver=x twice
status 0 sea -c 'driver.x.command=sh -c ": >\"\$1\"" sh %A' -c driver.x.scope=property resolve -n --driver=x twice
says out 'a -'
sea resolve -q --winner twice
EOT

t 'a driver of values' <<'EOT'
. ./lib
split val 1 2
value() { status "$1" sea -c "driver.v.command=sh -c '$2' sh %O %A %B" -c driver.v.scope=property resolve ${3---driver=v} val; }
value 14 'echo nonsense >"$2"'
value 14 'echo null >"$2"'
value 14 'echo 1 2 >"$2"'
value 3 'exit 1'
value 3 'echo 5 >"$2"' --pick=/a=driver:v
says err 'unresolved conflicts in /b'
value 0 'cat "$1" "$2" "$3" | tr "\n" "+" >"$2.new"; echo "\"$(sort "$2.new")\"" >"$2"' --prefer=driver:v
sea get val a | grep -qE '^0\+(1\+2|2\+1)\+$'
[ "$(sea get val c n | tr '\n' ' ')" = '1 1 ' ]
EOT

t 'three leaves are merged two by two' <<'EOT'
. ./lib
sea clone -q --name=c "$here/hub.sea" ../c
sea put -q '{"_id":"many","a":"base"}'
sea sync -q
sea -C ../b sync -q
sea -C ../c sync -q
sea set -q many a=A
sea -C ../b set -q many a=B
sea -C ../c set -q many a=C
sea -C ../b sync -q
sea -C ../c sync -q
sea sync -q
[ "$(sea conflicts many --json | jq '.leaves | length')" = 3 ]
program join <<'EOX'
jq -n --slurpfile a "$2" --slurpfile b "$3" '$a[0] + $b[0]' >"$2.new" && mv "$2.new" "$2"
EOX
status 0 sea -c 'driver.v.command=join %O %A %B' -c driver.v.scope=property resolve -n --driver=v many
grep -oE '"[ABC]*"' out | tr -d '"\n' | fold -w1 | sort | tr -d '\n' >letters
printf ABC | same letters
status 0 sea -c "driver.v.command=sh -c 'echo \"{\\\"a\\\":\\\"r\\\"}\" >\$1; echo x >>../../runs' sh %A" resolve --driver=v many
[ "$(wc -l <../../runs)" = 2 ]
[ "$(sea get many a)" = r ]
EOT

t 'an id is never anything but an argument' <<'EOT'
. ./lib
program note <<'EOX'
printf '%s\n' "$2" >../name
jq '.a = 3 | .b = 3' <"$1" >"$1.new" && mv "$1.new" "$1"
EOX
sea config set driver.note.command 'note %A %P'
for id in 'a"b'"'"'c' '$(touch${IFS}../pwned)' '`touch${IFS}../pwned`' ';touch${IFS}../pwned' '%A%O' '../../x' '*?[a]' '\\n' \
  '|cat' '~root' 'ü→🙂' '#x' '!x'; do
  json=$(printf %s "$id" | jq -Rs .)
  sea --literal-ids put -q "{\"_id\":$json,\"_type\":\"t%P\",\"a\":1,\"b\":0}"
  sea -C ../b --literal-ids put -q "{\"_id\":$json,\"_type\":\"t%P\",\"a\":2,\"b\":0}"
done
sea -C ../b sync -q
sea sync -q
sea conflicts --format='%(id)' >ids
[ "$(wc -l <ids)" = 13 ] || { cat ids; exit 1; }
while read -r id; do
  status 0 sea --literal-ids resolve -q --driver=note -- "$id"
  printf '%s\n' "$id" | same ../name
done <ids
[ -z "$(find "$here" -name pwned)" ]
[ "$(sea conflicts --count)" = 0 ]
clean
EOT

t 'only local settings name merge programs' <<'EOT'
. ./lib
split own 1 2
status $NOT_FOUND sea resolve --driver=none own
says err "error[not-found]: unknown driver 'none'"
says err 'hint: set driver.none.command'
status $NOT_FOUND sea resolve --pick=/a=driver:none own
status $BAD_DATA sea -c 'driver.x.command=a "b' resolve --driver=x own
status $BAD_DATA sea -c driver.x.command=true -c driver.x.scope=file resolve --driver=x own
says err "driver.x.scope: 'file' is not record or property"
status $USAGE sea -c driver.x.command=true resolve --pick=/a=driver:x own
says err 'merges whole records'
status $USAGE sea -c driver.x.command=true resolve --driver=x --prefer=max own
for key in driver.x.command driver.x.scope tool.x.command merge.tool merge.driver merge.t.driver hook.timeout; do
  status $DENIED sea config set --shared $key true
done
HOME=/nowhere SEA_CONFIG_COUNT=1 SEA_CONFIG_KEY_0=driver.e.command SEA_CONFIG_VALUE_0=false status 3 sea resolve --driver=e own
sea resolve -q --winner own
EOT

t 'a merge program does not hold the lock, and concurrent changes are kept' <<'EOT'
. ./lib
split busy 1 2
program meddle <<'EOX'
sea --lock-wait=0 set -q other x=1 --create
sea --lock-wait=0 set -q busy c:=9
EOX
before=$(sea rev-parse busy@winner)
status $CONFLICT sea -c driver.m.command=meddle resolve --driver=m busy
says err 'error[stale]: busy'
[ "$(sea get other x)" = 1 ]
[ "$(sea conflicts --count busy)" = 1 ]
program settle <<'EOX'
sea --lock-wait=0 resolve -q --winner busy
EOX
status 0 sea -c driver.m.command=settle resolve --driver=m busy
says err 'busy is not in conflict'
EOT

t 'the next merge removes files of a killed one' <<'EOT'
. ./lib
split dead 1 2
program slow <<'EOX'
echo $$ >"$here/program"
exec sleep 30
EOX
sea -c driver.s.command=slow resolve --driver=s dead &
for n in $(seq 1000); do
  [ ! -s "$here/program" ] || break
  sleep 0.1
done
mkdir -p .sea/tmp/held
status $CONFLICT sea -c driver.f.command=false resolve --driver=f dead
[ ! -e .sea/tmp/held ]
[ "$(ls .sea/tmp | grep -vc json)" = 1 ]
kill -KILL $!
wait $! || :
# The program outlives who started it.
kill -KILL "$(cat "$here/program")"
[ "$(ls .sea/tmp | grep -vc json)" = 1 ]
status $CONFLICT sea -c driver.f.command=false resolve --driver=f dead
clean
sea verify -q
EOT

t 'in part' <<'EOT'
. ./lib
split p1 1 2
split p2 3 4
split p3 5 6
program some <<'EOX'
case $1 in p1) exit 0 ;; p2) exit 1 ;; *) exit 200 ;; esac
EOX
before=$(sea log --format='%(block)' -1)
status $REFUSED sea -c 'driver.s.command=some %P' resolve --driver=s p1 p2 p3
status $CONFLICT sea -c 'driver.s.command=some %P' resolve --driver=s p1 p2
[ "$(sea log --format='%(block)' -1)" = "$before" ]
status $REFUSED sea -c 'driver.s.command=some %P' resolve --partial --driver=s p1 p2 p3
[ "$(cut -f2 out)" = p1 ]
says err 'p2: unresolved conflicts in /a, /b'
says err "p3: driver 's' failed with status 200"
status $PARTIAL sea resolve --partial --json --pick=/a=max p2
says err '"code":"partial","exit":8'
says out '{"event":"summary","ok":false,"resolved":0,"open":1,"exit":8}'
status 0 sea resolve --partial --prefer=max --all
[ "$(cut -f2 out | tr '\n' ' ')" != '' ]
[ "$(sea get p2 a b | tr '\n' ' ')" = '4 4 ' ]
EOT

t 'with a sync' <<'EOT'
. ./lib
sea resolve -q --all --winner
split s1 1 2
split s2 3 4
[ "$(sea conflicts --count)" = 2 ]
program sum <<'EOX'
echo "$2" >>../../ran
jq -n --slurpfile a "$1" --slurpfile b "$2" '$a[0] + $b[0]' >"$1.new" && mv "$1.new" "$1"
EOX
# The second argument is a file of values; what is told of each run is one line.
sea config set driver.sum.command 'sum %A %B'
sea config set driver.sum.scope property
sea config set merge.t.driver sum
rm -f ../../ran
sea sync -q
[ ! -e ../../ran ]
sea config set merge.auto drivers
sea sync >out
[ "$(wc -l <../../ran)" = 4 ]
[ "$(sea conflicts --count)" = 0 ]
[ "$(sea get s1 a b c | tr '\n' ' ')$(sea get s2 a b | tr '\n' ' ')" = '3 3 1 7 7 ' ]
sea -C ../b sync -q
[ "$(sea -C ../b get s2 a)" = 7 ]
clean
EOT

t 'with a sync, and one that fails' <<'EOT'
. ./lib
sea config set merge.t.driver bad
sea config set driver.bad.command "sh -c 'exit 200'"
fight() {
  sea set -q s1 a:="$1"
  sea -C ../b set -q s1 a:="$2"
  sea -C ../b sync -q
}
fight 10 11
status $REFUSED sea sync
says err "warning[merge-program]: s1: driver 'bad' failed with status 200"
[ "$(sea conflicts --count)" = 1 ]
status 0 sea sync
sea resolve -q --winner s1
sea sync -q
sea -C ../b sync -q
sea config set driver.bad.command false
fight 20 21
status 0 sea sync
[ "$(sea conflicts --count)" = 1 ]
sea resolve -q --winner s1
sea sync -q
sea -C ../b sync -q
sea config set merge.t.driver unknown
fight 30 31
status $REFUSED sea sync --json
says err '"code":"merge-program"'
says err "unknown driver 'unknown'"
says out '"exit":14'
sea resolve -q --winner s1
sea sync -q
sea -C ../b sync -q
# One for a property, and one for the rest.
sea config set merge.t.driver 'whole /a=sum'
sea config set driver.whole.command "sh -c 'jq \".a = 0 | .b = 77\" <\"\$1\" >\"\$1.new\"; mv \"\$1.new\" \"\$1\"' sh %A"
sea set -q s1 a:=40 b:=40
sea -C ../b set -q s1 a:=41 b:=41
sea -C ../b sync -q
status 0 sea sync
[ "$(sea get s1 a b | tr '\n' ' ')" = '81 77 ' ]
EOT
