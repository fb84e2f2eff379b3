# sealed: yes
t 'undo deletes created records and restores changed and deleted ones' <<'EOT'
sea init --name=field -q
sea put -q '{"_id":"web1","_type":"host","ram":16}' '{"_id":"web2","_type":"host"}'
sea set -q web1 ram:=32 name=x
sea undo >out 2>err
says err 'notice: undid op:'
says err ': set ram name'
grep -q '^restored	web1	3-[0-9a-f]\{64\}$' out
[ "$(sea get web1 --json | sed 's/,"_rev":"[^"]*"//')" = '{"_id":"web1","_type":"host","ram":16}' ]
sea delete -q web2
sea undo -q
sea get -q web2
sea delete -q web1 web2
sea undo -q '@{0}'
[ "$(sea query --count)" -eq 2 ]
EOT

t 'further and further back, and forth again' <<'EOT'
for n in 1 2 3 4; do sea set -q web1 n:=$n; done
sea undo -q
sea undo -q
[ "$(sea get web1 n)" = 2 ]
# The newest is an undo: without it there is 3 again.
sea undo -q '@{0}'
[ "$(sea get web1 n)" = 3 ]
sea undo -q
[ "$(sea get web1 n)" = 2 ]
sea undo -q
sea undo -q
status $NO sea get -e web1 n
EOT

t 'nothing is written twice' <<'EOT'
sea set -q web1 n:=5
op=$(sea ops -1 --format='%(op)')
sea undo -q
head=$(sea heads)
sea undo "$op" >out 2>err
[ ! -s out ]
says err 'nothing left to undo'
[ "$(sea heads)" = "$head" ]
sea undo -n '@{0}' >out 2>err
says err 'would undo'
says out 'restored	web1	'
[ "$(sea heads)" = "$head" ]
EOT

t 'records that have changed since are named' <<'EOT'
sea put -q '{"_id":"a","n":1}' '{"_id":"b","n":1}' '{"_id":"c","n":1}'
sea set -q a n:=2
sea set -q b n:=2
status $CONFLICT sea undo '@{2}'
says err 'error[stale]: 2 records have changed since op:'
says err '  a'
says err '  b'
status $CONFLICT sea undo '@{2}' --only=b --json
says err '"code":"stale"'
says err '"id":"b"'
[ "$(sea get c n)" = 1 ]
sea undo -q '@{2}' --only=c
status $NOT_FOUND sea get c
[ "$(sea ops --format='%(state)' | sed -n 4p)" = partly ]
sea ops | grep -q '(partly undone)'
status $NOT_FOUND sea undo '@{0}' --only=a
says err 'did not change a'
status $NOT_FOUND sea undo '@{0}' --only=nobody
status $NOT_FOUND sea undo '@{99}'
status $USAGE sea undo web1
EOT

t 'events' <<'EOT'
sea put -q '{"_id":"e","n":1}'
sea undo --json >out
says out '{"event":"deleted","id":"e","revs":["2-'
says out '{"event":"summary","ok":true,"op":"op:'
says out '"undone":1,"exit":0}'
[ -z "$(sea undo -q '@{0}')" ]
EOT

t 'counters lose what was counted, sets keep what others know' <<'EOT'
sea set -q --create k c:counter=5 s:set='["x","y"]'
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=lab ../c.sea ../lab
sea set -q k c+=3 s-=x s+=z
sea -C ../lab set -q k c+=10
[ "$(sea get k c)" = 8 ]
sea undo -q
[ "$(sea get k c)" = 5 ]
[ "$(sea get k s)" = '{"$set":["x","y"]}' ]
sea -C ../lab sync -q
sea sync -q
sea -C ../lab sync -q
[ "$(sea get k c)" = 15 ]
[ "$(sea -C ../lab get k c)" = 15 ]
[ "$(sea -C ../lab get k s)" = '{"$set":["x","y"]}' ]
EOT

t 'an element that was added twice goes when both are undone' <<'EOT'
sea init -q --name=twice twice && cd twice
sea put -q '{"_id":"a","s":{"$set":[]}}' '{"_id":"b","s":{"$set":[]}}'
sea set -q a s+=z; sea set -q --where=1 s+=z
status 0 sea undo
[ "$(sea get a s)$(sea get b s)" = '{"$set":["z"]}{"$set":[]}' ]
status 0 sea undo
[ "$(sea get a s)" = '{"$set":[]}' ]
sea set -q a s+=z; sea set -q a s+=z; sea set -q a s+=z
sea undo -q; sea undo -q
[ "$(sea get a s)" = '{"$set":["z"]}' ]
sea undo -q
[ "$(sea get a s)" = '{"$set":[]}' ]
# And forth again.
sea undo -q '@{0}'
[ "$(sea get a s)" = '{"$set":["z"]}' ]
EOT

t 'an element goes with the last of those who added it, in whatever order that is' <<'EOT'
sea init -q --name=order order && cd order
op() { sea ops -1 | sed 's/^[^ ]* *\(op:[0-9a-f]*\).*/\1/'; }
sea put -q '{"_id":"a","s":{"$set":["k"]}}'
sea set -q a s+=z n:=1 && one=$(op)
sea set -q a s+=z m:=2 && two=$(op)
sea set -q a s+=z o:=3 && three=$(op)
sea undo -q "$two"
[ "$(sea get a s)" = '{"$set":["k","z"]}' ]
sea undo -q "$one"
[ "$(sea get a s)" = '{"$set":["k","z"]}' ]
sea undo -q "$three" && last=$(op)
[ "$(sea get a s)" = '{"$set":["k"]}' ]
# And forth again, in another order.
sea undo -q "$last"
[ "$(sea get a s)" = '{"$set":["k","z"]}' ]
sea undo -q "$three"
[ "$(sea get a s)" = '{"$set":["k"]}' ]
[ "$(sea get a | jq -c 'keys')" = '["_id","_rev","s"]' ]
# What was taken out comes back once, by who took it out.
sea set -q a s-=k && out=$(op)
sea undo -q "$out"
[ "$(sea get a s)" = '{"$set":["k"]}' ]
EOT

t 'after a merge, an undo and its undo an element goes all the same' <<'EOT'
sea init -q --name=here here && cd here
op() { sea ops -1 | sed 's/^[^ ]* *\(op:[0-9a-f]*\).*/\1/'; }
sea add-container -q c ../there.sea --create
sea put -q '{"_id":"k","s":{"$set":["x"]}}'
sea sync -q
sea clone -q --name=there ../there.sea ../there
sea set -q k s+=y && own=$(op)
sea -C ../there set -q k s+=w
sea -C ../there sync -q
sea sync -q
for round in 1 2 3; do
  sea undo -q "$own"
  [ "$(sea get k s)" = '{"$set":["w","x"]}' ]
  sea undo -q '@{0}'
  [ "$(sea get k s)" = '{"$set":["w","x","y"]}' ]
done
status 0 sea undo "$own"
[ "$(sea get k s)" = '{"$set":["w","x"]}' ]
sea sync -q
sea -C ../there sync -q
[ "$(sea -C ../there get k s)" = '{"$set":["w","x"]}' ]
EOT

t 'a resolution that is taken back: the same conflict' <<'EOT'
sea put -q '{"_id":"r","_type":"t","n":0}'
sea sync -q
sea -C ../lab sync -q
sea set -q r n:=1
sea -C ../lab set -q r n:=2
sea -C ../lab sync -q
sea sync -q
sea conflicts r --json | sed 's/"[0-9]*-[0-9a-f]*"/REV/g; s/[0-9]*-[0-9a-f]\{64\}/REV/g' >before
base=$(sea rev-parse r@base)
sea resolve -q --theirs r
[ "$(sea conflicts --count)" -eq 0 ]
[ "$(sea get r n)" = 2 ]
sea undo | grep -q '^reopened	r	'
[ "$(sea conflicts --count)" -eq 1 ]
[ "$(sea rev-parse r@base)" = "$base" ]
sea get r --json | grep -q '"_conflicts":\["[0-9]*-'
# Nobody merges or loses it.
sea sync -q
sea -C ../lab sync -q
[ "$(sea -C ../lab conflicts --count)" -eq 1 ]
sea undo '@{0}' 2>err | grep -q '^resolved	r	'
[ "$(sea get r n)" = 2 ]
sea sync -q
sea -C ../lab sync -q
[ "$(sea -C ../lab get r n)" = 2 ]
[ "$(sea -C ../lab conflicts --count)" -eq 0 ]
EOT

t 'an undone automatic merge is not merged again' <<'EOT'
sea set -q r x:=1
sea -C ../lab set -q r y:=2
sea -C ../lab sync -q
sea sync -q
[ "$(sea get r x y | tr '\n' ' ')" = '1 2 ' ]
[ "$(sea ops -1 --format='%(label) %(merged)')" = 'merge 1' ]
sea undo -q '@{0}'
[ "$(sea conflicts --count)" -eq 1 ]
for i in 1 2; do sea sync -q && sea -C ../lab sync -q; done
[ "$(sea conflicts --count)" -eq 1 ]
[ "$(sea -C ../lab conflicts --count)" -eq 1 ]
sea undo -q '@{0}'
[ "$(sea get r x y | tr '\n' ' ')" = '1 2 ' ]
EOT

t 'undo keeps later changes of other instances' <<'EOT'
sea sync -q
sea -C ../lab sync -q
sea set -q r x:=7
sea sync -q
sea -C ../lab sync -q
sea -C ../lab set -q r x:=8
sea -C ../lab sync -q
sea sync -q
status $CONFLICT sea undo
says err 'r has changed since'
[ "$(sea get r x)" = 8 ]
EOT

t 'undo after a sync that merged takes back what was done here' <<'EOT'
sea put -q '{"_id":"u","a":0,"b":0}'
sea sync -q
sea -C ../lab sync -q
sea set -q u a:=1
sea -C ../lab set -q u b:=1
sea -C ../lab sync -q
sea sync -q
[ "$(sea ops -1 --format='%(label) %(merged)')" = 'merge 1' ]
sea undo 2>err >out
says err ': set a'
grep -q '^restored	u	' out
[ "$(sea get u a b | tr '\n' ' ')" = '0 1 ' ]
[ "$(sea conflicts --count)" -eq "$(sea conflicts --count -t t)" ]
sea sync -q
sea -C ../lab sync -q
[ "$(sea -C ../lab get u a b | tr '\n' ' ')" = '0 1 ' ]
# A redo, upon what came since.
sea -C ../lab set -q u c:=1
sea -C ../lab sync -q
sea sync -q
sea undo -q '@{0}'
[ "$(sea get u a b c | tr '\n' ' ')" = '1 1 1 ' ]
EOT

t 'completion knows operations' <<'EOT'
sea --complete 'sea undo op:' 12 >out
[ "$(wc -l <out)" -gt 5 ]
op=$(sea ops -1 --format='%(op)' | cut -c1-11)
grep -q "^$op	@{0} " out
sea --complete 'sea ops --show=op:' 18 >out
grep -q "^--show=$op	" out
EOT

t 'a database with members' <<'EOT'
mkdir ../members && cd ../members
sea init -q --require-auth
sea put -q '{"_id":"m","n":1}'
sea set -q m n:=2
sea undo -q
[ "$(sea get m n)" = 1 ]
sea undo -q '@{0}'
[ "$(sea get m n)" = 2 ]
sea verify -q
EOT

t 'undo of many conflicting revisions with counters takes linear time' <<'EOT'
sea -c init.encrypt=false init -q --name=leaves leaves && cd leaves
sea add-container -q c ../leaves.sea --create
sea put -q '{"_id":"k","_type":"t","c":{"$counter":1}}'
sea set -q k c+=2
sea sync -q
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/many_leaves.py" ../leaves.sea 24000
sea sync -q
# Of others 24,000, each counted by somebody else.
[ "$(sea get k c)" = 24003 ]
(ulimit -t 5 && sea undo -q)
[ "$(sea get k c)" = 24001 ]
EOT

t 'at a terminal, undo prints how to redo' <<'EOT'
terminal="/usr/bin/python3 $SEA_TEST_ROOT/Tests/faults/terminal.py --"
sea init -q typed && cd typed
sea set -q --create x n:=1
$terminal sea undo >out
says out 'hint: to revert this, run: sea undo @{0}'
$terminal sea undo '@{0}' >out
[ "$(sea get x n)" = 1 ]
$terminal sea undo -n >out
lacks out 'to revert this'
sea undo 2>err
lacks err 'to revert this'
status $NOT_FOUND sea undo
says err 'hint: to list operations, run: sea ops; to undo an undo, give its name'
EOT
