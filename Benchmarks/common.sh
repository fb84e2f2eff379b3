# What every benchmark needs: the program, a folder to work in, records, and a folder of its own for each run.
#
# SEA is the program. With BEFORE=/path/to/an/older/sea every line says as well what that one takes in the same run: the
# same script runs a second time beside the first, in a folder of its own, and measures when it is told to (ratio.py).
# WORK is where to work; what is there stays, and is used again. Otherwise it is a scratch folder, which is gone at the
# end, also when it is interrupted, and in which there is never more than 8 GiB, or twice as much with BEFORE.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${SEA:=$here/../.build/release/sea}" "${BEFORE:=}"
for program in "$SEA" ${BEFORE:+"$BEFORE"}; do
  [ -x "$program" ] || { echo "no $program: make build" >&2; exit 2; }
done
SEA=$(realpath "$SEA")
BEFORE=${BEFORE:+$(realpath "$BEFORE")}
if [ -z "${WORK:-}" ]; then
  most=$((${BEFORE:+2 *} 8))
  exec python3 "$here/../Tests/pool.py" --free $((most + 2)) --at-most $most WORK "$0" "$@"
fi
mkdir -p "$WORK"
cd "$WORK"
[ "${TWIN:-}" = self ] || export TWIN=
mkdir -p bin
# As `make install` leaves it: the file that a linker has written lies in small pages in the cache, and starts a third slower.
cp -f "$SEA" bin/sea
PATH=$WORK/bin:$PATH
export PATH SEA BEFORE WORK SEA_CONFIG_NOSYSTEM=1 SEA_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

if [ "$BEFORE" ] && [ -z "$TWIN" ] && [ "${0##*/}" != run.sh ]; then
  TWIN=$WORK/before
  mkdir -p "$TWIN"
  rm -f "$TWIN/ask" "$TWIN/answer" "$TWIN/gone"
  mkfifo "$TWIN/ask" "$TWIN/answer"
  # In a session of its own, so that all of it can be ended.
  TWIN=self SEA=$BEFORE WORK=$WORK/before setsid sh -c '"$0" >"$WORK/log" 2>&1 || :; : >"$WORK/gone"' "$here/${0##*/}" &
  twin=$!
  trap 'status=$?; [ $status = 0 ] || kill -- -$twin 2>/dev/null || :; wait; exit $status' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
fi

# Runs two commands in turn and prints a line. What the runs have made is dropped.
ratio() {
  local status=0
  python3 "$here/ratio.py" "$@" || status=$?
  rm -rf run[0-9]*
  return $status
}
# With it as --before, each run has another folder `run$(cat n)`. It is dropped when a line is measured and not before:
# creating files right after deleting many is slow on ext4.
fresh='n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; mkdir run$((n + 1));'
# records COUNT SEED: a file of records for sea, made once.
records() { [ -f "records-$1-$2" ] || python3 "$here/records.py" "$1" "$2" --sea >"records-$1-$2"; echo "records-$1-$2"; }
# database NAME RECORDS: an instance with so many records, made once.
database() { [ -d "$1" ] || { sea init -q --name="$1" --content-type=org.example.bench "$1"; sea -C "$1" put -q - <"$(records "$2" 1)"; }; }
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
