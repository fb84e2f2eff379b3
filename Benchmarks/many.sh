#!/bin/bash
# Changing many: a condition against put of the same records, and a co-process by its CPU.
. "$(dirname "$0")/common.sh"
database whole 100000
sea -C whole query --json >whole.ndjson
python3 - >changed.ndjson <<'P'
import json
for line in open("whole.ndjson"):
    record = json.loads(line)
    del record["_rev"]
    record["changed"] = 1
    print(json.dumps(record))
P
copy="$fresh cp -r whole run\$((n + 1))/whole; cd run\$((n + 1));"
in='cd run$(cat n);'
ratio --aim 1.5 --before "$copy" 'set --where of 100,000 : put of them' "$in sea -C whole set -q --where=1 changed:=1" \
  "$in sea -C whole put -q - <../changed.ndjson"
ratio --before "$copy" 'set --where, a value that is computed : put' "$in sea -C whole set -q --where=1 changed:sql='length(_id)'" \
  "$in sea -C whole put -q - <../changed.ndjson"
# 100,000 operations in transactions of 1,000: seconds of CPU.
python3 - >lines <<'P'
for k in range(100):
    print("start")
    for j in range(1000): print(f"set --create counter/{(k * 1000 + j) % 5000} n:counter+=1")
    print("commit")
P
sea init -q batched 2>/dev/null || :
TIMEFORMAT='%U %S'
time=$( { time sea -C batched batch <lines >/dev/null; } 2>&1)
python3 - $time <<'P'
import sys
cpu = sum(map(float, sys.argv[1:]))
print(f"batch, operations a second of CPU in transactions of 1,000: {100000 / cpu:,.0f} (aim 20,000)")
P
