sea init -q
cat >docs <<'EOD'
{"_id":"h/1","_type":"host","ram":64,"name":"web, \"1\"","tags":{"$set":["a"]}}
{"_id":"h/2","_type":"host","ram":8,"name":"","os":"a\tb\\c"}
{"_id":"p/1","born":{"$date":"1815-12-10T00:00:00Z"}}
EOD
sea put -q docs
sea set -q p/1 gone:=1
sea put -q '{"_id":"q"}'
sea delete -q q

t 'lines of JSON are those of query' <<'EOT'
status 0 sea dump
cp out dumped
sea query --json >asked
cmp dumped asked
status 0 sea dump --json -t host
[ "$(wc -l <out)" = 2 ]
status 0 sea dump --deleted
[ "$(jq -r 'select(._deleted)._id' out)" = q ]
EOT

t 'an array of JSON has the same' <<'EOT'
status 0 sea dump --format=json
jq -c '.[]' out | jq -S . >array
sea dump | jq -S . >lines
cmp array lines
status 0 sea dump --format=json -t host --where='ram > 100'
[ "$(jq -c . out)" = '[]' ]
EOT

t 'CSV and TSV tell an empty text from nothing' <<'EOT'
status 0 sea dump --format=csv
same out <<'EOD'
_id,_type,os,ram,born,gone,name,tags
h/1,host,,64,,,"web, ""1""","{""$set"":[""a""]}"
h/2,host,"a	b\c",8,,,"",
p/1,,,,1815-12-10T00:00:00Z,1,,
EOD
status 0 sea dump --format=tsv -t host --where='ram < :most' -p most:=10
printf '_id\tos\tram\tname\nh/2\t"a\\tb\\\\c"\t8\t""\n' >want
cmp out want
status 0 sea dump --format=csv -t host
same out <<'EOD'
_id,os,ram,name,tags
h/1,,64,"web, ""1""","{""$set"":[""a""]}"
h/2,"a	b\c",8,"",
EOD
status 0 sea query --csv -t host --select=id,name
same out <<'EOD'
id,name
h/1,"web, ""1"""
h/2,""
EOD
EOT

t 'several types: lines, tables with the columns of all, databases, revisions' <<'EOT'
sea init -q several
for k in 1 2; do for t in a b c; do
  sea -C several put -q "{\"_id\":\"$k$t\",\"_type\":\"$t\",\"n\":$k,\"only $t\":true}"
done; done
status 0 sea -C several dump -t a -t c
[ "$(jq -r ._id out | tr '\n' ' ')" = '1a 1c 2a 2c ' ]
status 0 sea -C several dump -t c -t a --format=csv --where='n = 2 AND ("only a" OR "only c")'
same out <<'EOD'
_id,_type,n,only a,only c
2a,a,2,true,
2c,c,2,,true
EOD
sea -C several dump -q -t a -t b --format=sqlite -o several.db
[ "$(sqlite3 several/several.db 'SELECT name FROM sqlite_schema ORDER BY 1' | tr '\n' ' ')" = 'a b ' ]
sea -C several set -q 1a n:=3
status 0 sea -C several dump --history -t a -t b
[ "$(jq -r ._type out | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 a 2 b ' ]
EOT

t 'a table says what load has to be told, and loads again' <<'EOT'
sea init -q kinds
sea init -q again
cat >kinds.jsonl <<'EOD'
{"_id":"h/1","_type":"host","b":true,"c":{"$counter":5},"d":{"$date":"2026-01-02T03:04:05Z"},"born":{"$day":"1927-01-26"},"n":1,"s":{"$set":["a"]},"x":1.5,"arr":[1,"x"],"big":{"$int":"123456789012345678901"},"dec":{"$decimal":"12.50"},"ref":{"$ref":"h/2"},"dict":{"a":{"$date":"2026-01-02T03:04:05Z"}},"text":"1","bytes":{"$data":"AAAA"},"my col":true}
{"_id":"h/2","_type":"host","x":7,"big":5}
EOD
sea -C kinds put -q - <kinds.jsonl
for form in csv tsv; do
    for type in '' '-t host'; do
        status 0 sea -C kinds dump --format=$form $type
        [ "$(wc -l <err)" = 1 ]
        says err 'notice: this file has no types; to load it again, use: sea load '
        cp out "table.$form"
        eval "sea -C again load -q -t host '$PWD/table.$form' $(sed 's/.*use: sea load //' err)"
        for one in kinds again; do sea -C $one query --json | jq -cS 'del(._rev)' >$one.json; done
        cmp kinds.json again.json
        sea -C again delete -q --where=1
    done
done
status 0 sea -C kinds set -q h/2 text:=1 --replace-type
status 0 sea -C kinds dump --format=csv -o mixed.csv
says err "notice: these values become text when loaded again: 'text'; to keep their types, use --format=jsonl"
# Of texts alone there is nothing to say.
status 0 sea -C kinds dump --format=csv --where='0'
[ ! -s err ]
status 0 sea query --csv -t host
[ ! -s err ]
EOT

t 'properties called id, type and rev are themselves, and nothing else is' <<'EOT'
sea init -q own
sea -C own put -q '{"_id":"a","_type":"z","type":"router","id":"7","rev":"r"}' '{"_id":"b","_type":"z"}' '{"_id":"c","id":"8"}'
sea -C own dump >all
for form in csv tsv; do
  status 0 sea -C own dump --format=$form -o "$PWD/own.$form"
  [ "$(head -1 "$PWD/own.$form" | tr '\t' ,)" = _id,_type,id,rev,type ]
  rm -rf again; sea init -q again
  status 0 sea -C again load "$PWD/own.$form"
  sea -C again dump | cmp - all
done
status 0 sea -C own dump -t z --format=csv
printf '_id,id,rev,type\na,7,r,router\nb,,,\n' | same out
EOT

t 'a file is there whole or not at all' <<'EOT'
status 0 sea dump -t host -o hosts.jsonl
same out <<'EOD'
hosts.jsonl: 2 records
EOD
[ "$(wc -l <hosts.jsonl)" = 2 ]
cp hosts.jsonl kept
status $BAD_DATA sea dump --where='ram >' -o kept
cmp hosts.jsonl kept
[ -z "$(ls -A | grep sea-tmp)" ]
status $UNREACHABLE sea dump -o nowhere/file || status $SYSTEM sea dump -o nowhere/file
EOT

t 'a file of its own form is replaced, and no other one' <<'EOT'
for form in csv tsv json jsonl datastore; do
  sea dump -q --format=$form -o again.$form.txt
  status 0 sea dump -q --format=$form -t host -o again.$form.txt
  status 0 sea dump -q --format=$form -t none -o again.$form.txt
  status 0 sea dump -q --format=$form -o again.$form.txt
done
status 0 sea dump --history -o again.jsonl.txt
echo 'my letter' >letter
for form in csv tsv json jsonl datastore; do
  status $SYSTEM sea dump --format=$form -o letter
  says err "file 'letter' already exists; nothing was written"
  says err 'to replace it, use --force'
done
status $SYSTEM sea dump --history -o letter
status $SYSTEM sea dump -o again.csv.txt
[ "$(cat letter)" = 'my letter' ]
status 0 sea dump --force -o letter
sea dump | cmp - letter
status $USAGE sea dump --force
status $USAGE sea dump --force --format=sqlite -o letter
sea dump -o /dev/stdout >there
cmp there letter
sea dump -q -o /dev/fd/3 3>there
cmp there letter
ln -s letter link && sea dump -q -t host -o link && [ -L link ] && cmp letter hosts.jsonl
[ -L /dev/stdout ]
EOT

t 'the name of the file says its form' <<'EOT'
for form in csv tsv json jsonl; do
  sea dump -q -t host -o "named.$form"
  sea dump -q -t host --format=$form | cmp - "named.$form"
done
sea dump -q -t host -o named.db
sea load -n named.db | grep -q '2 unchanged'
sea dump -q --format=jsonl -t host -o told.csv
cmp told.csv named.jsonl
status $USAGE sea dump --history -o all.csv
status 0 sea dump --history -o all.json
EOT

t 'dump at a point in time' <<'EOT'
status 0 sea dump --at='@{2}'
[ "$(jq -c 'select(._id=="p/1").gone' out)" = 1 ]
status 0 sea dump --at='@{3}'
[ "$(jq -c 'select(._id=="p/1").gone' out)" = null ]
EOT

t 'meaningless options are refused' <<'EOT'
status $USAGE sea dump --format=xml
status $USAGE sea dump --json --format=csv
status $USAGE sea dump --format=csv --deleted
status $USAGE sea dump --where=1 --deleted
status $USAGE sea dump -p a=b
EOT

t 'the content of assets lies beside, and comes back' <<'EOT'
mkdir beside && cd beside
sea init -q --name=one one
printf 'hello' >a.txt && head -c 300000 /dev/zero >b.bin
sea -C one set -q --create -t note n/1 file:asset@"$PWD/a.txt"
sea -C one set -q --create -t note n/2 d.file:asset@"$PWD/b.bin" same:asset@"$PWD/a.txt"
sea -C one set -q --create -t other o/1 file:asset@"$PWD/b.bin"
sea -C one set -q n/1 file:asset@"$PWD/b.bin"
sea -C one set -q n/1 --unset=file
sea -C one dump --assets="$PWD/all" -o "$PWD/all.jsonl"
[ "$(ls all | sort)" = "$(sha256sum a.txt b.bin | cut -c1-64 | sort)" ] && (cd all && for f in *; do echo "$f  $f"; done | sha256sum -c --quiet)
sea -C one dump -q -t other --assets="$PWD/others" -o "$PWD/others.csv" --format=csv
[ "$(ls others)" = "$(sha256sum <b.bin | cut -c1-64)" ]
sea -C one dump -q --history -t note --assets="$PWD/history" -o "$PWD/history.jsonl"
[ "$(ls history | wc -l)" = 2 ]
sea -C one dump -q --assets="$PWD/all" -o "$PWD/all.jsonl"
for seal in '' --encrypt; do
  printf 'a long enough secret\n' >password && chmod 600 password
  export SEA_PASSWORD_FILE=$PWD/password
  sea init -q --name=two $seal "two$seal"
  sea -C "two$seal" load --assets="$PWD/all" "$PWD/all.jsonl" >out
  says out '2 assets'
  sea -C "two$seal" get --raw n/2 same | cmp - a.txt
  sea -C "two$seal" get --raw o/1 file | cmp - b.bin
  sea -C "two$seal" verify -q --assets
  sea -C "two$seal" dump -q --assets="$PWD/again" -o "$PWD/again.jsonl" && diff -r all again && cmp all.jsonl again.jsonl && rm -r again
  # They go on to others.
  sea -C "two$seal" add-container -q --create c "$PWD/c$seal"
  sea -C "two$seal" sync -q
  sea clone -q --assets=all --name=three "c$seal" "three$seal"
  sea -C "three$seal" get --raw n/2 same | cmp - a.txt
  sea -C "three$seal" verify -q --assets
done
sea init -q --name=four four
sea -C four load -q --history --assets="$PWD/history" "$PWD/history.jsonl"
sea -C four get --raw n/2 same | cmp - a.txt
[ "$(sea -C four load --json --assets="$PWD/all" "$PWD/all.jsonl" | jq -c 'select(.event=="assets") | [.taken, .missing]')" = '[0,0]' ]
# What is not what its name says; what is nowhere.
sea init -q --name=five five && mkdir few && printf 'hallo' >few/$(sha256sum <a.txt | cut -c1-64)
status $PARTIAL sea -C five load --assets="$PWD/few" "$PWD/all.jsonl"
says err 'does not match its name'
status $NOT_FOUND sea -C five get --raw n/2 same || status $UNREACHABLE sea -C five get --raw n/2 same
status $PARTIAL sea -C five dump --assets="$PWD/none" -o "$PWD/five.jsonl"
says err 'neither on this device nor in'
[ -s five.jsonl ]
EOT

t 'CSV for a spreadsheet' <<'EOT'
sea init -q sheet && cd sheet
sea put -q '{"_id":"a","_type":"item","name":"nuts; bolts","price":{"$decimal":"19.90"},"weight":1.5,"made":{"$day":"2026-03-01"},"code":"1.5","n":1000}' \
  '{"_id":"b","_type":"item","name":"x","weight":{"$label":"kg","$value":0.25}}'
status 0 sea dump -t item --format=csv --excel=de --select=_id,name,price,weight,made,code,n
says err "use: sea load '--delimiter=;' '--types=price:decimal[1234,5],weight:number[1234,5],made:day,n:number'"
printf '\357\273\277' >want
cat >>want <<'EOD'
_id;name;price;weight;made;code;n
a;"nuts; bolts";19,90;1,5;2026-03-01;1.5;1000
b;x;;0,25;;;
EOD
cmp out want
# A condition reads the records in another way.
sea dump -t item --where=1 --format=csv --excel=de --select=_id,name,price,weight,made,code,n | cmp - want
sea query -t item --csv --excel=de --select=_id,name,price,weight,made,code,n | cmp - want
status 0 sea query -t item --csv --decimal=, --select=weight,price
printf 'weight,price\n"1,5","19,90"\n"0,25",\n' | same out
status 0 sea query -t item --csv --excel=de --delimiter='|' --decimal=. --select=weight,price
printf '\357\273\277weight|price\n1.5|19.90\n0.25|\n' | cmp - out
status 0 sea sql --csv --excel=de-CH "SELECT 1.5 AS x, 'a;b' AS y"
printf '\357\273\277x;y\n1.5;"a;b"\n' | cmp - out
status 0 sea sql --csv --excel=fr "SELECT 1.5 AS x, '1.5' AS y"
printf '\357\273\277x;y\n1,5;1.5\n' | cmp - out
# A file of an earlier run is replaced.
for option in --excel=de --bom '--delimiter=|'; do
  sea dump -q -t item "$option" -o prices.csv
  sea dump -q -t item "$option" -o prices.csv
done
EOT

t 'options for CSV need CSV' <<'EOT'
for command in 'query --excel=de' 'query --tsv --bom' 'sql --decimal=, SELECT' 'dump --delimiter=;' 'dump --select=ram' \
  'dump --history --excel=de' 'dump --format=sqlite -o x.db --bom'; do
  status $USAGE sea $command
  says err 'csv'
done
status $USAGE sea query --csv --excel=xx
status $USAGE sea query --csv '--delimiter=x'
status $BAD_DATA sea dump -t host --format=csv --select=ramm
EOT

t 'a damaged file of the same size is replaced' <<'EOT'
sea init -q damaged && cd damaged
printf 'hello' >a.txt && sea set -q --create n file:asset@a.txt
sea dump -q --assets="$PWD/out.d" -o n.jsonl
file=out.d/$(sha256sum <a.txt | cut -c1-64)
printf 'jello' >"$file"
sea dump -q --assets="$PWD/out.d" -o n.jsonl
cmp a.txt "$file"
EOT

t 'photos get readable, safe and unique names' <<'EOT'
sea init -q photos && cd photos
printf 'one' >1 && printf 'two' >2 && printf 'three' >3 && printf 'four' >4
sea set -q --create -t bird b/1 name=Wren photo:asset[image/jpeg]@1
sea set -q --create -t bird b/2 name=wren photo:asset[image/jpeg]@2
sea set -q --create -t bird b/3 name='../a:b' photo:asset[image/png]@3 more:asset[text/plain]@4
sea dump -q -t bird --assets="$PWD/d" --asset-name='%(name)%(ext)' -o x.jsonl
two=$(sha256sum <2 | cut -c1-8)
ls d | LC_ALL=C sort >list
printf '%s\n' Wren.jpg _.._a_b.png _.._a_b.txt "wren-$two.jpg" | LC_ALL=C sort | same list
cmp 1 d/Wren.jpg
cmp 2 "d/wren-$two.jpg"
cmp 3 d/_.._a_b.png
cmp 4 d/_.._a_b.txt
# The next run finds the files, and writes only those that are missing.
touch -d 2001-01-01 d/* && rm d/_.._a_b.png
sea dump -q -t bird --assets="$PWD/d" --asset-name='%(name)%(ext)' -o x.jsonl
ls d | LC_ALL=C sort | same list
[ "$(find d -newermt 2002-01-01 -type f | wc -l)" = 1 ]
# A file with other content is kept.
printf 'mine' >d/Wren.jpg
sea dump -q -t bird --assets="$PWD/d" --asset-name='%(name)%(ext)' -o x.jsonl
[ "$(cat d/Wren.jpg)" = mine ]
cmp 1 "d/Wren-$(sha256sum <1 | cut -c1-8).jpg"
sea dump -q -t bird --assets="$PWD/ids" --asset-name='%(_id)-%(name)%(ext)' -o x.jsonl
ls ids | head -1 | grep -x 'b_1-Wren.jpg'
status $USAGE sea dump --asset-name='%(_id)'
status $USAGE sea dump --assets=d --asset-name='%(_id' -o x.jsonl
status $USAGE sea dump --history --assets=d --asset-name='%(_id)' -o x.jsonl
status $BAD_DATA sea dump -t bird --assets=d --asset-name='%(nam)' -o y.jsonl
[ ! -e y.jsonl ]
status $BAD_DATA sea dump -t bird --assets=d --asset-name='%(nam)' -o y.db
[ ! -e y.db ]
EOT

t 'the records whose photos are missing are named' <<'EOT'
sea init -q far && cd far && printf 'one' >1
sea set -q --create b/1 photo:asset@1
sea add-container -q --create c "$PWD/c.sea"
sea sync -q
sea clone -q --assets=none c.sea near
status $PARTIAL sea -C near dump -q --assets="$PWD/d" --asset-name='%(_id)%(ext)' -o "$PWD/x.jsonl"
says err "1 asset neither on this device nor in '$PWD/d': b/1"
says err 'sea fetch-assets'
EOT

t 'a table shows the type and the size of an asset' <<'EOT'
sea init -q table && cd table && head -c 184320 /dev/zero >zeros
sea set -q --create b/1 photo:asset[image/jpeg]@zeros label:=1
sea query | grep -q 'image/jpeg 180.0 KiB'
sea query --csv | grep -q '"{""mime"":""image/jpeg"'
EOT
