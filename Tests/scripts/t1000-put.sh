# sealed: yes
sea init -q

t 'a record is created, updated, and left alone when nothing changes' <<'EOT'
status 0 sea put '{"_id":"host/web1","_type":"host","ram_gb":64}'
grep -Eqx 'created	host/web1	1-[0-9a-f]{64}' out
status 0 sea put '{"ram_gb":128,"_type":"host","_id":"host/web1"}'
grep -Eqx 'updated	host/web1	2-[0-9a-f]{64}' out
cp out first
sea get host/web1 --meta --json | jq -r ._block >block
status 0 sea put '{"ram_gb":1.28e2,"_type":"host","_id":"host/web1"}'
sed 's/updated/unchanged/' first | same out
sea get host/web1 --meta --json | jq -r ._block | same block
EOT

t 'a record is what the document says: what it lacks is removed' <<'EOT'
sea put -q '{"_id":"whole","a":1,"b":2}'
sea put -q '{"_id":"whole","b":2,"c":null}'
sea get whole --json | jq -c 'del(._rev)' >out
echo '{"_id":"whole","b":2}' | same out
EOT

t 'documents come from arguments, files and standard input, in any layout' <<'EOT'
printf '{"_id":"m/1"}\n\n  {"_id":\n"m/2"}{"_id":"m/3"}\t{"_id":"m/4"}' >docs
printf '{"_id":"m/5"}\r\n{"_id":"m/6"}\r\n' | status 0 sea put docs - ' {"_id":"m/7"}'
cut -f1,2 out >have
for k in 1 2 3 4 5 6 7; do printf 'created\tm/%s\n' $k; done | same have
jq -n '{"_id":"pretty/1",a:{b:[1,2]}}, {"_id":"pretty/2"}' | status 0 sea put -
[ "$(wc -l <out)" -eq 2 ]
EOT

t 'all records of one run are one block, or as many as --chunk makes' <<'EOT'
block() { sea get "$1" --meta --json | jq -r ._block; }
seq 5 | jq -c '{_id:"one/\(.)"}' | sea put -q -
[ "$(block one/1)" = "$(block one/5)" ]
seq 5 | jq -c '{_id:"two/\(.)"}' | sea put -q --chunk=2 -
[ "$(block two/1)" = "$(block two/2)" ]
[ "$(block two/2)" != "$(block two/3)" ]
[ "$(block two/3)" = "$(block two/4)" ]
[ "$(block two/4)" != "$(block two/5)" ]
status $USAGE sea put --chunk=0 '{}'
status $USAGE sea put --chunk=-1 '{}'
EOT

t 'an invalid document stops everything; with --chunk, earlier chunks stay' <<'EOT'
printf '{"_id":"w/1"}\n{"_id":"w/2"}\n{"_id":}\n' >docs
status $BAD_DATA sea put docs
says err 'docs:3:8: '
[ ! -s out ]
status $NO sea get -e w/1
status $BAD_DATA sea put --chunk=2 docs
cut -f1,2 out >have
printf 'created\tw/1\ncreated\tw/2\n' | same have
sea get -e w/2
EOT

t '-t and --id fill in what the document does not say' <<'EOT'
status 0 sea put -t host --id=fill '{"a":1}'
[ "$(sea get fill --json | jq -r ._type)" = host ]
status $BAD_DATA sea put -t host --id=other '{"_id":"own","_type":"server"}'
says err 'the document is for record own, not other'
status $NO sea get -e own
status 0 sea put -t host --id=own '{"_id":"own","_type":"server"}'
[ "$(sea get own --json | jq -r ._type)" = server ]
status $NO sea get -e other
status 0 sea put '{"a":1}'
grep -Eqx 'created	[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}	1-[0-9a-f]{64}' out
status $BAD_DATA sea put -t 'a b' '{}'
status $BAD_DATA sea put --id=-x '{}'
EOT

t '--id is for one document, and standard input is read once' <<'EOT'
status $USAGE sea put --id=zz '{"a":1}' '{"b":1}'
says err "option '--id' accepts only one record"
printf '{"a":1}\n{"b":1}\n' >two
status $USAGE sea put --id=zz two
status $NOT_FOUND sea get zz
status 0 sea put --id=zz '{"a":1}'
echo '{"_id":"zz"}' >one
status $USAGE sea put - - <one
EOT

t 'a document that names no type keeps that of its record' <<'EOT'
sea put -q '{"_id":"typed","_type":"host","a":1}'
sea put -q '{"_id":"typed","a":2}'
[ "$(sea get typed --json | jq -r ._type)" = host ]
EOT

t 'get, edit, put overwrites nothing that was written in between' <<'EOT'
sea put -q '{"_id":"safe","n":1}'
sea get safe --json | jq -c '.n = 2' >mine
sea get safe --json | jq -c '.n = 3' | status 0 sea put -
grep -q '^updated	safe	2-' out
status $CONFLICT sea put mine
says err 'error[stale]: safe is at 2-'
says err ', not at 1-'
says err 'hint: to read it again, run: sea get safe'
[ "$(sea get safe n)" = 3 ]
status $CONFLICT sea --json put mine
jq -e '.code == "stale" and .exit == 3 and .id == "safe" and (.have | test("^2-[0-9a-f]{64}$"))
  and (.want | test("^1-[0-9a-f]{64}$"))' err
EOT

t '--if-rev is the same for documents without _rev' <<'EOT'
sea put -q '{"_id":"ifrev","n":1}'
rev=$(sea get ifrev --json | jq -r ._rev)
status 0 sea put "--if-rev=$(echo $rev | cut -c1-10)" '{"_id":"ifrev","n":2}'
status $CONFLICT sea put "--if-rev=$rev" '{"_id":"ifrev","n":3}'
status 0 sea put --if-rev=none '{"_id":"ifrev/new"}'
status $CONFLICT sea put --if-rev=none '{"_id":"ifrev"}'
says err 'ifrev already exists, at 2-'
status $CONFLICT sea put "--if-rev=$rev" '{"_id":"ifrev/absent"}'
says err 'ifrev/absent is missing, not at 1-'
status $USAGE sea put --if-rev=5 '{"_id":"ifrev"}'
[ "$(sea get ifrev n)" = 2 ]
EOT

t 'one stale record of many, and nothing is written' <<'EOT'
printf '{"_id":"many/1"}\n{"_id":"safe","_rev":"1-%064d"}\n{"_id":"many/2"}\n' 0 >docs
status $CONFLICT sea put docs
[ ! -s out ]
status $NO sea get -e many/1
EOT

t '-n tells the same and writes nothing' <<'EOT'
sea query --json --deleted >before
status 0 sea put -n '{"_id":"dry","a":1}' '{"_id":"safe","n":9}'
grep -q '^created	dry	1-' out
grep -q '^updated	safe	3-' out
cp out dry
sea query --json --deleted | same before
status 0 sea --json put -n '{"_id":"dry","a":1}'
jq -es 'all(.event == "summary" or .dry_run)' out
status 0 sea put '{"_id":"dry","a":1}' '{"_id":"safe","n":9}'
same out <dry
EOT

t '-q is silent, -z ends lines with NUL, --json prints events and a summary' <<'EOT'
status 0 sea put -q '{"_id":"quiet"}'
[ ! -s out ]
[ ! -s err ]
status 0 sea put -q --json '{"_id":"quiet","a":1}'
[ ! -s out ]
[ ! -s err ]
status 0 sea put -z '{"_id":"z/1"}' '{"_id":"z/2"}'
[ "$(tr -d -c '\000' <out | wc -c)" -eq 2 ]
[ "$(wc -l <out)" -eq 0 ]
status 0 sea --json put '{"_id":"quiet"}' '{"_id":"j/1"}' '{"_id":"j/1","a":1}' '{"_id":"z/1"}' '{"_id":"z/2","_deleted":true}'
jq -r '.event' out >have
printf '%s\n' updated created updated unchanged deleted summary | same have
jq -es '.[0].id == "quiet" and (.[0].rev | test("^3-[0-9a-f]{64}$")) and .[5].ok and .[5].exit == 0
  and .[5].created == 1 and .[5].updated == 2 and .[5].unchanged == 1 and .[5].deleted == 1' out
EOT

t 'references to records of the same input may stand before them, and in a circle' <<'EOT'
status 0 sea put '{"_id":"r/a","to":{"$ref":"r/b"}}' '{"_id":"r/b","to":{"$ref":"r/c"}}' '{"_id":"r/c"}'
[ ! -s err ]
cut -f2 out | tr '\n' ' ' >have
printf 'r/a r/b r/c ' | same have
status 0 sea put '{"_id":"c/a","to":[{"$ref":"c/b"}]}' '{"_id":"c/b","to":{"$ref":"c/a"}}'
says err 'notice: '
says err 'refer to each other in a cycle'
status 0 sea put '{"_id":"c/self","to":{"$ref":"c/self"}}' '{"_id":"c/far","to":{"$ref":"no/such"}}'
[ ! -s err ]
status 0 sea --json put '{"_id":"c/a","to":{"$ref":"c/b"}}' '{"_id":"c/b","to":{"$ref":"c/a","as":"k"}}'
jq -e '.event == "notice"' err
EOT

t 'a record can be deleted and comes back as its own descendant' <<'EOT'
sea put -q '{"_id":"phoenix","a":1}'
status 0 sea put '{"_id":"phoenix","_deleted":true}'
grep -q '^deleted	phoenix	2-' out
status $NOT_FOUND sea put '{"_id":"phoenix","_deleted":true}'
says err "record 'phoenix' does not exist"
status $BAD_DATA sea put '{"_deleted":true}'
status 0 sea put --if-rev=none '{"_id":"phoenix","a":1}'
grep -q '^created	phoenix	3-' out
EOT

t 'a merge patch changes what it names, and null removes' <<'EOT'
sea put -q '{"_id":"patch","a":1,"b":{"c":1,"d":2},"l":[1,2],"n":{"$counter":5}}'
status 0 sea put --merge-patch '{"_id":"patch","a":null,"b":{"c":null,"e":[null]},"l":[3],"n":{"$counter":7}}'
sea get patch --json | jq -c 'del(._id, ._rev)' >out
echo '{"b":{"d":2,"e":[null]},"l":[3],"n":{"$counter":7}}' | same out
status 0 sea put --merge-patch '{"_id":"patch"}'
grep -q '^unchanged	patch	2-' out
status $NOT_FOUND sea put --merge-patch '{"_id":"no-such","a":1}'
status $BAD_DATA sea put --merge-patch '{"a":1}'
says err 'a patch needs a record id'
status 0 sea put --merge-patch --id=patch '{"a":1}'
status $CONFLICT sea put --merge-patch --if-rev=1-abcd '{"_id":"patch","a":2}'
EOT

t 'several documents of one record follow upon each other' <<'EOT'
status 0 sea put '{"_id":"twice","a":1}' '{"_id":"twice","a":2}' '{"_id":"twice","a":2}'
cut -f1 out | tr '\n' ' ' >have
printf 'created updated unchanged ' | same have
[ "$(sea get twice a)" = 2 ]
[ "$(sea get twice@~1 a)" = 1 ]
EOT

t 'every kind of value comes back as it was given' <<'EOT'
cat >all <<'EOX'
{"_id":"all","arr":[1,null,[],{}],"big":{"$int":"-123456789012345678901234567890"},"cnt":{"$counter":-3},"data":{"$data":"AP8="},"date":{"$date":"2026-03-01T12:00:00.5Z"},"dec":{"$decimal":"12.50"},"dict":{"$dict":{"$x":1}},"float":0.1,"int":-9007199254740992,"ref":{"$ref":"all","as":"self"},"set":{"$set":["a","b"]},"text":"é\u0000\"\\\u2028","yes":true}
EOX
sea put -q all
sea get all --json | jq -S 'del(._rev)' >out
jq -S '.date = {"$date":"2026-03-01T12:00:00.500Z"}' all | same out
sea get all --json | status 0 sea put -
grep -q '^unchanged	all	1-' out
EOT

t 'a conflict is said, and either side can be written' <<'EOT'
sea put -q '{"_id":"both","n":0}'
sea add-container -q --create box "$PWD/box"
sea sync -q
sea clone -q "$PWD/box" second
sea put -q '{"_id":"both","n":1}'
sea put -q '{"_id":"both","n":2}'
sea -C second put -q '{"_id":"both","n":3}'
sea -C second sync -q
sea sync -q
sea get both --json | jq -e '.n == 2 and (._conflicts | length) == 1'
loser=$(sea get both --json | jq -r '._conflicts[0]')
status 0 sea put "--if-rev=$loser" '{"_id":"both","n":4}'
grep -Eq '^updated	both	3-[0-9a-f]{64}(	conflict)?$' out
sea get both --json | jq -e '._conflicts | length == 1'
loser=$(sea get both --json | jq -r '._conflicts[0]')
winner=$(sea get both --json | jq -r '._rev')
status 0 sea put "{\"_id\":\"both\",\"_rev\":\"$winner\",\"n\":5}"
status 0 sea put "{\"_id\":\"both\",\"_rev\":\"$loser\",\"n\":6}" --json
[ "$(sea get both n)" = 5 ] || [ "$(sea get both n)" = 6 ]
EOT

t 'put reports what is missing' <<'EOT'
status $USAGE sea put
says err 'missing FILE'
status $SYSTEM sea put no-such-file
says err 'no-such-file: No such file or directory'
status $SYSTEM sea put .
mkdir -p empty
cd empty
SEA_CEILING_DIRECTORIES=$PWD status $NO_DATABASE sea put '{}'
says err 'no .sea found'
EOT

t 'chunks that are complete stay written when a later one cannot be' <<'EOT'
mkdir -p chunks && cd chunks
sea init -q
printf '{"_id":"a"}\n{"_id":"b"}\n{"_id":"c","_rev":"1-0000000000000000000000000000000000000000000000000000000000000000"}\n{"_id":"d"}\n' >in
status $CONFLICT sea put --chunk=1 in
[ "$(sea query --ids | tr '\n' ' ')" = 'a b ' ]
printf '{"_id":"e"}\n{"_id":"f"}\n{"_id":\n' >in
status $BAD_DATA sea put --chunk=1 in
[ "$(sea query --ids | tr '\n' ' ')" = 'a b e f ' ]
EOT

t 'each chunk is told of before more input is waited for' <<'EOT'
mkdir -p slow && cd slow
sea init -q
mkfifo in
sea put --chunk=1 - <in >told &
exec 3>in
echo '{"_id":"a"}' >&3
for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do grep -q '	a	' told && break; sleep 0.1; done
grep -q '	a	' told
exec 3>&-
wait
EOT

t 'at a terminal, who has seen many lines go by is told the sum' <<'EOT'
python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea put '{"_id":"sum/1","n":1}' '{"_id":"sum/2","n":1}' >shown
says shown 'notice: 2 created'
python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea put '{"_id":"sum/1","n":1}' '{"_id":"sum/2","n":2}' '{"_id":"sum/3"}' >shown
says shown 'notice: 1 created, 1 updated, 1 unchanged'
for words in -q --json; do
  python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea put $words '{"_id":"sum/1","n":1}' '{"_id":"sum/2","n":1}' >shown
  fails grep -q notice shown
done
python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea put '{"_id":"sum/1","n":3}' >shown
fails grep -q notice shown
sea put '{"_id":"sum/1","n":4}' '{"_id":"sum/2","n":4}' >out 2>err
[ ! -s err ]
EOT

t 'a mistyped type, or one that replaces another, is reported' <<'EOT'
sea init -q types && cd types
sea put -q -t person '{"_id":"p/1","name":"Ada"}'
status 0 sea put -t persom '{"_id":"p/2","name":"Bo"}'
status 0 sea put -t persom '{"_id":"p/1","name":"Ada"}' '{"_id":"p/3","name":"Cy"}'
echo "notice: p/1: type changed from 'person' to 'persom'" | same err
status 0 sea put -n '{"_id":"p/1","_type":"x"}' '{"_id":"p/2","_type":"x"}' '{"_id":"p/3","_type":"x"}'
says err "notice: p/1 and 2 more: type changed from 'persom' to 'x'"
# Who says it knows it.
status 0 sea set --where=1 -t persom --replace-type -q n:=1
lacks err before
echo '{"_id":"p/8"}' | status 0 sea load -t perssom
[ "$(grep -c 'new record type' err)" = 1 ]
EOT
