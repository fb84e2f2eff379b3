# limit: 120
samples=$SEA_TEST_ROOT/Tests/datastore
export samples
sea init -q
content() { sea -C "$1" query --json | jq -cS 'del(._rev)'; }
cat >lib <<'EOD'
content() { sea -C "$1" query --json | jq -cS 'del(._rev)'; }
# Both forms of what a database has make it again.
again() {
  for form in '' --compact; do
    sea -C "$1" dump --format=datastore $form -o "$PWD/again.json"
    rm -rf again && sea init -q --name=other again
    status 0 sea -C again load --format=datastore "$PWD/again.json"
    content "$1" >want
    content again | cmp want -
  done
}
EOD

t 'the samples of Datastore are read, and come back' <<'EOT'
. ./lib
for name in Compact:2 Deletion:2 Normalized:2 Relationships:3 Simple:1 Test:1; do
  rm -rf s && sea init -q s
  status 0 sea -C s load --format=datastore "$samples/${name%:*}.json"
  says out "${name%:*}.json: ${name#*:} created, 0 updated, 0 unchanged"
  again s
  status 0 sea -C s load --format=datastore "$samples/${name%:*}.json"
  says out "0 created, 0 updated, ${name#*:} unchanged"
done
EOT

t 'the samples of the Datastore format' <<'EOT'
rm -rf s && sea init -q s
sea -C s load -q --format=datastore "$samples/Normalized.json"
sea -C s get 652A3D31-C409-4CBE-8469-6232D1EEBC96 --json | jq -cS 'del(._rev,._id)' >out
same out <<'EOD'
{"_type":"test","address":{"$label":"address","$value":"456 Old St"},"data":{"$data":"ZW5jb2RlZCBzdHJpbmc="},"date":{"$date":"2019-09-19T16:14:58Z"},"datestamp":{"$date":"1969-11-12T01:23:45Z"},"datestamps":{"address":{"$date":"1969-11-12T01:23:45Z"},"data":{"$date":"1969-11-12T01:23:45Z"},"date":{"$date":"1969-11-12T01:23:45Z"},"modified":{"$date":"1969-11-12T01:23:45Z"},"name":{"$date":"1969-11-12T01:23:45Z"},"number":{"$date":"1969-11-12T01:23:45Z"},"owner":{"$date":"1969-11-12T01:23:45Z"}},"modified":{"$date":"1963-09-21T01:23:45Z"},"name":"Person 2","number":123,"owner":{"$ref":"652A3D31-C409-4CBE-8469-6232D1EEBC96","as":"owner"}}
EOD
# What is referred to comes later in the file.
sea -C s load -q --format=datastore "$samples/Relationships.json"
[ "$(sea -C s query --ids --refs-to=ADDD557A-668E-4C6B-A9A0-3BCF099646E8 | tr '\n' ' ')" = 'ADDD557A-668E-4C6B-A9A0-3BCF099646E8 book-1 book-2 ' ]
[ -z "$(sea -C s query --dangling)" ]
# Base64 without "data" is a text.
sea -C s load -q --format=datastore "$samples/Test.json"
[ "$(sea -C s get --json C41DB873-323D-4026-95D1-603120B9ADF6 data age | tr '\n' ' ')" = '"ZW5jb2RlZCBzdHJpbmc=" 21 ' ]
EOT

t 'everything that a record may have comes back' <<'EOT'
. ./lib
rm -rf r && sea init -q r
sea -C r put -q '{"_id":"a","_type":"t","type":"x","identifier":1,"datestamp":"none","datestamps":[1]}' \
  '{"_id":"b","n":1.5,"w":1e300,"i":{"$int":"123456789012345678901234567890"},"m":{"$int":"-9223372036854775808"},"d":{"$decimal":"12.50"},"f":false,"at":{"$date":"1969-12-31T23:59:59.999Z"},"born":{"$day":"1927-01-26"}}' \
  '{"_id":"c","_type":"t","to":{"$ref":"nobody"},"of":{"$label":"L","$value":{"$ref":"a","as":"boss"}},"en":{"$ref":"a","as":"entity"},"s":{"$set":[1,"a"]},"c":{"$counter":-3},"l":[1,{"a":null}],"o":{"$dict":{"$x":1}},"p":{"$label":"string","$value":"text"},"z":"\u0000\u2028"}'
printf x >page
sea -C r set -q a page:asset@"$PWD/page" 2>/dev/null
again r
sea -C r dump --format=datastore >out 2>err
same err <<'EOD'
sea: warning[untyped]: 1 record without a type, which Datastore ignores
EOD
jq -c '.entities[1].d, .entities[1].at, .entities[1].born, .entities[2].s.string' out >values
same values <<'EOD'
{"string":"12.50","type":"string","sea":{"$decimal":"12.50"}}
{"date":"1969-12-31T23:59:59Z","type":"date","sea":{"$date":"1969-12-31T23:59:59.999Z"}}
{"string":"1927-01-26","type":"string","sea":{"$day":"1927-01-26"}}
"{\"$set\":[1,\"a\"]}"
EOD
EOT

t 'booleans and doubles are kept, and a double that is whole' <<'EOT'
. ./lib
cat >kinds.json <<'EOD'
{"entities":[{"identifier":"k","type":"t","yes":{"boolean":true},"no":false,"half":{"double":0.5,"type":"double"},
  "whole":{"double":2,"type":"double"},"kg":{"double":3,"type":"Kg"},"long":{"double":0.30000000000000004}}]}
EOD
rm -rf k && sea init -q k
status 0 sea -C k load --format=datastore "$PWD/kinds.json"
same err <<'EOD'
notice: 1 whole double with a custom type became an integer
EOD
sea -C k dump --format=datastore --compact >out
same out <<'EOD'
{"entities":[
{"identifier":"k","type":"t","kg":{"integer":3,"type":"Kg"},"no":{"boolean":false},"yes":{"boolean":true},"half":0.5,"long":0.30000000000000004,"whole":{"double":2}}
]}
EOD
again k
EOT

t 'options mean what they do with JSON' <<'EOT'
cat >two.json <<'EOD'
{"entities":[{"zip":"8001","name":"Nord"},{"zip":"8002","name":"Ost","type":"plot"},]}
EOD
rm -rf o && sea init -q o
status 0 sea -C o load --format=datastore -t plot --key=zip -n "$PWD/two.json"
says out 'two.json: 2 created'
[ "$(sea -C o query --count)" = 0 ]
status 0 sea -C o load --format=datastore -t plot --key=zip "$PWD/two.json"
status 0 sea -C o load --format=datastore -t plot --key=zip - <two.json
same out <<'EOD'
standard input: 0 created, 0 updated, 2 unchanged
EOD
printf '{"entities":[{"zip":"8001","name":null,"area":{"integer":3}}]}' >more.json
status 0 sea -C o load --format=datastore -t plot --key=zip "$PWD/more.json"
[ "$(sea -C o query -t plot --count "zip = '8001' AND name IS NULL AND area = 3")" = 1 ]
printf '{"entities":[{"zip":"8001","area":"three"}]}' >kind.json
status $BAD_DATA sea -C o load --format=datastore -t plot --key=zip "$PWD/kind.json"
says err 'kind.json:1:1: '
says err 'area is a number, not text'
status 0 sea -C o load --format=datastore -t plot --key=zip --replace "$PWD/kind.json"
[ "$(sea -C o query -t plot --count "zip = '8001' AND area = 'three'")" = 1 ]
for option in --types=a:int --detect-types --map=a:b --relaxed --history; do
  status $USAGE sea -C o load --format=datastore $option "$PWD/two.json"
done
status $USAGE sea -C o dump --format=datastore --deleted
status $USAGE sea -C o dump --format=datastore --history
status $USAGE sea -C o dump --compact
status $USAGE sea -C o dump --compact --history
status $USAGE sea -C o dump --json --format=datastore
EOT

t 'all or nothing, or what can be taken' <<'EOT'
cat >bad.json <<'EOD'
{ "entities" : [
  {"identifier":"g/1","n":1},
  {"identifier":"g/2","n":{"integer":"1"}},
  {"identifier":"g 3"}, 4,
  {"identifier":"g/5","n":{"date":"2020-01-01"},},
], }
EOD
rm -rf g && sea init -q g
status $BAD_DATA sea -C g load --format=datastore "$PWD/bad.json"
sed "s,$PWD/,," err >words
same words <<'EOD'
sea: error[bad-data]: bad.json:3:38: "integer" must be a whole number
EOD
[ "$(sea -C g query --count)" = 0 ]
status $PARTIAL sea -C g load --format=datastore --rejects="$PWD/left.json" "$PWD/bad.json"
says out 'bad.json: 2 created, 0 updated, 0 unchanged, 3 rejected'
same left.json <<'EOD'
{"entities":[
{"identifier":"g/2","n":{"integer":"1"}},
{"identifier":"g 3"},
4,
]}
EOD
sed -i 's/"1"/1/; s/g 3/g3/; /^4/d' left.json
status 0 sea -C g load --format=datastore --rejects="$PWD/none.json" "$PWD/left.json"
[ ! -e none.json ]
[ "$(sea -C g query --count)" = 4 ]
status $BAD_DATA sea -C g load --format=datastore --chunk=1 "$PWD/bad.json"
EOT

t 'an invalid entity is an error, and nothing is written' <<'EOT'
rm -rf n && sea init -q n
while read -r place text; do
  printf "$text" >no.json
  for rejects in '' --rejects=no.rejects; do
    status $BAD_DATA sea -C n load --format=datastore $rejects "$PWD/no.json"
    says err "no.json:$place: "
  done
done <<'EOD'
1:1 
1:1 []
1:2 {}
1:2 {"a":1,"entities":[]}
1:13 {"entities":{}}
1:15 {"entities":[]
1:16 {"entities":[],"version":1}
1:16 {"entities":[],,}
1:16 {"entities":[]}x
1:16 {"entities":[]}{"entities":[]}
1:14 {"entities":[,]}
2:1 {"entities":[{"identifier":"x"},\n,]}
2:2 {"entities":[{"identifier":"x"},\n{]}
1:32 {"entities":[{"identifier":"x"}
1:33 {"entities":[{"identifier":"x"} {}]}
EOD
sea -C n load --format=datastore - 2>err <no.json || :
says err 'standard input:1:33: '
[ "$(sea -C n query --count)" = 0 ]
printf ' \n{\n"entities"\n:\n[\n]\n,\n}\n ' | status 0 sea -C n load --format=datastore
same out <<'EOD'
standard input: 0 created, 0 updated, 0 unchanged
EOD
sea -C n dump --format=datastore >out
same out <<'EOD'
{"entities":[]}
EOD
EOT

t 'a hostile file is refused in bounded memory' <<'EOT'
rm -rf h && sea init -q h
{ printf '{"entities":[{"identifier":"x","a":'; head -c 3000000 /dev/zero | tr '\0' '['; } >deep.json
status $BAD_DATA sea -C h load --format=datastore "$PWD/deep.json"
says err 'nested more than 128 deep'
{ printf '{"entities":[{"identifier":"x","a":"'; head -c 70000000 /dev/zero | tr '\0' a; printf '"}]}'; } >long.json
(ulimit -v 1500000; status $BAD_DATA sea -C h load --format=datastore "$PWD/long.json")
says err 'record exceeds 64 MiB of JSON'
rm long.json
{ head -c 30000000 /dev/zero | tr '\0' ' '; printf '{"entities":['; head -c 30000000 /dev/zero | tr '\0' '\n'; printf ']}x'; } |
  (ulimit -v 300000; status $BAD_DATA sea -C h load --format=datastore -)
says err 'the outermost object may contain only one "entities" key'
[ "$(sea -C h query --count)" = 0 ]
EOT

t 'a record that was changed here has the time of the change' <<'EOT'
rm -rf d && sea init -q d
sea -C d load -q --format=datastore "$samples/Normalized.json"
id=652A3D31-C409-4CBE-8469-6232D1EEBC96
SEA_AUTHOR_DATE=2026-01-01T00:00:00Z sea -C d set -q $id number:=5
SEA_AUTHOR_DATE=2026-01-02T00:00:00Z sea -C d set -q $id other=new
SEA_AUTHOR_DATE=2026-01-03T00:00:00Z sea -C d set -q $id name=Ada datestamps.name:date=2020-01-01
sea -C d dump --format=datastore >dump.json
jq -c ".entities[] | select(.identifier == \"$id\") | .number, .other, .name, .address" dump.json >out
same out <<'EOD'
{"integer":5,"type":"integer","datestamp":"2026-01-01T00:00:00Z"}
{"string":"new","type":"string"}
{"string":"Ada","type":"string","datestamp":"2020-01-01T00:00:00Z"}
{"string":"456 Old St","type":"address","datestamp":"1969-11-12T01:23:45Z"}
EOD
sea -C d dump --format=datastore --compact --at=now | jq -c '.entities[0].number' >out
echo '{"integer":5,"datestamp":"2026-01-01T00:00:00Z"}' | same out
# The state of a set or a counter goes on, and says the same.
printf '{"entities":[{"identifier":"s","tags":{"sea":{"$set":["a"]},"datestamp":"2020-01-01"},"n":{"sea":{"$counter":1},"datestamp":"2020-01-01"}}]}' >states
sea -C d load -q --format=datastore "$PWD/states"
sea -C d set -q s other=1
sea -C d set -q s other=2
SEA_AUTHOR_DATE=2026-01-04T00:00:00Z sea -C d set -q s n:counter+=1
sea -C d dump --format=datastore --where='n = 2' 2>/dev/null | jq -r '.entities[0] | .tags.datestamp, .n.datestamp' >out
same out <<'EOD'
2020-01-01T00:00:00Z
2026-01-04T00:00:00Z
EOD
# Loaded, that is when it was set.
sea init -q --name=other later
sea -C later load -q --format=datastore "$PWD/dump.json"
[ "$(sea -C later get $id datestamps.number)" = 2026-01-01T00:00:00Z ]
EOT

t 'only the winner of a conflict is written, with a notice' <<'EOT'
. ./lib
rm -rf c c.sea two && sea init -q --name=here c
sea -C c put -q '{"_id":"x","_type":"t","n":1}'
sea -C c add-container -q --create c "$PWD/c.sea"
sea -C c sync -q
sea clone -q --name=there "$PWD/c.sea" two
sea -C c set -q x n:=2
sea -C two set -q x n:=3
sea -C c sync -q && sea -C two sync -q 2>err || :
status 0 sea -C two dump --format=datastore --compact
same err <<'EOD'
sea: warning[contested]: 1 record in conflict; only the winners were written
EOD
[ "$(jq -c '.entities[0].n' out)" = "$(sea -C two get x n)" ]
EOT
