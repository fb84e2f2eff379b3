sea init -q
cat >docs <<'EOD'
{"_id":"o/1","_type":"order","n":1,"price":{"$decimal":"12.50"},"paid":true,"at":{"$date":"2026-01-01T00:00:00Z"}}
{"_id":"o/2","_type":"order","n":2,"price":{"$decimal":"0.99"},"paid":false,"to":{"$ref":"c/1"}}
{"_id":"o/3","_type":"order","n":3,"price":{"$decimal":"100.005"},"notes":{"a":1,"when":{"$date":"2026-01-01T00:00:00Z"}}}
{"_id":"c/1","_type":"customer","n":"one","tel":"1"}
{"_id":"c/2","_type":"customer","n":"two","tel":"2","phone":"3"}
EOD
sea put -q docs
cat >revs.sh <<'EOX'
revs() { sea query --json | jq -c '[._id,._rev]'; }
EOX

t 'a price raised by a tenth where a condition holds, to the last digit' <<'EOT'
status 0 sea set -t order --where='price > 1' price:sql='decimal_mul(price, 1.1)'
echo '2 updated' | same out
sea get o/1 price >out
sea get o/2 price >>out
sea get o/3 price >>out
printf '13.750\n0.99\n110.0055\n' | same out
status 0 sea set o/3 price:sql='decimal_round(price, 2)'
grep -q '^updated	o/3	' out
[ "$(sea get o/3 --json | jq -c .price)" = '{"$decimal":"110.01"}' ]
status $BAD_DATA sea set -t order --where='price > 1' price:sql='price * 1.1'
says err 'o/1 price: the expression yields a rounded number'
status 0 sea sql "SELECT decimal_add(1.10, '-2'), decimal_sub(price, 0.01), decimal_mul(0.1, 3), decimal_round(-2.5, 0), decimal_round(7, 2) FROM \"order\" WHERE n = 2" --csv
tail -1 out >have
echo '-0.90,0.98,0.3,-3,7.00' | same have
EOT

t 'all of it is one transaction, and what is not meant stays' <<'EOT'
before=$(sea ops --json | wc -l)
status 0 sea set -t order --where='n >= 2' seen:=true n:sql='n * 10'
echo '2 updated' | same out
[ "$(sea ops --json | wc -l)" -eq $((before + 1)) ]
[ "$(sea get o/1 n) $(sea get o/2 n) $(sea get o/3 n)" = '1 20 30' ]
sea undo -q
[ "$(sea get o/1 n) $(sea get o/2 n) $(sea get o/3 n)" = '1 2 3' ]
status 0 sea set -t order --where='n > 100' x=1
echo 'no record' | same out
status 0 sea set -t order --where='n = :n' -p n:=2 n:=2
echo '1 unchanged' | same out
status 0 sea set -v -t order --where='n = 1' x=1
grep -q '^updated	o/1	' out
status 0 sea set -q -t order --where='n = 1' --unset=x
[ ! -s out ]
EOT

t '-n shows it, --max refuses too many; nothing is written' <<'EOT'
. ./revs.sh
revs >before
status 0 sea set -n -t order --where='n > 1' x=1
cut -f1,2 out >have
printf 'updated\to/2\nupdated\to/3\n2 updated; nothing was written\n' | same have
status $REFUSED sea set -t order --where='n > 1' --max=1 x=1
says err '2 records would be changed, which exceeds --max=1'
status $REFUSED sea delete -t order --where=1 --max-delete=2
says err '3 records would be deleted, which exceeds --max-delete=2'
status 0 sea delete -n -t order --where=1
revs | same before
EOT

t 'values of several kinds are refused, unless they are told apart' <<'EOT'
. ./revs.sh
revs >before
status $BAD_DATA sea set --where='n > 1' x=1
says err "'n' has numbers and text"
status $BAD_DATA sea delete --where='n > 1'
status $BAD_DATA sea set --where="_type = 'order'" x:sql='n + 1'
status $BAD_DATA sea set -t order --where='_modifed > 1' x=1
status $BAD_DATA sea set -t order --where='nn > 1' x=1
status $BAD_DATA sea set -t oder --where='n > 1' x=1
status $BAD_DATA sea set -t order --where='n > 1) OR (1' x=1
status $BAD_DATA sea set -t order --where='n > 1' x:sql='max(n)'
status $BAD_DATA sea set -t order --where='n > 1' x:sql='n) , (n'
status $BAD_DATA sea set -t order --where='n > 1' n:sql='missing_thing'
says err "no record has a property 'missing_thing'"
status $BAD_DATA sea set -t order --where='n > 1' n:sql='nullif(n, n)'
says err 'o/2 n: the expression yields NULL'
status $BAD_DATA sea set -t order --where='n > 1' n:sql='1e999'
status $BAD_DATA sea set -t order --where='n > 1' n:sql="'x'"
says err 'is a number, not text'
revs | same before
status 0 sea set --where="typeof(n) = 'integer' AND n > 2" y=1
echo '1 updated' | same out
EOT

t 'a command that writes refuses a condition that names what no record of the type has' <<'EOT'
sea init -q names && cd names
sea put -q '{"_id":"o/1","_type":"item","Status":"aktiv","d":{"x":1},"owner":{"$ref":"p/1"}}' '{"_id":"o/2","_type":"item","Status":"alt"}' \
  '{"_id":"p/1","_type":"person","Zustand":"neu"}'
for sql in "Zustand IS NOT 'aktiv'" 'Zustand IS NULL' "prop(_id, '/Zustand') IS NULL" "prop(owner, '/name') IS NULL" \
  "kind(_id, '/Zustand') IS NULL" '_id NOT IN (SELECT name FROM person)' '_id NOT IN (SELECT _id FROM letter)'; do
  status $BAD_DATA sea delete -t item --where="$sql"
  says err 'no record'
  status $BAD_DATA sea set -t item --where="$sql" x:=1
  status 0 sea query -t item --count "$sql"
  says err notice
done
status $BAD_DATA sea delete --where="Farbe IS NULL"
[ "$(sea query --count)" = 3 ]
# Nothing can be chosen where there is no record of the type.
status 0 sea delete -t letter --where='Zustand IS NULL'
EOT

t 'a condition may name what the same command assigns, moves or removes' <<'EOT'
sea init -q assigned && cd assigned
sea put -q '{"_id":"o/1","_type":"item","old":1,"d":{"x":1}}' '{"_id":"o/2","_type":"item"}'
status 0 sea set -t item --where='prio IS NULL' prio:=1
echo '2 updated' | same out
status 0 sea set -t item --where="d ->> 'y' IS NULL AND d IS NOT NULL" d.y:=1
echo '1 updated' | same out
for n in 1 2; do status 0 sea set -t item --where='old IS NOT NULL' --rename=old=new; done
for n in 1 2; do status 0 sea set -t item --where='new IS NOT NULL' --unset=new; done
status 0 sea set -t item --where=1 count:sql='coalesce(count, 0) + 1'
echo '2 updated' | same out
EOT

t 'kinds within values are told apart, too' <<'EOT'
sea put -q '{"_id":"x/1","_type":"mix","n":5,"d":{"q":5},"at":{"$date":"2026-01-01"}}' '{"_id":"x/2","_type":"mix","n":"unknown","d":{"q":"no"},"at":"soon"}' \
  '{"_id":"x/3","_type":"mix","n":100,"d":{"q":100}}' '{"_id":"y/1","_type":"who","to":{"$ref":"x/1"}}' '{"_id":"y/2","_type":"who","to":{"$ref":"x/2"}}'
sea reindex -q --add=q=mix:/d/q
status $BAD_DATA sea set -t mix --where='n > 64' x=1
says err 'has numbers and text, which SQL does not compare with each other; nothing was written'
says err "kind(_id, '/n') = 'number' AND"
status 0 sea set -t who --where="kind(\"to\", '/n') = 'number' AND prop(\"to\", '/n') > 4" x=1
echo '1 updated' | same out
status 0 sea set -t mix --where="kind(_id, '/n') = 'number' AND n > 64" x=1
echo '1 updated' | same out
status 0 sea set -t mix --where=1 k:sql='typeof(n)'
status 0 sea delete -t mix --where="kind(_id, '/at') = 'text' AND at > '2026'"
echo '1 deleted' | same out
sea reindex -q --remove=q
sea delete -q --where="_type IN ('mix', 'who')"
EOT

t 'a value that is not a number matches no comparison with a number' <<'EOT'
sea init -q texts && cd texts
sea put -q - <<'EOD'
[{"_id":"h/1","_type":"h","ram":"4","n":1,"at":{"$date":"2026-01-01T00:00:00Z"},"tags":["a"]},
 {"_id":"h/2","_type":"h","ram":"128","n":2,"at":{"$date":"2026-02-01T00:00:00Z"},"tags":["b"]}]
EOD
for condition in 'ram < 64' '64 > ram' 'ram BETWEEN 1 AND 9' 'ram NOT IN (4, 5)' 'ram >= -1.5' '4 <> ram' 'at > 2026-01-15' 'tags > 10'; do
  status $BAD_DATA sea delete -n -t h --where="$condition"
  says err 'does not compare as numbers'
  status 0 sea query -t h "$condition"
  says err 'does not compare as numbers'
done
for condition in "ram = '4'" 'CAST(ram AS INTEGER) < 64' 'n < 2' "at < '2026-01-15'" 'length(ram) < 2' "n < 2 AND ram LIKE '4'"; do
  status 0 sea query -t h --ids "$condition"
  echo h/1 | same out
  [ ! -s err ]
done
EOT

t 'removing or renaming an unknown property is no typo error' <<'EOT'
for option in --rename=telefone=phone --unset=telefone --unset=telefone.x; do
  sea put -q '{"_id":"t/1","_type":"tel","telephone":{"x":1},"n":1}'
  status $BAD_DATA sea set -t tel --where=1 $option
  says err "no record has a property 'telefone"
  says err "did you mean 'telephone"
  echo t/1 | status $BAD_DATA sea set --stdin $option
done
status 0 sea set -t tel --where=1 --unset=fax
says err "no record has a property 'fax'"
[ "$(grep -c notice err)" = 1 ]
status 0 sea set -t tel --where=1 --rename=telephone=telefone --rename=telefone=phone
echo '1 updated' | same out
[ ! -s err ]
status $BAD_DATA sea set t/1 --unset=phon
says err "did you mean 'phone'"
status $BAD_DATA sea reindex --add=zz=tell:/n
says err "did you mean 'tel'"
status $BAD_DATA sea reindex --add-text=zz=tel:/phon
says err "did you mean 'phone'"
[ -z "$(sea reindex --list --json)" ]
status 0 sea reindex --add=zz=new:/n
says err "no record has the type 'new'"
sea reindex -q --remove=zz
sea delete -q t/1
EOT

t 'long work tells how far it has come' <<'EOT'
export SEA_PROGRESS_DELAY=0
status 0 sea set -n --progress -t order --where=1 x=1
says err 'searching'
says err 'writing: 3 of 3  100%'
status 0 sea delete -n --progress -t order --where=1
says err 'writing: 3 of 3  100%'
sea set -q -t order --where=1 x=1
status 0 sea undo -n --progress
says err 'undoing: 0 of 3  0%'
for form in jsonl json csv tsv datastore; do
  status 0 sea dump --progress --format=$form -t order
  says err 'writing: 0 of 3  0%'
done
status 0 sea dump --progress --format=sqlite -t order --output=tables.db
says err 'writing tables.db: 0 of 6  0%'
status 0 sea dump --progress --history --output=history
says err 'writing history'
sea undo -q
EOT

t 'asking for presence is no comparison' <<'EOT'
sea put -q '{"_id":"m/1","_type":"mix","n":5}' '{"_id":"m/2","_type":"mix","n":"unknown"}'
status 0 sea set -t mix --where='n IS NOT NULL' --rename=n=m
status $BAD_DATA sea set -t mix --where='m IS NOT NULL AND m > 4' --rename=m=n
status 0 sea delete -t mix --where='m NOTNULL'
EOT

t 'a computed value has the kind of the property' <<'EOT'
status 0 sea set o/1 paid:sql='NOT paid' at:sql="'2026-02-01T00:00:00Z'" new:sql='n + 0.5' text:sql="'n' || n" \
  list:sql='json_array(n, 2)' dec:sql="json_object('\$decimal', '1.50')" gone:sql=NULL
sea get o/1 --json | jq -cS '{paid,at,new,text,list,dec,gone}' >have
same have <<'EOX'
{"at":{"$date":"2026-02-01T00:00:00Z"},"dec":{"$decimal":"1.50"},"gone":null,"list":[1,2],"new":1.5,"paid":false,"text":"n1"}
EOX
status 0 sea set o/2 to:sql="'c/' || n" tags:set='["a"]' hits:counter=1
[ "$(sea get o/2 --json | jq -c .to)" = '{"$ref":"c/2"}' ]
status 0 sea set o/2 tags:sql="json_insert(tags, '\$[#]', 'b')"
[ "$(sea get o/2 --json | jq -c .tags)" = '{"$set":["a","b"]}' ]
status $BAD_DATA sea set o/2 hits:sql='hits + 1'
status $BAD_DATA sea set o/3 notes:sql="json_set(notes, '\$.a', 2)"
says err 'the value has types that SQL JSON does not support'
status 0 sea set o/3 notes.a:sql="notes ->> '\$.a' + 1"
[ "$(sea get o/3 notes.a)" = 2 ]
status 0 sea set -t order --where='hits IS NOT NULL' hits:counter+=2
[ "$(sea get o/2 hits)" = 3 ]
status $USAGE sea set --create o/9 x:sql=1
status $USAGE sea set --new x:sql=1
status $USAGE sea resolve o/1 --set=x:sql=1
EOT

t 'a copy keeps the kinds of what is in it' <<'EOT'
sea put -q '{"_id":"k/1","_type":"k","d":{"amt":{"$decimal":"46.10"},"when":{"$date":"2026-01-01T00:00:00Z"},"ref":{"$ref":"a"},"bin":{"$data":"AAEC"}},"l":[{"$date":"2026-01-01T00:00:00Z"}],"tags":{"$set":["x"]},"ok":true,"since":{"$date":"2026-01-01T00:00:00Z"},"n":{"c":{"$counter":3}}}'
status 0 sea set k/1 d2:sql=d l2:sql=l tags2:sql=tags ok2:sql=ok since2:sql="prop(_id, 'since')" when:sql="prop(_id,'d.when')" n2:sql=n
sea get k/1 | jq -e '.d2 == .d and .l2 == .l and .tags2 == .tags and .ok2 == true and .since2 == .since and .when == .since and .n2 == .n'
status 0 sea set -t k --where=1 d3:sql=d ok3:sql=ok
sea get k/1 | jq -e '.d3 == .d and .ok3 == true'
sea set -q k/1 n2.c+=1
sea get k/1 | jq -e '.n2.c."$counter" == 4 and .n.c."$counter" == 3'
status $BAD_DATA sea set k/1 e:sql="json_set(d, '\$.x', 1)"
says err 'would lose types that SQL JSON does not support'
says err 'hint: to copy a property unchanged, use only its name'
status $BAD_DATA sea set k/1 e:sql="D -> 'when'"
status 0 sea set k/1 e:sql="json_array(ok, 'y')"
EOT

t 'a property renamed everywhere' <<'EOT'
status $BAD_DATA sea set -t customer --where='tel IS NOT NULL' --rename=tel=phone
says err "c/2 already has 'phone'"
[ "$(sea get c/1 tel)" = 1 ]
status 0 sea set -t customer --where='phone IS NULL' --rename=tel=phone
echo '1 updated' | same out
status 0 sea set -t customer --where=1 --rename=tel=phone --replace-type
echo '1 updated, 1 unchanged' | same out
[ "$(sea get c/1 phone) $(sea get c/2 phone)" = '1 2' ]
EOT

t 'records from standard input' <<'EOT'
sea query -t order --ids | status 0 sea set --stdin --max=3 seen:=true
grep -Eq '^[0-3] updated|^3 unchanged' out
[ "$(sea query -t order --count seen)" = 3 ]
printf 'o/1\000o/1\000' | status 0 sea set -z --stdin k=v
printf 'o/1\nno-such\n' | status $NOT_FOUND sea set --stdin k=w
[ "$(sea get o/1 k)" = v ]
printf 'o/1\no/2\n' | status $REFUSED sea set --stdin --max=1 k=w
status $USAGE sea set --stdin
status $USAGE sea set --stdin --where=1 a=b
status $USAGE sea set --where=1
status $USAGE sea set --where=1 o/1 a=b
status $USAGE sea set o/1 -p a=1 a=b
status $USAGE sea set o/1 --max=1 a=b
status $USAGE sea delete --where=1 o/1
status $USAGE sea delete -t order o/1
EOT

t 'an id that is repeated on standard input is changed twice' <<'EOT'
sea put -q '{"_id":"e/1","n":{"$counter":0}}' '{"_id":"e/2","n":{"$counter":0}}'
printf 'e/1\ne/2\ne/1\n' | status 0 sea set --stdin n+=1
[ "$(sea get e/1 n) $(sea get e/2 n)" = '2 1' ]
printf 'e/1\ne/2\n' | status 0 sea set --stdin -t event
[ "$(sea query -t event --count)" = 2 ]
printf 'e/1\n' | status $USAGE sea set --stdin x:string@-
status 0 sea set -t event --where=1 --rename=nosuch=x
says err "no record has a property 'nosuch'"
sea delete -q e/1 e/2
EOT

t 'exact numbers keep all digits, or it is an error' <<'EOT'
sea put -q '{"_id":"x/1","_type":"x","n":9223372036854775807,"big":{"$int":"123456789012345678901234567890"},"dec":{"$decimal":"12.50"},"d":{"$date":"2026-03-01"},"r":{"$ref":"x"},"s":{"$counter":3}}'
status $BAD_DATA sea set x/1 n:sql='n+1'
status 0 sea set x/1 n:sql='n-1' a:sql=big b:sql=dec c:sql=d e:sql=r f:sql=n g:sql=s
[ "$(sea get x/1 --json | jq -c '[.n,.a,.b,.c,.e,.f,.g]')" = '[9223372036854775806,{"$int":"123456789012345678901234567890"},{"$decimal":"12.50"},{"$date":"2026-03-01T00:00:00Z"},{"$ref":"x"},9223372036854775807,3]' ] ||
  sea get x/1 --json | jq -c '[.n,.a,.b,.c,.e,.f,.g]' >&2
[ "$(sea get x/1 n)" = 9223372036854775806 ]
[ "$(sea get x/1 a)" = 123456789012345678901234567890 ]
[ "$(sea get x/1 --json b)" = '{"$decimal":"12.50"}' ]
status $BAD_DATA sea set x/1 b:sql='b * 1.5'
status $BAD_DATA sea set x/1 h:sql="CAST(x'ff' AS TEXT)"
sea delete -q x/1
EOT

t 'deletions by a condition' <<'EOT'
status 0 sea delete -t order --where="at < '2026-03'"
echo '1 deleted' | same out
status $NOT_FOUND sea get o/1
sea set -q o/2 to:ref=c/1
status $CONFLICT sea delete --check-refs -t customer --where="phone = '1'"
status 0 sea delete --where="_id LIKE 'c/%'"
echo '2 deleted' | same out
EOT

t 'no other writer gets between the condition and the change' <<'EOT'
sea put -q '{"_id":"x","_type":"sum","n":0}'
for k in 1 2 3 4; do
  (for j in 1 2 3 4 5 6; do sea set -q -t sum --where='n >= 0' n:sql='n + 1'; done) &
done
wait
[ "$(sea get x n)" = 24 ]
EOT

t 'slips are told' <<'EOT'
mkdir slips && cd slips && sea init -q
sea put -q '{"_id":"h/1","_type":"host","os":{"name":"linux"},"tags":{"$set":["db"]}}' '{"_id":"p","_type":"person","name":"Ada"}' \
  '{"_id":"bird/1","_type":"bird","maker":{"$ref":"p"},"name":"x","notes":"lake"}' '{"_id":"u","x":1}'
told() { grep -q -- "$1" err || { cat err; false; }; }
# The type of a record that is there.
before=$(sea rev-parse bird/1)
for option in '-t brd' '-t host'; do
  status $BAD_DATA sea set $option bird/1 name=y && told '/_type is bird' && told replace-type
done
[ "$(sea rev-parse bird/1)" = "$before" ]
status $BAD_DATA sea set --stdin -t host <<'EOD'
u
bird/1
EOD
status 0 sea set -t bird bird/1 name=z
status 0 sea set -t thing u
[ "$(sea get --json u | jq -r ._type)" = thing ]
status 0 sea set --replace-type -t owl bird/1
[ "$(sea get --json bird/1 | jq -r ._type)" = owl ]
status 0 sea set --replace-type -t bird bird/1
printf 'set --type=host bird/1 name=q\nset --type=host --replace-type bird/1 name=q\nset --type=bird --replace-type bird/1 name=x\n' | sea batch >out || :
says out 'error bad-data bird/1 /_type is bird, not host'
[ "$(grep -c '^ok' out)" = 2 ]
# A new type that is like one.
status 0 sea set -t brid --create bird/9 name=x && told "did you mean 'bird'"
status 0 sea set --replace-type -t bird bird/9
fails grep -q notice err
# What is to go.
status $BAD_DATA sea set --unset=nmae bird/1 && told "did you mean 'name'"
status $BAD_DATA sea set --unset=os.nmae h/1 && told "did you mean 'os.name'"
status 0 sea set --unset=elsewhere bird/1
status 0 sea set --unset=notes bird/1
status 0 sea set --unset=notes bird/1
# Records, types and properties in names.
status $NOT_FOUND sea get brd/1 && told "did you mean 'bird/1'"
status $NOT_FOUND sea delete h/11 && told "did you mean 'h/1'"
status $NOT_FOUND sea set prson:name=Ada zip=1 && told "did you mean 'person:name=Ada'"
status $NOT_FOUND sea set bird/1 maker:ref=person:nmae=Ada && told "did you mean 'person:name=Ada'"
status $NOT_FOUND sea get bird/1 nmae
told "did you mean 'name'"
status $NOT_FOUND sea get bird/1 elsewhere
fails grep -q hint err
status $NOT_FOUND sea get nothing-like-it
fails grep -q hint err
status $USAGE sea set bird/1 maker:reff=p && told "did you mean 'ref'"
# Conditions and what stands for their parameters.
for condition in '' ' ' '/* nothing */'; do
  status $BAD_DATA sea set --where="$condition" z=1 && told 'condition is empty'
  status $BAD_DATA sea delete --where="$condition"
  status $BAD_DATA sea query "$condition"
done
status $USAGE sea query -t bird -p x 'name = :x' && told 'NAME=TEXT'
status $BAD_DATA sea query -t bird -p nmae=x 'name = :name' && told '-p nmae='
EOT

t 'slips in what is asked' <<'EOT'
cd slips
told() { grep -q -- "$1" err || { cat err; false; }; }
sea put -q '{"_id":"bird/1","_type":"bird","maker":{"$ref":"p"},"name":"x","notes":"lake"}'
status $BAD_DATA sea query -t bird "json_extract(notes, '\$.name') = 'Ada'" && told 'malformed JSON'
status 0 sea query -t bird --select='maker->name'
fails grep -q notice err
status $BAD_DATA sea query -t bird "notes MATCH 'lake'" && told add-text
status $BAD_DATA sea query -t bird "_notes MATCH 'lake'" && told add-text
sea reindex -q --add-text=notes=bird:/notes
status 0 sea query -t bird --ids "_notes MATCH 'lake'"
[ "$(cat out)" = bird/1 ]
status 0 sea query -t bird --ids "refers(_id, 'p')"
fails grep -q notice err
status $BAD_DATA sea sql "SELECT j.valeu FROM host, json_each(host.tags) j" && told "did you mean 'value'"
EOT
