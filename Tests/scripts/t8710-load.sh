sea init -q
cat >docs <<'EOD'
{"_id":"h/1","_type":"host","ram":64,"name":"web","tags":{"$set":["a"]},"nested":{"a":null}}
{"_id":"h/2","_type":"host","ram":8,"name":"","count":{"$counter":3}}
EOD

t 'load restores a dump into an empty database' <<'EOT'
status 0 sea load docs
same out <<'EOD'
docs: 2 created, 0 updated, 0 unchanged
EOD
status 0 sea load docs
same out <<'EOD'
docs: 0 created, 0 updated, 2 unchanged
EOD
sea query --json | jq -cS 'del(._rev)' >want
for format in jsonl json csv tsv; do
  sea dump --format=$format -o d.$format
  sea init -q --name=other into-$format
  types=
  case $format in csv | tsv) types=--types=ram:number,tags:set,nested:json,count:counter ;; esac
  status 0 sea -C into-$format load $types "$PWD/d.$format"
  sea -C into-$format query --json | jq -cS 'del(._rev)' >have
  cmp want have
done
EOT

t 'unnamed properties stay, or are removed with --replace' <<'EOT'
printf '_id,name\nh/1,app\nh/3,new\n' >names.csv
status 0 sea load -n names.csv
same out <<'EOD'
PROPERTY  KIND  FILLED  FIRST VALUES
name      text       2  app | new
names.csv: 1 created, 1 updated, 0 unchanged
EOD
status 0 sea load --update-only names.csv
same out <<'EOD'
names.csv: 0 created, 1 updated, 0 unchanged, 1 skipped
EOD
[ "$(sea get h/1 ram name | tr '\n' ' ')" = '64 app ' ]
printf '_id,name\nh/1,other\nh/3,new\n' >names.csv
status 0 sea load -t host --insert-only names.csv
same out <<'EOD'
names.csv: 1 created, 0 updated, 0 unchanged, 1 skipped
EOD
[ "$(sea get h/1 name)" = app ]
status 0 sea load --replace names.csv
status $NOT_FOUND sea get h/1 ram
printf '{"_id":"h/1","name":null}\n{"_id":"h/2","_deleted":true}\n{"_id":"h/9","_deleted":true}\n' >gone
status 0 sea load gone
same out <<'EOD'
gone: 0 created, 1 updated, 0 unchanged, 1 deleted, 1 skipped
EOD
status $NOT_FOUND sea get h/1 name
EOT

t 'a key names a record, on every instance the same' <<'EOT'
printf 'zip,name,area\n8001,Nord,1.20\n8002,Ost,3\n' >plots.csv
status 0 sea load -t plot --key=zip --types=area:decimal plots.csv
sea query -t plot --ids >ids
sea init -q --name=second second
sea -C second load -q -t plot --key=zip "$PWD/plots.csv"
sea -C second query -t plot --ids | cmp - ids
printf 'zip,name\n8001,North\n8003,West\n' >more.csv
status 0 sea load -t plot --key=zip more.csv
same out <<'EOD'
more.csv: 1 created, 1 updated, 0 unchanged
EOD
[ "$(sea query -t plot --count "zip = '8001' AND name = 'North' AND area = 1.2")" = 1 ]
sea put -q '{"_type":"plot","zip":"8001"}'
status $BAD_DATA sea load -t plot --key=zip more.csv
grep -q 'more.csv:2:1: 2 records have the key zip' err
printf 'zip,name\n,x\n' >nokey.csv
status $BAD_DATA sea load -t plot --key=zip nokey.csv
grep -q 'nokey.csv:2:1: the record has no key property zip' err
status $USAGE sea load --key=zip more.csv
EOT

t 'a key is a number, not its digits' <<'EOT'
sea init -q digits
sea -C digits put -q '{"_id":"i1","_type":"i","price":{"$decimal":"12.50"}}'
printf 'price,n\n12.5,a\n12.500,b\n7.50,c\n7.5,d\n' >digits.csv
status 0 sea -C digits load -t i --key=price --types=price:decimal ../digits.csv
says out '1 created, '
[ "$(sea -C digits query -t i --json | jq -c '[.price, .n]' | sort | tr '\n' ' ')" = '[{"$decimal":"12.500"},"b"] [{"$decimal":"7.5"},"d"] ' ]
EOT

t 'text stays text, and a type is only what all cells are' <<'EOT'
printf 'a,b,c,d,e,f,g\n1,007,1.5,1e5,true,12345678901234567,x\n-2,8,0.25,2,false,1,1\n' >kinds.csv
status 0 sea load -t plain kinds.csv
[ "$(sea dump -t plain | jq -c '[.a,.b,.c,.e]' | sort | head -1)" = '["-2","8","0.25","false"]' ]
for way in kinds.csv -; do
  status 0 sea load -t found --format=csv --detect-types "$way" <kinds.csv
done
sea dump -t found | jq -c '[.a,.b,.c,.d,.e,.f,.g]' | sort -u >out
same out <<'EOD'
[-2,"8",0.25,"2",false,"1","1"]
[1,"007",1.5,"1e5",true,"12345678901234567","x"]
EOD
status $BAD_DATA sea load -t plain --types=a:bool kinds.csv
grep -q 'kinds.csv:3:1: a: not a value of type bool: -2' err
status $BAD_DATA sea load --types=zz:int kinds.csv
grep -q "unknown column 'zz'" err
EOT

t 'the ending of a name says the form, in capitals too' <<'EOT'
printf '_id,n\nCAPS,1\n' >THIS.CSV
status 0 sea load THIS.CSV
[ "$(sea get CAPS n)" = 1 ]
EOT

t 'a kind is not changed by the way' <<'EOT'
sea put -q '{"_id":"k","n":5}'
printf '_id,n\nk,6\n' >six.csv
status $BAD_DATA sea load six.csv
grep -q 'six.csv:2:1: k n is a number, not text' err
[ "$(sea get k n)" = 5 ]
status $PARTIAL sea load --rejects=left.csv six.csv
cmp six.csv left.csv
status 0 sea load --replace-type six.csv
[ "$(sea get --json k n)" = '"6"' ]
EOT

t 'all or nothing, or what can be taken' <<'EOT'
printf '_id,n\nr/1,1\nr/2,2,3\nr/3,"a\nb"\n"r/4"x,4\nr 5,5\nr/6,6\n,7\n' >rows.csv
status $BAD_DATA sea load rows.csv
same err <<'EOD'
sea: error[bad-data]: rows.csv:3:1: 3 cells, but the first line has 2
hint: nothing was loaded; correct the line; to skip invalid lines, use --rejects=FILE
EOD
[ "$(sea query --ids | grep -c '^r/')" = 0 ]
status $PARTIAL sea load --rejects=bad.csv rows.csv
same out <<'EOD'
rows.csv: 3 created, 0 updated, 0 unchanged, 4 rejected (bad.csv)
EOD
printf '_id,n\nr/2,2,3\n"r/4"x,4\nr 5,5\n,7\n' | cmp - bad.csv
printf '[{"_id":"j 1"},\n{"_id":"j2"},\n1,{"_id":"j3"}]\n' >rows.json
status $PARTIAL sea load --rejects=bad.json rows.json
[ "$(sea query --ids | grep -c '^j[23]')" = 2 ]
printf '{"_id":"j 1"}\n1\n' | cmp - bad.json
status $PARTIAL sea load --rejects=more.csv --relaxed rows.csv
printf '[{"_id":"open"}\n' | status $BAD_DATA sea load --format=json
EOT

t 'unreadable records are skipped in line formats and are errors otherwise' <<'EOT'
printf '{"_id":"l1"}\n{"_id":"l2",\nnonsense\n{"_id":"l3"} \n{"_id":"l4","v":[1}\nnull\n{"_id":"l5"}\n' >lines.jsonl
status $PARTIAL sea load --rejects=bad.jsonl lines.jsonl
echo 'lines.jsonl: 3 created, 0 updated, 0 unchanged, 4 rejected (bad.jsonl)' | same out
printf '{"_id":"l2",\nnonsense\n{"_id":"l4","v":[1}\nnull\n' | cmp - bad.jsonl
rm bad.jsonl
n=$(sea query --count)
while read -r bad; do
  printf "$bad" | status $BAD_DATA sea load -t x --rejects=bad.jsonl -
  grep -q 'hint: correct the input' err
done <<'EOD'
[{"_id":"m1"},]
[{"_id":"m1"} {"_id":"m2"}]
{"_id":"m1"}]
[{"_id":"m1"},\n{"_id":"m2" "x"},\n{"_id":"m3"}]\n
[\n{"_id":"m1",\n "name": x,\n "items": [\n  {"sku":1},\n  {"sku":2}\n ]},\n{"_id":"m2"}]\n
{"_id":"m1",\n "name": x,\n "items": [\n  {"sku":1},\n  {"sku":2}\n ]}\n
{"_id":"m1", "name": x, "items": [\n{"sku":1},\n{"sku":2}\n]}\n
{"_id":"m1", "name": x, "items": [\n{"sku":1}\n]}\n
{"_id":"m1", "name": x, "items": [\n{"sku":1}]}\n
{"_id":"m1"}{"_id":"m2" "x"}\n
{"_id":"m1",\n"v":1}\n{"_id":"m2" "x"}\n
[{"_id":"m1"}
[
EOD
[ "$(sea query --count)" = "$n" ]
[ ! -e bad.jsonl ]
EOT

t 'a reference stays a reference' <<'EOT'
sea put -q '{"_id":"about","_type":"about","phone":{"$label":"Home","$value":"1"},"n":{"$label":"Kg","$value":5},"to":{"$ref":"x","as":"boss"},"nul":"a\u0000b"}'
rev=$(sea get about --meta | jq -r ._rev)
sea dump -t about --format=csv -o about.csv
status 0 sea load --types=n:number,to:ref about.csv
echo 'about.csv: 0 created, 0 updated, 1 unchanged' | same out
[ "$(sea get about --meta | jq -r ._rev)" = "$rev" ]
echo '{"_id":"about","phone":"2","to":{"$ref":"y"},"n":{"$label":"Ton","$value":6}}' | status 0 sea load
[ "$(sea get --json about | jq -cS '[.phone,.n,.to]')" = '[{"$label":"Home","$value":"2"},{"$label":"Ton","$value":6},{"$ref":"y","as":"boss"}]' ]
echo '{"_id":"about","phone":"3"}' | status 0 sea load --replace
[ "$(sea get --json about | jq -cS '[.phone,.n]')" = '["3",null]' ]
EOT

t 'a null removes a property or is skipped' <<'EOT'
printf '_id,v,w\nnull/1,null,1\n' >null.csv
for options in '' --replace; do
  rm -rf nulls && sea init -q nulls
  status 0 sea -C nulls load $options --types=v:json,w:json "$PWD/null.csv"
  [ "$(sea -C nulls dump | jq -c 'del(._rev)')" = '{"_id":"null/1","w":1}' ]
  sea -C nulls set -q null/1 v=5
  status 0 sea -C nulls load $options --types=v:json,w:json "$PWD/null.csv"
  [ "$(sea -C nulls dump | jq -c 'del(._rev)')" = '{"_id":"null/1","w":1}' ]
  status 0 sea -C nulls verify
done
EOT

t 'a file for what is left out is never the input, and never of an earlier run' <<'EOT'
cp rows.csv again.csv && ln again.csv linked.csv
status $USAGE sea load --rejects=again.csv again.csv
status $USAGE sea load --rejects=linked.csv again.csv
cmp rows.csv again.csv
printf '_id,n\nr/8,8\n' >good.csv
status $USAGE sea load --format=csv --rejects=again.csv <again.csv
cmp rows.csv again.csv
mkfifo pipe
cat pipe >piped &
status $PARTIAL sea load --rejects=pipe rows.csv
wait
[ -p pipe ]
grep -q '^r 5,5' piped
cat pipe >piped &
status 0 sea dump -t nothing -o pipe
wait
[ -p pipe ]
status $PARTIAL sea load --rejects=/dev/null rows.csv
[ -c /dev/null ]
printf '_id,n\nr/8,8\n' >good.csv
status 0 sea load --rejects=bad.csv good.csv
echo 'good.csv: 1 created, 0 updated, 0 unchanged' | same out
[ -e bad.csv ]
[ ! -s bad.csv ]
status 0 sea load --rejects=never.csv good.csv
# Where it cannot be written, nothing is loaded.
before=$(sea query --count)
printf '_id,n\nnew/1,1\nnew/2\n' >half.csv
status $SYSTEM sea load --rejects=missing/bad.csv half.csv
[ "$(sea query --count)" = "$before" ]
[ ! -e never.csv ]
# Nobody reads it, and there is nothing to be written.
status 0 sea load --rejects=pipe good.csv
EOT

t 'a table that is taken for JSON' <<'EOT'
status $BAD_DATA sea load -t x - <good.csv
grep -q -- '--format=csv' err
cp good.csv table && status $BAD_DATA sea load -t x table
grep -q -- '--format=csv' err
printf '\357\273\277_id,n\nr/8,8\n' >marked
status $BAD_DATA sea load -t x - <marked
grep -q -- '--format=csv' err
status $BAD_DATA sea load --format=jsonl -t x table
if grep -q -- '--format=csv' err; then false; fi
status 0 sea load --format=csv -t x table
EOT

t 'names of columns are mapped or left out' <<'EOT'
printf 'Number;x,Full Name,secret\n1,Ada,s\n' >people.csv
status 0 sea load -t person '--map=Number;x:_id,Full Name:name,secret:' people.csv
[ "$(sea dump -t person | jq -c 'del(._rev)')" = '{"_id":"1","_type":"person","name":"Ada"}' ]
status $BAD_DATA sea load --map=nosuch:a people.csv
EOT

t 'columns without a name are named by their place, or left out' <<'EOT'
sea init -q unnamed && cd unnamed
printf ',name,\n0,Ann,\n1,Bob,x\n' >pandas.csv
status $BAD_DATA sea load -t person pandas.csv
says err 'pandas.csv:1:1: column 1 has no name'
says err "--map='#1:NAME'"
says err '--skip-unnamed'
status 0 sea load -t person --map='#1:_id' --skip-unnamed pandas.csv
[ "$(sea dump -t person | jq -c 'del(._rev)' | tr '\n' ' ')" = '{"_id":"0","_type":"person","name":"Ann"} {"_id":"1","_type":"person","name":"Bob"} ' ]
status 0 sea load -t person --map='#1:_id,#3:' pandas.csv
says out '2 unchanged'
status $BAD_DATA sea load --map='#4:x' --skip-unnamed pandas.csv
says err "unknown column '#4'"
# Two columns of one name, and a column that is called so.
printf '_id,a,a,#2\n5,1,2,3\n' >same.csv
status $BAD_DATA sea load same.csv
says err "--map='#3:NAME'"
status 0 sea load --map='#3:b,#2:c' same.csv
[ "$(sea get 5 | jq -c '[.a,.b,.c]')" = '["1","2","3"]' ]
EOT

t 'blanks around the names of columns are removed, except in quotes' <<'EOT'
cd unnamed
printf '_id, name ,"  raw "\n6,Ann, x\n' >blanks.csv
status 0 sea load blanks.csv
says err "notice: blanks.csv: blanks around column names removed: 'name'"
[ "$(sea get 6 | jq -c '[.name,."  raw "]')" = '["Ann"," x"]' ]
sea dump --format=csv -o dump.csv
sea init -q copy
status 0 sea -C copy load ../dump.csv
lacks err notice:.blanks
[ "$(sea -C copy get 6 | jq -c '[.name,."  raw "]')" = '["Ann"," x"]' ]
EOT

t 'text of other encodings' <<'EOT'
sea init -q encodings && cd encodings
printf '_id,name\n1,Jos\351 5 \200\n' >c.csv
status $BAD_DATA sea load c.csv
says err 'c.csv:2:6: not UTF-8'
says err '--encoding=windows-1252'
status 0 sea load --encoding=windows-1252 c.csv
[ "$(sea get 1 name)" = 'José 5 €' ]
printf '{"_id":"2","name":"Jos\351"}\n' >j.jsonl
status 0 sea load --encoding=latin-1 j.jsonl
[ "$(sea get 2 name)" = José ]
# UTF-8 with a damaged character is not taken for another encoding.
printf '_id,name\n3,M\303\274ller \303\244 \303 x\n' >damaged.csv
status $BAD_DATA sea load damaged.csv
lacks err hint
printf '_id,name\n4,Ä😀\n' >utf8.csv
for way in UTF-16 UTF-16LE UTF-16BE; do
  iconv -f UTF-8 -t $way utf8.csv >wide.csv
  if [ $way = UTF-16 ]; then
    status 0 sea load wide.csv
  else
    status $BAD_DATA sea load wide.csv
    says err 'wide.csv:1:1: UTF-16 without a byte order mark'
    says err '--encoding=utf-16'
  fi
  status 0 sea load --encoding=utf-16 wide.csv
  [ "$(sea get 4 name)" = Ä😀 ]
  sea delete -q 4
done
printf '\377\376{\000}\000\000' >odd.json
status $BAD_DATA sea load odd.json
says err 'odd.json:1:3: invalid UTF-16'
printf '\357\273\277{"_id":"5","a":1}' >marked.json
status 0 sea load --encoding=windows-1252 marked.json
[ "$(sea get 5 a)" = 1 ]
# Rejected records are UTF-8, and can be loaded with the same options.
printf '_id,name\n6,\344,x\n' >c.csv
status $PARTIAL sea load --encoding=windows-1252 --rejects=left.csv c.csv
printf '\357\273\277_id,name\n6,ä,x\n' | same left.csv
sed -i 's/,x$//' left.csv
status 0 sea load --encoding=windows-1252 left.csv
[ "$(sea get 6 name)" = ä ]
status $USAGE sea load --encoding=ebcdic c.csv
EOT

t 'JSON of other programs' <<'EOT'
sea init -q foreign && cd foreign
echo '[{"_id":17,"_uuid":"u","_attachments":[{"_n":1}],"g/q":"1"}]' >kobo.json
status $BAD_DATA sea load -t visit kobo.json
says err 'kobo.json:1:9: the id must be text'
says err '--foreign'
status 0 sea load -t visit --foreign kobo.json
sea get 17 | jq -cS 'del(._rev)' >out
echo '{"_id":"17","_type":"visit","g/q":"1","meta/attachments":[{"_n":1}],"meta/uuid":"u"}' | same out
status 0 sea load -t visit --foreign --map=_uuid:uuid,_attachments: --replace kobo.json
[ "$(sea get 17 | jq -c '[.uuid,."meta/uuid",."meta/attachments"]')" = '["u",null,null]' ]
echo '{"_id":17,"_uuid":"u","code":1}' >both.json
status $BAD_DATA sea load --map=_id:code,_uuid: both.json
says err 'both.json:1:23: duplicate key in an object: "code"'
status 0 sea load -t other '--map=_id:number,_*:x_*' --key=number both.json
[ "$(sea dump -t other | jq -c '[.number,.x_uuid,.code]')" = '[17,"u",1]' ]
# CouchDB and MongoDB.
echo '{"_id":"doc","_rev":"3-abc","_attachments":{"a.txt":{"stub":true}},"n":1}' | status 0 sea load --foreign
[ "$(sea get doc | jq -c '[.n,."meta/attachments"]')" = '[1,{"a.txt":{"stub":true}}]' ]
echo '{"_id":{"$oid":"5f"},"to":{"$oid":"aa"},"big":{"$numberLong":"5"},"d":{"$numberDecimal":"1.50"},"__v":0}' >mongo.json
status $BAD_DATA sea load mongo.json
status 0 sea load --foreign mongo.json
[ "$(sea get 5f | jq -c '[.to,.big,.d,."meta/_v"]')" = '["aa",5,{"$decimal":"1.50"},0]' ]
echo '{"_id":"bad","x":{"$regex":"a"}}' | status $BAD_DATA sea load --foreign
# A list in one object.
for key in results docs; do
  echo '{"count":2,"next":null,"'$key'":[{"_id":"'$key'/1","n":[1]},'"
"' {"_id":"'$key'/2"} ],"bookmark":"x"}  ' >list.json
  status 0 sea load -t list list.json
  says out '1 created'
  says err "notice: the input is one object with the list '$key'; to load each element as a record, use --foreign"
  sea undo -q
  status 0 sea load -t list --foreign list.json
  says out '2 created'
  lacks err notice
done
[ "$(sea query -t list --ids --sort=_id | tr '\n' ' ')" = 'docs/1 docs/2 results/1 results/2 ' ]
cat >all_docs.json <<'EOD'

{"total_rows":4,"offset":0,"rows":[
{"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"row/a","_rev":"1-x","n":1,"docs":[{"x":1}]}},
{"id":"b","key":"b","value":{"rev":"1-x"},"doc":{"_id":"row/b","_rev":"1-x","n":{"$day":"never"}}},
{"id":"c","key":"c","doc":{"_id":"row/c"}}
]}
EOD
status $BAD_DATA sea load -t row --foreign all_docs.json
says err 'all_docs.json:4:'
status $PARTIAL sea load -t row --foreign --rejects=left.json all_docs.json
says out '2 created, 0 updated, 0 unchanged, 1 rejected'
[ "$(sea get row/a --json | jq -c '[.n,.docs]')" = '[1,[{"x":1}]]' ]
echo '{"_id":"row/b","_rev":"1-x","n":{"$day":"never"}}' | same left.json
echo '{"rows":[{"id":"b","value":2}]}' | status 0 sea load -t view --foreign
[ "$(sea query -t view --select=id,value --json | jq -c '[.id,.value]')" = '["b",2]' ]
echo '{"results":[]}' | status 0 sea load -t none --foreign
says out '0 created'
# What is one record.
printf '{"docs":[{"x":1}]}\n {"docs":[{"x":2}]}\n' | status 0 sea load -t pair --foreign
says out '2 created'
for one in '{"_id":"one","docs":[{"x":1}]}' '{"docs":["x"]}' '{"other":[{"x":1}]}' '[{"docs":[{"x":1}]}]'; do
  echo "$one" | status 0 sea load -t single --foreign
  says out '1 created'
  lacks err 'to load each'
done
printf '_id,_uuid,n\n9,u,1\n' >kobo.csv
status $BAD_DATA sea load kobo.csv
says err '--map=_uuid:NAME'
status 0 sea load --foreign kobo.csv
[ "$(sea get 9 meta/uuid)" = u ]
EOT

t 'a dry run shows what the columns contain' <<'EOT'
cd foreign
printf 'a,n,empty\n1,2,\n2,x,\n3,y,\n1,4,\n' >n.csv
status $PARTIAL sea load -n -t p --types=n:number --rejects=left.csv n.csv
same out <<'EOX'
PROPERTY  KIND      FILLED  REFUSED  FIRST VALUES
a         text           2        0  1
n         a number       2        2  2 | 4
empty     -              0        0
n.csv: 2 created, 0 updated, 0 unchanged, 2 rejected
EOX
[ ! -e left.csv ]
[ "$(sea query -t p --count)" = 0 ]
status $BAD_DATA sea load -n -t p --types=n:number n.csv
says out 'n         a number       1  2'
printf '{"v":1}\n{"v":"x","l":[1]}\n{"v":null}\n' >v.jsonl
status 0 sea load -n --json -t p v.jsonl
jq -cs '[.[] | select(.event == "column") | [.name,.kinds,.filled,.values,.refused]]' out | tail -1 >columns
echo '[["v",["a number","text"],2,["1","x"],0],["l",["an array"],1,["[1]"],0]]' | same columns
status 0 sea load -n -q -t p v.jsonl
[ ! -s out ]
EOT

t 'a relaxed table has quotes within cells, and quoted ones' <<'EOT'
sea init -q quotes
sea -C quotes put -q '{"_id":"e","v":""}' '{"_id":"q","v":"say \"hi\"\t","q\"q":"1"}'
for form in csv tsv; do
  sea -C quotes dump --format=$form >quotes.$form
  rm -rf quotes2; sea init -q quotes2
  status 0 sea -C quotes2 load --relaxed ../quotes.$form
  [ "$(sea -C quotes2 dump)" = "$(sea -C quotes dump)" ]
done
printf '_id\tv\na\t"odd\nb\t"x" y\n' >odd.tsv
status $BAD_DATA sea -C quotes load ../odd.tsv
status 0 sea -C quotes load --relaxed ../odd.tsv
[ "$(sea -C quotes get a v)" = '"odd' ]
[ "$(sea -C quotes get b v)" = '"x" y' ]
EOT

t 'skipped records are reported in the order of the input' <<'EOT'
sea init -q told
seq 30 | sed 's/.*/{"_id":"k&","v":1}/' | sea -C told put -q -
{ echo _id,v; seq 30 | sed '4s/.*/k&,x,y/;4!s/.*/k&,x/'; } >told.csv
status $PARTIAL sea -C told load --rejects=../told.rejects ../told.csv
cmp told.csv told.rejects
[ "$(grep -c '^sea: warning' err)" = 20 ]
sed -n 4p err | grep -q 'told.csv:5:1: 3 cells'
says err 'further rejected records are not listed'
says out '0 created, 0 updated, 0 unchanged, 30 rejected'
# Behind the last record that can be read, too.
printf '_id,v\nz/1,1\nz/2,1,1\n' >told.csv
status $PARTIAL sea -C told load --rejects=../told.rejects ../told.csv
[ "$(tail -1 told.rejects)" = z/2,1,1 ]
EOT

t 'chunks' <<'EOT'
{ echo _id,n; seq 2500 | sed 's/.*/c\/&,&/'; echo 'c/2501'; } >many.csv
status $BAD_DATA sea load --chunk=1000 many.csv
[ "$(sea query --ids | grep -c '^c/')" = 2000 ]
grep -q 'many.csv:2502:1' err
echo 'many.csv: 2000 created, 0 updated, 0 unchanged' | same out
says err 'hint: earlier transactions were kept; correct the line'
status $BAD_DATA sea load --chunk=1000 --json many.csv
jq -es '.[0] | .event == "loaded" and .unchanged == 2000' out
status $BAD_DATA sea load many.csv
[ ! -s out ]
says err 'hint: nothing was loaded; correct the line'
EOT

t 'put takes arrays' <<'EOT'
status 0 sea put '[{"_id":"a/1"},{"_id":"a/2"}] {"_id":"a/3"} []'
[ "$(wc -l <out)" = 3 ]
for text in '[{"_id":"a/1"}' '[{"_id":"a/1"} {"_id":"a/2"}]' '[,{}]' '[{},]' '[[{}]]' ']'; do
  status $BAD_DATA sea put "[{}]$text"
done
EOT

t 'put takes what another database printed' <<'EOT'
sea init -q --name=fourth fourth
sea get h/1 >one
sea -C fourth put -q '{"_id":"h/1","x":1}'
status $CONFLICT sea -C fourth put "$(cat one)"
status 0 sea -C fourth put --ignore-rev "$(cat one)"
status $USAGE sea put --ignore-rev --if-rev=none '{}'
EOT

t 'meaningless options are refused' <<'EOT'
status $USAGE sea load --types=a:int docs
says err "sea-record(5), for example with: jq '.seen |= {\"\$day\": .}'"
echo '{"_id":"jq/1","seen":"2026-03-01"}' | jq '.seen |= {"$day": .}' | status 0 sea load
[ "$(sea get jq/1 --json | jq -c .seen)" = '{"$day":"2026-03-01"}' ]
sea delete -q jq/1
status $USAGE sea load --format=csv --types=a:nonsense docs
status $USAGE sea load --insert-only --replace docs
status $USAGE sea load --chunk=0 docs
EOT

t 'no file of the database is taken for what is left out, and that is known before anything is written' <<'EOT'
printf '{"_id":"taken/1"}\n{{\n' >half.jsonl
status $SYSTEM sea load --rejects=.sea/config half.jsonl
says err "'.sea/config' is inside"
[ ! -s out ]
[ ! -e .sea/config ]
status $NOT_FOUND sea get taken/1
EOT

t 'CSV with another sign between cells' <<'EOT'
sea init -q --name=signs signs && cd signs
printf '_id;a;b\n1;"x;y";z,w\n2;;"q ""r"""\n' >semi.csv
printf '_id;a;b\n1;2\n' >ragged.csv
status $BAD_DATA sea load ragged.csv
says err "ragged.csv:1:1: only one column, whose name contains ';'"
says err "--delimiter=';'"
status 0 sea load semi.csv
says err "notice: semi.csv: columns are separated by ';'"
status 0 sea load --delimiter=';' semi.csv
lacks err separated
[ "$(sea get 1 | jq -c '[.a,.b]')" = '["x;y","z,w"]' ]
[ "$(sea get 2 | jq -c '[.a,.b]')" = '[null,"q \"r\""]' ]
printf '_id|n\n3|4\n' | sea load -q --format=csv --delimiter='|' --detect-types
[ "$(sea get 3 n)" = 4 ]
printf '_id\tn\n4\t5\n6\n' | status $BAD_DATA sea load --format=csv
says err '--format=tsv'
printf '_id\tn\n4\t5\n' | status 0 sea load --format=csv
says err 'columns are separated by tabs'
# The separator is unclear, or the file names it.
printf '_id,x;b,y\n1,5;2,3\n' >both.csv
status $BAD_DATA sea load both.csv
says err "both.csv:1:1: columns could be separated by ',' or ';'"
status 0 sea load --delimiter=, both.csv
printf 'SEP=;\r\n_id;x,y\r\n1;2,3\r\n2;4,5;6\r\n' >named.csv
status $PARTIAL sea load --rejects=left.csv named.csv
says err 'named.csv:4:1: 3 cells'
[ "$(sea get 1 x,y)" = 2,3 ]
printf 'sep=;\n_id;x,y\r\n2;4,5;6\r\n' | same left.csv
# What is one column.
printf 'a;b\nx\n' >one.csv
status 0 sea load --delimiter=, one.csv
[ "$(sea query --count '"a;b" = '"'x'")" = 1 ]
printf '"a;c"\nx\n' | status 0 sea load --format=csv
for sign in ';;' '' '"' 'ä'; do status $USAGE sea load --delimiter="$sign" semi.csv; done
status $USAGE sea load --format=tsv --delimiter=';' semi.csv
# What cannot be taken can be loaded again.
printf '_id;n\n5;6\n7\n' >uneven.csv
status $PARTIAL sea load --delimiter=';' --rejects=left.csv uneven.csv
printf '_id;n\n7\n' | same left.csv
EOT

t 'a record that is there keeps its type' <<'EOT'
sea init -q --name=types types && cd types
type() { sea get "$1" --json | jq -r ._type; }
sea put -q '{"_id":"h/1","_type":"host","n":"1"}' '{"_id":"free","n":"1"}'
printf '_id,n\nh/1,2\nnew,3\n' >rows.csv
status $BAD_DATA sea load -t contact rows.csv
says err 'rows.csv:2:1: h/1 /_type is host, not contact'
status $NOT_FOUND sea get new
status $PARTIAL sea load -t contact --rejects=left.csv rows.csv
printf '_id,n\nh/1,2\n' | same left.csv
[ "$(type new)" = contact ]
[ "$(type h/1)" = host ]
status 0 sea load -t host left.csv
status 0 sea load left.csv
[ "$(sea get h/1 | jq -c '[._type,.n]')" = '["host","2"]' ]
# One without a type gets it, one that is deleted too, and what the input says of a record itself holds.
printf '_id\nfree\n' | status 0 sea load --format=csv -t contact
sea delete -q h/1
status 0 sea load -t contact left.csv
printf '{"_id":"new","_type":"other"}\n' | status 0 sea load -t contact
[ "$(type free)$(type h/1)$(type new)" = contactcontactother ]
status 0 sea load -t host --replace-type left.csv
[ "$(type h/1)" = host ]
status 0 sea load -t contact --replace left.csv
[ "$(type h/1)" = contact ]
EOT

t 'the types of columns go by their names in the file, and by those that --map gives' <<'EOT'
sea init -q --name=both both && cd both
printf '_id,n,p\n1,2,3\n' >both.csv
status 0 sea load --map=p:price --types=p:int,n:int both.csv
status 0 sea load --map=p:price --types=price:int,n:int both.csv
same out <<'EOX'
both.csv: 0 created, 0 updated, 1 unchanged
EOX
[ "$(sea get 1 price)" = 3 ]
[ "$(sea query --count 'price = 3')" = 1 ]
status $BAD_DATA sea load --map=p:price --types=pric:int both.csv
EOT

t 'a broken line of JSON is named, and not the one behind it' <<'EOT'
mkdir lines && cd lines && sea init -q && sea put -q '{"_id":"b","_type":"bird"}'
place() { sea load -n "$@" 2>&1 | sed -n 's/.*: \(in[.a-z]*:[0-9]*:[0-9]*\): .*/\1/p' | tr '\n' ' '; }
printf '{"a":1}\n{"a":2\n{"a":3}\n' >in.jsonl && [ "$(place in.jsonl)" = 'in.jsonl:2:7 ' ]
printf '{"a":1}\r\n{"a":2,\r\n{"a":3}\r\n' >in.jsonl && [ "$(place in.jsonl)" = 'in.jsonl:2:8 ' ]
printf '{"a":1}\n{"a":[1,\n{"a":3}\n{"a":5}\n' >in.jsonl && [ "$(place in.jsonl)" = 'in.jsonl:2:9 ' ]
printf '{"a":1}\n{"a":2\n' >in.jsonl && [ "$(place in.jsonl)" = 'in.jsonl:2:7 ' ]
printf '{"a":1}\n{"a":2,\n{"a":3}\n{"a":}\n{"a":4}\n' >in.jsonl
[ "$(place --rejects=left in.jsonl)" = 'in.jsonl:2:8 in.jsonl:4:6 ' ]
# A document of several lines is wrong where it is.
printf '{\n  "a": 1,\n  "b": {"c": 1,\n  x\n}\n' >in.jsonl && [ "$(place in.jsonl)" = 'in.jsonl:4:3 ' ]
EOT

t 'dates and types that look like others are told' <<'EOT'
cd lines
# What is there says what the cells are.
sea put -q '{"_id":"s","_type":"s","tags":{"$set":["a"]},"n":1}'
sea dump -t s --format=csv -o s.csv
status $BAD_DATA sea load -t s s.csv
says err 'n is a number, not text'
grep -q -- '--types=n:number' err
status $BAD_DATA sea load -t s --types=tags:set s.csv
grep -q -- '--types=n:number' err
status 0 sea load -t s --types=tags:set,n:number s.csv
grep -q '1 unchanged' out
printf 'name,seen,n,at,mixed,when\nx,2026-01-01,5,2026-01-01T10:00:00Z,2026-01-01,2026-01-01\ny,2026-02-01,6,,soon,2026-01-01T10:00:00Z\n' >c.csv
status 0 sea load -n -t bird c.csv
grep -q -- 'have dates or days stored as text; .*--types=at:date,seen:day,when:date' err
fails grep -q mixed err
status 0 sea load -n -t bird --types=at:date,seen:day,when:date c.csv
lacks err 'stored as text'
status 0 sea load -n -t bird --detect-types c.csv
grep -q -- '--types=at:date,when:date' err
printf 'price,zip,id,n\n12.50,08001,7,1\n3,8002,8,2\n' >d.csv
status 0 sea load -n -t bird d.csv
lacks err 'stored as text'
status 0 sea load -n -t bird --detect-types d.csv
grep -q -- '--types=price:decimal$' err
status 0 sea load -n -t bird --detect-types --types=price:string d.csv
lacks err 'stored as text'
status 0 sea load -n -t brid --types=at:date,seen:day,when:date c.csv
grep -q "did you mean 'bird'" err
EOT

t 'records without a type are counted' <<'EOT'
sea init -q untyped && cd untyped
printf 'a,b\n1,2\n3,4\n' >c.csv
status 0 sea load c.csv
says err 'notice: 2 records without a type; to set one, use -t TYPE'
status 0 sea load -t thing c.csv
[ ! -s err ]
echo '{"_id":"x"}' | status 0 sea load -n
says err 'notice: 1 record without a type'
echo '{"_id":"x","_type":"thing"}' | status 0 sea load
[ ! -s err ]
# One that is there has been made.
echo '{"_id":"x","a":"1"}' | status 0 sea load
[ ! -s err ]
EOT

t 'loading a file twice creates its records twice, with a notice' <<'EOT'
sea init -q twice && cd twice
printf 'zip,name\n8203,Nord\n8204,Ost\n' >c.csv
status 0 sea load -t plot c.csv
[ ! -s err ]
status 0 sea load -n -t plot c.csv
says err "notice: 2 new records in addition to 2 of type 'plot'"
says err 'hint: to match existing records, use --key=PATHS'
lacks err undo
status 0 sea load -t plot c.csv
says err "notice: 2 new records in addition to 2 of type 'plot'"
status 0 sea undo
status 0 sea load -t plot --key=zip c.csv
[ ! -s err ]
says out '0 created, 0 updated, 2 unchanged'
# Where it is said which record is meant nothing is told, nor with --quiet.
echo '{"_id":"plot/9","zip":"9"}' | status 0 sea load -t plot
[ ! -s err ]
echo '{"zip":"10"}' | status 0 sea load -q -t plot
[ ! -s err ]
echo '{"zip":"11"}' | status 0 sea load -t plot
says err "1 new record in addition to 4 of type 'plot'"
EOT

t 'the empty last row of a spreadsheet is ignored' <<'EOT'
printf 'name;count\n;\nHoopoe;3\nOwl;2\n;;;\n' >birds.csv
sea init -q sheet && cd sheet
sea load -t bird --key=name --delimiter=';' ../birds.csv >out
echo '../birds.csv: 2 created, 0 updated, 0 unchanged' | same out
[ "$(sea query -t bird --count)" = 2 ]
EOT

t 'a binary file is named by its kind, with a hint' <<'EOT'
cd sheet
printf 'PK\003\004mimetype' >a.ods
cp a.ods a.xlsx
printf '\320\317\021\340\241\261\032\341' >a.xls
printf '\377\330\377\340JFIF' >'a b.jpg'
printf '\037\213\010' >a.gz
for file in a.ods a.xls; do
  status $BAD_DATA sea load $file
  says err "$file is "
  says err 'hint: save the table as .xlsx or CSV, then run: sea load'
done
status $BAD_DATA sea put a.xlsx
says err 'a.xlsx is an Excel workbook, not text'
says err 'hint: to load it, run: sea load a.xlsx'
status $BAD_DATA sea put 'a b.jpg'
says err "hint: to store it as an asset, run: sea set RECORD file:asset@'a b.jpg'"
sea set --create -q p/1 file:asset@'a b.jpg'
# By a pipe that hands on a byte at a time.
{ printf 'P' && sleep 0.1 && printf 'K\003' && sleep 0.1 && printf '\004'; } | status $BAD_DATA sea load -
says err 'error[bad-data]: standard input is a ZIP archive'
status $BAD_DATA sea load - <a.gz
says err 'hint: unpack the file; to import a bundle, run: sea import FILE'
cp .sea/db other
status $BAD_DATA sea put other
says err 'hint: to load it, run: sea load other'
# What only begins alike is a text that is wrong.
status $BAD_DATA sea load - <<'EOX'
PK
EOX
says err '1:1: unexpected character: P'
EOT
