#!/bin/bash
# 100,000 records of about 200 bytes in one transaction.
. "$(dirname "$0")/common.sh"
[ -x floor ] || cc -O2 -o floor "$here/sqlite_floor.c" -lsqlite3
python3 "$here/records.py" 100000 1 >floor.ndjson
python3 "$here/fast_import.py" "$(records 100000 1)" >fast-import

ratio -n 5 --aim 2.5 --before "$fresh"' sea init -q put$(cat n)' 'sea put - of 100,000 : the rows into SQLite in C' \
  'sea -C put$(cat n) put -q - <records-100000-1' './floor floor$(cat n).db <floor.ndjson'
ratio -n 3 --aim 0.2 --before "$fresh"' sea init -q put$(cat n); git init -q --bare import$(cat n)' \
  'sea put - of 100,000 : git fast-import, one commit' \
  'sea -C put$(cat n) put -q - <records-100000-1' 'git -C import$(cat n) fast-import --quiet <fast-import'
