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
says err 'standard output cannot be written'
sea config set --global a.b c >&-
echo c >want
sea config get a.b | same want
EOT

t 'closed streams are not mixed up with files' <<'EOT'
sea config set --global a.b d >&- 2>&- <&-
[ "$(sea config get a.b)" = d ]
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
status 12 sea pick-winner .
status 12 sea pick-winner no-such-file
says err no-such-file
EOT

t 'control characters do not reach the terminal' <<'EOT'
status 2 sea "$(printf 'a\033[2Jb')"
says err 'a\x1b[2Jb'
EOT
