#!/bin/bash
# Loading and dumping 100,000 records: against sqlite-utils, if it is there, and against query and put.
. "$(dirname "$0")/common.sh"
if [ ! -f loaded.csv ]; then
  python3 - >loaded.csv <<'P'
print("number,name,street,city,phone,balance,note")
for n in range(100000):
    print(f'{n},Name {n * 7919 % 100003},"Street {n % 977}, {n % 89}",{["Basel", "Bern", "Chur"][n % 3]},+41 {n * 31 % 10**9:09d},{n % 1000}.{n % 90 + 10},"says ""no"" {n}"')
P
  sed '1s/number/_id/' loaded.csv >ids.csv
fi
# Each run of both has an empty database.
loads() {
  local more=(); while [[ $1 == -* ]]; do more+=("$1" "$2"); shift 2; done
  ratio "${more[@]}" --before 'rm -rf new new.db; sea init -q new' "$1" "$2" "$3"
}
into='sea -C new load -q -t person'
if type sqlite-utils >/dev/null 2>&1; then
  other='sqlite-utils insert new.db person loaded.csv --csv --silent'
  loads --aim 0.1 'load of CSV, 100,000 rows : sqlite-utils insert --csv' "$into ../loaded.csv" "$other --no-detect-types"
  loads --aim 0.1 'load --detect-types : sqlite-utils insert --csv with types' "$into --detect-types ../loaded.csv" "$other"
  loads 'load --key : sqlite-utils insert --csv --pk' "$into --key=number ../loaded.csv" "$other --no-detect-types --pk=number"
else
  echo 'sqlite-utils is missing: pip install sqlite-utils' >&2
fi
[ -d dumped ] || { sea init -q dumped && sea -C dumped load -q -t person ../ids.csv; }
sea -C dumped dump >dumped.jsonl
ratio --aim 1 'dump as JSON Lines : query --json' 'sea -C dumped dump' 'sea -C dumped query --json'
ratio 'dump as CSV : query --csv' 'sea -C dumped dump -t person --format=csv' 'sea -C dumped query -t person --csv'
ratio --before 'rm -rf new; sea init -q new' 'load of what is there : load into an empty database' 'sea -C dumped load -q -t person ../ids.csv' "$into ../ids.csv"
