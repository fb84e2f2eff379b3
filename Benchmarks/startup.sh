#!/bin/bash
# One small command: what a script pays each time.
. "$(dirname "$0")/common.sh"
database start 100000
[ -d git ] || git init -q git
all=$(records 100000 1)
id=$(head -1 "$all" | sed 's/.*"_id":"\([^"]*\)".*/\1/')
if [ ! -f peer.db ]; then
  [ -x floor ] || cc -O2 -o floor "$here/sqlite_floor.c" -lsqlite3
  python3 "$here/records.py" 100000 1 | ./floor peer.db
fi

ratio -n 101 --aim 1.0 'rev-parse --sea-dir : git rev-parse --git-dir' 'sea -C start rev-parse --sea-dir' \
  'git -C git rev-parse --git-dir'
ratio -n 101 --aim 1.0 'get one of 100,000 : sqlite3, select' "sea -C start get $id" \
  "sqlite3 peer.db 'select json from r where id=\"$id\"'"
ratio -n 51 --aim 1.2 --before "$here/one.sh" 'put one, durable : sqlite3, insert, WAL, synchronous=FULL' \
  "sea -C start put $WORK/one.json" "sqlite3 peer.db '.read one.sql'"
