#!/bin/sh
# Typed records through SeaKit beside the C interface of SQLite: COUNT (100000) of them. And `sea put` of the same as JSON; and GRDB
# reading the rows of SQLite as structs, where its package can be had. And the automatic sync between two devices
# (live.py).
set -eu
cd "$(dirname "$0")/.."
COUNT=${COUNT:-100000}
BUILD=${BUILD:-.build/release}
[ -x "$BUILD/bench-kit" ] || swift build -c release --product bench-kit >&2
[ -x "$BUILD/sea" ] || swift build -c release --product sea >&2
place=$(mktemp -d "${TMPDIR:-/tmp}/sea-bench.XXXXXX")
trap 'rm -rf "$place"' EXIT INT TERM
"$BUILD/bench-kit" "$place" "$COUNT"
python3 Benchmarks/live.py "$BUILD"
if (cd Benchmarks/kit-grdb && swift build -c release) >"$place/grdb.log" 2>&1; then
  Benchmarks/kit-grdb/.build/release/bench-kit-grdb "$place/rows.db"
else
  echo "GRDB cannot be built here: it is left out"
fi
awk -v n="$COUNT" 'BEGIN { for (i = 0; i < n; i++)
  printf "{\"_id\":\"p%d\",\"_type\":\"reading\",\"name\":\"sensor number %d\",\"place\":\"hall %d\",\"celsius\":%.2f,\"count\":%d,\"isGood\":%s}\n",
    i + 1000000, i % 100, i % 7, (i % 400) / 10 + 0.05, i, i % 3 ? "false" : "true" }' >"$place/records.json"
"$BUILD/sea" init -q "$place/put"
echo "sea put of the same as JSON, seconds of CPU (user and system):"
# shellcheck disable=SC2016
( "$BUILD/sea" -C "$place/put" put -q "$place/records.json"; times ) | tail -n 1
