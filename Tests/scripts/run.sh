#!/bin/sh
# Runs the test scripts: all of them, or those that are named. SEA is the program, JOBS how many run at once.
# With SEAL=1 every database that a script makes is sealed; SEA_TEST_SEALED then tells the scripts so.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if [ "${1-}" = --one ]; then
  name=$(basename "$2" .sh)
  mkdir -p "$SEA_TEST_SCRATCH/$name/home" "$SEA_TEST_SCRATCH/$name/work"
  cd "$SEA_TEST_SCRATCH/$name/work"
  code=0
  if [ -n "$SEA_TEST_SEALED" ]; then
    export SEA_CONFIG_COUNT=1 SEA_CONFIG_KEY_0=init.encrypt SEA_CONFIG_VALUE_0=true
    export SEA_PASSWORD_FILE="$SEA_TEST_SCRATCH/$name/passphrase"
    (umask 077 && echo 'vier kleine Boote' >"$SEA_PASSWORD_FILE")
  fi
  HOME=$SEA_TEST_SCRATCH/$name/home sh -eu -c '. "$SEA_TEST_LIB"; . "$1"' sh "$2" </dev/null >../tap 2>&1 || code=$?
  [ "$code" -eq 0 ] || echo "not ok - the script itself ended with status $code" >>../tap
  grep -q '^\(not \)\{0,1\}ok' ../tap || echo "not ok - the script has no tests" >>../tap
  # In one go, so that the lines of scripts that run at once do not mix.
  printf '%s\n' "# $name
$(cat ../tap)"
  exit 0
fi

if [ -z "${SEA-}" ]; then
  SEA=$root/.build/release/sea
  [ -x "$SEA" ] || SEA=$root/.build/debug/sea
fi
[ -x "$SEA" ] || { echo "no program at $SEA" >&2; exit 1; }
SEA_TEST_SCRATCH=$(mktemp -d)
trap 'chmod -R u+rwX "$SEA_TEST_SCRATCH"; rm -rf "$SEA_TEST_SCRATCH"' EXIT
trap 'exit 130' INT TERM
mkdir "$SEA_TEST_SCRATCH/bin"
ln -s "$(realpath "$SEA")" "$SEA_TEST_SCRATCH/bin/sea"
for name in $(env | sed -n 's/^\(SEA_[A-Z_]*\)=.*/\1/p'); do
  case $name in SEA_TEST_*) ;; *) unset "$name" ;; esac
done
SEA_TEST_SEALED=
[ "${SEAL:-0}" = 0 ] || SEA_TEST_SEALED=1
unset SEA SEAL XDG_CONFIG_HOME XDG_STATE_HOME
export SEA_TEST_SCRATCH SEA_TEST_SEALED SEA_TEST_LIB="$here/lib.sh" SEA_TEST_ROOT="$root" SEA_CONFIG_NOSYSTEM=1
export PATH="$SEA_TEST_SCRATCH/bin:$PATH" TZ=UTC LC_ALL=C.UTF-8

[ $# -gt 0 ] || set -- "$here"/t[0-9]*.sh
for script in "$@"; do
  [ -f "$script" ] || script=$here/$script
  printf '%s\0' "$(realpath "$script")"
done | xargs -0 -n 1 -P "${JOBS:-$(nproc)}" sh "$here/run.sh" --one >"$SEA_TEST_SCRATCH/all" || true
cat "$SEA_TEST_SCRATCH/all"
passed=$(grep -c '^ok ' "$SEA_TEST_SCRATCH/all" || true)
failed=$(grep -c '^not ok ' "$SEA_TEST_SCRATCH/all" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
