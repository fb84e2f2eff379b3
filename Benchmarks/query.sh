#!/bin/bash
# Asking, of 100,000 records of two types: against the sqlite3 shell on a table of columns, on one of JSON, and on both.
# COUNT says how many, such as 1000000, which takes a quarter of an hour.
. "$(dirname "$0")/common.sh"
: "${COUNT:=100000}"
many=$(python3 -c 'import sys; print(f"{int(sys.argv[1]):,}")' "$COUNT")
# A block has at most 64 MiB.
put='put -q --chunk=100000 -'
if [ ! -d asked ]; then
  python3 - "$(records "$COUNT" 1)" >asked.ndjson <<'P'
import json, sys
for n, line in enumerate(open(sys.argv[1])):
    record = json.loads(line)
    record["_type"] = "customer" if n % 10 == 0 else "order"
    record["number"] = n // 10 if n % 10 == 0 else n
    if n % 10: record["customer"] = {"$ref": last}; record["customer_number"] = n // 10
    else: last = record["_id"]
    record["total"] = n * 7919 % 1000
    record["site"] = ["Basel", "Bern", "Chur"][n % 3]
    print(json.dumps(record))
P
  python3 - asked.ndjson asked.db <<'P'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[2])
db.execute("CREATE TABLE doc(id TEXT PRIMARY KEY, type TEXT, json TEXT)")
rows = [json.loads(line) for line in open(sys.argv[1])]
names = sorted({name for row in rows for name in row if name[0] != "_"})
plain = lambda v: v if not isinstance(v, (dict, list)) else v.get("$ref") or json.dumps(v) if isinstance(v, dict) else json.dumps(v)
for table in ["customer", "order"]:
    db.execute(f'CREATE TABLE "{table}"(id TEXT PRIMARY KEY, {", ".join(chr(34) + n + chr(34) for n in names)})')
for row in rows:
    db.execute("INSERT INTO doc VALUES(?, ?, ?)", (row["_id"], row["_type"], json.dumps(row)))
    db.execute(f'INSERT INTO "{row["_type"]}" VALUES(?{", ?" * len(names)})', [row["_id"]] + [plain(row.get(n)) for n in names])
db.commit()
P
  sea init -q asked
  sea -C asked $put <asked.ndjson
fi
ask='sea -C asked'
ratio -n 15 --aim 1.5 "query --count of $many : sqlite3, count of a table" "$ask query --count" "sqlite3 asked.db 'SELECT (SELECT count(*) FROM customer) + (SELECT count(*) FROM \"order\")'"
ratio -n 15 --aim 1.5 'query --limit=10 : sqlite3, ten rows' "$ask query --json --limit=10" "sqlite3 asked.db 'SELECT json FROM doc ORDER BY id LIMIT 10'"
ratio --aim 1.5 "query --ids of $many : sqlite3, the ids" "$ask query --ids" "sqlite3 asked.db 'SELECT id FROM doc ORDER BY id'"
ratio --aim 1.5 'a condition without index : sqlite3 with json_extract' "$ask query -t order --count 'total >= 500'" \
  "sqlite3 asked.db \"SELECT count(*) FROM doc WHERE type = 'order' AND json_extract(json, '\$.total') >= 500\""
# Joins: against JSON of the same rows, and against tables of columns, which hold less than half of what a record is.
by_reference="$ask sql 'SELECT c.site, count(*), sum(o.total) FROM \"order\" o JOIN customer c ON o.customer = c._id GROUP BY 1'"
by_property="$ask sql 'SELECT c.site, count(*), sum(o.total) FROM \"order\" o JOIN customer c ON o.customer_number = c.number GROUP BY 1'"
json="SELECT json_extract(c.json, '\$.site'), count(*), sum(json_extract(o.json, '\$.total')) FROM doc o JOIN doc c"
json_types="WHERE o.type = 'order' AND c.type = 'customer' GROUP BY 1"
ratio --aim 2 'a join by reference, grouped : sqlite3 with json_extract' "$by_reference" \
  "sqlite3 asked.db \"$json ON json_extract(o.json, '\$.customer.\\\$ref') = c.id $json_types\""
ratio 'a join by reference, grouped : sqlite3, two tables' "$by_reference" \
  "sqlite3 asked.db 'SELECT c.site, count(*), sum(o.total) FROM \"order\" o JOIN customer c ON o.customer = c.id GROUP BY 1'"
ratio 'a join by property, grouped : sqlite3, two tables' "$by_property" \
  "sqlite3 asked.db 'SELECT c.site, count(*), sum(o.total) FROM \"order\" o JOIN customer c ON o.customer_number = c.number GROUP BY 1'"
ratio --aim 4 'all as JSON : sqlite3, select json' "$ask query --json" "sqlite3 asked.db 'SELECT json FROM doc ORDER BY id'"
ratio --aim 3 'orders as CSV : sqlite3 -csv' "$ask query -t order --csv" "sqlite3 -csv asked.db 'SELECT * FROM \"order\" ORDER BY id'"
ratio --aim 1.5 'query --types : sqlite3, count of two tables' "$ask query --types" "sqlite3 asked.db 'SELECT (SELECT count(*) FROM customer), (SELECT count(*) FROM \"order\")'"
# The same records with indexes, on both sides.
if [ ! -d indexed ]; then
  sea init -q indexed
  sea -C indexed reindex -q --add=number=order:/number
  sea -C indexed reindex -q --add=customer=order:/customer_number
  sea -C indexed reindex -q --add=customers=customer:/number
  sea -C indexed $put <asked.ndjson
  cp asked.db indexed.db
  sqlite3 indexed.db 'CREATE INDEX a ON "order"(number); CREATE INDEX b ON "order"(customer_number); CREATE INDEX c ON customer(number)'
  sqlite3 indexed.db "CREATE INDEX d ON doc(type, json_extract(json, '\$.number'))"
fi
ask='sea -C indexed'
by_property=${by_property/asked/indexed}
ratio -n 15 --aim 1.5 'a condition with an index : sqlite3 with one' "$ask query -t order --json 'number = 4711'" \
  "sqlite3 indexed.db 'SELECT * FROM \"order\" WHERE number = 4711'"
ratio -n 15 --aim 1.5 'a range of ten with an index : sqlite3 with one' "$ask query -t order --json 'number BETWEEN 4700 AND 4710'" \
  "sqlite3 indexed.db 'SELECT * FROM \"order\" WHERE number BETWEEN 4700 AND 4710'"
# Decision 55.
ratio --aim 2 'a join by an indexed property, grouped : JSON with an index' "$by_property" \
  "sqlite3 indexed.db \"$json ON json_extract(o.json, '\\\$.customer_number') = json_extract(c.json, '\\\$.number') $json_types\""
ratio 'a join by an indexed property, grouped : two tables' "$by_property" \
  "sqlite3 indexed.db 'SELECT c.site, count(*), sum(o.total) FROM \"order\" o JOIN customer c ON o.customer_number = c.number GROUP BY 1'"
# What three indexes cost where records are put.
indexes='sea -C i reindex -q --add=a=order:/number && sea -C i reindex -q --add=b=order:/customer_number && sea -C i reindex -q --add=c=customer:/number'
ratio --aim 2 "put of $many with three indexes : without" "rm -rf i && sea init -q i && $indexes && sea -C i $put <asked.ndjson" \
  "rm -rf i && sea init -q i && sea -C i $put <asked.ndjson"
