# The tour: real commands in a folder that is gone afterwards, whatever ends it.
unset SEA_PASSWORD_FILE
mkdir tools places
ln -s "$SEA_TEST_ROOT/Tests/faults/terminal.py" tools/terminal
PATH=$PWD/tools:$PATH
TMPDIR=$PWD/places
TERM=xterm
export PATH TMPDIR TERM

t 'in a pipe it plays through, and leaves nothing' <<'EOT'
left() { [ -z "$(ls -A places)" ]; }
status 0 sea tutorial
says out 'A tour of sea, in '
says out '$ sea -C lab conflicts bird/1'
says out 'CONFLICT bird bird/1 edit/edit: /notes'
says out 'stick: chain lab 5 blocks ok'
says out 'That was the tour, and its folder is gone.'
lacks out "$(printf '\033')"
left
# Nothing of it is noted beside it.
[ -z "$(find "$HOME" -type f)" ]
grep -v '^\$\|sea-tutorial-\|^[a-z]*	bird/1	' out | awk 'length > 79 { print; bad = 1 } END { exit bad }'
EOT

t 'what variables and settings say of sea does not reach it' <<'EOT'
sea config set --global init.encrypt true
export SEA_DIR=/nowhere SEA_AUTHOR_DATE=2020-01-01 SEA_CONFIG_COUNT=1 SEA_CONFIG_KEY_0=core.pager SEA_CONFIG_VALUE_0=false
sea tutorial >out 2>err
says out 'chain lab 5 blocks ok'
lacks out sealed
unset SEA_DIR
sea config unset --global init.encrypt
EOT

t 'chapters: one can be asked for, the others are played unseen' <<'EOT'
sea tutorial --list >out
says out '4  A conflict'
sea tutorial 6 >out
says out '$ sea verify stick'
lacks out '$ sea -C lab sync'
status 2 sea tutorial 9
status 2 sea tutorial --list 1
[ -z "$(ls -A places)" ]
EOT

t 'with --json each command with what it printed' <<'EOT'
sea tutorial --json >out
jq -e -s 'any(.command == "sea -C lab sync" and (.printed | test("CONFLICT")))' out
jq -e -s '.[-1] | .event == "summary" and .ok and .steps > 20' out
EOT

t 'at a terminal it waits for Return, and q ends it' <<'EOT'
SHOWN=1 terminal '-- ' '' '-- ' q -- sea tutorial >shown
says shown 'Return goes on, q ends it.'
says shown '$ sea -C field put'
lacks shown '$ sea -C field set'
[ -z "$(ls -A places)" ]
EOT

t 'Ctrl-C ends it, and leaves nothing' <<'EOT'
code=0
SHOWN=1 terminal '-- ' '' '-- ' '^C' -- sea tutorial >shown || code=$?
[ "$code" -ne 0 ]
says shown '$ sea -C field put'
lacks shown '$ sea -C field set'
[ -z "$(ls -A places)" ]
EOT

t 'whoever asks it to stop, or reads no more, finds nothing left' <<'EOT'
sea tutorial >out 2>&1 &
process=$!
until [ -n "$(ls -A places)" ]; do sleep 0.05; done
kill -TERM $process
code=0
wait $process || code=$?
[ "$code" -ne 0 ]
[ -z "$(ls -A places)" ]
sea tutorial 2>err | head -1 >out
lacks err 'error'
for n in 1 2 3 4 5 6 7 8 9 10; do
  [ -n "$(ls -A places)" ] || break
  sleep 0.2
done
[ -z "$(ls -A places)" ]
EOT

t 'a command that fails ends it' <<'EOT'
status 12 env TMPDIR="$PWD/nowhere" sea tutorial
(ulimit -f 50; status 14 sea tutorial --json)
says err 'ended with status 12'
[ -z "$(ls -A places)" ]
EOT
