sea init -q
cat >docs <<'EOD'
{"_id":"h/1","_type":"host","name":"alpha","ram":64,"owner":{"$ref":"p/ada"},"os":{"name":"debian"},"tags":{"$set":["db"]},"price":{"$decimal":"12.50"}}
{"_id":"h/2","_type":"host","name":"beta","ram":8,"owner":{"$ref":"p/ben"},"note":"a \"quoted\", word","price":{"$decimal":"0.10"}}
{"_id":"h/3","_type":"host","name":"gamma","note":"two\nlines\tand a tab","ram":"unknown"}
{"_id":"p/ada","_type":"person","name":"Ada"}
{"_id":"p/ben","_type":"person","name":"Ben"}
{"_id":"x","n":9007199254740993,"key":{"$data":"AQID"}}
EOD
sea put -q docs

t 'a condition, of a type and of all' <<'EOT'
status 0 sea query -q -t host --ids "ram >= 8 AND typeof(ram) = 'integer' AND has(tags, 'db')"
same out <<'EOD'
h/1
EOD
status 0 sea query --count "name LIKE 'b%'"
same out <<'EOD'
2
EOD
status 0 sea query -q -t host --sort=-name --ids 'ram < 100'
same out <<'EOD'
h/2
h/1
EOD
status 0 sea query -q -t host --limit=1 --after=h/1 --ids 'ram < 100'
same out <<'EOD'
h/2
EOD
status 0 sea query --refs-to=p/ada --ids '1'
same out <<'EOD'
h/1
EOD
status 0 sea query -t person --json "name = 'Ada'"
[ "$(jq -r ._id out)" = p/ada ]
status $NO sea query -t person --exit-code "name = 'Eve'"
status 0 sea query -t person --csv 'name > :least' -p least=Ada
same out <<'EOD'
_id,name
p/ben,Ben
EOD
status 0 sea query -t host --count 'ram = :n' -p n:=8 -q
same out <<'EOD'
1
EOD
status $USAGE sea query --deleted 1
status $USAGE sea query --types 1
status $USAGE sea query -p n=1
status $USAGE sea query -p n 1
for bad in 'ram >' 'a) OR (b' '1; SELECT 1' '' ') --'; do
  status $BAD_DATA sea query -t host "$bad"
  grep -q '^sea: error\[bad-query\]' err
done
EOT

t 'nothing is silent: slips, what nobody has, several kinds' <<'EOT'
status $BAD_DATA sea query -t hosst
grep -qF "did you mean 'host'" err
status $BAD_DATA sea query -t host 'nme IS NULL'
grep -qF "did you mean 'name'" err
for command in "query" "dump --where" "set done:=true --where" "delete --where"; do
  status $BAD_DATA sea $command 'nme IS NULL'
  grep -qF "did you mean 'name'" err
done
for option in --select=id,nmae --sort=nmae --sort=-NAME --select=Name; do
  status $BAD_DATA sea query -t host $option
  grep -qF "did you mean 'name'" err
done
for command in log conflicts 'conflicts --count' 'log --changes'; do
  status $BAD_DATA sea $command -t hots
  grep -qF "did you mean 'host'" err
done
status 0 sea log -t printer
grep -q "^notice: no record has the type 'printer'" err
status $BAD_DATA sea query -t HOST
grep -qF "did you mean 'host'" err
status 0 sea query -t printer --select=id,toner
grep -q '^notice: ' err
status 0 sea query -t host --ids 'toner IS NULL'
grep -q "^notice: no record has a property 'toner'" err
status 0 sea query -t host --ids 'ram >= 10'
grep -q "^notice: 'ram' in 'host' has numbers and text" err
same out <<'EOD'
h/1
h/3
EOD
status 0 sea query -q -t host --ids 'ram >= 10'
[ ! -s err ]
status 0 sea query -t host 'name = "alpha"'
grep -q "^notice: no record has a property 'alpha'" err
[ ! -s out ]
status $BAD_DATA sea delete -t host --where='name IS NOT "alpha"'
grep -qF "no record has a property 'alpha'" err
EOT

t 'names that SQL has and records have not' <<'EOT'
status $BAD_DATA sea query -t host "r.name = 'x'"
says err 'no such column: r.name'
for name in rowid _rowid_ oid; do
  status $BAD_DATA sea sql "SELECT $name FROM host"
  says err "did you mean '_id'?"
done
status 0 sea --json sql 'SELECT 1 AS a, 2 AS a, 3 AS "a:1"'
same out <<'EOD'
{"a":1,"a:2":2,"a:1":3}
EOD
status 0 sea sql --csv "SELECT kind(_id, '/ram') AS k, count(*) FROM host GROUP BY 1"
same out <<'EOD'
k,count(*)
number,2
text,1
EOD
status 0 sea sql "SELECT count(*) FROM records WHERE ram > 10"
says err "notice: 'ram' in 'records' has numbers and text, which SQL does not compare with each other; see kind()"
EOT

t 'an asterisk names nothing, and says what it leaves out' <<'EOT'
sea init -q odd
python3 -c "
import json
print(json.dumps({'_id': 'w', '_type': 'wide', **{'p%d' % k: k for k in range(1200)}}))
print(json.dumps({'_id': 'a', '_type': 'case', 'ram': 4}))
print(json.dumps({'_id': 'b', '_type': 'case', 'RAM': 5, 'os': 'x'}))" | sea -C odd put -q -
status 0 sea -C odd sql 'SELECT * FROM wide'
grep -q "^notice: 1200 more properties of 'wide'" err
status 0 sea -C odd sql --csv 'SELECT p7 * 2, p1100 FROM wide'
[ ! -s err ]
[ "$(tail -1 out)" = 14,1100 ]
status 0 sea -C odd sql --csv 'SELECT * FROM "case"'
grep -q "^notice: 'ram' and 'RAM' differ only in case" err
status $BAD_DATA sea -C odd sql 'SELECT _id FROM "case" WHERE ram = 4'
status $BAD_DATA sea -C odd sql 'SELECT *, ram FROM "case"'
EOT

t 'a parameter is what a property of that value would be' <<'EOT'
ids() { sea query --ids "$@" | tr '\n' ' '; }
[ "$(ids -p 'x:={"$decimal":"1.00"}' 'price < :x')" = 'h/2 ' ]
[ "$(ids -p 'x:={"$ref":"p/ada"}' 'owner = :x')" = 'h/1 ' ]
[ "$(ids -p 'x:={"$data":"AQID"}' 'key = :x')" = 'x ' ]
[ "$(ids -p 'x:=[ "db" ]' 'tags = :x')" = 'h/1 ' ]
[ "$(ids -p 'x:=18446744073709551616' 'n + 0 < :x')" = 'x ' ]
[ "$(sea sql --csv -p 'd:={"$date":"2026-03-01"}' -p 'f:=0.1' 'SELECT :d, typeof(:f)' | tail -1)" = '2026-03-01T00:00:00.000Z,real' ]
status $BAD_DATA sea sql -p "f:=0.1000000000000000000001" "SELECT :f"
says err "SQL does not compare all digits of 0.1000000000000000000001"
status $USAGE sea query -p x=1 -p x=2 'n = :x'
EOT

t 'the metadata of a record can be selected and sorted by' <<'EOT'
sea init -q --name=one one
sea -C one put -q '{"_id":"a","_type":"t","n":1}' '{"_id":"b","_type":"t"}'
sea -C one set -q a n:=2
[ "$(sea -C one query --csv --select=_id,_conflict,_created_by,_modified_by | tail -2 | head -1)" = 'a,0,one,one' ]
[ "$(sea -C one query --ids --sort=-_modified | head -1)" = a ]
# Both make it; who was first has made it, though the revision of the other is the lesser or the greater.
sea -C one add-container --create -q s s
sea -C one sync -q
sea clone -q --name=two one/s two
for k in 1 2 3 4 5 6; do
  sea -C one put -q "{\"_id\":\"r/$k\",\"v\":1}"
  sea -C two put -q "{\"_id\":\"r/$k\",\"v\":2}"
done
then=$(sea -C one ops -1 --format='%(op)')
for d in one two one two; do sea -C $d sync -q; done
for d in one two; do
  [ "$(sea -C $d sql --csv "SELECT DISTINCT _created_by FROM records WHERE _id LIKE 'r/%'" | tr '\n' ' ')" = '_created_by one ' ]
  for k in 1 2 3 4 5 6; do
    [ "$(sea -C $d get --meta --json r/$k | jq -r '._created <= ._time')" = true ]
    [ "$(sea -C $d get --meta --json r/$k | jq -r ._created)" = "$(sea -C one get --meta --json --at="$then" r/$k | jq -r ._created)" ]
  done
done
EOT

t 'rows in every form' <<'EOT'
status 0 sea sql 'SELECT p.name, count(*) AS n, decimal_sum(h.price) FROM host h JOIN person p ON h.owner = p._id GROUP BY 1 ORDER BY 1'
same out <<'EOD'
name  n  decimal_sum(h.price)
Ada   1  12.50
Ben   1  0.10
EOD
status 0 sea sql --csv 'SELECT _id, note, ram FROM host ORDER BY 1' -q
same out <<'EOD'
_id,note,ram
h/1,,64
h/2,"a ""quoted"", word",8
h/3,"two
lines	and a tab",unknown
EOD
status 0 sea sql --tsv "SELECT _id, note FROM host WHERE _id = 'h/3'"
same out <<'EOD'
_id	note
h/3	"two\nlines\tand a tab"
EOD
status 0 sea --json sql "SELECT tags, os, price, note FROM host WHERE ram = 64" -q
same out <<'EOD'
{"tags":["db"],"os":{"name":"debian"},"price":12.5,"note":null}
EOD
status 0 sea --json sql 'SELECT n, key, 1.5 AS x, 1e999 AS inf, n AS n FROM records WHERE _type IS NULL'
same out <<'EOD'
{"n":{"$int":"9007199254740993"},"key":{"$data":"AQID"},"x":1.5,"inf":9e999,"n:1":{"$int":"9007199254740993"}}
EOD
status 0 sea --json sql 'SELECT tags FROM host ORDER BY name LIMIT 1'
same out <<'EOD'
{"tags":["db"]}
EOD
status 0 sea sql --format='%(_id)=%(name)' 'SELECT _id, name FROM person ORDER BY _id DESC'
same out <<'EOD'
p/ben=Ben
p/ada=Ada
EOD
status 0 sea sql "SELECT t.value FROM host h, json_each(h.tags) t"
same out <<'EOD'
value
db
EOD
echo 'SELECT count(*) FROM records' >q.sql
status 0 sea sql - --csv <q.sql
cp out dash
status 0 sea sql --file=q.sql --csv
cmp out dash
[ "$(tail -1 out)" = 6 ]
status $USAGE sea sql - --file=q.sql
status 0 sea sql -f - --csv <q.sql
[ "$(tail -1 out)" = 6 ]
status $USAGE sea sql
status $USAGE sea sql -f q.sql 'SELECT 1'
status $USAGE sea sql --csv --table 'SELECT 1'
status 0 sea sql --explain "SELECT * FROM host WHERE _id = 'h/1'"
grep -q 'one record by its _id' out
status $NO sea sql --exit-code 'SELECT 1 WHERE 0'
EOT

t 'foreign records cannot control the terminal or add lines' <<'EOT'
sea put -q '{"_id":"evil","_type":"evil","a":"x\u001b[31m\u202ey","b":["\u202e","\n"],"c":"l1\nl2"}'
status 0 sea --json sql 'SELECT a, b, c FROM evil'
[ "$(wc -l <out)" = 1 ]
jq -e '.a == "x\u001b[31m\u202ey" and .b == ["\u202e", "\n"]' out >/dev/null
fails grep -q "$(printf '\342\200\256')" out
EOT

t 'nothing but reading' <<'EOT'
before=$(sha256sum <.sea/db)
for sql in 'DELETE FROM host' 'DROP TABLE host' "ATTACH 'other.db' AS o" 'PRAGMA writable_schema = 1' "SELECT load_extension('/tmp/x.so')" \
  "VACUUM INTO 'copy.db'" 'SELECT * FROM sqlite_master' 'BEGIN' 'SELECT 1; DELETE FROM host' 'SELECT readfile(1)'; do
  status $BAD_DATA sea sql "$sql"
  grep -q '^sea: error\[bad-query\]' err
done
[ ! -e other.db ]
[ ! -e copy.db ]
[ "$(sha256sum <.sea/db)" = "$before" ]
status $BAD_DATA sea sql --time-limit=1 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c'
grep -q 'the query timed out after 1 s' err
# Two to the power of 23 in a kilobyte, as a statement and within a condition.
twos=$(python3 -c "print('WITH c0 AS (SELECT 1 x), ' + ', '.join('c%d AS (SELECT a.x FROM c%d a, c%d b)' % (i, i - 1, i - 1) for i in range(1, 24)) + ' SELECT count(*) FROM c23')")
status $BAD_DATA timeout 300 sea sql --time-limit=2 "$twos"
grep -q 'memory' err
status $BAD_DATA timeout 300 sea query -t host "ram > ($twos)"
status $BAD_DATA sea sql "SELECT decimal_round('1.5', -9223372036854775808)"
status $BAD_DATA sea sql "SELECT decimal_round('1.5', 1e300)"
# One that does not end by the signal is killed after a minute, and the status is another one.
status 124 timeout -k 60 -s INT 1 sea sql 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c'
EOT

t 'a statement that is no query says so' <<'EOT'
while IFS='|' read -r statement words; do
  status $BAD_DATA sea sql "$statement"
  says err "$words"
done <<'EOX'
selct 1|did you mean SELECT?
ram > 8|to use only a condition, run: sea query 'CONDITION'
;|use SELECT … FROM TYPE
SELECT regexp('(a{100}){100}', 'a')|has more than 1000 steps
SELECT regexp('a(b', 'a')|unexpected end of 'a(b'
SELECT regexp('a**', 'a')|'a**' has a syntax error at character 3
EOX
EOT
