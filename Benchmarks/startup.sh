#!/bin/bash
# One small command: what a script pays each time.
. "$(dirname "$0")/common.sh"
database start 100000
[ -d git ] || git init -q git
id=$(head -1 "$(records 100000 1)" | sed 's/.*"_id":"\([^"]*\)".*/\1/')
[ -f peer.db ] || sqlite3 peer.db 'pragma journal_mode=wal; create table r(id text primary key, json text)' \
  "insert into r select json_extract(value, '$._id'), value from (select cast(value as text) value from json_each('[' || replace(rtrim(readfile('$(records 100000 1)'), char(10)), char(10), ',') || ']'))" >/dev/null

ratio -n 101 --aim 1.0 'sea rev-parse --sea-dir : git rev-parse --git-dir' 'sea -C start rev-parse --sea-dir' 'git -C git rev-parse --git-dir'
ratio -n 101 --aim 1.0 'sea get : sqlite3 select' "sea -C start get $id" "sqlite3 peer.db 'select json from r where id=\"$id\"'"
ratio -n 51 --aim 1.2 --before "$here/one.sh" 'sea put one : sqlite3 insert one, WAL, FULL' \
  "sea -C start put $WORK/one.json" "sqlite3 peer.db '.read one.sql'"
