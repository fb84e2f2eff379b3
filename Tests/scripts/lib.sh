# Sourced by the test scripts, which run in an empty directory of their own with `sea` on PATH.
#
#   t 'what must hold' <<'EOT'        runs the lines with sh -eu; a line that fails is a failed test
#   status $USAGE sea versoin         the exit status must be 2; standard output is in ./out, standard error in ./err
#   says err 'did you mean'           the file must have a line that contains this text
#   lacks out 'secret'               the file must have no such line
#   fails cmp a b                    the command must fail ('! cmp a b' would fail no test)
#   same out <<'EOX'                  the file must be exactly these lines
#   ...
#   EOX
#   EOT
#
# Files live from one test to the next; variables do not.
# SEA_TEST_SEALED is 1 in a run with sealed databases, otherwise empty.

# The exit statuses by their slugs: sea-cli(7).
NO=1 USAGE=2 CONFLICT=3 NOT_FOUND=4 CORRUPT=5 LOCKED=6 DENIED=7 PARTIAL=8
UNREACHABLE=9 NO_DATABASE=10 INCOMPATIBLE=11 SYSTEM=12 BAD_DATA=13 REFUSED=14

status() {
  want=$1
  shift
  have=0
  "$@" >out 2>err || have=$?
  [ "$have" -eq "$want" ] && return
  echo "status $have instead of $want: $*"
  sed 's/^/  out: /' out
  sed 's/^/  err: /' err
  return 1
}

says() {
  grep -qF -e "$2" -- "$1" && return
  echo "no '$2' in $1:"
  sed 's/^/  /' "$1"
  return 1
}

fails() { if "$@"; then echo "succeeded: $*"; return 1; fi; }

lacks() { if grep -F -e "$2" -- "$1"; then return 1; fi; }

same() { diff -u - "$1"; }
# Makes the byte of a file at an offset another one.
spoil() {
  case $(dd if="$1" bs=1 skip="$2" count=1 2>/dev/null | tr -d '\0') in X) printf Y ;; *) printf X ;; esac |
    dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

t() {
  count=$((count + 1))
  { echo '. "$SEA_TEST_LIB"' && cat; } >.test
  if sh -eu .test >.log 2>&1; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    sed 's/^/# /' .log
  fi
}

: "${count=0}"
