# What every benchmark needs: the program, a folder of its own that is left behind, records, and a fresh name for each
# run. Nothing is deleted before a measurement: creating files right after deleting many is slow on ext4.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${SEA:=$here/../.build/release/sea}"
command -v "$SEA" >/dev/null || { echo "no $SEA: make build" >&2; exit 2; }
: "${WORK:=$(mktemp -d "${TMPDIR:-/tmp}/sea-bench.XXXXXX")}"
PATH="$(dirname "$SEA"):$PATH"
export PATH WORK SEA_CONFIG_NOSYSTEM=1 SEA_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
cd "$WORK"

ratio() { python3 "$here/ratio.py" "$@"; }
# records COUNT SEED: a file of records for sea, made once.
records() { [ -f "records-$1-$2" ] || python3 "$here/records.py" "$1" "$2" --sea >"records-$1-$2"; echo "records-$1-$2"; }
# database NAME RECORDS: an instance with so many records, made once.
database() { [ -d "$1" ] || { sea init -q --name="$1" --content-type=org.example.bench "$1"; sea -C "$1" put -q - <"$(records "$2" 1)"; }; }
# With it as --before, `$(cat n)` is another number in each run.
fresh='n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n;'
# 100,000 records in one block, pushed to folder; and in as many blocks, pushed to many-folder.
one_block() {
  database source 100000
  [ -d folder ] || { sea -C source add-container -q --create folder "$WORK/folder"; sea -C source push -q; }
}
many_blocks() {
  [ -d many-folder ] && return
  sea init -q --name=many --content-type=org.example.bench many
  sea -C many put -q --chunk=1 - <"$(records 100000 1)"
  sea -C many add-container -q --create folder "$WORK/many-folder"
  sea -C many push -q
}
