t 'records, revisions, blocks and who wrote them' <<'EOT'
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea init -q --name=field
sea stats >out
says out 'records       0'
says out 'blocks        1, '
says out 'assets        0'
[ "$(grep -c change out)" = 0 ]
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"h/1","_type":"host","ram":1}' '{"_id":"h/2","_type":"host"}' '{"_id":"n"}'
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea set -q h/1 ram:=2
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea delete -q h/2
sea stats | tr -s ' ' | sed 's/^\(blocks [0-9]*\), .*/\1/; s/^database .*/database/; s/ [0-9.]* K*i*B / SIZE /' >out
same out <<'EOX'
records 2, 1 deleted
revisions 5
blocks 4
assets 0
database
first change 2026-01-01 10:00:00
last change 2026-01-03 10:00:00

TYPE RECORDS
- 1
host 1

INSTANCE BLOCKS CHANGES SIZE FIRST LAST
field 4 5 SIZE 2026-01-01 10:00:00 2026-01-03 10:00:00
EOX
EOT

t 'from others, with conflicts, containers and assets' <<'EOT'
sea add-container -q --create stick "$PWD/stick.sea"
sea sync -q
sea clone -q --name=lab stick.sea lab
sea -C lab set -q h/1 ram:=3
sea set -q h/1 ram:=4
sea -C lab sync -q
sea sync -q --no-merge
head -c 3000 /dev/zero >big
sea set -q n file:asset@"$PWD/big"
sea stats --json >out
says out '"records":2,"deleted":1,"conflicts":1,'
says out '"assets":1,"assets_bytes":3000,"asset_files":1,'
[ "$(grep -c '"event":"author"' out)" = 2 ]
says out '"name":"lab","blocks":2,"changes":1,'
says out '{"event":"type","type":null,"records":1}'
says out '{"event":"type","type":"host","records":1}'
says out '"event":"container","name":"stick"'
sea stats >out
says out 'records       2, 1 deleted, 1 in conflict'
grep -q '^stick  *synced ' out
[ "$(sea stats | awk 'length > 80' | wc -l)" -eq 0 ]
# The same whoever asks.
sea sync -q --no-merge
sea -C lab sync -q --no-merge
for k in author type; do
  sea stats --json | grep "\"$k\"" >one
  sea -C lab stats --json | grep "\"$k\"" | cmp - one
done
EOT

t 'removed records' <<'EOT'
sea purge -q --confirm=field h/2 || [ $? = 8 ]
sea stats >out
grep -q '^blocks .* removed' out
EOT
