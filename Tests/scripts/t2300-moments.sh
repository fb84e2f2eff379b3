t 'get, log and conflicts as they were' <<'EOT'
SEA_AUTHOR_DATE=2025-12-31T10:00:00Z sea init --name=field -q
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"web1","_type":"host","ram":1}' '{"_id":"web2","ram":1}'
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea set -q web1 ram:=2
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea delete -q web2
SEA_AUTHOR_DATE=2026-01-04T10:00:00Z sea set -q web1 ram:=3
[ "$(sea get --at='@{0}' web1 ram)" = 3 ]
[ "$(sea get --at='@{1}' web1 ram)" = 2 ]
[ "$(sea get --at=2026-01-01T10:00:00Z web1 ram)" = 1 ]
[ "$(sea get --at=2026-01-03 web1 ram)" = 2 ]
[ "$(sea get --at='@{2026-01-03}' web1 ram)" = 2 ]
[ "$(sea get --at="$(sea ops --format='%(op)' | tail -1)" web1 ram)" = 1 ]
[ "$(sea get 'web1@{3}' ram)" = 1 ]
[ "$(sea get 'web1@{2026-01-02T12:00:00Z}' ram)" = 2 ]
[ "$(sea get 'web1@{@1767268800}' ram)" = 1 ]
[ "$(sea get 'web1@{@{3}}' ram)" = 1 ]
[ "$(sea get "web1@{@{$(sea ops --format='%(op)' -1)}}" ram)" = 3 ]
[ "$(sea get 'web1@{@{2026-01-02T12:00:00Z}}' ram)" = 2 ]
status $NOT_FOUND sea get 'web1@{@{1}'
status $USAGE sea get 'web1@{@{soon}}'
[ "$(sea get "web1@{$(sea ops --format='%(op)' -1)}" ram)" = 3 ]
[ "$(sea get --at=2026-01-02T12:00:00Z web2 ram)" = 1 ]
status $NOT_FOUND sea get --at='@{1}' web2
status $NOT_FOUND sea get --at=2025-01-01 web1
says err 'the record exists now, but not at that time'
status $NOT_FOUND sea get 'web1@{2025-01-01}'
status $NOT_FOUND sea get --at='@{9}' web1
status $NO sea get -e --at='@{0}' web2
[ "$(sea get --at=2026-01-02T12:00:00Z 'host:ram=2' ram)" = 2 ]
status $NOT_FOUND sea get 'host:ram=2'
status $USAGE sea get --at=soon web1
status $USAGE sea get --at='@{0}' --rev=winner web1
[ "$(printf 'web1\nweb2\n' | sea get --at='@{2}' --stdin | wc -l)" -eq 2 ]
[ "$(sea log --at='@{2}' | wc -l)" -eq 4 ]
[ "$(sea log --at='@{2}' web1 --format='%(rev:short=0) %(state)')" = "2- winner
1- inner" ]
[ "$(sea log --at='@{2}' web1 ram --format='%(value)')" = "2
1" ]
[ "$(sea log --at='@{2}' --graph web1 | wc -l)" -eq 2 ]
sea diff 'web1@{3}' 'web1@{1}' >out
says out '+ ram  2'
EOT

t 'an id that looks like one' <<'EOT'
sea put -q '{"_id":"odd@{1}","v":1}'
[ "$(sea get 'odd@{1}' v)" = 1 ]
[ "$(sea get --literal-ids 'odd@{1}' v)" = 1 ]
EOT

t 'two moments of the whole database' <<'EOT'
heads() { sed 's/-[0-9a-f]\{8\}/-HEX/g'; }
sea diff '@{1}' | heads >out
same out <<'EOX'
web1  2-HEX → 3-HEX
- ram  2
+ ram  3
EOX
sea diff '@{2026-01-02T12:00:00Z}' '@{2026-01-04T10:00:00Z}' | heads >out
same out <<'EOX'
web1  2-HEX → 3-HEX
- ram  2
+ ram  3
web2  1-HEX → 2-HEX  (deleted)
- ram  1
EOX
sea diff --at='@{2026-01-02T12:00:00Z}' >then
sea diff '@{2026-01-02T12:00:00Z}' | same then
[ -s then ]
[ "$(sea diff --at=2026-01-02T12:00:00Z --stat web2 | heads)" = 'web2  0 changed, 0 added, 1 removed, deleted' ]
[ "$(sea diff --at="$(sea ops --format='%(op)' | tail -1)" --stat -- web2 | heads)" = 'web2  0 changed, 0 added, 1 removed, deleted' ]
status 0 sea diff --exit-code --at='@{0}'
status $USAGE sea diff --at='@{0}' web1 -- web2
status $USAGE sea diff --at='@{0}' --container=x
[ "$(sea diff '@{2026-01-02T12:00:00Z}' --stat -- web2 | heads)" = 'web2  0 changed, 0 added, 1 removed, deleted' ]
sea diff --json '@{4}' >out
says out '{"id":"web1","to":"1-'
says out '"changes":{"/ram":{"new":1},"/_type":{"new":"host"}}}'
sea diff '@{1}' '@{2026-01-01}' --json >out
says out '"from":"3-'
status $NO sea diff --exit-code '@{0}'
status 0 sea diff --exit-code '@{0}' '@{0}'
status 0 sea diff --exit-code '@{now}'
sea diff --merge-patch '@{1}' >patch
says patch '"ram":3'
status $USAGE sea diff '@{0}' web1
status $USAGE sea diff '@{0}' '@{1}' '@{2}'
status $NOT_FOUND sea diff '@{99}'
status $NOT_FOUND sea diff '@{0}' -- nothing
EOT

t 'a clock that is set back changes no answer of before' <<'EOT'
mkdir clock && cd clock
SEA_AUTHOR_DATE=2026-01-01T09:00:00Z sea init --name=field -q
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"r","n":0}'
n=0
for day in 05 02 03 07 01 02 06 08; do
  n=$((n + 1))
  SEA_AUTHOR_DATE=2026-01-${day}T10:00:00Z sea set -q r n:=$n
  [ "$(sea get --at=2026-01-04 r n)" = 0 ]
  [ "$(sea get 'r@{2026-01-04}' n)" = 0 ]
  [ $n -lt 4 ] || [ "$(sea get --at=2026-01-06 r n)" = 3 ]
done
[ "$(sea get --at=2026-01-07T12:00:00Z r n)" = 7 ]
[ "$(sea get --at=2026-01-09 r n)" = 8 ]
[ "$(sea log --at=2026-01-06 r | wc -l)" = 4 ]
sea export -q --since=2026-01-06 -o since.sea
[ "$(sea verify --json since.sea | tail -1 | jq .blocks)" = 5 ]
EOT

t 'changes of other instances count from their arrival' <<'EOT'
mkdir two && cd two
sea init -q --name=field
sea add-container -q --create stick "$PWD/stick.sea"
sea put -q '{"_id":"web1","ram":1}'
sea sync -q
sea clone -q --name=lab stick.sea lab
SEA_AUTHOR_DATE=2020-01-01T00:00:00Z sea -C lab set -q web1 ram:=2
sea set -q web1 ram:=3
sea -C lab sync -q
sea sync -q --no-merge
sea conflicts --exit-code >/dev/null && false
[ "$(sea conflicts --count)" = 1 ]
[ "$(sea conflicts --count --at='@{0}')" = 0 ]
[ "$(sea conflicts --count --at=now)" = 1 ]
[ "$(sea get --at='@{0}' web1 ram)" = 3 ]
status 0 sea conflicts --at='@{0}' --exit-code web1
status $CONFLICT sea conflicts --at=now --exit-code web1
sea get --at=now --json web1 >out
says out _conflicts
sea get --at='@{0}' --json web1 >out
says out '"_conflicts"' && false
sea resolve -q --winner web1
[ "$(sea conflicts --count --at='@{0}')" = 0 ]
[ "$(sea conflicts --count --at='@{1}')" = 0 ]
status 0 sea diff --exit-code '@{now}'
EOT

t 'purged content is reported as purged' <<'EOT'
mkdir three && cd three
sea init -q --name=field
sea put -q '{"_id":"web1","secret":"hidden"}'
sea put -q '{"_id":"web2","v":1}'
sea purge -q --confirm=field web1
status 0 sea get --at='@{1}' web1
says err 'the content of web1 was purged'
status $NOT_FOUND sea get --at='@{0}' web1
sea get 'web1@{1}' >out 2>err
says err 'the content of web1 was purged'
grep hidden out && false
sea diff '@{2026-01-01}' '@{1}' >out 2>err
says out web2
says err 'the content of web1 was purged'
EOT
