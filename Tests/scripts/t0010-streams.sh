t 'a full disk is status 12' <<'EOT'
code=0
sea -h >/dev/full 2>err || code=$?
[ $code -eq 12 ]
says err 'No space left on device'
EOT

t 'a closed standard output is status 12, and what says nothing still works' <<'EOT'
code=0
sea version >&- 2>err || code=$?
[ $code -eq 12 ]
says err 'cannot write standard output'
sea config set --global core.abbrev 9 >&-
echo 9 >want
sea config get core.abbrev | same want
EOT

t 'closed streams are not mixed up with files' <<'EOT'
sea config set --global core.abbrev 10 >&- 2>&- <&-
[ "$(sea config get core.abbrev)" = 10 ]
EOT

t 'a reader that goes away ends the program silently' <<'EOT'
yes '{"_id":"x"}' | head -20000 >records
{ code=0; sea hash-record records 2>err || code=$?; echo $code >code; } | head -1 >/dev/null
[ "$(cat code)" -eq 141 ]
[ ! -s err ]
EOT

t 'a standard input that is closed is an error' <<'EOT'
code=0
sea pick-winner <&- >out 2>err || code=$?
[ $code -eq 12 ]
[ ! -s out ]
EOT

t 'an input that is a directory, or missing, is status 12' <<'EOT'
status $SYSTEM sea pick-winner .
status $SYSTEM sea pick-winner no-such-file
says err no-such-file
EOT

t 'control characters do not reach the terminal' <<'EOT'
status $USAGE sea "$(printf 'a\033[2Jb')"
says err 'a\x1b[2Jb'
EOT

t 'no record steers a terminal, and a pipe gets its bytes' <<'EOT'
p=$PWD
sea init -q --name=one one
printf '%s' '{"_id":"x","_type":"note","text":"a\u001b]0;t\u0007\u009b2J\u202eb\u007f"}' | sea -C one put -q -
sea -C one get x text >text
printf 'a\033]0;t\a\302\2332J\342\200\256b\177\n' | same text
sea -C one get x | grep -F '"a\u001b]0;t\u0007\u009b2J\u202eb\u007f"'
for command in 'get x' 'get x text' 'query --csv' 'query --tsv' 'query' 'query --format=%(text)' 'log -p' 'cat-block one/1' 'get nix'; do
  ${PYTHON:-/usr/bin/python3} "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea -C one $command >screen || true
  ${PYTHON:-/usr/bin/python3} - "$command" >shown <<'PY'
import sys
shown = open("screen", "rb").read()
bad = [c for c in shown.decode("utf-8") if (c < " " and c not in "\r\n\t") or "\x7f" <= c <= "\x9f" or "\u2028" <= c <= "\u202e"]
assert not bad, (sys.argv[1], bad, shown)
assert b"a" in shown
PY
done
EOT
