# Hooks that are about records: before they are written, and when they have changed.
cat >lib <<'EOX'
hook() {
  mkdir -p "$(dirname ".sea/hooks/$1")"
  { echo '#!/bin/sh' && cat; } >".sea/hooks/$1"
  chmod +x ".sea/hooks/$1"
}
EOX

t 'pre-put sees what will be there, and what is' <<'EOT'
. ./lib
sea init -q --name=a a
cp lib a && cd a
hook pre-put <<'EOX'
cat >>seen
EOX
sea put -q -t t '{"_id":"x","n":1}' '{"_id":"y","n":1}'
sea set -q x n:=2 s:set+=a
sea delete -q y
jq -se '.[0] == {_id: "x", _type: "t", _rev: .[0]._rev, n: 1} and (.[1]._id == "y")' seen
jq -se '.[2] | ._old == {_type: "t", _rev: ._old._rev, n: 1} and .n == 2 and .s == {"$set": ["a"]} and (._rev | startswith("2-"))' seen
jq -se '.[3] | ._id == "y" and ._deleted and ._old.n == 1' seen
[ "$(wc -l <seen)" = 4 ]
[ "$(sea get x --json | jq -r ._rev)" = "$(jq -sr '.[2]._rev' seen)" ]
# What changes nothing is not shown, nor what is not written.
sea set -q x n:=2
sea put -n -q '{"_id":"z"}'
sea undo -n -q
[ "$(wc -l <seen)" = 4 ]
EOT

t 'it refuses, and nothing is written' <<'EOT'
. ./lib
cd a
hook pre-put <<'EOX'
jq -se 'all(.n < 10)' >/dev/null && exit
echo 'n is too large'
exit 1
EOX
before=$(sea changes --position)
status $REFUSED sea put '{"_id":"p","n":1}' '{"_id":"q","n":11}'
says err "error[refused]: hook 'pre-put' failed with status 1"
says err 'n is too large'
status $REFUSED sea set x n:=12
sea set -q --create p n:=5
status $REFUSED sea set --where='n > 0' n:sql='n + 8'
printf '{"_id":"l1","n":1}\n{"_id":"l2","n":99}\n' | status $REFUSED sea load -
[ "$(sea query --count)" = 2 ]
[ "$(sea changes --since="$before" | wc -l)" = 1 ]
status 0 sea --no-hooks put '{"_id":"p","n":50}'
status $REFUSED sea put '{"_id":"p","n":51}'
sea undo -q
status $REFUSED sea revert 'p@~1'
[ "$(sea get p n)" = 5 ]
printf '%s\n' 'put {"_id":"b1","n":1}' 'put {"_id":"b2","n":99}' start 'put {"_id":"b3","n":1}' 'put {"_id":"b4","n":99}' commit 'put {"_id":"b5","n":1}' >in
status $CONFLICT sea batch <in
cut -d ' ' -f 1-2 out | sed 's/ 1-.*//' >short
same short <<'EOX'
ok b1
error refused
ok start
ok b3
ok b4
error refused
ok b5
EOX
[ "$(sea query --ids "_id LIKE 'b%'" | tr '\n' ' ')" = 'b1 b5 ' ]
EOT

t 'a hook that refuses is run once, for each transaction' <<'EOT'
. ./lib
cd a
hook pre-put <<'EOX'
grep -o '"_id":"[^"]*"' >>runs
echo run >>runs
[ "$(grep -c run runs)" != 2 ]
EOX
sea put -q '{"_id":"once/0"}'
status $REFUSED sea put '{"_id":"once/1"}'
[ "$(grep -c run runs)" = 2 ]
[ "$(grep -c "hook 'pre-put' failed with status 1" err)" = 1 ]
status $NOT_FOUND sea get once/1
rm runs
# Of several transactions those before it are written, and what comes behind is not asked about.
for n in 1 2 3 4; do echo "{\"_id\":\"each/$n\"}"; done >each
status $REFUSED sea put --chunk=1 each
same runs <<'EOX'
"_id":"each/1"
run
"_id":"each/2"
run
EOX
[ "$(sea query "_id LIKE 'each/%'" --count)" = 1 ]
EOT

t 'a hook that leads nowhere refuses' <<'EOT'
. ./lib
cd a
rm -r .sea/hooks
mkdir -p .sea/hooks/pre-put.d .sea/hooks/post-commit.d
ln -s no/where .sea/hooks/pre-put
status $REFUSED sea put '{"_id":"w/1"}'
says err "cannot start hook 'pre-put'"
rm .sea/hooks/pre-put
ln -s no/where .sea/hooks/pre-put.d/check
status $REFUSED sea put '{"_id":"w/1"}'
ln -s no/where .sea/hooks/post-commit
mkdir .sea/hooks/post-commit.d/folder
mv .sea/hooks/pre-put.d/check .sea/hooks/post-commit.d/other
status 0 sea put '{"_id":"w/1"}'
says err "warning[hook-failed]: cannot start hook 'post-commit'"
says err "warning[hook-not-executable]: skipped hook 'post-commit.d/folder'"
[ "$(grep -c chmod err)" = 0 ]
sea status | grep '^hook' >out
same out <<'EOX'
hook post-commit cannot run: it is a broken link
hook post-commit.d/folder will not run: it is not an executable file
hook post-commit.d/other cannot run: it is a broken link
EOX
sea status --json | jq -r 'select(.event == "hook") | .reason' | uniq >out
printf 'dangling\nnot-executable\ndangling\n' | same out
rm -r .sea/hooks
EOT

t 'it may read and not write, and takes no longer than it may' <<'EOT'
. ./lib
cd a
hook pre-put <<'EOX'
sea get x n >read
sea put '{"_id":"inner"}' 2>inner || echo $? >>inner
EOX
sea put -q '{"_id":"r"}'
[ "$(cat read)" = 2 ]
says inner 'error[locked]'
says inner 6
status $NOT_FOUND sea get inner
hook pre-put <<'EOX'
sleep 30
EOX
sea config set -q hook.timeout 1
status $REFUSED sea put '{"_id":"late"}'
says err 'timed out after 1 s'
status $NOT_FOUND sea get late
sea config unset -q hook.timeout
rm .sea/hooks/pre-put
EOT

t 'post-commit and post-change run once for each change' <<'EOT'
. ./lib
cd a
for name in commit change; do hook post-$name <<'EOX'
echo "$SEA_EVENT $SEA_OP" >>order
cat >>"$SEA_EVENT"
sea put -q '{"_id":"from-a-hook"}' 2>/dev/null
EOX
done
at=$(sea changes --position)
sea put -q '{"_id":"k","n":1}' '{"_id":"l"}'
sea set -q k n:=2
sea set -q k n:=2
sea changes --since="$at" --json | jq -c 'select(.event == "change" and .id != "from-a-hook")' >want
same post-commit <want
[ ! -e post-change ]
[ "$(sort -u order)" = 'post-commit put
post-commit set' ]
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=b ../c.sea ../b
sea -C ../b set -q k n:=3
sea -C ../b put -q '{"_id":"m"}'
sea -C ../b sync -q
rm -f order post-commit
at=$(sea changes --position)
sea sync -q
sea changes --since="$at" --json | jq -c 'select(.event == "change" and .id != "from-a-hook")' >want
same post-change <want
[ "$(wc -l <want)" = 2 ]
[ ! -e post-commit ]
[ "$(cat order)" = 'post-change sync' ]
# What is merged unasked is our own, and told with what it came from.
sea set -q k a:=1
sea -C ../b set -q k b:=1
sea -C ../b sync -q
rm -f order post-commit post-change
sea sync -q
jq -se 'length == 1 and .[0].label == "merge" and .[0].own' post-commit
jq -se 'length == 1 and .[0].id == "k" and (.[0].own | not)' post-change
EOT

t 'a co-process is notified after each transaction' <<'EOT'
. ./lib
cd a
rm -f order post-commit
hook post-commit <<'EOX'
jq -r .id | tr '\n' ' ' >>order
echo >>order
EOX
printf '%s\n' 'put {"_id":"c1"}' start 'put {"_id":"c2"}' 'put {"_id":"c3"}' commit 'put {"_id":"c4"}' | sea batch -q
same order <<'EOX'
c1 
c2 c3 
c4 
EOX
EOT

t 'a post hook that fails is a warning, and many changes come in pieces' <<'EOT'
. ./lib
cd a
hook post-commit <<'EOX'
wc -l >>pieces
exit 7
EOX
status 0 sea put '{"_id":"w"}'
says err "warning[hook-failed]: hook 'post-commit' failed with status 7"
rm pieces
seq 25000 | sed 's/.*/{"_id":"many-&"}/' | sea load -q - 2>/dev/null
[ "$(awk '{ s += $1 } END { print s, NR }' pieces)" = '25000 3' ]
EOT

t 'ignored hook files are reported' <<'EOT'
. ./lib
cd a
rm -r .sea/hooks
[ "$(sea status | grep -c hook)" = 0 ]
hook pre-put <<'EOX'
exit 0
EOX
hook pre-putt <<'EOX'
exit 1
EOX
hook post-sync.d/fine <<'EOX'
exit 0
EOX
touch .sea/hooks/post-change .sea/hooks/post-sync.d/plain .sea/hooks/.hidden
sea status | grep '^hook' >out
same out <<EOX
hook post-change will not run: it is not an executable file; to fix this, run: chmod +x '$PWD/.sea/hooks/post-change'
hook post-sync.d/plain will not run: it is not an executable file; to fix this, run: chmod +x '$PWD/.sea/hooks/post-sync.d/plain'
hook pre-putt will not run: no event has that name; see sea-hooks(5)
EOX
sea status --json | jq -se '[.[] | select(.event == "hook") | .reason] == ["not-executable", "not-executable", "unknown"]'
sea status --porcelain >out
says out '# hooks.unusable	3'
[ "$(sea --no-hooks status | grep -c hook)" = 0 ]
EOT

t 'a folder of hooks that leads nowhere is named' <<'EOT'
sea init -q --name=folder folder
cd folder
ln -s /nowhere/at/all .sea/hooks
sea status >out
says out "no hooks will run: 'hooks' is a broken link"
[ "$(sea status --json | jq -r 'select(.event == "hook") | .reason')" = dangling ]
rm .sea/hooks && : >.sea/hooks
sea status >out
says out "no hooks will run: 'hooks' is not a folder"
rm .sea/hooks && mkdir elsewhere && ln -s ../elsewhere .sea/hooks
[ "$(sea status | grep -c hook)" = 0 ]
EOT
