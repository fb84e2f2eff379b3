sea init -q
sqlite3 shop.db <<'EOD'
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, picture BLOB, sold BOOLEAN, zip TEXT, note);
INSERT INTO item VALUES(1, 'lamp', 9.5, x'0102', 1, '0801', NULL), (2, 'chair', 40.0, NULL, 0, '', 7);
CREATE TABLE stock(place TEXT, item INTEGER, count INTEGER, PRIMARY KEY(place, item)) WITHOUT ROWID;
INSERT INTO stock VALUES('a/b c', 1, 3), ('ü', 1, 4);
CREATE VIEW cheap AS SELECT * FROM item;
CREATE INDEX by_name ON item(name);
EOD
cp shop.db before

t 'tables are types, and cells are what they are' <<'EOT'
status 0 sea load shop.db
same out <<'EOD'
shop.db: 4 created, 0 updated, 0 unchanged
EOD
[ ! -s err ]
sea query --json | jq -cS 'del(._rev)' >out
same out <<'EOD'
{"_id":"item/1","_type":"item","id":1,"name":"lamp","picture":{"$data":"AQI="},"price":9.5,"sold":true,"zip":"0801"}
{"_id":"item/2","_type":"item","id":2,"name":"chair","note":7,"price":40,"sold":false,"zip":""}
{"_id":"stock/a%2fb%20c/1","_type":"stock","count":3,"item":1,"place":"a/b c"}
{"_id":"stock/ü/1","_type":"stock","count":4,"item":1,"place":"ü"}
EOD
sqlite3 shop.db "UPDATE item SET name = 'stool', note = NULL WHERE id = 2"
status 0 sea load -n shop.db
same out <<'EOD'
PROPERTY  KIND           FILLED  FIRST VALUES
id        a number            2  1 | 2
zip       text                2  0801 |
name      text                2  lamp | stool
sold      true or false       2  true | false
price     a number            2  9.5 | 40
picture   data                1  {"$data":"AQI="}
item      a number            2  1
count     a number            2  3 | 4
place     text                2  a/b c | ü
shop.db: 0 created, 1 updated, 3 unchanged
EOD
status 0 sea load --replace shop.db
[ "$(sea query -t item --count "name = 'stool' AND note IS NULL")" = 1 ]
status 0 sea load --json shop.db
[ "$(jq -r 'select(.event == "loaded").unchanged' out)" = 4 ]
EOT

t 'an id that is an integer, as on Android' <<'EOT'
sqlite3 android.db "CREATE TABLE contact (_id INTEGER PRIMARY KEY, _count INTEGER, name TEXT); INSERT INTO contact VALUES (7, 1, 'Ann')"
status $BAD_DATA sea load android.db
says err '--foreign'
status $BAD_DATA sea load --map=_count: android.db
status 0 sea load --foreign android.db
[ "$(sea get 7 | jq -c '[._type,.name,."meta/count"]')" = '["contact","Ann",1]' ]
EOT

t 'nothing is made or changed beside the file' <<'EOT'
cp before copy.db
sea load -q copy.db
cmp before copy.db
[ "$(echo copy.db*)" = copy.db ]
mkdir -p locked && cp before locked/shop && chmod 555 locked
status 0 sea load locked/shop
chmod 755 locked
EOT

t 'one table, and what is said of columns' <<'EOT'
status 0 sea load --table=item -t thing --map=note: --types=price:decimal,id:string,sold:int before --format=sqlite
sea query -t thing --json | jq -cS 'del(._rev, .picture)' >out
same out <<'EOD'
{"_id":"thing/1","_type":"thing","id":"1","name":"lamp","price":{"$decimal":"9.5"},"sold":1,"zip":"0801"}
{"_id":"thing/2","_type":"thing","id":"2","name":"chair","price":{"$decimal":"40.0"},"sold":0,"zip":""}
EOD
status 0 sea load --table=item -t keyed --key=name before
status 0 sea load --table=item -t keyed --key=name before
same out <<'EOD'
before: 0 created, 0 updated, 2 unchanged
EOD
sqlite3 texts.db "CREATE TABLE t(id TEXT PRIMARY KEY, n TEXT, z TEXT, m); INSERT INTO t VALUES('a', '1', '01', '1.5'), ('b', '20', '2', 3)"
sea load -q --detect-types texts.db
sea query -t t --json | jq -cS 'del(._rev, .id)' >out
same out <<'EOD'
{"_id":"t/a","_type":"t","m":1.5,"n":1,"z":"01"}
{"_id":"t/b","_type":"t","m":3,"n":20,"z":"2"}
EOD
status $USAGE sea load -t x before
grep -q "before has several tables, but '--type' is for one" err
for option in --relaxed --rejects=r; do status $USAGE sea load $option shop.db; done
status $USAGE sea load --table=item plots.csv
status $USAGE sea load --format=sqlite - <before
status $BAD_DATA sea load --table=none before
grep -q "before: table 'none' does not exist" err
status $BAD_DATA sea load --types=zz:int before
grep -q "before: unknown column 'zz'" err
EOT

t 'an error names file, table and row, and nothing is loaded' <<'EOT'
bad() {
  rm -f bad.db
  sqlite3 bad.db "$1"
  status $BAD_DATA sea load --format=sqlite bad.db
  grep -Fq "$2" err || { cat err; false; }
}
bad "CREATE TABLE fine(a); INSERT INTO fine VALUES(1); CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES(5, 'x'), (9, CAST(x'ff' AS TEXT))" \
  "bad.db: table 't', row 2: a: text that is not Unicode"
status $BAD_DATA sea load --json bad.db
jq -e 'select(.event == "error") | .file == "bad.db" and .table == "t" and .row == 2' err
[ "$(sea query -t fine --count 2>&-)" = 0 ]
bad "CREATE TABLE t(a); INSERT INTO t VALUES(9e999)" "table 't', row 1: a: not a value of type number: inf"
bad "CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES(1), ('1')" "row 2: a: primary keys of several kinds"
bad "CREATE TABLE t(a TEXT PRIMARY KEY); INSERT INTO t VALUES(NULL)" "row 1: a: cannot derive an id"
bad "CREATE TABLE t(a, \"_b\")" "table 't': invalid column:"
bad "CREATE TABLE \"a b\"(a)" "the name of table 'a b' is not a valid type"
bad "CREATE TABLE t(a BLOB); INSERT INTO t VALUES(zeroblob(100000))" "row 1: a: data exceeds core.maxDataSize"
bad "CREATE TABLE t(_id); INSERT INTO t VALUES('ok'), (NULL)" "row 2: _id is empty"
bad "CREATE TABLE t(_id DATE, d DATE TEXT); INSERT INTO t VALUES('x', '2026-13-01')" "row 1: d: not a value of type date: 2026-13-01"
bad "CREATE TABLE t(_id DATE, d DAY TEXT); INSERT INTO t VALUES('x', '1927-02-30')" "row 1: d: not a value of type day: 1927-02-30"
printf 'no database at all' >bad.db
status $BAD_DATA sea load bad.db
grep -q 'bad.db: not a SQLite file' err
status $BAD_DATA sea load .sea/db
grep -q 'this is the database in use' err
EOT

t 'skipped tables and values are reported' <<'EOT'
sqlite3 v.db "CREATE VIRTUAL TABLE words USING fts5(b); INSERT INTO words VALUES('x'); CREATE TABLE g(id INTEGER PRIMARY KEY, a, b AS (a * 2), c AS (a * 3) STORED); INSERT INTO g(a) VALUES(2)"
status 0 sea load v.db
same out <<'EOD'
v.db: 1 created, 0 updated, 0 unchanged
EOD
grep -q "v.db: left out: the virtual table 'words', the computed column 'b' of 'g'" err
[ "$(sea get g/1 c)" = 6 ]
EOT

t 'a log or journal with changes is no old rows' <<'EOT'
sqlite3 live.db "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)" "PRAGMA wal_checkpoint(TRUNCATE)" \
  "INSERT INTO t VALUES(2)" '.shell cp live.db wal.db; cp live.db-wal wal.db-wal' >live
status $BAD_DATA sea load wal.db
grep -q "wal.db: incomplete without '.*/wal.db-wal'" err
grep -q "hint: to make a copy that can be loaded, run: sqlite3 'wal.db' '.backup copy.db'" err
[ "$(echo wal.db*)" = 'wal.db wal.db-wal' ]
sqlite3 wal.db '.backup wcopy.db'
status 0 sea load --table=t -t w wcopy.db
grep -q 'wcopy.db: 2 created' out
EOT

t 'a dump is a file for sqlite3, and comes back' <<'EOT'
sea init -q --name=there there
sea -C there put -q '{"_id":"h/1","_type":"host","ram":64,"name":"web","tags":{"$set":["a"]},"nested":{"a":null},"ok":true}' \
  '{"_id":"h/2","_type":"host","ram":0.5,"name":"007","since":{"$date":"2026-01-02T00:00:00Z"},"price":{"$decimal":"1.50"}}' \
  '{"_id":"p/1","_type":"Host","name":"x","Name":5,"of":{"$ref":"h/1"},"mixed":true}' '{"_id":"p/2","_type":"Host","mixed":"true"}' \
  '{"_id":"x","n":{"$counter":3},"big":{"$int":"98765432109876543210"},"data":{"$data":"AAE="}}'
status 0 sea -C there dump --format=sqlite -o ../hosts.sqlite
same out <<'EOD'
../hosts.sqlite: 5 records
EOD
[ "$(echo hosts.sqlite*)" = hosts.sqlite ]
[ "$(sqlite3 hosts.sqlite 'PRAGMA integrity_check')" = ok ]
sqlite3 hosts.sqlite '.schema _untyped' >out
same out <<'EOD'
CREATE TABLE IF NOT EXISTS "_untyped"(
  "_id" TEXT PRIMARY KEY NOT NULL,
  "n" COUNTER TEXT,
  "big" DIGITS TEXT,
  "data" BLOB
) WITHOUT ROWID;
EOD
sqlite3 hosts.sqlite 'SELECT _id, ram, typeof(ram), name, price, since, ok, tags, nested FROM "_1:host"; SELECT Name, "_1:name", "of", mixed FROM Host' >out
same out <<'EOD'
h/1|64|integer|web|||1|["a"]|{"a":null}
h/2|0.5|real|007|1.50|2026-01-02T00:00:00Z|||
5|x|h/1|true
|||"true"
EOD
sea init -q --name=back back
status 0 sea -C back load ../hosts.sqlite
for place in there back; do sea -C $place query --json | jq -cS 'del(._rev)' >$place.json; done
cmp there.json back.json
EOT

t 'a dump takes the place of nothing, and is there whole or not at all' <<'EOT'
status $SYSTEM sea dump --format=sqlite -o hosts.sqlite
same err <<'EOD'
sea: error[exists]: file 'hosts.sqlite' already exists
hint: SQLite output needs a new file
EOD
: >new.db-wal
status $SYSTEM sea dump --format=sqlite -o new.db
[ ! -e new.db ]
status $USAGE sea dump --format=sqlite
status $USAGE sea dump --format=sqlite --deleted -o new2.db
status $BAD_DATA sea dump --format=sqlite --where='nonsense(' -o new2.db
[ "$(echo new2.db* .sea-tmp*)" = 'new2.db* .sea-tmp*' ]
status 0 sea dump --json --format=sqlite -t item --where="name = 'lamp'" -o new2.db
[ "$(jq -r 'select(.event == "dumped").records' out)" = 1 ]
[ "$(sqlite3 new2.db 'SELECT name FROM item')" = lamp ]
status 0 sea dump --format=sqlite --at=1h -o old.db
EOT
