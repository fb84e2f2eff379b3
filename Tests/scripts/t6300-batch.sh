sea init -q
cat >shape.sh <<'EOX'
# What is said, without digits that nobody knows.
shape() { sed -E 's/([0-9]+-)[0-9a-f]{64}/\1…/g; s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/INSTANCE/g; s,INSTANCE/[0-9]+,INSTANCE/…,' "$@"; }
EOX

t 'a line in, a line out' <<'EOT'
. ./shape.sh
printf '%s\n' 'put {"_id":"h/1","_type":"host","a":1}' 'patch h/1 {"b":2,"a":null}' 'get h/1' '' \
  '  set	h/1 n:counter+=1 "s=x y \"z\""' 'get host:s="x' 'verify h/1 none' 'verify no none' 'get no' 'flush' \
  'delete h/1' 'get h/1' 'quit' 'put {"_id":"late"}' | status 0 sea batch
shape out >have
same have <<'EOX'
ok h/1 1-…
ok h/1 2-…
ok {"_id":"h/1","_type":"host","_rev":"2-…","b":2}
ok h/1 3-…
missing host:s="x
conflict h/1 3-… none
ok
missing no
ok flush
ok h/1 4-…
missing h/1
ok quit
EOX
status $NOT_FOUND sea get late
EOT

t 'a transaction sees itself, and is one block' <<'EOT'
. ./shape.sh
before=$(sea ops --json | wc -l)
printf '%s\n' start 'put {"_id":"a","n":{"$counter":1}}' 'set a n+=2' 'get a' 'set --create b x:=1' 'verify b none' 'delete b' \
  'get b' 'verify b none' 'put {"_id":"c","to":{"$ref":"a"}}' commit | status 0 sea batch
shape out >have
same have <<'EOX'
ok start
ok a 1-…
ok a 2-…
ok {"_id":"a","_rev":"2-…","n":{"$counter":3}}
ok b 1-…
conflict b 1-… none
ok b 2-…
missing b
ok
ok c 1-…
ok commit INSTANCE/…
EOX
[ "$(sea ops --json | wc -l)" -eq $((before + 1)) ]
[ "$(sea get a n)" = 3 ]
status $NOT_FOUND sea get b
sea verify -q
EOT

t 'a transaction finds what it has written by what it says' <<'EOT'
. ./shape.sh
sea put -q '{"_id":"k/1","_type":"k","key":"one"}' '{"_id":"k/2","_type":"k","key":"two","n":1.50}'
{
  echo start
  # Twice, as the first time makes an index of what was there, and the second goes by it.
  printf '%s\n' 'set k:key=one a:=1' 'set k:key=two a:=1' 'set k:key=one a:=2' 'set k/1 key=uno' 'get k:key=one' 'set k:key=uno a:=3' \
    'set --create k:key=three a:=1' 'set --create k:key=three a:=2' 'set k/2 key=uno' 'set k:key=uno a:=4' 'delete k/1' \
    'set k:key=uno a:=5' 'set k:key=uno key=one' 'set k:key=one a:=6' 'get k:n=1.5' 'set k:key=one --type=l --replace-type' 'get k:key=one' 'get l:key=one' \
    'put {"_id":"k/3","_type":"k","key":"x"}' 'put {"_id":"k/4","_type":"k","key":"x"}' 'get k:key=x' 'delete k/4' 'get k:key=x' commit
} >lines
status $CONFLICT sea batch <lines
shape out | sed 's/"_rev":"[^"]*",//; s/^ok [0-9a-f-]\{36\} /ok NEW /; s/^\(ok [a-zA-Z0-9\/]*\) [0-9]*-…$/\1/' >have
same have <<'EOX'
ok start
ok k/1
ok k/2
ok k/1
ok k/1
missing k:key=one
ok k/1
ok INSTANCE
ok INSTANCE
ok k/2
ambiguous k:key=uno
ok k/1
ok k/2
ok k/2
ok k/2
ok {"_id":"k/2","_type":"k","a":6,"n":1.5,"key":"one"}
ok k/2
missing k:key=one
ok {"_id":"k/2","_type":"l","a":6,"n":1.5,"key":"one"}
ok k/3
ok k/4
ambiguous k:key=x
ok k/4
ok {"_id":"k/3","_type":"k","key":"x"}
error conflict a command of the transaction failed; nothing was written
EOX
[ "$(sed -n '8,9s/^ok \([^ ]*\).*/\1/p' out | uniq | wc -l)" = 1 ]
EOT

t 'a name by what a record says costs one look at each record, however many there are' <<'EOT'
sea init -q many && cd many
seq 3000 | sed 's|.*|{"_id":"r/&","_type":"r","key":"k&","n":&}|' | sea put -q -
seq 3000 | sed 's/.*/r:key=k&/' >names
timeout 300 sea set -q --stdin seen:=1 <names
[ "$(sea query --count 'seen = 1')" = 3000 ]
{ echo start; sed 's/.*/set & seen+:=1/; s/+:=1/:=2/' names; sed 's/r:key=k\(.*\)/set --create r:key=new\1 made:=1/; p' names; echo commit; } >lines
timeout 300 sea batch <lines >answers
[ "$(sea query --count 'seen = 2')" = 3000 ]
[ "$(sea query --count 'made = 1')" = 3000 ]
# Each one a transaction of its own, while somebody else writes, too.
sed 's/.*/set & seen:=3/' names | head -300 >single
timeout 300 sea batch <single >answers
[ "$(sea query --count 'seen = 3')" = 300 ]
mkfifo to from
sea batch <to >from &
exec 3>to 4<from
for n in 1 2 3; do
  echo "set r:key=k$n seen:=4" >&3
  read -r line <&4
  case $line in ok*) ;; *) echo "$line"; false ;; esac
  sea set -q "r/$n" "key=other$n"
  echo "set r:key=other$n seen:=5" >&3
  read -r line <&4
  case $line in ok*) ;; *) echo "$line"; false ;; esac
  echo "set r:key=k$n seen:=6" >&3
  read -r line <&4
  [ "$line" = "missing r:key=k$n" ]
done
exec 3>&- 4<&-
wait
EOT

t 'a patch is of the record that the line names' <<'EOT'
sea init -q --name=patch patch && cd patch
printf '%s\n' 'put {"_id":"p/1","a":1}' 'put {"_id":"p/2","a":1}' 'patch p/1 {"_id":"p/2","a":2}' 'patch p/1 {"_id":"p/1","a":3}' | status $PARTIAL sea batch
[ "$(sed -n 3p out)" = 'error bad-data the document is for record p/2, not p/1' ]
[ "$(sea get p/1 a)$(sea get p/2 a)" = 31 ]
EOT

t 'all of it or nothing' <<'EOT'
printf '%s\n' start 'put {"_id":"x"}' 'patch no {"a":1}' 'put {"_id":"y"}' commit 'put {"_id":"z"}' | status $CONFLICT sea batch
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = 'ok ok missing ok error ok ' ]
status $NOT_FOUND sea get x
status $NOT_FOUND sea get y
sea get -e z
printf '%s\n' start 'put {"_id":"x"}' abort 'get x' | status 0 sea batch
[ "$(tail -1 out)" = 'missing x' ]
printf '%s\n' start 'put {"_id":"x"}' | status $CONFLICT sea batch
says err 'the input ended within a transaction; nothing was written'
printf '%s\n' start 'put {"_id":"x"}' quit 'put {"_id":"x"}' | status $CONFLICT sea batch
status $NOT_FOUND sea get x
printf '%s\n' start 'put {"_id":"x"}' commit | status 0 sea batch -n
status $NOT_FOUND sea get x
EOT

t 'an error is answered, and the batch continues' <<'EOT'
printf '%s\n' 'fly h/1' 'put {' 'put 7' 'put {"_id":"a"} x' 'set a' 'set a n@file' 'set a n=x' 'set a n:sql=1' 'set a "n' 'delete' \
  'delete a 1-ffff' 'verify a' 'verify a b' 'get' 'get a b' commit abort 'patch a' 'put {"_id":"a","_rev":"1-ffff","n":1}' \
  'get a' | status $PARTIAL sea batch
[ "$(wc -l <out)" -eq 20 ]
cut -d' ' -f1 out | tail -2 | tr '\n' ' ' >have
printf 'error ok ' | cmp - have
[ "$(sed -n 11p out | cut -d' ' -f1,2)" = 'conflict a' ]
printf 'start\nstart\ncommit\n' | status $CONFLICT sea batch
printf 'put {"_id":"q\\nr"}\000get a\000' | status $PARTIAL sea batch -z
[ "$(tr -cd '\000' <out | wc -c)" -eq 2 ]
status $USAGE sea batch x
EOT

t 'set has the options of sea set' <<'EOT'
sea put -q '{"_id":"u/1","_type":"unit","v":1,"n":7}'
printf '%s\n' 'set u/1 --unset=v --rename=n=m' 'get u/1' 'set --create unit:m=7 w:=1' 'set --create --initial=k=first unit:m=8 w:=1' \
  'set --create --initial=k=second unit:m=8 w:=2' 'set --create --type=unit u/2 w:=3' 'set --replace-type u/2 w=text' | status 0 sea batch
[ "$(sed -n 2p out | cut -c4- | jq -c 'del(._rev)')" = '{"_id":"u/1","_type":"unit","m":7}' ]
[ "$(sea query -t unit --json 'm = 8' | jq -c 'del(._id,._rev)')" = '{"_type":"unit","k":"first","m":8,"w":2}' ]
[ "$(sea query -t unit --json "_id = 'u/2'" | jq -c 'del(._rev)')" = '{"_id":"u/2","_type":"unit","w":"text"}' ]
printf '%s\n' 'set u/1 --if-rev=none a=1' 'set u/1 --if-rev=1-0000 a=1' 'set u/1 --stdin a=1' 'set u/1 --unset v' 'set --unset=v' 'set u/1' \
  'start x' 'commit' | status $PARTIAL sea batch
cut -d' ' -f1,2 out | tr '\n' ' ' >have
printf 'conflict u/1 conflict u/1 error usage error usage error usage error usage error usage error usage ' | cmp - have
EOT

t 'a client that sends much and reads late is not blocked' <<'EOT'
cat >late.py <<'EOD'
import subprocess, sys
n = 30000
batch = subprocess.Popen(["sea", "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
batch.stdin.write(b"start\n" + b"set --create late n:counter+=1\n" * n + b"commit\n")
batch.stdin.flush()
answers = [batch.stdout.readline() for _ in range(n + 2)]
assert all(answer.startswith(b"ok") for answer in answers), answers[-1]
batch.stdin.write(b"get late\n")
batch.stdin.flush()
assert b'"$counter":%d' % n in batch.stdout.readline()
batch.stdin.close()
assert batch.stdout.read() == b"" and batch.wait() == 0
EOD
timeout 300 python3 late.py
EOT

t 'a transaction of more than a block is answered, and the program goes on' <<'EOT'
long=$(head -c 60000 /dev/zero | tr '\0' x)
{ echo start; for k in $(seq 1200); do echo "set --create long/$k v=$long"; done; echo commit; echo 'set --create long/z v=1'; } | status $CONFLICT sea batch
[ "$(grep -c '^error bad-data' out)" -gt 0 ]
[ "$(tail -1 out | cut -c1-9)" = 'ok long/z' ]
[ "$(sea query --ids | grep -c '^long/')" = 1 ]
EOT

t 'conflicts are visible within a transaction' <<'EOT'
sea init -q --name=left left
sea -C left add-container -q --create s s
sea -C left sync -q
sea clone -q --name=right left/s right
for d in left right; do sea -C $d put -q "{\"_id\":\"r\",\"v\":\"$d\"}"; done
for d in left right left; do sea -C $d sync -q; done
printf '%s\n' 'get r' start 'set r w=1' 'get r' 'delete r' 'put {"_id":"r","v":3}' 'get r' commit 'get r' | sea -C left batch >answers
[ "$(grep '"_id":"r"' answers | cut -c4- | jq -c '._conflicts // [] | length' | tr '\n' ' ')" = '1 1 0 0 ' ]
EOT

t 'counters from four at once' <<'EOT'
sea put -q '{"_id":"sum","n":{"$counter":0}}'
for k in 1 2 3 4; do
  (for j in 1 2 3 4 5; do printf '%s\n' start 'set sum n+=1' 'set sum n+=1' commit; done | sea batch >/dev/null) &
done
wait
[ "$(sea get sum n)" = 40 ]
EOT

t 'the sample of the page in Python' <<'EOT'
seq 7 | sed 's,.*,put {"_id":"bird/&"},' | sea batch >/dev/null
page=$SEA_TEST_ROOT/man/sea-batch.1
sed -n '/^import json/,/^print(.ask("commit"))/p' "$page" | sed 's/\\e/\\/g' >sample.py
status 0 python3 sample.py
grep -q '^ok commit ' out
[ "$(sea get bird/7 name)" = "Ada's hoopoe" ]
EOT
