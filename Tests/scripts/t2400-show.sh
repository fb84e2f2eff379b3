t 'a transaction: by operation, by block, the newest' <<'EOT'
sea init -q --name=field
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"web1","_type":"host","ram":1}' '{"_id":"note","v":1}'
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea set -q web1 ram:=2
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea delete -q note
short() { sed "s/$(sea rev-parse --instance-id)/ID/; s/op:[0-9a-f]*/op:HEX/; s/-[0-9a-f]\{8\}/-HEX/g"; }
sea show | short >out
same out <<'EOX'
block    field/3
op       op:HEX
by       field ID
time     2026-01-03 10:00:00
label    delete
changes  1

deleted  note  1-HEX → 2-HEX
- v  1
EOX
sea show '@{1}' | short >out
same out <<'EOX'
block    field/2
op       op:HEX
by       field ID
time     2026-01-02 10:00:00
label    set ram
changes  1

updated  web1  1-HEX → 2-HEX
- ram  1
+ ram  2
EOX
sea show --stat field/1 | short >out
same out <<'EOX'
block    field/1
op       op:HEX
by       field ID
time     2026-01-01 10:00:00
label    put
changes  2
created  note  1-HEX
created  web1  1-HEX
EOX
[ "$(sea show --stat -t host field/1 | tail -n +7 | short)" = 'created  web1  1-HEX' ]
[ "$(sea show field/0 | tail -1)" = 'changes  0' ]
EOT

t 'a revision, and JSON' <<'EOT'
sea show web1@~1 --json >out
[ "$(wc -l <out)" -eq 2 ]
says out '"effect":"created","id":"web1","type":"host","rev":"1-'
says out '"changes":{"/ram":{"new":1},"/_type":{"new":"host"}}'
sea show web1 >out
says out '+ ram  2'
sea show 'web1@{2}' >out
says out '+ ram  1'
sea show note@winner >out
says out '- v  1'
[ "$(sea show field/2 field/3 | grep -c ^block)" -eq 2 ]
EOT

t 'missing revisions' <<'EOT'
status $NOT_FOUND sea show nothing
status $NOT_FOUND sea show field/9
status $NOT_FOUND sea show op:0123456789
status $NOT_FOUND sea show '@{7}'
status $NOT_FOUND sea show field
sea init -q empty
status $NOT_FOUND sea -C empty show
EOT

t 'changes of other instances, and purged content' <<'EOT'
sea add-container -q --create stick "$PWD/stick.sea"
sea sync -q
sea clone -q --name=lab stick.sea lab
sea -C lab set -q web1 ram:=7
sea -C lab sync -q
sea sync -q
sea show "$(sea log -1 --instance=lab --format='%(block)')" >out
says out 'by       lab '
says out 'arrived  '
says out '+ ram  7'
sea purge -q --confirm=field web1 || [ $? = 8 ]
sea show lab/1 >out
says out '(purged)'
grep ram out | grep -v label && false
sea show web1@~2 >out
says out '(purged)'
EOT

t 'a type that is mistyped' <<'EOT'
sea put -q '{"_id":"w2","_type":"host","ram":1}'
status $BAD_DATA sea show -t hsot
says err "did you mean 'host'"
status 0 sea show -t printer
says err "notice: no record has the type 'printer'"
status 0 sea show -t host
[ ! -s err ]
EOT
