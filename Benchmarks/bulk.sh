#!/bin/bash
# 100,000 records of about 200 bytes in one transaction.
. "$(dirname "$0")/common.sh"
all=$(records 100000 1)
[ -x floor ] || cc -O2 -o floor "$here/sqlite_floor.c" -lsqlite3
python3 "$here/records.py" 100000 1 >floor.ndjson
python3 "$here/fast_import.py" "$all" >import-flat
python3 "$here/fast_import.py" --folders "$all" >import-folders
python3 "$here/fast_import.py" --folders --commits "$all" >import-commits

put='sea -C run$(cat n)/put put -q - <'$all
ratio -n 7 --aim 2.5 --before "$fresh"' sea init -q run$(cat n)/put' 'put of 100,000 : the same rows into SQLite in C' \
  "$put" './floor run$(cat n)/floor.db <floor.ndjson'
import() { ratio "$@" --before "$fresh"' sea init -q run$(cat n)/put; git init -q --bare run$(cat n)/import' "$label" "$put" "$git"; }
git='git -C run$(cat n)/import fast-import --quiet <import-folders'
label='put of 100,000 : git fast-import, one commit, 256 folders' import -n 5 --aim 0.2
git='git -C run$(cat n)/import fast-import --quiet <import-flat'
label='put of 100,000 : git fast-import, one commit, one folder' import -n 1 --cold --aim 0.2
git='git -C run$(cat n)/import fast-import --quiet <import-commits'
label='put of 100,000 : git fast-import, a commit each, 256 folders' import -n 1 --cold --aim 0.2
