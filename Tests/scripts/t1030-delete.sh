sea init -q
seq 9 | jq -c '{_id:"h/\(.)",_type:"host",n:.}' | sea put -q -

t 'a record is deleted, once' <<'EOT'
status 0 sea delete h/1
grep -Eqx 'deleted	h/1	2-[0-9a-f]{64}' out
status $NOT_FOUND sea get h/1
status $NOT_FOUND sea delete h/1
says err "record 'h/1' does not exist"
status 0 sea query --ids
grep -qx h/2 out
[ "$(grep -cx h/1 out)" -eq 0 ]
EOT

t 'all or none' <<'EOT'
status $NOT_FOUND sea delete h/2 no-such h/3
[ ! -s out ]
sea get -e h/2
sea get -e h/3
status 0 sea delete h/2 h/3 h/2
cut -f1,2 out >have
printf 'deleted\th/2\ndeleted\th/3\n' | same have
EOT

t 'the deletions of one run are one block' <<'EOT'
block() { sea get --meta --json "$1@winner" | jq -r ._block; }
[ "$(block h/2)" = "$(block h/3)" ]
[ "$(block h/1)" != "$(block h/2)" ]
EOT

t '--if-rev' <<'EOT'
rev=$(sea get h/4 --json | jq -r ._rev)
sea set -q h/4 n:=40
status $CONFLICT sea delete "--if-rev=$rev" h/4
says err 'error[stale]: h/4 is at 2-'
sea get -e h/4
status 0 sea delete "--if-rev=$(sea get h/4 --json | jq -r ._rev | cut -c1-10)" h/4
status $USAGE sea delete --if-rev=x h/5
EOT

t '--stdin reads records, one per line or up to NUL' <<'EOT'
printf 'h/5\n\n' | status 0 sea delete --stdin
grep -q '^deleted	h/5	' out
printf 'h/6\000h/7' | status 0 sea delete -z --stdin
[ "$(tr -cd '\000' <out | wc -c)" -eq 2 ]
status 0 sea delete --stdin
[ ! -s out ]
printf 'h/8\nno-such\n' | status $NOT_FOUND sea delete --stdin
sea get -e h/8
status $USAGE sea delete
status $USAGE sea delete --stdin h/8
EOT

t '--max-delete' <<'EOT'
status $REFUSED sea delete --max-delete=1 h/8 h/9
says err '2 records would be deleted, which exceeds --max-delete=1'
sea get -e h/8
status $REFUSED sea delete --max-delete=0 h/8
status 0 sea delete --max-delete=1 h/8 h/8
EOT

t '--check-refs keeps what is referred to' <<'EOT'
sea put -q '{"_id":"ada"}' '{"_id":"ben","boss":{"$ref":"ada"}}' '{"_id":"cy","l":[{"x":{"$ref":"ada","as":"k"}}]}'
status $CONFLICT sea delete --check-refs ada
says err 'error[conflict]: ada is still referenced by ben cy'
says err 'hint: to list all references, run: sea query --refs-to=ada --ids'
sea get -e ada
status $CONFLICT sea delete --check-refs ada ben
status 0 sea delete --check-refs ada ben cy
sea put -q '{"_id":"self","me":{"$ref":"self"}}'
status 0 sea delete --check-refs self
EOT

t 'without it nothing cascades' <<'EOT'
sea put -q '{"_id":"ada"}' '{"_id":"ben","boss":{"$ref":"ada"}}'
status 0 sea delete ada
[ "$(sea get ben boss)" = ada ]
EOT

t '-n, -q and --json' <<'EOT'
status 0 sea delete -n ben
grep -q '^deleted	ben	' out
sea get -e ben
status 0 sea --json delete -n ben
jq -es '.[0].dry_run and .[0].event == "deleted"' out
sea get -e ben
status 0 sea --json delete ben
jq -es '.[0].event == "deleted" and .[0].id == "ben" and .[1].event == "summary" and .[1].deleted == 1' out
status 0 sea delete -q h/9
[ ! -s out ]
status $NOT_FOUND sea --json delete h/9
jq -e '.code == "not-found" and .id == "h/9"' err
EOT

t 'a record in conflict is deleted on all sides' <<'EOT'
sea add-container -q --create box "$PWD/box"
sea put -q '{"_id":"both","n":0}'
sea sync -q
sea clone -q "$PWD/box" second
sea put -q '{"_id":"both","n":1}'
sea -C second put -q '{"_id":"both","n":2}'
sea -C second sync -q
sea sync -q
sea get both --json | jq -e '._conflicts | length == 1'
status 0 sea delete both
[ "$(wc -l <out)" -eq 1 ]
status $NOT_FOUND sea get both
sea sync -q
sea -C second sync -q
status $NOT_FOUND sea -C second get both
EOT
