# sealed: yes
sea init -q
cat >docs <<'EOX'
{"_id":"h/1","_type":"host","name":"alpha","ram":64,"owner":{"$ref":"p/ada"},"os":{"name":"debian"},"tags":{"$set":["db"]}}
{"_id":"h/2","_type":"host","name":"beta","ram":8,"owner":{"$ref":"p/ben"},"note":"a \"quoted\", word"}
{"_id":"h/3","_type":"host","name":"gamma","note":"two\nlines\tand a tab"}
{"_id":"h/4","_type":"host","name":"δέλτα","ram":16,"owner":{"$ref":"p/none"},"backup":{"$ref":"h/1"}}
{"_id":"p/ada","_type":"person","name":"Ada","boss":{"$ref":"p/ben"}}
{"_id":"p/ben","_type":"person","name":"Ben"}
{"_id":"x"}
EOX
sea put -q docs

t 'a long value lengthens its own line and no other' <<'EOT'
sea init -q long
python3 -c "
import json
print(json.dumps({'_id': 'big', '_type': 'host', 'n': 'x' * 300000, 'z': 1}))
for k in range(500): print(json.dumps({'_id': 'h/%03d' % k, '_type': 'host', 'n': 'a', 'z': 2}))
for k in range(400): print(json.dumps({'_id': 'w/%03d' % k, '_type': 'wide', 'p%03d' % k: 1}))" | sea -C long put -q -
status 0 sea -C long query -t host
[ "$(wc -c <out)" -lt 500000 ]
status 0 env COLUMNS=60 sea -C long query -t host
status 0 sea -C long query -t wide
grep -q '^notice: 200 of 400 properties are not shown' err
EOT

t 'all records in the order of their ids, as a table' <<'EOT'
status 0 sea query
[ "$(head -1 out | tr -s ' ')" = '_id os ram boss name note tags owner backup' ]
[ "$(tail -n +2 out | cut -d' ' -f1 | tr '\n' ' ')" = 'h/1 h/2 h/3 h/4 p/ada p/ben x ' ]
cp out table
status 0 sea list --table
same out <table
EOT

t '-t takes one type' <<'EOT'
status 0 sea query -t person
same out <<'EOX'
_id    boss   name
p/ada  p/ben  Ada
p/ben         Ben
EOX
status 0 sea query -t printer
[ ! -s out ]
EOT

t '-t can be given several times' <<'EOT'
status 0 sea query -t person -t host --ids
[ "$(tr '\n' ' ' <out)" = 'h/1 h/2 h/3 h/4 p/ada p/ben ' ]
status 0 sea query --csv -t host -t person --select=id,boss "name < 'Az' OR boss IS NOT NULL"
same out <<'EOX'
id,boss
p/ada,p/ben
EOX
status 0 sea query -t host -t person --csv 'ram > 8 OR boss IS NOT NULL'
[ "$(head -n 1 out)" = '_id,os,ram,boss,name,tags,owner,backup' ]
[ "$(tail -n +2 out | cut -d, -f1 | tr '\n' ' ')" = 'h/1 h/4 p/ada ' ]
[ "$(sea query -t person -t host --count)" = 6 ]
[ "$(sea query -t person -t host --sort=-name --limit=2 --ids | tr '\n' ' ')" = 'h/4 h/3 ' ]
[ "$(sea query -t person -t host --after=h/4 --deleted --ids | tr '\n' ' ')" = 'p/ada p/ben ' ]
[ "$(sea query -t person -t host --refs-to=p/ben --ids | tr '\n' ' ')" = 'h/2 p/ada ' ]
status 0 sea query -t person -t printer --ids
[ "$(wc -l <out)" = 2 ]
grep -q "^notice: .*'printer'" err
status $BAD_DATA sea query -t person -t hosts
status $BAD_DATA sea query -t person -t host 'rma > 8'
status $USAGE sea query --types -t person -t host
status $USAGE sea set -t person -t host x=1 --where='TRUE'
EOT

t '--select shows properties, pseudo-fields, and what a reference leads to' <<'EOT'
status 0 sea query -t host --select='id,owner->name,os.name,/ram,owner->boss->name'
same out <<'EOX'
id   owner->name  os.name  /ram  owner->boss->name
h/1  Ada          debian   64    Ben
h/2  Ben                   8
h/3
h/4                        16
EOX
status 0 sea query --select=type,rev,id --json
head -1 out | jq -e '.type == "host" and (.rev | startswith("1-")) and .id == "h/1"'
jq -es 'length == 7 and (.[6] | has("type") | not)' out
status $USAGE sea query --select=a,,b
status $USAGE sea query --select=a..b
EOT

t 'a record without a property called id, type or rev does not get one' <<'EOT'
sea init -q own
sea -C own put -q '{"_id":"a","_type":"z","type":"router","id":7,"to":{"$ref":"o"}}' '{"_id":"b","_type":"z"}' '{"_id":"o","_type":"other"}'
status 0 sea -C own query -t z
same out <<'EOX'
_id  id  to  type
a    7   o   router
b
EOX
status 0 sea -C own query -t z --csv
printf '_id,id,to,type\na,7,o,router\nb,,,\n' | same out
status 0 sea -C own query -t z --csv --select='id,_id,type,_type,to->id,rev,to->type'
sed -i -E 's/1-[0-9a-f]+/REV/' out
printf 'id,_id,type,_type,to->id,rev,to->type\n7,a,router,z,o,REV,other\n,b,,z,,REV,\n' | same out
status 0 sea -C own query -t z --csv --select=id
printf 'id\n7\n\n' | same out
status 0 sea -C own query -t z --json --select=id,type
printf '{"id":7,"type":"router"}\n{}\n' | same out
status 0 sea -C own query -t z --ids --sort=type
printf 'a\nb\n' | same out
status 0 sea -C own query -t other --csv --select=id,type
printf 'id,type\no,other\n' | same out
EOT

t '--csv is RFC 4180 with LF, --tsv is quoted as in C' <<'EOT'
status 0 sea query -t host --csv --select=id,note,ram
python3 -c 'import csv,sys; rows = list(csv.reader(open("out", newline=""))); assert rows == [["id","note","ram"],["h/1","","64"],["h/2","a \"quoted\", word","8"],["h/3","two\nlines\tand a tab",""],["h/4","","16"]], rows'
status 0 sea query -t host --tsv --select=id,note,ram
printf 'id\tnote\tram\nh/1\t\t64\nh/2\t"a \\"quoted\\", word"\t8\nh/3\t"two\\nlines\\tand a tab"\t\nh/4\t\t16\n' | same out
status 0 sea query -t printer --csv --select=id,note
echo id,note | same out
EOT

t '--ids, --count and --json' <<'EOT'
status 0 sea query --ids -t person
printf 'p/ada\np/ben\n' | same out
status 0 sea query --ids -t person -z
printf 'p/ada\000p/ben\000' >want
cmp want out
status 0 sea --json query --ids -t person
jq -es 'map(._id) == ["p/ada","p/ben"]' out
status 0 sea query --count
echo 7 | same out
status 0 sea query --count -t host --json
jq -e '.count == 4' out
status 0 sea query --json
jq -s 'map(del(._rev))' out >have
jq -sS . have >a
jq -sS '[.]' docs >b
cmp a b
EOT

t '--format prints what a template says, --shell quotes it' <<'EOT'
status 0 sea query -t host --format='%(id)%09%(/name)%09%(/os/name)%09%(type) %(rev:short=4)%%'
grep -Eqx 'h/1	alpha	debian	host 1-[0-9a-f]{4}%' out
[ "$(wc -l <out)" -eq 4 ]
status 0 sea query -t host --shell --format='note=%(/note) id=%(id)' --limit=3
tail -n +3 out >sourced
. ./sourced
[ "$note" = "$(printf 'two\nlines\tand a tab')" ]
[ "$id" = h/3 ]
status 0 sea query --format='%(id)%00' -t person
printf 'p/ada\000p/ben\000' >want
cmp want out
status 0 sea query --format='%(conflicts)' -t person
printf '0\n0\n' | same out
status 0 sea query --format='%(id) %(_created:iso) %(_created_by) %(_modified_by) %(_conflict)' -t person
grep -Eqx 'p/ada 20[0-9-]+T[0-9:.]+Z [^ ]+ [^ ]+ 0' out
[ "$(cut -d' ' -f3 out | sort -u)" = "$(sea query -t person --select=_created_by --tsv | tail -n +2 | sort -u)" ]
status $USAGE sea query --format='%(nope)'
status $USAGE sea query --format='%(id'
status $USAGE sea query --shell
EOT

t '--sort puts what is missing last, whichever way' <<'EOT'
[ "$(sea query -t host --ids --sort=ram | tr '\n' ' ')" = 'h/2 h/4 h/1 h/3 ' ]
[ "$(sea query -t host --ids --sort=-ram | tr '\n' ' ')" = 'h/1 h/4 h/2 h/3 ' ]
[ "$(sea query -t host --ids --sort='owner->name' | tr '\n' ' ')" = 'h/1 h/2 h/3 h/4 ' ]
[ "$(sea query -t host --ids --sort='-owner->name' | tr '\n' ' ')" = 'h/2 h/1 h/3 h/4 ' ]
[ "$(sea query -t host --ids --sort=-id --limit=2 | tr '\n' ' ')" = 'h/4 h/3 ' ]
[ "$(sea query --ids --sort=type | tr '\n' ' ')" = 'h/1 h/2 h/3 h/4 p/ada p/ben x ' ]
EOT

t '--sort takes several' <<'EOT'
sea init -q sorts
sea -C sorts put -q '{"_id":"a","g":1,"n":"x"}' '{"_id":"b","g":2,"n":"x"}' '{"_id":"c","g":1,"n":"y"}' '{"_id":"d","n":"y"}'
[ "$(sea -C sorts query --ids --sort=n,-g | tr '\n' ' ')" = 'b a c d ' ]
[ "$(sea -C sorts query --ids --sort=-n,g,-id | tr '\n' ' ')" = 'c d a b ' ]
[ "$(sea -C sorts query --ids --sort=g,-_id | tr '\n' ' ')" = 'c a b d ' ]
status $BAD_DATA sea -C sorts query --sort=nn,_modifed
status $USAGE sea -C sorts query --sort=n,
EOT

t 'numbers of all kinds are sorted by size, to the last digit' <<'EOT'
cat >numbers <<'EOX'
-1e300
{"$int":"-123456789012345678901234567890"}
-9007199254740993
-2
-1.5
{"$decimal":"-1.4999999999999999999999999"}
{"$decimal":"-0.001"}
0
{"$decimal":"0.00000000000000000000000000000000000000000001"}
1e-9
{"$decimal":"0.5"}
1
{"$decimal":"1.00000000000000000000000000000000000001"}
{"$counter":2}
10
9007199254740992
{"$int":"9007199254740993"}
{"$decimal":"9007199254740993.5"}
{"$int":"123456789012345678901234567890"}
{"$int":"123456789012345678901234567891"}
{"$decimal":"1e400"}
EOX
awk '{ printf "{\"_id\":\"n/%02d\",\"_type\":\"n\",\"v\":%s}\n", (NR * 8) % 21, $0 }' numbers >shuffled
awk '{ printf "n/%02d\n", (NR * 8) % 21 }' numbers >want
sea put -q shuffled
sea query -t n --ids --sort=v | diff - want
sea query -t n --ids --sort=-v | diff - - <<EOX
$(tac want)
EOX
EOT

t 'kinds are kept apart when sorting' <<'EOT'
sea put -q '{"_id":"k/1","_type":"k","v":"b"}' '{"_id":"k/2","_type":"k","v":{"$date":"2026-01-01"}}' \
  '{"_id":"k/3","_type":"k","v":7}' '{"_id":"k/4","_type":"k","v":true}' '{"_id":"k/5","_type":"k"}' \
  '{"_id":"k/25","_type":"k","v":{"$day":"2026-01-01"}}' '{"_id":"k/26","_type":"k","v":{"$day":"2026-01-02"}}' \
  '{"_id":"k/6","_type":"k","v":"B"}' '{"_id":"k/7","_type":"k","v":[1]}' '{"_id":"k/8","_type":"k","v":false}'
[ "$(sea query -t k --ids --sort=v | tr '\n' ' ')" = 'k/8 k/4 k/3 k/25 k/2 k/26 k/1 k/6 k/7 k/5 ' ]
EOT

t '--limit and --after page through everything exactly once' <<'EOT'
seq 300 | jq -c '{_id:"page/\(. * 7919 % 1000)-é",_type:"page"}' | sea put -q -
after=
: >seen
while :; do
  status 0 sea query -t page --ids --limit=37 ${after:+"--after=$after"}
  [ -s out ] || break
  [ "$(wc -l <out)" -le 37 ]
  cat out >>seen
  after=$(tail -1 out)
done
sea query -t page --ids | same seen
[ "$(wc -l <seen)" -eq 300 ]
[ "$(sort seen | uniq | wc -l)" -eq 300 ]
status 0 sea query --after=h/2 --ids --limit=2
printf 'h/3\nh/4\n' | same out
status 0 sea query --after=h/2zz --ids --limit=1
echo h/3 | same out
status 0 sea query --limit=0
[ ! -s out ]
status $USAGE sea query --after=x --sort=name
status $USAGE sea query --limit=-1
status $USAGE sea query --limit=x
EOT

t '--refs-to finds who refers to a record' <<'EOT'
status 0 sea query --refs-to=p/ben --ids
printf 'h/2\np/ada\n' | same out
status 0 sea query --refs-to=h/1 -t host --ids
echo h/4 | same out
status 0 sea query --refs-to=h/3
[ ! -s out ]
status $NOT_FOUND sea query --refs-to=no-such
status 0 sea query --refs-to=person:name=Ben --ids
printf 'h/2\np/ada\n' | same out
sea set -q h/2 owner:ref=p/ada
status 0 sea query --refs-to=p/ben --ids
echo p/ada | same out
sea set -q h/2 owner:ref=p/ben
EOT

t '--types lists the types' <<'EOT'
status 0 sea query --types --json
jq -es 'map([.type, .count]) == [[null, 1], ["host", 4], ["k", 10], ["n", 21], ["page", 300], ["person", 2]]' out
jq -es '.[1].properties | sort == ["backup", "name", "note", "os", "owner", "ram", "tags"]' out
status 0 sea query --types
grep -Eq '^host +4  .*name' out
status $USAGE sea query --types -t host
status $USAGE sea query --types --ids
EOT

t '--deleted shows the deleted too' <<'EOT'
sea put -q '{"_id":"dead","_type":"gone","a":1}'
sea delete -q dead
status 0 sea query -t gone --ids
[ ! -s out ]
status 0 sea query --deleted -t gone --json
jq -e '._id == "dead" and ._deleted and (has("a") | not)' out
EOT

t '--exit-code says whether there was something' <<'EOT'
status $NO sea query -t printer --exit-code
[ ! -s out ]
[ ! -s err ]
status 0 sea query -t host --exit-code
status $NO sea query -t printer --exit-code --count
echo 0 | same out
EOT

t 'a conflict is shown' <<'EOT'
sea add-container -q --create box "$PWD/box"
sea put -q '{"_id":"both","_type":"c","n":0}'
sea sync -q
sea clone -q "$PWD/box" second
sea put -q '{"_id":"both","_type":"c","n":1}'
sea -C second put -q '{"_id":"both","_type":"c","n":2}'
sea -C second sync -q
sea sync -q
sea query -t c --json | jq -e '._conflicts | length == 1'
[ "$(sea query -t c --format='%(conflicts)')" = 1 ]
sea -C second sync -q
sea query --json >one
sea -C second query --json | same one
EOT

t 'options that would have no effect are refused' <<'EOT'
for words in '--json --csv' '--json --table' '--ids --count' '--ids --select=a' '--count --select=a' '--csv --tsv' '--frob' \
  'a b' '--json --format=%(id)'; do
  status $USAGE sea query $words
done
EOT

t 'control characters reach no table, and every other form is exact' <<'EOT'
printf '{"_id":"esc","_type":"esc","t":"a\\u001b[2J"}' | sea put -q -
status 0 sea query -t esc
says out 'a\x1b[2J'
status 0 sea query -t esc --json
jq -e '.t == "a\u001b[2J"' out
EOT

t 'a typo in a format, or in a property that every record has, is an error' <<'EOT'
for option in '--format=%(/nmae)' --select=_modifed --sort=_modifed --select=_nothing; do
  status $BAD_DATA sea query -t host "$option"
  [ ! -s out ]
done
for option in --select=zzz '--format=%(id)%(/zzz)'; do
  status 0 sea query -t host "$option"
  says err 'notice: no record has a property'
done
for option in '--select=owner->name,owner->type,owner->boss->_rev,_modified_by' '--format=%(/os/name)%(/owner)'; do
  status 0 sea query -t host "$option"
  [ ! -s err ]
done
EOT
