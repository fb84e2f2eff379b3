sea init -q
cat >docs <<'EOD'
{"_id":"c/1","_type":"customer","name":"Ada","boss":{"$ref":"c/2"}}
{"_id":"c/2","_type":"customer","name":"Grace"}
{"_id":"o/1","_type":"order","by":{"$ref":"c/1"},"lines":[{"of":{"$ref":"c/2"}},{"of":{"$ref":"gone"}}]}
EOD
sea put -q docs

t 'a reference by what the record says' <<'EOT'
status 0 sea set --create o/2 -t order by:ref=customer:name=Grace
[ "$(sea get o/2 by)" = c/2 ]
status 0 sea set -t order --where="by = 'c/2'" by:ref=customer:name=Ada
[ "$(sea get o/2 by)" = c/1 ]
status $NOT_FOUND sea set o/2 by:ref=customer:name=Nobody
says err 'customer:name=Nobody'
sea put -q - <<'EOD'
{"_id":"c/3","_type":"customer","name":"Ada"}
EOD
status $NOT_FOUND sea set o/2 by:ref=customer:name=Ada
grep -q 'c/1' err
grep -q 'c/3' err
sea --literal-ids set o/2 by:ref=customer:name=Ada
[ "$(sea get o/2 by)" = customer:name=Ada ]
# An id that looks so goes before.
sea --literal-ids set -q --create customer:name=Ada -t customer name=x
status 0 sea set --create o/3 -t order by:ref=customer:name=Ada
[ "$(sea get o/3 by)" = customer:name=Ada ]
printf '%s\n' 'set --create o/4 by:ref=customer:name=Grace' 'get o/4' | sea batch >out
grep -q '"by":{"$ref":"c/2"}' out
EOT

t 'only new records get defaults' <<'EOT'
status 0 sea set --create --initial=seen:counter=0 --initial=by:ref=customer:name=Grace --initial=state=new o/9 -t order state=open
[ "$(sea get o/9 --json | jq -c '[.seen,.by,.state]')" = '[{"$counter":0},{"$ref":"c/2"},"open"]' ]
sea set -q o/9 seen+=2
status 0 sea set --create --initial=seen:counter=0 --initial=more=1 o/9 state=done
[ "$(sea get o/9 --json | jq -c '[.seen,.more,.state]')" = '[{"$counter":2},null,"done"]' ]
before=$(sea get o/9 --json)
status 0 sea set --create --initial=more=1 o/9
[ "$(sea get o/9 --json)" = "$before" ]
status 0 sea set --create --initial=level:=1 customer:name=Linus
[ "$(sea get customer:name=Linus level)" = 1 ]
sea put -q '{"_type":"part","nr":7,"price":{"$decimal":"1.50"},"mixed":1}' '{"_type":"part","mixed":"a"}'
for named in part:nr=8 part:price=2.50 part:mixed=5 'part:size:=[1]'; do status 0 sea set --create "$named" a:=1; done
for named in part:nr=8 part:price=2.50 part:mixed=5 'part:size:=[1]' part:nr:=8; do status 0 sea set --create "$named" a:=2; done
[ "$(sea query -t part --json 'a = 2' | jq -cS 'del(._id,._rev,._type,.a)' | sort | tr '\n' ' ')" = \
  '{"mixed":"5"} {"nr":8} {"price":{"$decimal":"2.50"}} {"size":[1]} ' ]
# What the same command has made is added to.
status 0 sea set --create -t q i1 --initial=n:counter=5 n:counter+=1 --initial='s:set=["a"]' s+=b
[ "$(sea get i1 --json | jq -c '[.n,.s]')" = '[{"$counter":6},{"$set":["a","b"]}]' ]
status 0 sea set --create i2 'tags:set=["a"]' tags+=b tags-=a n:counter=9 n-=2
[ "$(sea get i2 --json | jq -c '[.n,.tags]')" = '[{"$counter":7},{"$set":["b"]}]' ]
status 0 sea set i2 n:counter=9 n+=1 n+=1
[ "$(sea get i2 --json | jq -c .n)" = '{"$counter":11}' ]
status $BAD_DATA sea set i2 x=text x+=1
status $USAGE sea set --initial=a=1 o/9 b=2
says err '--initial'
EOT

t 'a property names a record by what it means, however that is written' <<'EOT'
sea put -q '{"_id":"i1","_type":"i","price":{"$decimal":"12.50"},"qty":7,"at":{"$date":"2026-01-01T00:00:00Z"},"to":{"$ref":"c/1"},"ok":true,"big":{"$int":"100000000000000000000"},"list":[1],"nr":"12.50"}'
for named in i:price=12.5 i:price:=12.5 i:price=12.500 i:price=1.25e1 i:qty=7.0 i:at=2026-01-01 i:at=2026-01-01T01:00:00+01:00 i:to=c/1 i:ok=true i:big=1e20 i:nr=12.50; do
  status 0 sea get "$named" --json
  jq -e '._id == "i1"' out
  status 0 sea set --create "$named"
done
for named in i:price=12.51 i:nr=12.5 i:qty=007 i:at=2026-01-02; do status $NOT_FOUND sea get "$named"; done
for named in i:qty=007 i:qty=abc i:at=yesterdays i:ok=yes i:list=2; do
  status $BAD_DATA sea set --create "$named" x=1
  says err 'of another kind'
done
status 0 sea set --create i:at=2026-01-02 x=1
status 0 sea set --create i:to=c/2 x=1
status 0 sea set --create i:ok=false x=1
status 0 sea set --create i:qty:='"abc"' x=1
[ "$(sea query -t i --json 'x IS NOT NULL' | jq -cS 'del(._id,._rev,._type,.x)' | sort | tr '\n' ' ')" = \
  '{"at":{"$date":"2026-01-02T00:00:00Z"}} {"ok":false} {"qty":"abc"} {"to":{"$ref":"c/2"}} ' ]
EOT

t 'the records in the places of references' <<'EOT'
status 0 sea get --expand --json o/1
jq -e '.by._id == "c/1" and .by.name == "Ada" and .by._type == "customer" and (.by._rev | startswith("1-"))' out
jq -e '.by.boss == {"$ref":"c/2"} and .lines[0].of.name == "Grace" and .lines[1].of == {"$ref":"gone"}' out
[ "$(sea get --expand --json o/1 by | jq -r .name)" = Ada ]
op=$(sea ops -1 --format='%(op)')
sea delete -q c/2
[ "$(sea get --expand --json o/1 | jq -c '.lines[0].of')" = '{"$ref":"c/2"}' ]
[ "$(sea get --expand --json --at="$op" o/1 | jq -r '.lines[0].of.name')" = Grace ]
echo o/1 | sea get --expand --stdin | jq -e '.by.name == "Ada"'
status $USAGE sea get --expand --raw o/1 by
EOT

t 'a record that refers to itself, and two to each other' <<'EOT'
printf '%s\n' '{"_id":"a","to":{"$ref":"b"}}' '{"_id":"b","to":{"$ref":"a"},"me":{"$ref":"b"}}' | sea put -q -
[ "$(sea get --expand --json b | jq -c '[.to.to,.me.me]')" = '[{"$ref":"b"},{"$ref":"b"}]' ]
EOT

t 'more than fits is an error' <<'EOT'
python3 - <<'P' | sea put -q -
import json
print(json.dumps({"_id": "large", "text": "x" * 900000}))
print(json.dumps({"_id": "many", "to": [{"$ref": "large"}] * 80}))
print(json.dumps({"_id": "some", "to": [{"$ref": "large"}] * 8}))
P
status $BAD_DATA sea get --expand many
says err 'many'
status 0 sea get --expand some
EOT

t 'a large record takes no memory but for its result' <<'EOT'
python3 - <<'P' | sea put -q -
import json
print(json.dumps({"_id": "wide", "n": [{"k": i, "v": "abc"} for i in range(300000)], "to": {"$ref": "some"}}))
P
python3 - sea get --expand --json wide >out <<'P'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(status or (f"{peak} KiB of memory" if peak > 100000 else 0))
P
[ "$(jq -c '[.to._id,(.n|length),.n[299999]]' out)" = '["some",300000,{"k":299999,"v":"abc"}]' ]
EOT

t 'references to what is not there' <<'EOT'
mkdir other && cd other && sea init -q
sea put -q ../docs
op=$(sea ops -1 --format='%(op)')
status 0 sea query --dangling --ids
echo o/1 | same out
[ "$(sea query --dangling --count)" = 1 ]
[ "$(sea query -t customer --dangling --count)" = 0 ]
sea delete -q c/2
printf 'c/1\no/1\n' >want
status 0 sea query --dangling --ids
same out <want
[ "$(sea query -t customer --dangling --ids "name = 'Ada'")" = c/1 ]
[ "$(sea query --dangling --ids --at="$op")" = o/1 ]
[ "$(sea query --dangling --ids --at="$op" "_id <> 'x'")" = o/1 ]
[ "$(sea sql --csv 'SELECT count(*) FROM records WHERE dangling(_id)' | tail -1)" = 2 ]
status 0 sea query --refs-to=c/2 --ids
same out <want
status 0 sea query --refs-to=gone --ids
echo o/1 | same out
status $NOT_FOUND sea query --refs-to=never --ids
sea put -q '{"_id":"gone"}'
status 0 sea query --dangling --ids
same out <want
status $USAGE sea query --types --dangling
EOT
