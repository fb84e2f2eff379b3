t 'ops lists operations, newest first' <<'EOT'
sea init --name=field -q
[ -z "$(sea ops)" ]
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"web1","ram":16}' '{"_id":"web2"}'
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea set -q web1 ram:=32
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea put -q '{"_id":"web1","ram":1}' '{"_id":"web3"}' '{"_id":"web4"}'
SEA_AUTHOR_DATE=2026-01-04T10:00:00Z sea delete -q web2
sea set -q web1 ram:=1
sea ops | sed 's/op:[0-9a-f]\{8\} /op:HEX /' >out
same out <<'EOX'
@{0}  op:HEX  2026-01-04 10:00:00  delete   deleted 1
@{1}  op:HEX  2026-01-03 10:00:00  put      created 2, updated 1
@{2}  op:HEX  2026-01-02 10:00:00  set ram  updated 1
@{3}  op:HEX  2026-01-01 10:00:00  put      created 2
EOX
[ "$(sea ops -1 | wc -l)" -eq 1 ]
[ -z "$(sea ops -0)" ]
EOT

t 'fields and JSON' <<'EOT'
sea ops --format='%(n) %(state) %(records) %(created) %(updated) %(deleted) %(time:unix) %(label)' >out
same out <<'EOX'
0 done 1   1 1767520800 delete
1 done 3 2 1  1767434400 put
2 done 1  1  1767348000 set ram
3 done 2 2   1767261600 put
EOX
sea ops -1 --json >out
says out '"n":0,"block":"'
says out '"time":"2026-01-04T10:00:00Z","label":"delete","state":"done","records":1,"deleted":1}'
eval "$(sea ops -1 --shell --format='op=%(op) hash=%(hash) block=%(block)')"
[ "$op" = "op:$(echo "$hash" | cut -c1-16)" ]
[ "$(sea cat-block --batch-check="%(hash)" <<EOX
$block
EOX
)" = "$hash" ]
status $USAGE sea ops --shell
status $USAGE sea ops --format='%(nothing)'
EOT

t 'one of them, by its digits, its number or a time' <<'EOT'
op=$(sea ops --format='%(op)' | sed -n 2p)
sea ops --show="$op" | sed 's/-[0-9a-f]\{8\}/-HEX/' >out
same out <<'EOX'
updated  web1  3-HEX
created  web3  1-HEX
created  web4  1-HEX
EOX
cp out want
for name in "$(echo "$op" | cut -c1-7)" '@{1}' '@{2026-01-03T10:00:00Z}' '@{2026-01-04}' "$op"; do
  sea ops --show="$name" | sed 's/-[0-9a-f]\{8\}/-HEX/' >out
  cmp out want
done
sea ops --show='@{0}' --json >out
says out '"effect":"deleted","id":"web2","rev":"2-'
says out '"kind":"delete"'
[ "$(sea ops --show='@{1}' --format='%(effect) %(id) %(rev:short=0) %(parent:short=0)' | head -1)" = 'updated web1 3- 2-' ]
status $NOT_FOUND sea ops --show='@{9}'
status $NOT_FOUND sea ops --show=op:0123456789
status $NOT_FOUND sea ops --show='@{2025-01-01}'
for name in op:12 op:xyzw 1 web1 '@{' "op:$(printf %065d 0)"; do status $USAGE sea ops --show="$name"; done
status $USAGE sea ops --show='@{soon}'
status $USAGE sea ops -2 --show='@{0}'
EOT

t 'names that mean several' <<'EOT'
for n in $(seq 60); do echo "{\"_id\":\"n\",\"v\":$n}"; done >many
sea put -q --chunk=1 - <many
digits=$(sea ops --format='%(hash)' | cut -c1-4 | sort | uniq -d | head -1)
if [ -n "$digits" ]; then
  status $NOT_FOUND sea ops --show="op:$digits"
  says err ambiguous
fi
[ "$(sea ops --format='%(n)' | tail -1)" -ge 63 ]
EOT

t 'no operation: what others did, and what changed no record' <<'EOT'
before=$(sea ops --format='%(op)' | wc -l)
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=lab ../c.sea ../lab
[ -z "$(sea -C ../lab ops)" ]
sea -C ../lab set -q web1 lab=1
sea -C ../lab sync -q
sea sync -q
[ "$(sea ops --format='%(op)' | wc -l)" -eq "$before" ]
[ "$(sea -C ../lab ops --format='%(n) %(label)')" = '0 set lab' ]
status $NO_DATABASE sea -C / ops
EOT

t 'conflicts that end' <<'EOT'
sea sync -q
sea -C ../lab sync -q
sea set -q web1 x:=1
sea -C ../lab set -q web1 x:=2
sea -C ../lab sync -q
sea sync -q
sea resolve -q --ours web1
[ "$(sea ops -1 --format='%(resolved) %(label)')" = '1 resolve --ours' ]
sea ops --show='@{0}' | sed 's/-[0-9a-f]\{8\}/-HEX/; s/[0-9]*-HEX/REV/' | sort >out
same out <<'EOX'
resolved  web1  REV
resolved  web1  REV  (branch resolved)
EOX
sea undo -q
[ "$(sea ops -2 --format='%(state) %(resolved)%(reopened)' | tr '\n' ' ')" = 'done 1 undone 1 ' ]
EOT

t 'an instance that goes on under another name begins anew' <<'EOT'
sea init -q --renew-instance
[ -z "$(sea ops)" ]
status $NOT_FOUND sea undo
says err 'nothing to undo'
EOT
