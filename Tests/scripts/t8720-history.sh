# sealed: yes
sea init -q --name=one one
cd one
sea put -q '{"_id":"h/1","_type":"host","os":"bsd","at":{"$date":"2026-01-01T00:00:00Z"},"price":{"$decimal":"1.50"},"n":1e300}' \
  '{"_id":"h/2","_type":"host","of":{"$ref":"h/1"}}' '{"_id":"x","text":"ü \" \\ \u0000"}'
sea set -q h/1 os=linux seen:counter+=2 tags:set+=a
sea set -q h/1 seen+=1 tags+=b tags-=a
sea delete -q h/2
# Two sides, and one that was settled.
sea add-container -q --create c "$PWD/../c"
sea sync -q
cd .. && sea clone -q --name=two c two && cd one
sea set -q h/1 os=plan9
sea -C ../two set -q h/1 os=beos
sea set -q x text=ours
sea -C ../two set -q x text=theirs
sea -C ../two sync -q; sea sync -q 2>/dev/null || :
sea resolve -q --winner x
sea sync -q 2>/dev/null || :
cd ..

t 'every revision comes back under its id' <<'EOT'
cd one
status 0 sea dump --history -o ../all.jsonl
grep -Eq 'all.jsonl: [0-9]+ revisions' out
jq -e -s 'map(select(._id == "h/1")) | length >= 5' ../all.jsonl
jq -e -s 'map(select(._body)) | length >= 2' ../all.jsonl
sea init -q ../new
status 0 sea -C ../new load --history ../all.jsonl
grep -Eq "all.jsonl: $(wc -l <../all.jsonl) new revisions, 0 unchanged" out
sea -C ../new dump --history | cmp - ../all.jsonl
sea query --json --deleted | sort >have
sea -C ../new query --json --deleted | sort | cmp - have
sea conflicts --json | jq -c .id >have
sea -C ../new conflicts --json | jq -c .id | same have
[ -s have ]
status 0 sea -C ../new load --history ../all.jsonl
says out '0 new revisions'
before=$(sea -C ../new log --json | wc -l)
status 0 sea load --history --chunk=2 ../all.jsonl
[ "$(sea -C ../new log --json | wc -l)" = "$before" ]
sea -C ../new verify -q
EOT

t 'both sides of it go on as one' <<'EOT'
cd new
sea set -q h/1 seen+=5
sea dump --history -o ../more.jsonl
cd ../one
status 0 sea load --history ../more.jsonl
[ "$(sea get h/1 seen)" = 8 ]
status 0 sea verify
EOT

t 'a line that says something else is refused, and nothing is written' <<'EOT'
sea init -q bad && cd bad
sed 's/"os":"bsd"/"os":"BSD"/' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
says err 'changed.jsonl:1:1'
[ "$(sea query --count --deleted)" = 0 ]
jq -c 'del(._revParent)' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
jq -c 'del(._body)' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
jq -c 'if ._body then .extra = 1 else . end' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
jq -c 'if ._body then ._body = "AAAA" else . end' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
jq -c '._merged = [range(70) | "1-" + ("0" * 60) + (1000 + . | tostring)]' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
jq -c '._revParent = "4294967295-" + ("0" * 64)' ../all.jsonl >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
echo '{"_id":"y","a":1}' >changed.jsonl
status $BAD_DATA sea load --history changed.jsonl
[ "$(sea query --count --deleted)" = 0 ]
status $BAD_DATA sea put ../all.jsonl
status 0 sea load --history -n ../all.jsonl
[ "$(sea query --count --deleted)" = 0 ]
EOT

t 'counters and sets within arrays, too' <<'EOT'
sea init -q --name=arrays arrays
cd arrays
sea put -q '{"_id":"ok","v":1}' '{"_id":"a","x":[{"$counter":2}],"y":[{"$set":["x"]}],"z":[{"y":[{"$counter":2}]}]}'
sea dump --history -o ../arrays.jsonl
[ "$(jq -r 'select(._body)._id' ../arrays.jsonl)" = a ]
sea init -q ../arrays2
status 0 sea -C ../arrays2 load --history ../arrays.jsonl
sea -C ../arrays2 dump --history | cmp - ../arrays.jsonl
EOT

t 'revisions are not taken for records' <<'EOT'
sea init -q plain
status $BAD_DATA sea -C plain load ../all.jsonl
says err 'this is a revision of a record, not a record'
says err 'hint: to load the output of sea dump --history, run: sea load --history'
status $BAD_DATA sea -C plain load --rejects=rejects ../all.jsonl
jq -c 'select(._body)' all.jsonl >only
status $BAD_DATA sea -C plain put --ignore-rev ../only
says err 'sea load --history'
[ "$(sea -C plain query --count)" = 0 ]
status 0 sea -C one get --meta h/1
jq -e ._revParent out
cp out meta
status 0 sea -C plain load ../meta
EOT

t 'an undo takes back what was merged or in conflict, too' <<'EOT'
sea init -q --name=undone undone
status 0 sea -C undone load --history ../all.jsonl
sea -C undone ops --json -1 >op
jq -e '.created == 2 and .deleted == 1 and ([.resolved, .reopened, .merged] == [null, null, null])' op
status 0 sea -C undone undo
[ "$(sea -C undone query --count)" = 0 ]
status 0 sea -C undone conflicts
[ ! -s out ]
status 0 sea -C undone undo '@{0}'
sea -C one query --ids >want
sea -C undone query --ids | same want
EOT

t 'one type only, and meaningless options' <<'EOT'
cd one
sea dump --history -t host | jq -e -s 'map(._type) | unique == ["host"]'
status $USAGE sea dump --history --where=1
status $USAGE sea dump --history --format=csv
status $USAGE sea load --history --key=os ../all.jsonl
status $USAGE sea load --history --format=csv ../all.jsonl
status $USAGE sea load --history --rejects=r ../all.jsonl
EOT

t 'purged revisions are skipped and reported' <<'EOT'
sea init -q --name=gone gone && cd gone
sea put -q '{"_id":"p","a":1}' '{"_id":"q","a":1}'
sea set -q p a:=2
sea purge -q --confirm=gone p || [ $? = 8 ]
status $PARTIAL sea dump --history
says err 'purged'
grep -q '"_id":"q"' out
if grep -q '"a":2' out; then false; fi
sea put -q '{"_id":"r","secret":1}'
sea set -q r --unset=secret
sea set -q r x:=2
sea purge -q --confirm=gone --history-only r || [ $? = 8 ]
status $PARTIAL sea dump --history -o ../left.jsonl
cd .. && sea init -q taken && cd taken
status $PARTIAL sea load --history ../left.jsonl
says err 'warning[waiting]: 2 revisions cannot be shown'
EOT
