#!/bin/bash
# Room on the disk instead of time: kilobytes of Sea and of the peer, and the ratio.
. "$(dirname "$0")/common.sh"
bytes() { find "$@" -type f -printf '%s\n' 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'; }
# room LABEL AIM BYTES [PEER]: a line of the table.
room() {
  awk -v l="$1" -v aim="$2" -v a="$3" -v b="${4:-0}" 'BEGIN {
    if (b) printf "%-62s%8.0fkB%8.0fkB%7.2f%6s\n", l, a / 1000, b / 1000, a / b, aim
    else printf "%-62s%9dB%10s%7s%6s\n", l, a, "", "", aim }'
}
# sqlite FILE RECORDS: the same rows, each with its id, type and the rest as JSON.
sqlite() {
  python3 - "$1" "$2" <<'PY'
import json, sqlite3, sys
rows = []
for line in open(sys.argv[2]):
    one = json.loads(line)
    rows.append((one.pop("_id"), one.pop("_type"), json.dumps(one, separators=(",", ":"), ensure_ascii=False)))
base = sqlite3.connect(sys.argv[1])
base.execute("CREATE TABLE record(id TEXT PRIMARY KEY, type TEXT, body TEXT)")
base.executemany("INSERT INTO record VALUES(?, ?, ?)", rows)
base.commit()
PY
}
store() { bytes "$1/.sea/db"*; }

records 100000 1 >/dev/null
records 10000 1 >/dev/null
rm -rf one ten sqlite-100000 sqlite-10000
sqlite sqlite-100000 records-100000-1
sqlite sqlite-10000 records-10000-1
sea init -q --name=one one
sea -C one put -q - <records-100000-1
sea -C one gc -q
room 'store of 100,000 records in one block : SQLite' 1.3 "$(store one)" "$(bytes sqlite-100000)"
sea init -q --name=ten ten
sea -C ten put -q --chunk=1 - <records-10000-1
sea -C ten gc -q
room 'store of 10,000 records in as many blocks : SQLite' 2 "$(store ten)" "$(bytes sqlite-10000)"
sea -C one add-container -q --create folder "$WORK/one-folder"
sea -C one push -q
room 'container of 100,000 records in one block : their JSON' 0.6 "$(bytes one-folder/transactions)" "$(bytes records-100000-1)"

# One property of a record of about 200 bytes: everything that comes into the container.
before=$(bytes one-folder)
sea -C one set -q "$(head -1 records-100000-1 | cut -d'"' -f4)" n:=7
sea -C one push -q
room 'one change of one property of a record of 200 bytes' 500 "$(($(bytes one-folder) - before))"

# What the demonstration loads: 13,000 records of Debian's iso-codes.
if [ -d /usr/share/iso-codes ]; then
  python3 "$here/../demo/records.py" >demo.ndjson
  sea init -q --name=demo demo
  sea -C demo put -q - <demo.ndjson
  sea -C demo add-container -q --create folder "$WORK/demo-folder"
  sea -C demo push -q
  room "container of the demonstration's records : their JSON" 0.5 "$(bytes demo-folder/transactions)" "$(bytes demo.ndjson)"
fi
