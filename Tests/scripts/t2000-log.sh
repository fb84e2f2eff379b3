t 'transactions, newest first' <<'EOT'
sea init --name=field -q
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea set -q --create -t host web1 ram:=16
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea put -q '{"_id":"web2","ram":1}' '{"_id":"web3","ram":1}'
sea log | head -3 >out
same out <<'EOX'
BLOCK    TIME                 CHANGES  LABEL
field/2  2026-01-02 10:00:00        2  put
field/1  2026-01-01 10:00:00        1  set ram
EOX
EOT

t 'as many as asked for, by author and time' <<'EOT'
sea log -1 --format='%(name)/%(index) %(changes)' >out
same out <<'EOX'
field/2 2
EOX
[ -z "$(sea log -0)" ]
sea log --since=2026-01-02 --until=2026-01-03 --format='%(index)' >out
same out <<'EOX'
2
EOX
[ "$(sea log --instance=field --format='%(index)' | tr '\n' ' ')" = '2 1 0 ' ]
status 4 sea log --instance=nobody
status 2 sea log --since=soon
EOT

t 'lines of JSON, and fields for a shell' <<'EOT'
sea log -1 --json >out
says out '"changes":2'
says out '"time":"2026-01-02T10:00:00Z"'
eval "$(sea log -1 --shell --format='label=%(label) size=%(size)')"
[ "$label" = put ] && [ "$size" -gt 80 ]
sea log -2 -z --format='%(index)' | tr '\0' ,  >out
printf '2,1,' | cmp - out
status 2 sea log --shell
status 2 sea log --format='%(nothing)'
EOT

t 'the revisions of a record' <<'EOT'
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea set -q web1 ram:=32
sea log web1 | sed 's/-[0-9a-f]\{8\} /-HEX /' >out
same out <<'EOX'
*  2-HEX  field  2026-01-03 10:00:00  set ram
   1-HEX  field  2026-01-01 10:00:00  created
EOX
sea log web1 --format='%(mark)|%(rev:short=4)|%(parent)|%(state)|%(kind)' | cut -c1-3 >out
same out <<'EOX'
*|2
|1-
EOX
[ "$(sea log -1 web1 --json | grep -c '"state":"winner"')" -eq 1 ]
status 4 sea log nothing
EOT

t 'the values of a property' <<'EOT'
sea set -q web1 other=x
sea set -q web1 --unset=ram
SEA_AUTHOR_DATE=2026-01-05T10:00:00Z sea set -q web1 ram=much
sea log web1 ram --format='%(value) %(rev:short=1) %(branch)' | sed 's/-.* / /' >out
same out <<'EOX'
"much" 5 winner
 4 winner
32 2 winner
16 1 winner
EOX
sea log -1 web1 /ram | sed 's/-[0-9a-f]\{8\} /-HEX /' >out
same out <<'EOX'
much  5-HEX  field  2026-01-05 10:00:00  set ram
EOX
status 4 sea log web1 nothing
EOT

t 'a deleted record still has a log' <<'EOT'
sea delete -q web3
sea log web3 | cut -c1-4 >out
same out <<'EOX'
x  2
   1
EOX
EOT

t 'the tree of a record that two have changed' <<'EOT'
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=lab ../c.sea ../lab
sea set -q web2 here=1
sea -C ../lab set -q web2 there=1
sea -C ../lab sync -q
sea sync -q --no-merge
sea log --graph web2 | sed 's/ *[0-9]-.*//' >out
same out <<'EOX'
*
| !
|/
*
EOX
sea resolve -q --winner web2
sea log --graph web2 | sed 's/  [0-9]-[0-9a-f]* .*:[0-9][0-9]  /  /; s/into 3-.*/into/' >out
same out <<'EOX'
*    resolve --winner
| x  resolved into
* |  set there
| *  set here
|/
*    created
EOX
for path in here there; do sea log web2 $path --format='%(value) %(branch)'; done >out
same out <<'EOX'
"1" other
"1" winner
EOX
sea log web2 here | grep -q '(other branch)'
status 2 sea log --graph
status 2 sea log --graph --since=1d web2
EOT

t 'a page that is read only at its beginning' <<'EOT'
seq 400 | sed 's/.*/{"_id":"n","v":&}/' >many
sea put -q - <many
[ "$(sea log -3 n v --format='%(value)' | tr '\n' ' ')" = '400 399 398 ' ]
sea log n | head -1 >out
says out '400-'
EOT
